"""The files of a part have the computation with its kind of position, as the screen shows it."""

import pytest

from pages.hand.export import program
from tests.support.course import lesson
from tests.support.variants import check_variants, drawn_page

# Part → step → the matrix on the screen.
SHOWN = {
    "swap": {"weights": "weights_before"},
    "sinusoidal": {"x_p": "x_p", "weights": "weights"},
    "learned": {"x_p": "x_p", "weights": "weights"},
    "rotary": {"scores": "scores"},
    "alibi": {"scaled_scores": "scaled_scores", "biased_scores": "biased_scores", "weights": "weights"},
}


@pytest.mark.parametrize("part", SHOWN)
def test_the_files_have_the_numbers_of_the_screen(part):
    pages = (drawn_page("order", part, None, seed) for seed in range(8))
    for page, c in check_variants(pages, SHOWN[part]):
        plain = "sinusoidal" if page.own.with_positions else "none"
        assert c.position == (plain if part == "swap" else part)
        assert c.settings.mask == ("none" if part == "swap" else page.settings.mask)


def test_another_part_has_the_computation_of_the_settings():
    for part in lesson("order").parts:
        assert (program.of(drawn_page("order", part.name, None, 3)) is None) == (part.name not in SHOWN)
