"""The files of the lesson have its layers: by hand, and trained with their training."""

import pytest
import torch

from pages.lessons.two_layers import apart, by_hand, program, scene
from pages.lessons.two_layers.runs import RUNS
from pages.lessons.two_layers.settings import TwoLayersNumbers
from pages.model import edits
from pages.model.languages import LANGUAGES
from pages.model.state import State
from pages.model.view import View
from tests.support.exported import check_arrays, check_pages, run_scripts
from tests.support.states import as_state, page_in

from .conftest import short_run

TRAINED = {
    "one_layer": TwoLayersNumbers(two_seed=71),
    "train": TwoLayersNumbers(two_seed=71, two_sequence=2),
    "apart": TwoLayersNumbers(two_seed=71, cut_key=True, cut_value=True),
}
CHANGED = edits.set_block(edits.example_start(by_hand.EXAMPLE), "w_q", 5, 1, [[-3.0]])
STATES = {"by_hand": as_state(CHANGED)} | {part: State().having(own) for part, own in TRAINED.items()}


def wanted(page) -> dict[str, torch.Tensor]:
    """Steps by their names in the files."""
    if page.part.name == "by_hand":
        first, second = by_hand.layers(page)
        end = second.trace.query_input + second.trace.output
        return {"weights_1": first.head.weights, "weights_2": second.head.weights, "stream_2": end}
    cut = apart.cut_of(page)
    trace = scene.trace_at(program.snapshot_of(page), scene.tokens_of(page), cut)
    weights = {f"weights_{i}": layer.heads.weights[0] for i, layer in enumerate(trace.layers, 1)}
    return weights | {"probabilities": trace.logits.softmax(-1)}


@pytest.mark.parametrize("part", STATES)
def test_every_file_has_the_numbers_of_the_screen_and_the_training_gives_them(part, monkeypatch):
    """The shown step is one of a few."""
    monkeypatch.setattr(RUNS, "so_far", lambda options, asked: (short_run(options.layers, 71, 24).last,))
    english, chinese = (page_in("two_layers", part, STATES[part], View(language=one)) for one in LANGUAGES)
    steps, printed = run_scripts(english, wanted(english))
    assert [line.endswith("True") for line in printed] == [True, False]
    check_arrays(english, steps)
    for page in (english, chinese):
        check_pages(page, steps)
