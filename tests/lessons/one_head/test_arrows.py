"""Arrows: an edit of Q, K or V by way of its weight matrix, the hull, and what is said of a weight."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pages.lessons.one_head.arrows import hull
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.entries import SettingsError
from tests.support.screen import opened, said
from tests.support.tolerance import close

TIRED = edits.example_start("tired")
LETTERS = {"query": "w_q", "key": "w_k", "value": "w_v"}


@pytest.mark.parametrize("name", LETTERS)
@pytest.mark.parametrize("row", range(4))
def test_a_number_of_a_projection_is_set_by_the_smallest_change_of_its_matrix(name, row):
    after = edits.set_cell(TIRED, name, row, 1, 2.5)
    assert getattr(trace_of(after), name)[row, 1].item() == pytest.approx(2.5, abs=1e-8)
    before, now = (torch.tensor(getattr(one, LETTERS[name]), dtype=torch.float64) for one in (TIRED, after))
    change, x = (now - before)[:, 1], torch.tensor(TIRED.x[row], dtype=torch.float64)
    assert torch.equal(now[:, 0], before[:, 0])
    # Of all changes that lead there, the one along x has the smallest norm (Cauchy–Schwarz).
    assert abs((change @ x).item()) == pytest.approx(change.norm().item() * x.norm().item(), rel=1e-6)
    others = {one for one in LETTERS.values() if one != LETTERS[name]}
    assert all(getattr(after, one) == getattr(TIRED, one) for one in others)


def test_by_hand_and_with_a_bias():
    """x = (2, 0, 0, 0.5), and the first number of its query is 1.5: to 6.75, e/|x|² = 5.25/4.25."""
    after = edits.set_cell(TIRED, "query", 0, 0, 6.75)
    step = 5.25 / 4.25
    expected = [0.5 + 2 * step, 0.0, 1.0, 1.0 + 0.5 * step]
    assert [line[0] for line in after.w_q] == pytest.approx(expected)
    biased = edits.set_block(edits.set_biases(TIRED, True), "b_q", 0, 0, [[0.5, 0.0]])
    assert trace_of(edits.set_cell(biased, "query", 0, 0, 6.75)).query[0, 0].item() == pytest.approx(6.75)


def test_a_row_of_zeros_cannot_be_moved():
    zeros = edits.set_block(TIRED, "x", 1, 0, [[0.0] * 4])
    with pytest.raises(SettingsError, match="row_of_zeros"):
        edits.set_cell(zeros, "key", 1, 0, 1.0)


@pytest.mark.parametrize(("row", "col"), [(4, 0), (-1, 0), (0, 2), (0, -1)])
def test_a_place_that_is_not_there_is_refused(row, col):
    with pytest.raises(SettingsError):
        edits.set_cell(TIRED, "query", row, col, 1.0)


@given(st.integers(0, 3), st.floats(-180, 180))
def test_a_query_that_turns_keeps_its_norm(row, degrees):
    before = trace_of(TIRED).query[row]
    after = trace_of(edits.set_direction(TIRED, "query", row, 0, degrees)).query[row]
    angle = math.radians(degrees)
    direction = torch.tensor((math.cos(angle), math.sin(angle)), dtype=torch.float64)
    close(after, before.norm() * direction, absolute=1e-7)


points = st.lists(st.tuples(*[st.integers(-5, 5).map(float)] * 2), min_size=1, max_size=12)


@given(points)
def test_every_point_lies_in_the_hull(list_of_points):
    corners = hull(list_of_points)
    assert {tuple(corner) for corner in corners} <= set(list_of_points)
    if len(corners) < 3:
        return
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        assert all((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0 for x, y in list_of_points)


def test_a_square_has_four_corners():
    inner = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 1.0), (1.0, 0.0)]
    assert hull(inner) == [[0, 0], [2, 0], [2, 2], [0, 2]]


def test_it_says_when_a_key_with_a_larger_norm_wins():
    """The query (3, 1): the key (1, 0.3) is nearer in direction, the key (4, −1) has the larger score."""
    now = edits.set_block(TIRED, "x", 0, 0, [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
    now = edits.set_block(now, "w_q", 0, 0, [[0, 0], [0, 0], [3.0, 1.0], [0, 0]])
    now = edits.set_block(now, "w_k", 0, 0, [[1.0, 0.3], [4.0, -1.0], [0, 0], [0, 0]])
    text = said(opened("one_head", "arrows", now))
    angle = math.degrees(math.acos((3 + 0.3) / math.hypot(3, 1) / math.hypot(1, 0.3)))
    assert f"of “animal” and the query of “it” is smaller ({angle:.0f}°). Yet “street” gets" in text
    assert "Yet “" not in said(opened("one_head", "arrows", TIRED))
