"""The whole run: every matrix at any of its steps, loss, accuracy and gradient norms, and what limits it."""

import functools
from collections.abc import Callable

import streamlit as st

from attention.lab.training import Options, Snapshot
from pages.ask import blocks, links
from pages.ask.runs import at
from pages.draw import placing, plots, say
from pages.draw.page import Page
from pages.model.view import Place

from . import patterns, reading, scene, train
from .runs import RUNS


def draw(page: Page) -> blocks.Blocks:
    """The choice of a task and its options; then the run."""
    yield blocks.aside(_task)
    yield blocks.work(_run)


def _task(page: Page) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        train.choose_task(page)
        train.controls(page)


def _run(page: Page) -> None:
    options = scene.options_of(page.own)
    begin = functools.partial(train.training, page, "train.start", (options,), "ran")
    if not RUNS.draw(functools.partial(_show, page, options, begin), options, asked=page.own.ran):
        with blocks.for_readers("end"):
            _end(page, options)
            say.caption(reading.terms(page, options))


def _show(page: Page, options: Options, begin: Callable[[], None]) -> None:
    """A at a step next to the way of loss, accuracy and gradients: the last step of a run at work."""
    snapshots, snapshot, still = train.of_run(page, options)
    above, scrubber = st.columns([3, 2], gap="medium", vertical_alignment="center")
    with above:
        begin()
    with scrubber:
        if still:
            placing.draw(page, "step", [train.step_slider(page, options, snapshot)])
    left, right = st.columns([3, 2], gap="medium")
    trained = page.unfollowed(scene.settings_of(snapshot.matrices, options, scene.sequence_of(page.own)))
    ringed = patterns.right_cells(page)
    with left:
        scene.draw(trained, "run", options.of, fit=False, lead=True, right=ringed)
    with right, st.container(key="curves"):
        drawn = train.charts(page, options, snapshots, snapshot)
        result = train.at_step(page, options, snapshot)
        numbers = train.file(page, snapshots or (snapshot,))
        plots.draw(page, "training", drawn, numbers, heading=False, stacked=True, result=result)
        if ringed:
            with blocks.for_readers("rings"):
                say.caption(page.t("train.rings"))


def _end(page: Page, options: Options) -> None:
    """What is said of a run, and the ways on."""
    snapshots = train.run_of(page.own, options)
    if snapshots:
        snapshot = at(snapshots, page.own.train_step)
        for line in reading.lines(page, options, snapshots, snapshot):
            say.sentence(line)
        open_it(page, options, snapshot)


def open_it(page: Page, options: Options, snapshot: Snapshot) -> None:
    """A link that opens the shown step's numbers in a lesson that does more with them."""
    lesson = "one_head" if options.num_heads == 1 else "many_heads"
    settings = scene.settings_of(snapshot.matrices, options, scene.sequence_of(page.own))
    links.to_lesson(lesson, page.t(f"train.open_{lesson}"), Place(), settings)
