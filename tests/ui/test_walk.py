"""The lines of code on the screen: run one after the other, they give the core's numbers."""

import math

import pytest
import torch

from pages.lessons import lesson
from pages.model import edits
from pages.model.compute import mask_of, tensors_of, trace_of
from pages.model.settings import MASKS, SCALINGS, Settings
from pages.model.view import Place, View
from pages.ui import steps, walk
from pages.ui.page import Page
from pages.ui.texts import Texts

START = Settings()
TWO = edits.resize(START, num_heads=2, d_k=3, d_v=5)
FOUR = edits.resize(START, num_heads=4, num_kv_heads=2, d_k=2, d_v=3)
DEAD = edits.with_choice(START, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)}))
CASES = {
    "one head": START,
    "two heads": TWO,
    "grouped queries": FOUR,
    "biases": edits.fill(edits.fill(edits.set_biases(FOUR, True), "b_k", "normal", 1), "b_o", "normal", 2),
    "fully masked row": DEAD,
    "fully masked row, −10⁹": edits.with_choice(DEAD, masked_score="-1e9"),
    **{f"mask {name}": edits.with_choice(TWO, mask=name) for name in MASKS},
    **{f"scaling {name}": edits.with_choice(START, scaling=name, own_divisor=-3) for name in SCALINGS},
}


def page_of(settings: Settings, head: int = 0) -> Page:
    this = lesson("one_head")
    return Page(this, this.parts[0], Texts("en", "one_head"), settings, View(head=head), Place())


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_the_snippets_give_the_core_s_numbers(settings):
    found, trace = steps.of(page_of(settings)), trace_of(settings)
    known = {"torch": torch, "math": math, "x": trace.query_input, "mask": mask_of(settings)}
    known |= tensors_of(settings)
    known |= {"d_k": settings.head_dim, "d_v": settings.value_dim, "divisor": settings.own_divisor}
    known |= {"h": settings.num_heads, "kv_heads": settings.kv_heads}
    for name in found.names():
        exec(walk.snippet(found, name), known)
    for name in found.names():
        expected = getattr(trace, name if name != "head_output" else "heads", None)
        if name == "head_output":
            expected = trace.heads.output
        elif name not in ("concatenated", "output"):
            expected = getattr(trace.heads, name)
        got = known[name]
        torch.testing.assert_close(got, expected.reshape(got.shape), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_every_step_has_a_name_a_formula_a_reason_and_a_line(settings):
    found = steps.of(page_of(settings))
    told = walk.walk(found)
    assert [step.name for step in told] == found.names()
    assert all(step.title and step.formula and step.why and step.code for step in told)
    assert not any("{" in step.formula.replace("_{", "").replace("^{", "") for step in told)


def test_a_matrix_says_how_each_of_its_cells_was_made():
    """The sources that a matrix names give its numbers, by the rule that it names."""
    for head in (0, 3):
        found = steps.of(page_of(FOUR, head))
        s, q, k = (getattr(found, name)() for name in ("scores", "query", "key"))
        made = s.made
        for r in range(3):
            for c in range(3):
                left = q.values[r][made["left_start"] - q.offset :][: made["length"]]
                right = k.values[c][made["right_start"] - k.offset :][: made["length"]]
                assert sum(a * b for a, b in zip(left, right, strict=True)) == pytest.approx(s.values[r][c])
