"""Every gesture in the picture and the messages it sends, without a server."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

from pages.picture import Flow, Matrix
from tests.browser.gestures import cell
from tests.browser.picture_board import Board
from tests.browser.picture_matrices import (
    MASK,
    NINE,
    START,
    STEPS,
    TEXTS,
    TWELVE,
    large_start,
    mask_case,
    nine,
    twelve,
)
from tests.support.picture_data import plain_data

X = ("x", 0, 0)


@pytest.fixture
def board(blank_page):
    page = blank_page()
    return lambda matrices, layout, **options: Board(page, matrices, layout, texts=TEXTS, **options)


@pytest.fixture
def drawing(board):
    return board(nine(START), NINE, steps=STEPS, panel=True)


def changed(matrix, row, col, value):
    """The first page's numbers with another one, as the server knows them after an edit."""
    now = json.loads(json.dumps(START))
    now[matrix][row][col] = value
    return nine(now)


def fill(board, place, text, key="Enter"):
    board.cell(*place).fill(text)
    if key:
        board.cell(*place).press(key)


def press_on(board, place):
    """Presses the mouse on a cell; returns where."""
    box = board.cell(*place).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    board.page.mouse.move(x, y)
    board.page.mouse.down()
    return x, y


def frames(board, count=2):
    """Waits until so many frames are painted."""
    board.page.evaluate(
        """(n) => new Promise((done) => {
             const frame = () => (n-- > 0 ? requestAnimationFrame(frame) : done());
             frame();
           })""",
        count,
    )


def value(board, place=X):
    return float(board.cell(*place).get_attribute("data-value"))


# ---------------------------------------------------------------- typing


def test_a_typed_number_is_one_gesture_with_one_edit(drawing):
    fill(drawing, X, "2.5")
    edit = {"matrix": "x", "row": 0, "col": 0, "value": 2.5}
    assert drawing.sent("edit") == [{"seq": 1, "gesture": 1, "held": False, "edits": [edit]}]
    assert drawing.cell(*X).input_value() == "2.5"


def test_leaving_a_cell_takes_its_entry(drawing):
    drawing.cell(*X).click()
    drawing.page.keyboard.type("7")
    drawing.page.keyboard.press("Tab")
    assert drawing.edits() == {X: 7}


def test_escape_gives_an_entry_up(drawing):
    fill(drawing, X, "9", key="Escape")
    assert drawing.cell(*X).input_value() == "1.0"
    assert drawing.sent("edit") == []


def test_enter_edits_the_number_in_full(board):
    drawing = board(changed("x", 0, 0, 1 / 3), NINE)
    assert drawing.cell(*X).input_value() == "0.3333"
    drawing.cell(*X).press("Enter")
    assert drawing.cell(*X).input_value() == "0.3333333333333333"


ALERT = "[role=alert]:visible"


@pytest.mark.parametrize("entry", ["two", "1e9", " ", "inf", "1,5,2"])
def test_a_wrong_entry_is_marked_explained_and_goes_when_its_cell_is_left(drawing, entry):
    fill(drawing, X, entry)
    assert drawing.cell(*X).get_attribute("aria-invalid") == "true"
    assert drawing.cell(*X).input_value() == entry
    message = drawing.page.locator(ALERT)
    text = message.inner_text()
    assert text.strip()
    assert message.get_attribute("id") == drawing.cell(*X).get_attribute("aria-errormessage")
    drawing.cell("x", 1, 1).click()
    assert drawing.cell(*X).input_value() == "1.0"
    assert drawing.cell(*X).get_attribute("aria-invalid") is None
    assert message.inner_text() == text  # until the next gesture
    drawing.page.keyboard.type("3")
    assert message.count() == 0
    drawing.page.keyboard.press("Enter")
    assert drawing.edits() == {("x", 1, 1): 3}


@pytest.mark.parametrize("clicks", [0, 1])
def test_after_a_wrong_entry_the_next_one_takes_its_place(drawing, clicks):
    """Its text is selected, also by the first click; the second click sets the caret, to correct a digit."""
    fill(drawing, X, "abc")
    for _ in range(clicks):
        drawing.cell(*X).click()
    drawing.page.keyboard.type("1/4")
    assert drawing.cell(*X).input_value() == "1/4"
    drawing.cell(*X).press("Enter")
    assert drawing.edits() == {("x", 0, 0): 0.25}


def test_the_second_click_after_a_wrong_entry_sets_the_caret(drawing):
    fill(drawing, X, "1,5,2")
    drawing.cell(*X).click()
    drawing.cell(*X).click()
    drawing.page.keyboard.press("End")
    drawing.page.keyboard.press("Backspace")
    drawing.page.keyboard.press("Backspace")
    assert drawing.cell(*X).input_value() == "1,5"


def test_a_wrong_entry_that_was_never_confirmed_goes_too_and_is_explained(drawing):
    fill(drawing, X, "abc", key=None)
    drawing.cell("w_q", 0, 0).click()
    assert drawing.cell(*X).input_value() == "1.0"
    assert drawing.page.locator(ALERT).inner_text() == "“abc” is not a number."
    drawing.draw(nine(START), texts=TEXTS | {"not_a_number": "“{entry}”不是数字。"})
    assert drawing.page.locator(ALERT).inner_text() == "“abc”不是数字。"
    drawing.draw(nine(START), stamp=1)  # undo, redo and reset change the stamp
    assert drawing.page.locator(ALERT).count() == 0
    assert drawing.sent("edit") == []


# ---------------------------------------------------------------- what the server says while an entry is open

ENTRIES = {"unfinished": ("8", None), "wrong": ("two", "Enter"), "wrong and left": ("two", "Tab")}


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_server_s_new_state_replaces_an_open_entry(drawing, entry):
    fill(drawing, X, *ENTRIES[entry])
    drawing.draw(changed("x", 0, 0, 5), stamp=1)
    assert drawing.cell(*X).input_value() == "5.0"
    assert drawing.cell(*X).get_attribute("aria-invalid") is None
    assert drawing.page.locator("[role=alert]:visible").count() == 0
    drawing.page.locator(".pic-title").first.focus()
    assert drawing.sent("edit") == []
    assert value(drawing) == 5


@pytest.mark.parametrize("entry", ["unfinished", "wrong"])
def test_an_answer_leaves_an_open_entry_alone(drawing, entry):
    text, key = ENTRIES[entry]
    fill(drawing, X, text, key)
    drawing.draw(changed("x", 1, 1, 5))
    assert drawing.cell(*X).input_value() == text
    assert drawing.cell("x", 1, 1).input_value() == "5.0"


@pytest.mark.parametrize("press", ["click", "key", "back"])
def test_an_edit_before_a_press_goes_with_a_new_state_and_one_after_it_stays(drawing, press):
    """As where somebody presses Undo and enters a number before the answer."""
    fill(drawing, X, "9")
    assert value(drawing) == 9
    if press == "click":
        drawing.page.mouse.click(790, 590)
    elif press == "key":
        drawing.page.keyboard.press("Control+z")
    else:
        drawing.page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    fill(drawing, ("x", 1, 1), "7")
    drawing.draw(nine(START), stamp=1)  # sent before the server saw the 9
    assert value(drawing) == 1 and value(drawing, ("x", 1, 1)) == 7
    assert drawing.sent("edit")[-1]["edits"] == [{"matrix": "x", "row": 1, "col": 1, "value": 7}]


def test_a_command_outlives_the_answer_to_an_earlier_press(drawing):
    drawing.page.mouse.click(790, 590)
    drawing.page.get_by_role("button", name="Add a token").click()
    drawing.draw(nine(START), stamp=1)
    fill(drawing, X, "7")
    assert drawing.edits() == {}  # it waits for the command
    drawing.draw(nine(START), done=1, stamp=2)
    assert drawing.edits() == {X: 7}


def test_an_older_answer_does_not_take_a_newer_edit_back(drawing):
    fill(drawing, X, "9")
    drawing.draw(nine(START))
    assert value(drawing) == 9 and drawing.cell(*X).input_value() == "9.0"
    drawing.draw(changed("x", 0, 0, 9), seq=1)
    assert value(drawing) == 9


def test_the_server_has_the_last_word_on_a_confirmed_edit(drawing):
    fill(drawing, X, "9")
    drawing.draw(changed("x", 0, 0, 8), seq=1)
    assert value(drawing) == 8 and drawing.cell(*X).input_value() == "8.0"


# ---------------------------------------------------------------- messages


def test_each_gesture_waits_for_the_one_before(drawing):
    fill(drawing, X, "2")
    fill(drawing, ("x", 0, 1), "3")
    fill(drawing, ("x", 0, 2), "4")
    assert [(m["gesture"], len(m["edits"])) for m in drawing.sent("edit")] == [(1, 1)]
    drawing.draw(changed("x", 0, 0, 2), seq=1)
    drawing.draw(changed("x", 0, 0, 2), seq=2)
    messages = drawing.sent("edit")
    assert [(m["gesture"], m["edits"][0]["value"]) for m in messages] == [(1, 2), (2, 3), (3, 4)]


def test_a_server_that_was_started_anew_gets_what_it_lost(board):
    drawing = board(nine(START), NINE, seq=40)
    fill(drawing, X, "2")
    fill(drawing, ("x", 0, 1), "3")
    drawing.draw(nine(START), seq=0, stamp="another")
    assert value(drawing) == 2 and value(drawing, ("x", 0, 1)) == 3
    assert drawing.sent("edit")[-1]["edits"][0]["value"] == 2
    drawing.draw(changed("x", 0, 0, 2), seq=drawing.sent("edit")[-1]["seq"])
    assert drawing.sent("edit")[-1]["edits"][0]["value"] == 3


def old(board):
    """The matrices that are marked as old."""
    return set(
        board.page.eval_on_selector_all("[data-old]", "(all) => all.map((one) => one.dataset.matrixBox)")
    )


def test_while_pytorch_is_imported_an_edit_says_at_once_that_it_waits(blank_page):
    view = Board(blank_page(fresh=True), nine(START), NINE, texts=TEXTS, starting=True)
    view.page.clock.install(time=0)
    view.page.clock.pause_at(1000)
    fill(view, X, "2")
    view.page.clock.run_for(50)  # the frame in which the edit is sent
    assert view.page.locator(".pic-offline").inner_text() == TEXTS["offline"]
    assert old(view) == {one.id for one in view.matrices if one.editing is None}
    view.draw(changed("x", 0, 0, 2), seq=1, starting=False)
    assert view.page.locator(".pic-offline").inner_text() == "" and old(view) == set()
    fill(view, X, "3")
    view.page.clock.run_for(50)
    assert old(view) == set()


def test_what_is_not_answered_is_sent_again_and_what_was_computed_is_marked_as_old(blank_page):
    view = Board(blank_page(fresh=True), nine(START), NINE, texts=TEXTS)
    computed = {one.id for one in view.matrices if one.editing is None}
    view.page.clock.install(time=0)
    view.page.clock.pause_at(1000)  # so that nothing but the lines below lets time pass
    fill(view, X, "2")
    view.page.clock.run_for(50)  # the frame in which the edit is sent
    view.page.clock.fast_forward(1400)  # an ordinary slow answer
    assert view.page.locator(".pic-offline").inner_text() == "" and old(view) == set()
    view.page.clock.fast_forward(200)
    assert view.page.locator(".pic-offline").inner_text() == TEXTS["offline"]
    assert old(view) == computed
    view.page.clock.fast_forward(1900)
    messages = view.sent("edit")
    assert len(messages) == 2 and messages[0]["edits"] == messages[1]["edits"]
    assert messages[1]["seq"] > messages[0]["seq"]
    view.draw(changed("x", 0, 0, 2), seq=2)
    assert view.page.locator(".pic-offline").inner_text() == "" and old(view) == set()
    view.page.clock.fast_forward(60_000)
    assert len(view.sent("edit")) == 2


# ---------------------------------------------------------------- dragging


def test_a_drag_is_one_gesture_that_ends_with_held_false(drawing):
    x, y = press_on(drawing, X)
    for step in range(1, 11):
        drawing.page.mouse.move(x + 8 * step, y)
        frames(drawing)
        if messages := drawing.sent("edit"):
            last = messages[-1]
            drawing.draw(changed("x", 0, 0, last["edits"][0]["value"]), seq=last["seq"])
    assert value(drawing) == 2
    drawing.page.mouse.up()
    messages = drawing.sent("edit")
    assert {m["gesture"] for m in messages} == {1}
    assert [m["held"] for m in messages] == [True] * (len(messages) - 1) + [False]
    assert messages[-1]["edits"] == [{"matrix": "x", "row": 0, "col": 0, "value": 2}]


def test_the_held_cell_follows_the_hand_in_the_same_frame_without_an_answer(drawing):
    x, y = press_on(drawing, X)
    drawing.page.evaluate(
        """(held) => document.addEventListener('pointermove', () => {
             requestAnimationFrame(() => { window.drawn = document.querySelector(held).dataset.value; });
           })""",
        cell(*X),
    )
    for step in range(1, 5):  # from the third on, not even a message is sent
        drawing.page.evaluate("delete window.drawn")
        drawing.page.mouse.move(x + 16 * step, y)
        drawn = drawing.page.wait_for_function("window.drawn").json_value()
        assert float(drawn) == pytest.approx(1 + 0.2 * step)
    drawing.page.mouse.up()


def test_only_two_messages_are_ahead_of_the_answers(drawing):
    x, y = press_on(drawing, X)
    for step in range(1, 8):
        drawing.page.mouse.move(x + 16 * step, y)
        frames(drawing)
    assert len(drawing.sent("edit")) == 2
    drawing.draw(nine(START), seq=1)
    assert len(drawing.sent("edit")) == 3
    drawing.page.mouse.up()
    last = drawing.sent("edit")[-1]
    assert not last["held"] and last["edits"][0]["value"] == pytest.approx(2.4)


def test_shift_makes_a_drag_fine(drawing):
    x, y = press_on(drawing, X)
    drawing.page.mouse.move(x + 80, y)
    frames(drawing)
    drawing.page.keyboard.down("Shift")
    drawing.page.mouse.move(x + 80, y)
    drawing.page.mouse.move(x + 120, y)
    frames(drawing)
    drawing.page.keyboard.up("Shift")
    drawing.page.mouse.up()
    assert value(drawing) == pytest.approx(2.05)


def test_escape_cancels_a_drag(drawing):
    x, y = press_on(drawing, X)
    drawing.page.mouse.move(x + 80, y)
    frames(drawing)
    drawing.page.keyboard.press("Escape")
    drawing.page.mouse.move(x + 160, y)
    drawing.page.mouse.up()
    assert value(drawing) == 1
    assert drawing.sent("edit")[-1]["edits"][0]["value"] == 1
    assert not drawing.sent("edit")[-1]["held"]


def test_a_new_state_of_the_server_ends_a_drag(drawing):
    x, y = press_on(drawing, X)
    drawing.page.mouse.move(x + 80, y)
    frames(drawing)
    drawing.draw(changed("x", 0, 0, 5), stamp=1)
    drawing.page.mouse.move(x + 160, y)
    frames(drawing)
    drawing.page.mouse.up()
    assert value(drawing) == 5


def test_colours_hold_still_while_a_number_is_dragged(drawing):
    colour = "(node) => getComputedStyle(node).backgroundColor"
    before = drawing.cell("query", 1, 1).evaluate(colour)
    x, y = press_on(drawing, X)
    drawing.page.mouse.move(x + 240, y)
    frames(drawing)
    drawing.draw(changed("x", 0, 0, 4), seq=1)
    assert value(drawing, ("query", 0, 0)) == pytest.approx(4.09)
    assert drawing.cell("query", 1, 1).evaluate(colour) == before
    drawing.page.mouse.up()
    drawing.draw(changed("x", 0, 0, 4), seq=2)
    assert drawing.cell("query", 1, 1).evaluate(colour) != before


def test_a_drag_outlives_being_taken_off_the_page(drawing):
    x, y = press_on(drawing, X)
    drawing.page.mouse.move(x + 40, y)
    frames(drawing)
    drawing.page.evaluate("""() => {
      window.board.leave();
      window.board.remove();
      window.board = document.body.appendChild(document.createElement('div'));
    }""")
    drawing.page.mouse.move(x + 80, y)
    frames(drawing)
    drawing.draw(nine(START))
    assert value(drawing) == 2
    drawing.page.mouse.up()
    assert drawing.sent("edit")[-1]["edits"][0]["value"] == 2


def test_an_open_entry_and_its_caret_outlive_being_taken_off_the_page(drawing):
    drawing.cell(*X).press("Enter")
    drawing.page.keyboard.type("23")
    drawing.page.keyboard.press("ArrowLeft")
    drawing.page.evaluate("""() => {
      window.board.leave();
      window.board.remove();
      window.board = document.body.appendChild(document.createElement('div'));
    }""")
    drawing.draw(nine(START))
    drawing.page.keyboard.type("4")
    assert drawing.cell(*X).input_value() == "1243"
    assert drawing.sent("edit") == []


LATE = {
    "before the next call": "(leave) => { leave(); window.draw(window.data); }",
    "after the next call": "(leave) => { window.draw(window.data); leave(); }",
}


@pytest.mark.parametrize("order", LATE)
def test_a_picture_stays_where_streamlit_ends_an_older_call_late(drawing, order):
    """Two runs that follow one another quickly: Streamlit ends the first one's call when it gets to it."""
    data = plain_data(drawing.matrices, drawing.layout, **drawing.options)
    drawing.page.evaluate(f"(data) => {{ window.data = data; ({LATE[order]})(window.board.leave); }}", data)
    # A picture that has left is given up after that time.
    drawing.page.evaluate("() => new Promise((done) => setTimeout(done, ORPHAN_LIVES + 100))")
    fill(drawing, X, "7")
    assert drawing.sent("edit")[-1]["edits"][0]["value"] == 7


def test_a_picture_that_left_is_given_up_and_another_key_does_not_take_it(drawing):
    fill(drawing, X, "two")
    drawing.page.evaluate("window.board.leave()")
    drawing.page.evaluate("window.board.replaceChildren()")
    drawing.draw(nine(START), key="other")
    assert drawing.cell(*X).input_value() == "1.0"


@pytest.mark.parametrize(("dx", "expected"), [(8, 5), (80, 25), (-80, 1), (2000, 512)])
def test_a_logarithmic_whole_number_is_multiplied_and_bounded(board, dx, expected):
    drawing = board(mask_case(START | {"blocked": [], "d_k": 4}), MASK)
    x, y = press_on(drawing, ("d_k", 0, 0))
    drawing.page.mouse.move(x + dx, y)
    frames(drawing)
    drawing.page.mouse.up()
    assert value(drawing, ("d_k", 0, 0)) == expected


def test_a_finger_drags_a_number_and_a_tap_pins(chromium):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    names = Board(context.new_page(), nine(START), NINE, texts=TEXTS, steps=STEPS, panel=True)
    session = context.new_cdp_session(names.page)
    names.cell(*X).evaluate("(node) => node.scrollIntoView({block: 'center'})")
    box = names.cell(*X).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    # The events say when they happened. The finger rests before it is lifted: after a fast one, a tap that
    # follows at once only stops what the browser takes for a fling, and is no click.
    now = time.time()

    def touch(kind, points, ago):
        event = {"type": kind, "touchPoints": points, "timestamp": now - ago}
        session.send("Input.dispatchTouchEvent", event)

    touch("touchStart", [{"x": x, "y": y}], ago=3)
    for i in range(1, 17):
        touch("touchMove", [{"x": x + 5 * i, "y": y}], ago=3 - i / 16)
    touch("touchEnd", [], ago=1)
    assert value(names) == 2
    names.cell("output", 2, 2).tap()
    expect(names.page.locator(".pic-line")).to_have_text(re.compile(r"^O\[猫, 3\] = "))
    assert names.marked("data-lit", "self") == {("output", 2, 2)}
    assert box["height"] >= 40
    names.draw(nine(START), steps=[], panel=False)  # a figure without steps says it as well
    names.cell("query", 0, 0).tap()
    expect(names.page.locator(".pic-line")).to_have_text(re.compile(r"^Q\[我, 1\] = "))
    context.close()


# ---------------------------------------------------------------- keys


def test_a_number_is_read_aloud_before_its_place(board):
    drawing = board(mask_case(START | {"blocked": [], "d_k": 4}), MASK)
    expect(drawing.cell("ask", 0, 0)).to_have_accessible_name("0.50")
    expect(drawing.cell("ask", 0, 0)).to_have_accessible_description("?, row 1, column a")


def test_a_number_that_stands_alone_is_called_by_its_name(board):
    drawing = board(mask_case(START | {"blocked": [], "d_k": 4}), MASK)
    expect(drawing.cell("d_k", 0, 0)).to_have_accessible_name("d_k")
    expect(drawing.cell("facts", 1, 0)).to_have_accessible_description("facts, row b, column is")


def test_arrows_move_home_and_end_lead_to_the_edges(drawing):
    drawing.cell(*X).focus()
    for key, place in [
        ("ArrowRight", (0, 1)), ("ArrowDown", (1, 1)), ("End", (1, 3)), ("Home", (1, 0)),
        ("ArrowLeft", (1, 0)), ("Control+End", (2, 3)), ("Control+Home", (0, 0)),
    ]:  # fmt: skip
        drawing.page.keyboard.press(key)
        assert drawing.focused() == ("x", *place)
    drawing.cell("output", 0, 0).focus()
    drawing.page.keyboard.press("ArrowDown")
    assert drawing.focused() == ("output", 1, 0)
    assert drawing.sent("edit") == []


def test_each_matrix_is_one_tab_stop(drawing):
    stops = drawing.page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.pic-box')].map((box) => "
        "[box.dataset.matrixBox, box.querySelectorAll('.pic-cell[tabindex=\"0\"]').length]))"
    )
    assert stops == {m.id: 1 for m in drawing.matrices}
    drawing.cell("query", 1, 2).focus()
    assert drawing.page.locator('[data-matrix-box="query"] .pic-cell[tabindex="0"]').count() == 1


def test_nudges_are_one_gesture_until_the_key_is_up(drawing):
    drawing.cell("x", 1, 1).focus()
    drawing.page.keyboard.down("Shift")
    for _ in range(3):
        drawing.page.keyboard.down("ArrowUp")
    drawing.draw(changed("x", 1, 1, 1.4), seq=2)
    drawing.page.keyboard.up("ArrowUp")
    drawing.page.keyboard.up("Shift")
    assert value(drawing, ("x", 1, 1)) == 1.5
    messages = drawing.sent("edit")
    assert {m["gesture"] for m in messages} == {1}
    assert [m["held"] for m in messages][-1] is False and messages[0]["held"]


def test_delete_writes_zero(drawing):
    drawing.cell(*X).focus()
    drawing.page.keyboard.press("Delete")
    assert drawing.edits() == {X: 0}


@pytest.mark.parametrize("key", ["Delete", "Backspace"])
def test_a_cell_that_is_emptied_and_typed_in_is_one_gesture(drawing, key):
    drawing.cell(*X).click()
    drawing.page.keyboard.press(key)
    drawing.draw(changed("x", 0, 0, 0), seq=1)
    drawing.page.keyboard.type("9")
    drawing.page.keyboard.press("Enter")
    drawing.draw(changed("x", 0, 0, 9), seq=2)
    assert [(m["gesture"], m["edits"][0]["value"]) for m in drawing.sent("edit")] == [(1, 0), (1, 9)]
    drawing.page.keyboard.type("7")  # the next entry is a gesture of its own
    drawing.page.keyboard.press("Enter")
    assert drawing.sent("edit")[-1]["gesture"] == 2


def test_a_cell_that_is_emptied_and_left_is_a_gesture_of_its_own(drawing):
    drawing.cell(*X).click()
    drawing.page.keyboard.press("Delete")
    drawing.draw(changed("x", 0, 0, 0), seq=1)
    drawing.cell("x", 0, 1).click()
    fill(drawing, X, "9")
    assert [m["gesture"] for m in drawing.sent("edit")] == [1, 2]


# ---------------------------------------------------------------- blocks

PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  document.activeElement.dispatchEvent(
    new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
}"""


@pytest.mark.parametrize(
    "text",
    [
        *("7\t2\n3\t4", "7,2\n3,4\n", "[[7, 2], [3, 4]]", "7 2\r\n3 4", "[[7. 2.]\n [3. 4.]]", "7;2\n3;4"),
        *("[7 2; 3 4]", "A = [7, 2; 3, 4];"),
        *("7,0 2,0\n3 4", "Out[3]:\ntensor([[7., 2.],\n        [3., 4.]])"),
        "np.array([[7, 2],\n       [3, 4]], dtype=np.float32)",
    ],
)
def test_a_block_is_pasted_as_one_gesture(drawing, text):
    drawing.cell(*X).focus()
    drawing.page.evaluate(PASTE, text)
    assert len(drawing.sent("edit")) == 1
    assert drawing.edits() == {("x", 0, 0): 7, ("x", 0, 1): 2, ("x", 1, 0): 3, ("x", 1, 1): 4}


@pytest.mark.parametrize("text", ["1\t2\n3\t4", "1\t2", "a", "1\t\n2", "tensor([1.]).T", "[1, ...]"])
def test_a_block_that_does_not_fit_changes_nothing(drawing, text):
    drawing.cell("x", 2, 3).focus()
    drawing.page.evaluate(PASTE, text)
    assert drawing.page.locator("[role=alert]:visible").inner_text().strip()
    assert drawing.sent("edit") == []


def test_a_copied_cell_brings_its_whole_matrix(drawing):
    text = """() => {
      const data = new DataTransfer();
      document.activeElement.dispatchEvent(
        new ClipboardEvent('copy', {clipboardData: data, bubbles: true, cancelable: true}));
      return data.getData('text/plain');
    }"""
    drawing.cell("w_q", 0, 0).focus()
    assert drawing.page.evaluate(text) == "1\t0\t0.5\t0.2\n0.1\t1\t0.3\t0.1\n0.2\t0.1\t1\t0.4\n0\t0.2\t0.1\t1"
    drawing.cell("masked_scores", 0, 0).focus()
    assert drawing.page.evaluate(text).split("\n")[0].split("\t")[1:] == ["-inf", "-inf"]


# ---------------------------------------------------------------- masks, questions, thumbnails


def test_a_mask_s_cell_is_switched_by_a_click(board):
    drawing = board(mask_case(START | {"blocked": [[0, 2]], "d_k": 4}), MASK)
    assert drawing.cell("mask", 0, 2).get_attribute("aria-pressed") == "false"
    assert drawing.cell("mask", 0, 2).get_attribute("data-masked") == ""
    drawing.cell("mask", 0, 2).click()
    assert drawing.edits() == {("mask", 0, 2): True}
    assert drawing.cell("mask", 0, 2).get_attribute("data-value") == "true"


def test_a_cell_that_answers_a_question_is_picked(board):
    drawing = board(mask_case(START | {"blocked": [], "d_k": 4}), MASK)
    drawing.cell("ask", 0, 1).click()
    drawing.cell("ask", 0, 0).press("Enter")
    assert drawing.sent("pick") == [{"matrix": "ask", "row": 0, "col": c} for c in (1, 0)]


def test_a_thumbnail_is_chosen_by_a_click_or_by_keys_from_one_tab_stop(board):
    drawing = board(twelve(large_start()), TWELVE)
    box = '[data-matrix-box="weights_{}"]'
    drawing.page.locator(box.format(5)).click()
    assert drawing.sent("pick") == [{"matrix": "weights_5", "choose": 5}]
    assert drawing.page.locator('.pic-box[data-size="thumbnail"][tabindex="0"]').count() == 1
    drawing.page.locator(box.format(2)).focus()
    drawing.page.keyboard.press("ArrowRight")
    drawing.page.keyboard.press("Enter")
    assert drawing.sent("pick")[-1] == {"matrix": "weights_3", "choose": 3}


# The thumbnails' pixels, and the colours of their numbers by the same scale.
SHADES = """() => [...document.querySelectorAll('canvas.pic-shades')].map((canvas) => {
  const shade = (node) => {
    const { data } = canvas.getContext('2d').getImageData(+node.dataset.col, +node.dataset.row, 1, 1);
    return [`rgb(${[...data.slice(0, 3)]})`, data[3]];
  };
  return [...canvas.parentNode.querySelectorAll('.pic-cell')].map((node) =>
    [...shade(node), cellStyle('weights', Number(node.dataset.value), 1, false).background]);
})"""


def test_a_thumbnail_has_the_colours_of_its_numbers_and_pale_rows_that_are_not_followed(board):
    drawing = board(twelve(large_start()), TWELVE)
    first = drawing.page.evaluate(SHADES)
    start = large_start()
    drawing.draw(twelve(start | {"x": [[value / 9 for value in row] for row in start["x"]]}))
    second = drawing.page.evaluate(SHADES)
    assert first != second and len(first) == 8 and len(first[0]) == 144
    for cells in (*first, *second):
        assert all(colour == wanted and alpha == 255 for colour, alpha, wanted in cells)
    drawing.draw(
        [one.looking(query_rows=one.look.size == "thumbnail") for one in drawing.matrices],
        row=2,
        follow=[*"abcdefghijkl"],
    )
    alphas = [alpha for _, alpha, _ in drawing.page.evaluate(SHADES)[0]]
    assert {*alphas[24:36]} == {255}
    assert all(abs(alpha - 0.3 * 255) < 1 for alpha in (*alphas[:24], *alphas[36:]))


# ---------------------------------------------------------------- pins


def told(board, **view):
    """Waits until the server has been told so."""
    board.page.wait_for_function(
        """(view) => window.sent.some(([name, value]) => name === 'view'
             && Object.entries(view).every(([key, said]) => String(value[key]) === String(said)))""",
        arg=view,
    )


def test_a_click_pins_a_cell_and_a_second_one_frees_it(drawing):
    cell = drawing.cell("output", 2, 2)
    cell.click()
    drawing.page.mouse.move(5, 795)
    drawing.page.locator(".pic-walk").first.focus()
    assert drawing.marked("data-lit", "self") == {("output", 2, 2)}
    told(drawing, cell=["output", 2, 2])
    drawing.cell("query", 0, 0).hover()
    assert drawing.marked("data-lit", "self") == {("query", 0, 0)}
    cell.click()
    drawing.page.mouse.move(5, 795)
    assert drawing.marked("data-lit", "self") == set()
    told(drawing, cell=None)


def test_escape_frees_a_pinned_cell(drawing):
    drawing.cell("output", 2, 2).click()
    drawing.page.keyboard.press("Escape")
    drawing.page.mouse.move(5, 795)
    assert drawing.marked("data-lit", "self") == set()


def test_escape_in_a_menu_closes_the_menu_and_frees_no_cell(drawing):
    drawing.cell("output", 2, 2).click()
    drawing.page.locator('[data-matrix-box="output"] .pic-menu').click()
    drawing.page.locator('[role="menuitem"]:visible').first.press("Escape")
    drawing.page.mouse.move(5, 795)
    assert drawing.page.locator('[role="menuitem"]:visible').count() == 0
    assert drawing.marked("data-lit", "self") == {("output", 2, 2)}


def test_the_server_pins_a_cell_and_its_echo_does_not_take_a_newer_pin_back(board):
    drawing = board(nine(START), NINE, steps=STEPS, panel=True, cell=["query", 0, 0])
    assert drawing.marked("data-lit", "self") == {("query", 0, 0)}
    drawing.cell("output", 1, 1).click()
    told(drawing, cell=["output", 1, 1])
    drawing.cell("output", 1, 2).click()
    drawing.draw(nine(START), step="output", cell=["output", 1, 1])  # its answer to the first click
    drawing.page.mouse.move(5, 795)
    drawing.page.locator(".pic-walk").first.focus()
    assert drawing.marked("data-lit", "self") == {("output", 1, 2)}


def test_only_the_focus_and_a_click_are_spoken(drawing):
    spoken = drawing.page.locator(".pic-spoken")
    drawing.cell("output", 0, 0).hover()
    assert spoken.text_content() == ""
    drawing.cell("output", 1, 1).focus()
    drawing.page.mouse.move(5, 795)
    drawing.cell("output", 1, 2).focus()
    assert spoken.text_content().startswith("O[爱, 3] = ")


# ---------------------------------------------------------------- steps


@pytest.mark.parametrize(("chosen", "left", "kept"), [
    (None, ["query", "output"], "output"),
    ("scores", ["query", "scores", "output"], "scores"),
    ("scores", ["query", "weights", "output"], "weights"),
    ("output", ["query", "weights"], "weights"),
])  # fmt: skip
def test_a_change_leaves_the_learner_at_their_step_or_at_the_next_one(board, chosen, left, kept):
    """A change of shape, example, head count or mask: nothing fades that comes before the step."""
    drawing = board(nine(START), NINE, steps=STEPS, panel=True, step=chosen)
    for stamp in (
        1,
        2,
        3,
    ):  # several, because the first change once behaved unlike the next
        steps = [step for step in STEPS if step.name in left] if stamp > 1 else STEPS
        drawing.draw(nine(START), steps=steps, stamp=stamp)
    names = [step.name for step in steps]
    assert drawing.page.locator(".pic-count").inner_text() == f"step {names.index(kept) + 1} of {len(names)}"
    faded = drawing.page.locator(".pic-box[data-later]").evaluate_all(
        "(nodes) => nodes.map((node) => node.dataset.matrixBox)"
    )
    assert set(faded) == set(names[names.index(kept) + 1 :])


def test_the_walk_begins_at_step_1_with_one_press(drawing):
    begin = drawing.page.get_by_role("button", name="Walk from step 1")
    begin.click()
    assert drawing.page.locator(".pic-count").inner_text() == "step 1 of 8"
    assert not begin.is_visible()
    drawing.page.keyboard.press("Enter")  # the focus is on the way on
    assert drawing.page.locator(".pic-count").inner_text() == "step 2 of 8"


def test_steps_are_walked_and_later_ones_are_dimmed(drawing):
    drawing.page.get_by_role("button", name="Previous step").click()
    assert drawing.page.locator(".pic-step[data-chosen]").inner_text().startswith("Attention weights")
    dimmed = drawing.page.locator(".pic-box[data-later]")
    assert [dimmed.nth(i).get_attribute("data-matrix-box") for i in range(dimmed.count())] == ["output"]
    assert drawing.page.locator(".pic-arrow[data-later]").count() == 1
    drawing.page.locator('[data-matrix-box="query"] .pic-title').click()
    assert drawing.page.locator(".pic-count").inner_text() == "step 1 of 8"
    drawing.page.keyboard.press("ArrowRight")
    assert drawing.page.locator(".pic-count").inner_text() == "step 2 of 8"
    told(drawing, step="key")


def test_the_panel_tells_the_step_of_the_cell_that_is_looked_at(drawing):
    page, count = drawing.page, drawing.page.locator(".pic-count")
    title = page.locator(".pic-step[data-chosen] strong")
    last = title.inner_text()
    drawing.cell("query", 0, 0).hover()
    expect(title).to_have_text(next(step.title for step in STEPS if step.name == "query"))
    expect(count).to_have_text("step 1 of 8")
    page.mouse.move(0, 0)
    expect(title).to_have_text(last)
    drawing.cell("scores", 0, 0).click()
    page.mouse.move(0, 0)
    place = [step.name for step in STEPS].index("scores")
    expect(title).to_have_text(STEPS[place].title)
    page.get_by_role("button", name="Next step").click()  # the walk goes on from there
    expect(title).to_have_text(STEPS[place + 1].title)
    expect(count).to_have_text(f"step {place + 2} of 8")


def test_the_panel_keeps_its_height(drawing):
    height = "document.querySelector('.pic-panel').offsetHeight"
    before = drawing.page.evaluate(height)
    drawing.cell("query", 0, 0).hover()
    assert drawing.page.evaluate(height) == before
    for _ in STEPS[1:]:
        drawing.page.get_by_role("button", name="Previous step").click()
        assert drawing.page.evaluate(height) == before


def test_the_browser_s_step_stays_until_the_server_changes_its_mind(drawing):
    drawing.page.get_by_role("button", name="Previous step").click()
    drawing.draw(nine(START), seq=0)
    assert drawing.page.locator(".pic-count").inner_text() == "step 7 of 8"
    drawing.draw(nine(START), step="key")
    assert drawing.page.locator(".pic-count").inner_text() == "step 2 of 8"


def test_other_queries_than_the_followed_one_are_dimmed(board):
    drawing = board(nine(START), NINE, row=1)
    rows = drawing.page.locator('[data-matrix-box="weights"] .pic-row')
    assert [rows.nth(r).get_attribute("data-dim") for r in range(3)] == ["", None, ""]
    assert drawing.page.locator('[data-matrix-box="key"] .pic-row[data-dim]').count() == 0
    drawing.draw(nine(START), row=None)
    assert drawing.page.locator(".pic-row[data-dim]").count() == 0


# ---------------------------------------------------------------- names, edges, menu


def name_of(board, row):
    return board.page.locator(f'[data-matrix-box="x"] [data-name-row="{row}"]')


def test_a_token_s_name_is_typed_where_it_stands(drawing):
    assert name_of(drawing, 0).input_value() == "我 I"
    name_of(drawing, 0).focus()
    assert name_of(drawing, 0).input_value() == "我"
    name_of(drawing, 0).fill("  you  ")
    name_of(drawing, 0).press("Enter")
    message = drawing.sent("edit")[-1]
    assert message["edits"] == [{"matrix": "tokens", "row": 0, "text": "you"}] and message["gesture"] == 1
    drawing.draw(nine(START | {"tokens": ["you", "爱", "猫"]}), seq=1)
    drawing.cell(*X).focus()
    assert name_of(drawing, 0).input_value() == "you"


@pytest.mark.parametrize("name", ["", "   ", "x" * 25])
def test_a_name_that_is_empty_or_too_long_is_refused(drawing, name):
    name_of(drawing, 1).fill(name)
    name_of(drawing, 1).press("Enter")
    assert name_of(drawing, 1).get_attribute("aria-invalid") == "true"
    assert drawing.page.locator("[role=alert]:visible").inner_text().strip()
    assert drawing.sent("edit") == []
    name_of(drawing, 1).press("Escape")
    assert name_of(drawing, 1).input_value() == "爱"


@pytest.mark.parametrize("clicks", [0, 1])
def test_after_a_wrong_name_the_next_one_takes_its_place(drawing, clicks):
    name_of(drawing, 1).fill("x" * 25)
    name_of(drawing, 1).press("Enter")
    for _ in range(clicks):
        name_of(drawing, 1).click()
    drawing.page.keyboard.type("like")
    assert name_of(drawing, 1).input_value() == "like"


def test_a_wrong_name_goes_when_it_is_left_and_a_good_one_stays_until_the_answer(drawing):
    name_of(drawing, 1).fill("x" * 25)
    drawing.cell(*X).click()
    assert name_of(drawing, 1).input_value() == "爱 love"
    assert name_of(drawing, 1).get_attribute("aria-invalid") is None
    assert drawing.page.locator(ALERT).inner_text() == "The name has 25 characters; 24 are the most."
    name_of(drawing, 1).fill("like")
    assert drawing.page.locator(ALERT).count() == 0
    name_of(drawing, 1).press("Enter")
    drawing.cell(*X).click()
    assert name_of(drawing, 1).input_value() == "like"
    assert [message["gesture"] for message in drawing.sent("edit")] == [1]


def test_an_open_name_goes_with_a_new_state(drawing):
    name_of(drawing, 1).fill("other")
    drawing.draw(nine(START), stamp=1)
    assert name_of(drawing, 1).input_value() == "爱 love"
    drawing.cell(*X).focus()
    assert drawing.sent("edit") == []


def test_tokens_and_columns_are_added_and_removed_at_the_edges(drawing):
    orders = [
        ("Add a token", {"name": "add_token", "matrix": "x"}),
        ("Add a column", {"name": "grow", "matrix": "x", "by": 1}),
        ("Remove a column", {"name": "grow", "matrix": "x", "by": -1}),
    ]
    for label, order in orders:
        drawing.page.get_by_role("button", name=label).click()
        sent = drawing.sent("command")[-1]
        assert {key: sent[key] for key in order} == order
        drawing.draw(drawing.matrices, done=sent["id"])
    drawing.page.locator(".pic-edge-rows").get_by_role("button", name="Remove “猫 cats”").click()
    assert drawing.sent("command")[-1]["row"] == 2
    drawing.draw(drawing.matrices, done=4)
    name_of(drawing, 1).focus()
    drawing.page.locator(".pic-label").get_by_role("button", name="Remove “爱 love”").click()
    assert drawing.sent("command")[-1] == {"id": 5, "name": "remove_token", "matrix": "x", "row": 1}


def test_what_comes_after_a_command_waits_until_it_is_confirmed(drawing):
    """A command that is lost is sent again under its number; an entry made after it outlives its answer."""
    more, wider = (drawing.page.get_by_role("button", name=f"Add a {what}") for what in ("token", "column"))
    more.click()
    wider.click()
    fill(drawing, X, "7")
    names = [(sent["id"], sent["name"]) for sent in drawing.sent("command")]
    assert names == [(1, "add_token")] and drawing.edits() == {}
    drawing.page.wait_for_function("window.sent.filter(([kind]) => kind === 'command').length === 2")
    assert drawing.sent("command")[1] == drawing.sent("command")[0]
    drawing.draw(drawing.matrices, done=1, stamp="added")
    assert drawing.edits() == {X: 7} and len(drawing.sent("command")) == 2
    drawing.draw(changed("x", 0, 0, 7), seq=1)
    assert drawing.sent("command")[2]["name"] == "grow"


def test_an_edit_is_sent_again_to_a_visit_that_does_not_know_it(drawing):
    fill(drawing, X, "7")
    drawing.draw(nine(START), visit="another", stamp="another")
    assert [sent["edits"][0]["value"] for sent in drawing.sent("edit")] == [7, 7]
    assert value(drawing, X) == 7


def open_menu(board, matrix, item):
    board.page.locator(f'[data-matrix-box="{matrix}"] .pic-menu').click()
    board.page.locator(f'[role=menuitem][data-item="{item}"]').click()


@pytest.mark.parametrize(
    ("item", "order"),
    [("zeros", {"name": "fill", "how": "zeros"}), ("identity", {"name": "fill", "how": "identity"}),
     ("normal", {"name": "fill", "how": "normal", "seed": 0}), ("round_1", {"name": "round", "how": 1}),
     ("round_2", {"name": "round", "how": 2})],
)  # fmt: skip
def test_a_menu_gives_an_order(drawing, item, order):
    open_menu(drawing, "w_k", item)
    assert drawing.sent("command") == [{"id": 1, "matrix": "w_k"} | order]


def test_a_seed_is_typed_in_the_menu(drawing):
    drawing.page.locator('[data-matrix-box="w_q"] .pic-menu').click()
    drawing.page.locator(".pic-menu-seed input").fill("42")
    drawing.page.locator('[data-item="normal"]').click()
    assert drawing.sent("command")[-1]["seed"] == 42


def test_an_open_entry_goes_before_an_order(drawing):
    drawing.cell(*X).fill("6")
    open_menu(drawing, "w_k", "zeros")
    assert drawing.edits() == {X: 6}
    assert drawing.sent("command") == []
    drawing.draw(changed("x", 0, 0, 6), seq=1)
    assert len(drawing.sent("command")) == 1


def test_an_enlarged_matrix_is_live_and_can_be_changed(drawing):
    open_menu(drawing, "w_q", "enlarge")
    dialog = drawing.page.locator("dialog.pic-dialog")
    assert dialog.is_visible()
    assert drawing.page.locator('dialog [data-matrix="w_q"]').count() == 16
    assert drawing.cell("w_q", 0, 0).bounding_box()["width"] > 50
    fill(drawing, ("w_q", 0, 0), "3")
    assert drawing.edits() == {("w_q", 0, 0): 3}
    drawing.draw(changed("w_q", 0, 0, 4), seq=1)
    assert value(drawing, ("w_q", 0, 0)) == 4
    drawing.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    expect(drawing.page.locator('.pic-figure [data-matrix="w_q"]')).to_have_count(16)
    assert focused_menu(drawing) == "w_q"


def focused_menu(board):
    return board.page.evaluate("document.activeElement.closest('[data-matrix-box]')?.dataset.matrixBox")


def test_the_menu_is_opened_walked_and_closed_by_keys(drawing):
    drawing.page.locator('[data-matrix-box="w_q"] .pic-menu').press("Enter")
    drawing.page.keyboard.press("ArrowDown")
    assert drawing.page.evaluate("document.activeElement.dataset.item") == "identity"
    drawing.page.keyboard.press("Escape")
    assert not drawing.page.locator("[role=menu]").is_visible()
    assert focused_menu(drawing) == "w_q"


@pytest.mark.parametrize("layout", [[Flow(["a", "b"])], [Flow(["b", "a"])]])
def test_the_focus_and_the_caret_outlive_another_shape_and_another_layout(board, layout):
    small = [Matrix("a", "A", ["1"], ["1"], [[1.0]]).to_edit()]
    drawing = board([*small, Matrix("b", "B", ["1"], ["1"], [[1.0]])], [Flow(["a", "b"])])
    drawing.cell("a", 0, 0).press("Enter")
    drawing.page.keyboard.type("23")
    drawing.page.keyboard.press("ArrowLeft")
    drawing.layout = layout
    drawing.draw([*small, Matrix("b", "B", ["1", "2"], ["1"], [[1.0], [2.0]])])
    drawing.page.keyboard.type("4")
    assert drawing.cell("a", 0, 0).input_value() == "1243"
