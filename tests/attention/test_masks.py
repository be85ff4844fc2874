"""Masks against drawings and plain loops."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    AttentionError,
    block_diagonal_mask,
    causal_mask,
    padding_mask,
    prefix_mask,
    scaled_dot_product_attention,
    sliding_window_mask,
)

SIZES = [(5, 5), (3, 7), (7, 3), (1, 5), (5, 1), (0, 3), (3, 0)]
sizes = st.integers(0, 7)
few = settings(max_examples=50, deadline=None, derandomize=True)


def loop(q_len, kv_len, may_attend):
    rows = [[may_attend(i, j) for j in range(kv_len)] for i in range(q_len)]
    return torch.tensor(rows, dtype=torch.bool).reshape(q_len, kv_len)


@pytest.mark.parametrize(
    ("mask", "drawing"),
    [
        (causal_mask(3), "100 110 111"),
        (causal_mask(2, 4), "1000 1100"),
        (causal_mask(2, 4, alignment="lower_right"), "1110 1111"),
        (causal_mask(4, 2, alignment="lower_right"), "00 00 10 11"),
        (sliding_window_mask(5, left=1, right=0), "10000 11000 01100 00110 00011"),
        (sliding_window_mask(3, 5, left=1, right=2), "11100 11110 01111"),
        (sliding_window_mask(2, 4, left=1, right=0, alignment="lower_right"), "0110 0011"),
        (prefix_mask(5, prefix=3), "11100 11100 11100 11110 11111"),
        (prefix_mask(2, 4, prefix=1), "1000 1100"),
        (prefix_mask(4, 2, prefix=2), "11 11 11 11"),
        (block_diagonal_mask([2, 3]), "11000 11000 00111 00111 00111"),
        (block_diagonal_mask([2, 1], [1, 3]), "1000 1000 0111"),
        (block_diagonal_mask([0, 2, 1], [2, 1, 0]), "001 001 000"),
        (block_diagonal_mask([2, 2]) & causal_mask(4), "1000 1100 0010 0011"),
        (padding_mask([2, 4, 0], 4), "1100 1111 0000"),
    ],
)
def test_each_mask_by_its_drawing(mask, drawing):
    assert " ".join("".join("1" if cell else "0" for cell in row) for row in mask.tolist()) == drawing


@pytest.mark.parametrize(("q_len", "kv_len"), SIZES)
def test_causal_mask_is_the_loop(q_len, kv_len):
    shift = kv_len - q_len
    assert causal_mask(q_len, kv_len).equal(loop(q_len, kv_len, lambda i, j: j <= i))
    lower_right = causal_mask(q_len, kv_len, alignment="lower_right")
    assert lower_right.equal(loop(q_len, kv_len, lambda i, j: j <= i + shift))


@pytest.mark.parametrize(("q_len", "kv_len"), SIZES)
@pytest.mark.parametrize("left", [0, 2, 100])
@pytest.mark.parametrize("right", [0, 1, 100])
def test_sliding_window_is_the_loop(q_len, kv_len, left, right):
    expected = loop(q_len, kv_len, lambda i, j: i - left <= j <= i + right)
    assert sliding_window_mask(q_len, kv_len, left=left, right=right).equal(expected)


@pytest.mark.parametrize(("q_len", "kv_len"), SIZES)
def test_a_window_that_ends_lower_right_is_the_loop(q_len, kv_len):
    shift = kv_len - q_len
    expected = loop(q_len, kv_len, lambda i, j: i + shift - 2 <= j <= i + shift + 1)
    mask = sliding_window_mask(q_len, kv_len, left=2, right=1, alignment="lower_right")
    assert mask.equal(expected)


@given(sizes, sizes, st.data())
@few
def test_prefix_mask_is_the_loop(q_len, kv_len, data):
    prefix = data.draw(st.integers(0, kv_len))
    expected = loop(q_len, kv_len, lambda i, j: j <= i or j < prefix)
    assert prefix_mask(q_len, kv_len, prefix=prefix).equal(expected)


@given(st.lists(st.tuples(sizes, sizes), max_size=5), st.integers(0, 2**31))
@few
def test_packed_sequences_attend_as_one_run_each(blocks, seed):
    q_lengths, kv_lengths = [q for q, _ in blocks], [kv for _, kv in blocks]
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(sum(q_lengths), 3, generator=generator, dtype=torch.float64)
    key = torch.randn(sum(kv_lengths), 3, generator=generator, dtype=torch.float64)
    value = torch.randn(sum(kv_lengths), 2, generator=generator, dtype=torch.float64)
    mask = block_diagonal_mask(q_lengths, kv_lengths)
    packed = scaled_dot_product_attention(query, key, value, mask=mask).output
    parts = zip(query.split(q_lengths), key.split(kv_lengths), value.split(kv_lengths), strict=True)
    alone = [scaled_dot_product_attention(q, k, v).output for q, k, v in parts]
    torch.testing.assert_close(packed, torch.cat(alone) if alone else query.new_zeros(0, 2))


def test_lengths_of_blocks_may_be_tensors():
    mask = block_diagonal_mask(torch.tensor([2, 1]), torch.tensor([1, 3], dtype=torch.int8))
    assert mask.equal(block_diagonal_mask([2, 1], [1, 3]))


def test_a_window_without_limit_to_the_left_is_causal():
    assert sliding_window_mask(5, 7, left=None, right=0).equal(causal_mask(5, 7))


def test_a_window_without_limit_to_the_right_is_the_reverse():
    assert sliding_window_mask(5, left=0, right=None).equal(causal_mask(5).T)


def test_a_window_without_limits_masks_nothing():
    assert sliding_window_mask(3, 5, left=None, right=None).all()


@pytest.mark.parametrize(
    "lengths", [(2, 4, 0), torch.tensor([2, 4, 0]), torch.tensor([2, 4, 0], dtype=torch.int8)]
)
def test_lengths_may_be_any_sequence_of_integers(lengths):
    assert padding_mask(lengths, 4).equal(padding_mask([2, 4, 0], 4))


def test_no_batch_entries():
    assert padding_mask([], 4).shape == (0, 4)


@pytest.mark.parametrize(
    "mask",
    [
        causal_mask(2, 3),
        prefix_mask(2, 3, prefix=1),
        sliding_window_mask(2, 3, left=1, right=1),
        padding_mask([1, 2], 3),
        block_diagonal_mask([1, 1], [2, 1]),
    ],
)
def test_masks_are_boolean(mask):
    assert mask.dtype == torch.bool
    assert mask.shape == (2, 3)


@pytest.mark.parametrize(
    ("code", "argument", "call"),
    [
        ("out_of_range", "prefix", lambda: prefix_mask(3, prefix=4)),
        ("out_of_range", "prefix", lambda: prefix_mask(3, prefix=-1)),
        ("out_of_range", "kv_len", lambda: prefix_mask(3, -1, prefix=0)),
        ("not_an_integer", "prefix", lambda: prefix_mask(3, prefix=1.5)),
        ("not_an_integer", "q_len", lambda: prefix_mask("3", prefix=1)),
        ("unknown_choice", "alignment", lambda: sliding_window_mask(3, left=1, right=0, alignment="left")),
        ("out_of_range", "lengths[1]", lambda: block_diagonal_mask([2, -1])),
        ("out_of_range", "kv_lengths[0]", lambda: block_diagonal_mask([2], [-1])),
        ("not_an_integer", "lengths[0]", lambda: block_diagonal_mask([2.0])),
        ("not_a_sequence", "lengths", lambda: block_diagonal_mask(5)),
        ("not_a_sequence", "kv_lengths", lambda: block_diagonal_mask([5], 5)),
        ("wrong_dimensions", "lengths", lambda: block_diagonal_mask(torch.ones(2, 2, dtype=torch.int64))),
        ("wrong_dimensions", "kv_lengths", lambda: block_diagonal_mask([5], torch.tensor(5))),
        ("size_differs", "kv_lengths", lambda: block_diagonal_mask([2, 3], [5])),
    ],
)
def test_a_wrong_length_is_refused(code, argument, call):
    with pytest.raises(AttentionError) as caught:
        call()
    assert (caught.value.code, caught.value.argument) == (code, argument)
