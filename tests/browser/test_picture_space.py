"""What has room in a picture and around it: long numbers, buttons at an edge, messages, names."""

import pytest

from pages.draw.texts import Texts
from pages.model.languages import LANGUAGES
from pages.picture import Grid, Matrix
from tests.browser.picture_board import Board
from tests.browser.picture_matrices import NINE, START, STEPS, TEXTS, nine

NUMBERS_TOLD = [
    (None, "error.not_a_number"),
    ("worked_examples", "bad.not_a_number"),
    ("practice", "fill_in.typing"),
]
# What the text of a cell has free at each side, in px.
FREE = """() => [...document.querySelectorAll('input.pic-cell')].map((node) => {
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(node);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  return [node.value, (node.clientWidth - pen.measureText(node.value).width) / 2];
})"""


@pytest.fixture
def board(blank_page):
    def open_board(matrices, layout, width, height):
        page = blank_page(viewport={"width": width, "height": height})
        return Board(page, matrices, layout, texts=TEXTS, steps=STEPS, panel=True, fit=True)

    return open_board


def test_the_buttons_of_the_columns_stay_at_their_own_matrix(board):
    grow = {"cols": {"add": True, "remove": False}}
    x = Matrix(id="x", title="X", rows=["a"], cols=["1"], values=[[1]]).to_edit(grow=grow)
    wide = Matrix(id="wide", title="S", rows=["1"], cols=list("12345678"), values=[[1] * 8])
    for width in (1280, 700):
        drawing = board([x, wide], [Grid([["x"], ["wide"]])], width, 800)
        cell, buttons = drawing.box('[data-matrix="x"]'), drawing.box(".pic-edge-cols")
        assert 0 <= buttons["x"] - (cell["x"] + cell["width"]) < 10


@pytest.mark.parametrize("cols", [7, 8])
def test_numbers_do_not_touch_the_borders_of_their_cells(board, cols):
    numbers = [-0.0405, 0.1095, 0.0126, -0.1162, 1.303, -0.0092, 12.345, -0.18, 0.5]
    names = [str(c) for c in range(cols)]
    matrices = [
        Matrix(id=name, title=name, rows=["1"], cols=names, values=[numbers[:cols]]).to_edit()
        for name in "abcd"
    ]
    drawing = board(matrices, [Grid([["a", "b", "c", "d"]])], 1280, 800)
    free = drawing.page.evaluate(FREE)
    assert len(free) == 4 * cols
    assert [one for one in free if one[1] < 1.5] == []


def test_the_weights_in_sight_go_once_the_hand_has_let_go(board):
    drawing = board(nine(START), NINE, 1280, 300)
    preview = drawing.page.locator(".pic-preview")
    for _ in range(2):  # a second drag of the same cell shows them again
        hand = drawing.box('[data-matrix="w_q"]')
        drawing.page.mouse.move(hand["x"] + 9, hand["y"] + 9)
        drawing.page.mouse.down()
        drawing.page.mouse.move(hand["x"] + 60, hand["y"] + 9, steps=3)
        preview.wait_for(state="visible")
        drawing.page.mouse.up()
        preview.wait_for(state="hidden")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_a_message_ends_within_an_example_number(blank_page, language):
    page = blank_page()
    told = [Texts(language, name)(key) for name, key in NUMBERS_TOLD]
    broken = page.evaluate(
        r"""(texts) => texts.flatMap((text) => {
          const [line, found] = [document.body.appendChild(document.createElement('p')), []];
          line.textContent = text;
          const examples = [...text.matchAll(/[\d√()a-z]+\/[\d√()a-z]+/g)];
          for (let width = 120; width < 380; width += 2) {
            line.style.width = `${width}px`;
            for (const { index, 0: example } of examples) {
              const range = new Range();
              range.setStart(line.firstChild, index);
              range.setEnd(line.firstChild, index + example.length);
              if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(example);
            }
          }
          return examples.length ? found : [text];
        })""",
        told,
    )
    assert broken == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_name_of_every_example_has_room_in_the_toolbar(visit, language):
    page = visit(f"/many_heads?lang={language}", '[data-matrix="first"]')
    names = list(Texts(language).section("example").values())
    cut = page.evaluate(
        """(names) => {
          const box = document.querySelector('.st-key-toolbar input');
          const look = getComputedStyle(box);
          const room = box.clientWidth - parseFloat(look.paddingLeft) - parseFloat(look.paddingRight);
          const pen = document.createElement('canvas').getContext('2d');
          pen.font = look.font;
          return names.filter((name) => pen.measureText(name).width > room);
        }""",
        names,
    )
    assert names and cut == []


def test_on_a_phone_the_hint_below_a_narrow_picture_is_not_cut(visit):
    page = visit(
        "/why_scale?lang=en&part=yours",
        ready=".pic-line",
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    heights = page.locator(".pic-line").first.evaluate("(node) => [node.scrollHeight, node.clientHeight]")
    assert heights[0] <= heights[1]
