"""The results of a room: who gets them, what they have, and that typed words stay words."""

import csv
import io
from dataclasses import replace

import pytest

from pages.hand import class_results
from pages.model.ballots import CellForm, OptionsForm
from pages.model.view import View
from pages.room import MemoryStore
from pages.room.votes import Votes
from tests.support.screen import LANGUAGES
from tests.support.states import page_in


def voted(*, title: str = "Which one?", tell=str.upper):
    """The results of a room with a vote of two rounds and a vote for a cell."""
    board = Votes(MemoryStore(lambda: 1_800_000_000.0))
    code = board.start("teacher", "one_head", "swap", OptionsForm(("all", "none")), {})
    for answers in (("all", "all", "none"), ("none",)):
        for number, answer in enumerate(answers):
            board.vote(code, f"person {number}", board.sight(code, "x").ticket, answer)
        board.close(code, "teacher", title, tell)
        board.again(code, "teacher")
    board.start("teacher", "masks", "cell", CellForm(2, 2), {})
    board.vote(code, "person 0", board.sight(code, "x").ticket, "1_0")
    return board, code


def lines(results, language: str = "en") -> list[list[str]]:
    page = page_in("one_head", view=View(language=language, vote="ABCDEF"))
    return list(csv.reader(io.StringIO(class_results.table(page, results).removeprefix("\ufeff"))))


def test_all_votes_of_the_hour_are_there_with_counts_and_times():
    board, code = voted()
    head, *rows = lines(board.results(code, "teacher"))
    moment = "2027-01-15 08:00:00"
    assert len(head) == 7 and [row[4:] for row in rows] == [
        ["1", "ALL", "2"],
        ["1", "NONE", "1"],
        ["2", "ALL", "0"],
        ["2", "NONE", "1"],
        ["3", "ALL", "0"],
        ["3", "NONE", "0"],
        ["1", "1_0", "1"],
    ]
    assert {row[2] for row in rows} == {moment} and [row[3] for row in rows] == [moment] * 6 + [""]
    assert not any("person" in cell for row in rows for cell in row)


def test_only_the_owner_of_the_room_gets_them():
    board, code = voted()
    with pytest.raises(Exception, match="vote_not_yours"):
        board.results(code, "person 0")


@pytest.mark.parametrize("typed", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_typed_word_is_no_formula_of_a_spreadsheet(typed):
    board, code = voted(title=typed, tell=lambda _: typed)
    for row in lines(board.results(code, "teacher"))[1:7]:
        assert row[1] == f"'{typed}" and row[5] == f"'{typed}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_to_print_has_a_table_for_each_vote_and_no_markup_of_others(language):
    board, code = voted(title="<b>bold</b>", tell=lambda answer: f"<i>{answer}</i>")
    page = page_in("one_head", view=View(language=language, vote="ABCDEF"))
    sheet = class_results.sheet(page, board.results(code, "teacher"))
    assert sheet.count("<table>") == 2 and "&lt;b&gt;bold" in sheet and "&lt;i&gt;none" in sheet
    assert "<b>" not in sheet and "<i>" not in sheet and "2 (67%)" in sheet


def test_a_long_text_is_cut_before_it_is_kept():
    board, code = voted(title="t" * 10_000, tell=lambda _: "a" * 10_000)
    result = board.results(code, "teacher")[0]
    assert replace(result.vote, told={}).title == "t" * 300
    assert set(map(len, result.vote.told.values())) == {300}
