"""The form of a question gives nothing away: how many options it has, which is longest, has a number, a reason.

What can be told from one question alone must not be told at all. Of what every question has (a longest option,
a first one), the right option has it no more often than chance gives: the bound is one standard deviation above
that, so a learner who always takes the longest option, for instance, wins next to nothing.
"""

import functools
import math
import re
from collections.abc import Iterable, Mapping
from itertools import product

import pytest

from pages.draw.texts import Texts
from pages.model.languages import LANGUAGES
from tests.support.course import lesson
from tests.support.questions import ASKED, Asked
from tests.support.screen import open_page

GUESSABLE = 1.5  # times as long as the longest wrong option
PLACE = re.compile(r"\{(\w+)(:[^}]*)?\}")  # what is filled in is not counted among the letters
MARKS = re.compile(r"[`$]")
# What one option alone should not have, or lack.
TELLING = {
    "a number": re.compile(r"\d|\{\w+\}"),
    "a reason": re.compile(r"\b(because|since|so)\b|因为|所以|因此"),
    "a hedge": re.compile(
        r"\b(only|alone|wherever|unless|except|mostly|usually|generally|about|nearly)\b|只有|除.*外|一般|通常|大约|几乎"
    ),
}
# (question, what tells) → why it has to be.
EXCEPTIONS: Mapping[tuple[str, str], str] = {}

OFFERED = [one for one in ASKED if one.right and one.question.options]
FREE = [one for one in OFFERED if not one.question.numeric]  # their order was chosen
WORDED = [one for one in FREE if not one.question.own_words]
SETS = {
    "all": WORDED,
    "ends": [one for one in WORDED if one.name == lesson(one.lesson).ending],
    "free": FREE,
    "numeric": [one for one in OFFERED if one.question.numeric],
}
FORMS = [
    *product(("all", "ends"), ("longest", "shortest")),
    *product(("free", "ends", "numeric"), (1, 2, 3, 4)),
    ("numeric", "last"),
]
both = pytest.mark.parametrize("language", LANGUAGES)


@functools.cache
def texts_of(asked: Asked, language: str) -> dict[str, str]:
    """Option → its text: as it is declared, or as the page says it where the part has its own words."""
    if asked.question.own_words:
        view, key = asked.view(language=language), f"guess-{asked.name}-"
        app = open_page(asked.lesson, asked.settings, view, asked.place)
        labels = {(one.key or "").removeprefix(key): one.label for one in app.button}
        return {
            option: labels[option].split(". ", 1)[1] for option in asked.question.options if option in labels
        }
    t = Texts(language, asked.lesson)
    return {
        option: option if option.isdecimal() else t(f"option.{asked.name}_{option}")
        for option in asked.question.options
    }


def lengths(asked: Asked, language: str) -> tuple[int, list[int]]:
    """Of the right option, and of the wrong ones."""
    sizes = {
        option: len(MARKS.sub("", PLACE.sub("", text))) for option, text in texts_of(asked, language).items()
    }
    return sizes.pop(asked.right or ""), list(sizes.values())


def has_form(asked: Asked, language: str, form: str | int) -> bool:
    """Whether the right option is the longest, the shortest, the last, or in that place, counted from 1."""
    options = asked.question.options
    if isinstance(form, int):
        return options.index(asked.right) + 1 == form
    if form == "last":
        return options[-1] == asked.right
    right, wrong = lengths(asked, language)
    return right > max(wrong) if form == "longest" else right < min(wrong)


def most(asked: Iterable[Asked], form: str | int) -> float:
    """How many right options may have that form: one standard deviation more than chance gives."""
    chances = [
        0.0 if isinstance(form, int) and form > len(one.question.options) else 1 / len(one.question.options)
        for one in asked
    ]
    return sum(chances) + math.sqrt(sum(chance * (1 - chance) for chance in chances))


@both
@pytest.mark.parametrize(("name", "form"), FORMS)
def test_the_form_of_the_right_option_tells_no_more_than_chance(name, form, language):
    guessed = [one.name for one in SETS[name] if has_form(one, language, form)]
    assert len(SETS[name]) > 8 and len(guessed) <= most(SETS[name], form), guessed


@both
def test_no_right_option_is_far_longer_than_all_others(language):
    sizes = {one.name: lengths(one, language) for one in WORDED}
    assert [name for name, (right, wrong) in sizes.items() if right > GUESSABLE * max(wrong)] == []


def telling(asked: Asked, texts: Mapping[str, str]) -> set[str]:
    """What the right option alone has, or alone lacks; and that there are two options only."""
    tells = {"two options"} if len(texts) == 2 else set()
    for name, pattern in TELLING.items():
        having = {option for option, text in texts.items() if pattern.search(text)}
        if having == {asked.right}:
            tells.add(f"{name} alone")
        elif len(texts) > 2 and set(texts) - having == {asked.right}:
            tells.add(f"no {name.removeprefix('a ')} alone")
    return tells


def test_no_question_gives_its_right_option_away_by_itself():
    found = {
        (one.name, tell)
        for one in FREE
        for language in LANGUAGES
        for tell in telling(one, texts_of(one, language))
    }
    assert sorted(found - set(EXCEPTIONS)) == []
    assert sorted(set(EXCEPTIONS) - found) == []  # an exception that is not needed any more
