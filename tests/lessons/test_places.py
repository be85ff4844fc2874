"""Every place of the course, opened once in each of several states: each checker looks at what was shown.

RECORDS=folder writes what was shown, and two commits are compared with `diff -r`.
"""

import os
import re
from pathlib import Path

import pytest

from tests.lessons import checkers
from tests.support.course import LESSONS, PLACES
from tests.support.example_states import START, cases, more_cases
from tests.support.record import record
from tests.support.screen import LANGUAGES

every_place = pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(filter(None, place)))


def opened(place, language, case):
    one = record(place, language, case, clicks=case.kind == START and language == "en")
    if folder := os.environ.get("RECORDS"):
        one.write(Path(folder))
    return one


@pytest.mark.parametrize("language", LANGUAGES)
@every_place
def test_a_place_is_right(place, language):
    asked, answered, *others = (opened(place, language, case) for case in cases(place, language))
    faults = [fault for one in (asked, answered, *others) for fault in checkers.faults(one)]
    assert [*faults, *checkers.the_answer_shows_something(asked, answered)] == []


@pytest.mark.exhaustive
@every_place
def test_a_place_is_right_in_more_states(place):
    records = (opened(place, language, case) for language, case in more_cases(place))
    assert [fault for one in records for fault in checkers.faults(one)] == []


@pytest.mark.parametrize("name", [name for name in LESSONS if name != "practice"])
def test_every_lesson_says_a_result_with_its_number(name):
    for place in [place for place in PLACES if place.lesson == name]:
        _, answered, *_ = cases(place, "zh")
        if any(re.search("[0-9]", text) for text in checkers.results(record(place, "zh", answered))):
            return
    raise AssertionError(f"no result in {name}")
