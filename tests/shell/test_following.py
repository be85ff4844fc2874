"""A class follows its teacher, without a browser: who sees which numbers, and whose own numbers stay."""

import pytest
from streamlit.testing.v1 import AppTest

from pages import session
from pages.draw.texts import Texts
from pages.model import edits
from pages.model.handout import OwnQuestion, Plan, Stop, parts_of, stop_of
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.room import Away, MemoryStore, rooms
from pages.room.store import MAX_RECORD
from tests.support.screen import again, matrix, open_link, open_page, person_of, press, room_of, said, visit

T = {language: Texts(language, "one_head") for language in ("en", "zh")}


@pytest.fixture(autouse=True)
def store(monkeypatch):
    kept = MemoryStore()
    monkeypatch.setattr(rooms.ROOMS, "store", kept)
    return kept


def numbers(value: float) -> Settings:
    return edits.set_cell(edits.example_start("cats"), "x", 0, 0, value)


def keys(app: AppTest) -> set[str]:
    return {button.key for button in app.button}


def leading(language: str = "en", value: float = 0.25) -> AppTest:
    host = open_page("one_head", numbers(value), lang=language)
    host.session_state["share"] = True
    again(host)
    return press(host, "class_lead")


def follower(host: AppTest, language: str = "zh", lesson: str = "one_head") -> AppTest:
    return again(open_link(lesson, {"lang": language, "room": room_of(host)}))


def change(app: AppTest, value: float) -> AppTest:
    """The page after an edit of a number."""
    session.set_current_visit(visit(app))
    session.edit(lambda core: edits.set_cell(core, "x", 0, 0, value))
    return again(app)


def go(app: AppTest, **place: object) -> AppTest:
    session.set_current_visit(visit(app))
    session.go(visit(app).here, **place)
    return again(app)


def number(app: AppTest) -> float:
    """What the page shows in the first cell of X."""
    return matrix(app, "x")["values"][0][0]


def undo(app: AppTest) -> AppTest:
    return press(app, "undo")


def with_own_numbers(host: AppTest, value: float = 0.75) -> AppTest:
    """A learner with numbers, who enters the room of this page and follows."""
    student = open_page("one_head", numbers(value))
    student.query_params.clear()
    student.query_params.update({"lang": "zh", "room": room_of(host)})
    return again(student)


def test_a_follower_sees_the_place_and_the_numbers_in_the_own_language():
    """Of what the class does nothing is recorded."""
    host = leading()
    student = follower(host)
    before = visit(student).record.progress
    assert visit(student).here == "one_head" and visit(student).view.language == "zh"
    assert number(student) == 0.25
    assert T["zh"]("class.following") in said(student) and T["en"]("class.leading") in said(host)
    assert not keys(student) & {"class_lead", "class_copy", "class_stop"}
    change(host, 0.5)
    go(host, step="scores", cell=("weights", 1, 1), row=2)
    assert number(again(student)) == 0.5
    place = visit(student).place("one_head")
    assert (place.step, place.cell, place.row) == ("scores", ("weights", 1, 1), 2)
    go(host, part="predict")
    assert visit(again(student)).place("one_head").part == "predict"
    host.query_params.clear()
    host.query_params.update({"lang": "en", "room": room_of(host), "example": "masks"})
    session.set_current_visit(visit(host))
    host.switch_page("pages/masks.py")
    again(host)
    assert visit(again(student)).here == "masks" and visit(student).record.progress == before
    assert visit(student).settings == visit(host).settings


def test_the_own_numbers_wait_and_come_back_with_their_undo(store):
    """After a press, when the teacher stops, and when the room has gone."""
    host = leading()
    student = with_own_numbers(host)
    before = visit(student).numbers[""].state
    assert number(student) == 0.25 and before.core.x[0][0] == 0.75
    assert "class_leave" in keys(student) and "1-1_0.75" in str(student.query_params)  # as after a reload
    press(student, "class_leave")
    assert number(student) == 0.75 and visit(student).state == before
    assert T["zh"]("class.left") in said(student)
    change(host, 0.5)
    assert number(again(student)) == 0.75  # nobody is pulled back
    press(student, "class_follow")
    assert number(student) == 0.5
    change(host, 0.6)
    assert number(again(student)) == 0.6
    press(host, "class_stop")
    assert number(again(student)) == 0.75 and "class_lead" in keys(host)
    change(host, 0.25)
    assert number(again(student)) == 0.75
    press(host, "class_lead")
    assert number(again(student)) == 0.25
    store.close(room_of(host), person_of(host))
    assert visit(again(student)).state == before and not visit(student).view.vote


def test_who_changes_a_number_goes_on_with_a_copy_that_can_be_undone():
    host = leading()
    student = with_own_numbers(host)
    change(student, 9.0)
    assert number(student) == 9.0 and not visit(student).view.follows
    assert T["zh"]("class.left") in said(student)
    change(host, 0.5)
    assert number(again(student)) == 9.0
    assert number(undo(student)) == 0.25
    assert number(undo(student)) == 0.75


def test_who_goes_elsewhere_has_the_own_numbers_there():
    host = leading()
    student = with_own_numbers(host)
    go(student, part="predict")
    assert not visit(student).view.follows and visit(student).settings.x[0][0] == 0.75
    assert visit(student).place("one_head").part == "predict"
    press(student, "class_follow")
    student.switch_page("pages/masks.py")
    again(student)
    assert visit(student).here == "masks" and visit(student).settings.x[0][0] == 0.75
    assert not visit(student).view.follows


def test_everybody_gets_a_copy_once_and_undo_brings_the_own_numbers_back():
    host = leading()
    students = [with_own_numbers(host), with_own_numbers(host)]
    press(students[1], "class_leave")
    press(host, "class_copy")
    for student in map(again, students):
        assert number(student) == 0.25 and T["zh"]("class.copied") in said(student)
        assert "class_follow" in keys(student)
        change(student, 3.0)
        assert number(again(student)) == 3.0  # once
        undo(student)
        assert number(undo(student)) == 0.75
    late = follower(host)
    assert visit(late).owner == session.CLASS and T["zh"]("class.following") in said(late)


def test_an_answer_is_shown_to_followers_when_the_teacher_shows_it():
    question = "swap"
    host = open_page("one_head", numbers(0.25), part="predict", topic=question)
    host.session_state["share"] = True
    press(again(host), "class_lead")
    student = follower(host, "en")
    assert dict(visit(student).view.answers) == {} and f"guess-{question}-all" in keys(student)
    assert f"vote_open-{question}" in keys(host) - keys(student)  # a room of one's own would leave the class
    session.set_current_visit(visit(host))
    session.present(True)
    again(host)
    assert dict(visit(again(student)).view.answers) == {}
    session.set_current_visit(visit(host))
    session.reveal(question)
    again(host)
    assert dict(visit(again(student)).view.answers) == {question: "shown"}


def test_followers_vote_where_they_are_and_go_on_with_the_teacher():
    question = "swap"
    host = leading()
    student = follower(host, "en")
    go(host, part="predict", topic=question)
    again(student)
    press(host, f"vote_open-{question}")
    again(student)
    assert visit(student).owner == session.CLASS and number(student) == 0.25  # with the numbers of the class
    press(student, f"ballot-{question}-all")
    change(host, 0.5)
    assert f"ballot-{question}-same-1-1" in keys(again(student))
    elsewhere = follower(host, "en")  # as after a reload: it follows once the vote is closed
    assert T["en"]("class.following") in said(elsewhere) and T["en"]("class.left") not in said(elsewhere)
    press(elsewhere, f"ballot-{question}-same")
    press(host, f"vote_close-{question}")
    assert dict(visit(again(student)).view.answers) == {}  # nothing is revealed
    go(host, part="picture", topic=None)
    for app in map(again, (student, elsewhere)):
        assert number(app) == 0.5 and visit(app).place("one_head").part == "picture"
        assert "class_leave" in keys(app) and "vote_go-elsewhere" not in keys(app)
    press(student, "class_leave")
    assert "class_follow" in keys(student)


def test_a_run_reads_the_room_once_and_again_at_the_card_of_a_vote(monkeypatch):
    asked = []

    class Counting(MemoryStore):
        def room(self, code):
            asked.append("room")
            return super().room(code)

        def word(self, *of):
            asked.append("word")
            return super().word(*of)

    monkeypatch.setattr(rooms.ROOMS, "store", Counting())
    host = leading()
    student = follower(host, "en")
    asked.clear(), again(student)
    assert asked == ["room"]
    press(go(host, part="predict", topic="swap"), "vote_open-swap")
    again(student)
    asked.clear(), again(student)
    assert asked == ["room", "word"] * 2
    asked.clear(), again(host)
    assert asked.count("word") == 2 and asked.count("room") <= 5  # what the owner changes is read again


def test_the_answer_to_a_question_of_the_teacher_is_with_followers_once_it_is_shown():
    own = OwnQuestion("Why?", ("this", "that"), (True, False), "Because.")
    stop = stop_of("one_head", to_query(State(core=numbers(0.25)), View(), Place()), question=own)
    plan = Plan((stop, Stop("masks")), "Notes", unlocks=True)
    host = open_link("one_head", parts_of(plan, 1, "en"))
    host.session_state["share"] = True
    press(again(host), "class_lead")
    student = follower(host)
    [stop] = visit(student).view.plan.stops
    assert stop.question is None and "masks" not in str(visit(student).view.plan)
    session.set_current_visit(visit(host))
    session.answer(own.name, "a")
    again(host)
    assert visit(again(student)).view.plan.stops[0].question == own
    assert visit(student).view.answer(own.name) == "shown"


def test_the_store_may_be_away_for_a_while(store, monkeypatch):
    host = leading()
    student = follower(host)

    def away(*_):
        raise Away

    with monkeypatch.context() as patch:
        patch.setattr(store, "room", away)
        change(host, 0.5)
        assert number(again(student)) == 0.25
    assert number(again(student)) == 0.25
    again(host)
    assert number(again(student)) == 0.5


def test_a_scene_that_is_too_long_is_said_and_followers_stay(monkeypatch):
    host = leading()
    student = follower(host)
    monkeypatch.setattr("pages.room.store.MAX_RECORD", 30)
    change(host, 0.5)
    assert T["en"]("error.room_full", limit=MAX_RECORD) in said(host)
    assert number(again(student)) == 0.25
