"""The frame of a lesson: its end, and what it shows on a server that has not imported PyTorch yet."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.draw.texts import Texts
from pages.model import core
from pages.model.view import Place, View
from pages.shell import entry, frame
from tests.support.course import COURSE, LESSONS, LISTED, PLACES, gives_blocks, lesson
from tests.support.programs import ROOT
from tests.support.screen import open_page, pictures, said, shown, unfolded, visit
from tests.support.states import looking, start_of

IN_BLOCKS = [(at.lesson, at.part, at.topic) for at in PLACES if gives_blocks(at)]
ENDING = [name for name in LESSONS if lesson(name).ending is not None]


def places(block, above=()):
    """The elements of a page, each with its place in the tree of containers."""
    for index, child in block.children.items():
        place = (*above, index)
        if hasattr(child, "children"):
            yield from places(child, place)
        else:
            yield place, child


def place_of_the_picture(app):
    """Where the first picture is."""
    return next(place for place, one in places(app.main) if one.type == "bidi_component" and one.proto.bytes)


def test_the_picture_comes_where_the_inputs_waited(monkeypatch):
    """Streamlit hides an element as soon as a container comes in its place, before anything is in that."""
    with monkeypatch.context() as fresh:
        fresh.setattr(core, "is_ready", lambda: False)
        fresh.setattr(core, "load", st.stop)
        waiting = open_page()
    drawn = open_page()
    assert [[m["id"] for m in one["matrices"]] for one in pictures(waiting)] == [["x", "w_q", "w_k", "w_v"]]
    assert place_of_the_picture(waiting) == place_of_the_picture(drawn)


@pytest.mark.exhaustive("name")
@pytest.mark.parametrize(("name", "part", "topic"), IN_BLOCKS)
def test_a_part_has_the_same_tree_whole_and_with_places(name, part, topic, monkeypatch):
    """Else an answer would make the browser draw all of it again: the page gets short, and scrolls."""

    def tree():
        view = looking(answers=shown(name))
        app = open_page(name, start_of(name), view, Place(part, topic=topic))
        return [(place, one.type) for place, one in places(app.main) if one.type != "empty"]

    tree()  # what takes long is then kept, and leaves no place for its note any more
    with_places = tree()
    monkeypatch.setattr(frame, "_shape", lambda page: ())
    assert tree() == with_places


@pytest.mark.parametrize("name", ENDING)
def test_what_was_seen_is_said_after_the_answers_that_it_gives_away(name):
    last = lesson(name).last
    ending, _, _ = Texts("en", name)(f"ask.{lesson(name).ending}").partition("{")
    elsewhere = tuple(sorted(pair for pair in shown(name) if pair[0] not in last.questions))
    asking = said(open_page(name, view=View(answers=elsewhere), place=Place(part=last.name)))
    answered = said(open_page(name, view=View(answers=shown(name)), place=Place(part=last.name)))
    summary = Texts("en")("frame.summary")
    assert (summary in asking, summary in answered) == (not last.questions, True)
    assert ending in asking and ending in answered


def test_the_end_lists_only_what_the_learner_has_seen():
    app = open_page(
        "flash_attention", view=View(answers=(("flash_ops", "shown"),)), place=Place(part="moves")
    )
    assert [line for line in told(app) if line] == ["three"]
    for part in ("row", "tiles"):
        record = visit(app).record
        record.progress = record.progress.seeing("flash_attention", part)
    assert told(app.run()) == ["one", "two", "three"]


def test_every_sentence_of_an_end_names_parts_that_are_there():
    for one in COURSE.lessons:
        names = {part.name for part in one.parts}
        assert all(set(parts) <= names and parts for parts in one.told)
        assert one.ending is None or one.told or one.name in ("real_heads", "train_a_head")


def told(app) -> list[str]:
    """Which sentences of the end of FlashAttention are on the page, by how each begins."""
    text, t = said(app), Texts("en", "flash_attention")
    return [name for name in ("one", "two", "three") if t(f"summary.{name}").partition("{")[0] in text]


def test_the_apps_own_address_has_the_same_links():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    links = [link.proto for link in unfolded(app, "lessons", "inside").sidebar.get("page_link")]
    assert [link.page for link in links if not link.query_string] == [*LISTED]


def test_an_answer_does_not_take_the_goals_away_from_above_the_question():
    """They are in the lesson's About and, at the first visit, above all that would jump without them."""
    goals = Texts("en", "softmax")("lesson.goals")
    app = unfolded(open_page("softmax"), "goals", "about")
    assert said(app).count(goals) == 2
    app.button(key="guess-soft_three-shown").click().run()
    assert visit(app).view.answers
    assert said(app).count(goals) == 2
    app.session_state["about"] = False
    assert said(app.run()).count(goals) == 1  # a closed popover is empty again


def test_a_page_that_is_run_without_app_py_runs_it_and_goes_on_to_its_end(monkeypatch):
    """Streamlit runs it so for the first visitor; st.stop() would drop what he clicks during that run."""
    ran = []
    monkeypatch.setattr(entry.runpy, "run_path", lambda path, run_name: ran.append((path, run_name)))
    monkeypatch.setattr(frame.session, "enter", None)  # the page draws nothing more
    assert frame.show("one_head") is None
    assert ran == [(str(ROOT / "app.py"), "__main__")]
    with entry.routing():
        assert not entry.through_app()


def test_numbers_that_are_kept_are_said_to_be_kept():
    app, t = open_page("many_heads", place=Place("overview")), Texts("en")
    assert app.button("give_mine").label == t("frame.give")
    app.button("give_mine").click().run()
    assert app.button("give_mine").label == t("frame.gave") and app.button("give_mine").disabled
