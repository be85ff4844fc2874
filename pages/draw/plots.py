"""Charts on a page, with their title, a sentence, and their numbers and themselves as files."""

import functools
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from csv import writer as csv_writer
from typing import Any, TypeAlias, TypeVar

import streamlit as st

from . import live, saving, say
from .charts import Chart
from .columns import table
from .page import Page

Thing = TypeVar("Thing")
Following: TypeAlias = Thing | Callable[[Page], Thing]
Columns = dict[str, list]  # by their names

# Makes spreadsheets read the file as UTF-8.
ENCODING = "utf-8-sig"
# What begins like this, or goes on like this where a spreadsheet expects semicolons between its cells, is a
# formula; a negative number is no formula. save.js has the same.
FORMULA = re.compile(r"\A(?=[\t\r]|\s*[=+\-@＝＋－＠])|;(?=\s*[=+\-@＝＋－＠])")
# In a file a column is d_k, as in a program, and not dₖ as on the page.
INDICES = str.maketrans({index: f"_{plain}" for index, plain in zip("ₖᵥᵢⱼₙ", "kvijn", strict=True)})
NEGATIVE = re.compile(r"-(?:[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|inf)")


def headline(page: Page, name: str, **facts: object) -> None:
    """The title of a figure and a sentence: `title.<name>`, `why.<name>`."""
    say.markdown(f"##### {page.t(f'title.{name}')}\n\n{page.t(f'why.{name}', **facts)}")


def draw(
    page: Page,
    name: str,
    charts: Following[Sequence[Chart]],
    file: Following[Columns] | None = None,
    *,
    heading: bool = True,
    stacked: bool = False,
    lead: bool = False,
    result: Following[str] = "",
    **facts: object,
) -> None:
    """Charts with their title, a sentence (`title.<name>`, `why.<name>`), and files of both.

    The sentence is below, as under a figure in a book, so that the charts are near to the changed numbers.
    The charts share the width, on a phone each has all of it. stacked: one above another everywhere. lead:
    the first is large, and the others are stacked next to it. result: a sentence on the numbers, directly
    below. file: column's name → column; None: no numbers to save. heading: False if it is further up.

    Charts that follow the numbers in the part's pictures, their result and their file are functions of the
    page: an edit draws them again without the rest (see live).
    """
    t = page.t
    with st.container(key=f"plot-{name}"):
        saving.chart_menu(page, name, None if file is None else lambda: csv_of(_on(page, file)))
        if heading:
            say.markdown(f"##### {t(f'title.{name}')}")

        def content(page: Page) -> None:
            _place(_on(page, charts), t(f"title.{name}"), stacked, lead)
            if result:
                say.result(_on(page, result))

        if callable(charts):
            live.draw(page, content)
        else:
            content(page)
        if heading:
            with st.container(key=f"aside-why-{name}") if page.view.presenting else nullcontext():
                say.markdown(t(f"why.{name}", **facts))


def _on(page: Page, what: Following[Thing]) -> Thing:
    return what(page) if callable(what) else what


def ghost(page: Page, name: str, charts: Sequence[Chart], *, lead: bool = False) -> None:
    """The charts with axes and without marks, and what an answer will bring there."""
    _announce(page)
    with st.container(key=f"ghost-{name}"):
        _place([_emptied(*chart) for chart in charts], page.t("question.ghost"), lead=lead)


def draw_before(page: Page, name: str, charts: Sequence[Chart]) -> None:
    """Charts of a question, with the numbers that are known before its answer."""
    _announce(page)
    with st.container(key=f"asked-{name}"):
        _place(charts, page.t("question.ghost"))


def _announce(page: Page) -> None:
    """Says what an answer will bring; before a class the chart has this room."""
    if not page.view.presenting:
        say.caption(page.t("question.ghost"))


def _emptied(data: dict[str, list], spec: dict) -> Chart:
    """The axes of a chart; an axis of names keeps them."""
    if "name" in data:
        names = list(dict.fromkeys(data["name"]))
        for layer in (spec, *spec.get("layer", ())):
            if layer.get("encoding", {}).get("y", {}).get("field") == "name":
                layer["encoding"]["y"]["scale"] = {"domain": names}
    return {column: [] for column in data}, spec


def _place(charts: Sequence[Chart], alt: str, stacked: bool = False, lead: bool = False) -> None:
    """Charts side by side, one above another, or the first one next to the others."""
    count = len(charts)
    places: list[Any] = [st] * count
    if lead:
        first, *rest = st.columns([5, 4], gap="medium")
        places = [first, *rest * (count - 1)]
    elif not stacked:
        places = list(st.columns(count, vertical_alignment="bottom"))
    for place, (data, spec) in zip(places, charts, strict=True):
        place.vega_lite_chart(table(data), spec, width="stretch", alt=alt)


def columns(page: Page, names: Sequence[str], rows: Sequence[Sequence]) -> dict[str, list]:
    """Rows as the columns of a file, which have the texts `column.<name>` as their names."""
    titles = [page.t(f"column.{name}") for name in names]
    return dict(zip(titles, map(list, zip(*rows, strict=True)), strict=True))


def csv_of(columns: dict[str, list]) -> bytes:
    """The columns as a CSV file for spreadsheets."""
    return csv_of_rows(((name.translate(INDICES) for name in columns), *zip(*columns.values(), strict=True)))


def csv_of_rows(rows: Iterable[Iterable[object]]) -> bytes:
    """The rows as a CSV file for spreadsheets."""
    text = io.StringIO()
    csv_writer(text).writerows(map(in_cell, row) for row in rows)
    return text.getvalue().encode(ENCODING)


def in_cell(value: object) -> object:
    """A value for a spreadsheet, with an apostrophe before what it would run as a formula.

    An unknown number is an empty cell.
    """
    if isinstance(value, float) and math.isnan(value):
        return ""
    if isinstance(value, str) and not NEGATIVE.fullmatch(value):
        return FORMULA.sub(r"\g<0>'", value)
    return value


def csv(page: Page, name: str, columns: dict[str, list]) -> None:
    """Offers numbers as <name>.csv, written on demand."""
    make = functools.partial(csv_of, columns)
    saving.button(f"csv-{name}", page.t("figure.csv"), f"{name}.csv", "text/csv", make, quiet=True)
