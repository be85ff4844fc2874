"""Numbers and names at the limits of what may be entered: every part draws them, with every answer."""

import re
from dataclasses import replace

import pytest

from pages.model import edits
from pages.model.entries import MAX_TOKEN_LENGTH, MAX_VALUE
from pages.model.matrices import BIASES, MATRICES
from pages.model.settings import Settings, as_matrix
from pages.model.view import Place
from tests.support.course import LESSONS, PLACES
from tests.support.example_states import CATS, TWELVE
from tests.support.screen import open_page, opened, refused, shown, visit
from tests.support.states import looking

PLACES_OF_LESSONS = [place for place in PLACES if place[0] in LESSONS]
OPTION = re.compile(r"guess-(\w+)-(\w+)")
# Question → what its button adds to.
RAISED = {"value": "x", "value_causal": "x", "shift": "b_k"}


def filled(now: Settings, number) -> Settings:
    """The settings with number(row, column) in every cell of all matrices and biases."""
    for name in (*MATRICES, *BIASES):
        matrix = as_matrix(now, name)
        if matrix is not None:
            values = [[number(row, col) for col in range(len(line))] for row, line in enumerate(matrix)]
            now = edits.set_block(now, name, 0, 0, values)
    return now


def same_names(now: Settings) -> Settings:
    return replace(now, tokens=("W" * MAX_TOKEN_LENGTH,) * len(now.tokens))


BIASED = edits.set_biases(CATS, True)
LIMITS = {
    "all numbers the largest": filled(BIASED, lambda row, col: MAX_VALUE),
    "all numbers the smallest": filled(BIASED, lambda row, col: -MAX_VALUE),
    "the largest of all setups, with both signs": same_names(
        filled(edits.set_biases(TWELVE, True), lambda row, col: MAX_VALUE * (-1) ** (row + col))
    ),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "part", "topic"),
    PLACES_OF_LESSONS,
    ids=["-".join(filter(None, one)) for one in PLACES_OF_LESSONS],
)
def test_numbers_at_the_limits_are_drawn_with_every_answer(name, part, topic):
    for case, now in LIMITS.items():
        place = Place(part, topic=topic)
        asked = open_page(name, now, looking(answers=()), place)
        start = [((question, option),) for question, option in _options(asked)]
        for answers in (shown(name), *start[:: 1 if case == "all numbers the largest" else len(start) or 1]):
            app = open_page(name, now, looking(answers=answers), place)
            assert not app.exception and not app.error and not refused(app), (case, answers)
        assert not asked.exception, case


def _options(app) -> list[tuple[str, str]]:
    """The questions on the page, each with each of its options."""
    keys = (OPTION.fullmatch(button.key or "") for button in app.button)
    return [key.groups() for key in keys if key]


@pytest.mark.parametrize("question", RAISED)
def test_an_edit_beyond_the_largest_number_is_refused_and_changes_nothing(question):
    now = LIMITS["all numbers the largest"]
    app = opened("one_head", "predict", now, topic=question)
    app.button(key=f"do_{question}").click().run()
    assert not app.exception and len(app.warning) == 1
    assert visit(app).settings == now
