"""The files of a part have the computation with its mask, as the screen shows it."""

from dataclasses import replace

import pytest

from pages.hand.export import program
from tests.support.variants import check_variants, drawn_page

# Part, topic → step → the matrix on the screen.
SHOWN = {
    ("no_looking", None): {"masked_scores": "masked_scores", "weights": "weights_with"},
    ("fully_masked", None): {"masked_scores": "masked_scores", "weights": "weights_zero"},
    ("wrong", "after_softmax"): {"weights": "weights_right"},
    ("wrong", "times_zero"): {"weights": "weights_right"},
    ("wrong", "query_rows"): {"weights": "weights_columns"},
    ("libraries", "float_mask"): {"masked_scores": "masked_scores", "weights": "weights_both"},
    ("libraries", "polarity"): {"weights": "weights_sdpa"},
    ("libraries", "left_padding"): {"weights": "weights_self"},
}


@pytest.mark.parametrize("place", SHOWN)
def test_the_files_have_the_numbers_of_the_screen(place):
    pages = (drawn_page("masks", *place, seed) for seed in range(10))
    assert {c.settings.masked_score for _, c in check_variants(pages, SHOWN[place])} == {"-inf"}


def test_another_part_or_an_open_question_leaves_the_computation_of_the_settings():
    assert program.of(drawn_page("masks", "gallery", None, 3)) is None
    for part, topic in SHOWN:
        page = drawn_page("masks", part, topic, 3)
        assert program.of(page) is not None
        assert program.of(replace(page, view=replace(page.view, answers=()))) is None
