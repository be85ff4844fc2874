"""A matrix in the link: what is written is read back exactly, short, and no text does harm."""

import tracemalloc
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.model.entries import MAX_VALUE, parse_number
from pages.model.fields import write_number
from pages.model.matrix_text import READABLE, read_matrix, write_matrix

WHOLE = st.integers(-9, 9).map(float)
SHORT = st.builds(lambda whole, places: whole / 10**places, st.integers(-999, 999), st.integers(0, 3))
ANY = (st.floats(-MAX_VALUE, MAX_VALUE) | st.floats(-1e-9, 1e-9)).map(parse_number)
ZEROS = ((0.0,) * 3,) * 2


@st.composite
def matrices(draw):
    """A matrix and the example's numbers in its place, of which it may have kept many."""
    rows, cols = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    numbers = draw(st.sampled_from([WHOLE, SHORT, SHORT | ANY, ANY]))
    drawn = st.lists(numbers, min_size=rows * cols, max_size=rows * cols)
    start, after = draw(drawn), draw(drawn)
    changed = draw(st.sets(st.integers(0, rows * cols - 1), min_size=1))
    if draw(st.booleans()):
        after = [new if i in changed else old for i, (new, old) in enumerate(zip(after, start, strict=True))]
    return shaped(after, cols), shaped(start, cols)


def shaped(numbers, cols):
    return tuple(tuple(map(parse_number, numbers[i : i + cols])) for i in range(0, len(numbers), cols))


@limits(max_examples=150, deadline=None)
@given(matrices())
def test_what_is_written_is_read_back_exactly(both):
    matrix, start = both
    if matrix == start:
        return
    text = write_matrix(matrix, start)
    assert read_matrix(text, start) == matrix
    assert quote_plus(text) == text
    assert text[-1].isdigit()  # a chat that makes a link of it leaves a mark at its end out
    assert len(text) <= len("__".join("_".join(map(write_number, row)) for row in matrix))


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("1-3_5", ((0, 0, 5), (0, 0, 0))),
        ("1-3_5_2-1_-0.5", ((0, 0, 5), (-0.5, 0, 0))),
        ("1_2_3__4_5_6", ((1, 2, 3), (4, 5, 6))),
        ("pCmA.1.-1.2", ((0.1, 0.1, 0), (0.1, -0.1, -0.1))),
        ("p.0.7.7", ((7, 7, 7), (7, 7, 7))),
    ],
)
def test_each_form_has_its_meaning(text, matrix):
    assert read_matrix(text, ZEROS) == matrix


def test_short_matrices_can_be_read_and_long_ones_are_packed():
    assert write_matrix(((1.5, -2.0, 3.0), (4.0, 0.5, 6.0)), ZEROS) == "1.5_-2_3__4_0.5_6"
    wide = tuple(tuple(float((7 * i + 3 * j) % 10) for j in range(1, 11)) for i in range(10))
    zeros = ((0.0,) * 10,) * 10
    text = write_matrix(wide, zeros)
    assert text.startswith("p") and len(text) < READABLE
    assert read_matrix(text, zeros) == wide


@pytest.mark.parametrize(
    "text",
    ["", "p", "p.", "1-1", "1-1_", "1-1_2_", "0-1_2", "3-1_2", "1-4_2", "1-1_2_3", "1-1_2_x_3", "1_2_3_4_5_6",
     "1_2_3___4_5_6", "1_2_3__4_5", "p.0.7.8", "pCmA.1.2.-1", "pCmA.1.-1.1000", "p____.1.-1.2", "p___.0.-1.2",
     "pCmA.1.-1.2.3", "pK Q.1.-1.2", "pCmA.1.-1.²", "p.0.9999999.9999999", "p.0.1e9.1e9"],
)  # fmt: skip
def test_a_text_with_a_fault_is_refused(text):
    with pytest.raises(ValueError):
        read_matrix(text, ZEROS)


@limits(max_examples=150, deadline=None)
@given(st.text("p0123456789-_.,;eAz", max_size=40))
def test_any_text_gives_a_matrix_of_that_shape_or_is_refused(text):
    try:
        matrix = read_matrix(text, ZEROS)
    except ValueError:
        return
    assert [len(row) for row in matrix] == [3, 3]
    assert all(isinstance(value, float) and abs(value) <= MAX_VALUE for row in matrix for value in row)


@pytest.mark.parametrize("low", ["0", "-" + "9" * 22])
@pytest.mark.parametrize("length", [1, 24_947, 25_288, 41_000])
def test_the_largest_packed_text_takes_no_more_memory_than_a_matrix(length, low):
    """As long as a part of a link may be, for the widest matrix."""
    start = ((0.0,) * 128,) * 16
    tracemalloc.start()
    with pytest.raises(ValueError):
        read_matrix(f"p{'_' * length}.15.{low}.{'9' * 22}", start)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
