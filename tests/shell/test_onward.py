"""The way on: every part leads to the next step, and says why once its questions are answered.

Stops of the hour: see test_hour.py.
"""

import pytest

from pages.draw.texts import Texts
from tests.support.course import COURSE
from tests.support.screen import LANGUAGES, said, shown, visit
from tests.support.screen import opened as open_part

WAYS = [
    (lesson, part)
    for lesson in COURSE.lessons
    if lesson.ending
    for part in lesson.parts
    if not part.aside and not COURSE.stop_at(lesson.name, part.name)
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson, part", WAYS, ids=lambda one: one.name)
def test_every_part_has_a_reason_to_go_on(lesson, part, language):
    assert Texts(language, lesson.name)(f"onward.{part.name}")


def test_the_button_leads_through_topics_parts_and_lessons():
    app = open_part("one_head", "meaning", topic="it")
    app.button("onward_button").click().run()
    assert visit(app).place("one_head").topic == "bank"
    app.button("onward_button").click().run()
    assert visit(app).place("one_head").part == "predict"
    last = open_part("one_head", "misconceptions", topic="columns")
    assert not [button for button in last.button if button.key == "onward_button"]
    assert Texts("en", "one_head")("onward.misconceptions") in said(last)


def test_the_reason_waits_for_the_answer():
    reason = Texts("en", "order")("onward.rotary")
    assert reason not in said(open_part("order", "rotary", answers=()))
    assert reason in said(open_part("order", "rotary", answers=shown("order")))
