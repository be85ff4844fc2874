"""Numbers as text, where a rounding would say something else than the number."""

import pytest

from pages.draw.numbers import apart


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
    ],
)
def test_a_number_does_not_read_like_another_one(value, other, text):
    assert apart(value, other) == text
