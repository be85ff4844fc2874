"""What the lesson claims, measured with the functions that its pages call."""

import dataclasses
import itertools

import pytest
import torch
from torch import nn

from attention import MultiHeadAttention, SelfAttention
from attention.lab.cost.steps import projections_and_mixing, step_costs
from attention.lab.mistakes import forms
from pages.lessons.many_heads import code, overview, sharing, snippets, split, summary, view
from pages.model import edits
from pages.model.compute import tensors_of, trace_of
from tests.support.random_settings import drawn

from .conftest import CASES, SEVERAL, START, TWO, page_of

JOBS = CASES["two jobs"]


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({}, True),
        ({"scaling": "own", "own_divisor": -1.0}, False),
        ({"scaling": "own", "own_divisor": 100.0}, False),
        ({"w_q": tuple((0.0,) * len(row) for row in JOBS.w_q)}, False),
        ({"mask": "causal"}, True),
    ],
)
def test_the_heads_are_said_to_have_two_jobs_only_while_they_have_them(change, holds):
    assert overview.has_two_jobs(dataclasses.replace(JOBS, **change)) == holds


@pytest.mark.parametrize("name", overview.SENTENCE)
@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({}, True),
        ({"mask": "causal"}, False),
        ({"scaling": "own", "own_divisor": -1.0}, False),
        ({"scaling": "own", "own_divisor": 100.0}, False),
    ],
)
def test_the_heads_of_the_sentence_are_said_to_want_two_things_only_while_they_do(name, change, holds):
    """A causal mask masks the later word for “it”; of nearly uniform weights one head could give both."""
    sentence = edits.example_start(name)
    assert overview.wants_two_things(dataclasses.replace(sentence, **change)) == holds


def test_heads_cost_as_many_multiply_adds_as_one_that_is_as_wide(several):
    """overview.cost: only the softmax has more to do, once for each head."""
    result, one = overview.heads_and_one(several)
    assert projections_and_mixing(result) == projections_and_mixing(one)
    weights, wide = ({step.name: step.other for step in step_costs(s)}["weights"] for s in (result, one))
    assert weights == several.num_heads * wide


def test_concentrated_heads_can_have_a_uniform_mean_and_a_maximum_above_one():
    heads = torch.stack([torch.roll(torch.eye(4), shift, dims=-1) for shift in range(4)])
    torch.testing.assert_close(heads.mean(0), torch.full((4, 4), 0.25))
    assert (heads.amax(0).sum(-1) > 1).all()
    same = torch.eye(4).expand(4, 4, 4)
    torch.testing.assert_close(same.amax(0).sum(-1), torch.ones(4))


def test_both_ways_of_writing_agree(several):
    assert split.difference(page_of(several, "split")) < 1e-12


def test_the_note_s_heads_are_alike_and_each_holds_half_of_the_tokens():
    shape, same = view.note_result()
    assert shape == (1, 2, 4, 8) and same == 0
    cells = forms.origins(4, 2, 4, transpose=False)
    assert [set(cells[head, ..., 0].flatten().tolist()) for head in range(2)] == [{0, 1}, {2, 3}]


def test_heads_that_share_keys_may_still_differ():
    result = sharing.sharing_of(JOBS, 1)
    first, second = result.shared.heads.weights
    assert (first - second).abs().max() > 0.3
    assert min(sharing.moved_shares(result)) > 0.05 and result.output_change > 0.05
    own = sharing.sharing_of(JOBS, 2)
    assert max(sharing.moved_shares(own)) == 0 and own.output_change == 0


@pytest.mark.parametrize(("masked_score", "total"), [("-inf", 0), ("-1e9", 1)])
def test_sharing_and_the_wrong_split_start_from_the_learner_s_own_attention(masked_score, total):
    now = edits.with_choice(SEVERAL["fully masked row"], masked_score=masked_score)
    page, trace = page_of(now, "sharing"), trace_of(now)
    assert trace.heads.weights[0, 1].sum() == pytest.approx(total)
    torch.testing.assert_close(sharing.sharing_of(page.settings, 1).full.heads.weights, trace.heads.weights)
    torch.testing.assert_close(view.wrong_split(page)[0].weights.sum(-1), trace.heads.weights.sum(-1))


def test_costs_shrink_with_the_number_of_key_value_heads():
    costs = sharing.all_costs(page_of(CASES["four heads"], "sharing"))
    assert [cost.kv_heads for cost in costs] == [4, 2, 1]
    assert [cost.cache for cost in costs] == [8, 4, 2]
    weights = tensors_of(CASES["four heads"])
    assert costs[0].parameters == sum(w.numel() for w in weights.values() if w is not None)


# ---- code


def modules() -> dict:
    """The code on the screen, run as it is."""
    scope: dict = {}
    exec(snippets.SELF_ATTENTION + "\n" + snippets.MULTI_HEAD_ATTENTION, scope)
    return scope


def copied(module: nn.Module, names: tuple[str, ...]) -> dict[str, torch.Tensor]:
    """Its matrices as the core takes them, X @ W."""
    linear = {name: getattr(module, f"w_{name}") for name in names}
    return {f"w_{name}": one.weight.detach().T for name, one in linear.items()} | {
        f"b_{name}": one.bias.detach() for name, one in linear.items()
    }


@pytest.mark.parametrize("causal", [False, True])
def test_the_modules_on_the_screen_compute_what_the_core_computes(causal):
    torch.manual_seed(0)
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    mask = torch.ones(2, 5, 5).tril().bool() if causal else None
    single = modules()["SelfAttention"](12, 3, 7).double()
    ours = SelfAttention.from_matrices(**copied(single, ("q", "k", "v")))
    torch.testing.assert_close(single(x, mask), ours(x, mask=mask).output)
    several = modules()["MultiHeadAttention"](12, 4).double()
    ours = MultiHeadAttention.from_matrices(**copied(several, ("q", "k", "v", "o")), num_heads=4)
    torch.testing.assert_close(several(x, mask), ours(x, mask=mask).output)
    with pytest.raises(AssertionError):
        modules()["MultiHeadAttention"](12, 5)


def test_pytorch_s_layer_has_an_output_projection_with_one_head_too():
    assert nn.MultiheadAttention(4, 1).out_proj.weight.shape == (4, 4)
    assert "w_o" not in tensors_of(START) and "w_o" in tensors_of(TWO)


def test_a_mask_without_a_dimension_for_the_heads_lands_on_the_heads():
    right, wrong, masks = code.accident(page_of(JOBS, "view"))
    causal = masks[0]
    zero = {
        (entry, head)
        for entry, head in itertools.product(range(2), range(2))
        if (wrong[entry, head][~causal] == 0).all()
    }
    assert zero == {(0, 0), (1, 0)}
    assert (right[0][:, ~causal] == 0).all() and (right[1][:, ~causal] > 0).any()
    for entries, heads, fails in ((3, 2, True), (1, 2, False), (2, 1, False)):
        query = torch.zeros(entries, heads, 4, 2)
        mask = torch.ones(entries, 4, 4).bool()
        scores = query @ query.transpose(-2, -1)
        if fails:
            with pytest.raises(RuntimeError):
                scores.masked_fill(~mask, 0.0)
        else:
            scores.masked_fill(~mask, 0.0)


# ---- the end


@pytest.mark.parametrize("seed", range(40))
def test_the_summary_says_of_alike_heads_that_they_are_alike(seed):
    now = drawn(seed)
    if now.num_heads == 1:
        return
    page, weights = page_of(now, "sharing"), trace_of(now).heads.weights
    apart = (weights[0] - weights[overview.other_head(page)]).abs().max().item() > 1e-8
    assert ("differ most" in summary.lines(page)[0]) == apart


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", CASES)
def test_the_summary_has_the_learner_s_numbers(case, language):
    now = CASES[case]
    sentences = summary.lines(page_of(now, "sharing", language))
    assert len(sentences) == (3 if now.num_heads > 1 else 1)
    assert not any("{" in line for line in sentences)
    if now.num_heads > 1:
        assert (
            str(now.num_heads) in sentences[0]
            and str(now.num_heads * (now.head_dim + now.value_dim)) in sentences[2]
        )
