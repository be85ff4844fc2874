"""The hour: its stops, their marks, the task above a part, the sentence to keep and the way on below it."""

import re
from dataclasses import replace

import pytest

from pages.ask.exercise.look import ExerciseLook
from pages.draw.texts import Texts
from pages.model.course import Course, HourStop
from pages.model.edits import example_start, set_cell
from pages.model.handout import Plan, parts_of, stop_of
from pages.model.progress import HourEvent, Progress
from pages.model.state import State
from pages.model.view import SHOWN, Place
from pages.model.words import with_sentence
from pages.session.visit import Numbers
from pages.shell import hour
from tests.support.course import COURSE
from tests.support.hour import act, module_of
from tests.support.screen import LANGUAGES, open_link, open_page, opened, said, visit
from tests.support.states import start_of, with_own

STOPS = pytest.mark.parametrize("stop", COURSE.hour, ids=lambda stop: stop.name)


def sidebar(app) -> dict[str, str]:
    """The stops in the sidebar: their labels, by the query of their links."""
    links = [link.proto for link in app.sidebar.get("page_link") if "lang=" in link.proto.query_string]
    return {f"{link.page} {link.query_string}": link.label for link in links}


@STOPS
def test_a_stop_can_be_filled_and_has_a_text_for_its_task(stop):
    has_task = hasattr(module_of(stop), "task")
    assert stop.ends or has_task or COURSE.questions_of(stop)
    for language in LANGUAGES:
        assert (f"{stop.part}_task" in Texts(language, stop.lesson).section("stop")) == has_task


@STOPS
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stop_begins_open_and_says_why_it_matters(stop, language):
    app = opened(stop.lesson, stop.part, answers=(), language=language)
    t, record = Texts(language, stop.lesson), visit(app).record
    assert app.title[0].value == t(f"stop.{stop.part}") and t(f"stop.{stop.part}_why") in said(app)
    assert stop.name not in record.progress.events  # judged after the run: the task is not done at the start
    assert record.progress.minutes_left(COURSE) == sum(one.minutes for one in COURSE.hour)
    lacks = [t(f"hour.{name}_open") for name in ("task", "question", "stops")]
    assert all(any(text in label for text in lacks) for label in sidebar(app).values())


@pytest.mark.parametrize("example", ["tired", "tired_zh"])
@pytest.mark.parametrize(("lesson", "part"), [("one_head", "hand"), ("masks", "no_looking")])
def test_a_task_names_tokens_that_are_on_the_page(lesson, part, example):
    """Also those of the other language, and renamed ones."""
    mine = example_start(example)
    mine = replace(mine, tokens=("dog", "road", *mine.tokens[2:]))
    app = opened(lesson, part, mine, answers=())
    [task] = [one.value for one in app.markdown if hour.MARKS["open"] in one.value]
    names = [name.partition(" ")[0] for name in re.findall("“(.*?)”", task)]  # a gloss may follow
    assert len(names) == 2 and set(names) <= set(mine.tokens)


@STOPS
def test_a_mark_is_full_after_the_event_and_not_after_a_glance_or_a_shown_answer(stop):
    def full(progress):
        return stop in progress.full(COURSE)

    others = Progress(events={one.name: HourEvent() for one in COURSE.stop_numbers})
    glanced = Progress().seeing(stop.lesson, stop.part)
    for question in COURSE.questions_of(stop):
        glanced = glanced.choosing(question, SHOWN)
    assert not full(glanced) and not glanced.answered(COURSE.questions_of(stop))
    assert full(glanced.doing(stop.name, HourEvent())) or stop.ends
    assert full(others) != stop.ends and full(others.seeing(stop.lesson, stop.part))


def test_a_task_is_done_once_the_hand_rests_and_leads_on(monkeypatch):
    stop = COURSE.hour[0]
    monkeypatch.setattr(module_of(stop), "task", lambda page: page.settings.x[0][0] == 7, raising=False)
    app = opened(stop.lesson, stop.part, answers=())
    t = Texts("en", stop.lesson)
    kept, reason = (t(f"stop.{stop.part}_{name}").partition("{")[0] for name in ("keep", "next"))
    own = visit(app)
    own.inbox.rest = own.state
    act(app, replace(own.state, core=set_cell(own.state.core, "x", 0, 0, 7.0)))
    assert stop.name not in visit(app).record.progress.events  # a hand holds the number
    assert kept not in said(app) and reason not in said(app)
    own.inbox.rest = None
    app.run()
    assert stop.name in visit(app).record.progress.events
    assert kept not in said(app) and reason in said(app)  # it may give away the open question
    app.button(key="guess-library_equal-middle").click().run()
    assert kept in said(app) and reason in said(app)
    left = sum(other.minutes for other in COURSE.hour) - stop.minutes
    assert t("hour.left", minutes=left) in [caption.value for caption in app.sidebar.caption]


@pytest.mark.parametrize("presenting", [False, True])
def test_an_answer_alone_tells_no_result_of_the_task(presenting):
    stop = next(stop for stop in COURSE.hour if stop.part == "no_looking")
    t = Texts("en", stop.lesson)
    app = opened(stop.lesson, stop.part, answers=(("causal", "0_0"),), presenting=presenting)
    if presenting:
        visit(app).revealed.add("causal")
        app.run()
    kept = t(f"stop.{stop.part}_keep").partition("{")[0]
    assert kept not in said(app)


def test_the_way_on_is_lit_once_the_task_and_the_question_are_done():
    def is_lit(answers, **own):
        app = act(opened("masks", "no_looking", answers=answers), with_own(start_of("masks"), **own))
        keys = {getattr(block.proto, "id", "") for block in blocks(app.main)}
        return any(key.endswith("next_stop") for key in keys)

    answers, done = (("causal", "0_0"),), {"causal": True, "barred": frozenset({(2, 0)})}
    assert not is_lit(answers) and is_lit(answers, **done)


def blocks(block):
    """The block, and all blocks in it."""
    yield block
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from blocks(child)


def test_the_whole_picture_has_the_numbers_and_the_mask_of_the_stop_and_leads_back():
    """The learner's own numbers stay."""
    stop = next(stop for stop in COURSE.hour if stop.whole and stop.lesson != COURSE.whole.lesson)
    there, mine = (set_cell(start_of(stop.lesson), "x", 0, 0, number) for number in (7.0, 8.0))
    app = opened(stop.lesson, stop.part, there, answers=(("causal", "0_0"),))
    visit(app).numbers[""] = Numbers(State(core=mine))
    act(app, with_own(there, causal=True, barred=frozenset({(2, 0)})))
    app.button("whole").click().run()
    shown = visit(app).state.core
    assert visit(app).here == COURSE.whole.lesson
    assert replace(shown, mask="none", blocked=there.blocked) == there
    assert shown.mask == "custom" and (2, 0) in shown.blocked and len(shown.blocked) == 4
    after = COURSE.stop_after(stop)
    onward = Texts("en", after.lesson)("hour.next", name=Texts("en", after.lesson)(f"stop.{after.part}"))
    assert onward in [link.proto.label for link in app.main.get("page_link")]
    app.button("back_to_stop").click().run()
    assert (visit(app).here, visit(app).place(stop.lesson).part) == (stop.lesson, stop.part)
    assert visit(app).state.core == shown and visit(app).numbers[""].state.core == mine
    app.button("whole").click().run()
    parts = [part.name for part in COURSE.pages[stop.lesson].parts]
    app.query_params.clear()
    app.query_params["part"] = next(part for part in parts if not COURSE.stop_at(stop.lesson, part))
    app.run()
    assert visit(app).state.core == mine and not visit(app).memory["stop_left"]


@STOPS
def test_a_stop_with_the_sentence_of_the_course_says_so_to_a_learner_with_another_one(stop):
    app = opened(stop.lesson, stop.part, answers=())
    owner = COURSE.pages[stop.lesson].owner(Place(part=stop.part))
    lines = Texts("en", stop.lesson)("frame.of_place"), Texts("en", "one_head")("sentence.other")
    mine = with_sentence(start_of("one_head"), "my cat likes fish", "en")
    visit(app).numbers[""] = Numbers(State(core=mine))
    app.run()
    assert not app.exception
    assert any(line in said(app) for line in lines) == owner.startswith("tired")


def test_a_link_of_the_path_leaves_numbers_and_looks_as_they_are():
    mine = set_cell(start_of("one_head"), "x", 0, 0, 7.0)
    app = opened("one_head", "picture", mine, head=0, answers=())
    own = visit(app)
    own.view = replace(own.view, own=(ExerciseLook(level="2"),))
    app.query_params.clear()
    stop = COURSE.hour[0]
    app.query_params["lang"], app.query_params["part"] = "en", stop.part
    app.run()
    assert visit(app).place("one_head").part == stop.part
    assert visit(app).state.core == mine and visit(app).view.of(ExerciseLook).level == "2"


def test_a_plan_is_without_the_hour_and_a_presentation_has_the_task_without_its_marks():
    stop = COURSE.hour[0]
    t = Texts("en", stop.lesson)
    app = open_link(stop.lesson, parts_of(Plan((stop_of(stop.lesson, {"part": stop.part}),)), 1, "en"))
    assert app.title[0].value == t("lesson.title") and not sidebar(app)
    app = open_page(stop.lesson, place=Place(part=stop.part), present="on")
    assert app.title[0].value == t(f"stop.{stop.part}")


def test_a_stop_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="nowhere"):
        Course(COURSE.taught, hour=(HourStop("one_head", "nowhere", 5),))
