"""Times measured on the machine that serves the page, or earlier, and the counted work."""

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st
import torch

from attention.lab.cost import benchmark as lab
from attention.lab.cost.benchmark import FORMS, LENGTHS
from pages import session
from pages.ask import blocks, long_work
from pages.ask.long_work import Job
from pages.draw import charts, palette, plots, say
from pages.draw.charts import HERO, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page

ATTENTION = FORMS[:3]  # they need equally many multiply–adds

Timing = tuple[str, int, float | None]  # form, length, seconds
Times = dict[tuple[str, int], float]


def draw(page: Page) -> blocks.Blocks:
    yield blocks.ask("cost_fused", lambda page: plots.draw_before(page, "measured", _charts(page, {})))
    yield blocks.work(_measured)
    yield blocks.aside(_source)
    yield blocks.caption("measured.note")


def _measured(page: Page) -> None:
    times, _ = times_of(page)
    both, result = _charts(page, times), _sentence(page, times)
    plots.draw(page, "measured", both, _file(page, times), heading=False, result=result)
    _controls(page)


def _source(page: Page) -> None:
    say.caption(times_of(page)[1])


@functools.cache
def shipped_times() -> dict:
    """The result that comes with the app: "date", "torch", and "seconds": form → length → seconds."""
    return json.loads(Path(__file__).with_name("shipped.json").read_text("utf-8"))


def times_of(page: Page) -> tuple[Times, str]:
    """The times to show, in seconds, and where they come from: the learner's run once it has ended."""
    job = _jobs().get("run")
    if job is not None and job.ended and (times := _times(job)):
        return times, page.t("measured.own", torch=torch.__version__.split("+")[0])
    kept = shipped_times()
    times = {(form, int(n)): took for form, row in kept["seconds"].items() for n, took in row.items()}
    return times, page.t("measured.shipped", date=kept["date"], torch=kept["torch"])


def _times(job: Job[Timing]) -> Times:
    return {(form, n): took for form, n, took in job.results if took is not None}


# ---- the run


def _jobs() -> dict[str, Job[Timing]]:
    """The visit's last run, once there is one."""
    return session.memory("cost", dict)


def _work(take: Callable[[Timing], None]) -> None:
    for measurement in lab.measurements():
        take(measurement)


def _controls(page: Page) -> None:
    """Start, or how far the run is."""
    t, job = page.t, _jobs().get("run")
    if job is not None and long_work.watch(job, lambda: _at_work(page, job)):
        return
    long_work.explain(page, job, t("measured.failed"))
    if st.button(t("measured.start"), key="start_run", help=t("measured.start_help")):
        _jobs()["run"] = long_work.start("measurement", _work, len(FORMS) * len(LENGTHS))
        session.rerun()


def _at_work(page: Page, job: Job[Timing]) -> None:
    t = page.t
    with st.container(horizontal=True, vertical_alignment="center"):
        look: dict[str, Any] = {"help": t("measured.stop_help"), "on_click": long_work.stop, "args": (job,)}
        st.button(t("measured.stop"), key="stop-run", **look)
        long_work.show(page, job)


# ---- what is drawn


def _charts(page: Page, times: Times) -> list[Chart]:
    return [_time_chart(page, times), _count_chart(page)]


def _time_chart(page: Page, times: Times) -> Chart:
    t = page.t
    series = {t(f"form.{form}"): [1000 * times.get((form, n), math.nan) for n in LENGTHS] for form in FORMS}
    known = [1000 * took for took in (times or times_of(page)[0]).values()]
    time = Axis(t("axis.milliseconds"), charts.log_reach(known), log=True)
    look: dict[str, Any] = {"kind": "measured", "title": t("panel.measured"), "height": HERO}
    return charts.curves(_lengths(page), time, LENGTHS, series, **look)


def _lengths(page: Page) -> Axis:
    return Axis(page.t("axis.tokens"), (LENGTHS[0], LENGTHS[-1]), log=True)


def _count_chart(page: Page) -> Chart:
    """The multiply–adds; forms that need equally many are one line, in the colour of the last of them."""
    t = page.t
    lines = {tuple(lab.multiply_adds(form, n) for n in LENGTHS): form for form in FORMS}
    names = [t("form.attention" if form in ATTENTION else f"form.{form}") for form in lines.values()]
    ends = charts.log_reach([value for values in lines for value in values])
    look: dict[str, Any] = {"title": t("panel.by_count"), "height": HERO}
    look["used"] = tuple(palette.SERIES[FORMS.index(form)] for form in lines.values())
    plot = Plot(_lengths(page), Axis(t("axis.work"), ends, log=True), names, **look)
    for series, values in enumerate(lines):
        plot.curve("line", LENGTHS, values, series)
    return plot.chart()


def _sentence(page: Page, times: Times) -> str:
    """The three forms of attention at the greatest length that all of them have."""
    common = [n for n in LENGTHS if all((form, n) in times for form in ATTENTION)]
    if not common:
        return ""
    took = {form: short(1000 * times[form, common[-1]]) for form in ATTENTION}
    return page.t("measured.sentence", n=f"{common[-1]:,}", **took)


def _file(page: Page, times: Times) -> dict[str, list]:
    rows = [(form, n) for form in FORMS for n in LENGTHS]
    return {
        page.t("column.form"): [form for form, _ in rows],
        "n": [n for _, n in rows],
        page.t("column.milliseconds"): [1000 * times.get(row, math.nan) for row in rows],
        page.t("column.multiply_adds"): [lab.multiply_adds(*row) for row in rows],
    }
