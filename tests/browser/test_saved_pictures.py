"""What is saved of a picture: SVG and PNG of all of it or of one matrix, its numbers as CSV, its LaTeX."""

import base64
import csv
import io
import re
import struct
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.picture import Flow, Matrix
from tests.browser.gestures import figure_item
from tests.browser.picture_board import Board
from tests.browser.picture_matrices import (
    MASK,
    NINE,
    START,
    TEXTS,
    TWELVE,
    large_start,
    mask_case,
    nine,
    twelve,
)

SVG = "{http://www.w3.org/2000/svg}"
PRINT = 2400  # px
LARGE = large_start()
LONG = START | {"tokens": ["a", "internationalization", "an unusually long name"]}
BLOCKED = START | {"blocked": [[0, 2]], "d_k": 4}
CASES = {
    "nine": (list(nine(START)), NINE),
    "long names": (list(nine(LONG)), NINE),
    "names": (list(nine(START | {"tokens": ["together", "everywhere", "somewhere"]})), NINE),
    "twelve": (list(twelve(LARGE)), TWELVE),
    "masks": (list(mask_case(BLOCKED)), MASK),
}
# The texts that go over the edge of the paper, and those that lie over one another.
CLASHES = """(svg) => {
  document.body.innerHTML = svg;
  const paper = document.querySelector('svg').getBoundingClientRect();
  const texts = [...document.querySelectorAll('text')];
  const found = texts.map((node) => [node.textContent, node.getBoundingClientRect()]);
  const isOut = ({ left, right, top, bottom }) =>
    left < paper.left || right > paper.right || top < paper.top || bottom > paper.bottom;
  const out = found.filter(([, box]) => isOut(box)).map(([text]) => text);
  // A line of type is higher than its letters.
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom - b.top < 0.3 * a.height
    || b.bottom - a.top < 0.3 * b.height;
  const both = found.flatMap(([one, a], i) => found.slice(i + 1).filter(([, b]) => !apart(a, b))
    .map(([other]) => `${one} / ${other}`));
  return [...out, ...both];
}"""
COLOURS = """async (png) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  const found = new Set();
  for (let i = 0; i < data.length; i += 4) found.add(data.slice(i, i + 3).join());
  return [...found];
}"""


@pytest.fixture
def board(blank_page):
    page = blank_page()
    return lambda matrices, layout, **options: Board(page, list(matrices), layout, texts=TEXTS, **options)


def saved(page, act) -> tuple[str, bytes]:
    """The name and the content of the file that is saved."""
    with page.expect_download() as download:
        act()
    file = download.value
    return file.suggested_filename, Path(file.path()).read_bytes()


def saved_page(board, form="svg") -> bytes:
    name, content = saved(
        board.page, lambda: board.page.evaluate(f"() => {{ savePage('{form}', 'A & B · C', 'a-b'); }}")
    )
    assert name == f"a-b.{form}"
    return content


def press_item(page, matrix, item) -> None:
    page.locator(f'[data-matrix-box="{matrix}"] .pic-menu').click()
    page.locator(f'[role=menuitem][data-item="{item}"]:visible').click()


def texts(svg: bytes, size: str | None = None) -> list[str]:
    """The texts in a picture; size: those in this type alone. 14 is that of the numbers."""
    result = ET.fromstring(svg).iter(f"{SVG}text")
    return ["".join(one.itertext()) for one in result if size in (None, one.get("font-size"))]


def shown_numbers(page, within="") -> list[str]:
    """The texts of the cells on the screen."""
    return page.evaluate(
        """(within) => [...document.querySelectorAll(`${within} .pic-cell`)]
             .map((node) => (node.matches('input') ? node.value : node.textContent)).filter(Boolean)""",
        within,
    )


def png_size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return struct.unpack(">II", png[16:24])


# ---------------------------------------------------------------- all of a picture


@pytest.mark.parametrize("case", ["nine", "long names", "masks"])
def test_the_picture_has_the_numbers_and_the_names_that_are_on_the_screen(board, case):
    matrices, layout = CASES[case]
    drawing = board(matrices, layout)
    svg = saved_page(drawing)
    assert Counter(texts(svg, "14")) == Counter(shown_numbers(drawing.page))
    names = {name for matrix in matrices for name in (*matrix.cols, *matrix.rows) if name.strip("0123456789")}
    titles = {
        drawing.page.locator(f'[data-matrix-box="{one.id}"] .pic-title').inner_text() for one in matrices
    }
    assert {"A & B · C", *names, *titles} <= set(texts(svg))
    assert int(ET.fromstring(svg).get("width")) >= PRINT


def test_a_large_picture_has_a_number_on_every_cell_although_the_screen_shows_colours(board):
    matrices = list(twelve(LARGE))
    drawing = board(matrices, TWELVE, fit=True)
    assert drawing.cell("scores", 0, 0).inner_text() == ""
    svg = saved_page(drawing)
    cells = sum(len(one.rows) * len(one.cols) for one in matrices if one.look.size == "normal")
    assert len(texts(svg, "14")) == cells
    assert drawing.page.evaluate("[...shown][0].views.get('scores').textAt(11, 3)") in texts(svg, "14")


@pytest.mark.parametrize("case", CASES)
def test_no_text_is_cut_or_lies_over_another(board, case):
    matrices, layout = CASES[case]
    drawing = board(matrices, layout)
    assert drawing.page.evaluate(CLASHES, saved_page(drawing).decode()) == []


def test_a_dark_page_is_saved_in_the_colours_of_a_light_one(board):
    drawing = board(nine(START), NINE)
    light = saved_page(drawing)
    drawing.page.add_style_tag(content=":root { --st-background-color: #0e1117; --st-text-color: #fafafa; }")
    before = drawing.cell("x", 0, 0).evaluate("(node) => node.style.backgroundColor")
    drawing.draw(nine(START))
    assert drawing.cell("x", 0, 0).evaluate("(node) => node.style.backgroundColor") != before
    assert saved_page(drawing) == light


def test_a_masked_cell_and_a_marked_head_look_as_on_the_screen(board):
    matrices = list(twelve(LARGE))
    drawing = board(matrices, TWELVE)
    svg = saved_page(drawing).decode()
    assert svg.count("−∞") == 66
    masked = drawing.cell("masked_scores", 0, 1).evaluate("(node) => node.style.backgroundColor")
    assert svg.count(f'fill="{masked.replace(" ", "")}"') == 66
    marked = len(drawing.page.query_selector_all(".pic-col[data-marked]"))
    assert marked and svg.count('height="2" fill="#d6006e"') == marked


def test_the_rows_of_other_queries_are_dimmed_as_on_the_screen(board):
    drawing = board(nine(START), NINE, row=1)
    dimmed = drawing.page.locator(".pic-row[data-dim]").count()
    faded = [one for one in ET.fromstring(saved_page(drawing)).iter(f"{SVG}g") if one.get("opacity")]
    rows = [one for one in faded if len(list(one.iter(f"{SVG}rect"))) > 1]
    assert dimmed and len(rows) == dimmed


def test_a_token_is_written_as_it_is_typed(board):
    names = ["<b>&amp;", "a_b^c"]
    matrix = Matrix("x", "X", names, names, [[1.0, 2.0], [3.0, 4.0]])
    assert {*names} <= set(texts(saved_page(board([matrix], [Flow(["x"])]))))


def test_a_png_is_wide_enough_for_print_and_shows_the_picture(board):
    drawing = board(nine(START), NINE)
    png = saved_page(drawing, "png")
    width, height = png_size(png)
    assert width >= PRINT and height > width / 4
    colours = drawing.page.evaluate(COLOURS, base64.b64encode(png).decode())
    result = drawing.cell("weights", 2, 2).evaluate("(node) => node.style.backgroundColor")
    assert {"255,255,255", re.sub(r"[^\d,]", "", result)} <= set(colours)
    assert len(colours) > 50


# ---------------------------------------------------------------- one matrix


def test_the_menu_saves_one_matrix_as_a_picture(board):
    drawing = board(nine(START), NINE)
    name, svg = saved(drawing.page, lambda: press_item(drawing.page, "masked_scores", "svg"))
    assert name == "masked_scores.svg"
    assert texts(svg, "14") == shown_numbers(drawing.page, '[data-matrix-box="masked_scores"]')
    assert int(ET.fromstring(svg).get("width")) >= PRINT
    name, png = saved(drawing.page, lambda: press_item(drawing.page, "w_q", "png"))
    assert name == "w_q.png" and png_size(png)[0] >= PRINT


@pytest.mark.parametrize("matrix", ["x", "masked_scores"])
def test_the_numbers_are_saved_in_full_with_their_names(board, matrix):
    drawing = board(nine(START), NINE)
    drawing.cell("x", 1, 1).fill("1/3")
    drawing.cell("x", 1, 1).press("Enter")
    name, content = saved(drawing.page, lambda: press_item(drawing.page, matrix, "csv"))
    assert name == f"{matrix}.csv" and content.startswith(b"\xef\xbb\xbf")
    (_, *cols), *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    spec = next(one for one in nine(START) if one.id == matrix)
    assert cols == list(spec.cols) and [row[0] for row in rows] == list(spec.rows)
    assert [row[1:] for row in rows] == [
        [drawing.cell(matrix, r, c).get_attribute("data-value") for c in range(len(cols))]
        for r in range(len(rows))
    ]


def test_a_name_with_a_comma_or_a_quote_stays_one_field(board):
    names = ["a,b", 'say "c"']
    drawing = board([Matrix("m", "M", names, ["1"], [[1.0], [2.0]])], [Flow(["m"])])
    _, content = saved(drawing.page, lambda: press_item(drawing.page, "m", "csv"))
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert list(rows) == [["", "1"], ["a,b", "1"], ['say "c"', "2"]]


def test_a_name_that_a_spreadsheet_would_run_is_shown_as_typed(board):
    names = ["=1+1", "+1", "-a", "@a", "＝1", "a; =1+1;-1", "a=b", "-1.5"]
    drawing = board([Matrix("m", "M", names, names[:1], [[-1.0]] * len(names))], [Flow(["m"])])
    _, content = saved(drawing.page, lambda: press_item(drawing.page, "m", "csv"))
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert header == ["", "'=1+1"]
    assert [row[0] for row in rows] == ["'=1+1", "'+1", "'-a", "'@a", "'＝1", "a;' =1+1;'-1", "a=b", "-1.5"]
    assert {row[1] for row in rows} == {"-1"}


# ---------------------------------------------------------------- LaTeX


@pytest.fixture
def latex(board):
    """latex(id, matrices, formula="…") gives what is copied of a matrix."""

    def copied(name, matrices, formula=""):
        matrices = list(matrices)
        drawing = board(matrices, [Flow([one.id for one in matrices])])
        return drawing.page.evaluate(
            """([id, formula]) => {
              const [{ views }] = shown;
              return latexOf(views.get(id), views, formula);
            }""",
            [name, formula],
        )

    return copied


def bmatrix(rows: str) -> str:
    return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"


def test_latex_of_an_input_has_the_digits_on_the_screen(latex):
    rows = r"0.8 & 0.1 & 0.3 & 0.2 \\ 0.2 & 0.9 & 0.1 & 0.3 \\ 0.1 & 0.2 & 1.1 & 0.1 \\ 0.3 & 0.1 & 0.2 & 0.8"
    assert latex("w_k", nine(START)) == f"W_K\n= {bmatrix(rows)}"


def test_latex_of_a_step_has_its_formula_and_the_numbers_that_go_into_it(latex):
    formula = latex("scores", nine(START), r"S = Q\,K^\top").split("\n= ")
    query, key = (latex(one, nine(START)).split("\n= ")[-1] for one in ("query", "key"))
    assert formula[:2] == [r"S = Q\,K^\top", rf"{query} {key}^\top"]
    assert formula[2] == bmatrix(r"2.06 & 2.81 & 3.47 \\ 2.57 & 4.49 & 4.91 \\ 2.99 & 4.77 & 6.61")


def test_latex_of_a_masked_matrix_has_minus_infinity_and_what_stood_there(latex):
    formula = latex("masked_scores", nine(START), r"s_{ij} \to -\infty")
    before = latex("scaled_scores", nine(START)).split("\n= ")[-1]
    assert formula.startswith(rf"s_{{ij}} \to -\infty: \quad {before}")
    assert formula.endswith(
        bmatrix(r"1.03 & -\infty & -\infty \\ 1.28 & 2.25 & -\infty \\ 1.49 & 2.38 & 3.31")
    )


def test_latex_of_a_head_takes_the_columns_of_that_head(latex):
    formula = latex("head_output", twelve(LARGE), "O_i = A_i V_i")
    assert formula.count(r"\begin{bmatrix}") == 2  # the two columns of V, and the output
    # A bmatrix can have ten columns; there are twelve keys.
    assert formula.count(rf"\begin{{array}}{{{'r' * 12}}}") == 1
    (value,) = [one for one in twelve(LARGE) if one.id == "value"]
    assert "{:.2f} & {:.2f}".format(*value.values[0][4:6]) in formula


@pytest.mark.parametrize(
    ("title", "cell", "wanted"),
    [
        ("Q′_1", -1.5, "Q'_1\n= -1.50"),
        ("缩放后", 0.25, "\\text{缩放后}\n= 0.25"),
        ("50 % of a_b", 1.0, "\\text{50 \\% of a\\_b}\n= 1.00"),
        ("W_{Q,1}", 1.5e6, "W_{Q,1}\n= 1.5 \\times 10^{6}"),
        ("A", float("-inf"), "A\n= -\\infty"),
        ("A", None, "A\n= \\ldots"),
    ],
)
def test_symbols_and_numbers_are_written_as_latex_has_them(latex, title, cell, wanted):
    formula = latex("m", [Matrix("m", title, ["1"], ["1"], [[cell]])])
    assert formula == re.sub("= (.*)", lambda number: f"= {bmatrix(number[1])}", wanted)


# ---------------------------------------------------------------- in the app


def share(page, form) -> tuple[str, bytes]:
    button = page.locator(f".st-key-export_{form} button")
    if not button.is_visible():
        page.locator(".st-key-share button").first.click()
    return saved(page, button.click)


def test_the_part_on_the_screen_is_saved_with_its_title_and_chinese_names(visit):
    page = visit("/one_head?lang=zh&heads=2&mask=causal", color_scheme="dark")
    name, svg = share(page, "svg")
    assert name == "one_head-picture.svg"
    assert {"单头注意力 · 计算过程", "我", "爱", "猫", "键（被关注方）", "查询（关注方）"} <= set(texts(svg))
    assert Counter(texts(svg, "14")) == Counter(shown_numbers(page))
    assert "Noto Sans CJK SC" in ET.fromstring(svg).get("font-family")
    name, png = share(page, "png")
    assert name == "one_head-picture.png" and png_size(png)[0] >= PRINT


def test_a_saved_picture_of_several_heads_does_not_ask_for_a_click(visit):
    page = visit("/one_head?lang=en&heads=2")
    expect(page.locator(".pic-group-title")).to_have_text("Attention weights of all heads: choose one")
    _, svg = share(page, "svg")
    assert "Attention weights of all heads" in texts(svg) and "click" not in " ".join(texts(svg))


@pytest.mark.parametrize("query", ["", "&example=masks&heads=4", "&tokens=a,b,c,d,e,f"])
def test_a_picture_of_the_whole_computation_suits_a_slide(visit, query):
    page = visit(f"/one_head?lang=en{query}")
    expect(page.locator("[data-matrix=weights]").first).to_be_visible()
    width, height = png_size(share(page, "png")[1])
    assert 1.3 < width / height < 2.2


def test_charts_are_saved_light_and_with_the_whole_part(visit):
    page = visit(
        "/order?lang=en&part=sinusoidal",
        '[class*="st-key-plot-"] svg.marks',
        answers={"order_waves": "shown"},
        color_scheme="dark",
    )
    page.locator('[class*="st-key-plot-"] svg.marks').nth(2).wait_for()
    name, svg = saved(page, lambda: figure_item(page, "waves", "svg"))
    assert name == "waves.svg" and int(ET.fromstring(svg).get("width")) >= PRINT
    view = page.locator(".st-key-plot-waves svg.marks text").all_text_contents()
    assert Counter(view) <= Counter(texts(svg))
    inks = {one.get("fill") for one in ET.fromstring(svg).iter(f"{SVG}text")} - {None}
    assert inks and all(luminance(page, ink) < 0.6 for ink in inks)
    # A colour is referred to by a name that is in the file.
    wanted = set(re.findall(r'="url\(#([^")]*)\)"', svg.decode()))
    assert wanted and wanted <= {one.get("id") for one in ET.fromstring(svg).iter()}
    assert "url(http" not in svg.decode()
    name, png = saved(page, lambda: figure_item(page, "waves", "png"))
    assert name == "waves.png" and png_size(png)[0] >= PRINT
    _, whole = share(page, "svg")
    assert Counter(view) <= Counter(texts(whole)) and "X + P" in texts(whole)


def luminance(page, colour) -> float:
    return page.evaluate(
        """(colour) => {
          const canvas = document.createElement('canvas').getContext('2d');
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          return canvas.getImageData(0, 0, 1, 1).data.slice(0, 3).reduce((a, b) => a + b) / 765;
        }""",
        colour,
    )


def test_the_latex_of_a_step_is_in_the_clipboard(visit):
    page = visit("/one_head?lang=en", permissions=["clipboard-read", "clipboard-write"])
    press_item(page, "output", "latex")
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('O = A')")
    copied = page.evaluate("navigator.clipboard.readText()")
    view = shown_numbers(page, '[data-matrix-box="output"]')
    assert copied.startswith("O = A\\,V\n= ")
    assert re.findall(r"-?\d+\.\d+", copied.split("\n= ")[-1]) == [one.replace("−", "-") for one in view]


def test_the_items_are_read_aloud_with_what_they_do(visit):
    page = visit("/one_head?lang=zh")
    page.locator('[data-matrix-box="weights"] .pic-menu').click()
    names = page.locator("[role=menuitem]:visible").evaluate_all(
        "nodes => nodes.map((node) => node.ariaLabel ?? node.textContent)"
    )
    assert names == ["复制数值", "复制为 LaTeX", "保存为 SVG", "保存为 PNG", "保存为 CSV", "放大"]
