"""Who is in a room, where, and with which answers: who is counted, who may read it, and what it may hold."""

import contextlib

import pytest

from pages.room import attendance, rules
from pages.room import store as stores
from pages.room.attendance import SILENT, Presence, Reply, Success
from pages.room.rules import HERE
from pages.room.store import SAID, Event, Full, Gone, NotYours
from tests.hostile.growth import LIMIT, seconds
from tests.room.test_store import CODE, Ear

PREDICT, SOFTMAX = "one_head/predict/swap", "softmax/bars/"


@pytest.fixture
def room(store):
    """A room whose owner has opened a page."""
    store.open("teacher", CODE)
    assert attendance.note(store, CODE, "teacher", Presence(PREDICT, 3), "plan")
    return store


def note(room, person: str, place: str = PREDICT, replies=(), **reached: Success) -> None:
    assert not attendance.note(room, CODE, person, Presence(place, replies=dict(replies), reached=reached))


def seen(room) -> attendance.Attendance:
    return attendance.of_room(room, CODE, "teacher")


def test_people_are_counted_while_they_are_heard_and_the_owner_is_not(room, clock):
    note(room, "ann"), note(room, "ben", SOFTMAX)
    clock.seconds += SILENT
    note(room, "ann")
    assert [len(seen(room).everybody), len(seen(room).here)] == [2, 2]
    clock.seconds += 1
    attendance.note(room, CODE, "teacher", Presence(PREDICT, 3), "plan")
    assert [presence.place for presence in seen(room).here] == [PREDICT] and len(seen(room).everybody) == 2


def test_the_owner_s_record_has_the_stop_its_time_and_the_plan(room, clock):
    began = clock.seconds
    visited = ((PREDICT, 3), 0), ((PREDICT, 4), 20), ((SOFTMAX, 4), 20)  # place and stop, and since when
    visited += ((SOFTMAX, 0), 40), (("softmax/bars/x", 0), 40), ((PREDICT, 0), 60)
    for (place, stop), since in visited:
        clock.seconds += 10
        attendance.note(room, CODE, "teacher", Presence(place, stop), "other")
        host = seen(room).host
        assert (host.place, host.stop, host.since) == (place, stop, began + since)
    assert (seen(room).plan, seen(room).begun) == ("other", began)


def test_a_plan_for_which_the_room_has_no_space_leaves_the_owner_s_place(room):
    room.change(CODE, "teacher", lambda room: room.having(scene="x" * (stores.MAX_RECORD - 200)))
    attendance.note(room, CODE, "teacher", Presence(SOFTMAX, 5), "p" * 200)
    assert (seen(room).host.place, seen(room).host.stop, seen(room).plan) == (SOFTMAX, 5, "plan")


def test_only_the_owner_reads_it(room):
    note(room, "ann")
    for name in ("ann", "", room.room(CODE).owner):
        with pytest.raises(NotYours):
            attendance.of_room(room, CODE, name)
    with pytest.raises(Gone):
        attendance.of_room(room, "KLMRSX", "teacher")
    with pytest.raises(Gone):
        attendance.note(room, "KLMRSX", "ann", Presence(PREDICT))
    assert not any("ann" in str(presence) for presence in seen(room).everybody)


def test_all_pages_of_a_person_make_one_record(room, clock):
    note(room, "ann", replies={"swap": Reply("same", False, 5), "shift": Reply("all", True, 6)})
    clock.seconds += 1
    note(room, "ann", SOFTMAX, {"swap": Reply("all", True, 7)}, query_it=Success("one_head?x=1", 8))
    note(room, "ann", SOFTMAX, {"shift": Reply("all", True, 90)}, query_it=Success("one_head?x=2", 91))
    (ann,) = seen(room).everybody
    assert ann.place == SOFTMAX and ann.reached == {"query_it": ("one_head?x=1", 8)}
    assert ann.replies == {"swap": ("all", True, 7), "shift": ("all", True, 6)}
    assert seen(room).replies("swap") == [("all", True, 7)] and seen(room).successes("other") == []


def test_a_word_that_says_nothing_new_is_no_event(room, clock):
    ear = Ear(room)
    if not isinstance(room, stores.MemoryStore):
        ear.until("", Event("changed"))
    replies = {"swap": Reply("all", True, 5.5)}
    for _ in range(3):
        clock.seconds += 1
        note(room, "ann", replies=replies)
    note(room, "ann", SOFTMAX, replies)
    clock.seconds += SILENT + 1
    note(room, "ann", SOFTMAX, replies)  # she is here again
    room.tell(CODE, Event("end"))
    ear.until(CODE, Event("end"))
    assert [event.for_owner for _, event in ear.heard if event.kind == SAID] == [True] * 3


def test_a_record_keeps_the_newest_of_too_much_and_any_text(room):
    for number in range(60):
        note(room, "ann", replies={f"question_{number}": Reply("\ud800<b>" * 100, False, number)})
    for number in range(12):
        link = "one_head?" + "x" * (attendance.MAX_LINK - 9 + (number == 11))
        note(room, "ann", replies={}, **{f"target_{number}": Success(link, number)})
    (ann,) = seen(room).everybody
    assert "question_59" in ann.replies and "question_0" not in ann.replies
    assert all(len(reply.word) <= attendance.MAX_REPLY for reply in ann.replies.values())
    assert {len(success.link) for success in ann.reached.values()} <= {0, attendance.MAX_LINK}


def test_a_record_is_shortened_in_one_pass(room):
    replies = {f"question_{number}": Reply("é" * 60, False, number) for number in range(20_000)}
    assert seconds(lambda _: note(room, "ann", replies=replies), "") < LIMIT
    (ann,) = seen(room).everybody
    assert list(ann.replies) == list(replies)[-len(ann.replies) :] and 20 < len(ann.replies) < 50


def test_a_room_has_a_limit_of_people_and_an_owner_alone_does_not_use_it(room, clock, monkeypatch):
    room.change(CODE, "teacher", lambda room: room.opening(HERE, 2))  # the owner has one place
    note(room, "ann")
    with pytest.raises(Full):
        note(room, "ben")
    room.most_rooms = 2
    room.open("other", "OTHERX")
    attendance.note(room, "OTHERX", "other", Presence(PREDICT))
    clock.seconds += stores.UNUSED + 1
    room.look(room.room(CODE))
    assert room.open("new", "NEWXYZ") and room.room("OTHERX") is None


def test_in_a_full_room_the_silent_who_have_done_nothing_make_way(room, clock):
    room.change(CODE, "teacher", lambda room: room.opening(HERE, 4))
    note(room, "idle"), note(room, "ann", replies={"swap": Reply("all", True, 1)}), note(room, "new")
    clock.seconds += SILENT + 1
    note(room, "new", SOFTMAX)
    note(room, "late")
    places = sorted(presence.place for presence in seen(room).everybody)
    assert places == [PREDICT, PREDICT, SOFTMAX] and len(seen(room).replies("swap")) == 1
    with pytest.raises(Full):
        note(room, "later")  # all others have done something, or are heard


def test_without_newcomers_who_was_here_stays(room):
    note(room, "ann")
    room.change(CODE, "teacher", rules.welcomes(False, 2))
    note(room, "ann", SOFTMAX)
    attendance.note(room, CODE, "teacher", Presence(SOFTMAX), "other")
    with pytest.raises(Full):
        note(room, "ben")
    assert [ann.place for ann in seen(room).everybody] == [SOFTMAX] and not seen(room).full
    room.change(CODE, "teacher", rules.welcomes(True, 2))
    note(room, "ben")
    assert len(seen(room).everybody) == 2


@pytest.mark.parametrize("newcomers", [True, False])
def test_who_has_done_nothing_and_is_silent_is_removed_and_comes_back_as_a_newcomer(room, clock, newcomers):
    acts = {"ann": {"replies": {"swap": Reply("all", True, 1)}}, "ben": {"reached": {"t": Success("", 1)}}}
    for person, news in (acts | {"cem": {"voted": True}, "idle": {}, "idler": {}}).items():
        attendance.note(room, CODE, person, Presence(PREDICT, **news))
    if not newcomers:
        room.change(CODE, "teacher", rules.welcomes(False, 6))
    clock.seconds += SILENT + 1
    note(room, "idle"), note(room, "cem", SOFTMAX)
    clock.seconds += SILENT + 1
    note(room, "idler")
    assert seen(room).idle == 1
    with pytest.raises(NotYours):
        attendance.remove_idle(room, CODE, "idler")
    assert attendance.remove_idle(room, CODE, "teacher") == 1
    assert (len(seen(room).everybody), seen(room).idle, seen(room).full) == (4, 0, False)
    for person in ("new", "idle"):
        with contextlib.nullcontext() if newcomers else pytest.raises(Full):
            note(room, person)
    note(room, "ann", SOFTMAX)
    assert len(seen(room).everybody) == (6 if newcomers else 4)
