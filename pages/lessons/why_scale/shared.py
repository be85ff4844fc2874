"""What the parts of this lesson share: the sample, names, the seed, and work that says how far it is."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.scaling.divisors import SCALINGS
from attention.lab.scaling.variance import Sample
from pages.ask import long_work
from pages.draw import inputs, live
from pages.draw.charts import Axis
from pages.draw.numbers import power
from pages.draw.page import Page
from pages.model.compute import trace_of
from pages.model.settings import Settings

from .settings import ScaleNumbers

AT_ONCE = 0.3  # seconds of work that waits for no other visitor's
LARGEST_ENTRY = 0.25  # of a softmax's Jacobian: p (1 − p) at p = ½


def sample_of(own: ScaleNumbers) -> Sample:
    """How the learner wants pairs of q and k to be drawn."""
    correlation = {"independent": 0.0, "correlated": own.sample_correlation, "same": 1.0}[own.sample_case]
    return Sample(
        own.sample,
        own.sample_mean,
        own.sample_variance,
        correlation,
        own.sample_pairs,
        own.sample_seed,
        own.sample_inside,
    )


def scaling_names(page: Page, scalings: Sequence[str] = SCALINGS) -> tuple[str, ...]:
    return tuple(page.t(f"scaling_name.{scaling}") for scaling in scalings)


def in_picture(text: str) -> str:
    """The text with its indices as the picture writes them."""
    return text.replace("d_model", "d_{model}")


def numbers(page: Page, *fields: str) -> None:
    """Numbers to drag, each with its slider, and the seed."""
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with left:
        live.draw(page, lambda page: inputs.draw_sliders(page, *fields))
    with right:
        page.number("sample_seed", where="_page")


def widths(title: str, sizes: tuple[int, ...]) -> Axis:
    """The axis of what is measured at these sizes, with a tick at each."""
    return Axis(title, (sizes[0] * 0.85, sizes[-1] * 1.18), log=True, ticks=sizes)


def weights_under(settings: Settings, head: int, by: float) -> Tensor:
    """A head's attention weights on the learner's numbers, with the scores divided by that."""
    return trace_of(replace(settings, scaling="own", own_divisor=by)).heads.weights[head]


def results_of(page: Page, jobs: Iterable[tuple], work: Callable) -> list:
    """work(*job) for each job, in order. What takes long goes on when it is the visitor's turn.

    `work` keeps what it has done. While a hand drags a number, only the last page of all is drawn.
    """
    jobs, results = list(jobs), list[Any]()
    begun = time.monotonic()
    while len(results) < len(jobs) and time.monotonic() - begun <= AT_ONCE:
        results.append(work(*jobs[len(results)]))
    rest = jobs[len(results) :]

    def go_on(take: Callable[[object], None]) -> None:
        for job in rest:
            take(work(*job))

    return results + (long_work.results_of(page, "drawing", go_on, len(rest)) if rest else [])


def scientific(value: float) -> str:
    """Two digits, however small: 0.37, and 0.0026 as 2.6×10⁻³."""
    if value == 0 or 0.01 <= abs(value) < 1000:
        return f"{value:.2g}"
    return power(value, 1)
