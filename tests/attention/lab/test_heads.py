"""What the lesson on many heads measures, against the core, PyTorch, and numbers counted by hand."""

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.ui import edits, head_facts
from pages.ui.compute import options_of, tensors_of, trace_of
from pages.ui.settings import Settings

START = Settings()
FOUR = edits.resize(edits.fill(START, "x", "normal", 3), num_heads=4, d_k=3, d_v=2, num_kv_heads=2)
CASES = {
    "one head": START,
    "two heads": edits.resize(START, num_heads=2),
    "two jobs": edits.load_example(START, "two_jobs"),
    "shared keys": FOUR,
    "biases": edits.fill(edits.set_biases(FOUR, True), "b_o", "normal", 5),
    "masked": edits.with_choice(FOUR, mask="causal"),
    "dead row": edits.with_choice(FOUR, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)})),
}
every_case = pytest.mark.parametrize("settings", CASES.values(), ids=CASES)


def close(a, b):
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


def parameters(s: Settings) -> int:
    matrices = [matrix for matrix in tensors_of(s).values() if matrix is not None]
    return sum(matrix.numel() for matrix in matrices)


@every_case
def test_the_parameters_are_those_of_the_matrices(settings):
    assert head_facts.cost(settings, settings.kv_heads).parameters == parameters(settings)


@every_case
def test_the_cache_holds_each_token_s_key_and_value(settings):
    trace = trace_of(settings)
    kept = (trace.key.numel() + trace.value.numel()) // len(settings.tokens)
    assert head_facts.cost(settings, settings.kv_heads).cache == kept


def test_costs_by_hand():
    costs = head_facts.costs(edits.resize(START, num_heads=4))
    assert [(c.kv_heads, c.parameters, c.cache) for c in costs] == [(4, 64, 8), (2, 48, 4), (1, 40, 2)]


@every_case
def test_the_heads_parts_and_the_bias_sum_to_the_output(settings):
    trace, weights = trace_of(settings), tensors_of(settings)
    w_o, b_o = weights.get("w_o"), weights.get("b_o")
    total = head_facts.contributions(trace, w_o).sum(dim=0) + (0 if b_o is None else b_o)
    close(total, trace.output)


@every_case
def test_a_head_that_is_off_is_a_head_with_rows_of_zeros_in_w_o(settings):
    trace, weights = trace_of(settings), tensors_of(settings)
    w_o = weights.get("w_o")
    if w_o is None:
        return
    off = frozenset({settings.num_heads - 1})
    zeroed = w_o.clone()
    zeroed[-settings.value_dim :] = 0
    expected = trace.concatenated @ zeroed + (0 if weights["b_o"] is None else weights["b_o"])
    close(head_facts.without_heads(trace, w_o, off), expected)


def test_no_head_off_loses_nothing():
    trace = trace_of(FOUR)
    close(head_facts.without_heads(trace, tensors_of(FOUR)["w_o"], frozenset()), trace.output)


@every_case
def test_the_loss_of_a_head_is_measured_on_the_output_without_it(settings):
    trace, w_o = trace_of(settings), tensors_of(settings).get("w_o")
    for head, loss in enumerate(head_facts.losses(trace, w_o)):
        without = head_facts.without_heads(trace, w_o, frozenset({head}))
        assert loss == pytest.approx(((trace.output - without).norm() / trace.output.norm()).item())


def test_an_output_of_zeros_loses_nothing():
    zeros = edits.fill(edits.resize(START, num_heads=2), "w_o", "zeros")
    assert head_facts.losses(trace_of(zeros), tensors_of(zeros)["w_o"]) == [0.0, 0.0]


@every_case
def test_one_projection_a_head_gives_the_same_numbers(settings):
    trace = trace_of(settings)
    queries, output = head_facts.one_projection_a_head(trace, tensors_of(settings), options_of(settings))
    close(queries, trace.heads.query)
    close(output, trace.output)


@pytest.mark.parametrize("biases", [False, True])
def test_the_torch_module_gives_the_core_s_output(biases):
    settings = edits.set_biases(edits.resize(START, num_heads=2), biases)
    if biases:
        settings = edits.fill(edits.fill(settings, "b_q", "normal", 1), "b_o", "normal", 2)
    trace = trace_of(settings)
    module = head_facts.torch_module(settings, tensors_of(settings))
    x = trace.query_input
    close(module(x, x, x)[0], trace.output)


@pytest.mark.parametrize("name", ["one head", "two jobs", "shared keys"])
def test_what_the_torch_module_cannot_hold(name):
    assert head_facts.torch_module(CASES[name], tensors_of(CASES[name])) is None


@limits(deadline=None)
@given(st.integers(1, 16))
def test_the_first_count_that_does_not_divide(d_model):
    found = head_facts.first_that_does_not_divide(d_model, 8)
    dividing = [count for count in range(2, 9) if d_model % count == 0]
    assert found == next((count for count in range(2, 9) if count not in dividing), None)


def test_two_heads_have_two_jobs():
    before, same = trace_of(CASES["two jobs"]).heads.weights
    assert before.argmax(dim=-1).tolist() == [0, 0, 1, 2]
    words = CASES["two jobs"].tokens
    for i, row in enumerate(same.tolist()):
        assert [w > 0.4 for w in row] == [word == words[i] for word in words]


def test_the_two_jobs_are_made_of_whole_numbers():
    example = CASES["two jobs"]
    for name in ("x", "w_q", "w_k", "w_v", "w_o"):
        assert all(value == int(value) for row in getattr(example, name) for value in row)
