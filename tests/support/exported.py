"""The files of a lesson that has a computation of its own: each has the steps of the others."""

import io
import json
import re
from collections.abc import Mapping

import nbformat
import numpy as np
import torch

from pages.draw.page import Page
from pages.hand.export import data, notebook, program, script, worksheet
from pages.model import files
from tests.hand.test_export import run
from tests.support.course import from_query
from tests.support.worksheets import Sheet

LINK = "https://example.org/lesson"


def run_scripts(page: Page, wanted: Mapping[str, torch.Tensor]) -> tuple[dict, list[str]]:
    """The steps of the program with PyTorch, and what both programs print; they have the wanted numbers."""
    printed, steps = [], []
    for make in (script.pytorch, script.numpy):
        text = make(page, LINK)
        known, output = run(text)
        for name, tensor in wanted.items():
            assert_same(known["steps"][name], tensor)
        assert all(text.count(f"{name}(") > 1 for name in re.findall(r"^def (\w+)", text, re.MULTILINE))
        assert LINK in text and "import streamlit" not in text and "False" not in output
        printed.append(output.rstrip())
        steps.append(known["steps"])
    return steps[0], printed


def assert_same(array, tensor) -> None:
    """But for rounding; where the screen shows NaN, so does the file."""
    got, wanted = torch.as_tensor(array), torch.as_tensor(tensor)
    torch.testing.assert_close(got, wanted, rtol=1e-8, atol=1e-8, equal_nan=True)


def check_arrays(page: Page, steps: Mapping) -> None:
    """The arrays are the steps of the program, and bring the state back."""
    content = data.npz(page, "")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        assert set(steps) < set(file.files)
        for name, tensor in steps.items():
            assert_same(file[name], tensor)
    state, _, _, problems = from_query(files.read("a.npz", content, "x").state)
    assert not problems and state.of(type(page.own)) == page.own
    assert state.core.tokens == page.settings.tokens


def check_pages(page: Page, steps: Mapping, blank: str = "weights") -> tuple[list, Sheet]:
    """The cells of the notebook and the worksheet, which has blanks at this step; both have every step."""
    book = nbformat.reads(notebook.notebook(page, ""), as_version=4)
    nbformat.validate(book)
    code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    assert all(f'heatmap({name}, "{name}", ' in code for name in steps)
    sheet = Sheet(worksheet.make(page, worksheet.steps_of([blank]), "") + worksheet.make_key(page))
    assert set(sheet.key) == set(steps)
    assert set(sheet.sheet) == {*steps, *program.of(page).inputs}
    for step in program.of(page).steps:  # a label of a heatmap for each row and column
        assert (len(step.matrix.rows), len(step.matrix.cols)) == np.shape(step.matrix.known)
        assert not re.search(r"'_\w+\^", step.panel.latex)  # TeX refuses two exponents
    assert "\\" not in "".join(sheet.words)  # formulas are written as on the screen
    assert json.loads(data.json(page, ""))["lesson"] == page.lesson.name
    return book.cells, sheet
