import math

import pytest
import torch

from attention import AttentionError, causal_mask, multi_head_attention
from attention.lab.real_heads.explain import (
    attributions,
    rank_correlation,
    ranks,
    received,
    received_norms,
    weighted_values,
)
from attention.lab.real_heads.store import load
from tests.attention.numbers import normal


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


N, D, HEADS, KV, D_K, D_V, OUT = 5, 7, 4, 2, 3, 2, 6
X = normal(N, D)
WEIGHTS = {
    "w_q": normal(D, HEADS * D_K, seed=1),
    "w_k": normal(D, KV * D_K, seed=2),
    "w_v": normal(D, KV * D_V, seed=3),
    "w_o": normal(HEADS * D_V, OUT, seed=4),
    "b_o": normal(OUT, seed=5),
}
OPTIONS = {"num_heads": HEADS, "num_kv_heads": KV}
EYE = {"w_q": torch.eye(2).double(), "w_k": torch.eye(2).double(), "w_v": torch.eye(2).double()}


def test_two_tokens_by_hand():
    """X = Q = K = V = [[0, 0], [ln 4, 1]], unscaled, no weight on how a row scores but by its first column.

    The query is row 0: its scores are 0 and 0, so its weights are ½ and ½ and its output (ln 2, ½).
    """
    x = tensor([[0.0, 0.0], [math.log(4), 1.0]])
    attribution = attributions(x, EYE, row=0, column=1, scale=1.0)
    assert attribution.target == pytest.approx(0.5)
    assert attribution.weights.tolist() == pytest.approx([0.5, 0.5])
    assert attribution.norms.tolist() == pytest.approx([0.0, 0.5 * math.hypot(math.log(4), 1)])
    # Without row 0 the output is row 1, and 1 in this column; without row 1 it is row 0, and 0.
    assert attribution.leave_one_out.tolist() == pytest.approx([0.5 - 1.0, 0.5 - 0.0])
    # Row 0 is 0, and so is its product; x₁ moves this column by its value alone, for the query is 0.
    assert attribution.gradient_times_input.tolist() == pytest.approx([0.0, 0.5])


def test_weights_without_one_key_share_what_it_had():
    """Of one head: without key j the output is (o − wⱼ·vⱼ) / (1 − wⱼ)."""
    weights = {name: WEIGHTS[name] for name in ("w_q", "w_k", "w_v")}
    weights = {name: part[:, :3] for name, part in weights.items()}
    trace = multi_head_attention(X, **weights)
    attribution = attributions(X, weights, row=2, column=1)
    w, v, o = trace.heads.weights[0, 2], trace.value[:, 1], trace.output[2, 1]
    torch.testing.assert_close(attribution.leave_one_out, o - (o - w * v) / (1 - w))
    torch.testing.assert_close(attribution.norms, w * trace.value.norm(dim=-1))


@pytest.mark.parametrize("column", [None, 4])
@pytest.mark.parametrize("mask", [None, causal_mask(N)])
def test_the_gradient_by_finite_differences(column, mask):
    attribution = attributions(X, WEIGHTS, row=3, column=column, mask=mask, **OPTIONS)

    def target(x):
        row = multi_head_attention(x, **WEIGHTS, mask=mask, **OPTIONS).output[3]
        return row.norm() if column is None else row[column]

    step = 1e-5
    for token in range(N):
        up, down = X.clone(), X.clone()
        up[token] *= 1 + step
        down[token] *= 1 - step
        slope = ((target(up) - target(down)) / (2 * step)).item()
        assert attribution.gradient_times_input[token].item() == pytest.approx(slope, abs=1e-8)
    assert attribution.target == pytest.approx(target(X).item())


def test_several_heads_that_share_keys():
    trace = multi_head_attention(X, **WEIGHTS, **OPTIONS)
    parts = weighted_values(trace, WEIGHTS["w_o"])
    torch.testing.assert_close(parts.sum(1) + WEIGHTS["b_o"], trace.output)
    joined = weighted_values(trace, None)
    torch.testing.assert_close(joined.sum(1), trace.concatenated)
    attribution = attributions(X, WEIGHTS, row=1, **OPTIONS)
    torch.testing.assert_close(attribution.weights, trace.heads.weights[:, 1].mean(0))
    torch.testing.assert_close(attribution.norms, parts[1].norm(dim=-1))
    assert attribution.weights.sum().item() == pytest.approx(1)


def test_a_masked_token_counts_for_nothing():
    attribution = attributions(X, WEIGHTS, row=1, column=0, mask=causal_mask(N), **OPTIONS)
    for part in (
        attribution.weights,
        attribution.norms,
        attribution.gradient_times_input,
        attribution.leave_one_out,
    ):
        assert part[2:].tolist() == [0, 0, 0]
        assert (part[:2] != 0).all()


def test_a_query_whose_only_key_is_left_out_has_an_output_of_0():
    weights = {name: part for name, part in WEIGHTS.items() if name != "b_o"}
    attribution = attributions(X, weights, row=0, mask=causal_mask(N), **OPTIONS)
    assert attribution.leave_one_out[0].item() == pytest.approx(attribution.target)


def test_the_numbers_stay_as_they_were():
    before = X.clone()
    mask = causal_mask(N)
    attributions(X, WEIGHTS, row=1, mask=mask, **OPTIONS)
    assert torch.equal(X, before)
    assert not X.requires_grad
    assert torch.equal(mask, causal_mask(N))


def test_a_place_that_is_not_there_is_said():
    with pytest.raises(AttentionError, match="row: expected 0 to 4, got 5"):
        attributions(X, WEIGHTS, row=5, **OPTIONS)
    with pytest.raises(AttentionError, match="column: expected 0 to 5, got 6"):
        attributions(X, WEIGHTS, row=0, column=6, **OPTIONS)


def test_what_a_key_receives_is_the_mean_of_its_column():
    assert received(tensor([[0.2, 0.8], [0.6, 0.4]])).tolist() == pytest.approx([0.4, 0.6])


def test_what_a_key_receives_times_the_norm_of_its_value():
    sentence = load("tired")
    result = received_norms(sentence)
    assert result.shape == (6, 12, 15)
    column, value = sentence.model_weights[4, 7, :, 2], sentence.value[4, 7, 2]
    assert result[4, 7, 2].item() == pytest.approx(column.mean().item() * value.norm().item())


def test_the_values_of_cls_are_short_where_most_weight_goes_to_it():
    """As Kobayashi et al. 2020 found in BERT: weight on [CLS] adds less than its size says."""
    sentence = load("tired")
    weights, norms = received(sentence.model_weights), received_norms(sentence)
    share, share_of_norms = (part[..., 0] / part.sum(-1) for part in (weights, norms))
    heads = share > 0.5
    assert heads.sum() == 32
    assert (share_of_norms < share)[heads].all()


def test_equal_values_share_their_ranks():
    assert ranks(tensor([3.0, 1.0, 3.0, 7.0])).tolist() == [2.5, 1.0, 2.5, 4.0]


def test_rank_correlation_by_hand():
    one = tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    assert rank_correlation(one, one.exp()) == pytest.approx(1)
    assert rank_correlation(one, -one) == pytest.approx(-1)
    # Without ties it is 1 − 6·Σd² / (n·(n² − 1)): here d = 1, −1, 0, 1, −1.
    assert rank_correlation(one, tensor([2.0, 1.0, 3.0, 5.0, 4.0])) == pytest.approx(1 - 6 * 4 / 120)
    # Ranks 1, 2½, 2½, 4 and 1, 2, 3, 4: deviations −1½, 0, 0, 1½ and −1½, −½, ½, 1½.
    tied = rank_correlation(tensor([1.0, 2.0, 2.0, 3.0]), tensor([1.0, 2.0, 3.0, 4.0]))
    assert tied == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_without_differences_there_is_no_rank_correlation():
    assert rank_correlation(tensor([1.0, 1.0, 1.0]), tensor([1.0, 2.0, 3.0])) is None


@pytest.mark.parametrize("column", [None, 0])
def test_in_a_fully_masked_row_no_token_counts(column):
    mask = causal_mask(N)
    mask[0] = False
    weights = {name: part for name, part in WEIGHTS.items() if name != "b_o"}
    attribution = attributions(X, weights, row=0, column=column, mask=mask, **OPTIONS)
    for part in (
        attribution.weights,
        attribution.norms,
        attribution.gradient_times_input,
        attribution.leave_one_out,
    ):
        assert part.tolist() == [0] * N
