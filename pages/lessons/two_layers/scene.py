"""What the parts share: the sequences, attention weights and answers of a run as matrices, and its curves."""

import functools
from collections.abc import Sequence
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention import causal_mask
from attention.lab.two_layers import (
    ASKED,
    LENGTH,
    LETTERS,
    StreamTrace,
    TwoLayersOptions,
    TwoLayersSnapshot,
    answers_of,
    held_out,
    induction_score,
    sources_of,
    trace_of,
)
from pages import picture, session
from pages.ask.runs import Runs, at
from pages.draw import inputs, matrix, placing, plots, steps
from pages.draw.charts import Axis, Chart, Plot, log_reach
from pages.draw.numbers import apart, counted
from pages.draw.page import Page, distinct
from pages.picture import Arrow, Flow, Matrix

from . import runs
from .runs import RUNS
from .settings import LAST, SEQUENCES, SNAPSHOTS

HEIGHT = 120  # px of a chart among several
LEAST = 1e-4  # of a loss that is drawn
BEFORE = tuple((row, row - 1) for row in range(1, 4))  # cells of a previous-token head in the first half


def tokens_of(page: Page) -> Tensor:
    """The test sequence in the picture (8,)."""
    return held_out()[page.own.two_sequence]


def words(tokens: Tensor | Sequence[int]) -> list[str]:
    return [LETTERS[int(token)] for token in tokens]


def choose(page: Page) -> None:
    """The test sequence in the picture, and the seed of the run."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choose_sequence(page)
        _choose_seed(page)


def _choose_sequence(page: Page) -> None:
    look: dict[str, Any] = {
        "format_func": lambda i: " ".join(words(held_out()[i])),
        "help": page.t("help.two_sequence"),
        "width": 190,
    }
    st.selectbox(page.t("setting.two_sequence"), range(SEQUENCES), **look, **session.bind("two_sequence"))


def _choose_seed(page: Page) -> None:
    bound = session.bind("two_seed", page.own.two_seed, _set_seed)
    st.number_input(
        page.t("setting.two_seed"), 0, 9999, step=1, help=page.t("help.two_seed"), width=130, **bound
    )


def _set_seed(seed: object) -> None:
    """Another seed: what was trained from the former one is no longer asked for."""
    session.set_own(two_seed=seed, one_ran=False, two_ran=False, two_step=LAST)


def draw_examples(page: Page) -> None:
    """Five test sequences with the answers of their asked tokens."""
    sequences = held_out()[:SEQUENCES]
    rows = counted(SEQUENCES)
    answers = [["·"] * LENGTH for _ in rows]
    for line, right in zip(answers, answers_of(sequences).tolist(), strict=True):
        for place, answer in zip(ASKED, right, strict=True):
            line[place] = LETTERS[answer]
    text: dict[str, Any] = {"rows": rows, "cols": counted(LENGTH), "kind": "text"}
    matrices = [
        Matrix("examples", page.t("scene.examples"), values=[words(each) for each in sequences], **text),
        Matrix("answers", page.t("scene.answers"), values=answers, **text),
    ]
    placing.draw(page, "examples", matrices, [Flow(["examples", Arrow(""), "answers"])])


# ---- a run


def train_run(
    page: Page, text: str, field: str, wanted: Sequence[TwoLayersOptions], kind: Runs = RUNS
) -> None:
    """The button that trains, or the button that stops. A new run shows its last step.

    field: says that the visitor has asked for it.
    """
    start = page.t(text), page.t("train.start_help")
    kind.buttons(page, start, wanted, {field: True, "two_step": LAST}, {field: False})


def shown_step(
    page: Page, options: TwoLayersOptions, snapshots: Sequence[TwoLayersSnapshot]
) -> tuple[TwoLayersSnapshot, bool]:
    """The step in the picture, and whether another one can be chosen: a run at work shows its last step."""
    job = RUNS.job(options)
    if not snapshots:
        return runs.start(options), False
    still = job is None or job.ended
    return (at(snapshots, page.own.two_step) if still else snapshots[-1]), still


def step_slider(page: Page, snapshot: TwoLayersSnapshot) -> Matrix:
    """The step that is shown, among the kept steps of a run."""
    slider = inputs.slider(page, "two_step").to_edit(high=LAST, step=LAST // SNAPSHOTS)
    return slider.having(title=page.t("train.shown", most=LAST), values=[[snapshot.step]])


# ---- the picture of a run


@functools.cache
def hidden() -> list[tuple[int, int]]:
    """The cells that the causal mask masks."""
    return list(steps.hidden(causal_mask(LENGTH)) or ())


def weights(
    page: Page, layer: int, trace: StreamTrace, tokens: Tensor, ringed: Sequence[tuple[int, int]]
) -> Matrix:
    """A of a layer for one sequence (8,)."""
    head, names = trace.layers[layer - 1].heads.head(0), list(distinct(tuple(words(tokens))))
    look: dict[str, Any] = {"kind": "weights", "masked": hidden(), "query_rows": True, "ringed": ringed}
    look |= {"recipe": picture.softmax_of(head.masked_scores.tolist())} | page.axes
    title = "A" if len(trace.layers) == 1 else f"A_{layer}"
    return matrix.of(f"weights_{layer}", title, head.weights, names, names, **look)


def answer_cells(tokens: Tensor) -> list[tuple[int, int]]:
    """The cells of A with the letter that each asked token has to answer."""
    return list(zip(ASKED, sources_of(tokens).tolist(), strict=True))


def probabilities(page: Page, trace: StreamTrace, tokens: Tensor) -> Matrix:
    """The probability of each letter at the three places that answer; the right letters are ringed."""
    logits, names = trace.logits[list(ASKED)], distinct(tuple(words(tokens)))
    look: dict[str, Any] = {"kind": "weights", "recipe": picture.softmax_of(logits.tolist())}
    look |= {"ringed": list(enumerate(answers_of(tokens).tolist())), "row_axis": page.axes["row_axis"]}
    look |= {"col_axis": page.t("axis.letter")}
    rows = [names[place] for place in ASKED]
    return matrix.of("probabilities", page.t("scene.next"), logits.softmax(-1), rows, list(LETTERS), **look)


def draw_run(
    page: Page, name: str, trace: StreamTrace, more: Sequence[Matrix] = (), *, rings: bool = True
) -> None:
    """A of each layer and what is answered, for the sequence in the picture.

    rings: of a previous-token head in the first half, and of an induction head.
    """
    tokens = tokens_of(page)
    ringed = [BEFORE, answer_cells(tokens)][-len(trace.layers) :] if rings else [(), ()]
    layers = range(1, len(trace.layers) + 1)
    matrices = [weights(page, layer, trace, tokens, ringed[layer - 1]) for layer in layers]
    matrices.append(probabilities(page, trace, tokens))
    bands = [Flow([each.id for each in matrices]), *(Flow([each.id]) for each in more)]
    placing.draw(page, name, [*matrices, *more], bands)


# ---- the curves of a run


def curves(
    page: Page,
    snapshots: Sequence[TwoLayersSnapshot],
    shown: TwoLayersSnapshot,
    names: Sequence[str],
    *,
    stacked: bool = True,
) -> list[Chart]:
    """Loss, accuracy and scores of the heads by step, with a rule at the shown step.

    stacked: the charts are above one another and share the axis of the steps.
    """
    t, result = page.t, []
    across = [snapshot.step for snapshot in snapshots]
    for name in names:
        fields = ("previous", "induction") if name == "scores" else (name,)
        series = [[getattr(snapshot, field) for snapshot in snapshots] for field in fields]
        up = Axis(t(f"axis.{name}"), (0, 1.05))
        if name == "loss":
            low, high = log_reach([max(value, LEAST) for value in series[0]])
            up = Axis(t("axis.loss"), (min(low, high / 1000), high), log=True)
        last = name == names[-1] or not stacked
        below = Axis(t("axis.step") if last else "", (0, LAST), label="" if last else "''", whole=True)
        legend = [t(f"series.{field}") for field in fields] if len(fields) > 1 else []
        plot = Plot(below, up, legend, height=HEIGHT)
        for number, values in enumerate(series):
            plot.curve("line", across, [max(value, LEAST) for value in values], number)
        plot.mark("cursor", shown.step)
        for number, field in enumerate(fields):
            value = max(getattr(shown, field), LEAST)
            said = apart(value) if field == "loss" else f"{value:.1%}"
            plot.mark("dot", shown.step, value, number, sentence=said)
        result.append(plot.chart())
    return result


def file(page: Page, snapshots: Sequence[TwoLayersSnapshot]) -> plots.Columns:
    names = ("step", "loss", "accuracy", "previous", "induction")
    return {page.t(f"column.{name}"): [getattr(each, name) for each in snapshots] for name in names}


def at_step(page: Page, snapshot: TwoLayersSnapshot) -> dict[str, object]:
    """What a sentence says of a step."""
    shares = {name: f"{getattr(snapshot, name):.1%}" for name in ("accuracy", "previous", "induction")}
    return {"step": snapshot.step, "loss": apart(snapshot.loss)} | shares


def split(snapshot: TwoLayersSnapshot) -> dict[str, str]:
    """The induction score of layer 2 where the answer follows its letter, and where it is the first one."""
    tokens = held_out()
    weights = trace_at(snapshot, tokens).layers[-1].heads.weights[:, 0]
    ways = {"follows": False, "first": True}
    return {name: f"{induction_score(weights, tokens, wrapped=way):.1%}" for name, way in ways.items()}


def trace_at(snapshot: TwoLayersSnapshot, tokens: Tensor, cut: Sequence[str] = ()) -> StreamTrace:
    """The model at a step, on sequences (..., 8)."""
    with torch.no_grad():
        return trace_of(snapshot.matrices, tokens, cut)
