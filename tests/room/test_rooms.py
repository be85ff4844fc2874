"""The rooms of a store: who may do what, what is counted and when it is seen; limits, any order of acts."""

from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pages.model.ballots import CellForm, NumberForm, OptionsForm
from pages.model.codes import LETTERS, new_code, tidy
from pages.model.entries import SettingsError
from pages.room import Away, MemoryStore, attendance, guesses, rooms, rules
from pages.room import store as stores
from pages.room.attendance import Presence
from pages.room.guesses import Guesses
from pages.room.rooms import Rooms
from pages.room.store import MAX_RECORD, UNUSED
from tests.room.test_rules import ASKED, FIRST, LATER

OPTIONS = ("all", "none", "one")
FORM = OptionsForm(OPTIONS)
ACTS = {
    "close": Rooms.close,
    "again": lambda board, code, owner: board.again(code, owner, ASKED),
    "end": Rooms.end,
} | {
    name: lambda board, code, owner, act=act: board.act(code, owner, act)
    for name, act in (
        ("show_bars", rules.shows_bars),
        ("reveal", rules.reveals),
        ("show", rules.shows(LATER)),
        ("stop", rules.stops),
    )
}


@pytest.fixture
def board(store):
    return Rooms(store)


def refused(code: str, act, *args) -> SettingsError:
    with pytest.raises(SettingsError) as problem:
        act(*args)
    assert problem.value.code == code
    return problem.value


def started(board: Rooms, owner: str = "teacher", form=FORM, question: str = "swap") -> str:
    return board.ask(owner, ASKED, question, form)


def cast(board: Rooms, code: str, voter: str, answer: str) -> None:
    """The vote of somebody who sees what is asked now."""
    board.vote(code, voter, board.sight(code, voter).vote.ticket, answer)


def test_who_opens_another_vote_keeps_the_room_and_its_code(board):
    code = started(board)
    cast(board, code, "ann", "all")
    before = board.sight(code, "ann").vote.stage
    assert started(board, question="shift", form=OptionsForm(("same",))) == code
    seen = board.sight(code, "ann").vote
    assert (seen.question, seen.choice, seen.count, seen.open) == ("shift", None, 0, True)
    assert seen.stage != before
    refused("vote_unknown", cast, board, code, "ann", "all")
    assert started(board, "another") != code


def test_what_comes_too_late_is_refused(board):
    code = started(board)
    first = board.sight(code, "ann").vote.ticket
    board.close(code, "teacher")
    refused("vote_closed", board.vote, code, "ann", first, "all")
    board.again(code, "teacher", ASKED)
    refused("vote_late", board.vote, code, "ann", first, "all")
    second = board.sight(code, "ann").vote.ticket
    started(board)  # the same question, with the same options
    refused("vote_late", board.vote, code, "ann", second, "all")
    assert board.sight(code, "teacher").vote.count == 0
    board.end(code, "teacher")
    assert board.sight(code, "ann") is None
    refused("vote_gone", board.vote, code, "ann", second, "all")


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        (FORM, OPTIONS, ("", "shown", "ALL", "all ", "0_0")),
        (
            NumberForm(100),
            ("0", "7", "100"),
            ("", "101", "-1", "1.5", "07", " 7", "٣", "7" * 5000, "all", "0_0"),
        ),
        (
            CellForm(3, 12),
            ("0_0", "2_11"),
            ("", "3_0", "0_12", "00_0", "0_0_0", "0", "_", "-1_0", "a_b", "9" * 5000 + "_0", "all"),
        ),
    ],
)
def test_a_vote_takes_only_what_its_question_asks_for(board, form, good, bad):
    code = started(board, form=form)
    for answer in bad:
        refused("vote_unknown", cast, board, code, "ann", answer)
    assert board.sight(code, "ann").vote.choice is None
    for answer in good:
        cast(board, code, "ann", answer)
        assert board.sight(code, "ann").vote.choice == answer


@pytest.mark.parametrize(("entry", "number"), [(" 07 ", "7"), ("１２", "12"), ("101", None), ("", None)])
def test_a_whole_number_is_read_as_people_type_it(entry, number):
    assert NumberForm(100).read(entry) == number


# ---- limits


def test_a_look_of_the_owner_keeps_the_room_and_looks_of_voters_do_not(board, clock):
    board.store.most_rooms = 2
    kept, left = started(board), started(board, "another")
    clock.seconds += UNUSED + 1
    board.sight(kept, "teacher"), board.sight(left, "ann")
    new = started(board, "new")
    assert [code for code in (kept, left, new) if board.sight(code, "ann")] == [kept, new]
    refused("votes_full", started, board, "newer")


def test_a_code_that_is_taken_is_given_to_nobody_else(board, monkeypatch):
    code = started(board)
    codes = iter((code, "OTHERX"))
    monkeypatch.setattr(rooms, "new_code", lambda: next(codes))
    assert started(board, "another") == "OTHERX"


def test_voters_are_limited(board, monkeypatch):
    monkeypatch.setattr(rules, "MAX_VOTERS", 2)
    code = started(board)
    cast(board, code, "ann", "all")
    cast(board, code, "ben", "all")
    refused("voters_full", cast, board, code, "cem", "all")
    cast(board, code, "ann", "none")
    assert board.sight(code, "ann").vote.count == 2


def test_a_room_without_space_is_said_to_its_owner_and_all_stays(board, monkeypatch):
    code = started(board)
    cast(board, code, "ann", "all")
    long = rules.Scene("masks", {"x": "1" * MAX_RECORD})
    assert refused("room_full", board.ask, "teacher", long, "swap", FORM).facts == {"limit": MAX_RECORD}
    monkeypatch.setattr(stores, "MAX_TOPICS", 2)  # the list of the room is one
    refused("room_full", started, board)
    board.close(code, "teacher")
    refused("room_full", board.again, code, "teacher", ASKED)
    refused("room_full", board.act, code, "teacher", rules.shows(long))
    seen = board.sight(code, "ann")
    assert seen.vote.choice == "all" and seen.scene.is_like(ASKED)


def test_only_who_was_there_votes_in_a_room_without_newcomers(board):
    code = started(board)
    attendance.note(board.store, code, "ann", Presence("one_head/predict/swap"))
    cast(board, code, "dan", "all")
    board.act(code, "teacher", rules.welcomes(False, 2))
    cast(board, code, "ann", "all")
    assert refused("room_shut", cast, board, code, "ben", "all").facts == {"room": code}
    assert board.sight(code, "ben").vote.choice is None
    board.act(code, "teacher", rules.welcomes(True, 2))
    cast(board, code, "ben", "all")
    assert board.sight(code, "ben").vote.count == 3


def test_an_absent_redis_is_said(redis_store, redis):
    board = Rooms(redis_store)
    code = started(board)
    redis.kill()
    try:
        refused("vote_away", board.act, code, "teacher", rules.shows_bars)
        refused("vote_away", started, board)
        with pytest.raises(Away):
            board.sight(code, "ann")
    finally:
        redis.start()


# ---- codes


def wrong(number: int) -> str:
    return f"X{number:05}"  # no code has a 0


def test_a_visit_may_type_only_so_many_wrong_codes(board, clock):
    code, mine = started(board), Guesses()
    board.enter(code, mine)
    for number in range(guesses.PER_VISIT):
        clock.seconds += 1
        assert refused("vote_gone", board.enter, wrong(number), mine).facts == {"room": wrong(number)}
    for asked in (wrong(11), code):
        wait = refused("vote_wait", board.enter, asked, mine).facts
        assert wait == {"room": asked, "seconds": guesses.WINDOW - guesses.PER_VISIT + 1}
    board.enter(code, Guesses())  # nobody else is hindered
    clock.seconds += wait["seconds"]
    board.enter(code, mine)


def test_all_visits_together_may_type_only_so_many_wrong_codes(board, clock):
    code = started(board)
    for number in range(guesses.PER_SERVER):
        refused("vote_gone", board.enter, wrong(number), Guesses())
    for asked in (wrong(1), code):
        guesser = Guesses()
        refused("vote_gone", board.enter, wrong(0), guesser)
        assert refused("vote_wait", board.enter, asked, guesser).facts["seconds"] == guesses.WINDOW
    board.enter(code, Guesses())  # somebody who opens a link is never refused
    clock.seconds += guesses.WINDOW
    board.enter(code, guesser)


def test_a_code_is_read_as_it_is_typed():
    for typed in (" klmrst ", "Klm Rst", "K-L-M R S T", "klm\u3000rst\n"):
        assert tidy(typed) == "KLMRST"
    assert tidy("K7Q2MX") == "K7Q2MX" and tidy(" ") == ""
    for bad in ("<b>", "K" * 25, "ÄÄÄÄÄÄ", "K " * 100_000, "\ud800"):
        with pytest.raises(ValueError, match="no code"):
            tidy(bad)
    assert tidy(new_code()) and len(set(new_code() + new_code())) > 1
    for alike in zip("MBBDTGFIIIOOUVAJC", "NPDTPJSY1LQ0VWJKZ", strict=True):
        assert len(set(alike) & set(LETTERS)) <= 1


PEOPLE = st.sampled_from(["t", "u", "ann", "ben", "cem"])


class AnyOrder(RuleBasedStateMachine):
    """In any order the numbers are those of a plain account, and only the owner decides."""

    def __init__(self):
        super().__init__()
        self.board, self.code = Rooms(MemoryStore()), ""
        self.cast: list[dict[str, str]] = []  # of the rounds
        self.open = self.bars = self.revealed = False
        self.scene: rules.Scene | None = None

    @rule()
    def start(self):
        code = self.board.ask("t", ASKED, "swap", FORM)
        assert self.code in ("", code)
        self.code, self.cast, self.scene = code, [{}], ASKED
        self.open, self.bars, self.revealed = True, False, False

    @precondition(lambda self: self.code and not self.open)
    @rule()
    def lead(self):
        self.board.act(self.code, "t", rules.leads(FIRST))
        self.scene = FIRST

    @precondition(lambda self: self.code)
    @rule(person=PEOPLE, option=st.sampled_from((*OPTIONS, "other")))
    def vote(self, person, option):
        try:
            cast(self.board, self.code, person, option)
        except SettingsError:
            assert not self.open or option == "other"
        else:
            assert self.open and option != "other"
            self.cast[-1][person] = option

    @precondition(lambda self: self.code)
    @rule(person=st.just("t") | PEOPLE, name=st.sampled_from(sorted(ACTS)))
    def decide(self, person, name):
        act = self.board, self.code, person
        if person != "t":
            refused("vote_not_yours", ACTS[name], *act)
        elif self.open and name in ("show_bars", "reveal", "stop"):
            refused("vote_open", ACTS[name], *act)
        else:
            ACTS[name](*act)
            getattr(self, name)()

    @precondition(lambda self: self.code)
    @rule(last=st.sampled_from(["show_bars", "reveal"]))
    def another_round(self, last):
        for act in ("close", "again", "close", last):
            self.decide("t", act)

    def close(self):
        self.open = False

    def show_bars(self):
        self.bars = True

    def reveal(self):
        self.revealed = True

    def show(self):
        if self.scene is not None and not self.open:
            self.scene = LATER

    def stop(self):
        self.scene = None

    def again(self):
        if not self.open:
            self.cast.append({})
            self.open, self.bars, self.revealed, self.scene = True, False, False, ASKED

    def end(self):
        self.code = ""

    @invariant()
    def is_seen(self):
        for person in ("t", "ann", "ben"):
            room = self.board.sight(self.code, person)
            if not self.code:
                assert room is None
                continue
            assert room.scene is self.scene is None or room.scene.is_like(self.scene)
            seen = room.vote
            assert (seen.open, seen.bars, seen.revealed) == (self.open, self.bars, self.revealed)
            assert (room.mine, seen.mine, seen.count) == (person == "t", person == "t", len(self.cast[-1]))
            assert seen.choice == self.cast[-1].get(person)
            counted = self.cast[-2:] if self.bars else ()
            assert [{name: n for name, n in one if n} for one in seen.rounds] == [
                dict(Counter(one.values())) for one in counted
            ]


TestAnyOrder = AnyOrder.TestCase
