"""The files of a part that draws the learner's numbers with other settings have what it shows."""

from collections.abc import Mapping
from dataclasses import replace

import nbformat
import numpy as np

from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.hand.export import data, notebook, program, worksheet
from pages.model.view import Place
from tests.support.exported import assert_same, check_arrays, run_scripts
from tests.support.screen import matrix, open_page
from tests.support.worksheets import Sheet


def at_place(page: Page, topic: str | None = None) -> Page:
    """The page at its part with all questions answered."""
    answers = tuple(sorted((question, "shown") for question in page.lesson.questions))
    place = Place(page.part.name, topic=topic)
    return replace(page, view=replace(page.view, answers=answers), place=place)


def check_variant(page: Page, ids: Mapping[str, str]) -> Steps:
    """The steps that the files have. ids: step → its matrix on the screen, of the shown head."""
    whole = program.of(page)
    assert whole is not None and whole.attention is not None
    c = whole.attention
    steps, (printed, _) = run_scripts(page, {name: data.step(c, name) for name in c.rows})
    assert set(steps) == set(c.rows) and printed
    app = open_page(page.lesson.name, page.numbers, page.view, page.place)
    for name, id in ids.items():
        of_head = steps[name][page.head] if np.ndim(steps[name]) == 3 else steps[name]
        values = [[float(cell) for cell in row] for row in matrix(app, id)["values"]]  # also −∞
        assert_same(of_head, np.array(values))
    check_arrays(page, steps)
    book = nbformat.reads(notebook.notebook(page, ""), as_version=4)
    nbformat.validate(book)
    code = "\n".join(cell.source for cell in book.cells)
    assert all(f'heatmap({name}, "{name}", ' in code for name in steps)
    sheet = Sheet(worksheet.make(page, worksheet.steps_of(worksheet.BLANK), "") + worksheet.make_key(page))
    written = [[short(cell, c["weights"].decimals) for cell in row] for row in c["weights"].known]
    assert sheet.key["weights"].rows == written
    assert not any("".join(row) for row in sheet.sheet["weights"].rows)
    return c
