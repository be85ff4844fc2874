"""The files of a part that draws other numbers than the learner's settings."""

import io
from collections.abc import Mapping

import nbformat
import numpy as np
import torch

from pages.draw.page import Page
from pages.hand.export import data, notebook, program, worksheet
from pages.model import files
from pages.model.link import to_query
from tests.support.course import from_query
from tests.support.exported import assert_same, run_scripts
from tests.support.worksheets import Sheet


def check_variant(page: Page, wanted: Mapping[str, torch.Tensor]) -> None:
    """Every file has the wanted numbers, and the state that comes back is the learner's own."""
    steps, _ = run_scripts(page, wanted)
    content, whole = data.npz(page, ""), program.of(page)
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        for name, tensor in steps.items():
            assert_same(file[name], tensor)
    state, *_, problems = from_query(files.read("a.npz", content, "x").state)
    assert not problems
    same = state == from_query(to_query(page.numbers, page.view, page.place))[0]
    assert same  # the difference of two states is long
    book = nbformat.reads(notebook.notebook(page, ""), as_version=4)
    nbformat.validate(book)
    sheet = Sheet(worksheet.make(page, frozenset(), "") + worksheet.make_key(page))
    head = steps["weights"][page.head if steps["weights"].ndim > 2 else ...]
    shown = [[float(cell.replace("−", "-")) for cell in row] for row in sheet.key["weights"].rows]
    np.testing.assert_allclose(shown, head, atol=0.0051)
    about = "" if whole is None else whole.about
    assert about in book.cells[0].source
    assert about.replace("_", "") in "".join(sheet.words)  # the sheet has indices below the line
