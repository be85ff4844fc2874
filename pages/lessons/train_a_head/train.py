"""Predict, train, and go back over the run: picture, loss and gradient norms at any of its steps."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention.lab.training import Options, Snapshot
from pages import session
from pages.ask import links, long_work
from pages.ask.long_work import Job
from pages.draw import choices, figure, inputs, plots, say
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.draw.picture import Flow, Matrix
from pages.model.view import Place

from . import patterns, reading, runs, scene
from .settings import KEPT, LAST, SEQUENCES, STUCK, Own
from .settings import TASKS as NAMES

HEIGHT = 75  # px of a chart above the picture
LOSS, NORMS = (1e-6, 10.0), (1e-6, 10.0)
SWITCHES = ("heads_other", "positions_other", "causal_other")


def draw(page: Page) -> None:
    """The task; the question; then the run."""
    options = scene.options_of(page.own)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose_task(page)
        controls(page)
    if not patterns.ask(page):
        return
    if page.own.ran:
        runs.begin(options)
    button = functools.partial(training, page, "train.start", (options,), ran=True)
    if not long_work.watch(runs.of_visit(options), functools.partial(_at_work, page, options, button)):
        button()
        _show(page, options)
        _end(page, options)
        st.caption(reading.terms(page, options))


# ---- what is trained


def choose_task(page: Page) -> None:
    """The task, and the sequence in the picture."""
    t, task = page.t, page.own.task
    look: dict[str, Any] = {
        "format_func": lambda name: t(f"task.{name}"),
        "help": t("help.task"),
        "width": 220,
    }
    st.selectbox(t("setting.task"), NAMES, **look, **session.bind("task", task, _set_task))
    look = {"format_func": lambda i: " ".join(scene.sequences(task)[i]), "width": 170}
    about: dict[str, Any] = {"help": t("help.sequence")} | session.bind("sequence")
    st.selectbox(t("setting.sequence"), range(SEQUENCES), **look, **about)


def _set_task(name: object) -> None:
    """Another task, with its own options."""
    session.set_own(
        task=name, train_step=LAST, **dict.fromkeys([*SWITCHES, "unscaled", "ran", "paired"], False)
    )


def controls(page: Page) -> None:
    """Seed and options, one click away. A change of any of them waits for the button that trains."""
    t, own, options = page.t, page.own, scene.options_of(page.own)
    task, seed, accuracy = STUCK
    about = t("train.options_help", task=t(f"task.{task}"), seed=seed, accuracy=f"{accuracy:.0%}")
    with st.popover(t("train.options"), key="train_options", help=about):
        bound = session.bind("train_seed", own.train_seed, lambda seed: changed(train_seed=seed))
        st.number_input(t("setting.train_seed"), 0, 9999, step=1, help=t("help.train_seed"), **bound)
        _switch(page, "heads_other", options.num_heads == 2, options.of.heads == 2)
        _switch(page, "positions_other", options.positions, options.of.positions)
        _switch(page, "causal_other", options.causal, options.of.causal)
        _switch(page, "unscaled", options.scaling, True)


def changed(**fields: Any) -> None:
    """Other options: what was trained with the former ones is no longer asked for."""
    session.set_own(**fields, ran=False, paired=False)


def _switch(page: Page, field: str, on: bool, by_task: bool) -> None:
    """An option; the field says that it is not as the task has it."""
    bound = session.bind(field, on, lambda on: changed(**{field: bool(on) != by_task}))
    st.toggle(page.t(f"setting.{field}"), help=page.t(f"help.{field}"), **bound)


# ---- while it is trained


def training(page: Page, text: str, wanted: Sequence[Options], **fields: bool) -> None:
    """The button that trains, or the button that stops, and how far the training is. text: of the button."""
    t, job = page.t, runs.of_visit(*wanted)
    with st.container(horizontal=True, vertical_alignment="center", key="training"):
        if job is not None and not job.ended:
            look: dict[str, Any] = {"help": t("train.stop_help"), "on_click": _stop, "args": (job,)}
            st.button(t("train.stop"), key="stop_training", **look)
            long_work.show(page, job)
            return
        asked = all(getattr(page.own, name) for name in fields)
        parts = [1.0 if asked and runs.done(one) else len(runs.own(one)) / (KEPT + 1) for one in wanted]
        share = sum(parts) / len(parts)
        begin = functools.partial(_begin, fields)
        look = {"help": t("train.start_help"), "type": "primary", "disabled": share == 1}
        st.button(t(text), key="train_start", on_click=begin, **look)
        st.progress(share, t("train.trained", share=f"{share:.0%}"))
    if job is not None and job.error is not None:
        st.warning(t("train.failed"))


def _begin(fields: dict[str, bool]) -> None:
    """Starts the runs, also runs that were stopped or have failed. A new run shows its last step."""
    runs.forget()
    session.set_own(**fields, train_step=LAST)


def _stop(job: Job) -> None:
    long_work.stop(job)
    session.set_own(ran=False, paired=False)


# ---- the run


def trained(own: Own, options: Options) -> tuple[Snapshot, ...]:
    """The run as far as the visitor has asked for it: all of it, or up to where it was stopped."""
    return runs.found(options) if own.ran or runs.of_visit(options) is not None else ()


def _at_work(page: Page, options: Options, button: Callable[[], None]) -> None:
    button()
    _show(page, options)


def _show(page: Page, options: Options) -> None:
    """The way of loss, accuracy and gradients, and the picture of a step: the last one of a run at work."""
    snapshots, run = trained(page.own, options), runs.of_visit(options)
    still = bool(snapshots) and (run is None or run.ended)
    shown = shown_of(page, options, snapshots, at_work=not still)
    slider = [step_slider(page, options, shown)] if still else []
    say.sentence(at_step(page, options, shown))
    way = snapshots or (shown,)
    plots.draw(page, "training", charts(page, options, way, shown), file(page, way), heading=False)
    now = page.unfollowed(scene.settings_of(shown.matrices, options, scene.chosen(page.own)))
    matrices, layout = scene.pictured(now, options.of)
    above = [Flow([one.id for one in slider])] if slider else []
    figure.draw(now, "run", [*slider, *matrices], [*above, *layout], on_pick=choices.choose_head, fit=True)


def shown_of(page: Page, options: Options, snapshots: Sequence[Snapshot], *, at_work: bool) -> Snapshot:
    """The step in the picture."""
    if not snapshots:
        return runs.start(options)
    return snapshots[-1] if at_work else runs.at(snapshots, page.own.train_step)


def _end(page: Page, options: Options) -> None:
    """What is said of a run, and the ways on."""
    snapshots = trained(page.own, options)
    if snapshots:
        shown = runs.at(snapshots, page.own.train_step)
        for line in reading.lines(page, options, snapshots, shown):
            say.sentence(line)
        open_it(page, options, shown)


def step_slider(page: Page, options: Options, shown: Snapshot) -> Matrix:
    """The step that is shown, among the kept steps of a run: a slider in steps of training."""
    title = page.t("train.shown", most=options.steps)
    look: dict[str, Any] = {"high": options.steps, "step": options.steps // KEPT, "values": [[shown.step]]}
    return replace(inputs.slider(page, "train_step"), title=title, **look)


def at_step(page: Page, options: Options, shown: Snapshot) -> str:
    """Loss, accuracy and gradient norms of a step."""
    norms = [f"{inputs.SYMBOLS[name]} {apart(norm)}" for name, norm in shown.gradient_norms.items()]
    facts = {
        "step": shown.step,
        "most": options.steps,
        "loss": apart(shown.loss),
        "accuracy": f"{shown.accuracy:.1%}",
    }
    return page.t("train.step", **facts, norms=page.t.listed(norms))


def charts(page: Page, options: Options, snapshots: tuple[Snapshot, ...], shown: Snapshot) -> list[Chart]:
    """Loss, accuracy on test sequences, and the norms of the gradients; a rule at the shown step."""
    t, steps = page.t, [one.step for one in snapshots]
    across = Axis(t("axis.step"), (0, options.steps), whole=True)
    loss = Plot(across, Axis(t("axis.loss"), LOSS, log=True), height=HEIGHT)
    loss.curve("line", steps, [max(one.loss, LOSS[0]) for one in snapshots])
    right = Plot(across, Axis(t("axis.accuracy"), (0, 1.02)), height=HEIGHT)
    right.curve("line", steps, [one.accuracy for one in snapshots])
    names = list(snapshots[0].gradient_norms)
    norms = Plot(
        across,
        Axis(t("axis.norm"), NORMS, log=True),
        [f"W_{name[-1].upper()}" for name in names],
        height=HEIGHT,
    )
    for series, name in enumerate(names):
        norms.curve("line", steps, [max(one.gradient_norms[name], NORMS[0]) for one in snapshots], series)
    for plot in (loss, right, norms):
        plot.mark("rule", shown.step)
    return [plot.chart() for plot in (loss, right, norms)]


def file(page: Page, snapshots: tuple[Snapshot, ...]) -> dict[str, list]:
    columns = {name: [getattr(one, name) for one in snapshots] for name in ("step", "loss", "accuracy")}
    for name in snapshots[0].gradient_norms:
        columns[f"norm_{name[-1]}"] = [one.gradient_norms[name] for one in snapshots]
    return {page.t(f"column.{name}"): values for name, values in columns.items()}


def open_it(page: Page, options: Options, shown: Snapshot) -> None:
    """The shown step in a lesson that does more with such numbers."""
    lesson = "one_head" if options.num_heads == 1 else "many_heads"
    now = scene.settings_of(shown.matrices, options, scene.chosen(page.own))
    links.to_lesson(lesson, page.t(f"train.open_{lesson}"), Place(), now)
