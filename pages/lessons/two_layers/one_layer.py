"""One layer with one head is trained on the task and stops far from its end; why, and how far it can get."""

from typing import Any

import streamlit as st
import torch

from attention.lab.two_layers import (
    HALF,
    LETTERS,
    TwoLayersOptions,
    TwoLayersSnapshot,
    every,
    four_sequences,
    one_layer_limit,
    trace_of,
)
from pages.ask import blocks
from pages.draw import placing, plots, say
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.picture import Matrix

from . import scene
from .runs import RUNS

QUESTION = "two_one_layer"


def draw(page: Page) -> blocks.Blocks:
    """The question; then the run, and the reason."""
    options = options_of(page)
    yield blocks.ask(QUESTION, scene.draw_examples)
    yield blocks.control(scene.choose)
    yield blocks.run(_show, RUNS, options, asked=page.own.one_ran)
    if not RUNS.goes_on(options, asked=page.own.one_ran):
        yield blocks.work(_why)


def options_of(page: Page) -> TwoLayersOptions:
    return TwoLayersOptions(1, page.own.two_seed)


def shown(page: Page) -> tuple[TwoLayersSnapshot, bool]:
    options = options_of(page)
    return scene.shown_step(page, options, RUNS.so_far(options, asked=page.own.one_ran))


def _show(page: Page) -> None:
    """A and the probabilities at a step, next to the way of loss and accuracy."""
    options = options_of(page)
    snapshots = RUNS.so_far(options, asked=page.own.one_ran)
    snapshot, still = shown(page)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        scene.train_run(page, "one.start", "one_ran", (options,))
        trace = scene.trace_at(snapshot, scene.tokens_of(page))
        slider = [scene.step_slider(page, snapshot)] if still else []
        scene.draw_run(page, "one", trace, slider, rings=False)
    with right:
        way = snapshots or (snapshot,)
        drawn = scene.curves(page, way, snapshot, ("loss", "accuracy"))
        result = page.t("one.at", **scene.at_step(page, snapshot))
        look: dict[str, Any] = {"heading": False, "stacked": True, "result": result}
        plots.draw(page, "one_layer", drawn, scene.file(page, way), **look)


# ---- why


def _why(page: Page) -> None:
    """Four sequences that no single head can all answer, what this one answers, and the limit."""
    t, (snapshot, _) = page.t, shown(page)
    matrices, letters = four(page, snapshot)
    with blocks.for_readers("why"):
        say.markdown(t("one.why"))
        say.markdown(t("one.four", y=letters[0], z=letters[1]))
    placing.draw(page, "four", matrices)
    limit, places = one_layer_limit(), [f"{share:.1%}" for share in one_layer_limit().places]
    facts = {"first": places[0], "second": places[1], "most": f"{limit.accuracy:.1%}"}
    say.sentence(t("one.limit", count=f"{len(every()):,}", **facts))
    with blocks.for_readers("heads"):
        say.caption(t("one.heads"))


def four(page: Page, snapshot: TwoLayersSnapshot) -> tuple[list[Matrix], list[str]]:
    """The four sequences, the right answers and those of the model; and the two letters."""
    first, second = four_sequences()
    visible = [*first, *second]
    following = {tuple(sequence[: HALF + 1]): LETTERS[sequence[HALF + 1]] for sequence in every().tolist()}
    right = [following[sequence] for sequence in visible]
    with torch.no_grad():
        logits = trace_of(snapshot.matrices, torch.tensor(visible)).logits[:, HALF]
    answers = [LETTERS[answer] for answer in logits.argmax(-1).tolist()]
    rows, text = counted(len(visible)), "text"
    wrong = [(row, 0) for row, answer in enumerate(answers) if answer != right[row]]
    sequences = [scene.words(sequence) for sequence in visible]
    return [
        Matrix("four", page.t("one.sequences"), rows, counted(HALF + 1), sequences, text),
        Matrix("four_right", page.t("scene.answers"), rows, [""], [[each] for each in right], text),
        Matrix(
            "four_model",
            page.t("one.model", step=snapshot.step),
            rows,
            [""],
            [[each] for each in answers],
            text,
        ).looking(ringed=wrong, subtitle=page.t("one.ringed")),
    ], [right[0], right[-1]]
