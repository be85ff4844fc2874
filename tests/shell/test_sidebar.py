"""The sidebar below the hour: numbered lessons, practice and reference apart, a mark at finished lessons."""

import re

import pytest

from pages.draw.texts import Texts
from pages.model.handout import Plan, parts_of, stop_of
from pages.model.view import Place, View, with_answer
from tests.support.course import COURSE, LESSONS, LISTED, TAUGHT, lesson
from tests.support.questions import ASKED
from tests.support.screen import LANGUAGES, bound, figures, open_link, open_page, unfolded, visit

# A question in the last part of a short lesson, and all other questions of that lesson answered.
LAST = next(one for one in ASKED if one.name == "flash_ops")


def labels(app) -> list[str]:
    """The labels of the links to pages, without their marks."""
    unfolded(app, "lessons", "inside")
    links = [link.proto for link in app.sidebar.get("page_link") if not link.proto.query_string]
    return [re.sub(r" !\[.*", "", link.label) for link in links]


def marked(app) -> list[str]:
    """The pages whose links have a mark, which says in the reader's language what it means."""
    text = Texts(visit(app).view.language)("frame.finished")
    unfolded(app, "lessons", "inside")
    return [link.proto.page for link in app.sidebar.get("page_link") if f" ![{text}](" in link.proto.label]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lessons_are_numbered_and_practice_and_reference_stand_apart(language):
    app = open_page(view=View(language=language))
    titles = {name: Texts(language, name)("lesson.title") for name in LISTED}
    inside = tuple(lesson.name for lesson in COURSE.inside)
    numbers = {name: f"{number}. " for number, name in enumerate(TAUGHT + inside, start=1)}
    assert labels(app) == [numbers.get(name, "") + titles[name] for name in LISTED]
    kinds = {"page_link": "p", "divider": "-", "button_group": "b", "caption": "c"}
    groups = "".join(kinds[element.type] for element in app.sidebar if element.type in kinds)
    links = "-".join("p" * len(group) for group in (TAUGHT, LESSONS[len(TAUGHT) :], LISTED[len(LESSONS) :]))
    assert groups == f"pc{'p' * len(COURSE.hour)}{links}-bb"
    assert not app.exception and marked(app) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mark_comes_with_the_last_answer_and_goes_when_a_question_is_asked_again(language):
    app = open_page(LAST.lesson, LAST.settings, LAST.view(language=language), LAST.place)
    assert marked(app) == []
    app.button(key=f"guess-{LAST.name}-shown").click().run()
    assert marked(app) == [LAST.lesson]
    app.button(key=f"again-{LAST.name}").click().run()
    assert marked(app) == []


def test_the_mark_goes_with_all_answers_of_the_lesson():
    app = unfolded(open_page(LAST.lesson, LAST.settings, LAST.view("shown"), LAST.place), "about")
    assert marked(app) == [LAST.lesson]
    app.button(key="clear_answers").click().run()
    assert marked(app) == [] and visit(app).view.answers == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_show_me_shows_what_an_answer_would_and_ask_me_first_takes_it_back(language):
    app = open_page(LAST.lesson, LAST.settings, View(language=language), LAST.place)
    asked, link = figures(app), dict(app.query_params)
    switch = bound(app, "button_group", "asking")
    t = Texts(language)
    assert switch.options == [t("frame.ask_first"), t("frame.show_me")] and switch.value is False
    switch.set_value(True).run()
    assert len(figures(app)) > len(asked) and not visit(app).view.answers and marked(app) == []
    assert dict(app.query_params) == link and visit(app).record.progress.shows
    bound(app, "button_group", "asking").set_value(False).run()
    assert figures(app) == asked and not app.exception


def test_votes_and_presentations_ask_first():
    for look in ({"presenting": True}, {}):
        app = open_page(LAST.lesson, LAST.settings, View(**look), LAST.place)
        before = figures(app)
        bound(app, "button_group", "asking").set_value(True).run()
        assert (figures(app) == before) == bool(look)


def test_all_questions_of_the_course_can_be_answered_and_practice_has_no_mark():
    view = View()
    for question in {one.name for one in ASKED}:
        view = with_answer(view, question, "shown")
    app = open_page("practice", view=view, place=Place())
    assert not visit(app).problems
    inside = tuple(lesson.name for lesson in COURSE.inside)
    assert marked(app) == [name for name in TAUGHT + inside if lesson(name).questions] == [*TAUGHT, *inside]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_of_several_stops_is_walked_from_the_sidebar_and_the_lessons_are_folded(language):
    plan = Plan((stop_of("one_head", {"part": "row"}), stop_of("masks", {"part": "gallery"})), "9b")
    app = open_link("masks", parts_of(plan, 2, language))
    links = [one.proto for one in app.sidebar.get("page_link") if "plan=" in one.proto.query_string]
    assert [one.page for one in links] == ["one_head", "masks"]
    assert [one.label[:3] for one in links] == ["1. ", "2. "] and "goto=2" in links[1].query_string
    folded = ["hour.lessons", *(["hour.inside"] if COURSE.inside else [])]
    assert [one.label for one in app.sidebar.expander] == [*map(Texts(language), folded)]
    alone = open_link("masks", parts_of(Plan(plan.stops[1:]), 1, language))
    assert not alone.sidebar.expander and not alone.exception
