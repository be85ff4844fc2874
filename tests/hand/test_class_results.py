"""The results of a room: who gets them, what they have, and that typed words stay words."""

import csv
import io
import itertools
from dataclasses import replace
from html import escape
from urllib.parse import urlencode

import pytest
import streamlit as st

from pages.draw.texts import Texts, plain
from pages.hand import class_results
from pages.hand.class_results import Hour
from pages.model.ballots import CellForm, OptionsForm
from pages.model.view import View
from pages.room import MemoryStore, attendance
from pages.room.attendance import Presence, Reply, Success
from pages.room.rooms import Rooms
from pages.room.rules import MAX_TEXT, Scene
from tests.support.screen import LANGUAGES
from tests.support.states import page_in


def voted(*, title: str = "Which one?", tell=str.upper):
    """The results of a room with a vote of two rounds and a vote for a cell. A minute passes at each look."""
    clock = itertools.count(1_800_000_000.0, 60.0)
    board = Rooms(MemoryStore(lambda: next(clock)))
    scene = Scene("one_head", {})
    code = board.ask("teacher", scene, "swap", OptionsForm(("all", "none")))
    for answers in (("all", "all", "none"), ("none",)):
        for number, answer in enumerate(answers):
            board.vote(code, f"person {number}", board.sight(code, "x").vote.ticket, answer)
        board.close(code, "teacher", title, tell, "none".__eq__)
        board.again(code, "teacher", scene)
    board.ask("teacher", Scene("masks", {}), "cell", CellForm(2, 2))
    board.vote(code, "person 0", board.sight(code, "x").vote.ticket, "1_0")
    return board, code


def hour_of(board: Rooms, code: str) -> Hour:
    return Hour(board.results(code, "teacher"), attendance.of_room(board.store, code, "teacher"))


def answered(board: Rooms, code: str) -> None:
    """Two people answer a question and a typed one, and one of them reaches a target; so does a vote's."""
    link = f"one_head?{urlencode({'part': 'roles', 'target': 'query_street'})}"
    for person, word, right in (("ann", "none", True), ("ben", "all", False)):
        replies = {
            "order_shift": Reply(word, right, 1_800_000_000 + len(person)),
            "swap": Reply("all", True, 1),
            "gone": Reply("all", True, 1),
        }
        reached = {"query_street": Success(link, 1_800_000_100)} if right else {}
        attendance.note(
            board.store, code, person, Presence("order/rotary/", replies=replies, reached=reached)
        )


def lines(hour: Hour, language: str = "en") -> list[list[str]]:
    page = page_in("one_head", view=View(language=language, vote="ABCDEF"))
    return list(csv.reader(io.StringIO(class_results.table(page, hour).decode("utf-8-sig"))))


def test_all_votes_of_the_hour_are_there_with_counts_and_times():
    board, code = voted()
    head, *rows = lines(hour_of(board, code))
    assert len(head) == len(class_results.COLUMNS) and {row[0] for row in rows} == {"vote"}
    assert [row[5:] for row in rows] == [
        ["1", "ALL", "2", "0"],
        ["1", "NONE", "1", "1"],
        ["2", "ALL", "0", "0"],
        ["2", "NONE", "1", "1"],
        ["3", "ALL", "0", "0"],
        ["3", "NONE", "0", "0"],
        ["1", "1_0", "1", ""],
    ]
    begun, ended = zip(*(row[3:5] for row in rows), strict=True)
    assert begun[0].startswith("2027-01-15 08:0") and ended[-3:] == ("", "", "")
    assert list(begun) == sorted(begun) and begun[0] < ended[0] < begun[2] < ended[2] < begun[4]
    assert not any("person" in cell for row in rows for cell in row)


@pytest.mark.parametrize(
    ("zone", "named", "hour"),
    [
        ("Asia/Shanghai", "Asia/Shanghai", "16"),
        *((zone, "UTC", "08") for zone in ("../etc/passwd", "x" * 9_999, "\0", None)),
    ],
)
def test_times_are_those_of_the_reader_s_time_zone_which_is_named(monkeypatch, zone, named, hour):
    """A browser may say anything."""
    monkeypatch.setattr(type(st.context), "timezone", zone)
    board, code = voted()
    head, *rows = lines(hour_of(board, code))
    assert rows[0][3].startswith(f"2027-01-15 {hour}:0") and head[3].endswith(f"({named})")


def test_only_the_owner_of_the_room_gets_them():
    board, code = voted()
    with pytest.raises(Exception, match="vote_not_yours"):
        board.results(code, "person 0")


@pytest.mark.parametrize("typed", ["=1+1", "+1", "-A1", " =1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_typed_word_is_no_formula_of_a_spreadsheet(typed):
    board, code = voted(title=typed, tell=lambda _: typed)
    for row in lines(hour_of(board, code))[1:7]:
        assert row[2] == f"'{typed}" and row[6] == f"'{typed}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_to_print_has_a_table_for_each_vote_and_no_markup_of_others(language):
    board, code = voted(title="<b>bold</b>", tell=lambda answer: f"<i>{answer}</i>")
    page = page_in("one_head", view=View(language=language, vote="ABCDEF"))
    sheet = class_results.sheet(page, hour_of(board, code))
    assert sheet.count("<table>") == 2 and "&lt;b&gt;bold" in sheet and "&lt;i&gt;none" in sheet
    assert "<b>" not in sheet and "<i>" not in sheet and "2 (67%)" in sheet
    assert "✓ &lt;i&gt;none" in sheet and "✓ &lt;i&gt;all" not in sheet


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_and_targets_of_the_hour_are_counted(language):
    """Without those of votes, and without a question that the course does not have."""
    board, code = voted()
    answered(board, code)
    hour, t = hour_of(board, code), Texts(language, "order")
    kinds = t("results.of_question"), t("results.of_target")
    rows = [row for row in lines(hour, language) if row[0] in kinds]
    assert [row[1] for row in rows] == [t("lesson.title")] * 2 + [Texts(language, "one_head")("lesson.title")]
    assert {row[2] for row in rows[:2]} == {plain(t("ask.order_shift"))} and "0.8" in rows[2][2]
    texts = {row[6]: row[7:] for row in rows}
    words = [plain(t(f"option.order_shift_{name}")) for name in ("none", "all")]
    told = [text for word in words for text in texts if text.endswith(word)]
    assert [texts[text] for text in told] == [["1", "1"], ["1", "0"]] and texts[""] == ["1", ""]
    assert {row[3] for row in rows[:2]} == {"2027-01-15 08:00:03"}
    page = page_in("one_head", view=View(language=language, vote="ABCDEF"))
    sheet = class_results.sheet(page, hour)
    assert sheet.count("<table>") == 3 and sheet.count("<section>") == 4
    assert [f"✓ {escape(text)}" in sheet for text in told] == [True, False]
    assert escape(t("results.answered", count=2, right=1)) in sheet and t("results.reached", count=1) in sheet


def test_a_long_text_is_cut_before_it_is_kept():
    board, code = voted(title="t" * 10_000, tell=lambda _: "a" * 10_000)
    result = board.results(code, "teacher")[0]
    assert replace(result.vote, told={}).title == "t" * MAX_TEXT
    assert set(map(len, result.vote.told.values())) == {MAX_TEXT}
