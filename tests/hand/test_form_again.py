"""Whatever the form of a hand-out accepts, it shows again when the plan is edited."""

from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages.model.handout import MARK, Plan, parts_of, read
from tests.support.course import COURSE, LESSONS, lesson
from tests.support.screen import again, open_link, opened, unfolded

# Those of the hour, and of each lesson the last one.
PARTS = [
    (name, part.name)
    for name in LESSONS
    for part in lesson(name).parts
    if part is lesson(name).parts[-1] or COURSE.stop_at(name, part.name)
]
TEXT = ["Which", "*row*", "of", "A", "$x$", "<b>", "哪一行", "W_Q", "~i~"]


def panel(app: AppTest) -> AppTest:
    """AppTest runs the whole page, so the window is opened again."""
    app.button(key="handout").click()
    return again(app)


def noted_plan(app: AppTest) -> Plan:
    """The plan of the teacher's own link."""
    link = [one.value for one in app.code if "plan=" in one.value][-1]
    return read(parse_qs(urlsplit(link).query)["plan"][0])


def fill_in(app: AppTest, draw: Random) -> None:
    """Sets every field of the window to something that it accepts; what is chosen brings more fields."""
    known: set[str] = set()
    while fields := {field.key: field for kind in KINDS for field in app.get(kind) if is_new(field, known)}:
        for field in fields.values():
            field.set_value(KINDS[field.type](field, draw))
        known |= fields.keys()
        panel(app)


def is_new(field, known: set[str]) -> bool:
    return (field.key or "").startswith(("handout_", "target_")) and field.key not in known


def _text(field, draw: Random) -> str:
    lines = 3 if "options" in field.key else 1
    return "\n".join(f"{number} {' '.join(draw.sample(TEXT, 4))}" for number in range(lines))


def _several(field, draw: Random):
    several = draw.sample(field.options, draw.randint(1, min(3, len(field.options))))
    return several if field.proto.click_mode else several[0]


KINDS = {
    "text_input": _text,
    "text_area": _text,
    "number_input": lambda field, draw: draw.randint(1, 9),
    "toggle": lambda field, draw: draw.random() < 0.8 or "both" in field.key,
    "checkbox": lambda field, draw: draw.random() < 0.5,
    "selectbox": lambda field, draw: draw.choice(field.options),
    "button_group": _several,
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "part"), PARTS)
def test_what_the_form_accepts_it_shows_again(name, part):
    """At each stop of a plan with two of one part, before any answer, also when the plan is unlocked."""
    draw = Random(f"{name} {part}")
    app = panel(unfolded(opened(name, part), "share"))
    for _ in range(2):
        fill_in(app, draw)
        app.button(key="handout_add").click()
        panel(app)
    plan = noted_plan(app)
    assert plan.title and all(stop.question and stop.note for stop in plan.stops)
    assert MARK in "".join(stop.instruction for stop in plan.stops)
    for free in ({}, {"free": "on"}):
        edited = open_link(name, parts_of(plan, 1, "en") | free)
        for number in (1, 2):
            edited.query_params.clear()
            edited.query_params.update(parts_of(plan, number, "en") | free)
            panel(unfolded(again(edited), "share"))
            assert noted_plan(edited) == plan
            assert edited.button(key=f"handout_renew-{number - 1}").disabled  # nothing differs
