"""The still piece that a browser holds is not sent again; where it is missing, the browser asks for it."""

from base64 import b64encode

import pytest

from pages.picture import Picture, packed
from tests.browser.picture_board import Board
from tests.browser.picture_matrices import NINE, START, TEXTS, nine

OPTIONS = {"key": "picture", "stamp": "0", "texts": TEXTS}
CELLS = "[...document.querySelectorAll('.pic-cell')].map(({dataset}) => dataset.value)"
DRAW = """(data) => drawPieces({
  data: Uint8Array.from(atob(data), (one) => one.charCodeAt(0)), parentElement: window.board,
  setStateValue: (name, value) => window.sent.push([name, value]),
  setTriggerValue: (name, value) => window.sent.push([name, value]),
})"""


@pytest.fixture
def board(blank_page):
    return Board(blank_page(), [], [], texts=TEXTS)


def answer(board, x: float, seq: int, held=""):
    """The server's answer, with the first number of X, to a browser that holds this piece."""
    recipe = list(nine({**START, "x": [[x, *START["x"][0][1:]], *START["x"][1:]]}))
    data = packed(Picture(recipe, NINE, seq=seq, **OPTIONS), held)
    board.page.evaluate(DRAW, b64encode(data).decode())
    return len(data)


def shown(board) -> str:
    return board.cell("x", 0, 0).get_attribute("data-value")


def enter(board, text: str) -> str:
    """The piece that the browser holds, as it says with an edit."""
    board.cell("x", 0, 1).fill(text)
    board.cell("x", 0, 1).press("Enter")
    return board.sent("edit")[-1]["still"]


def test_an_answer_is_drawn_with_the_piece_that_is_there(board):
    first = answer(board, 1.25, 0)
    assert answer(board, -2.5, 1, enter(board, "3")) < first / 2
    assert shown(board) == "-2.5" and board.sent("lack") == []
    cells = board.page.evaluate(CELLS)
    answer(board, -2.5, 2)
    assert board.page.evaluate(CELLS) == cells


def test_a_piece_that_is_not_there_is_asked_for_and_the_screen_stays_as_it_was(board):
    answer(board, 1.25, 0)
    held = enter(board, "3")
    answer(board, -2.5, 1, held)
    board.page.evaluate("kept.clear()")
    answer(board, 4.5, 2, held)
    assert board.sent("lack") == [True] and shown(board) == "-2.5"
    answer(board, 7.5, 3)
    assert board.sent("lack") == [True] and shown(board) == "7.5"


def test_pieces_that_were_not_used_for_long_make_room(board):
    answer(board, 1.25, 0)
    held = enter(board, "3")
    board.page.evaluate("for (let i = 0; i < 49; i += 1) kept.set(`old${i}`, {})")
    answer(board, -2.5, 1, held)
    board.page.evaluate("use('new', {})")
    assert board.page.evaluate("[kept.size, kept.has('old0')]") == [50, False]
    answer(board, 4.5, 2, held)
    assert shown(board) == "4.5" and board.sent("lack") == []
