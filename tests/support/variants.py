"""The files of a part that draws the learner's numbers with other settings have what it shows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import nbformat
import numpy as np

from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.hand.export import data, notebook, program, worksheet
from pages.model.languages import LANGUAGES
from pages.model.view import Place, View
from tests.support.course import lesson
from tests.support.exported import assert_same, check_arrays, run_scripts
from tests.support.random_settings import any_state
from tests.support.screen import matrix, matrix_ids, open_page
from tests.support.states import page_in
from tests.support.worksheets import Sheet


def drawn_page(name: str, part: str, topic: str | None, seed: int) -> Page:
    """The part with numbers of any kind, all questions answered."""
    state, answers = any_state(name, seed), dict.fromkeys(lesson(name).questions, "shown")
    view = View(language=[*LANGUAGES][seed % 2], head=seed % state.core.num_heads)
    page = page_in(name, part, state, replace(view, answers=tuple(sorted(answers.items()))))
    return replace(page, place=Place(part, topic=topic))


def check_variants(pages: Iterable[Page], ids: Mapping[str, str]) -> Iterator[tuple[Page, Steps]]:
    """Each page with the steps of its files. ids: step → its matrix on the screen, of the shown head.

    Several pages have these matrices: some parts draw none for a single token, or without padding.
    """
    drawn = []
    for page in pages:
        c, steps = _check_files(page)
        app = open_page(page.lesson.name, page.numbers, page.view, page.place)
        drawn.append(set(ids.values()) <= matrix_ids(app))
        for name, id in ids.items() if drawn[-1] else ():
            of_head = steps[name][page.head] if np.ndim(steps[name]) == 3 else steps[name]
            values = [[float(cell) for cell in row] for row in matrix(app, id)["values"]]  # also −∞
            assert_same(of_head, np.array(values))
        yield page, c
    assert sum(drawn) > 3


def _check_files(page: Page) -> tuple[Steps, dict]:
    """All files have the same steps, and bring the learner's own state back."""
    whole = program.of(page)
    assert whole is not None and whole.attention is not None
    c = whole.attention
    steps, _ = run_scripts(page, {name: data.step(c, name) for name in c.rows})
    assert set(steps) == set(c.rows)
    check_arrays(page, steps)
    book = nbformat.reads(notebook.notebook(page, ""), as_version=4)
    nbformat.validate(book)
    code = "\n".join(cell.source for cell in book.cells)
    assert all(f'heatmap({name}, "{name}", ' in code for name in steps)
    sheet = Sheet(worksheet.of_choices(page, "", worksheet.Wanted()) + worksheet.make_key(page))
    written = [[short(cell, c["weights"].decimals) for cell in row] for row in c["weights"].known]
    assert sheet.key["weights"].rows == written
    assert not any("".join(row) for row in sheet.sheet["weights"].rows)
    assert (page.t("checks.title") in sheet.words) == (not c.capped)
    if c.head.mask is not None:
        signs = [["✓" if visible else "×" for visible in row] for row in c.head.mask.tolist()]
        assert sheet.sheet["mask"].rows == signs
    return c, steps
