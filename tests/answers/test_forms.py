"""The form of a question gives nothing away: the length of its right option, or its place among numbers.

The bound is one standard deviation above what chance gives. Most courses whose forms tell nothing are within
it, so a learner who always takes the longest option, for instance, wins next to nothing.
"""

import math
import re
from collections.abc import Iterable
from itertools import product

import pytest

from pages.draw.texts import Texts
from pages.model.languages import LANGUAGES
from tests.support.course import lesson
from tests.support.questions import ASKED, Asked

GUESSABLE = 1.5  # times as long as the longest wrong option
FILLED = re.compile(r"\{\w+(:[^}]*)?\}|[`$]")  # what is filled in says nothing of the form
OFFERED = [one for one in ASKED if one.right and one.question.options]
WORDED = [one for one in OFFERED if not (one.question.own_words or one.question.numeric)]
ENDS = [one for one in WORDED if one.name == lesson(one.lesson).ending]
SETS = {
    "all": WORDED,
    "ends": ENDS,
    "numeric": [one for one in OFFERED if one.question.numeric],
}
FORMS = [*product(("all", "ends"), ("longest", "shortest")), ("numeric", "first"), ("numeric", "last")]
both = pytest.mark.parametrize("language", LANGUAGES)


def lengths(asked: Asked, language: str) -> tuple[int, list[int]]:
    """Of the right option, and of the wrong ones."""
    t = Texts(language, asked.lesson)
    texts = {option: t(f"option.{asked.name}_{option}") for option in asked.question.options}
    sizes = {option: len(FILLED.sub("", text)) for option, text in texts.items()}
    return sizes.pop(asked.right), list(sizes.values())


def told(asked: Iterable[Asked], language: str, form: str) -> list[str]:
    """The questions whose right option has that form."""
    if form in ("first", "last"):
        return [one.name for one in asked if one.right == one.question.options[0 if form == "first" else -1]]
    results = [(one.name, *lengths(one, language)) for one in asked]
    if form == "longest":
        return [name for name, right, wrong in results if right > max(wrong)]
    return [name for name, right, wrong in results if right < min(wrong)]


@both
@pytest.mark.parametrize(("name", "form"), FORMS)
def test_the_form_of_the_right_option_tells_no_more_than_chance(name, form, language):
    chances = [1 / len(one.question.options) for one in SETS[name]]
    spread = math.sqrt(sum(chance * (1 - chance) for chance in chances))
    guessed = told(SETS[name], language, form)
    assert len(chances) > 8 and len(guessed) <= sum(chances) + spread, guessed


@both
def test_no_right_option_is_far_longer_than_all_others(language):
    sizes = {one.name: lengths(one, language) for one in WORDED}
    assert [name for name, (right, wrong) in sizes.items() if right > GUESSABLE * max(wrong)] == []
