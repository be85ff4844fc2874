"""Presenting, without a browser: what is on the page, what the link says, and which answers are shown."""

import contextvars

import pytest

from pages import session
from pages.model.handout import Plan, stop_of
from pages.model.progress import Progress
from pages.model.view import Place, View
from tests.support.course import lesson
from tests.support.screen import open_link, open_page, pictures, said, visit

LAST, ANSWERED = "limits", (("order_padding", "shown"), ("order_end", "shown"))  # it asks both
VERDICT = "The answer"


def verdicts(app) -> int:
    return sum(one.value.startswith(VERDICT) for one in (*app.info, *app.success, *app.warning))


def presented(answers=(), part="swap", **fields):
    return open_page("order", view=View(answers=answers, presenting=True, **fields), place=Place(part))


# All other parts of lessons are presented in browsers (see browser/test_presented.py).
PARTS = [("one_head", "picture")]
PARTS += [(name, part.name) for name in ("practice", "for_teachers") for part in lesson(name).parts]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_part_is_presented_by_the_button_and_by_the_link(name, part):
    app = open_page(name, view=View(language="zh"), place=Place(part))
    app.button("present").click().run()
    for page in (app, open_link(name, dict(app.query_params))):
        assert not page.exception and page.query_params["present"] == "on"
        assert [one["large"] for one in pictures(page)] == [True] * len(pictures(page))
        assert len(pictures(page)) > 0 or name != "one_head"
        assert "attention_present" in [one.proto.component_name for one in page.get("bidi_component")]
    app.button("present").click().run()
    assert "present" not in app.query_params
    assert not any(picture["large"] for picture in pictures(app))


def test_answers_are_hidden_until_they_are_revealed():
    assert verdicts(open_page("order", view=View(answers=ANSWERED), place=Place(LAST))) == 2
    app = presented(ANSWERED, LAST)
    assert verdicts(app) == 0
    visit(app).revealed.add("order_padding")
    app.run()
    assert verdicts(app) == 1
    app.button("present").click().run()
    assert verdicts(app) == 2
    app.button("present").click().run()
    assert verdicts(app) == 0


def test_what_is_revealed_does_not_count_as_answered():
    app = presented()
    visit(app).revealed.add("order_reversed")
    app.run()
    assert verdicts(app) == 1
    assert visit(app).view.answers == ()
    app.button("present").click().run()
    assert verdicts(app) == 0


@pytest.mark.parametrize("plan", [None, Plan((stop_of("order", {}),))], ids=["alone", "in a plan"])
@pytest.mark.parametrize("before", [(), (("order_reversed", "shown"),)], ids=["not answered", "answered"])
def test_an_answer_that_is_given_in_a_presentation_goes_with_it(plan, before):
    app = presented(before, plan=plan, stop=1 if plan else 0)
    app.button("guess-order_reversed-stay").click().run()
    assert "Your answer" in said(app)
    app.button("again-order_reversed").click().run()
    assert "Your answer" not in said(app)
    app.button("guess-order_reversed-stay").click().run()
    app.button("present").click().run()
    assert visit(app).view.answers == before and verdicts(app) == len(before)
    app.button("present").click().run()
    assert verdicts(app) == 0


def test_it_goes_with_the_presentation_after_a_reload_too():
    app = presented()
    one = visit(app)
    one.record.progress = Progress(options={"order_causal": "shown"})
    one.record.recalled = False
    tab = {"tab": '{"answers":{"order_reversed":"stay"}}'}
    contextvars.copy_context().run(lambda: (session.set_current_visit(one), session.recall(tab)))
    assert dict(one.view.answers) == {"order_reversed": "stay"}
    app.button("present").click().run()
    assert dict(visit(app).view.answers) == {"order_causal": "shown"}
