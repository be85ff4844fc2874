"""The visit: undo, the link, answers, and messages that come in any order."""

import functools
import json
from dataclasses import replace

import pytest
import streamlit as st

from pages import session
from pages.lessons.cost import settings as cost
from pages.model import edits, handout
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.stories import STORIES, start, with_word
from pages.model.view import Place, View
from pages.session.visit import Replacement
from tests.support.course import COURSE
from tests.support.states import looking, many_numbers, with_own

START = Settings()


@pytest.fixture
def visit(monkeypatch):
    """A visit by a link without Streamlit: the session state and the query are plain dicts."""
    return begun(monkeypatch, {"example": "cats"})


def begun(monkeypatch, link, language="en-US"):

    class Context:
        locale, url = language, "http://127.0.0.1/one_head"

    class Query(dict):
        def from_dict(self, values):
            self.clear()
            self.update(values)

        def to_dict(self):
            return dict(self)

    state, query = {}, Query(link)
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "query_params", query)
    monkeypatch.setattr(st, "context", Context)
    session.begin(COURSE)
    visit = session.visit()
    visit.widgets, visit.query, visit.context = state, query, Context
    drawn(visit)
    return visit


def drawn(visit, taker=None):
    """The picture p is on the page."""
    session.picture("p", lambda sent: sent, taker)
    session.leave_old_edits("p")


def sent(seq, *changes, gesture=1, held=False):
    cells = [{"matrix": m, "row": r, "col": c, "value": v} for m, r, c, v in changes]
    return {"seq": seq, "gesture": gesture, "held": held, "edits": cells}


def test_the_edits_of_one_gesture_are_undone_together(visit):
    for seq in range(1, 6):
        session.take_edits("p", sent(seq, ("x", 0, 0, seq / 10), held=True))
    session.take_edits("p", sent(6, ("x", 0, 1, 3.0), gesture=2))
    session.undo()
    assert session.settings() == edits.set_cell(START, "x", 0, 0, 0.5)
    session.undo()
    assert session.settings() == START
    session.redo()
    session.redo()
    assert session.settings().x[0][:2] == (0.5, 3.0)


def test_a_message_is_taken_in_once(visit):
    session.take_edits("p", sent(1, ("x", 0, 0, 7.0)))
    session.undo()
    session.take_edits("p", sent(1, ("x", 0, 0, 7.0)))
    assert session.settings() == START


def test_a_picture_with_a_taker_changes_no_setting(visit):
    """Also where its entry comes in one run with a button."""
    taken = []
    drawn(visit, taken.append)
    session.take_edits("p", sent(1, ("weights", 0, 0, 7.0)))
    visit.widgets["p"] = {"edit": sent(2, ("weights", 0, 1, 8.0))}
    session.reset()
    assert [(one["col"], one["value"]) for one in taken] == [(0, 7.0), (1, 8.0)]
    assert session.settings() == START
    assert not session.take_problems()


def test_what_a_lesson_keeps_lasts_for_the_visit_and_stands_in_no_link(visit):
    before = session.link_of("practice")
    session.memory("notes", dict)["a"] = 1
    assert session.memory("notes", dict) == {"a": 1}
    assert session.link_of("practice") == before


@pytest.mark.parametrize("button", [session.undo, session.redo, session.reset])
def test_an_entry_that_comes_with_a_button_is_taken_in_first(visit, button):
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 5.0))
    visit.widgets["p"] = {"edit": sent(1, ("x", 0, 0, 90.0))}
    button()
    left = {session.undo: 5.0, session.redo: 90.0, session.reset: 1.0}[button]
    assert session.settings().x[0][0] == left
    session.take_edits("p", visit.widgets["p"]["edit"])  # its own callback, later in the same run
    assert session.settings().x[0][0] == left


def test_what_the_browser_told_a_server_before_this_one_does_not_wait(visit):
    visit.inbox.pictures.clear()
    visit.widgets["p"] = {"edit": sent(5, ("x", 0, 0, 90.0))}
    drawn(visit)
    session.edit(lambda now: now)
    assert session.settings() == START
    visit.widgets["p"] = {"edit": sent(6, ("x", 0, 0, 7.0))}
    drawn(visit)
    session.edit(lambda now: now)
    assert session.settings().x[0][0] == 7.0


def test_a_refused_edit_says_why_and_changes_nothing(visit):
    session.take_edits("p", sent(1, ("x", 9, 0, 1.0)))
    assert session.settings() == START
    assert [problem.code for problem in session.take_problems()] == ["out_of_range"]
    assert session.take_problems() == []


def test_of_many_refused_edits_a_few_are_said_and_the_good_ones_count(visit):
    """One bad cell does not spoil the others."""
    session.edit(lambda now: edits.resize(now, d_model=16, num_heads=8, d_k=16, d_v=16))
    bad = [("w_o", row, col, 1e300) for row in range(128) for col in range(16)]
    session.take_edits("p", sent(1, *bad, ("x", 0, 0, 7.0)))
    problems = session.take_problems()
    assert [problem.code for problem in problems] == ["too_large"] * 4 + ["more_problems"]
    assert problems[-1].facts == {"count": len(bad) - 4}
    assert session.settings().x[0][0] == 7.0


def test_a_number_that_is_far_too_large_blocks_no_later_message(visit):
    for seq in (2**53 - 1, 1):
        session.take_edits("p", sent(seq, ("x", 0, 0, 7.0)))
    assert session.settings().x[0][0] == 7.0
    assert [session.is_new_command("p", number) for number in (2**53 - 1, 1, 1)] == [False, True, False]


def test_after_a_restart_of_the_server_a_message_goes_on_with_its_number(visit):
    session.take_edits("p", sent(50_000, ("x", 0, 0, 7.0)))
    assert session.settings().x[0][0] == 7.0


def test_undo_reset_and_examples_leave_place_and_answers(visit):
    session.go("softmax", part="axes", row=1)
    session.answer("wide_row", "one")
    session.edit(lambda now: edits.example_start("copy"))
    session.reset()
    session.undo()
    session.undo()
    assert session.settings() == START
    assert session.place("softmax") == Place("axes", 1)
    assert session.view().answer("wide_row") == "one"


def test_the_part_and_the_row_belong_to_their_lesson(visit):
    session.go("masks", part="wrong", row=2)
    session.go("softmax", part="jacobian")
    assert session.place("masks") == Place("wrong", 2)
    assert session.place("one_head") == Place()
    assert "row" not in session.link_of("softmax")
    assert [session.link_of(name).get("part") for name in ("masks", "softmax", "one_head")] == [
        "wrong", "jacobian", None
    ]  # fmt: skip


def test_answers_of_a_lesson_are_cleared_alone(visit):
    session.answer("wide_row", "one")
    session.answer("split", "a")
    session.ask_again(["wide_row"])
    assert session.view() == View(answers=(("split", "a"),))


def test_the_piece_that_a_browser_holds_counts_for_one_answer_to_a_new_message(visit):
    known = visit.inbox.pictures["p"]
    for seq, wanted in ((1, "a"), (1, ""), (3, "a"), (2, "")):
        session.take_edits("p", sent(seq) | {"still": "a"})
        assert session.piece_held(known) == wanted and session.piece_held(known) == ""
    session.take_edits("p", sent(4))
    assert session.piece_held(known) == ""


def test_the_link_is_written_when_the_hand_rests(visit):
    visit.query.update(session.link_of("one_head"))
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0), held=True))
    session.write_link("one_head")
    assert "x" not in visit.query
    session.take_edits("p", sent(2, held=False))
    session.write_link("one_head")
    assert visit.query == session.link_of("one_head")
    assert "x" in visit.query


def test_a_link_that_says_nothing_of_the_numbers_leaves_them(visit):
    visit.query.update(session.link_of("one_head"))
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0)))
    session.write_link("one_head")
    visit.query.from_dict({"lang": "zh"})
    session.open_link()
    assert session.settings().x[0][0] == 2.0 and session.view().language == "zh"


@pytest.mark.parametrize("locale, example", [("en-US", "tired"), ("zh-CN", "tired_zh"), (None, "tired")])
def test_a_visit_without_a_link_begins_with_the_sentence_of_the_course(monkeypatch, locale, example):
    visit = begun(monkeypatch, {"embed": "true"}, locale)
    assert visit.bare and session.settings() == edits.example_start(example)


def test_an_address_without_a_link_is_filled_in_by_the_browser(monkeypatch):
    visit = begun(monkeypatch, {})
    link = {"lang": "en", "example": "tired"}
    assert session.link_to_fill("one_head") == link
    session.write_link("one_head")
    assert visit.query == {}
    visit.query.update(link)  # the browser did
    assert session.link_to_fill("one_head") is None
    session.write_link("one_head")
    assert visit.query == link


def test_an_edit_that_comes_before_the_browser_has_filled_in_the_link_is_in_the_address(visit):
    session.link_to_fill("one_head")
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0)))
    session.write_link("one_head")
    assert visit.query == session.link_of("one_head") and "x" in visit.query


def test_back_in_the_browser_brings_the_state_before(visit):
    session.enter("one_head")
    visit.query.update(session.link_of("one_head"))
    before = dict(visit.query)
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0)))
    session.write_link("one_head")
    visit.query.from_dict(before)
    session.open_link()
    session.enter("one_head")
    assert session.settings() == START
    session.undo()
    assert session.settings().x[0][0] == 2.0


def test_a_gesture_that_was_on_its_way_with_the_link_before_loses_nothing(visit):
    """As a number that is typed and, before the browser has its link, a click on the language."""
    session.enter("one_head")
    session.write_link("one_head")
    before = dict(visit.query)
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0)))
    session.write_link("one_head")
    visit.query.from_dict(before)
    session.set_view(language="zh")
    session.open_link()
    assert (session.view().language, session.settings().x[0][0]) == ("zh", 2.0)
    session.write_link("one_head")
    assert visit.query == session.link_of("one_head")
    visit.query.from_dict(before)  # now it was the reader who went back
    session.open_link()
    assert (session.view().language, session.settings()) == ("en", START)


def test_the_older_query_of_a_run_that_a_fragment_asks_for_is_not_opened(visit, monkeypatch):
    monkeypatch.setattr(st, "rerun", lambda: None, raising=False)
    visit.query.update(session.link_of("one_head"))
    older = dict(visit.query)
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0)))
    session.write_link("one_head")
    visit.query.from_dict(older)  # what the fragment's run has, and so the run that it asks for
    session.rerun()
    session.open_link()
    assert session.settings().x[0][0] == 2.0
    session.write_link("one_head")
    visit.query.from_dict(older)  # now it was the reader who went back
    session.open_link()
    assert session.settings() == START


def test_the_way_to_another_page_drops_the_query_and_keeps_the_state(visit):
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0)))
    session.write_link("one_head")
    visit.query.clear()
    visit.context.url = "http://127.0.0.1/softmax"
    session.open_link()
    assert session.settings().x[0][0] == 2.0


def test_the_link_is_right_also_when_the_browser_is_a_run_behind(visit):
    """Two quick runs: the second one's query is still the link from before the first."""
    before = session.link_of("one_head")
    visit.query.update(before)
    session.write_link("one_head")
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 90.0))
    session.write_link("one_head")
    visit.query.from_dict(before)  # as the browser had it when it asked for the next run
    session.undo()
    written = []
    visit.query.from_dict = written.append
    session.write_link("one_head")
    assert written == [before]


# ---- what is replaced


def test_what_an_example_replaces_is_said_until_the_next_change(visit):
    session.edit(lambda now: edits.set_cell(now, "w_q", 0, 0, 5.0))
    session.load(lambda now: edits.example_start("library"))
    assert session.replacement() == Replacement(("w_q",), "library")
    session.go("one_head", row=1)
    session.set_view(language="zh")
    assert session.replacement()
    session.take_edits("p", sent(1, ("x", 0, 0, 7.0)))
    assert session.replacement() is None


@pytest.mark.parametrize("way", ["part", "link", "lesson"])
def test_what_was_replaced_is_not_said_in_another_part_or_lesson(visit, way):
    session.write_link("one_head")
    session.edit(lambda now: edits.set_cell(now, "w_q", 0, 0, 5.0))
    session.load(lambda now: edits.example_start("library"))
    session.write_link("one_head")
    session.open_link()
    assert session.replacement()
    if way == "part":
        session.go("one_head", part="predict")
    elif way == "link":
        visit.query.from_dict(session.link_of("one_head") | {"part": "predict"})
        session.open_link()
    else:
        visit.context.url = "http://127.0.0.1/softmax"
        visit.query.clear()
        session.open_link()
    assert session.replacement() is None and session.settings().example == "library"


def test_reset_leads_back_to_no_step_and_no_cell(visit):
    session.enter("one_head")
    session.go("one_head", part="picture", row=1, step="scores", cell=("output", 1, 2))
    session.edit(lambda now: edits.set_cell(now, "w_q", 0, 0, 5.0))
    session.reset()
    assert session.place("one_head") == Place("picture", 1)


@pytest.mark.parametrize(
    ("lesson", "act", "stays"),
    [
        ("one_head", lambda: session.go("one_head", step="weights"), (1, ("scores", 1, 2))),
        ("one_head", lambda: session.go("one_head", part="picture"), (1, ("scores", 1, 2))),  # where it is
        ("one_head", lambda: session.go("one_head", part="roles"), (1, None)),
        ("one_head", lambda: session.go("one_head", topic="swap"), (1, None)),
        ("one_head", lambda: session.load(lambda now: edits.example_start("library")), (None, None)),
        ("one_head", lambda: session.load(lambda now: now), (1, ("scores", 1, 2))),
        ("practice", lambda: session.set_view(exercise=2), (1, None)),
        ("practice", lambda: session.set_view(exercise=1), (1, ("scores", 1, 2))),  # where it is
    ],
)
def test_a_chosen_cell_goes_with_its_picture(visit, lesson, act, stays):
    session.enter(lesson)
    session.go(lesson, part="picture", row=1, cell=("scores", 1, 2))
    act()
    assert (session.place(lesson).row, session.place(lesson).cell) == stays


def test_undo_and_redo_are_idle_as_long_as_they_have_nothing_to_do(visit):
    session.mark_drawn()
    assert session.visit().idle == "undo redo"
    session.take_edits("p", sent(1, ("x", 0, 0, 8.0)))
    assert session.visit().idle == "redo" and session.is_drawn()  # an edit draws nothing but its picture
    session.undo()
    assert session.visit().idle == "undo" and not session.is_drawn()
    session.take_edits("p", sent(2, ("x", 0, 0, 5.0), gesture=2))
    assert session.visit().idle == "redo"


def test_undo_beside_it_brings_the_entries_back(visit):
    session.edit(lambda now: edits.set_cell(now, "w_q", 0, 0, 5.0))
    session.reset()
    assert session.replacement() == Replacement(("w_q",), "cats")
    session.undo()
    assert session.settings().w_q[0][0] == 5.0 and session.replacement() is None


def test_numbers_of_an_example_are_replaced_without_a_word(visit):
    session.edit(lambda now: edits.with_choice(now, mask="causal"))
    session.load(lambda now: edits.example_start("library"))
    session.reset()
    assert session.replacement() is None


def test_what_a_link_replaces_is_said(visit):
    session.enter("one_head")
    session.write_link("one_head")
    session.edit(lambda now: edits.set_cell(now, "w_q", 0, 0, 5.0))
    visit.query.from_dict({"lang": "en", "example": "copy"})
    session.open_link()
    session.enter("one_head")
    assert session.replacement() == Replacement(("w_q",), None)


@pytest.mark.parametrize("step", [session.undo, session.redo, session.reset])
def test_undo_redo_and_reset_reach_the_picture_also_where_they_change_nothing(visit, step):
    before = visit.screen.stamp
    step()
    assert session.settings() == START and visit.screen.stamp != before


def test_a_gesture_that_ends_where_it_began_is_no_step_of_undo(visit):
    for seq, value in enumerate((2.0, 3.0, 1.0), start=1):
        session.take_edits("p", sent(seq, ("x", 0, 0, value), held=True))
    assert session.settings() == START and not visit.history.past
    session.take_edits("p", sent(4, ("x", 0, 0, 4.0)))
    session.undo()
    assert session.settings() == START


def test_a_gesture_that_begins_without_a_change_is_a_step_of_its_own(visit):
    session.take_edits("p", sent(1, ("x", 0, 0, 2.0), gesture=1))
    session.take_edits("p", sent(2, ("x", 0, 0, 2.0), gesture=2))
    session.take_edits("p", sent(3, ("x", 0, 0, 3.0), gesture=2))
    session.undo()
    assert session.settings().x[0][0] == 2.0


# ---- a lesson's own numbers


def test_reset_touches_the_core_and_the_present_lesson_alone(visit):
    session.enter("softmax")
    session.set_own(temperature=3.0, logits=(1.0, 2.0))
    session.enter("cost")
    session.set_own(cost_n=7)
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 2.0))
    session.reset()
    assert session.state() == with_own(State(), temperature=3.0, logits=(1.0, 2.0))
    session.undo()
    assert session.state().of(cost.CostNumbers).cost_n == 7 and session.settings().x[0][0] == 2.0


def test_an_example_changes_the_core_alone(visit):
    session.enter("softmax")
    session.set_own(temperature=3.0)
    session.load(lambda now: edits.example_start("copy"))
    assert session.state() == with_own(edits.example_start("copy"), temperature=3.0)
    assert session.replacement() is None


OWNERS = [lesson.name for lesson in COURSE.lessons if lesson.owner(Place())]


def test_numbers_of_a_place_have_an_undo_of_their_own(visit):
    session.enter("softmax")
    session.set_own(temperature=3.0)
    session.enter("many_heads")
    heads = edits.example_start("tired_heads")
    session.undo()
    assert session.settings() == heads and session.state().own == with_own(START, temperature=3.0).own
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 2.5))
    session.enter("softmax")
    session.undo()
    assert session.state() == with_own(START) and session.visit().idle == "undo"
    session.enter("many_heads")
    session.undo()
    assert session.settings() == heads


@pytest.mark.parametrize("name", STORIES)
def test_a_story_s_word_leaves_the_learner_s_numbers_alone(visit, name):
    session.enter("one_head")
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 2.5))
    mine, story = session.settings(), STORIES[name]
    session.go("one_head", part="meaning", topic=name)
    assert session.settings() == start(story)
    word = list(story.words)[-1]
    session.load(lambda now: with_word(now, story, word))
    session.go("one_head", part="picture")
    assert session.settings() == mine and session.replacement() is None
    session.go("one_head", part="meaning")
    assert session.settings() == with_word(start(story), story, word)
    session.give_mine()
    session.go("one_head", part="picture")
    assert session.settings() == with_word(start(story), story, word)
    session.undo()
    assert session.settings() == mine


def test_undo_leaves_what_another_place_has_changed_since(visit):
    session.enter("cost")
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 2.5))
    session.enter("many_heads")
    session.set_own(query_factor=2.0)
    session.enter("cost")
    session.undo()
    assert session.state() == with_own(START, query_factor=2.0)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", OWNERS)
def test_a_place_with_numbers_of_its_own_leaves_the_learner_s_alone(visit, name, language):
    session.set_view(language=language)
    session.enter("one_head")
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 2.5))
    mine = session.settings()
    session.enter("cost")
    assert session.settings() == mine and session.mine() is None
    session.enter(name)
    begun = session.settings()
    assert begun == edits.example_start(COURSE.pages[name].begins(language, Place()))
    assert session.mine() == mine
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 9.0))
    changed = session.settings()
    for other in ("one_head", *(other for other in OWNERS if other != name)):
        session.enter(other)
        assert session.settings() != changed
    session.enter("one_head")
    assert session.settings() == mine
    session.enter(name)
    assert session.settings() == changed
    session.reset()
    assert session.settings() == begun
    session.take_mine()
    assert session.settings() == mine and session.is_mine()
    session.undo()
    assert session.settings() == begun
    session.undo()
    assert not session.is_mine()
    session.give_mine()
    assert session.is_mine()
    session.enter("softmax")
    assert session.settings() == changed
    session.undo()
    assert session.settings() == mine


TRIED = {"part": "picture", "target": "query_street"}


@pytest.mark.parametrize(("name", "there"), [("many_heads", {}), ("one_head", TRIED)])
def test_the_learner_s_numbers_outlast_a_reload_where_a_place_shows_others(visit, monkeypatch, name, there):
    session.enter("one_head")
    session.edit(lambda core: edits.resize(edits.set_cell(core, "x", 0, 0, 2.5), num_heads=2))
    mine = session.settings()
    assert session.of_tab() is None
    session.enter(name)
    session.go(name, **there)
    kept, here, link = json.dumps(session.of_tab().to_json()), session.settings(), session.link_of(name)
    assert here != mine
    for tab in (kept, json.dumps({"mine": {"x": "?", "heads": "99"}}), json.dumps({"mine": {}})):
        after = begun(monkeypatch, link)
        session.enter(name)
        session.recall({"record": "", "tab": tab})
        assert session.settings() == here and not after.problems
        session.enter("softmax")
        assert (session.settings() == mine) == (tab == kept)
        session.recall({"record": "", "tab": kept})
        assert (session.settings() == mine) == (tab == kept)  # what is on the screen stays


@pytest.mark.parametrize("name", ["one_head", "many_heads"])
def test_the_learner_s_numbers_outlast_a_reload_in_a_class(visit, monkeypatch, name):
    scene = {"example": "bank"}
    session.enter("one_head")
    session.edit(lambda core: edits.set_cell(core, "x", 0, 0, 2.5))
    mine = session.settings()
    session.enter(name)
    session.follow_class(name, scene)
    kept, link = json.dumps(session.of_tab().to_json()), session.link_of(name)
    begun(monkeypatch, link)
    session.enter(name)
    session.follow_class(name, scene)
    session.recall({"record": "", "tab": kept})
    assert session.settings() == edits.example_start("bank")
    session.leave_class(follows=True)
    session.enter("softmax")
    assert session.settings() == mine


@pytest.mark.parametrize("name", ["one_head", "many_heads"])
def test_numbers_that_are_too_many_for_the_address_outlast_a_reload(visit, monkeypatch, name):
    """Neither a place with other numbers nor a link with numbers gets them, and no edit is lost to them."""
    session.enter(name)
    session.edit(lambda _: many_numbers(12))
    session.write_link(name)
    link, kept = dict(visit.query), json.dumps(session.of_tab().to_json())
    assert not link.keys() & COURSE.keys_of_numbers and session.settings() == many_numbers(12)
    session.open_link()  # as at every run
    assert session.settings() == many_numbers(12)
    other = next(one for one in ("one_head", "many_heads") if one != name)
    edit = functools.partial(session.edit, lambda core: edits.set_cell(core, "x", 0, 0, 2.5))
    for there, query, before, comes in (
        (name, link, str, True),
        (other, link, str, False),
        (name, link | {"example": "bank"}, str, False),
        (name, link, edit, False),
    ):
        after = begun(monkeypatch, query)
        session.enter(there)
        before()
        session.recall({"record": "", "tab": kept})
        assert (session.settings() == many_numbers(12)) == comes and not after.problems
        session.write_link(there)
        assert (dict(after.query) == link) == comes


def test_own_numbers_that_are_too_many_outlast_a_reload_where_a_place_shows_others(visit, monkeypatch):
    session.enter("one_head")
    session.edit(lambda _: many_numbers(12))
    session.enter("many_heads")
    session.write_link("many_heads")
    kept = json.dumps(session.of_tab().to_json())
    begun(monkeypatch, dict(visit.query))
    session.enter("many_heads")
    session.recall({"record": "", "tab": kept})
    session.enter("one_head")
    assert session.settings() == many_numbers(12)


def test_an_untouched_example_comes_in_the_language_of_the_reader(visit):
    session.enter("one_head")
    session.enter("many_heads")
    session.enter("cross_attention")
    session.set_view(language="zh")
    session.enter("many_heads")
    assert session.settings() == edits.example_start("tired_heads_zh")


@pytest.mark.parametrize("name", OWNERS)
def test_a_link_brings_numbers_to_its_place_alone(visit, name):
    session.enter("one_head")
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 2.5))
    mine = session.settings()
    session.write_link("one_head")
    visit.context.url = f"http://127.0.0.1/{name}"
    visit.query.from_dict({"lang": "en", "example": "copy"})
    session.open_link()
    session.enter(name)
    assert session.settings() == edits.example_start("copy") and session.replacement() is None
    session.enter("one_head")
    assert session.settings() == mine
    session.write_link("one_head")
    session.enter(name)
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 7.0))
    session.enter("one_head")
    visit.query.from_dict({"lang": "en", "example": "bank"})
    session.open_link()
    session.enter(name)
    assert session.settings() == edits.example_start("bank")
    assert session.replacement() == Replacement(("x",), None)
    session.undo()
    assert session.settings() == edits.set_cell(edits.example_start("copy"), "x", 0, 0, 7.0)
    session.enter("one_head")
    assert session.settings() == mine


def test_undo_and_redo_go_over_all_records_one_gesture_a_step(visit):
    session.enter("softmax")
    for seq, value in enumerate((1.5, 2.0, 2.5), start=1):
        session.take_edits("p", sent(seq, ("temperature", 0, 0, value), held=seq < 3))
    session.take_edits("p", sent(4, ("logits", 0, 1, 9.0), gesture=2))
    assert session.state() == with_own(State(), temperature=2.5, logits=(2.0, 9.0, 0.1))
    session.undo()
    assert session.state() == with_own(State(), temperature=2.5)
    session.undo()
    assert session.state() == State()
    session.redo()
    assert session.state() == with_own(State(), temperature=2.5)


def test_a_field_of_another_lesson_is_no_field_of_this_one(visit):
    session.enter("cost")
    session.set_own(temperature=3.0)
    assert session.state() == State()
    assert [problem.code for problem in session.take_problems()] == ["unknown_choice"]


def test_what_a_lesson_looks_at_is_no_step_of_undo(visit):
    session.enter("flash_attention")
    session.set_view(tile=3, head=1)
    assert session.view() == looking(tile=3, head=1) and session.link_of("flash_attention")["tile"] == "3"
    session.undo()
    assert session.view() == looking(tile=3, head=1)


def test_a_number_of_one_lesson_computes_nothing_of_another_anew(visit):
    session.enter("softmax")
    before = trace_of(session.settings())
    for value in (2.0, 3.0):
        session.set_own(temperature=value)
        assert trace_of(session.settings()) is before


def test_a_number_that_the_kind_of_position_does_not_read_makes_no_new_trace(visit):
    numbers = {"position_base": 50.0, "first_position": 3, "slope_factor": 2.0}
    reads = {"none": (), "sinusoidal": ("position_base", "first_position"), "alibi": ("slope_factor",)}
    reads |= {"learned": (), "rotary": reads["sinusoidal"]}
    for kind, read in reads.items():
        now = replace(session.settings(), position=kind)
        same = {
            name: trace_of(replace(now, **{name: value})) is trace_of(now) for name, value in numbers.items()
        }
        assert same == {name: name not in read for name in numbers}


def test_a_typed_link_to_a_lesson_s_own_number_leaves_the_others(visit):
    session.enter("softmax")
    session.edit(lambda now: edits.set_cell(now, "x", 0, 0, 2.0))
    session.set_own(shift=3.0)
    session.write_link("softmax")
    visit.query.from_dict({"lang": "en", "logits": "4,5"})
    session.open_link()
    assert session.settings().x[0][0] == 2.0
    assert session.state().own == with_own(State(), shift=3.0, logits=(4.0, 5.0)).own


def test_the_state_before_a_drag_is_known_until_the_hand_lets_go(visit):
    start = session.state()
    for seq in (1, 2):
        session.take_edits("p", sent(seq, ("x", 0, 0, seq / 10), held=True))
        assert session.visit().inbox.rest is start and session.state() != start
    session.take_edits("p", sent(3, ("x", 0, 0, 0.3)))
    assert session.visit().inbox.rest is None


def test_a_visit_is_found_by_its_name(visit):
    name = session.visit().name
    assert session.visit_by_id(name) is session.visit()
    assert all(session.visit_by_id(other) is None for other in ("", name + "a", None, 3, [name]))


def test_what_a_teacher_has_locked_is_refused_and_said(visit):
    plan = handout.Plan((handout.Stop("one_head", locked=("w_q",)),))
    now = session.visit()
    now.view, now.here = replace(now.view, plan=plan, stop=1), "one_head"
    session.edit(lambda settings: edits.set_cell(settings, "w_q", 0, 0, 9.0))
    assert session.settings() == START and [one.code for one in now.problems] == ["locked"]
    session.edit(lambda settings: edits.set_cell(settings, "x", 0, 0, 9.0))
    assert session.settings().x[0][0] == 9.0
    known = now.inbox.pictures["p"]
    after = session.visit_after(known, sent(1, ("w_q", 0, 0, 7.0), ("x", 0, 0, 3.0)))
    assert after.settings == edits.set_cell(START, "x", 0, 0, 3.0)
    assert session.settings().x[0][0] == 9.0 and len(now.problems) == 1
