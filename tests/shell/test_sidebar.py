"""The sidebar: numbered lessons, practice and reference apart, and a mark at finished lessons."""

import re

import pytest

from pages.draw.texts import Texts
from pages.model.view import Place, View, with_answer
from tests.support.course import IN_THE_SIDEBAR, LESSONS, REFERENCE, TAUGHT, lesson
from tests.support.questions import ASKED
from tests.support.screen import LANGUAGES, open_page, unfolded, visit

# A question in the last part of a short lesson, and all other questions of that lesson answered.
LAST = next(one for one in ASKED if one.name == "flash_ops")


def labels(app) -> list[str]:
    """The links' labels, without their marks."""
    return [re.sub(r" !\[.*", "", link.proto.label) for link in app.sidebar.get("page_link")]


def marked(app) -> list[str]:
    """The pages whose links have a mark, which says in the reader's language what it means."""
    text = Texts(visit(app).view.language)("frame.finished")
    return [link.proto.page for link in app.sidebar.get("page_link") if f"![{text}](" in link.proto.label]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lessons_are_numbered_and_practice_and_reference_stand_apart(language):
    app = open_page(view=View(language=language))
    titles = {name: Texts(language, name)("lesson.title") for name in IN_THE_SIDEBAR}
    course = [f"{number}. {titles[name]}" for number, name in enumerate(TAUGHT, start=1)]
    front, *others = [titles[name] for name in IN_THE_SIDEBAR if name not in TAUGHT]
    assert labels(app) == [front, *course, *others]
    kinds = [
        element.type for element in app.sidebar if element.type in ("page_link", "divider", "button_group")
    ]
    groups = "".join({"page_link": "p", "divider": "-", "button_group": "b"}[kind] for kind in kinds)
    assert (
        groups
        == "p"
        + "-".join("p" * len(group) for group in (TAUGHT, LESSONS[len(TAUGHT) :], REFERENCE[1:]))
        + "-b"
    )
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


def test_all_questions_of_the_course_can_be_answered_and_practice_has_no_mark():
    view = View()
    for question in {one.name for one in ASKED}:
        view = with_answer(view, question, "shown")
    app = open_page("practice", view=view, place=Place())
    assert not visit(app).problems
    assert marked(app) == [name for name in TAUGHT if lesson(name).questions] == list(TAUGHT)
