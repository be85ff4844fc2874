"""The files of the lesson have the whole model: every block and head, with the numbers on the screen."""

import io
import json

import nbformat
import numpy as np
import pytest
import torch

from pages.hand.export import data, notebook, script, worksheet
from pages.lessons.transformer import scene
from pages.lessons.transformer.settings import ModelNumbers
from pages.model import files
from pages.model.languages import LANGUAGES
from pages.model.state import State
from tests.hand.test_export import run
from tests.lessons.transformer.test_the_model import FORMS
from tests.support.course import from_query
from tests.support.tolerance import close
from tests.support.worksheets import Sheet, page_of

SOME = [
    ModelNumbers(**form, blocks=1 + i % 3, words=(0, 2, 5, 7)[: 4 - i % 4]) for i, form in enumerate(FORMS)
]


def page_with(own: ModelNumbers, language: str = "en"):
    return page_of(State().having(own), "transformer", language)


def wanted(own: ModelNumbers) -> dict[str, torch.Tensor]:
    """Steps of the last block and of its last head, and the end, by their names in the files."""
    trace = scene.trace_of(own)
    block = trace.blocks[-1]
    head = f"_head_{own.model_heads}" if own.model_heads > 1 else ""
    return {
        f"attention_{own.blocks}": block.attention.output,
        f"weights_{own.blocks}{head}": block.attention.heads.weights[-1],
        f"attention_stream_{own.blocks}": block.attention_stream,
        "logits": trace.logits,
        "probabilities": trace.probabilities,
    }


@pytest.mark.parametrize("make", [script.pytorch, script.numpy])
@pytest.mark.parametrize("own", SOME)
def test_a_script_of_every_form_has_the_numbers_of_the_screen(make, own):
    text = make(page_with(own), "https://example.org/transformer")
    known, printed = run(text)
    for name, tensor in wanted(own).items():
        close(torch.as_tensor(known["steps"][name]), tensor, 1e-9)
    assert "https://example.org/transformer" in text and "import streamlit" not in text
    plain = own.norm == "before" and own.residual and own.forward and make is script.pytorch
    assert printed.rstrip().endswith("True") == plain


@pytest.mark.parametrize("own", SOME[::5])
def test_the_arrays_are_the_steps_of_the_script_and_bring_the_state_back(own):
    page = page_with(own)
    steps = run(script.pytorch(page, ""))[0]["steps"]
    content = data.npz(page, "")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        assert set(steps) < set(file.files)
        for name, tensor in steps.items():
            close(torch.as_tensor(file[name]), tensor, 1e-9)
    state, _, _, problems = from_query(files.read("a.npz", content, "x").state)
    assert not problems and state.of(ModelNumbers) == own and state.core == page.settings


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_notebook_has_a_cell_for_every_step(language):
    own = ModelNumbers(blocks=2, model_heads=2)
    book = nbformat.reads(notebook.notebook(page_with(own, language), ""), as_version=4)
    nbformat.validate(book)
    steps = run(script.pytorch(page_with(own, language), ""))[0]["steps"]
    code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    assert all(f'heatmap({name}, "{name}", ' in code for name in steps)
    assert "plain_model" in book.cells[-1].source
    other = nbformat.reads(notebook.notebook(page_with(ModelNumbers(norm="none")), ""), as_version=4)
    assert "heatmap(" in other.cells[-1].source  # no code for the model in another form


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_worksheet_has_every_matrix_and_blanks_where_they_are_wanted(language):
    own = ModelNumbers(blocks=2, model_heads=2)
    page = page_with(own, language)
    blank = worksheet.steps_of(["weights"])
    sheet = Sheet(worksheet.make(page, blank, "") + worksheet.make_key(page))
    steps = run(script.pytorch(page, ""))[0]["steps"]
    assert set(sheet.key) == set(steps) <= set(sheet.sheet)
    assert {"e", "p", "w_q_1", "w_2_2", "w_u", "mask"} <= set(sheet.sheet)
    empty = {name for name in steps if not any("".join(row) for row in sheet.sheet[name].rows)}
    assert empty == {f"weights_{block}_head_{head}" for block in (1, 2) for head in (1, 2)}
    assert json.loads(data.json(page, ""))["lesson"] == "transformer"
    assert worksheet.make(page, frozenset(), "").count("<li>") == 2
