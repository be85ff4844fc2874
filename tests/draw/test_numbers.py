"""Numbers as text, where a rounding would say something else than the number."""

import pytest

from pages.draw.numbers import apart, share


@pytest.mark.parametrize(
    ("value", "other", "text"),
    [
        (0.0, 0.0, "0.00"),
        (0.31, 0.0, "0.31"),
        (0.004, 0.0, "0.004"),
        (-0.0004, 0.0, "−0.0004"),
        (3e-11, 0.0, "3×10⁻¹¹"),
        (0.9996, 1.0, "0.9996"),
        (1.0, 1.0, "1.00"),
        (1 - 3e-9, 1.0, "1 − 3×10⁻⁹"),
        (1 + 3e-9, 1.0, "1 + 3×10⁻⁹"),
    ],
)
def test_a_number_does_not_read_like_another_one(value, other, text):
    assert apart(value, other) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1"), (0.4, "0.400"), (3e-4, "0.0003"), (1 - 3e-4, "0.9997"), (1e-9, "10⁻⁹")],
)
def test_a_share_reads_like_0_or_1_only_where_it_is(value, text):
    assert share(value, 3) == text
