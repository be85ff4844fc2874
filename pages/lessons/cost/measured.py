"""Times measured on the machine that serves the page, or earlier, and the counted work."""

import functools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
import torch

from attention.lab.cost import benchmark as lab
from attention.lab.cost.benchmark import FORMS, LENGTHS
from pages import session
from pages.ask import long_work, questions
from pages.ask.long_work import Job
from pages.draw import charts, plots, say
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import short
from pages.draw.page import Page

AXIS = (1e-2, 1e4)  # milliseconds

Measured = tuple[str, int, float | None]  # form, length, seconds
Times = dict[tuple[str, int], float]


def draw(page: Page) -> None:
    if not questions.ask(page, "cost_fused"):
        return
    _controls(page)
    times, source = result(page)
    st.caption(source)
    plots.draw(page, "measured", [_measured(page, times), _counted(page)], _file(page, times), heading=False)
    _sentence(page, times)
    st.caption(page.t("measured.note"))


@functools.cache
def shipped() -> dict:
    """The result that comes with the app: "date", "torch", and "seconds": form → length → seconds."""
    return json.loads(Path(__file__).with_name("shipped.json").read_text("utf-8"))


def result(page: Page) -> tuple[Times, str]:
    """The times to show, in seconds, and where they come from: the learner's run once it has ended."""
    job = _kept().job
    if job is not None and job.ended and (times := _times(job)):
        return times, page.t("measured.own", torch=_version())
    kept = shipped()
    times = {(form, int(n)): took for form, row in kept["seconds"].items() for n, took in row.items()}
    return times, page.t("measured.shipped", date=kept["date"], torch=kept["torch"])


def _times(job: Job[Measured]) -> Times:
    return {(form, n): took for form, n, took in job.results if took is not None}


def _version() -> str:
    return torch.__version__.split("+")[0]


# ---- the run


@dataclass
class Kept:
    """What the visit keeps of this part."""

    job: Job[Measured] | None = None


def _kept() -> Kept:
    return session.kept("cost", Kept)


def _work(take: Callable[[Measured], None]) -> None:
    for one in lab.measurements():
        take(one)


def _controls(page: Page) -> None:
    """Start, or how far the run is."""
    t, kept = page.t, _kept()
    job = kept.job
    if job is not None and long_work.watch(job, lambda: _at_work(page, job)):
        return
    if job is not None and job.error is not None:
        st.warning(t("measured.failed"))
    if st.button(t("measured.start"), key="start_run", help=t("measured.start_help")):
        kept.job = long_work.start("measurement", _work, len(FORMS) * len(LENGTHS))
        session.rerun()


def _at_work(page: Page, job: Job[Measured]) -> None:
    t = page.t
    with st.container(horizontal=True, vertical_alignment="center"):
        look: dict[str, Any] = {"help": t("measured.stop_help"), "on_click": long_work.stop, "args": (job,)}
        st.button(t("measured.stop"), key="stop_run", **look)
        long_work.show(page, job)


# ---- what is drawn


def _measured(page: Page, times: Times) -> Chart:
    t = page.t
    series = {t(f"form.{form}"): [1000 * times.get((form, n), math.nan) for n in LENGTHS] for form in FORMS}
    time = Axis(t("axis.milliseconds"), AXIS, log=True)
    return charts.curves(_lengths(page), time, LENGTHS, series, kind="measured", title=t("panel.measured"))


def _lengths(page: Page) -> Axis:
    return Axis(page.t("axis.tokens"), (LENGTHS[0], LENGTHS[-1]), log=True)


def _counted(page: Page) -> Chart:
    t = page.t
    series = {t(f"form.{form}"): [lab.multiply_adds(form, n) for n in LENGTHS] for form in FORMS}
    ends = charts.decades([value for values in series.values() for value in values])
    work = Axis(t("axis.work"), ends, log=True)
    return charts.curves(_lengths(page), work, LENGTHS, series, title=t("panel.by_count"))


def _sentence(page: Page, times: Times) -> None:
    """The three forms of attention at the greatest length that all of them have."""
    forms = FORMS[:3]
    common = [n for n in LENGTHS if all((form, n) in times for form in forms)]
    if common:
        took = {form: short(1000 * times[form, common[-1]]) for form in forms}
        say.sentence(page.t("measured.sentence", n=f"{common[-1]:,}", **took))


def _file(page: Page, times: Times) -> dict[str, list]:
    rows = [(form, n) for form in FORMS for n in LENGTHS]
    return {
        page.t("column.form"): [form for form, _ in rows],
        "n": [n for _, n in rows],
        page.t("column.milliseconds"): [1000 * times.get(row, math.nan) for row in rows],
        page.t("column.multiply_adds"): [lab.multiply_adds(*row) for row in rows],
    }
