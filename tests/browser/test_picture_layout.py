"""The picture's places and sizes on screens of many kinds, without a server."""

import pytest

from pages.picture import Flow, Grid, Matrix
from tests.browser.picture_board import Board
from tests.browser.picture_matrices import NINE, START, STEPS, TEXTS, TWELVE, large_start, nine, twelve

SIZES = [(1280, 800), (1280, 720), (1920, 1080)]
# What is above the picture and at its left on the first page.
TOP = 150
SIDE = 230


@pytest.fixture
def board(blank_page):
    def open_board(matrices, layout, width, height, side=0, top=0, **options):
        touch = {"has_touch": True, "is_mobile": True} if width < 640 else {}
        page = blank_page(viewport={"width": width, "height": height}, **touch)
        drawing = Board(page, [], [], texts=TEXTS)
        padding = f"body {{ padding: {top}px {32 if side else 0}px 0 {side + 32 if side else 0}px }}"
        drawing.page.add_style_tag(content=padding)
        drawing.layout = layout
        drawing.draw(matrices, steps=STEPS, panel=True, **options)
        drawing.page.evaluate("window.dispatchEvent(new Event('resize'))")
        return drawing

    return open_board


def title(board, matrix):
    return board.box(f'[data-matrix-box="{matrix}"]')


def overflow(board):
    return board.page.evaluate(
        """(({ scrollWidth, scrollHeight }) => [scrollWidth - innerWidth, scrollHeight - innerHeight])(
             document.documentElement)"""
    )


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_first_page_fits_with_its_numbers(board, width, height):
    drawing = board(nine(START), NINE, width, height, SIDE, TOP, fit=True)
    assert max(overflow(drawing)) <= 0
    cell = drawing.box('[data-matrix="x"]')
    assert cell["width"] >= 29 and cell["height"] >= 17
    assert drawing.cell("query", 0, 0).inner_text() == "1.09"
    assert drawing.box(".pic-panel")["height"] < drawing.box(".pic-figure")["height"] / 2
    drawing.cell("query", 0, 0).hover()
    assert not drawing.cell("query", 0, 0).get_attribute("title")  # it would cover cells


@pytest.mark.parametrize(
    ("width", "height", "times"), [(1920, 1080, 1.35), (2560, 1440, 1.75), (1920, 800, 1)]
)
def test_on_a_large_window_all_of_it_is_drawn_larger(board, width, height, times):
    """A projector has more pixels than a laptop, and those who look at it sit further away."""
    numbers = START | {"x": [[-123.456, 1, 2, 3], *START["x"][1:]]}
    laptop, large = (board(nine(numbers), NINE, *size, SIDE, TOP) for size in ((1280, 800), (width, height)))
    assert max(overflow(large)[0], 0) == 0
    for part in (".pic-cell", ".pic-title", ".pic-label", ".pic-cols"):
        tall, low = (drawing.box(f'[data-matrix-box="x"] {part}')["height"] for drawing in (large, laptop))
        assert tall / low == pytest.approx(times, rel=0.07), part
    texts = ".pic-cell, .pic-title, .pic-col, .pic-label, .pic-head"
    clipped = f"""[...document.querySelectorAll('{texts}')].filter(
      (node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.outerHTML)"""
    assert large.page.evaluate(clipped) == laptop.page.evaluate(clipped) == []


def test_the_large_example_fits_in_colours_with_its_numbers_on_hover(board):
    drawing = board(twelve(large_start()), TWELVE, 1920, 1080, SIDE, TOP, fit=True)
    assert max(overflow(drawing)) <= 0
    cell = drawing.cell("query", 3, 3)
    assert cell.inner_text() == ""
    cell.hover()
    value = float(cell.get_attribute("data-value"))
    assert float(cell.get_attribute("title").replace("−", "-")) == pytest.approx(value, rel=1e-11)
    assert drawing.line().endswith(f"= {value:.4f}".replace("-", "−"))


def test_a_product_stands_where_its_factors_cross(board):
    drawing = board(nine(START), NINE, 1280, 800, SIDE, TOP, fit=True)
    for weight, product in (("w_q", "query"), ("w_k", "key"), ("w_v", "value")):
        above, below = (drawing.box(f'[data-matrix="{name}"][data-col="2"]') for name in (weight, product))
        assert above["x"] == below["x"] and above["width"] == below["width"]
        left = drawing.box('[data-matrix="x"][data-row="1"]')
        assert left["y"] == drawing.box(f'[data-matrix="{product}"][data-row="1"]')["y"]


def test_the_steps_stand_in_one_line_with_arrows_between(board):
    drawing = board(nine(START), NINE, 1280, 800, SIDE, TOP, fit=True)
    names = ("scores", "scaled_scores", "masked_scores", "weights", "output")
    boxes = [title(drawing, name) for name in names]
    assert len({b["y"] for b in boxes}) == 1
    assert [b["x"] for b in boxes] == sorted(b["x"] for b in boxes)
    arrows = drawing.page.locator(".pic-arrow")
    assert arrows.all_inner_texts() == ["÷ √dk\n→", "mask\n→", "softmax\n→", "· V\n→"]


def test_row_labels_are_not_repeated_to_their_right(board):
    drawing = board(nine(START), NINE, 1280, 800, SIDE, TOP, fit=True)
    labels = drawing.page.locator(".pic-box:not([data-no-labels])")
    counts = {labels.nth(i).get_attribute("data-matrix-box") for i in range(labels.count())}
    assert counts == {"x", "scores"}


def test_a_column_of_matrices_makes_room_for_a_label_without_repeating_others(board):
    tokens = ["robots", "recipes"]
    matrices = [
        Matrix(id="x", title="X", rows=tokens, cols=["1", "2"], values=[[1, 2], [3, 4]]),
        Matrix(id="p", title="P", rows=tokens, cols=["1", "2"], values=[[1, 2], [3, 4]]).looking(
            row_axis="query"
        ),
        Matrix(id="sums", title="Sums", rows=["Σ"], cols=["1", "2"], values=[[4, 6]]),
    ]
    drawing = board(matrices, [Grid([["x", "p"], [None, "sums"]])], 1280, 800)
    visible = {
        m.id: drawing.page.locator(f'[data-matrix-box="{m.id}"] .pic-label').first.is_visible()
        for m in matrices
    }
    assert visible == {"x": True, "p": False, "sums": True}
    assert not drawing.page.locator('[data-matrix-box="p"] .pic-row-axis').is_visible()
    assert drawing.box('[data-matrix="p"]')["x"] == drawing.box('[data-matrix="sums"]')["x"]


@pytest.mark.parametrize("width", [390, 1280])
def test_the_name_of_the_rows_and_their_labels_do_not_cover_one_another(board, width):
    tokens = ["the robot that cooks", "recipes", "books"]
    values = [[1, 2, 3]] * 3
    a = Matrix(id="a", title="A", rows=tokens, cols=tokens, values=values).looking(
        row_axis="query (attending)"
    )
    drawing = board([a], [Flow(["a"])], width, 800)
    results = drawing.page.evaluate(
        """() => {
          const axis = document.querySelector('.pic-row-axis');
          const { left, right, top, bottom } = axis.getBoundingClientRect();
          const starts = [...document.querySelectorAll('.pic-label')].map(
            (label) => label.getBoundingClientRect().left + parseFloat(getComputedStyle(label).paddingLeft));
          const seen = [0.1, 0.5, 0.9].map((part) => document.elementFromPoint(
            (left + right) / 2, top + (bottom - top) * part) === axis);
          return [Math.min(...starts) >= right - 1, seen];
        }"""
    )
    assert results == [True, [True, True, True]]


def test_nothing_moves_while_a_number_is_dragged_or_pointed_at(board):
    drawing = board(nine(START), NINE, 1280, 800, SIDE, TOP, fit=True)
    places = """[...document.querySelectorAll('.pic-cell, .pic-panel, .pic-line')].map((node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      return [x, y, width, height];
    })"""
    before = drawing.page.evaluate(places)
    drawing.cell("weights", 2, 1).hover()
    assert drawing.page.evaluate(places) == before
    cell = title(drawing, "x")
    drawing.cell("x", 0, 0).hover()
    drawing.page.mouse.down()
    drawing.page.mouse.move(cell["x"] + 300, cell["y"] + 20)
    drawing.page.set_viewport_size({"width": 1000, "height": 700})
    drawing.draw(nine(START | {"x": [[-123.456, 1, 2, 3], *START["x"][1:]]}))
    sizes = "[...document.querySelectorAll('.pic-cell')].map((node) => [node.offsetWidth, node.offsetHeight])"
    assert drawing.page.evaluate(sizes) == [[round(w), round(h)] for _, _, w, h in before[:-2]]
    drawing.page.mouse.up()


def test_the_panel_of_a_high_picture_covers_no_cell_until_a_cell_is_looked_at(board):
    drawing = board(nine(large_start(tokens=6, width=8)), NINE, 1280, 640, SIDE, TOP, fit=True)
    figure, panel = drawing.box(".pic-figure"), drawing.box(".pic-panel")
    assert panel["y"] >= figure["y"] + figure["height"] > 640
    drawing.cell("x", 0, 0).hover()
    panel = drawing.box(".pic-panel")
    assert panel["y"] + panel["height"] <= 640


@pytest.mark.parametrize("width", [390, 1280])
def test_what_removes_a_token_covers_no_letter_of_it(board, width):
    drawing = board(nine(START), NINE, width, 800, fit=True)
    name = drawing.page.locator(".pic-name").nth(1)
    name.focus()
    free = name.evaluate("""(node) => {
      const canvas = document.createElement('canvas').getContext('2d');
      const { font, paddingRight } = getComputedStyle(node);
      canvas.font = font;
      const begin = node.getBoundingClientRect().right - parseFloat(paddingRight) - 1
        - canvas.measureText(node.value).width;
      return begin - node.parentElement.querySelector('.pic-remove').getBoundingClientRect().right;
    }""")
    assert free >= 0


def test_the_key_points_out_that_the_range_of_the_colours_has_changed(board):
    drawing = board(nine(START), NINE, 1280, 800, fit=True)
    ringed = drawing.page.locator(".pic-key[data-changed]")
    assert not ringed.count()
    drawing.draw(nine(START | {"x": [[60, 1, 2, 3], *START["x"][1:]]}))
    assert ringed.count() and "3px" in ringed.evaluate("(node) => getComputedStyle(node).boxShadow")
    ringed.wait_for(state="detached")


def test_the_room_is_taken_again_when_the_window_changes(board):
    drawing = board(nine(START), NINE, 1280, 800, SIDE, TOP, fit=True)
    wide = drawing.box('[data-matrix="x"]')["width"]
    drawing.page.set_viewport_size({"width": 1000, "height": 700})
    drawing.page.wait_for_function(
        "(wide) => document.querySelector('[data-matrix=x]').offsetWidth < wide", arg=wide
    )
    assert overflow(drawing)[0] <= 0
    row = drawing.box('[data-matrix-box="x"] .pic-row')["height"]
    assert row == 24 and overflow(drawing)[1] > 0, "the page scrolls, and the rows are read"


def test_on_a_phone_the_pieces_go_on_below_and_the_panel_stays_at_the_foot(board):
    drawing = board(nine(START), NINE, 390, 844, fit=True)
    assert overflow(drawing)[0] <= 0
    for weight, product in (("w_q", "query"), ("w_k", "key"), ("w_v", "value")):
        above, below = title(drawing, weight), title(drawing, product)
        assert above["x"] == below["x"] and above["y"] < below["y"]
    assert title(drawing, "value")["y"] < title(drawing, "scores")["y"]  # what is changed comes first
    panel = drawing.box(".pic-panel")
    assert panel["y"] + panel["height"] == 844 and panel["height"] < 844 / 3
    drawing.page.evaluate("window.scrollTo(0, 1e6)")
    last = title(drawing, "output")
    assert last["y"] + last["height"] <= drawing.box(".pic-panel")["y"]


WINDOWS = {
    "1280 × 720": (1280, 720),
    "125 %": (1024, 576),
    "150 %": (853, 480),
    "phone": (390, 844),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_six_tokens_of_width_eight_have_a_number_on_every_cell(board, window):
    """A browser's zoom leaves fewer pixels of CSS, each of them larger: the type grows with it."""
    numbers = large_start(tokens=6, width=8)
    drawing = board(nine(numbers), NINE, *WINDOWS[window], SIDE if window != "phone" else 0, TOP, fit=True)
    cells = drawing.page.locator(".pic-cell").evaluate_all(
        """(nodes) => nodes.map((node) => [
          node.value ?? node.textContent,
          parseFloat(getComputedStyle(node).fontSize),
          node.scrollWidth <= node.clientWidth + 1 && node.scrollHeight <= node.clientHeight + 4,
        ])"""
    )
    assert len(cells) > 500
    assert [text for text, size, whole in cells if not text or size < 11 or not whole] == []
    assert overflow(drawing)[0] <= 0


@pytest.mark.parametrize("window", WINDOWS)
def test_axes_keep_their_names_where_the_cells_are_small(board, window):
    axes = {"row_axis": "query (attending)", "col_axis": "key (attended to)", "kind": "weights"}
    tokens = [f"t{i}" for i in range(6)]
    several = [Matrix(f"a{i}", "A", tokens, tokens, [[1 / 6] * 6] * 6).having(**axes) for i in range(4)]
    drawing = board(several, [Flow([m.id for m in several])], *WINDOWS[window], fit=True)
    assert drawing.page.locator('[data-matrix-box="a0"] .pic-row-axis').is_visible()
    assert all(drawing.page.locator(".pic-col-axis").nth(i).is_visible() for i in range(4))


def test_a_line_that_is_too_long_goes_on_with_labels_and_an_arrow_stays_with_its_matrix(board):
    drawing = board(nine(large_start(tokens=6, width=8)), NINE, 1024, 576, SIDE, TOP, fit=True)
    boxes = {m.id: title(drawing, m.id) for m in drawing.matrices}
    names = ("scores", "scaled_scores", "masked_scores", "weights", "output")
    label = '[data-matrix-box="{}"] .pic-label'
    begins = [name for name in names if drawing.page.locator(label.format(name)).first.is_visible()]
    assert begins[0] == "scores" and len(begins) > 1
    tops = {name: boxes[name]["y"] for name in boxes}
    for name in begins[1:]:
        arrow = drawing.page.evaluate(
            "(name) => document.querySelector(`[data-matrix-box=${name}]`).previousElementSibling"
            ".previousElementSibling.getBoundingClientRect().top", name,
        )  # fmt: skip
        assert arrow > tops["scores"] + 50


@pytest.mark.parametrize("name", ["output", "w_q"])
def test_an_enlarged_matrix_is_read_from_the_last_row(board, name):
    drawing = board(nine(START), NINE, 1280, 720, SIDE, TOP, fit=True)
    drawing.page.locator(f'[data-matrix-box="{name}"] .pic-menu').click()
    drawing.page.locator("[data-item=enlarge]").click()
    size = "(node) => parseFloat(getComputedStyle(node).fontSize)"
    assert drawing.cell(name, 0, 0).evaluate(size) >= 40
    dialog = drawing.box(".pic-dialog")
    assert dialog["x"] >= 0 and dialog["x"] + dialog["width"] <= 1280
    assert dialog["y"] >= 0 and dialog["y"] + dialog["height"] <= 720
    assert drawing.page.locator(".pic-dialog").evaluate("(node) => node.scrollHeight <= node.clientHeight")
    drawing.page.keyboard.press("Escape")
    drawing.page.wait_for_selector("dialog", state="hidden")
    drawing.page.wait_for_function(
        "(node) => parseFloat(getComputedStyle(node).fontSize) < 20",
        arg=drawing.cell(name, 0, 0).element_handle(),
    )


def test_the_enlarged_matrix_keeps_its_size_while_the_hand_goes_over_its_cells(board):
    long = START | {"x": [[-1234.56] * 4, *START["x"][1:]]}
    drawing = board(nine(long), NINE, 1280, 720, SIDE, TOP, fit=True)
    drawing.page.locator('[data-matrix-box="scores"] .pic-menu').click()
    drawing.page.locator("[data-item=enlarge]").click()
    places = []
    for row in (0, 2):
        drawing.cell("scores", row, row).hover()
        places.append(drawing.box(".pic-close"))
    assert places[0] == places[1]


def test_on_a_phone_the_weights_are_in_sight_with_the_number_under_the_hand(board):
    drawing = board(nine(START), NINE, 390, 844, fit=True)
    preview = drawing.page.locator(".pic-preview")
    assert not preview.is_visible()
    drawing.cell("w_v", 1, 1).focus()
    preview.wait_for(state="visible")
    weights = [drawing.cell("weights", r, c).inner_text() for r in range(3) for c in range(3)]
    assert preview.locator("i").all_inner_texts() == weights
    hand, copy = drawing.cell("w_v", 1, 1).bounding_box(), preview.bounding_box()
    assert copy["y"] >= 0 and copy["y"] + copy["height"] <= drawing.box(".pic-panel")["y"]
    apart = copy["x"] >= hand["x"] + hand["width"] or hand["x"] >= copy["x"] + copy["width"]
    assert apart or copy["y"] >= hand["y"] + hand["height"] or hand["y"] >= copy["y"] + copy["height"]
    drawing.page.evaluate("document.activeElement.blur()")
    preview.wait_for(state="hidden")


def test_a_wide_matrix_scrolls_in_its_own_box_on_a_phone(board):
    drawing = board(twelve(large_start()), TWELVE, 390, 844)
    assert overflow(drawing)[0] <= 0
    scroll = drawing.page.locator('[data-matrix-box="x"] .pic-scroll')
    assert scroll.evaluate("(node) => node.scrollWidth > node.clientWidth")


def test_without_results_the_frames_are_empty_and_the_note_says_why(board):
    note = "PyTorch is starting: the results follow."
    drawing = board(nine(START, empty=True), NINE, 1280, 800, note=note)
    assert drawing.line() == note
    assert drawing.cell("query", 0, 0).inner_text() == ""
    assert drawing.cell("x", 0, 0).input_value() == "1.0"
    before = title(drawing, "output")
    drawing.draw(nine(START), note="")
    assert drawing.cell("query", 0, 0).inner_text() == "1.09"
    assert title(drawing, "output") == before


def test_axes_are_named_where_there_is_room(board):
    axes = {"row_axis": "query (attending)", "col_axis": "key (attended to)"}
    matrix = Matrix("a", "A", ["x", "y", "z"], ["x", "y", "z"], [[0.5, 0.2, 0.3]] * 3, "weights").looking(
        **axes
    )
    drawing = board([matrix], [Flow(["a"])], 1280, 800)
    across, down = drawing.box(".pic-col-axis"), drawing.box(".pic-row-axis")
    assert across["height"] < 20 < across["width"] and down["width"] < 20 < down["height"]
    cells = drawing.box('[data-matrix="a"]')
    assert down["x"] + down["width"] <= cells["x"] and across["y"] < cells["y"]


def test_numbered_rows_have_labels_only_where_their_axis_has_a_name(board):
    plain = {"title": "A", "rows": ["1", "2"], "cols": ["1", "2"], "values": [[1, 2], [3, 4]]}
    matrices = [Matrix(id="w", **plain), Matrix(id="a", **plain).looking(row_axis="query (attending)")]
    drawing = board(matrices, [Flow(["w"]), Flow(["a"])], 1280, 800)
    for name, drawn in (("w", False), ("a", True)):
        for part in (".pic-label", ".pic-row-axis"):
            node = drawing.page.locator(f'[data-matrix-box="{name}"] {part}').first
            assert node.is_visible() is drawn, (name, part)


def test_a_column_s_label_that_is_too_wide_is_set_smaller(board):
    cols = ["d_k", "√d_model with biases"]
    drawing = board([Matrix("a", "A", ["1"], cols, [[1.0, 2.0]])], [Flow(["a"])], 1280, 800)
    sizes = drawing.page.locator(".pic-col").evaluate_all(
        "(nodes) => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert sizes == [11, 9.5]


def test_forced_colours_keep_the_cells_and_the_rings(chromium):
    context = chromium.new_context(forced_colors="active", viewport={"width": 1280, "height": 800})
    drawing = Board(context.new_page(), nine(START), NINE, texts=TEXTS)
    colour = "(node) => getComputedStyle(node).backgroundColor"
    assert drawing.cell("weights", 0, 0).evaluate(colour) == "rgb(63, 0, 125)"
    drawing.cell("output", 0, 0).hover()
    outline = "(node) => getComputedStyle(node).outlineStyle"
    assert drawing.cell("weights", 0, 0).evaluate(outline) == "solid"
    context.close()
