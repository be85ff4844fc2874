"""The files of the lesson have its layers: by hand, and trained with their training."""

import io
import json

import nbformat
import numpy as np
import pytest
import torch

from attention.lab.two_layers import TwoLayersOptions
from attention.lab.two_layers import train as run_to_end
from pages.hand.export import data, notebook, script, worksheet
from pages.lessons.two_layers import apart, by_hand, program, scene
from pages.lessons.two_layers.runs import RUNS
from pages.lessons.two_layers.settings import TwoLayersNumbers
from pages.model import edits, files
from pages.model.languages import LANGUAGES
from pages.model.state import State
from pages.model.view import View
from tests.hand.test_export import run
from tests.support.course import from_query
from tests.support.states import as_state, page_in
from tests.support.tolerance import close
from tests.support.worksheets import Sheet

SEED, STEPS = 71, 24
TRAINED = {
    "one_layer": TwoLayersNumbers(two_seed=SEED),
    "train": TwoLayersNumbers(two_seed=SEED, two_sequence=2),
    "apart": TwoLayersNumbers(two_seed=SEED, cut_key=True, cut_value=True),
}
CHANGED = edits.set_block(edits.example_start(by_hand.EXAMPLE), "w_q", 5, 1, [[-3.0]])
STATES = {"by_hand": as_state(CHANGED)} | {part: State().having(own) for part, own in TRAINED.items()}


@pytest.fixture(autouse=True)
def short_runs(monkeypatch):
    """The shown step is one of a few."""
    ends = {n: run_to_end(TwoLayersOptions(n, SEED, STEPS)).last for n in (1, 2)}
    monkeypatch.setattr(RUNS, "so_far", lambda options, asked: (ends[options.layers],))


def page_of(part: str, language: str = "en"):
    return page_in("two_layers", part, STATES[part], View(language=language))


def wanted(part: str) -> dict[str, torch.Tensor]:
    """Steps by their names in the files."""
    page = page_of(part)
    if part == "by_hand":
        first, second = by_hand.layers(page)
        end = second.trace.query_input + second.trace.output
        return {"weights_1": first.head.weights, "weights_2": second.head.weights, "stream_2": end}
    cut = apart.cut_of(page)
    trace = scene.trace_at(program.snapshot_of(page), scene.tokens_of(page), cut)
    weights = {f"weights_{i}": layer.heads.weights[0] for i, layer in enumerate(trace.layers, 1)}
    return weights | {"probabilities": trace.logits.softmax(-1)}


@pytest.mark.parametrize("make", [script.pytorch, script.numpy])
@pytest.mark.parametrize("part", STATES)
def test_a_script_has_the_numbers_of_the_screen_and_the_training_gives_them(make, part):
    text = make(page_of(part), "https://example.org/two_layers")
    known, printed = run(text)
    for name, tensor in wanted(part).items():
        close(torch.as_tensor(known["steps"][name]), tensor, 1e-9)
    assert "import streamlit" not in text
    assert printed.rstrip().endswith("True") == (make is script.pytorch)


@pytest.mark.parametrize("part", ["by_hand", "apart"])
def test_the_arrays_are_the_steps_of_the_script_and_bring_the_state_back(part):
    page = page_of(part)
    steps, content = run(script.pytorch(page, ""))[0]["steps"], data.npz(page, "")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        for name, tensor in steps.items():
            close(torch.as_tensor(file[name]), tensor, 1e-9)
    state, _, _, problems = from_query(files.read("a.npz", content, "x").state)
    assert not problems and state.of(TwoLayersNumbers) == page.own and state.core == page.settings


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["by_hand", "one_layer"])
def test_the_notebook_and_the_worksheet_have_every_step(part, language):
    page = page_of(part, language)
    steps = run(script.pytorch(page, ""))[0]["steps"]
    book = nbformat.reads(notebook.notebook(page, ""), as_version=4)
    nbformat.validate(book)
    code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    assert all(f'heatmap({name}, "{name}", ' in code for name in steps)
    sheet = Sheet(worksheet.make(page, worksheet.steps_of(["weights"]), "") + worksheet.make_key(page))
    assert set(sheet.key) == set(steps) <= set(sheet.sheet)
    assert json.loads(data.json(page, ""))["lesson"] == "two_layers"
