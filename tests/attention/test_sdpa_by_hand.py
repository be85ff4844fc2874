"""Numbers small enough to be worked out on paper, and the example of the note 我爱猫 in plain fractions."""

import functools
import math
from fractions import Fraction

import pytest
import torch

from attention import scaled_dot_product_attention
from tests.support.tolerance import close as close_to

INF = math.inf


def tensor(rows):
    return torch.tensor(rows, dtype=torch.float64)


close = functools.partial(close_to, tolerance=1e-14)


def test_scores_are_dot_products_of_query_rows_and_key_rows():
    # [1 2]·[3 4] = 11, [1 2]·[5 6] = 17, [1 2]·[7 8] = 23, [0 -1]·… = -4, -6, -8
    key = tensor([[3, 4], [5, 6], [7, 8]])
    trace = scaled_dot_product_attention(tensor([[1, 2], [0, -1]]), key, key)
    close(trace.scores, [[11, 17, 23], [-4, -6, -8]])


def test_scale_is_one_over_the_root_of_head_dim():
    # head_dim 4: 1 / 2. q_len 1, kv_len 2 and value_dim 3 must not enter
    trace = scaled_dot_product_attention(torch.ones(1, 4), torch.ones(2, 4), torch.ones(2, 3))
    assert trace.scale == 0.5
    assert trace.scaled_scores.tolist() == [[2.0, 2.0]]


def test_softmax_of_2_1_0_1():
    # e^2 = 7.389056, e^1 = 2.718282, e^0.1 = 1.105171; sum 11.212509
    key = tensor([[2.0], [1.0], [0.1]])
    trace = scaled_dot_product_attention(tensor([[1]]), key, key)
    torch.testing.assert_close(trace.weights, tensor([[0.6590, 0.2424, 0.0986]]), rtol=0, atol=5e-5)


@pytest.fixture
def quarter():
    """Scores ln 1 and ln 3: weights 1/4 and 3/4."""
    return tensor([[1]]), tensor([[0], [math.log(3)]]), tensor([[4, 8], [0, 12]])


def test_output_is_the_weighted_sum_of_value_rows(quarter):
    # 1/4·[4 8] + 3/4·[0 12] = [1 2] + [0 9]
    trace = scaled_dot_product_attention(*quarter)
    close(trace.weights, [[0.25, 0.75]])
    close(trace.output, [[1, 11]])


def test_logsumexp_is_the_log_of_the_sum(quarter):
    # log(1 + 3)
    close(scaled_dot_product_attention(*quarter).logsumexp, [math.log(4)])


def test_masked_key_gets_nothing(quarter):
    trace = scaled_dot_product_attention(*quarter, mask=torch.tensor([[True, False]]))
    assert trace.masked_scores.tolist() == [[0.0, -INF]]
    assert trace.weights.tolist() == [[1.0, 0.0]]
    assert trace.output.tolist() == [[4.0, 8.0]]


def test_bias_is_added_after_the_scale(quarter):
    # head_dim 1, scale 2: 2·[0, ln 3] + [ln 9, 0] = [ln 9, ln 9]: weights 1/2, 1/2
    trace = scaled_dot_product_attention(*quarter, scale=2.0, bias=tensor([[math.log(9), 0]]))
    close(trace.weights, [[0.5, 0.5]])


def test_softcap_comes_after_the_scale_and_before_the_bias():
    # scale 2, softcap 3: 3·tanh(2·5 / 3) = 3·tanh(10/3), then + 1
    one = tensor([[1]])
    trace = scaled_dot_product_attention(one, tensor([[5]]), one, scale=2, softcap=3, bias=one)
    close(trace.softcapped_scores, [[3 * math.tanh(10 / 3)]])
    close(trace.biased_scores, [[3 * math.tanh(10 / 3) + 1]])


def test_mask_comes_after_the_bias():
    one = tensor([[1]])
    mask = torch.tensor([[False]])
    trace = scaled_dot_product_attention(one, one, one, bias=one, mask=mask, masked_score=-7)
    assert trace.masked_scores.tolist() == [[-7.0]]


def test_a_row_that_may_attend_to_nothing_is_zero(quarter):
    trace = scaled_dot_product_attention(*quarter, mask=torch.tensor([[False, False]]))
    assert trace.weights.tolist() == [[0.0, 0.0]]
    assert trace.output.tolist() == [[0.0, 0.0]]
    assert trace.logsumexp.tolist() == [-INF]


def test_a_row_of_a_finite_masked_score_is_uniform(quarter):
    # -1e9 in both places: 1/2·[4 8] + 1/2·[0 12]
    trace = scaled_dot_product_attention(*quarter, mask=torch.tensor([[False, False]]), masked_score=-1e9)
    assert trace.weights.tolist() == [[0.5, 0.5]]
    assert trace.output.tolist() == [[2.0, 10.0]]


def test_each_key_value_head_serves_neighbouring_query_heads():
    # 4 query heads, 2 value heads 10 and 20: heads 0 0 1 1
    value = tensor([[[10]], [[20]]])
    trace = scaled_dot_product_attention(torch.ones(4, 1, 1).double(), value, value, enable_gqa=True)
    assert trace.output.flatten().tolist() == [10.0, 10.0, 20.0, 20.0]


def test_half_of_the_weights_dropped_doubles_the_rest():
    # two equal keys, weights 1/2: each becomes 0 or 1/2 / (1 - 1/2) = 1
    query, key = torch.zeros(50, 1), torch.zeros(2, 1)
    generator = torch.Generator().manual_seed(3)
    trace = scaled_dot_product_attention(query, key, key, dropout_p=0.5, generator=generator)
    assert set(trace.dropped_weights.flatten().tolist()) == {0.0, 1.0}
    assert set(trace.weights.flatten().tolist()) == {0.5}


# The note's matrices. Some of the numbers it prints are wrong (its Q[0] is 1.14 0.57 1.04 0.31), so the
# expected ones are computed here, exactly as far as fractions go.
X = [["1.0", "0.5", "0.2", "0.1"], ["0.3", "1.2", "0.8", "0.4"], ["0.6", "0.1", "1.5", "0.9"]]
W_Q = [
    ["1.0", "0.0", "0.5", "0.2"],
    ["0.1", "1.0", "0.3", "0.1"],
    ["0.2", "0.1", "1.0", "0.4"],
    ["0.0", "0.2", "0.1", "1.0"],
]
W_K = [
    ["0.8", "0.1", "0.3", "0.2"],
    ["0.2", "0.9", "0.1", "0.3"],
    ["0.1", "0.2", "1.1", "0.1"],
    ["0.3", "0.1", "0.2", "0.8"],
]
W_V = [
    ["1.1", "0.2", "0.1", "0.3"],
    ["0.1", "1.0", "0.2", "0.4"],
    ["0.3", "0.1", "1.2", "0.2"],
    ["0.2", "0.3", "0.1", "1.0"],
]


def fractions(rows):
    return [[Fraction(cell) for cell in row] for row in rows]


def product(a, b):
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a
    ]


def softmax(row):
    exps = [math.exp(score) for score in row]
    return [value / sum(exps) for value in exps]


@pytest.fixture
def note():
    """The example's steps, worked out without the core and without PyTorch."""
    query, key, value = (product(fractions(X), fractions(w)) for w in (W_Q, W_K, W_V))
    scores = product(query, [list(column) for column in zip(*key, strict=True)])
    weights = [softmax([score / 2 for score in row]) for row in scores]  # √4 = 2
    return {
        "query": query,
        "key": key,
        "value": value,
        "scores": scores,
        "scaled_scores": [[score / 2 for score in row] for row in scores],
        "masked_scores": [[score / 2 for score in row] for row in scores],
        "weights": weights,
        "output": product(weights, value),
    }


def test_the_first_query_of_the_note(note):
    # 1.0·[1 0 .5 .2] + .5·[.1 1 .3 .1] + .2·[.2 .1 1 .4] + .1·[0 .2 .1 1] = [1.09 0.54 0.86 0.43]
    assert [float(cell) for cell in note["query"][0]] == [1.09, 0.54, 0.86, 0.43]


def test_every_step_of_the_note(note):
    x, w_q, w_k, w_v = (
        tensor([[float(cell) for cell in row] for row in rows]) for rows in (X, W_Q, W_K, W_V)
    )
    trace = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    assert [name for name, _ in trace.steps()] == list(note)
    for name, value in trace.steps():
        close(value, [[float(cell) for cell in row] for row in note[name]])


def test_everyone_in_the_note_attends_most_to_the_cat(note):
    assert [row.index(max(row)) for row in note["weights"]] == [2, 2, 2]
