"""The code examples of the notes: the shapes they print, and what no printed number shows."""

import pytest

from attention.lab.worked_examples import code as worked_code


def test_one_size_of_the_loop_over_heads_is_wrong():
    lines = worked_code.split()
    assert [one.off_count for one in lines.shapes] == [0, 0, 0, 1]
    assert lines.shapes[-1].comes == (1, 2, 4, 8)


def test_the_loop_computes_the_same_twice_and_not_what_was_meant():
    lines = worked_code.split()
    assert lines.rounds == 0 and lines.output > 0.1


def test_the_weights_that_come_back_from_dropout_do_not_sum_to_one():
    result = worked_code.dropout()
    assert all(one.off_count == 0 for one in result.shapes)
    least, most = result.returned_sums
    assert least < 0.99 and most > 1.01


@pytest.mark.parametrize("heads", [1, 2, 3])
@pytest.mark.parametrize("batch", [1, 2, 3, 4])
def test_a_mask_without_a_dimension_for_the_heads(batch, heads):
    """Right for one sentence, silently wrong where the numbers agree, too many rows with one head."""
    alone = "larger" if heads == 1 else "error"
    expected = "right" if batch == 1 else "wrong" if batch == heads else alone
    assert worked_code.mask_outcome(batch, heads).kind == expected


def test_with_one_head_the_output_has_too_many_rows():
    assert worked_code.mask_outcome(2, 1) == ("larger", (2, 6, 6), (2, 3, 6))
    assert worked_code.mask_outcome(3, 1) == ("larger", (3, 9, 6), (3, 3, 6))


def test_the_other_shapes_are_right():
    assert all(one.printed == one.comes for one in worked_code.shapes())
