"""The picture's rules without a server: numbers, colours, sources, arithmetic."""

import itertools
import math
import random
import re

import pytest

from pages import picture
from pages.draw.placing import SAID_THERE
from pages.draw.texts import Texts
from pages.picture import Flow, Matrix, Picture, recipes
from tests.browser.picture_board import SCRIPT, Board
from tests.browser.picture_matrices import NINE, START, STEPS, TEXTS, TWELVE, large_start, nine, twelve


@pytest.fixture
def page(blank_page):
    return blank_page()


@pytest.fixture
def board(page):
    return lambda matrices, layout, **options: Board(page, matrices, layout, texts=TEXTS, **options)


# ---------------------------------------------------------------- sources


def every(matrix):
    return [
        (matrix.id, r, c + matrix.offset) for r in range(len(matrix.rows)) for c in range(len(matrix.cols))
    ]


@pytest.mark.parametrize("case", ["nine", "twelve"])
def test_a_cell_is_a_source_exactly_of_the_cells_that_are_made_from_it(board, case):
    matrices = list(nine(START) if case == "nine" else twelve(large_start()))
    drawing = board(matrices, NINE if case == "nine" else TWELVE)
    cells = [place for m in matrices for place in every(m) if m.look.size == "normal"]
    sources, uses = drawing.page.evaluate(
        """(cells) => {
          const { views } = pictures.get(window.board);
          const spread = ([view, row, col]) => view.cells.flat()
            .filter((cell) => (row === null || cell.row === row) && (col === null || cell.col === col))
            .map((cell) => [view.id, cell.row, cell.col]);
          return [cells.map((cell) => sourcesOf(views, cell)),
            cells.map((cell) => usesOf(views, cell).flatMap(spread))];
        }""",
        cells,
    )
    down = {(tuple(source), cell) for cell, result in zip(cells, sources, strict=True) for source in result}
    up = {(cell, tuple(use)) for cell, result in zip(cells, uses, strict=True) for use in result}
    assert down == up
    assert len(down) > 200


def test_the_output_is_followed_back_to_x(board):
    drawing = board(nine(START), NINE, steps=STEPS, panel=True)
    drawing.cell("output", 2, 2).hover()
    assert drawing.marked("data-lit", "self") == {("output", 2, 2)}
    assert drawing.marked("data-lit", "source") == {
        *(("weights", 2, c) for c in range(3)), *(("value", r, 2) for r in range(3))
    }  # fmt: skip
    assert drawing.marked("data-lit", "origin") == {
        *(("masked_scores", 2, c) for c in range(3)),
        *(("x", r, c) for r in range(3) for c in range(4)),
        *(("w_v", r, 2) for r in range(4)),
    }
    drawing.page.mouse.move(1270, 790)
    assert drawing.marked("data-lit", "source") == set()


def test_what_is_made_from_an_editable_cell_is_marked(board):
    drawing = board(nine(START), NINE)
    drawing.cell("w_k", 1, 2).hover()
    assert drawing.marked("data-use", "") == {("key", r, 2) for r in range(3)}
    assert drawing.line() == "WK[2, 3] = 0.1 → K[:, 3]"
    drawing.cell("x", 0, 0).hover()
    assert drawing.line() == "X[我, 1] = 1 → Q[我, :], K[我, :], V[我, :]"
    assert drawing.marked("data-use", "") == {(m, 0, c) for m in ("query", "key", "value") for c in range(4)}


# ---------------------------------------------------------------- arithmetic


ARITHMETIC = {
    ("output", 2, 2): "O[猫, 3] = 0.1048 · 0.45 + 0.2546 · 1.27 + 0.6406 · 1.97 = 1.6325",
    ("query", 0, 2): "Q[我, 3] = 1.0 · 0.5 + 0.5 · 0.3 + 0.2 · 1.0 + 0.1 · 0.1 = 0.8600",
    ("scores", 0, 0): "S[我, 我] = 1.09 · 0.95 + 0.54 · 0.60 + 0.86 · 0.59 + 0.43 · 0.45 = 2.0604",
    ("scaled_scores", 2, 2): "scaled[猫, 猫] = 6.6104 / √4 = 3.3052",
    ("masked_scores", 2, 2): "masked[猫, 猫] = scaled[猫, 猫] = 3.3052",
    ("masked_scores", 0, 2): "masked[我, 猫]: 1.74 → −∞",
    ("weights", 2, 1): "A[猫, 爱] = exp(2.3826 − 3.3052) / (0.1635 + 0.3975 + 1.00) = 0.2546",
    ("weights", 0, 1): "A[我, 爱] = 0 / (1.00 + 0 + 0) = 0.0000",
}


@pytest.mark.parametrize("place", ARITHMETIC)
def test_a_cell_s_arithmetic_is_in_the_numbers_on_the_screen(board, place):
    drawing = board(nine(START), NINE, steps=STEPS, panel=True)
    drawing.cell(*place).hover()
    assert drawing.line() == ARITHMETIC[place]
    assert drawing.page.locator(".pic-line").get_attribute("title") == ARITHMETIC[place]


def calculated(line):
    """What a calculator gives for the line, in as many decimals as its result has; the result itself."""
    _, printed, result = line.split(" = ")
    code = printed.replace("·", "*").replace("−", "-").replace("²", "**2").replace("√", "sqrt")
    code = re.sub(r"sqrt([0-9.]+)", r"sqrt(\1)", code)
    value = eval(code, {"__builtins__": {}, "exp": math.exp, "sqrt": math.sqrt})
    return f"{value:.4f}".replace("-", "−"), result


@pytest.mark.parametrize("seed", range(3))
def test_a_calculator_confirms_every_line_to_its_last_digit(board, seed):
    now, draw = dict(START), random.Random(seed)
    now["x"] = [[draw.uniform(-3, 3) for _ in row] for row in START["x"]]
    matrices = nine(now)
    drawing = board(matrices, NINE, steps=STEPS, panel=True)
    lines = []
    for name in ("query", "scores", "scaled_scores", "weights", "output"):
        for row in range(3):
            drawing.cell(name, row, 0).hover()
            lines.append(drawing.page.locator(".pic-line").get_attribute("title"))
    assert [calculated(line)[0] for line in lines] == [calculated(line)[1] for line in lines]


def one(values, recipe=None, id="a", **extra):
    rows, cols = ([str(i + 1) for i in range(n)] for n in (len(values), len(values[0])))
    return Matrix(id, id.upper(), rows, cols, values, recipe=recipe, **extra)


MADE = [
    (picture.product("a", "b", 2), [[-0.5]], "C[1, 1] = (−1.00) · (−2.00) + 2.00 · (−3.00) = −0.5000"),
    (picture.product("a", "b", 2, bias="d"), [[1.0]],
     "C[1, 1] = (−1.00) · (−2.00) + 2.00 · (−3.00) + (−4.00) = 1.0000"),
    (picture.difference("a", "b"), [[1.0]], "C[1, 1] = (−1.00) − (−2.00) = 1.0000"),
    (picture.add("a", "b"), [[-3.0]], "C[1, 1] = (−1.00) + (−2.00) = −3.0000"),
    (recipes.rotate("a", [[0.5]]), [[-1.8365]],
     "C[1, 1] = (−1.00) · cos 0.50 − 2.00 · sin 0.50 = −1.8365"),
    (recipes.normalize("a", 0, 2, 1e-6), [[-0.6325]],
     "C[1, 1] = (−1.00) / √(((−1.00)² + 2.00²) / 2) = −0.6325"),
    (picture.total("a"), [[1.0]], "C[1, 1] = (−1.00) + 2.00 = 1.0000"),
    (picture.softmax("b", "column"), [[0.7311]],
     "C[1, 1] = exp(−2.00 − (−2.00)) / (1.00 + 0.36788) = 0.7311"),
    (picture.softmax("b", "all", by=2.0), [[0.6225]],
     "C[1, 1] = exp((−2.00 − (−2.00)) / 2) / (1.00 + 0.6065) = 0.6225"),
    (picture.softmax_of([[-2.0, -math.inf, -3.0]]), [[0.7311]],
     "C[1, 1] = exp(−2.00 − (−2.00)) / (1.00 + 0 + 0.36788) = 0.7311"),
    (picture.softmax_of([[-math.inf, 1.0]]), [[0.0]], "C[1, 1] = 0 / (0 + 1.00) = 0.0000"),
    (picture.softmax_of([[-math.inf]]), [[math.nan]], "C[1, 1] = 0 / (0) → NaN"),
    (picture.softmax_of([[-2.0, -3.0]], near=True), [[0.7317]],
     "C[1, 1] = exp(−2.00 − (−2.00)) / (1.00 + 0.37) ≈ 0.7317"),
    (picture.copy(("b", 0, 1)), [[-2.0]], "C[1, 1] = B[1, 1] = −2.0000"),
    (picture.divide("b", 0.5), [[-4.0]], "C[1, 1] = (−2.00) / 0.5 = −4.0000"),
    (picture.divide("b", -0.5), [[4.0]], "C[1, 1] = (−2.00) / (−0.5) = 4.0000"),
    (picture.same("a"), [[-1.0]], "C[1, 1] = −1.0000"),
    (picture.written([["x_1 = 2"]], of=["a"], lit="row"), [[2.0]], "x_1 = 2"),
    (picture.product("a", "gone", 2), [[3.0]], "C[1, 1] = 3.0000"),
    (None, [[-math.inf]], "C[1, 1] = −∞"),
    (None, [[math.nan]], "C[1, 1] = NaN"),
]  # fmt: skip


@pytest.mark.parametrize(("recipe", "values", "line"), MADE)
def test_negative_numbers_stand_in_parentheses(board, recipe, values, line):
    others = [one([[-1.0, 2.0]]), one([[-2.0], [-3.0]], id="b"), one([[-4.0]], id="d")]
    drawing = board([*others, one(values, recipe, "c")], [Flow(["a", "b", "d", "c"])])
    drawing.cell("c", 0, 0).hover()
    assert drawing.line() == line
    assert "− −" not in line


def test_a_cell_is_made_from_a_matrix_that_has_no_place_in_the_picture(board):
    """It is not drawn, lit or walked to, and keeps up with its numbers."""
    drawing = board([one([[-3.0]], picture.product("a", "b", 2), "c")], [Flow(["c"])], sources=[
        one([[-1.0, 3.0]]), one([[-3.0], [-2.0]], id="b"),
    ])  # fmt: skip
    drawing.cell("c", 0, 0).hover()
    assert drawing.line() == "C[1, 1] = (−1.00) · (−3.00) + 3.00 · (−2.00) = −3.0000"
    assert drawing.page.locator("[data-matrix-box]").count() == 1 and drawing.cell("a", 0, 0).count() == 0
    drawing.draw(drawing.matrices, sources=[one([[1.0, 3.0]]), one([[3.0], [-2.0]], id="b")])
    assert drawing.line() == "C[1, 1] = 1.00 · 3.00 + 3.00 · (−2.00) = −3.0000"


def test_a_matrix_of_small_numbers_has_a_decimal_more(board):
    """The slope of ALiBi for one head is 1/256: with two decimals the bias would read 0.00 on a colour."""
    values = [[0.0, -1 / 256, -2 / 256]]
    drawing = board(
        [one(values, id="small"), one([[0.5, -1 / 256, 2.0]], id="large")], [Flow(["small", "large"])]
    )
    texts = {
        name: [drawing.cell(name, 0, col).inner_text() for col in range(3)] for name in ("small", "large")
    }
    assert texts == {"small": ["0.000", "−0.004", "−0.008"], "large": ["0.50", "0.00", "2.00"]}


def test_a_rotated_cell_names_its_pair_and_lights_it(board):
    """Columns 1 and 3, 2 and 4 turn together; the fifth stays. The numbers are those of the arithmetic."""
    source, angles = [1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 0.1]
    turned = [1 * math.cos(0.5) - 3 * math.sin(0.5), 2 * math.cos(0.1) - 4 * math.sin(0.1)]
    turned += [3 * math.cos(0.5) + 1 * math.sin(0.5), 4 * math.cos(0.1) + 2 * math.sin(0.1), 5.0]
    recipe = recipes.rotate("a", [angles])
    drawing = board([one([source]), one([turned], recipe, "c")], [Flow(["a", "c"])])
    drawing.cell("c", 0, 2).hover()
    assert drawing.line() == f"C[1, 3] = 3.00 · cos 0.50 + 1.00 · sin 0.50 = {turned[2]:.4f}"
    assert drawing.marked("data-lit", "source") == {("a", 0, 0), ("a", 0, 2)}
    drawing.cell("a", 0, 1).hover()
    assert drawing.marked("data-use", "") == {("c", 0, 1), ("c", 0, 3)}
    drawing.cell("c", 0, 4).hover()
    assert drawing.line() == "C[1, 5] = 5.00 = 5.0000"


def test_a_normalized_cell_is_made_from_the_columns_of_its_head(board):
    recipe = recipes.normalize("a", 1, 2, 1e-6)
    drawing = board(
        [one([[9.0, 3.0, 4.0, 9.0]]), one([[0.8485, 1.1314]], recipe, "c", offset=1)], [Flow(["a", "c"])]
    )
    drawing.cell("c", 0, 2).hover()
    assert drawing.line() == "C[1, 2] = 4.00 / √((3.00² + 4.00²) / 2) = 1.1314"
    assert drawing.marked("data-lit", "source") == {("a", 0, 1), ("a", 0, 2)}
    drawing.cell("a", 0, 1).hover()
    assert drawing.marked("data-use", "") == {("c", 0, 1), ("c", 0, 2)}
    drawing.cell("a", 0, 0).hover()
    assert drawing.marked("data-use", "") == set()


@pytest.mark.parametrize(("result", "line"), [(0.0, "→ 0.0000"), (math.nan, "→ NaN")])
def test_a_fully_masked_row_is_no_division(board, result, line):
    scores = one([[-math.inf, -math.inf]])
    drawing = board([scores, one([[result, result]], picture.softmax("a"), "c")], [Flow(["a", "c"])])
    drawing.cell("c", 0, 0).hover()
    assert drawing.line() == f"C[1, 1] = 0 / (0 + 0) {line}"


def test_a_long_sum_keeps_its_first_terms_and_its_result(board):
    drawing = board(twelve(large_start()), TWELVE, steps=STEPS, panel=True)
    drawing.cell("query", 0, 0).hover()
    line, full = drawing.line(), drawing.page.locator(".pic-line").get_attribute("title")
    start, end = line.split(" + …")
    assert full.startswith(start) and full.endswith(end) and end.startswith(" = ")
    assert full.count(" · ") == 16 and 4 < line.count(" · ") < 16
    fits = drawing.page.evaluate("(() => { const n = document.querySelector('.pic-line'); "
                               "return n.scrollWidth <= n.clientWidth; })()")  # fmt: skip
    assert fits


def test_tokens_stand_in_the_arithmetic_as_typed(board):
    tokens = ["a_b", "<i>x</i>", "W^T"]
    drawing = board(nine(START | {"tokens": tokens}), NINE)
    for row, token in enumerate(tokens):
        drawing.cell("output", row, 0).hover()
        assert drawing.line().startswith(f"O[{token}, 1] = ")
    assert drawing.page.locator(".pic i:not(.pic-cell)").count() == 0


# ---------------------------------------------------------------- what is drawn


def test_every_cell_says_its_number_in_full(board):
    matrices = list(nine(START))
    drawing = board(matrices, NINE)
    drawn = drawing.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.pic-cell')].map((node) => [
             [node.dataset.matrix, node.dataset.row, node.dataset.col].join(), node.dataset.value]))"""
    )
    values = {f"{m.id},{r},{c}": m.values[r][c] for m in matrices for _, r, c in every(m)}
    assert drawn.keys() == values.keys()
    assert all(float(drawn[place]) == value for place, value in values.items())
    assert drawn["masked_scores,0,2"] == "-inf"


def test_an_update_of_the_same_shape_keeps_every_node(board):
    drawing = board(nine(START), NINE, steps=STEPS, panel=True)
    drawing.page.evaluate("window.before = [...document.querySelectorAll('.pic *')]")
    changed = START | {"x": [[2, *START["x"][0][1:]], *START["x"][1:]]}
    drawing.draw(nine(changed))
    assert float(drawing.cell("query", 0, 0).get_attribute("data-value")) == pytest.approx(2.09)
    same = "[...document.querySelectorAll('.pic *')].filter((n) => !n.closest('.pic-line'))"
    assert drawing.page.evaluate(f"{same}.every((node) => window.before.includes(node))")


def test_one_matrix_that_grows_leaves_the_others_alone(board):
    drawing = board([one([[1.0]]), one([[2.0]], id="b")], [Flow(["a", "b"])])
    drawing.page.evaluate("window.kept = document.querySelector('[data-matrix=b]')")
    drawing.draw([one([[1.0], [3.0]]), one([[2.0]], id="b")])
    assert drawing.cell("a", 1, 0).inner_text() == "3.00"
    assert drawing.page.evaluate("window.kept.isConnected")


def test_two_matrices_may_not_have_the_same_id():
    with pytest.raises(ValueError, match="id of its own"):
        Picture([one([[1.0]]), one([[1.0]])], [])


def test_the_texts_of_the_script_are_those_that_python_sends():
    used = set(re.findall(r"\btexts\.(\w+)", SCRIPT)) | set(itertools.chain(*EXTRA_TEXTS))
    assert used == set(Texts("en", "one_head").section("picture")) | {*SAID_THERE, "comma"}


# Texts that the script names by an expression.
EXTRA_TEXTS = [
    ("zeros", "identity", "normal", "round_1", "round_2", "copy", "latex", "enlarge"),
    ("add_token", "add_column", "remove_column"),
]


# ---------------------------------------------------------------- colours


def colours_of(drawing, ids):
    """The colour of each number of these matrices, as red, green and blue."""
    return drawing.page.evaluate(
        """(ids) => ids.flatMap((id) => [...document.querySelectorAll(`[data-matrix="${id}"]`)].map((node) =>
          [Number(node.dataset.value),
            getComputedStyle(node).backgroundColor.match(/[0-9.]+/g).map(Number)]))""",
        ids,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_number_has_one_colour_in_all_signed_matrices_and_a_larger_one_is_never_paler(board, scheme):
    drawing = board(nine(START), NINE, steps=STEPS, panel=True)
    drawing.page.emulate_media(color_scheme=scheme)
    signed = ["x", "w_q", "w_k", "w_v", "query", "key", "value", "scores", "scaled_scores", "output"]
    result = sorted((value, colour) for value, colour in colours_of(drawing, signed) if value >= 0)
    assert len(result) > 60
    for (low, pale), (high, dark) in itertools.pairwise(result):
        if low == high:
            assert pale == dark
        else:  # towards brown: there is less blue
            assert dark[2] <= pale[2]
    by_value = {round(value, 2): colour[2] for value, colour in result}
    assert by_value[max(by_value)] < by_value[min(by_value, key=lambda v: abs(v - max(by_value) / 2))] - 20
