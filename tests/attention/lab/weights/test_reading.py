"""Facts about weights against the core, and a counterexample for over-readings that numbers refute."""

import pytest
import torch

from attention import causal_mask, sliding_window_mask
from attention.lab.weights import reading

A = torch.tensor([[0.7, 0.1, 0.2], [0.25, 0.25, 0.5], [0.1, 0.2, 0.7]], dtype=torch.float64)
V = torch.tensor([[1.0, 0.0], [9.0, -2.0], [0.0, 1.0]], dtype=torch.float64)
CAUSAL = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]], dtype=torch.float64)


# ---- counterexamples


def nudged(weights, value, key, col, by=1.0):
    """The change of the output (n, d_v) when one number of V changes: `by` times the key's column of A."""
    changed = value.clone()
    changed[key, col] += by
    return weights @ changed - weights @ value


def with_mask(scores, mask):
    """The softmax's weights of these scores (n, n) with another mask, or with none."""
    return reading.attend(scores.softmax(-1), torch.zeros(len(scores), 1, dtype=scores.dtype), mask).weights


def other_scores(scores, query, by):
    """Scores (n, n) with the same weights: a constant added to a row vanishes in its softmax."""
    shift = torch.zeros_like(scores)
    shift[query] = by
    return scores + shift


def other_query(query, key):
    """A different query (d_k,) with the same weights on these keys (n, d_k).

    It differs by a direction in which all keys are alike, which needs fewer than d_k independent differences.
    Raises ValueError where there is none.
    """
    differences = key - key.mean(0)
    _, sizes, directions = torch.linalg.svd(differences, full_matrices=True)
    if len(sizes) >= key.shape[1] and sizes[key.shape[1] - 1] > reading.ALIKE:
        raise ValueError("the keys differ in every direction")
    return query + directions[-1]


def layer_output(weights, value, w_o):
    """The output (n, d_model) of a layer: weights (h, n, n), value (h, n, d_v), w_o (h · d_v, d_model)."""
    heads = reading.attend(weights, value).output
    return heads.transpose(0, 1).flatten(1) @ w_o


# ---- facts, and what is none


@pytest.mark.parametrize(("weights", "mask"), [(A, None), (CAUSAL, causal_mask(3))])
def test_the_core_gives_just_these_weights(weights, mask):
    trace = reading.attend(weights, V, mask)
    torch.testing.assert_close(trace.weights, weights)
    torch.testing.assert_close(trace.output, weights @ V)


def test_rows():
    assert reading.top_key(A, 0) == 0 and reading.top_key(A, 1) == 2
    assert reading.top_key(CAUSAL, 1) is None
    assert reading.top_key(A, 1, margin=0.3) is None
    assert reading.is_one_hot(CAUSAL, 0, 0) and not reading.is_one_hot(A, 0, 0)
    assert (
        reading.is_uniform(CAUSAL, 1) and not reading.is_uniform(CAUSAL, 0) and not reading.is_uniform(A, 1)
    )
    assert reading.same_row(A[[0, 0, 1]], 0, 1) and not reading.same_row(A, 0, 1)
    two = torch.stack([A[[0, 0, 1]], A])
    assert not reading.same_row(two, 0, 1)


def test_the_largest_weight_need_not_be_the_largest_part():
    assert reading.top_key(A, 0) == 0 and reading.top_part(A, V, 0, 0) == 1
    torch.testing.assert_close(reading.parts(A, V, 0, 0).sum(), (A @ V)[0, 0])


def test_a_value_changes_the_output_by_its_weight():
    change = nudged(A, V, key=1, col=0)
    torch.testing.assert_close(change[:, 0], A[:, 1])
    assert change[:, 1].abs().max() == 0


def test_a_mask_keeps_ratios_and_changes_weights():
    scores = A.log()
    free, masked = with_mask(scores, None), with_mask(scores, causal_mask(3))
    torch.testing.assert_close(free, A)
    torch.testing.assert_close(masked[1, 0] / masked[1, 1], free[1, 0] / free[1, 1])
    assert masked[1, 0] > free[1, 0]
    torch.testing.assert_close(masked[2], free[2])


def test_weight_0_in_one_layer_is_no_wall():
    mask = sliding_window_mask(4, left=1, right=0)
    assert not mask[2, 0] and reading.reach(mask, 2)[2, 0] and not reading.reach(mask, 2)[3, 0]
    causal = causal_mask(4)
    assert torch.equal(reading.reach(causal, 5), causal), (
        "with a causal mask in every layer nothing comes back"
    )


def test_weights_do_not_give_the_scores():
    scores = A.log()
    moved = other_scores(scores, 0, 5.0)
    torch.testing.assert_close(moved.softmax(-1), A)
    assert A[0, 2] < A[1, 2] and scores[0, 2] < scores[1, 2] and moved[0, 2] > moved[1, 2]


def test_equal_rows_of_weights_do_not_mean_equal_queries():
    key = torch.tensor([[1.0, 2, 0], [0, 1, 3], [2, 2, 1]], dtype=torch.float64)
    query = torch.tensor([1.0, -1, 0.5], dtype=torch.float64)
    other = other_query(query, key)
    assert (other - query).norm() > 0.5
    torch.testing.assert_close((key @ other).softmax(-1), (key @ query).softmax(-1))
    with pytest.raises(ValueError, match="every direction"):
        other_query(query[:2], key[:, :2])


def test_the_mean_of_two_heads_weights_is_no_attention_of_the_layer():
    weights = torch.stack([A, A.flip(0)])
    value = torch.stack([V, -V])
    w_o = torch.eye(4, dtype=torch.float64)[:, [0, 1]] + torch.eye(4, dtype=torch.float64)[:, [2, 3]]
    output = layer_output(weights, value, w_o)
    torch.testing.assert_close(output, A @ V - A.flip(0) @ V)
    assert (output - 2 * weights.mean(0) @ value.mean(0)).abs().max() > 0.2


def test_without_the_second_head_the_output_is_not_halved():
    weights, value = torch.stack([A, A.flip(0)]), torch.stack([V, -V])
    w_o = torch.arange(8, dtype=torch.float64).reshape(4, 2)
    full = layer_output(weights, value, w_o)
    off = w_o.clone()
    off[2:] = 0
    assert (layer_output(weights, value, off) - full / 2).abs().max() > 1


def test_equal_rows_in_all_heads_give_equal_outputs_of_the_layer():
    weights = torch.stack([A[[0, 0, 1]], A[[2, 2, 0]]])
    output = layer_output(weights, torch.stack([V, -3 * V]), torch.randn(4, 3, dtype=torch.float64))
    torch.testing.assert_close(output[0], output[1])
    one = torch.stack([A[[0, 0, 1]], A])
    output = layer_output(one, torch.stack([V, -3 * V]), torch.eye(4, dtype=torch.float64))
    assert (output[0] - output[1]).abs().max() > 0.1
