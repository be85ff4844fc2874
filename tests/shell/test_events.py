"""What a person has done is an event: by a gesture on the page of the stop, with the numbers of then."""

import json
import re
from dataclasses import replace

import pytest

from pages.draw.texts import Texts, literal
from pages.lessons.train_a_head import runs, scene
from pages.model.course import Question
from pages.model.edits import example_start
from pages.model.handout import Plan, Stop
from pages.model.link import to_query
from pages.model.progress import HourEvent, Progress, Takeaway, read
from pages.model.scores import Scores
from pages.model.state import State
from pages.model.view import Place, View
from pages.shell import frame, hour
from tests.lessons.train_a_head.conftest import as_if_trained
from tests.support.course import COURSE, lesson
from tests.support.hour import DONE, act, text_of
from tests.support.screen import LANGUAGES, again, open_link, open_page, opened, said, visit
from tests.support.states import looking

STOPS = [stop for stop in COURSE.stop_numbers if stop.part in DONE]
each_stop = pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.part)
LIBRARY = STOPS[0]
ALL = sum(stop.minutes for stop in COURSE.hour)


@pytest.fixture(autouse=True)
def _trained():
    """The run is there: its matrices are those of the start."""
    options = scene.options_of(DONE["train"][0].of(lesson("train_a_head").own))
    as_if_trained(options)
    yield
    del runs.RUNS._done[options]
    runs._measured.clear()


def before(moment: State) -> State:
    return State(core=example_start(moment.core.example))


def events_of(app) -> dict[str, HourEvent]:
    return visit(app).record.progress.events


def looked_back(record: str, language: str) -> str:
    """What *You can now* says to a browser with this record."""
    app = open_page("practice", None, looking(language=language), Place(part="you_can"))
    visit(app).record.progress = read(record, COURSE)
    return said(again(app))


def numbers_in(text: str) -> list[str]:
    return sorted(re.findall(r"[−\d][\d.]*\d|\d", text))


def test_every_stop_but_the_exercises_is_tried_here():
    assert {stop.part for stop in COURSE.stop_numbers} - DONE.keys() == {"three"}


@each_stop
def test_numbers_that_are_brought_are_no_event_and_a_gesture_on_the_page_is(stop):
    moment, later = DONE[stop.part]
    app = again(opened(stop.lesson, stop.part, moment, answers=()))
    assert events_of(app) == {}
    visit(app).acted = "one_head/picture"  # what was done elsewhere brings numbers too
    assert events_of(again(app)) == {}
    assert events_of(act(app, before(moment))) == {}
    app.query_params.clear()
    for key, text in to_query(moment, View(), Place(part=stop.part)).items():  # a link, in the same tab
        app.query_params[key] = text
    assert events_of(again(app)) == {} and visit(app).state == moment
    other = moment.having(Scores((1.0, 2.0)))  # a gesture that the task does not need
    assert events_of(act(app, other)) == {} and visit(app).acted == stop.name
    assert events_of(act(app, before(moment))) == {}
    [(name, event)] = events_of(act(app, moment)).items()
    page = frame.page_of(stop.lesson, visit(app))
    assert name == stop.name
    for language in LANGUAGES:  # no word of a language is a fact
        told = replace(page, t=Texts(language, stop.lesson))
        assert event.takeaway == hour._takeaway(told, stop)
    act(app, later)
    assert events_of(act(app, before(moment))) == {name: event}


@each_stop
def test_the_end_has_the_numbers_of_the_moment_in_either_language_and_after_a_reload(stop):
    moment, later = DONE[stop.part]
    app = act(opened(stop.lesson, stop.part, before(moment), answers=()), moment)
    takeaway = events_of(app)[stop.name].takeaway
    told = {language: hour.tell(Texts(language, stop.lesson), stop.part, takeaway) for language in LANGUAGES}
    act(app, later)
    reloaded = open_link(stop.lesson, {"lang": "en", "part": stop.part})
    visit(reloaded).record.progress = read(text_of(visit(app).record.progress), COURSE)
    act(act(reloaded, moment), later)
    for language, sentence in told.items():
        assert sentence in looked_back(text_of(visit(reloaded).record.progress), language)
        assert sentence != Texts(language, stop.lesson)(f"stop.{stop.part}_kept")
    assert numbers_in(told["en"]) == numbers_in(told["zh"]) != []
    assert told["en"] != told["zh"]


@pytest.mark.parametrize(
    "there", [{"presenting": True}, {"plan": Plan((Stop("one_head"),))}, {"vote": "abcdef"}], ids=str
)
def test_what_is_done_before_a_class_is_no_event(there):
    moment, _ = DONE["hand"]
    app = opened("one_head", "hand", before(moment), answers=())
    visit(app).view = replace(visit(app).view, **there)
    assert events_of(act(app, moment)) == {}
    visit(app).view = replace(visit(app).view, presenting=False, plan=None, vote="")
    assert events_of(again(app)) == {}


@each_stop
def test_an_answer_alone_makes_half_a_mark_and_the_minutes_stay(stop):
    questions = COURSE.questions_of(stop)
    progress = Progress()
    for question in questions:
        progress = progress.choosing(question, "a")
    app = open_link("masks", {"lang": "en", "part": "compare"})
    visit(app).record.progress = progress
    [label] = [
        link.proto.label
        for link in again(app).sidebar.get("page_link")
        if f"part={stop.part}" in link.proto.query_string.split("&")
    ]
    assert hour.MARKS["begun" if questions else "open"] in label
    assert Texts("en")("hour.task_open") in label and progress.minutes_left(COURSE) == ALL
    done = progress.doing(stop.name, HourEvent())
    assert done.minutes_left(COURSE) == ALL - stop.minutes and done.full(COURSE) == {stop}


def test_a_stop_without_a_task_is_done_once_all_its_questions_are_answered(monkeypatch):
    monkeypatch.setattr(hour, "has_task", lambda t, stop: False)
    first, second = Question("library_equal", ("middle",), "middle"), Question("second", ("a",), "a")
    one_head = lesson("one_head")
    parts = [replace(p, asks=(first, second)) if p.name == "library" else p for p in one_head.parts]
    course = replace(COURSE, taught=(replace(one_head, parts=tuple(parts)), *COURSE.taught[1:]))
    app = opened("one_head", "library", answers=())
    visit(app).course = course
    answered = Progress()
    for question in (first, second):
        visit(app).record.progress = answered
        again(app)
        assert events_of(app) == {} and visit(app).record.progress.minutes_left(course) == ALL
        answered = answered.choosing(question.name, question.right)
    visit(app).record.progress = answered
    assert events_of(again(app)).keys() == {LIBRARY.name}


TEXT = "<b>x</b> $x$ :red[y] [z](https://z) W_Q"
FACTS = {"request": TEXT, "mixture": "(1, 2)", "share": "0.50"}


def record_with(*event: object) -> str:
    return json.dumps({"events": {LIBRARY.name: list(event)}})


def test_facts_of_a_record_are_text_and_never_markup():
    sentence = looked_back(record_with(20_000, "keep", FACTS), "en")
    assert literal(TEXT) in sentence and TEXT not in sentence


@pytest.mark.parametrize(
    "event",
    [
        (1, "keep_same", FACTS),
        (1, "task", {}),
        (1, "why", FACTS),
        (1, "keep", {**FACTS, "more": "1"}),
        (1, "keep", {"request": "1"}),
        (1, "keep", FACTS | {"share": 0.5}),
        (1, "keep", FACTS | {"share": None}),
        (1, "keep", FACTS | {"share": [["a"]]}),
        (1, "keep", FACTS | {"share": "a\nb"}),
        (1, "keep", FACTS | {"share": "\ud800"}),
        (1, "keep", FACTS | {"share": "9" * 2_001}),
        (1, "keep", FACTS | {"share": ["9"] * 2_001}),
        (1, "keep", [FACTS]),
        (1, ["keep"], FACTS),
        (-1, "keep"),
        ({}, "keep", None),
        (10**400, "", {}),
        (),
    ],
    ids=lambda event: json.dumps(event)[:60],
)
def test_an_event_of_any_shape_has_a_mark_and_a_sentence_without_numbers(event):
    progress = read(record_with(*event), COURSE)
    assert progress.full(COURSE) == {LIBRARY}
    for language in LANGUAGES:
        t = Texts(language, "one_head")
        takeaway = progress.events[LIBRARY.name].takeaway
        assert hour.tell(t, "library", takeaway) == t("stop.library_kept")


@pytest.mark.parametrize(
    "name", ["", "one_head", "one_head/picture", "practice/you_can", "x/y", "../library"]
)
def test_a_place_that_is_no_stop_has_no_event(name):
    record = {"events": {name: [1, "keep", FACTS]}, "tasks": [name]}
    assert read(json.dumps(record), COURSE).events == {}


def test_the_first_of_two_events_stays():
    first, second = (HourEvent(day, Takeaway(FACTS)) for day in (1, 2))
    kept, own = (Progress().doing(LIBRARY.name, event) for event in (first, second))
    assert kept.doing(LIBRARY.name, second).events == own.joined(kept).events == {LIBRARY.name: first}
