"""Predict, train, and go back over the run: picture, loss and gradient norms at any of its steps."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention.lab.training import Options, Snapshot, chance
from pages import session
from pages.ask import links, long_work
from pages.ask.long_work import Job
from pages.draw import inputs, placing, plots, say
from pages.draw.charts import Axis, Chart, Plot, log_reach
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.draw.picture import Matrix
from pages.model.view import Place

from . import patterns, reading, runs, scene
from .settings import LAST, SEQUENCES, SNAPSHOTS, STUCK, TrainingNumbers
from .settings import TASKS as NAMES

HEIGHT = 96  # px of a chart next to the picture
MARGIN = "W_Q"  # as much room right of each chart, so that one step is at one place in all three
LEAST, MOST = 1e-6, 1e6  # of a loss or a norm that is drawn
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
    begin = functools.partial(training, page, "train.start", (options,), ran=True)
    if not long_work.watch(runs.of_visit(options), functools.partial(_show, page, options, begin)):
        _show(page, options, begin)
        _end(page, options)
        say.caption(reading.terms(page, options))


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
    popover = session.popover(t("train.options"), "train_options", keep=True, help=about)
    if popover is None:
        return
    with popover:
        bound = session.bind("train_seed", own.train_seed, lambda seed: change_options(train_seed=seed))
        st.number_input(t("setting.train_seed"), 0, 9999, step=1, help=t("help.train_seed"), **bound)
        _switch(page, "heads_other", options.num_heads == 2, options.of.heads == 2)
        _switch(page, "positions_other", options.positions, options.of.positions)
        _switch(page, "causal_other", options.causal, options.of.causal)
        _switch(page, "unscaled", options.scaling, True)


def change_options(**fields: Any) -> None:
    """Other options: what was trained with the former ones is no longer asked for."""
    session.set_own(**fields, ran=False, paired=False)


def _switch(page: Page, field: str, on: bool, by_task: bool) -> None:
    """An option; the field says that it is not as the task has it."""
    bound = session.bind(field, on, lambda on: change_options(**{field: bool(on) != by_task}))
    page.toggle(field, bound)


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
        parts = [
            1.0 if asked and runs.finished_run(one) else len(runs.own(one)) / (SNAPSHOTS + 1)
            for one in wanted
        ]
        share = sum(parts) / len(parts)
        begin = functools.partial(_begin, fields)
        look = {"help": t("train.start_help"), "type": "primary", "disabled": share == 1}
        st.button(t(text), key="train_start", on_click=begin, **look)
        st.progress(share, t("train.trained", share=f"{share:.0%}"))
    if job is not None and job.error is not None:
        say.warning(t("train.failed"))


def _begin(fields: dict[str, bool]) -> None:
    """Starts the runs, also runs that were stopped or have failed. A new run shows its last step."""
    runs.forget()
    session.set_own(**fields, train_step=LAST)


def _stop(job: Job) -> None:
    long_work.stop(job)
    session.set_own(ran=False, paired=False)


# ---- the run


def run_of(own: TrainingNumbers, options: Options) -> tuple[Snapshot, ...]:
    """The run as far as the visitor has asked for it: all of it, or up to where it was stopped."""
    return runs.snapshots_of(options) if own.ran or runs.of_visit(options) is not None else ()


def _show(page: Page, options: Options, begin: Callable[[], None]) -> None:
    """A at a step next to the way of loss, accuracy and gradients: the last step of a run at work.

    Above it is what trains, and what goes back over a run.
    """
    snapshots, run = run_of(page.own, options), runs.of_visit(options)
    still = bool(snapshots) and (run is None or run.ended)
    snapshot = snapshot_of(page, options, snapshots, at_work=not still)
    above, scrubber = st.columns([3, 2], gap="medium", vertical_alignment="center")
    with above:
        begin()
    with scrubber:
        if still:
            placing.draw(page, "step", [step_slider(page, options, snapshot)])
    left, right = st.columns([3, 2], gap="medium")
    now = page.unfollowed(scene.settings_of(snapshot.matrices, options, scene.sequence_of(page.own)))
    expected = patterns.expected_cells(page)
    with left:
        scene.draw(now, "run", options.of, fit=False, lead=True, expected=expected)
    with right, st.container(key="curves"):
        drawn, result = charts(page, options, snapshots, snapshot), at_step(page, options, snapshot)
        numbers = file(page, snapshots or (snapshot,))
        plots.draw(page, "training", drawn, numbers, heading=False, stacked=True, result=result)
        if expected:
            say.caption(page.t("train.rings"))


def snapshot_of(page: Page, options: Options, snapshots: Sequence[Snapshot], *, at_work: bool) -> Snapshot:
    """The step in the picture."""
    if not snapshots:
        return runs.start(options)
    return snapshots[-1] if at_work else runs.at(snapshots, page.own.train_step)


def _end(page: Page, options: Options) -> None:
    """What is said of a run, and the ways on."""
    snapshots = run_of(page.own, options)
    if snapshots:
        snapshot = runs.at(snapshots, page.own.train_step)
        for line in reading.lines(page, options, snapshots, snapshot):
            say.sentence(line)
        open_it(page, options, snapshot)


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


def charts(page: Page, options: Options, snapshots: tuple[Snapshot, ...], snapshot: Snapshot) -> list[Chart]:
    """Loss, accuracy on test sequences, and the norms of the gradients; a rule at the shown step.

    Before the training there are the start, and the accuracy of always giving the same answer.
    """
    t, way = page.t, snapshots or (snapshot,)
    steps, norms = [one.step for one in way], list(snapshot.gradient_norms)
    lines = {"loss": [[one.loss for one in way]], "accuracy": [[one.accuracy for one in way]]}
    lines["norm"] = [[one.gradient_norms[name] for one in way] for name in norms]
    now = {"loss": apart(snapshot.loss), "accuracy": f"{snapshot.accuracy:.1%}"}
    result = []
    for name, series in lines.items():
        title, last = t(f"axis.{name}"), name == "norm"
        up = Axis(title, (0, 1.05)) if name == "accuracy" else log_axis(title, series)
        # One name and one row of numbers for all three.
        below, label = (t("axis.step"), "") if last else ("", "''")
        across = Axis(below, (0, options.steps), label=label, whole=True)
        names = [f"W_{norm[-1].upper()}" for norm in norms] if last else []
        plot = Plot(across, up, names, height=HEIGHT)
        if name == "accuracy":
            share = chance(options)
            plot.curve("dashed", (0, options.steps), (share, share))
            plot.mark("label", 0.3 * options.steps, share, text=t("train.chance", share=f"{share:.0%}"))
        for number, values in enumerate(series):
            plot.curve("line", steps, [max(value, LEAST) for value in values], number)
        plot.mark("cursor", snapshot.step)
        plot.mark("room", options.steps, up.ends[1] if up.ends else 1, text=MARGIN)
        if name in now:
            plot.mark(
                "dot", snapshot.step, max(series[0][steps.index(snapshot.step)], LEAST), sentence=now[name]
            )
        result.append(plot.chart())
    return result


def log_axis(title: str, series: Sequence[Sequence[float]]) -> Axis:
    """From the data; at least three powers of ten, so that it holds still at the start."""
    low, high = log_reach([min(max(value, LEAST), MOST) for values in series for value in values])
    return Axis(title, (min(low, high / 1000), high), log=True)


def file(page: Page, snapshots: tuple[Snapshot, ...]) -> dict[str, list]:
    columns = {name: [getattr(one, name) for one in snapshots] for name in ("step", "loss", "accuracy")}
    for name in snapshots[0].gradient_norms:
        columns[f"norm_{name[-1]}"] = [one.gradient_norms[name] for one in snapshots]
    return {page.t(f"column.{name}"): values for name, values in columns.items()}


def open_it(page: Page, options: Options, snapshot: Snapshot) -> None:
    """A link that opens the shown step's numbers in a lesson that does more with them."""
    lesson = "one_head" if options.num_heads == 1 else "many_heads"
    now = scene.settings_of(snapshot.matrices, options, scene.sequence_of(page.own))
    links.to_lesson(lesson, page.t(f"train.open_{lesson}"), Place(), now)
