"""The range of the colours of a picture, and the decimals of a matrix."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.picture import Matrix, colour_range, nice_bound


def signed(*values, **look):
    return Matrix("m", "M", ["1"], [str(i) for i in range(len(values))], [list(values)], **look)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.lists(st.floats(-9, 9), min_size=1))
def test_the_range_holds_all_numbers_and_is_at_most_half_as_much_again(one, other):
    top = max(map(abs, one + other))
    result = colour_range([signed(*one), signed(*other)])
    if top >= 1e-12:
        assert top <= result * (1 + 1e-9) and result <= 1.5 * top
    else:
        assert result == 1.0


def test_weights_masked_cells_and_what_is_not_finite_do_not_count():
    weights = signed(100.0, kind="weights")
    masked = signed(-1e9, 3.0, math.inf, math.nan, masked=[(0, 0)])
    assert colour_range([weights, masked, signed()]) == 3.0


@pytest.mark.parametrize("bound, expected", [(0.25, 2.0), (7.0, 8.0)])
def test_a_known_bound_counts_in_place_of_the_numbers(bound, expected):
    assert colour_range([signed(1e9, bound=bound), signed(1.9)]) == expected


@pytest.mark.parametrize(
    "top, bound, decimals", [(0.079, None, 3), (0.12, None, 2), (0.12, 0.05, 3), (0.05, 1.0, 2)]
)
def test_small_numbers_have_three_decimals(top, bound, decimals):
    """A larger number that is known in advance counts, so that the digits stay while numbers change."""
    assert signed(top, bound=bound).decimals == decimals
    assert replace(signed(top, bound=bound), kind="weights").decimals == 2


@pytest.mark.parametrize("power", [1e-6, 1.0, 1e9])
def test_the_full_colour_of_a_matrix_has_finer_steps_than_1_2_5(power):
    ends = {round(nice_bound([[step / 100 * power]]) / power, 9) for step in range(101, 1001)}
    assert ends == {1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}
