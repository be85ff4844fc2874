"""Predict, train, and go back over the run: A, the answers and the loss at any of its steps."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention.lab.training import Options, Snapshot, chance, distance_from_pattern
from pages import session
from pages.ask import blocks
from pages.ask.runs import at
from pages.draw import inputs, placing, plots, say
from pages.draw.charts import Axis, Chart, Plot, log_reach
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.model.progress import Takeaway
from pages.model.shown import shown
from pages.picture import Matrix

from . import patterns, runs, scene
from .runs import RUNS
from .settings import LAST, SEQUENCES, SNAPSHOTS, STUCK, TrainingNumbers
from .settings import TASKS as NAMES

HEIGHT, TALL = 96, 170  # px of a chart next to the picture: of one among several, and of one alone
MARGIN = "W_Q"  # as much room right of each chart, so that one step is at one place in all three
LEAST, MOST = 1e-6, 1e6  # of a loss or a norm that is drawn
HALF = 0.5  # of the weight: what the task asks for
SWITCHES = ("heads_other", "positions_other", "causal_other")


def draw(page: Page) -> blocks.Blocks:
    """The question; then the run. Other tasks are one click away, and have their own question."""
    yield blocks.asking(patterns.QUESTION, patterns.ask)
    yield blocks.text("train.how")
    if scene.options_of(page.own).positions:
        yield blocks.text("train.placed")
    yield blocks.work(_run)
    # In the page, not over it: below the picture a list that lies over the page has no room.
    others = [blocks.control(choose_task), blocks.control(options_of_run)]
    yield blocks.always(blocks.expander("train.others", others, type="compact"))


def _run(page: Page) -> None:
    options = scene.options_of(page.own)
    begin = functools.partial(training, page, "train.start", (options,), "ran")
    RUNS.draw(functools.partial(_show, page, options, begin), options, asked=page.own.ran)


# ---- as a stop of the hour


def task(page: Page) -> bool:
    """A run to its end, and a step before it at which the pattern has less than half of the weight."""
    options = scene.options_of(page.own)
    run = RUNS.finished(options) if page.own.ran else ()
    if not run or page.own.train_step >= options.steps:
        return False
    share = share_of(options, at(run, page.own.train_step))
    return share is not None and shown(share, 3) < HALF  # a percentage with one decimal


def keep(page: Page) -> Takeaway:
    options = scene.options_of(page.own)
    run = RUNS.finished(options) if page.own.ran else ()
    if not run:
        return Takeaway({"first": apart(runs.start(options).loss)}, "keep_open")
    first, last = run[0], run[-1]
    losses = {"first": apart(first.loss), "last": apart(last.loss)}
    before, after = share_of(options, first), share_of(options, last)
    if before is None or after is None:
        return Takeaway(losses, "keep_loss")
    return Takeaway({**losses, "before": f"{before:.1%}", "after": f"{after:.1%}"})


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
        task=name, train_step=LAST, **dict.fromkeys([*SWITCHES, "unscaled", "ran", "paired"], False), hand=()
    )


def controls(page: Page) -> None:
    """Seed and options, one click away. A change of any of them waits for the button that trains."""
    t, (task, seed, accuracy) = page.t, STUCK
    about = t("train.options_help", task=t(f"task.{task}"), seed=seed, accuracy=f"{accuracy:.0%}")
    popover = session.popover(t("train.options"), "train_options", keep=True, help=about)
    if popover is not None:
        with popover:
            options_of_run(page)


def options_of_run(page: Page) -> None:
    """The seed and the switches."""
    t, own, options = page.t, page.own, scene.options_of(page.own)
    bound = session.bind("train_seed", own.train_seed, lambda seed: change_options(train_seed=seed))
    st.number_input(t("setting.train_seed"), 0, 9999, step=1, help=t("help.train_seed"), **bound)
    _switch(page, "heads_other", options.num_heads == 2, options.of.heads == 2)
    _switch(page, "positions_other", options.positions, options.of.positions)
    _switch(page, "causal_other", options.causal, options.of.causal)
    _switch(page, "unscaled", options.scaling, True)


def change_options(**fields: Any) -> None:
    """Other options: what was trained with the former ones is no longer asked for."""
    session.set_own(**fields, ran=False, paired=False, hand=())


def _switch(page: Page, field: str, on: bool, by_task: bool) -> None:
    """An option; the field says that it is not as the task has it."""
    bound = session.bind(field, on, lambda on: change_options(**{field: bool(on) != by_task}))
    page.toggle(field, bound)


# ---- while it is trained


def training(page: Page, text: str, wanted: Sequence[Options], *asked: str) -> None:
    """The button that trains, or the button that stops. A new run shows its last step. text: of the first."""
    begun: dict[str, Any] = dict.fromkeys(asked, True) | {"train_step": LAST}
    start = page.t(text), page.t("train.start_help")
    RUNS.buttons(page, start, wanted, begun, {"ran": False, "paired": False})


# ---- the run


def run_of(own: TrainingNumbers, options: Options) -> tuple[Snapshot, ...]:
    """The run as far as the visitor has asked for it: all of it, or up to where it was stopped."""
    return RUNS.so_far(options, asked=own.ran)


def of_run(page: Page, options: Options) -> tuple[tuple[Snapshot, ...], Snapshot, bool]:
    """The run so far, the step in the picture, and whether another one can be chosen."""
    snapshots, job = run_of(page.own, options), RUNS.job(options)
    still = bool(snapshots) and (job is None or job.ended)
    return snapshots, snapshot_of(page, options, snapshots, at_work=not still), still


def _show(page: Page, options: Options, begin: Callable[[], None]) -> None:
    """The step, and below it A and the answers; next to them the way of the loss.

    On a phone all but the loss is on one screen. A run at work shows its last step.
    """
    snapshots, snapshot, still = of_run(page, options)
    left, right = st.columns([3, 2], gap="medium")
    trained = page.unfollowed(scene.settings_of(snapshot.matrices, options, scene.sequence_of(page.own)))
    ringed = patterns.right_cells(page)
    with left:
        begin()
        if still:
            placing.draw(page, "step", [step_slider(page, options, snapshot)])
        scene.draw(trained, "run", options.of, fit=False, alone=True, right=ringed)
    with right, st.container(key="curves"):
        with st.container(key="loss_now"):
            say.sentence(_at(page, options, snapshot))
        drawn = charts(page, options, snapshots, snapshot, ("loss",))
        numbers = file(page, snapshots or (snapshot,))
        plots.draw(page, "training", drawn, numbers, heading=False)
        if ringed:
            with blocks.for_readers("rings"):
                say.caption(page.t("train.rings"))


def _at(page: Page, options: Options, snapshot: Snapshot) -> str:
    """The loss of a step, and how much of the weight is in the pattern that solves the task."""
    share = share_of(options, snapshot)
    facts = {"step": snapshot.step, "loss": apart(snapshot.loss), "accuracy": f"{snapshot.accuracy:.1%}"}
    line = page.t("train.at", **facts)
    return line if share is None else page.t.joined([line, page.t("train.share", share=f"{share:.1%}")])


def share_of(options: Options, snapshot: Snapshot) -> float | None:
    """How much of the weight is in the pattern that solves the task; None for too few or too many heads."""
    distance = runs.measure_of(distance_from_pattern, options, snapshot)
    return None if math.isnan(distance) else 1 - distance


def snapshot_of(page: Page, options: Options, snapshots: Sequence[Snapshot], *, at_work: bool) -> Snapshot:
    """The step in the picture."""
    if not snapshots:
        return runs.start(options)
    return snapshots[-1] if at_work else at(snapshots, page.own.train_step)


def step_slider(page: Page, options: Options, snapshot: Snapshot) -> Matrix:
    """The step that is shown, among the kept steps of a run: a slider in steps of training."""
    title = page.t("train.shown", most=options.steps)
    slider = replace(inputs.slider(page, "train_step"), title=title, values=[[snapshot.step]])
    return slider.to_edit(high=options.steps, step=options.steps // SNAPSHOTS)


def at_step(page: Page, options: Options, snapshot: Snapshot) -> str:
    """Loss, accuracy and gradient norms of a step."""
    norms = [f"{inputs.SYMBOLS[name]} {apart(norm)}" for name, norm in snapshot.gradient_norms.items()]
    facts = {
        "step": snapshot.step,
        "most": options.steps,
        "loss": apart(snapshot.loss),
        "accuracy": f"{snapshot.accuracy:.1%}",
    }
    return page.t("train.step", **facts, norms=page.t.listed(norms))


CHARTS = ("loss", "accuracy", "norm")


def charts(
    page: Page,
    options: Options,
    snapshots: tuple[Snapshot, ...],
    snapshot: Snapshot,
    names: Sequence[str] = CHARTS,
) -> list[Chart]:
    """Loss, accuracy on test sequences, and the norms of the gradients; a rule at the shown step.

    Before the training there are the start, and the accuracy of always giving the same answer.
    """
    t, way = page.t, snapshots or (snapshot,)
    steps, norms = [snapshot.step for snapshot in way], list(snapshot.gradient_norms)
    lines = {
        "loss": [[snapshot.loss for snapshot in way]],
        "accuracy": [[snapshot.accuracy for snapshot in way]],
    }
    lines["norm"] = [[snapshot.gradient_norms[name] for snapshot in way] for name in norms]
    sentences = {"loss": apart(snapshot.loss), "accuracy": f"{snapshot.accuracy:.1%}"}
    result = []
    for name in names:
        series, title, last = lines[name], t(f"axis.{name}"), name == names[-1]
        up = Axis(title, (0, 1.05)) if name == "accuracy" else log_axis(title, series)
        # One name and one row of numbers for all three.
        below, label = (t("axis.step"), "") if last else ("", "''")
        across = Axis(below, (0, options.steps), label=label, whole=True)
        legend = [f"W_{norm[-1].upper()}" for norm in norms] if name == "norm" else []
        plot = Plot(across, up, legend, height=HEIGHT if len(names) > 1 else TALL)
        if name == "accuracy":
            share = chance(options)
            plot.curve("dashed", (0, options.steps), (share, share))
            plot.mark("label", 0.3 * options.steps, share, text=t("train.chance", share=f"{share:.1%}"))
        for number, values in enumerate(series):
            plot.curve("line", steps, [max(value, LEAST) for value in values], number)
        plot.mark("cursor", snapshot.step)
        plot.mark("room", options.steps, up.ends[1] if up.ends else 1, text=MARGIN)
        if name in sentences:
            plot.mark(
                "dot",
                snapshot.step,
                max(series[0][steps.index(snapshot.step)], LEAST),
                sentence=sentences[name],
            )
        result.append(plot.chart())
    return result


def log_axis(title: str, series: Sequence[Sequence[float]]) -> Axis:
    """From the data; at least three powers of ten, so that it holds still at the start."""
    low, high = log_reach([min(max(value, LEAST), MOST) for values in series for value in values])
    return Axis(title, (min(low, high / 1000), high), log=True)


def file(page: Page, snapshots: tuple[Snapshot, ...]) -> dict[str, list]:
    columns = {
        name: [getattr(snapshot, name) for snapshot in snapshots] for name in ("step", "loss", "accuracy")
    }
    for name in snapshots[0].gradient_norms:
        columns[f"norm_{name[-1]}"] = [snapshot.gradient_norms[name] for snapshot in snapshots]
    return {page.t(f"column.{name}"): values for name, values in columns.items()}
