"""The files of the lesson have the computation of each part, with the numbers on the screen."""

import random

import pytest
import torch

from attention.lab.softmax import scores as softmax
from pages.hand.export import program, script, worksheet
from pages.lessons.softmax import dropout
from pages.lessons.softmax.program import PARTS
from pages.lessons.softmax.settings import SoftmaxNumbers
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.fields import specs
from pages.model.languages import LANGUAGES
from pages.model.scores import Scores
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import View
from tests.support.course import lesson
from tests.support.exported import check_arrays, check_pages, run_scripts
from tests.support.random_settings import drawn
from tests.support.states import page_in

SEEDS = range(14)  # of settings of every kind
AXES = specs(SoftmaxNumbers)["axis"].options
# Of a few scores: ordinary ones, ties, one alone, and those whose exponentials float64 cannot hold.
LOGITS = (
    (4.77, 1.41, 1.06, 3.18),
    (2.0, 2.0, -3.0, 0.5),
    (3.0,),
    (1000.0, 999.0),
    (-745.0, -744.5),
    (-800.0, -801.5),
)


def page_with(part: str, seed: int, language: str = "en"):
    draw = random.Random(seed)
    own = SoftmaxNumbers(
        temperature=draw.choice((0.01, 0.5, 40.0)),
        shift=draw.choice((-3.25, 0.0, 100.0)),
        score=draw.randrange(4),
        nudge=draw.choice((-0.7, 0.0, 0.1, 10.0)),
        axis=AXES[seed % len(AXES)],
        dropout=draw.choice((0.0, 0.1, 0.6)),
    )
    state = State(core=drawn(seed)).having(own).having(Scores(LOGITS[seed % len(LOGITS)]))
    head = seed % state.core.num_heads
    return page_in("softmax", part, settings=state, view=View(language=language, head=head))


def wanted(page) -> dict[str, torch.Tensor]:
    """Some steps of the part, from what the screen is computed with."""
    own, logits = page.own, page.scores.logits
    if page.part.name == "bars":
        written = softmax.written_out(logits)
        rows = {"exps": written.exps, "total": [written.total], "weights": written.weights}
        return {name: softmax.tensor([row]) for name, row in rows.items()}
    if page.part.name == "temperature":
        weights = softmax.softmax(logits, own.temperature)
        moved = softmax.softmax(logits, own.temperature, own.shift)
        spread = softmax.spread(weights)
        rows = {"weights": weights, "moved_weights": moved}
        rows |= {"entropy": [spread.entropy], "effective": [spread.effective]}
        return {name: softmax.tensor([row]) for name, row in rows.items()}
    if page.part.name == "jacobian":
        changes = softmax.answer(logits, min(own.score, len(logits) - 1), own.nudge)
        columns = {"real": changes.real, "predicted": changes.predicted, "error": changes.errors}
        entries = softmax.jacobian(torch.softmax(softmax.tensor(logits), dim=-1))
        return {"jacobian": entries} | {name: softmax.tensor([row]).mT for name, row in columns.items()}
    head = trace_of(page.settings).head(page.head)
    if page.part.name == "axes":
        weights = softmax.over(head.masked_scores, own.axis)
        sums = {"row_sums": weights.sum(1, keepdim=True), "column_sums": weights.sum(0, keepdim=True)}
        return {"weights": weights, "whole_sum": weights.sum().reshape(1, 1), **sums}
    dropped = dropout.steps_of(page).head.dropped_weights
    dropped = head.weights if dropped is None else dropped
    return {"dropped_weights": dropped, "row_sums": dropped.sum(1, keepdim=True)}


@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")  # ∞ and NaN, as on the screen
@pytest.mark.parametrize("part", PARTS)
def test_the_programs_and_arrays_have_the_numbers_of_the_screen(part):
    for seed in SEEDS:
        page = page_with(part, seed)
        steps, printed = run_scripts(page, wanted(page))
        assert printed[0].endswith("True") == (part in ("axes", "jacobian")) and printed[1][-4:] != "True"
        check_arrays(page, steps)
        if seed == 3:
            for language in LANGUAGES:
                _, sheet = check_pages(page_with(part, seed, language), steps)
                empty = {name for name in steps if not any("".join(row) for row in sheet.sheet[name].rows)}
                assert empty == set(steps) - {"error", "masked_scores"}


def test_a_part_about_number_formats_keeps_the_computation_of_the_settings():
    for part in lesson("softmax").parts:
        page = page_with(part.name, 3)
        assert (program.of(page) is None) == (part.name not in PARTS) == (part.name == "stable")
        assert ("w_q = " in script.pytorch(page, "")) == (part.name == "stable")


def test_what_dropout_keeps_is_ticked_and_the_head_is_named():
    """Without dropout all is kept, also what a mask hides."""
    core = edits.resize(Settings(mask="causal"), num_heads=2)
    state = State(core=core).having(SoftmaxNumbers(dropout=0.0))
    page = page_in("softmax", "dropout", settings=state, view=View(head=1))
    whole = program.of(page)
    assert all(all(row) for row in whole.inputs["kept"].known)
    assert page.t("sheet.head", head=2, heads=2) in script.pytorch(page, "")


def test_a_given_number_is_on_the_sheet_as_it_was_entered():
    """Not with two decimals, with which nobody could compute the answers."""
    own = SoftmaxNumbers(temperature=0.125, shift=0.125, nudge=0.125)
    state = State().having(own).having(Scores((0.125, 1.0)))
    for part, count in {"bars": 1, "temperature": 3, "jacobian": 2}.items():
        page = page_in("softmax", part, settings=state)
        assert worksheet.make(page, worksheet.steps_of(worksheet.BLANK), "").count(">0.125<") == count


def test_a_question_that_the_numbers_do_not_answer_is_not_on_the_sheet():
    """With equal scores nothing leads, so that no largest weight can grow; a single weight is always 1."""
    for logits, count in (((1.0, 0.0), 2), ((1.0, 1.0), 1), ((1.0,), 0)):
        page = page_in("softmax", "temperature", settings=State().having(Scores(logits)))
        assert len(program.of(page).questions) == count
