"""The way on: every part leads to the next step, and says why once its questions are answered.

Stops of the hour: see test_hour.py.
"""

from pages.draw.texts import Texts
from tests.support.screen import opened as open_part
from tests.support.screen import said, shown, visit


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
