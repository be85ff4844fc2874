"""The lesson `Many heads` without a browser: every part, both languages, before and after the answers."""

import re

import pytest

from pages.lessons.many_heads import LESSON
from pages.model.compute import trace_of
from pages.model.view import Place, View
from tests.apps import LANGUAGES, matrix, open_page, pictures, said
from tests.states import looking

from .conftest import CASES

ANSWERS = tuple((question, "shown") for question in (*LESSON.questions, LESSON.ending))
TOPICS = {"view": ("output", "origins", "note"), "code": ("modules", "lines", "accident", "divide")}
POSITIONED = ("waves as positions", "rotary positions", "ALiBi")  # of CASES
PLACES = [(part.name, topic) for part in LESSON.parts for topic in TOPICS.get(part.name, (None,))]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", [(), ANSWERS], ids=["before", "after"])
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_every_part_runs_in_either_language(part, topic, answers, language):
    app = open_page(
        "many_heads",
        CASES["two jobs"],
        View(language=language, answers=answers),
        Place(part=part, topic=topic),
    )
    assert not app.exception and not app.warning
    assert pictures(app) or topic in ("modules", "lines", "divide")


@pytest.mark.parametrize("case", [case for case in CASES if case not in POSITIONED])
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_every_part_runs_in_every_state(part, topic, case):
    app = open_page("many_heads", CASES[case], View(answers=ANSWERS), Place(part=part, topic=topic))
    assert not app.exception and not app.warning


@pytest.mark.parametrize("case", CASES)
def test_the_way_with_a_small_projection_per_head_runs_in_every_state(case):
    app = open_page("many_heads", CASES[case], looking(answers=ANSWERS, writing="small"), Place(part="split"))
    assert not app.exception and not app.warning


@pytest.mark.parametrize("case", POSITIONED)
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_positions_count_or_the_part_says_that_they_are_set_aside(part, topic, case):
    """What is compared with another way of writing it is computed without positions."""
    app = open_page("many_heads", CASES[case], View(answers=ANSWERS), Place(part=part, topic=topic))
    assert not app.exception and not app.warning
    assert ("This part computes without positions" in said(app)) == (part not in ("overview", "ablation"))
    if part == "split":
        assert matrix(app, "output")["values"] == trace_of(CASES["two heads"]).output.tolist()
        difference = re.search(r"differ by at most (\S+)\.", said(app))[1]
        assert difference == "0" or difference.endswith(("−15", "−16", "−17"))
    if part == "ablation":
        assert matrix(app, "output")["values"] == trace_of(CASES[case]).output.tolist()


def test_a_refusal_of_the_core_is_said_in_the_readers_language():
    """The message of Python stays beside it, in English."""
    place = Place(part="code", topic="divide")
    chinese = said(open_page("many_heads", CASES["two heads"], View(language="zh"), place))
    assert "应能被 3 个头整除" in chinese
    english = said(open_page("many_heads", CASES["two heads"], View(language="en"), place))
    assert "that 3 heads divide was expected" in english
