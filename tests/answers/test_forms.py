"""The form of a question gives nothing away: how long its right option is, where it is, what it alone has.

No right option has by itself a number, a reason or a qualifier, nor is it the only one without. Of what every
question has (a longest option, a first one) the bound is one standard deviation above what chance gives. Most
courses whose forms tell nothing are within it, so a learner who always takes the longest option, for
instance, wins next to nothing.
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
# What the right option should not be the only one to have, or to lack.
TELLING = {
    "a number": re.compile(r"\d|\{\w+\}"),
    "a reason": re.compile(r"\b(because|since|so)\b|因为|所以|因此"),
    "a qualifier": re.compile(
        r"\b(only|alone|wherever|unless|except|mostly|usually|generally|about|nearly)\b|只有|除.*外|一般|通常|约|差不多|几乎"
    ),
}

OFFERED = [one for one in ASKED if one.right and one.question.options]
FREE = [one for one in OFFERED if not one.question.numeric]  # their order was chosen
SETS = {
    "free": FREE,
    "ends": [one for one in FREE if one.name == lesson(one.lesson).ending],
    "numeric": [one for one in OFFERED if one.question.numeric],
}
LAST = -1
PLACES = [*product(("free", "ends", "numeric"), (1, 2, 3, 4)), ("numeric", LAST)]
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


def has_length(asked: Asked, language: str, form: str) -> bool:
    """Whether the right option is the longest or the shortest."""
    right, wrong = lengths(asked, language)
    return right > max(wrong) if form == "longest" else right < min(wrong)


def has_place(asked: Asked, place: int) -> bool:
    """Whether the right option is there, counted from 1."""
    options = asked.question.options
    return options[place if place == LAST else place - 1 :][:1] == (asked.right,)


def more_than_chance(chances: Iterable[float]) -> float:
    """What chance gives, and one standard deviation."""
    chances = list(chances)
    return sum(chances) + math.sqrt(sum(chance * (1 - chance) for chance in chances))


def counts(asked: Iterable[Asked]) -> list[int]:
    return [len(one.question.options) for one in asked]


@both
@pytest.mark.parametrize(("name", "form"), [*product(("free", "ends"), ("longest", "shortest"))])
def test_the_length_of_the_right_option_tells_no_more_than_chance(name, form, language):
    guessed = [one.name for one in SETS[name] if has_length(one, language, form)]
    chances = [1 / n for n in counts(SETS[name])]
    assert len(chances) > 8 and len(guessed) <= more_than_chance(chances), guessed


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_the_place_of_the_right_option_tells_no_more_than_chance(name, place):
    guessed = [one.name for one in SETS[name] if has_place(one, place)]
    chances = [1 / n for n in counts(SETS[name]) if place <= n]
    assert len(chances) > (0 if place == 4 else 8) and len(guessed) <= more_than_chance(chances), guessed


@both
def test_no_right_option_is_far_longer_than_all_others(language):
    sizes = {one.name: lengths(one, language) for one in FREE}
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


@both
def test_no_question_gives_its_right_option_away_by_itself(language):
    tells = {one.name: telling(one, texts_of(one, language)) for one in OFFERED}
    assert {name: those for name, those in tells.items() if those} == {}
