"""Masks against drawings and plain loops."""

import pytest
import torch

from attention import causal_mask, padding_mask, sliding_window_mask

SIZES = [(5, 5), (3, 7), (7, 3), (1, 5), (5, 1), (0, 3), (3, 0)]


def draw(mask):
    return ["".join("1" if cell else "0" for cell in row) for row in mask.tolist()]


def loop(q_len, kv_len, may_attend):
    rows = [[may_attend(i, j) for j in range(kv_len)] for i in range(q_len)]
    return torch.tensor(rows, dtype=torch.bool).reshape(q_len, kv_len)


def test_causal_mask_of_a_square():
    assert draw(causal_mask(3)) == ["100", "110", "111"]


def test_causal_mask_of_a_rectangle_starts_upper_left():
    assert draw(causal_mask(2, 4)) == ["1000", "1100"]


def test_causal_mask_can_end_lower_right():
    assert draw(causal_mask(2, 4, alignment="lower_right")) == ["1110", "1111"]


def test_lower_right_with_more_queries_than_keys_leaves_rows_empty():
    assert draw(causal_mask(4, 2, alignment="lower_right")) == ["00", "00", "10", "11"]


def test_sliding_window_of_one_to_the_left():
    assert draw(sliding_window_mask(5, left=1, right=0)) == ["10000", "11000", "01100", "00110", "00011"]


def test_sliding_window_to_both_sides_of_a_rectangle():
    assert draw(sliding_window_mask(3, 5, left=1, right=2)) == ["11100", "11110", "01111"]


def test_padding_mask_has_a_row_for_each_batch_entry():
    assert draw(padding_mask([2, 4, 0], 4)) == ["1100", "1111", "0000"]


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
    "mask", [causal_mask(2, 3), sliding_window_mask(2, 3, left=1, right=1), padding_mask([1, 2], 3)]
)
def test_masks_are_boolean(mask):
    assert mask.dtype == torch.bool
    assert mask.shape == (2, 3)
