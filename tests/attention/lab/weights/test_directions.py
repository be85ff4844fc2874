"""Queries and keys as arrows: principal directions, and a query that is turned."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.weights.directions import principal_directions, turned_weights
from tests.attention.numbers import head


def test_in_two_dimensions_they_are_the_axes():
    directions, share = principal_directions(torch.tensor([[3.0, 4.0]]), torch.tensor([[1.0, -2.0]]))
    assert directions.tolist() == [[1, 0], [0, 1]] and share == 1


def test_one_dimension_lies_on_the_first_axis():
    directions, share = principal_directions(torch.tensor([[3.0], [-1.0]]))
    assert directions.tolist() == [[1], [0]] and share == 1


def test_the_share_by_hand():
    """Along the axes 4, 3 and 2: the first two hold (16 + 9) / (16 + 9 + 4)."""
    directions, share = principal_directions(torch.diag(torch.tensor([-3.0, 2.0, 4.0])))
    assert directions.abs().tolist() == [[0, 0, 1], [1, 0, 0]] and (directions >= 0).all()
    assert share == pytest.approx(25 / 29)


def test_vectors_of_zeros_have_a_plane_too():
    directions, share = principal_directions(torch.zeros(2, 5))
    assert directions.shape == (2, 5) and share == 1


@given(st.integers(0, 2**31), st.integers(3, 7), st.integers(1, 5))
def test_no_other_plane_holds_more(seed, size, count):
    make = torch.Generator().manual_seed(seed)
    rows = torch.randn(count, size, dtype=torch.float64, generator=make)
    directions, share = principal_directions(rows)
    torch.testing.assert_close(directions @ directions.mT, torch.eye(2, dtype=torch.float64))
    held = (rows @ directions.mT).square().sum() / rows.square().sum()
    assert held.item() == pytest.approx(share)
    other = torch.linalg.qr(torch.randn(size, 2, dtype=torch.float64, generator=make)).Q
    assert (rows @ other).square().sum() <= (rows @ directions.mT).square().sum() + 1e-9


def test_a_quarter_turn_by_hand():
    """(1, 0) turned by 90° is (0, 1): its scores with the keys (2, 0) and (0, 3) are 0 and 3."""
    query, key = torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0], [0.0, 3.0]])
    trace = scaled_dot_product_attention(query, key, key, scale=1.0)
    weights = turned_weights(trace, 0, [0, 90])
    torch.testing.assert_close(weights[0], torch.tensor([2.0, 0.0]).softmax(0))
    torch.testing.assert_close(weights[1], torch.tensor([0.0, 3.0]).softmax(0), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("row", range(3))
def test_a_full_turn_leads_back_and_the_mask_stays(row):
    trace = head(d=2, mask=causal_mask(3))
    weights = turned_weights(trace, row, [0, 360, 123])
    torch.testing.assert_close(weights[:2], trace.weights[row].expand(2, -1))
    assert (weights[:, row + 1 :] == 0).all()


def test_what_is_against_a_turned_query_equals_the_query_itself():
    trace = head(d=2)
    x, y = trace.query[1].tolist()
    length, angle = math.hypot(x, y), math.atan2(y, x)
    other = trace.query.clone()
    other[1] = torch.tensor([length * math.cos(angle + 1), length * math.sin(angle + 1)])
    expected = scaled_dot_product_attention(other, trace.key, trace.value).weights[1]
    torch.testing.assert_close(turned_weights(trace, 1, [math.degrees(1)])[0], expected)


def test_more_dimensions_have_no_one_angle():
    with pytest.raises(ValueError, match="2 numbers, got 3"):
        turned_weights(head(d=3), 0, [1.0])
