"""The files of a part have the computation with its mask, as the screen shows it."""

from dataclasses import replace

import pytest

from pages.hand.export import program
from tests.support.course import lesson
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
    for part in lesson("masks").parts:
        for topic in part.topics or (None,):
            page = drawn_page("masks", part.name, topic and topic.name, 3)
            has_mask = (part.name, topic and topic.name) in SHOWN
            assert (program.of(page) is not None) == has_mask
            assert program.of(replace(page, view=replace(page.view, answers=()))) is None
