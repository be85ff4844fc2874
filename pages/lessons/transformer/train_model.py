"""Train the model: the loss by step, any step again, random and trained side by side."""

from dataclasses import replace
from typing import Any

import streamlit as st
import torch

from attention.lab.transformer import ModelSnapshot, best_loss, model_trace
from pages import picture, session
from pages.ask import blocks, long_work
from pages.ask.runs import at, stop
from pages.draw import inputs, matrix, placing, plots, say
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import apart
from pages.draw.page import Page, distinct
from pages.draw.texts import quoted
from pages.picture import Flow, Matrix

from . import runs, scene, the_model
from .runs import RUNS
from .settings import LENGTH, SNAPSHOTS, STEPS

DIGITS = 2  # of the numbers that the learner takes along
HEIGHT = 190


def draw(page: Page) -> blocks.Blocks:
    """The question; then the run."""
    options = scene.options_of(page.own)
    yield blocks.aside(_sentences)
    yield blocks.ask("model_guess", matrices=_before)
    yield blocks.run(_show, RUNS, options, asked=page.own.model_ran)
    if not RUNS.goes_on(options, asked=page.own.model_ran):
        yield blocks.aside(_matrices)


def _sentences(page: Page) -> None:
    known = page.t.all_of(quoted(scene.sentences(page).values()))
    say.markdown(page.t("train_model.sentences", sentences=known))


def _before(page: Page) -> list[Matrix]:
    """The predictions before the training."""
    start = runs.start(scene.options_of(page.own))
    return [predictions(page, start, "start", page.t("train_model.random"))]


def _show(page: Page) -> None:
    """The buttons; the loss next to the predictions before the training and at a step."""
    _buttons(page)
    snapshots, snapshot = of_run(page)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        plots.draw(
            page, "model_training", [_chart(page, snapshots, snapshot)], _file(page, snapshots), heading=False
        )
    with right:
        say.result(_sentence(page, snapshot))
        step = replace(inputs.slider(page, "model_step"), values=[[snapshot.step]])
        slider = (
            [step.to_edit(high=STEPS, step=STEPS // SNAPSHOTS)] if len(snapshots) == SNAPSHOTS + 1 else []
        )
        title = page.t("train_model.at", step=snapshot.step)
        both = [*_before(page), predictions(page, snapshot, "step", title)]
        bands = [Flow([entry.id]) for entry in (*slider, *both)]
        placing.draw(page, "predictions", [*slider, *both], bands)


# ---- the run


def of_run(page: Page) -> tuple[tuple[ModelSnapshot, ...], ModelSnapshot]:
    """The run so far, and the step that is shown: of a run at work, the last one."""
    options = scene.options_of(page.own)
    snapshots = RUNS.so_far(options, asked=page.own.model_ran) or (runs.start(options),)
    whole = len(snapshots) == SNAPSHOTS + 1
    return snapshots, at(snapshots, page.own.model_step) if whole else snapshots[-1]


def _buttons(page: Page) -> None:
    """Train, or stop; the options; and the numbers of the step that is shown, to keep."""
    t, own, options = page.t, page.own, scene.options_of(page.own)
    job = RUNS.job(options)
    with st.container(horizontal=True, vertical_alignment="center", key="training"):
        if job is not None and not job.ended:
            look: dict[str, Any] = {"on_click": stop, "args": (job, {"model_ran": False})}
            st.button(t("training.stop"), key="stop-model_ran", help=t("training.stop_help"), **look)
            long_work.show(page, job)
            return
        # A new run shows its last step.
        look = {"on_click": RUNS.restart, "args": ({"model_ran": True, "model_step": STEPS},)}
        look |= {"type": "primary", "disabled": own.model_ran and bool(RUNS.finished(options))}
        st.button(t("train_model.start"), key="start-model_ran", help=t("train_model.start_help"), **look)
        box = session.popover(t("train_model.options"), "model_options", keep=True)
        if box is not None:
            with box:
                page.number("model_seed", where="_page")
                the_model.switches(page)
        _, snapshot = of_run(page)
        look = {"help": t("train_model.take_help"), "on_click": _take, "args": (page, snapshot)}
        st.button(t("train_model.take"), key="take_numbers", **look)
    long_work.explain(page, job, t("training.failed"))


def _take(page: Page, snapshot: ModelSnapshot) -> None:
    """The numbers of the step become the learner's own, and the whole model shows them."""
    rounded = tuple(round(number, DIGITS) + 0.0 for number in scene.numbers_of(snapshot.matrices))
    session.set_own(changed=rounded)
    page.go(part="the_model")


# ---- what is shown


def predictions(page: Page, snapshot: ModelSnapshot, name: str, title: str) -> Matrix:
    """The probabilities of the next word in each row of the sentence."""
    own = page.own
    trace = model_trace(snapshot.matrices, torch.tensor(own.words), scene.options_of(own))
    rows = distinct(tuple(scene.word(page, number) for number in own.words))
    names = [scene.word(page, number) for number in range(trace.logits.shape[-1])]
    recipe = picture.softmax_of(trace.logits.tolist())
    look: dict[str, Any] = {"kind": "weights", "recipe": recipe, "alt": title}
    return matrix.of(f"probabilities_{name}", title, trace.probabilities, rows, names, **look)


def _sentence(page: Page, snapshot: ModelSnapshot) -> str:
    facts = {"step": snapshot.step, "loss": apart(snapshot.loss), "right": f"{snapshot.right:.0%}"}
    return page.t("train_model.reading", **facts, best=apart(best_loss()))


def _chart(page: Page, snapshots: tuple[ModelSnapshot, ...], snapshot: ModelSnapshot) -> Chart:
    """The loss by step, and the least loss with and without a look at the first word."""
    t = page.t
    losses = [each.loss for each in snapshots]
    top = max(1.0, *losses) * 1.05
    least = {name: best_loss(seen) for name, seen in (("best", LENGTH), ("blind", 1))}
    names = [t("axis.loss"), *(t(f"train_model.{name}", loss=apart(value)) for name, value in least.items())]
    plot = Plot(
        Axis(t("axis.step"), (0, STEPS), whole=True), Axis(t("axis.loss"), (0, top)), names, height=HEIGHT
    )
    plot.curve("line", [each.step for each in snapshots], losses, 0)
    for number, value in enumerate(least.values(), start=1):
        plot.curve("dashed", (0, STEPS), (value, value), number)
    plot.mark("cursor", snapshot.step)
    plot.mark("dot", snapshot.step, snapshot.loss, sentence=apart(snapshot.loss))
    return plot.chart()


def _file(page: Page, snapshots: tuple[ModelSnapshot, ...]) -> dict[str, list]:
    names = ("step", "loss", "right")
    return {page.t(f"column.{name}"): [getattr(each, name) for each in snapshots] for name in names}


def _matrices(page: Page) -> None:
    """Every matrix of the step, to read."""
    box = session.expander(page.t("train_model.every"), "every_matrix", type="compact")
    if box is None:
        return
    with box:
        _, snapshot = of_run(page)
        own = replace(page.own, stage="all")
        trace = model_trace(snapshot.matrices, torch.tensor(own.words), scene.options_of(own))
        if own.blocks > 1:
            page.choose("block", range(1, own.blocks + 1), str, value=scene.standing(own).block)
        model = scene.ModelPicture(page, own, snapshot.matrices, trace, editable=False)
        matrices, bands = model.shown()
        plain = [replace(entry, step_name=None) for entry in matrices]
        placing.draw(page, "every", plain, bands, sources=[model.find])
