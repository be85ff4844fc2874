"""What the parts of the lesson `Why √d_k` share: charts with their file, tables that follow, long work."""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterable

import streamlit as st

from . import heatmaps, inputs, step_view
from . import settings as s
from .downloads import cells_of, csv_button
from .figures import StepView
from .scale_facts import SCALINGS
from .sidebar import bound
from .texts import Texts

SIDE, NARROW_SIDE = 184, 136  # px of a matrix among four
SHOW_AFTER = 0.3  # seconds of work before progress is worth showing
TICK = 0.05  # seconds between two looks at whether the work is still wanted
CELL_STYLE = "padding: 0.25rem 0.9rem 0.25rem 0; border-bottom: 1px solid rgba(128, 128, 128, 0.3)"


def figure(t: Texts, name: str, data: dict[str, list], spec: dict, file: dict[str, list], **facts) -> None:
    """A chart in its container `step-<name>` under its title and its sentence, with its numbers as a file."""
    with st.container(key=f"step-{name}"):
        heading(t, name, **facts)
        step_view.chart(data, spec, t(f"title.{name}"))
    csv_button(t, name, file)


def four_heatmaps(t: Texts, now: s.Settings, view: StepView) -> None:
    """Four matrices in their container, in colours alone: small enough to stand side by side."""
    narrow = step_view.is_narrow()
    spec = heatmaps.spec(view.panels)
    spec["columns"] = 2 if narrow else len(view.panels)
    side = NARROW_SIDE if narrow else SIDE
    for picture in spec["concat"]:
        picture.update(width=side, height=side)
    with st.container(key=f"step-{view.name}"):
        heading(t, view.name)
        step_view.chart(step_view.table(now, view), spec, t(f"title.{view.name}"))
    csv_button(t, view.name, cells_of(t, view))


def heading(t: Texts, name: str, **facts) -> None:
    st.markdown(f"#### {t(f'title.{name}')}\n\n{t(f'why.{name}', **facts)}")


def named_cells(name: str, rows: list[tuple[str, ...]]) -> dict[str, str]:
    """The cells of a table that follows the numbers, by the name each has on the page."""
    return {f"{name}-{r}-{c}": text for r, row in enumerate(rows) for c, text in enumerate(row)}


def grid(name: str, header: list[str], rows: list[tuple[str, ...]]) -> None:
    """A table whose cells follow the numbers (see named_cells); the first column names the rows."""

    def cell(r: int, c: int, text: str) -> str:
        tag = "td" if c else 'th scope="row"'
        look = "" if c else "font-weight: 600; white-space: nowrap"
        return (
            f'<{tag} style="{CELL_STYLE}; text-align: left; {look}" '
            f'data-live="{name}-{r}-{c}">{html.escape(text)}</{tag.split()[0]}>'
        )

    top = "".join(
        f'<th scope="col" style="{CELL_STYLE}; text-align: left; font-weight: 400; opacity: 0.75">'
        f"{html.escape(text)}</th>"
        for text in header
    )
    body = "".join(
        "<tr>" + "".join(cell(r, c, text) for c, text in enumerate(row)) + "</tr>"
        for r, row in enumerate(rows)
    )
    table = f'<table style="border-collapse: collapse"><tr>{top}</tr>{body}</table>'
    st.html(f'<div style="overflow-x: auto; max-width: 100%">{table}</div>')


def scaling_names(t: Texts) -> tuple[str, ...]:
    return tuple(t(f"scaling_name.{scaling}") for scaling in SCALINGS)


def choose_seed(t: Texts, now: s.Settings) -> None:
    low, high = s.COUNTS["sample_seed"]
    seed = bound("sample_seed", now.sample_seed, where="_page")
    st.number_input(t("page.sample_seed"), low, high, step=1, width=120, **seed)


def scientific(value: float) -> str:
    """Two digits, however small: 0.37, 2.6·10⁻³ as 2.6e−3."""
    if value == 0 or 0.01 <= abs(value) < 1000:
        return f"{value:.2g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def drag_d_k(t: Texts, live: Callable[[], dict]) -> None:
    """The number d_k, to drag."""
    inputs.inputs(t, (), live, names=("sample_d_k",))


def worked(t: Texts, jobs: Iterable[tuple], work: Callable) -> list:
    """work(*job) for each job, in order. Shows how far it is when it takes long.

    Each look at the clock is a place where Streamlit ends this run if a newer one waits; what was done
    by then is kept by the cache of `work`.
    """
    jobs, results = list(jobs), []
    started = ticked = time.monotonic()
    place = st.empty()
    for number, job in enumerate(jobs):
        results.append(work(*job))
        now = time.monotonic()
        if now - started > SHOW_AFTER and now - ticked > TICK:
            place.progress(number / len(jobs), t("page.working", share=f"{number / len(jobs):.0%}"))
            ticked = now
    place.empty()
    return results
