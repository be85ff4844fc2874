"""Votes: who may do what, what is counted and when it is seen; limits, many threads, any order of calls."""

from collections import Counter

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pages.model.ballots import CellForm, NumberForm, OptionsForm
from pages.model.codes import LETTERS, new_code, tidy
from pages.model.entries import SettingsError
from pages.room import MemoryStore, guesses, votes
from pages.room import store as stores
from pages.room.guesses import Guesses
from pages.room.store import UNUSED
from pages.room.votes import Votes

OPTIONS = ("all", "none", "one")
FORM = OptionsForm(OPTIONS)
SETUP = {"lang": "en", "plan": "packed"}


@pytest.fixture
def board(store):
    return Votes(store)


def refused(code: str, act, *args) -> SettingsError:
    with pytest.raises(SettingsError) as problem:
        act(*args)
    assert problem.value.code == code
    return problem.value


def started(board: Votes, owner: str = "teacher", form=FORM) -> str:
    return board.start(owner, "one_head", "swap", form, SETUP)


def cast(board: Votes, code: str, voter: str, answer: str) -> None:
    """The vote of somebody who sees what is asked now."""
    board.vote(code, voter, board.sight(code, voter).ticket, answer)


def test_who_opens_another_vote_keeps_the_room_and_its_code(board):
    code = started(board)
    cast(board, code, "ann", "all")
    before = board.sight(code, "ann").stage
    assert board.start("teacher", "one_head", "shift", OptionsForm(("same",)), {"lang": "zh"}) == code
    seen = board.sight(code, "ann")
    assert (seen.question, seen.choice, seen.count, seen.open) == ("shift", None, 0, True)
    assert seen.stage != before and board.enter(code, Guesses()) == {"lang": "zh"}
    refused("vote_unknown", cast, board, code, "ann", "all")
    assert started(board, "another") != code


def test_what_comes_too_late_is_refused(board):
    code = started(board)
    first = board.sight(code, "ann").ticket
    board.close(code, "teacher")
    refused("vote_closed", board.vote, code, "ann", first, "all")
    board.again(code, "teacher")
    refused("vote_late", board.vote, code, "ann", first, "all")
    second = board.sight(code, "ann").ticket
    started(board)  # the same question, with the same options
    refused("vote_late", board.vote, code, "ann", second, "all")
    assert board.sight(code, "teacher").count == 0
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
    assert board.sight(code, "ann").choice is None
    for answer in good:
        cast(board, code, "ann", answer)
        assert board.sight(code, "ann").choice == answer


@pytest.mark.parametrize(("entry", "number"), [(" 07 ", "7"), ("１２", "12"), ("101", None), ("", None)])
def test_a_whole_number_is_read_as_people_type_it(entry, number):
    assert NumberForm(100).read(entry) == number


def counted(board: Votes, form, answers) -> votes.Counts:
    """The distribution of a round with these answers."""
    code = started(board, form=form)
    for number, answer in enumerate(answers):
        cast(board, code, f"v{number}", answer)
    board.close(code, "teacher")
    board.show_bars(code, "teacher")
    (counts,) = board.sight(code, "ann").rounds
    return counts


def test_of_free_answers_the_most_frequent_are_counted_and_of_cells_all(board):
    counts = counted(board, NumberForm(1000), [str(n % 10 if n < 25 else 3) for n in range(30)])
    *counts, others = counts
    assert len(counts) == votes.MAX_ANSWERS and dict(counts)["3"] == 8
    assert [int(answer) for answer, _ in counts] == sorted(int(answer) for answer, _ in counts)
    assert others == (votes.OTHERS, 30 - sum(dict(counts).values()))
    counts = counted(board, CellForm(4, 4), [f"{n // 4}_{n % 4}" for n in range(12)])
    assert len(counts) == 12 and all(count == 1 for _, count in counts)


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
    monkeypatch.setattr(votes, "new_code", lambda: next(codes))
    assert started(board, "another") == "OTHERX"


def test_voters_and_setups_are_limited(board, monkeypatch):
    monkeypatch.setattr(votes, "MAX_VOTERS", 2)
    code = started(board)
    cast(board, code, "ann", "all")
    cast(board, code, "ben", "all")
    refused("voters_full", cast, board, code, "cem", "all")
    cast(board, code, "ann", "none")
    long = {"plan": "x" * votes.MAX_SETUP}
    refused("vote_too_long", board.start, "teacher", "one_head", "swap", FORM, long)
    assert board.sight(code, "ann").count == 2


def test_a_room_without_space_is_said_to_its_owner_and_its_votes_stay(board, monkeypatch):
    code = started(board)
    cast(board, code, "ann", "all")
    monkeypatch.setattr(stores, "MAX_TOPICS", 2)  # the list of the room is one
    refused("vote_room_full", board.start, "teacher", "one_head", "shift", FORM, SETUP)
    board.close(code, "teacher")
    refused("vote_room_full", board.again, code, "teacher")
    assert board.sight(code, "ann").choice == "all"


# ---- codes


def wrong(number: int) -> str:
    return f"X{number:05}"  # no code has a 0


def test_a_visit_may_type_only_so_many_wrong_codes(board, clock):
    code, mine = started(board), Guesses()
    assert board.enter(code, mine) == SETUP
    for number in range(guesses.PER_VISIT):
        clock.seconds += 1
        assert refused("vote_gone", board.enter, wrong(number), mine).facts == {"room": wrong(number)}
    for asked in (wrong(11), code):
        wait = refused("vote_wait", board.enter, asked, mine).facts
        assert wait == {"room": asked, "seconds": guesses.WINDOW - guesses.PER_VISIT + 1}
    assert board.enter(code, Guesses()) == SETUP  # nobody else is hindered
    clock.seconds += wait["seconds"]
    assert board.enter(code, mine) == SETUP


def test_all_visits_together_may_type_only_so_many_wrong_codes(board, clock):
    code = started(board)
    for number in range(guesses.PER_SERVER):
        refused("vote_gone", board.enter, wrong(number), Guesses())
    for asked in (wrong(1), code):
        guesser = Guesses()
        refused("vote_gone", board.enter, wrong(0), guesser)
        assert refused("vote_wait", board.enter, asked, guesser).facts["seconds"] == guesses.WINDOW
    assert board.enter(code, Guesses()) == SETUP  # somebody who opens a link is never refused
    clock.seconds += guesses.WINDOW
    assert board.enter(code, guesser) == SETUP


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
ACTS = st.sampled_from(["close", "show_bars", "reveal", "again", "end"])


class AnyOrder(RuleBasedStateMachine):
    """In any order the numbers are those of a plain account, and only the owner decides."""

    def __init__(self):
        super().__init__()
        self.board, self.code = Votes(MemoryStore()), ""
        self.cast: list[dict[str, str]] = []  # of the rounds
        self.open = self.bars = self.revealed = False

    @rule()
    def start(self):
        code = self.board.start("t", "one_head", "swap", FORM, SETUP)
        assert self.code in ("", code)
        self.code, self.cast = code, [{}]
        self.open, self.bars, self.revealed = True, False, False

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
    @rule(person=st.just("t") | PEOPLE, act=ACTS)
    def decide(self, person, act):
        decided = getattr(self.board, act)
        if person != "t":
            refused("vote_not_yours", decided, self.code, person)
        elif self.open and act in ("show_bars", "reveal"):
            refused("vote_open", decided, self.code, person)
        else:
            decided(self.code, person)
            getattr(self, act)()

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

    def again(self):
        if not self.open:
            self.cast.append({})
            self.open, self.bars, self.revealed = True, False, False

    def end(self):
        self.code = ""

    @invariant()
    def is_seen(self):
        for person in ("t", "ann", "ben"):
            seen = self.board.sight(self.code, person)
            if not self.code:
                assert seen is None
                continue
            assert (seen.open, seen.bars, seen.revealed) == (self.open, self.bars, self.revealed)
            assert (seen.mine, seen.count) == (person == "t", len(self.cast[-1]))
            assert seen.choice == self.cast[-1].get(person)
            counted = self.cast[-2:] if self.bars else ()
            assert [{name: n for name, n in one if n} for one in seen.rounds] == [
                dict(Counter(one.values())) for one in counted
            ]


TestAnyOrder = AnyOrder.TestCase
