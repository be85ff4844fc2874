"""A place of the course that is there no more leads to the place that has its content now."""

import json
from urllib.parse import urlencode

import pytest

from pages.model.handout import Plan, Stop, parts_of
from pages.model.progress import read
from pages.model.view import Place
from tests.support.course import COURSE
from tests.support.screen import open_link, visit

MOVED = [
    pytest.param(page.name, former, place, id=f"{page.name}-{former}")
    for page in COURSE.pages.values()
    for former, place in page.moved.items()
]


def parts_of_link(place: str) -> dict[str, str]:
    part, _, topic = place.partition("/")
    return {"lang": "en", "part": part} | ({"topic": topic} if topic else {})


@pytest.mark.exhaustive
@pytest.mark.parametrize(("lesson", "former", "place"), MOVED)
def test_a_former_place_opens_where_its_content_is(lesson, former, place):
    """From a link, which says the new place then; and from a plan, which holds the learner there."""
    query, there = parts_of_link(former), parts_of_link(place)
    plan = Plan((Stop(lesson, urlencode(query), locked=("part",)),))
    for link in (query, parts_of(plan, 1, "en")):
        app = open_link(lesson, link)
        assert not app.exception
        assert visit(app).place(lesson) == Place(part=there["part"], topic=there.get("topic"))
        assert not visit(app).problems and not app.warning
        assert {key: app.query_params[key] for key in there} == there
    assert app.segmented_control("set_part").disabled


@pytest.mark.parametrize(("lesson", "former", "place"), MOVED)
def test_who_has_seen_a_former_part_has_seen_the_part_of_its_content(lesson, former, place):
    """A record names parts alone: it says nothing of a topic that has left a part which is still there."""
    page, part = COURSE.pages[lesson], parts_of_link(former)["part"]
    present = part if part in {entry.name for entry in page.parts} else parts_of_link(place)["part"]
    progress = read(json.dumps({"parts": [f"{lesson}/{part}"]}), COURSE)
    assert progress.parts == {f"{lesson}/{present}"}
    assert page.part(part).name == present
