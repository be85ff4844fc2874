"""The rules of a room, without a store: what each person sees, what an act changes, and who hears of it."""

import functools
from dataclasses import asdict, fields, replace

import pytest

from pages.model.ballots import CellForm, NumberForm, OptionsForm
from pages.model.entries import SettingsError
from pages.room import rules
from pages.room.rules import HERE, RoomDocument, Scene, Sight, Vote, VoteSight
from pages.room.store import CHANGED, MAX_PEOPLE, MAX_TOPICS, Room

FORM = OptionsForm(("all", "none", "one"))
FIRST = Scene("one_head", {"example": "cats", "part": "picture"})
ASKED = replace(FIRST, query={"part": "predict"})
LATER = Scene("masks", {"example": "cats"}, shown=("causal",))
LEADS, GOES_ON, STOPS = rules.leads(FIRST), rules.shows(LATER), rules.stops
ASKS, AGAIN = rules.asks(ASKED, "swap", FORM, 1.0, "secret"), rules.asks_again(ASKED, 3.0)
CLOSES = rules.closes((("all", 2),), 2.0, "Which?", str.upper, "all".__eq__)
BARS, REVEALS = rules.shows_bars, rules.reveals


def after(*acts: rules.Act) -> Room:
    return functools.reduce(lambda room, act: act(room), acts, Room("KLMRST", "", 0.0))


def seen(room: Room, *, mine: bool) -> Sight:
    now, vote = rules.document(room), rules.document(room).vote
    state = room.code, FIRST.lesson, FORM
    sight = vote and VoteSight(
        *state, vote.ticket, rules.is_open(room), vote.bars, vote.revealed, 0, None, mine
    )
    return Sight(room.code, mine, rules.state_of(room), now, sight)


# acts → what the owner, who follows and who has left see; the scene; what who follows does with the options
STAGES = {
    (): ("own own own", None, ""),
    (GOES_ON,): ("own own own", None, ""),
    (LEADS,): ("own scene own", FIRST, ""),
    (LEADS, GOES_ON): ("own scene own", LATER, ""),
    (LEADS, STOPS): ("own own own", None, ""),
    (LEADS, STOPS, GOES_ON): ("own own own", None, ""),
    (ASKS,): ("own scene held", ASKED, "asks"),
    (LEADS, ASKS, GOES_ON): ("own scene held", ASKED, "asks"),
    (LEADS, ASKS, CLOSES): ("own scene held", ASKED, "discusses"),
    (ASKS, CLOSES, BARS): ("own scene held", ASKED, "discusses"),
    (ASKS, CLOSES, BARS, REVEALS): ("own scene own", ASKED, ""),
    (ASKS, CLOSES, REVEALS, GOES_ON): ("own scene own", LATER, ""),
    (ASKS, CLOSES, BARS, GOES_ON): ("own scene own", LATER, "discusses"),
    (ASKS, CLOSES, REVEALS, GOES_ON, AGAIN): ("own scene held", ASKED, "asks"),
    (ASKS, CLOSES, STOPS): ("own own own", None, "discusses"),
    (ASKS, CLOSES, STOPS, AGAIN): ("own scene held", ASKED, "asks"),
}


@pytest.mark.parametrize(("acts", "expected"), STAGES.items())
def test_each_person_sees_what_the_table_says(acts, expected):
    room = after(*acts)
    views = [(True, True), (False, True), (False, False)]
    where = [rules.where(seen(room, mine=mine), follows=follows) for mine, follows in views]
    host, phone = (seen(room, mine=mine) for mine in (True, False))
    does = [name for name in ("asks", "discusses") if phone.vote and getattr(phone.vote, name)]
    assert (" ".join(where), " ".join(does)) == (expected[0], expected[2])
    assert phone.scene is expected[1] is None or phone.scene.is_like(expected[1])
    assert not host.vote or not (host.vote.asks or host.vote.discusses)


def test_a_scene_has_a_number_that_no_other_one_had():
    states = []
    acts = (LEADS, rules.shows(FIRST), GOES_ON, STOPS, STOPS, rules.leads(LATER), ASKS, CLOSES, GOES_ON)
    for number in range(1, len(acts) + 1):
        states.append(rules.state_of(after(*acts[:number]))["scene"])
    assert states == [1, 1, 2, 0, 0, 4, 5, 5, 6]
    for room, act in ((after(LEADS), rules.shows(FIRST)), (after(LEADS, STOPS), GOES_ON)):
        assert act(room) is room


def test_a_copy_has_the_numbers_of_its_moment_and_is_counted():
    assert after(rules.copies) == after()
    now = rules.document(after(LEADS, rules.copies, GOES_ON))
    assert (now.copies, now.copied.lesson, now.scene.lesson) == (1, "one_head", "masks")
    assert rules.document(after(LEADS, rules.copies, rules.copies)).copies == 2


def test_all_hear_of_what_their_pages_show_and_the_owner_of_the_rest():
    acts = [(rules.plans("plan", 1.0), True), (rules.welcomes(False, 1), True), (STOPS, True)]
    acts += [(act, False) for act in (LEADS, GOES_ON, rules.copies, ASKS)]
    acts += [(rules.plans("other", 2.0), True)]
    acts += [(act, False) for act in (CLOSES, BARS, REVEALS, AGAIN, CLOSES, STOPS)]
    room = after()
    for act, for_owner in acts:
        room, before = act(room), room
        event = rules.news(before, room)
        assert (event.kind, event.data, event.for_owner) == (CHANGED, rules.state_of(room), for_owner)
    plan = rules.document(room).plan
    assert (plan.text, plan.begun, room.topics[HERE]) == ("other", 1.0, 1)
    assert rules.welcomes(True, 1)(room).topics[HERE] == MAX_PEOPLE


def test_a_vote_is_closed_before_anything_is_shown_and_again_begins_anew():
    for act in (BARS, REVEALS, STOPS):
        with pytest.raises(SettingsError, match="vote_open"):
            after(ASKS, act)
    for act in (CLOSES, BARS, REVEALS, AGAIN):
        with pytest.raises(SettingsError, match="vote_gone"):
            after(LEADS, act)
    assert rules.document(after(ASKS, AGAIN)) == rules.document(after(ASKS))
    vote = rules.document(after(ASKS, CLOSES, BARS, REVEALS, AGAIN)).vote
    assert (vote.ticket, vote.bars, vote.revealed) == ((1, 2, "swap"), False, False)
    untold = rules.closes((), 4.0, "", str, bool)  # as on a page without the question
    for kept in (vote, rules.document(after(ASKS, CLOSES, AGAIN, untold)).vote):
        texts = kept.title, kept.told, kept.right, kept.secret
        assert texts == ("Which?", {"all": "ALL"}, ("all",), "secret")
    assert vote.times == ((1.0, 2.0), (3.0, 0.0)) and vote.topics == ["vote-1-1", "vote-1-2"]


def test_the_room_keeps_so_many_earlier_votes_without_what_they_hid():
    room = after(rules.plans("", 0.0), *[ASKS] * (rules.EARLIER + 3))
    votes = [*rules.past(room), rules.document(room).vote]
    assert [vote.serial for vote in votes] == list(range(3, rules.EARLIER + 4))
    assert [vote.secret for vote in votes] == [""] * rules.EARLIER + ["secret"]
    assert room.topics == {HERE: MAX_PEOPLE} | {vote.topic: 0 for vote in votes[:-1]} | {
        votes[-1].topic: rules.MAX_VOTERS
    }


def test_what_another_version_has_written_is_as_if_it_were_not_there():
    room = after(LEADS, rules.copies, ASKS, CLOSES, ASKS, rules.plans("plan", 1.0), rules.welcomes(False, 1))
    whole = rules.document(room)
    wrong = [(name, fact) for name in asdict(whole) for fact in (3.5, "x", [], {}, {"more": 1})]
    for name, keys in (("scene", asdict(ASKED)), ("vote", asdict(whole.vote))):
        wrong += [(name, room.facts[name] | {key: None}) for key in keys]
        wrong += [(name, room.facts[name] | {"more": 1})]
    wrong += [("vote", room.facts["vote"] | {"round": number}) for number in (0, 2, MAX_TOPICS + 1)]
    wrong += [("copies", number) for number in (True, 2**64 - 1)]
    defaults = {part.name: part.default for part in fields(RoomDocument)}
    for name, fact in wrong:
        assert rules.document(room.having(**{name: fact})) == replace(whole, **{name: defaults[name]}), fact
        former = room.facts["past"]
        [vote] = rules.past(room.having(past=[fact, *former]))
        assert vote.serial == 1 and (isinstance(fact, list) or rules.past(room.having(past=fact)) == [])


def test_of_free_answers_the_most_frequent_are_counted_and_of_cells_all():
    votes = {f"v{n}": str(n % 10 if n < 25 else 3) for n in range(30)}
    *counts, others = rules.counts_of(NumberForm(1000), votes)
    assert len(counts) == rules.MAX_ANSWERS and dict(counts)["3"] == 8
    assert [int(answer) for answer, _ in counts] == sorted(int(answer) for answer, _ in counts)
    assert others == (rules.OTHERS, 30 - sum(dict(counts).values()))
    counts = rules.counts_of(CellForm(4, 4), {f"v{n}": f"{n // 4}_{n % 4}" for n in range(12)})
    assert len(counts) == 12 and all(count == 1 for _, count in counts)
    assert rules.counts_of(FORM, {"ann": "none"}) == (("all", 0), ("none", 1), ("one", 0))


@pytest.mark.parametrize(("right", "pays"), [(2, False), (3, True), (7, True), (8, False)])
def test_a_discussion_pays_if_neither_few_nor_most_are_right(right, pays):
    """After the first round, until the class sees something."""
    counts = ("all", right - 1), ("one", 1), ("none", 10 - right)
    vote = Vote(1, "one_head", "swap", None, right=("all", "one"))
    assert rules.advice(vote, counts) == (right / 10, pays)
    assert rules.advice(replace(vote, round=2), counts) == (right / 10, False)
    for seen in ({"bars": True}, {"revealed": True}):
        assert rules.advice(replace(vote, **seen), counts) is None
    assert rules.advice(vote, (("all", 0),)) is None
