"""attention.show: every step in a terminal and in a notebook, once."""

import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention import (
    causal_mask,
    flash_attention,
    multi_head_attention,
    scaled_dot_product_attention,
    show,
    tables,
)
from attention.tables import MASKED, Table, as_html, colour_of, ink_on, number_text, slices
from pages.draw import palette
from tests.support.colours import contrast, luminance

X = torch.tensor([[1.0, 0.0], [0.5, -2.0], [1.0, 1.0]], dtype=torch.float64)
EYE = torch.eye(2, dtype=torch.float64)
TRACE = scaled_dot_product_attention(X, X, X, mask=causal_mask(3))


def numbers_under(text, heading):
    """The rows of numbers below a line, up to the next line that is none."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(heading)) + 1
    rows = []
    while at < len(lines) and re.match(r"  +[-\d]", lines[at]):
        rows.append([float(number) for number in lines[at].split()])
        at += 1
    return rows


# ---- text


def test_every_step_stands_there_with_its_name_shape_and_numbers(capsys):
    show(TRACE)
    text = capsys.readouterr().out
    for name, value in TRACE.steps():
        printed = torch.tensor(numbers_under(text, f"{name} {tuple(value.shape)}"), dtype=torch.float64)
        torch.testing.assert_close(printed, value, rtol=0, atol=5e-5)
    assert "scaled_scores (3, 3), scale 0.7071" in text and "-inf" in text


@pytest.mark.parametrize("spoilt", [math.inf, math.nan])
def test_nan_from_a_masked_row_of_value_is_explained(spoilt):
    value, mask, note = X.clone(), causal_mask(3), ": a weight of 0 times ∞ or NaN in value is NaN"
    value[2, 0] = spoilt
    trace = scaled_dot_product_attention(X, X, value, mask=mask)
    expected = torch.nn.functional.scaled_dot_product_attention(X, X, value, attn_mask=mask)
    assert trace.output.isnan().equal(expected.isnan()) and trace.output[0, 0].isnan()
    assert f"output (3, 2){note}\n" in str(show(trace))
    several = multi_head_attention(X, X, value, w_q=EYE, w_k=EYE, w_v=EYE, num_heads=2, mask=mask)
    assert f"head_output (2, 3, 1){note}\n" in str(show(several))
    unmasked = scaled_dot_product_attention(X, X, value)
    assert note not in str(show(unmasked)) + str(show(TRACE))


def test_numbers_are_aligned(capsys):
    show(TRACE)
    for block in capsys.readouterr().out.split("\n\n"):
        assert len({len(line) for line in block.rstrip().split("\n")[1:]}) == 1


@pytest.mark.parametrize("heads", [1, 2])
def test_every_step_of_several_heads_stands_there(capsys, normal, heads):
    x, w = normal(2, 3, 4), normal(4, 4)
    trace = multi_head_attention(x, w_q=w, w_k=w, w_v=w, w_o=w, num_heads=heads, mask=causal_mask(3))
    show(trace)
    text = capsys.readouterr().out
    assert re.findall(r"^(\w+) \(", text, re.M) == [step.name for step in trace.steps()]
    printed = torch.tensor(numbers_under(text, f" weights[1, {heads - 1}], batch 1, head {heads - 1}"))
    torch.testing.assert_close(printed.double(), trace.heads.weights[1, heads - 1], rtol=0, atol=5e-5)
    assert "\n query[1], batch 1\n" in text and "query[1, " not in text


def test_heads_without_a_batch_are_named_as_heads(normal):
    x, w = normal(3, 4), normal(4, 4)
    text = str(show(multi_head_attention(x, w_q=w, w_k=w, w_v=w, num_heads=2, qk_norm=True)))
    assert " normalized_query[1], head 1" in text and " normalized_key[1], head 1" in text
    assert " weights[1], head 1" in text and " head_output[1], head 1" in text and "batch" not in text


def test_leading_dimensions_of_attention_by_itself_are_named_where_it_is_known_what_they_are(normal):
    four, three = normal(2, 2, 3, 2), normal(2, 3, 2)
    assert " weights[1, 0], batch 1, head 0\n" in str(show(scaled_dot_product_attention(four, four, four)))
    assert " weights[1]\n" in str(show(scaled_dot_product_attention(three, three, three)))


def test_every_tile_of_flash_attention_stands_there(capsys):
    trace = flash_attention(X, X, X, block_q=2, block_k=2, mask=causal_mask(3))
    show(trace)
    text = capsys.readouterr().out
    for number, tile in enumerate(trace.tiles):
        rows, columns = (f"{part.start}:{part.stop}" for part in (tile.rows, tile.columns))
        assert f"tile {number}: rows {rows}, columns {columns}" in text
    assert text.count("skipped: masked throughout") == sum(tile.skipped for tile in trace.tiles) == 1
    assert numbers_under(text, " running_sum")[0] == pytest.approx([1.0])
    printed = torch.tensor(numbers_under(text, "output (3, 2)"), dtype=torch.float64)
    torch.testing.assert_close(printed, trace.output, rtol=0, atol=5e-5)


def test_large_tensors_are_shortened(capsys, normal):
    x = normal(40, 2, 30, 20)
    show(scaled_dot_product_attention(x, x, x))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 1000 and max(map(len, lines)) < 100
    assert any("…" in line for line in lines)
    first = numbers_under("\n".join(lines).replace("…", "0"), " query[0, 0], batch 0, head 0")
    assert len(first) == 7 and first[0][0] == pytest.approx(x[0, 0, 0, 0].item(), abs=5e-5)
    assert first[-1][-1] == pytest.approx(x[0, 0, -1, -1].item(), abs=5e-5)


def test_many_tiles_are_shortened(normal):
    x = normal(64, 2)
    text = str(show(flash_attention(x, x, x, block_q=4, block_k=4)))
    assert text.count("tile ") == 6 and "tile 255" in text


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_any_dtype_and_gradients_are_shown(dtype):
    x = X.to(dtype).requires_grad_()
    assert "output (3, 2)" in str(show(scaled_dot_product_attention(x, x, x)))


def test_no_queries_are_shown():
    assert "weights (0, 3)" in str(show(scaled_dot_product_attention(X[:0], X, X)))


@given(st.floats(allow_nan=True, allow_infinity=True, width=32))
def test_a_number_is_written_as_what_it_is(value):
    back = float(number_text(value))
    if math.isfinite(value):
        assert back == pytest.approx(value, rel=0.06, abs=5e-5 if abs(value) >= 5e-5 else 0)
        assert (back == 0) == (value == 0) and not number_text(value).startswith("-0.0000")
    else:
        assert number_text(value) in ("nan", "inf", "-inf")


# ---- weights of any model

WEIGHTS = torch.tensor([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.125, 0.125, 0.75]])
TOKENS = ["我", "<b>cat</b>\n", "x" * 99]


def test_weights_are_shown_with_their_tokens():
    result = show(WEIGHTS, tokens=TOKENS)
    heading, columns, *rows = str(result).splitlines()
    assert heading == "weights (3, 3)" and columns.split() == ["我", r"<b>cat</b>\n", "x" * 23 + "…"]
    assert [row.split()[0] for row in rows] == columns.split()
    assert [[float(number) for number in row.split()[1:]] for row in rows] == WEIGHTS.tolist()
    assert len({tables.cells_of(line) for line in [columns, *rows]}) == 1
    markup = result._repr_html_()
    assert r"&lt;b&gt;cat&lt;/b&gt;\n" in markup and "<b>" not in markup
    assert [colour for _, colour, _ in Cells(markup).cells][2] == tables.SEQUENTIAL[0]


def test_tokens_name_the_rows_and_columns_of_every_step_of_a_trace():
    trace = scaled_dot_product_attention(X, X[:2], X[:2])
    blocks = {text.split(" (")[0]: text.splitlines()[1:] for text in str(
        show(trace, tokens="abc", key_tokens="de")).split("\n\n")}  # fmt: skip
    assert [line.split()[0] for line in blocks["value"]] == ["d", "e"]
    assert blocks["weights"][0].split() == ["d", "e"]
    assert [line.split()[0] for line in blocks["output"]] == ["a", "b", "c"]
    tiled = str(show(flash_attention(X, X, X, block_q=2, block_k=2), tokens="abc"))
    assert "partial_output\n  c " in tiled


@pytest.mark.parametrize("other", [
    WEIGHTS.numpy(), WEIGHTS.tolist(), WEIGHTS.bfloat16(), WEIGHTS.requires_grad_(), WEIGHTS[None, None],
    [WEIGHTS, WEIGHTS[None]], [WEIGHTS[None, None]] * 2,
])  # fmt: skip
def test_weights_are_taken_as_models_return_them(other):
    text = str(show(other))
    assert "0.1250  0.1250  0.7500" in text and "do not sum" not in text
    assert ("weights[1] (" in text) == (isinstance(other, list) and isinstance(other[0], torch.Tensor))


NOTES = {
    "1 of 3 rows do not sum to 1: row 2 “c”: 0.5.": torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0, 0.5]]),
    "2 of 3 rows do not sum to 1: row 0 “a”: nan; row 1 “b”: 0.":
        torch.tensor([[math.nan, 0, 0], [0, 0, 0], [0, 0, 1.0]]),
    "3 of 6 rows do not sum to 1: [0, 1] row 0 “a”: 2;": torch.eye(3).repeat(1, 2, 1, 1)
        * torch.tensor([1.0, 2.0])[None, :, None, None],
    "The columns sum to 1, the rows do not": torch.tensor([[1.0, 1.0, 0], [0, 0, 0.5], [0, 0, 0.5]]),
    "Some numbers are negative": torch.tensor([[1.0, 0, 0], [2.0, -1, 0], [0, 0, 1.0]]),
    "; and 1 more.": torch.zeros(2, 3, 3),
}  # fmt: skip


@pytest.mark.parametrize("note", NOTES)
def test_what_attention_weights_cannot_be_is_said(note):
    result = show(NOTES[note], tokens="abc")
    assert note in str(result) and note[:12] in result._repr_html_()


# ---- once


def test_python_s_own_prompt_prints_it_once():
    lines = "import torch, attention\nx = torch.eye(2)\n"
    lines += "attention.show(attention.scaled_dot_product_attention(x, x, x))\n"
    done = subprocess.run(
        [sys.executable, "-i", "-q"], input=lines, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("weights (2, 2)") == 1


@pytest.fixture
def notebook(monkeypatch):
    """A substitute for IPython, and what was displayed in it."""
    shell, displayed = SimpleNamespace(execution_count=1), []

    def display(forms, raw):
        assert raw
        displayed.append(forms)

    module = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", module)
    return SimpleNamespace(shell=shell, displayed=displayed)


def test_a_notebook_displays_it_once_wherever_it_stands_in_the_cell(notebook, capsys):
    result = show(TRACE)
    assert len(notebook.displayed) == 1  # in the middle of a cell
    result._ipython_display_()  # what IPython does with the value of the last line
    assert len(notebook.displayed) == 1 and capsys.readouterr().out == ""
    notebook.shell.execution_count = 2
    result._ipython_display_()
    assert len(notebook.displayed) == 2
    assert notebook.displayed[0] == {"text/plain": str(result), "text/html": result._repr_html_()}


def test_a_library_that_only_imports_ipython_is_no_notebook(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    show(TRACE)
    assert "weights (3, 3)" in capsys.readouterr().out


# ---- HTML


class Cells(HTMLParser):
    """The cells of all tables: text, background, ink. It checks that every tag is closed."""

    def __init__(self, markup):
        super().__init__()
        self.open, self.cells = [], []
        self.feed(markup)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        style = dict(attrs).get("style") or ""
        if tag == "td" and "background:#" in style:
            self.cells.append(["", *re.search(r"background:(#\w+);color:(#\w+)", style).groups()])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "td" and self.cells:
            self.cells[-1][0] += data


def test_a_notebook_shows_every_step_with_all_its_numbers():
    cells = Cells(show(TRACE)._repr_html_()).cells
    numbers = [number for step in TRACE.steps() for number in step.value.flatten().tolist()]
    assert len(cells) == len(numbers)
    for (text, _, _), number in zip(cells, numbers, strict=True):
        assert float(text.replace("−", "-").replace("∞", "inf")) == pytest.approx(number, abs=5e-5)


@pytest.mark.parametrize("name", ["masked_scores", "weights"])
def test_what_is_masked_looks_masked_in_every_step_after_the_mask(name):
    markup = show(TRACE)._repr_html_()
    table = markup[markup.index(f"{name} (3, 3)") :].split("</table>")[0]
    assert table.count(f"background:{MASKED}") == 3


def test_masked_cells_do_not_stretch_the_scale(normal):
    scores = normal(3, 3)
    hidden = ~causal_mask(3)
    for number in (-math.inf, -1e9):
        (matrix,) = slices("scores", scores.masked_fill(hidden, number), hidden)
        assert matrix.bound == scores[~hidden].abs().max()


def test_weights_have_a_fixed_scale_and_signed_numbers_one_centred_at_0():
    values = torch.tensor([[0.0, 1.0, 0.5]])
    (weights,), (signed,) = slices("weights", values, weights=True), slices("scores", values - 0.5)
    assert [colour_of(weights, 0, i) for i in (0, 1)] == [tables.SEQUENTIAL[0], tables.SEQUENTIAL[-1]]
    ends = [colour_of(signed, 0, i) for i in (0, 1, 2)]
    assert ends == [tables.DIVERGING[0], tables.DIVERGING[-1], tables.DIVERGING[3]]


def test_colours_are_those_of_the_dashboard():
    ours = (tables.DIVERGING, tables.SEQUENTIAL, tables.MASKED)
    assert ours == (palette.DIVERGING, palette.SEQUENTIAL, palette.MASKED)


@given(st.floats(-2, 2), st.booleans())
def test_text_is_readable_on_every_colour(value, weights):
    matrix = Table("", torch.tensor([[value]], dtype=torch.float64), weights, bound=2.0)
    colour = colour_of(matrix, 0, 0)
    assert contrast(*(luminance(bytes.fromhex(one[1:])) for one in (colour, ink_on(colour)))) >= 4.5


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.0])
def test_any_number_has_a_colour(value):
    assert re.fullmatch(r"#[0-9a-f]{6}", colour_of(Table("", torch.tensor([[value]])), 0, 0))


def test_markup_is_escaped():
    (matrix,) = slices('<b>&"', torch.ones(1, 1))
    assert "&lt;b&gt;&amp;&quot;" in as_html(matrix) and "<b>" not in as_html(matrix)
