"""A chart's numbers as a file, one click away."""

from __future__ import annotations

import csv
import io

import streamlit as st

from .figures import StepView
from .texts import Texts

# So that spreadsheets read the file as UTF-8.
MARK = "\ufeff"


def as_csv(columns: dict[str, list]) -> str:
    """A table, heading → column, as CSV."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return MARK + file.getvalue()


def cells_of(t: Texts, view: StepView) -> dict[str, list]:
    """The cells of a figure's heatmaps, one a line, with all their digits."""
    cells = [
        (panel.title, panel.rows.labels[r], panel.cols.labels[c], panel.values[r][c])
        for panel in view.panels
        for r in panel.rows.indices
        for c in panel.cols.indices
    ]
    names = ("matrix", "row", "column", "value")
    return {
        t(f"file.{name}"): list(column) for name, column in zip(names, zip(*cells, strict=True), strict=True)
    }


def csv_button(t: Texts, name: str, columns: dict[str, list]) -> None:
    """Offers the chart `name`'s numbers as <name>.csv."""
    st.download_button(
        t("file.csv"),
        as_csv(columns),
        f"{name}.csv",
        "text/csv",
        key=f"csv-{name}",
        type="tertiary",
        on_click="ignore",
    )
