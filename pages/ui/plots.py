"""Charts: a Vega-Lite specification built once and kept, and a table of numbers that comes on every run."""

from __future__ import annotations

import json
from collections.abc import Sequence

import altair as alt
import pandas as pd
import pyarrow as pa
import streamlit as st

from .page import Page

# So that spreadsheets read the file as UTF-8.
ENCODING = "utf-8-sig"
QUIET = {"tooltip": None, "aria": False}
# The largest width of one chart's drawing area in px, which with its axis fits a phone.
WIDTH = 264


def finished(chart: alt.TopLevelMixin) -> str:
    """The specification as JSON, for data that come on each run. Keep it with functools.lru_cache."""
    chart = chart.configure_view(stroke=None).configure_title(anchor="start", fontSize=15, offset=8)
    chart.usermeta = {"embedOptions": {"renderer": "svg"}}
    # Streamlit's own choice, "fit", takes the axes' room from the drawing area, until nothing is left of it.
    chart = chart.properties(data=alt.NamedData("source"), autosize="pad")
    spec = chart.to_dict()
    spec.pop("data")
    spec.pop("datasets", None)
    return json.dumps(spec)


def headline(page: Page, name: str, **facts: object) -> None:
    """The title of a figure and a sentence: `title.<name>`, `why.<name>`."""
    st.markdown(f"##### {page.t(f'title.{name}')}\n\n{page.t(f'why.{name}', **facts)}")


def draw(
    page: Page,
    name: str,
    charts: Sequence[tuple[dict[str, list], dict]],
    file: dict[str, list] | None = None,
    *,
    heading: bool = True,
    **facts: object,
) -> None:
    """Charts with their title, a sentence (`title.<name>`, `why.<name>`), and their numbers as a file.

    The sentence stands below, as under a figure in a book, so that the charts are near to what is changed.
    charts: for each its columns and the specification that names them. They stand side by side where there is
    room, so none is wider than a phone (WIDTH). file: column's name → column; None: no file. heading: False
    where it stands further up already.
    """
    t = page.t
    with st.container(key=f"plot-{name}"):
        if heading:
            st.markdown(f"##### {t(f'title.{name}')}")
        with st.container(horizontal=True):
            for data, spec in charts:
                st.vega_lite_chart(pa.table(data), spec, width="content", alt=t(f"title.{name}"))
        if heading:
            st.markdown(t(f"why.{name}", **facts))
        if file is not None:
            csv(page, name, file)


def csv(page: Page, name: str, columns: dict[str, list]) -> None:
    """Offers numbers as <name>.csv. The file is written when it is asked for."""
    st.download_button(
        page.t("file.csv"),
        lambda: pd.DataFrame(columns).to_csv(index=False).encode(ENCODING),
        f"{name}.csv",
        "text/csv",
        key=f"csv-{name}",
        type="tertiary",
        on_click="ignore",
    )
