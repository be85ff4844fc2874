"""The three exercises at the end of the hour, one after the other, and the look back."""

import pytest

from pages.draw.texts import Texts
from pages.lessons.practice import bug_exercise, claim, three
from pages.model.progress import AT_ONCE, HourEvent, Takeaway
from pages.model.view import Place
from tests.support.course import COURSE
from tests.support.screen import LANGUAGES, open_page, pictures, said, visit
from tests.support.states import looking, page_in


def page(kind, language="en", **look):
    return three.of_kind(page_in("practice", "three", view=looking(language=language, **look)), kind)


def app_at(index, language="en", number=1):
    view = looking(language=language, of_three=index, exercise=number)
    app = open_page("practice", None, view, Place(part="three"))
    assert not app.exception
    return app


def judge(app, follows):
    app.button(key=f"judge_{follows}").click().run()
    assert not app.exception
    return app


def test_the_numbers_are_others_than_those_with_which_the_other_parts_begin():
    numbers = [page(kind, exercise=number).look.exercise for kind in three.KINDS for number in (1, 2, 9999)]
    assert set(numbers) == {5000, 5001, 5002}
    assert [page(kind).look.level for kind in three.KINDS] == ["0", "0", "1"]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_claim_has_one_answer_and_the_first_counts(number):
    """In turn in both languages."""
    language = LANGUAGES[number // 2 % 2]
    statement = claim.exercise(page("claim", language, exercise=number)).statements[0]
    t = Texts(language, "practice")
    for follows in (True, False):
        app = judge(app_at(2, language, number), follows)
        text, solved = said(app), follows == statement.follows
        assert t("three.can_claim" if solved else "three.missed") in text
        assert t("judge.yes" if statement.follows else "judge.no").partition("{")[0] in text
        assert not [button for button in app.button if (button.key or "").startswith("judge_")]


def test_of_many_claims_about_half_follow():
    right = [claim.exercise(page("claim", exercise=number)).right[0] for number in range(1, 101)]
    assert 30 <= sum(right) <= 70


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_task_is_done_when_all_three_have_ended(language):
    """A shown solution ends an exercise without solving it."""
    app, t = app_at(0, language), Texts(language, "practice")
    assert "✓" not in str([group.options for group in app.get("button_group")])
    app.button(key="show_solution").click().run()
    assert t("three.missed") in said(app)
    app.button(key="of_three").click().run()  # the next one
    hunt = bug_exercise.make("0", 5001, language=language)
    app.segmented_control(key="set_hunt_step").set_value(hunt.step)
    app.selectbox(key="set_hunt_bug").set_value(hunt.bug).run()
    app.button(key="check").click().run()
    assert t("three.can_bug_hunt") in said(app)
    assert "practice/three" not in visit(app).record.progress.events
    app.button(key="of_three").click().run()
    statement = claim.exercise(page("claim", language)).statements[0]
    judge(app, statement.follows)
    progress = visit(app).record.progress
    assert progress.exercises == {"bug_hunt.0.5001": AT_ONCE, "claim.1.5001": AT_ONCE}
    assert progress.events["practice/three"].takeaway == Takeaway({"solved": "2"})
    assert t("stop.three_keep", solved=2) in said(app)
    app.button(key="of_three").click().run()  # three others
    assert (visit(app).view.own[0].exercise, visit(app).view.own[0].of_three) == (2, 0)


# ---- the look back


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_look_back_has_a_sentence_for_each_stop_that_is_done_and_the_task_of_the_others(language):
    stops = list(COURSE.stop_numbers)
    app = open_page("practice", None, looking(language=language), Place(part="you_can"))
    t = Texts(language, "practice")
    assert not app.exception and t("you_can.none") in said(app)
    assert said(app).count(t("you_can.open").partition("{")[0]) == len(stops)
    done = next(stop for stop in stops if stop.part == "a_model")
    visit(app).record.progress = visit(app).record.progress.doing(done.name, HourEvent())
    app.run()
    assert Texts(language, done.lesson)("stop.a_model_kept") in said(app)
    assert t("you_can.some", done=1, all=len(stops)) in said(app)
    for is_open in (False, True):
        app.toggle("uncover").set_value(is_open).run()
        boxes = {box.label: box.proto.expanded for box in app.main.get("expander")}
        assert boxes == {rf"10\. {t('cue.a_model')}": is_open}
    assert said(app).count(t("you_can.open").partition("{")[0]) == len(stops) - 1
    links = {link.proto.page for link in app.main.get("page_link")}
    assert app.button(key="go_three")  # a link to the present page would be marked as such
    others = {stop.lesson for stop in stops} - {"practice"}
    assert links >= others | {"cost", "flash_attention", "for_teachers"}
    assert not pictures(app)
