"""Votes: who may do what, what is counted and when it is seen; limits, many threads, any order of calls."""

import random
import threading
from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pages.model import votes
from pages.model.entries import SettingsError
from pages.model.votes import LETTERS, LIFETIME, Votes, tidy

OPTIONS = ("all", "none", "one")
SETUP = {"lang": "en", "plan": "packed"}


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def board(clock):
    return Votes(clock)


def refused(code: str, act, *args) -> None:
    with pytest.raises(SettingsError) as found:
        act(*args)
    assert found.value.code == code


def started(board: Votes, owner: str = "teacher", options=OPTIONS) -> str:
    return board.start(owner, "one_head", "swap", options, SETUP)


def test_a_vote_is_opened_cast_changed_closed_and_revealed(board):
    code = started(board)
    for voter, option in (("ann", "all"), ("ben", "none"), ("ann", "one")):
        board.vote(code, voter, option)
    seen = board.sight(code, "teacher")
    assert (seen.open, seen.count, seen.rounds, seen.mine) == (True, 2, (), True)
    board.close(code, "teacher")
    counted = ((("all", 0), ("none", 1), ("one", 1)),)
    for person, choice in (("teacher", None), ("ann", "one"), ("ben", "none"), ("late", None)):
        seen = board.sight(code, person)
        assert (seen.open, seen.revealed, seen.rounds, seen.choice) == (False, False, counted, choice)
    board.reveal(code, "teacher")
    assert board.sight(code, "ann").revealed


def test_nobody_sees_how_the_others_vote_while_it_is_open(board):
    code = started(board)
    board.vote(code, "ann", "all")
    board.close(code, "teacher")
    board.again(code, "teacher")
    board.vote(code, "ben", "one")
    assert {board.sight(code, who).rounds for who in ("teacher", "ann", "ben")} == {()}


def test_a_second_round_asks_everybody_anew_and_keeps_the_first_one(board):
    code = started(board)
    board.vote(code, "ann", "all")
    board.reveal(code, "teacher")
    board.again(code, "teacher")
    seen = board.sight(code, "ann")
    assert (seen.open, seen.revealed, seen.round, seen.choice, seen.count) == (True, False, 2, None, 0)
    board.again(code, "teacher")  # it is open already
    board.vote(code, "ann", "one")
    board.close(code, "teacher")
    assert [dict(counts) for counts in board.sight(code, "ann").rounds] == [
        {"all": 1, "none": 0, "one": 0},
        {"all": 0, "none": 0, "one": 1},
    ]
    board.again(code, "teacher")
    board.close(code, "teacher")
    assert [sum(dict(counts).values()) for counts in board.sight(code, "ann").rounds] == [1, 0]


@pytest.mark.parametrize("act", ["close", "reveal", "again", "end"])
def test_only_who_has_opened_a_vote_decides_over_it(board, act):
    code = started(board)
    before = board.sight(code, "ann")
    refused("vote_not_yours", getattr(board, act), code, "ann")
    refused("vote_gone", getattr(board, act), "AAAAAA", "teacher")
    assert board.sight(code, "ann") == before


def test_who_opens_another_vote_keeps_the_room_and_its_code(board):
    code = started(board)
    board.vote(code, "ann", "all")
    before = board.sight(code, "ann").stage
    assert board.start("teacher", "one_head", "shift", ("same",), {"lang": "zh"}) == code
    seen = board.sight(code, "ann")
    assert (seen.question, seen.choice, seen.count, seen.open) == ("shift", None, 0, True)
    assert seen.stage != before and board.setup(code) == {"lang": "zh"}
    refused("vote_unknown", board.vote, code, "ann", "all")
    assert started(board, "another") != code


def test_what_comes_too_late_is_refused(board):
    code = started(board)
    board.close(code, "teacher")
    refused("vote_closed", board.vote, code, "ann", "all")
    board.end(code, "teacher")
    assert board.sight(code, "ann") is None and board.setup(code) == {}
    refused("vote_gone", board.vote, code, "ann", "all")


def test_a_free_answer_is_a_short_word_and_the_most_frequent_are_counted(board):
    code = started(board, options=())
    for bad in ("", "two words", "<b>", "x" * 25):
        refused("vote_unknown", board.vote, code, "ann", bad)
    for number in range(30):
        board.vote(code, f"v{number}", str(number % 10 if number < 25 else 3))
    board.close(code, "teacher")
    (counts,) = board.sight(code, "ann").rounds
    assert len(counts) == votes.MAX_ANSWERS and dict(counts)["3"] == 8
    assert [int(answer) for answer, _ in counts] == sorted(int(answer) for answer, _ in counts)


def test_rooms_are_limited_and_one_that_nobody_uses_makes_way(board, clock, monkeypatch):
    monkeypatch.setattr(votes, "MAX_ROOMS", 3)
    first, *others = (started(board, f"t{number}") for number in range(3))
    refused("votes_full", started, board, "t3")
    assert board.start("t1", "one_head", "shift", OPTIONS, SETUP) == others[0]  # a room of one's own is there
    clock.seconds = votes.IDLE + 1
    for code in others:
        board.vote(code, "ann", "all")
    started(board, "t3")
    assert board.sight(first, "t0") is None and all(board.sight(code, "ann") for code in others)


def test_voters_and_setups_are_limited(board, monkeypatch):
    monkeypatch.setattr(votes, "MAX_VOTERS", 2)
    code = started(board)
    board.vote(code, "ann", "all")
    board.vote(code, "ben", "all")
    refused("voters_full", board.vote, code, "cem", "all")
    board.vote(code, "ann", "none")
    refused(
        "vote_too_long", board.start, "teacher", "one_head", "swap", OPTIONS, {"plan": "x" * votes.MAX_SETUP}
    )
    assert board.sight(code, "ann").count == 2


def test_a_room_that_nobody_uses_goes(board, clock):
    code = started(board)
    clock.seconds = LIFETIME - 1
    board.vote(code, "ann", "all")
    clock.seconds += LIFETIME
    assert board.sight(code, "ann") is not None
    clock.seconds += 1
    assert board.sight(code, "ann") is None and board.setup(code) == {}
    refused("vote_gone", board.close, code, "teacher")
    started(board, "another")
    assert len(board._rooms) == 1


def test_a_code_is_read_as_it_is_typed():
    assert tidy(" k7q2mx ") == "K7Q2MX" and tidy("") == ""
    for bad in ("K7 Q2M", "<b>", "K" * 25, "ÄÄÄÄÄÄ"):
        with pytest.raises(ValueError, match="no code"):
            tidy(bad)
    assert not set("01OIL") & set(LETTERS)


def test_many_threads_lose_no_vote(board):
    code = started(board)
    people, wrong = range(400), []

    def class_of(some: range) -> None:
        chance = random.Random(some.start)
        try:
            for _ in range(20):
                for person in some:
                    board.vote(code, f"v{person}", chance.choice(OPTIONS))
                    board.sight(code, f"v{person}")
            for person in some:
                board.vote(code, f"v{person}", OPTIONS[person % 3])
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=class_of, args=(people[i::8],)) for i in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    board.close(code, "teacher")
    seen = board.sight(code, "teacher")
    assert not wrong and seen.count == 400
    assert dict(seen.rounds[0]) == Counter(OPTIONS[person % 3] for person in people)


def test_threads_that_open_votes_get_rooms_of_their_own(board):
    codes: list[str] = []
    threads = [
        threading.Thread(target=lambda name=name: codes.append(started(board, name)))
        for name in map(str, range(60))
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(set(codes)) == 60


PEOPLE = st.sampled_from(["t", "u", "ann", "ben", "cem"])
ACTS = st.sampled_from(["close", "reveal", "again", "end"])


class AnyOrder(RuleBasedStateMachine):
    """In any order the numbers are those of a plain account, and only the owner decides."""

    def __init__(self):
        super().__init__()
        self.board, self.code = Votes(), ""
        self.cast: list[dict[str, str]] = []  # of the rounds
        self.open = self.revealed = False

    @rule()
    def start(self):
        code = self.board.start("t", "one_head", "swap", OPTIONS, SETUP)
        assert self.code in ("", code)
        self.code, self.cast, self.open, self.revealed = code, [{}], True, False

    @precondition(lambda self: self.code)
    @rule(person=PEOPLE, option=st.sampled_from((*OPTIONS, "other")))
    def vote(self, person, option):
        try:
            self.board.vote(self.code, person, option)
        except SettingsError:
            assert not self.open or option == "other"
        else:
            assert self.open and option != "other"
            self.cast[-1][person] = option

    @precondition(lambda self: self.code)
    @rule(person=PEOPLE, act=ACTS)
    def decide(self, person, act):
        if person != "t":
            refused("vote_not_yours", getattr(self.board, act), self.code, person)
            return
        getattr(self.board, act)(self.code, person)
        if act == "end":
            self.code, self.cast, self.open, self.revealed = "", [], False, False
        elif act == "again":
            self.cast += [] if self.open else [{}]
            self.open, self.revealed = True, self.revealed and self.open
        else:
            self.open, self.revealed = False, self.revealed or act == "reveal"

    @invariant()
    def is_seen(self):
        for person in ("t", "ann", "ben"):
            seen = self.board.sight(self.code, person)
            if not self.code:
                assert seen is None
                continue
            assert (seen.open, seen.revealed, seen.mine) == (self.open, self.revealed, person == "t")
            assert (seen.count, seen.choice) == (len(self.cast[-1]), self.cast[-1].get(person))
            counted = () if self.open else self.cast[-2:]
            assert [{name: n for name, n in one if n} for one in seen.rounds] == [
                dict(Counter(one.values())) for one in counted
            ]


TestAnyOrder = AnyOrder.TestCase
