"""Each mistake is wrong in the way its docstring says, and only in that way."""

import functools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    AttentionError,
    causal_mask,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
)
from attention.lab.mistakes import forms
from tests.attention.numbers import normal

close = functools.partial(torch.testing.assert_close, check_dtype=False)
counts = st.integers(1, 5)
seeds = st.integers(0, 2**31)
few = settings(max_examples=40, deadline=None, derandomize=True)


def weights_of(num_heads, *, embed_dim=7, head_dim=3, value_dim=2, out_dim=5, seed=1):
    """All weights and offsets of a multi-head attention."""
    keys, values = num_heads * head_dim, num_heads * value_dim
    shapes = {"w_q": (embed_dim, keys), "w_k": (embed_dim, keys), "w_v": (embed_dim, values)}
    shapes |= {"b_q": (keys,), "b_k": (keys,), "b_v": (values,)}
    shapes |= {"w_o": (values, out_dim), "b_o": (out_dim,)}
    return {name: normal(*shape, seed=seed + k) for k, (name, shape) in enumerate(shapes.items(), start=1)}


# the split into heads

PROJECTED = torch.tensor([[0, 1, 2, 3], [10, 11, 12, 13]])  # token i, column c: 10 i + c


def test_split_gives_each_head_its_columns():
    assert forms.split(PROJECTED, 2).tolist() == [[[0, 1], [10, 11]], [[2, 3], [12, 13]]]


def test_a_view_alone_gives_each_head_a_token():
    assert forms.view_split(PROJECTED, 2).tolist() == [[[0, 1], [2, 3]], [[10, 11], [12, 13]]]


@given(counts, counts, counts)
@few
def test_the_view_is_right_with_one_head_or_one_token_only(n, num_heads, dim):
    projected = torch.arange(n * num_heads * dim).reshape(n, num_heads * dim)
    same = forms.view_split(projected, num_heads).equal(forms.split(projected, num_heads))
    assert same == (n == 1 or num_heads == 1)


@given(counts, counts, counts)
@few
def test_origins_of_the_right_split(n, num_heads, dim):
    cells = forms.origins(n, num_heads, dim, transpose=True)
    expected = [[[[i, h * dim + c] for c in range(dim)] for i in range(n)] for h in range(num_heads)]
    assert cells.dtype == torch.int64
    assert cells.tolist() == expected


@given(counts, counts, counts)
@few
def test_origins_of_the_wrong_split_are_in_reading_order(n, num_heads, dim):
    cells = forms.origins(n, num_heads, dim, transpose=False)
    assert cells.shape == (num_heads, n, dim, 2)
    columns = num_heads * dim
    assert cells.reshape(-1, 2).tolist() == [[i, c] for i in range(n) for c in range(columns)]


@pytest.mark.parametrize("transpose", [True, False])
def test_origins_say_where_a_number_came_from(transpose):
    projected = normal(5, 6)
    cut = forms.split if transpose else forms.view_split
    token, column = forms.origins(5, 3, 2, transpose=transpose).unbind(-1)
    assert projected[token, column].equal(cut(projected, 3))


# the whole multi-head attention


@given(counts, seeds, st.sampled_from([None, 0.3]))
@few
def test_the_wrong_split_is_right_with_one_head(n, seed, scale):
    x, weights = normal(n, 7, seed=seed), weights_of(1, seed=seed)
    options = {"num_heads": 1, "mask": causal_mask(n), "scale": scale}
    wrong_heads, wrong_output = forms.multi_head_with_view_split(x, **weights, **options)
    wrong_weights = wrong_heads.weights
    right = multi_head_attention(x, **weights, **options)
    close(wrong_weights, right.heads.weights)
    close(wrong_output, right.output)


@given(st.integers(2, 5), st.integers(2, 5), seeds)
@few
def test_the_wrong_split_has_the_right_shapes_and_other_numbers(n, num_heads, seed):
    x, weights = normal(n, 7, seed=seed), weights_of(num_heads, seed=seed)
    options = {"num_heads": num_heads, "scale": 0.05}  # so small that no softmax saturates
    wrong_heads, wrong_output = forms.multi_head_with_view_split(x, **weights, **options)
    wrong_weights = wrong_heads.weights
    right = multi_head_attention(x, **weights, **options)
    assert wrong_weights.shape == right.heads.weights.shape
    assert wrong_output.shape == right.output.shape
    assert not torch.allclose(wrong_weights, right.heads.weights)
    assert not torch.allclose(wrong_output, right.output)


def test_the_wrong_split_by_hand():
    """Two tokens, two heads of size 1: head 0 sees token 0 alone, as if its two columns were two tokens."""
    x, one = torch.tensor([[1.0, 3.0], [5.0, 9.0]]).double(), torch.eye(2).double()
    options = {"w_q": 0 * one, "w_k": one, "w_v": one, "num_heads": 2}
    heads, output = forms.multi_head_with_view_split(x, **options)
    weights = heads.weights
    close(weights, torch.full((2, 2, 2), 0.5).double())
    # uniform weights are the mean, over the columns of a token where it should be over the tokens
    close(output, torch.tensor([[2.0, 2.0], [7.0, 7.0]]).double())
    close(multi_head_attention(x, **options).output, torch.tensor([[3.0, 6.0], [3.0, 6.0]]).double())


def test_the_wrong_split_lets_a_causal_mask_leak():
    """The last token changes rows of weights before its own, which the causal mask should keep from it."""
    x, weights = normal(4, 7), weights_of(2)
    changed = torch.cat((x[:3], x[3:] + 1))
    options = {"num_heads": 2, "mask": causal_mask(4)}
    before = forms.multi_head_with_view_split(x, **weights, **options)[0].weights
    after = forms.multi_head_with_view_split(changed, **weights, **options)[0].weights
    right_before = multi_head_attention(x, **weights, **options).heads.weights
    right_after = multi_head_attention(changed, **weights, **options).heads.weights
    close(right_after[:, :3], right_before[:, :3])
    assert not torch.allclose(after[:, :3], before[:, :3])


# a lecture note's code


def note(n=4, d_model=8, num_heads=2, batched=True):
    x = normal(1, n, d_model) if batched else normal(1, n, d_model)[0]
    weights = [normal(d_model, d_model, seed=seed) for seed in range(1, 5)]
    return x, weights, forms.note_multi_head(x, *weights, num_heads)


def test_the_notes_shapes():
    _, _, trace = note()
    assert trace.query.shape == (2, 1, 4, 4)
    assert [head.shape for head in trace.heads] == [(2, 1, 4, 4)] * 2
    assert trace.concatenated.shape == (2, 1, 4, 8)
    assert trace.output.shape == (1, 2, 4, 8)  # meant: (1, 4, 8)


def test_the_notes_heads_are_all_the_same():
    _, _, trace = note(n=5, d_model=9, num_heads=3)
    assert len(trace.heads) == 3
    assert all(head.equal(trace.heads[0]) for head in trace.heads)
    assert trace.concatenated.equal(trace.heads[0].repeat(1, 1, 1, 3))


def test_the_notes_tokens_are_mixed():
    x, (w_q, *_), trace = note()
    projected = (x @ w_q)[0]
    assert trace.query[0, 0].equal(projected[:2].reshape(4, 4))  # all of head 0: the first two tokens
    assert not torch.allclose(trace.query[:, 0], forms.split(projected, 2))


def test_the_note_with_and_without_a_batch():
    for batched, single in zip(note()[2][-2:], note(batched=False)[2][-2:], strict=True):
        assert batched.equal(single)


def test_the_note_by_hand():
    """As the wrong split above: each head has the mean over one token's columns, twice."""
    x, one = torch.tensor([[1.0, 3.0], [5.0, 9.0]]).double(), torch.eye(2).double()
    trace = forms.note_multi_head(x, 0 * one, one, one, one, 2)
    close(trace.output, torch.tensor([[[[2.0, 2.0], [2.0, 2.0]], [[7.0, 7.0], [7.0, 7.0]]]]).double())


# masks

SCORES = torch.log(torch.tensor([[1.0, 2.0, 5.0], [4.0, 1.0, 3.0]])).double()
MASK = torch.tensor([[True, True, False], [False, True, True]])


def test_after_softmax_by_hand():
    weights = forms.after_softmax(SCORES, MASK)
    close(weights, torch.tensor([[1 / 8, 2 / 8, 0], [0, 1 / 8, 3 / 8]]).double())


def test_times_zero_by_hand():
    weights = forms.times_zero(SCORES, MASK)
    close(weights, torch.tensor([[1 / 4, 2 / 4, 1 / 4], [1 / 5, 1 / 5, 3 / 5]]).double())


def scores_and_mask(seed):
    """Scores (5, 7) and a mask that leaves each row something and takes something from it."""
    scores = normal(5, 7, seed=seed)
    mask = normal(5, 7, seed=seed + 1) > 0
    mask[:, 0], mask[:, 1] = True, False
    return scores, mask


@given(seeds)
@few
def test_after_softmax_leaves_less_than_1(seed):
    scores, mask = scores_and_mask(seed)
    weights = forms.after_softmax(scores, mask)
    assert (weights[~mask] == 0).all()
    assert (weights.sum(-1) < 1).all()


@given(seeds)
@few
def test_times_zero_hides_nothing(seed):
    scores, mask = scores_and_mask(seed)
    weights = forms.times_zero(scores, mask)
    close(weights.sum(-1), torch.ones(5).double())
    assert (weights[~mask] > 0).all()


def test_plain_softmax_is_nan_where_everything_is_masked():
    weights = forms.plain_softmax(SCORES.masked_fill(torch.tensor([[True], [False]]), -math.inf))
    assert weights[0].isnan().all()
    close(weights[1], torch.tensor([4 / 8, 1 / 8, 3 / 8]).double())


def test_query_rows_is_the_transpose_of_the_right_mask():
    wrong = forms.query_rows(2, 3)
    assert wrong.tolist() == [[True, True, True], [True, True, True], [False, False, False]]
    assert wrong.equal(padding_mask([2], 3).expand(3, 3).T)


def test_mask_on_heads_lays_the_batch_on_the_heads():
    query, key, value = normal(2, 2, 3, 4), normal(2, 2, 3, 4, seed=1), normal(2, 2, 3, 4, seed=2)
    mask = torch.stack((causal_mask(3), padding_mask([2], 3).expand(3, 3)))
    wrong = forms.mask_on_heads(query, key, value, mask)
    for entry in range(2):
        for head in range(2):
            assert ((wrong[entry, head] > 0) == mask[head]).all()
    right = scaled_dot_product_attention(query, key, value, mask=mask[:, None]).weights
    assert ((right > 0) == mask[:, None]).all()


@pytest.mark.parametrize("heads", [3, 4])
def test_mask_on_heads_fails_where_heads_and_batch_differ(heads):
    tensors = [normal(2, heads, 3, 4, seed=seed) for seed in range(3)]
    with pytest.raises(AttentionError) as caught:
        forms.mask_on_heads(*tensors, torch.ones(2, 3, 3, dtype=torch.bool))
    assert caught.value.code == "not_broadcastable"


# ---- AᵀV


def test_transposed_weights_by_hand():
    weights = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    value = torch.tensor([[2.0], [4.0]])
    assert (weights @ value).tolist() == [[2.0], [3.0]]
    assert forms.transposed_weights(weights, value).tolist() == [[4.0], [2.0]]


def test_transposed_weights_have_the_right_shape_and_columns_that_do_not_sum_to_one():
    trace = scaled_dot_product_attention(normal(4, 3), normal(4, 3, seed=1), normal(4, 2, seed=2))
    wrong = forms.transposed_weights(trace.weights, trace.value)
    assert wrong.shape == trace.output.shape
    assert not torch.allclose(wrong, trace.output)
    assert not torch.allclose(trace.weights.sum(0), torch.ones(4, dtype=torch.float64))


def test_of_a_rectangle_transposed_weights_are_refused():
    with pytest.raises(RuntimeError):
        forms.transposed_weights(torch.ones(2, 3), torch.ones(3, 1))


# ---- one projection


@pytest.mark.parametrize("seed", range(5))
def test_with_one_projection_the_scores_are_symmetric_and_bounded_by_their_diagonal(seed):
    x, w = normal(5, 4, seed=seed), normal(4, 3, seed=seed + 10)
    scores = forms.one_projection(x, w).scores
    close(scores, scores.T)
    diagonal = scores.diagonal()
    assert (diagonal >= 0).all()
    assert (scores.abs() <= (diagonal[:, None] * diagonal).sqrt() + 1e-12).all()


def test_the_weights_of_symmetric_scores_need_not_be_symmetric():
    weights = forms.one_projection(normal(5, 4), normal(4, 3, seed=1)).weights
    assert not torch.allclose(weights, weights.T)


# ---- columns for rows


def test_columns_are_the_transpose_of_rows():
    query, key, value = normal(4, 3), normal(5, 3, seed=1), normal(5, 2, seed=2)
    rows = scaled_dot_product_attention(query, key, value)
    columns = forms.in_columns(query.T, key.T, value.T)
    close(columns.scores.T, rows.scaled_scores)
    close(columns.weights.T, rows.weights)
    close(columns.output.T, rows.output)
    close(columns.weights.sum(0), torch.ones(4))


def test_a_softmax_over_the_last_dimension_is_wrong_there():
    query, key, value = normal(4, 3), normal(5, 3, seed=1), normal(5, 2, seed=2)
    right = forms.in_columns(query.T, key.T, value.T)
    wrong = forms.in_columns(query.T, key.T, value.T, softmax_over="queries")
    assert wrong.output.shape == right.output.shape
    assert not torch.allclose(wrong.output, right.output)
    close(wrong.weights.sum(1), torch.ones(5))
