"""The files of the lesson have the whole model: every block and head, with the numbers on the screen."""

import nbformat
import pytest
import torch

from pages.hand.export import notebook, worksheet
from pages.lessons.transformer import scene
from pages.lessons.transformer.settings import ModelNumbers
from pages.model.languages import LANGUAGES
from pages.model.state import State
from tests.lessons.transformer.test_the_model import FORMS
from tests.support.exported import check_arrays, check_pages, run_scripts
from tests.support.worksheets import page_of

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


@pytest.mark.parametrize("own", SOME)
def test_the_programs_and_arrays_of_every_form_have_the_numbers_of_the_screen(own):
    page = page_with(own)
    steps, printed = run_scripts(page, wanted(own))
    plain = own.norm == "before" and own.residual and own.forward
    assert [line.endswith("True") for line in printed] == [plain, False]
    if own in SOME[::5]:
        check_arrays(page, steps)


def test_the_notebook_and_the_worksheet_have_every_step_and_blanks_where_they_are_wanted():
    own = ModelNumbers(blocks=2, model_heads=2)
    steps, _ = run_scripts(page_with(own), wanted(own))
    for language in LANGUAGES:
        page = page_with(own, language)
        cells, sheet = check_pages(page, steps)
        assert "plain_model" in cells[-1].source
        assert {"e", "p", "w_q_1", "w_2_2", "w_u", "mask"} <= set(sheet.sheet)
        empty = {name for name in steps if not any("".join(row) for row in sheet.sheet[name].rows)}
        assert empty == {f"weights_{block}_head_{head}" for block in (1, 2) for head in (1, 2)}
        assert worksheet.make(page, frozenset(), "").count("<li>") == 2
    other = nbformat.reads(notebook.notebook(page_with(ModelNumbers(norm="none")), ""), as_version=4)
    assert "heatmap(" in other.cells[-1].source  # no code for the model in another form
