"""Cells that are left open in a picture: typing, keys, pasting and dragging, without a server."""

import pytest
from playwright.sync_api import expect

from pages.picture import Flow, Matrix, copy
from tests.browser.picture_board import Board, at
from tests.browser.picture_matrices import TEXTS

OPEN = ((0, 2), (1, 0), (1, 2))
GIVEN = [[1.0, -2.0, None], [None, 0.25, None]]


def matrices(scores=GIVEN, **extra):
    names = {"rows": ["a", "b"], "cols": ["a", "b", "c"]}
    return [
        Matrix("scores", "S", values=scores, **names, **extra).to_edit(open=OPEN),
        Matrix("weights", "A", ["a"], ["a", "b", "c"], [[None, 0.5, 0.5]], "weights").to_edit(open=((0, 0),)),
    ]


@pytest.fixture
def drawing(blank_page):
    return Board(blank_page(), matrices(), [Flow(["scores", "weights"])], texts=TEXTS, panel=True)


def paste(board, place, text):
    board.cell(*place).evaluate(
        """(node, text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', text);
          const all = {clipboardData, bubbles: true, cancelable: true};
          node.dispatchEvent(new ClipboardEvent('paste', all));
        }""",
        text,
    )


def test_only_the_open_cells_can_be_edited_and_blank_ones_show_nothing(drawing):
    editable = {place for place in drawing.marked("data-editable", "") if place[0] == "scores"}
    assert editable == {("scores", *place) for place in OPEN}
    for place in OPEN:
        assert drawing.cell("scores", *place).input_value() == ""
        assert drawing.cell("scores", *place).get_attribute("data-value") == ""
    assert drawing.cell("scores", 0, 1).inner_text() == "−2.00"


def test_a_blank_cell_takes_typing_and_enter_goes_on_to_the_next_blank_one_and_the_next_matrix(drawing):
    drawing.cell("scores", 0, 2).click()
    drawing.page.keyboard.type("3.5")
    drawing.page.keyboard.press("Enter")
    assert drawing.focused() == ("scores", 1, 0)
    drawing.page.keyboard.type("-1")
    drawing.page.keyboard.press("Enter")
    assert drawing.focused() == ("scores", 1, 2)
    drawing.page.keyboard.type("2")
    drawing.page.keyboard.press("Enter")
    assert drawing.focused() == ("weights", 0, 0)
    drawing.page.keyboard.type("0.2")
    drawing.page.keyboard.press("Enter")
    assert drawing.focused() == ("weights", 0, 0)  # none is blank any more
    for place, text in zip(OPEN, ("3.5", "−1.0", "2.0"), strict=True):
        assert drawing.cell("scores", *place).input_value() == text
    # None waits for the answer to another one: whatever comes next on the page finds all of them.
    last = drawing.sent("edit")[-1]["edits"]
    places = {(edit["matrix"], edit["row"], edit["col"]): edit["value"] for edit in last}
    assert places == {
        ("scores", 0, 2): 3.5,
        ("scores", 1, 0): -1,
        ("scores", 1, 2): 2,
        ("weights", 0, 0): 0.2,
    }
    done = [[1.0, -2.0, 3.5], [None, 0.25, None]]
    drawing.draw(matrices(done), seq=1)
    assert drawing.cell("scores", 1, 0).input_value() == "−1.0"
    assert drawing.edits()[("scores", 1, 0)] == -1


def test_a_click_on_a_blank_cell_and_escape_or_leaving_it_changes_nothing(drawing):
    drawing.cell("scores", 1, 0).click()
    drawing.page.keyboard.press("Tab")
    assert drawing.cell("scores", 1, 0).input_value() == ""
    drawing.cell("scores", 1, 0).click()
    drawing.page.keyboard.type("7")
    drawing.page.keyboard.press("Escape")
    assert drawing.cell("scores", 1, 0).input_value() == ""
    assert drawing.sent("edit") == []
    assert drawing.page.locator("[role=alert]:visible").count() == 0


@pytest.mark.parametrize("keys", [["Delete"], ["Enter", "Control+a", "Backspace", "Enter"]])
def test_an_open_cell_can_be_made_blank_again(drawing, keys):
    drawing.draw(matrices([[1.0, -2.0, 4.0], [None, 0.25, None]]))
    drawing.cell("scores", 0, 2).focus()
    for key in keys:
        drawing.page.keyboard.press(key)
    assert drawing.edits() == {("scores", 0, 2): None}
    assert drawing.cell("scores", 0, 2).input_value() == ""
    assert drawing.cell("scores", 0, 2).get_attribute("aria-invalid") is None


def test_a_wrong_entry_in_a_blank_cell_is_explained(drawing):
    drawing.cell("scores", 0, 2).fill("two")
    drawing.cell("scores", 0, 2).press("Enter")
    assert drawing.page.locator("[role=alert]:visible").inner_text().strip()
    assert drawing.focused() == ("scores", 0, 2)
    assert drawing.sent("edit") == []


@pytest.mark.parametrize("scores", [GIVEN, [[1.0, -2.0, 4.0], [None, 0.25, None]]])
def test_an_open_cell_is_not_dragged(drawing, scores):
    drawing.draw(matrices(scores))
    box = drawing.cell("scores", 0, 2).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    drawing.page.mouse.move(x, y)
    drawing.page.mouse.down()
    drawing.page.mouse.move(x + 80, y, steps=5)
    drawing.page.mouse.up()
    assert drawing.sent("edit") == []
    assert drawing.page.locator(".pic-dragging").count() == 0


def test_arrow_keys_pass_over_given_and_blank_cells_alike(drawing):
    drawing.cell("scores", 0, 2).focus()
    for key, place in [("ArrowLeft", (0, 1)), ("ArrowDown", (1, 1)), ("ArrowLeft", (1, 0)), ("End", (1, 2))]:
        drawing.page.keyboard.press(key)
        assert drawing.focused() == ("scores", *place)


def test_tab_leads_to_the_first_open_cell(drawing):
    assert drawing.cell("scores", 0, 2).get_attribute("tabindex") == "0"
    assert drawing.cell("scores", 0, 0).get_attribute("tabindex") == "-1"


def test_a_pasted_block_skips_given_cells_whatever_it_has_there(drawing):
    paste(drawing, ("scores", 0, 0), "9\t-inf\t3\n4\t\t5")
    assert drawing.edits() == {("scores", 0, 2): 3, ("scores", 1, 0): 4, ("scores", 1, 2): 5}
    assert drawing.cell("scores", 0, 0).get_attribute("data-value") == "1"


def test_a_pasted_block_with_a_wrong_entry_for_an_open_cell_changes_nothing(drawing):
    paste(drawing, ("scores", 0, 0), "9\t8\ttwo\n4\t7\t5")
    assert drawing.sent("edit") == []
    assert drawing.page.locator("[role=alert]:visible").inner_text().strip()


def test_a_pasted_blank_leaves_a_cell_blank(drawing):
    paste(drawing, ("scores", 1, 0), "4\t\t")
    assert drawing.edits() == {("scores", 1, 0): 4}
    assert drawing.cell("scores", 1, 2).input_value() == ""


def test_a_copied_matrix_has_nothing_where_a_cell_is_blank(drawing):
    text = drawing.cell("scores", 0, 0).evaluate(
        """(node) => {
          const clipboardData = new DataTransfer();
          const all = {clipboardData, bubbles: true, cancelable: true};
          node.dispatchEvent(new ClipboardEvent('copy', all));
          return clipboardData.getData('text/plain');
        }"""
    )
    assert text == "1\t-2\t\n\t0.25\t"


def test_the_arithmetic_of_a_blank_cell_names_no_number(drawing):
    drawing.cell("scores", 0, 2).focus()
    assert drawing.line().endswith("= …")
    drawing.cell("scores", 1, 1).focus()
    assert drawing.line().endswith("= 0.2500")


def test_the_keys_of_a_phone_have_a_minus_where_a_number_may_be_negative(drawing):
    assert drawing.cell("scores", 0, 2).get_attribute("inputmode") == "text"
    assert drawing.cell("weights", 0, 0).get_attribute("inputmode") == "text"  # for the stroke of a fraction


def test_a_finger_types_into_a_blank_cell(chromium):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    pieces = Board(context.new_page(), matrices(), [Flow(["scores", "weights"])], texts=TEXTS)
    pieces.page.locator(at("scores", 0, 2)).tap()
    expect(pieces.page.locator(at("scores", 0, 2))).to_be_focused()
    pieces.page.keyboard.type("3")
    pieces.page.keyboard.press("Enter")
    assert pieces.edits() == {("scores", 0, 2): 3}
    context.close()


def test_solving_it_turns_open_cells_into_given_ones(drawing):
    drawing.cell("scores", 0, 2).fill("two")
    done = [Matrix("scores", "S", values=[[1.0, -2.0, 3.0]], rows=["a"], cols=["a", "b", "c"])]
    drawing.draw(done)
    assert drawing.marked("data-editable", "") == set()
    assert drawing.cell("scores", 0, 2).inner_text() == "3.00"


def test_without_a_cell_in_sight_the_line_says_what_can_be_done_here(drawing):
    """Typing only where a number can be typed, pointing only where a cell was made from others."""
    assert drawing.line() == TEXTS["edit_block"]
    names = {"rows": ["a"], "cols": ["a"], "values": [[1.0]]}
    drawing.layout = [Flow(["one", "other"])]
    drawing.draw([Matrix("one", "X", **names), Matrix("other", "Y", recipe=copy(("one", 0, 1)), **names)])
    assert drawing.line() == TEXTS["point"]
    drawing.draw([Matrix("one", "X", **names), Matrix("other", "Y", **names)])
    assert drawing.line() == ""
    drawing.draw([Matrix("one", "X", **names).to_edit(), Matrix("other", "Y", **names)])
    assert drawing.line() == TEXTS["edit"]
    block = names | {"cols": ["a", "b"], "values": [[1.0, 2.0]]}
    result = Matrix("other", "Y", recipe=copy(("one", 0, 1)), **names)
    drawing.draw([Matrix("one", "X", **block).to_edit(), result])
    assert drawing.line() == f"{TEXTS['point_short']} {TEXTS['edit_block']}"
    drawing.page.hover(at("other", 0, 0))
    drawing.page.mouse.move(0, 0)
    assert drawing.line() == TEXTS["edit_block"]  # the other hint is known now
