"""Sentences and tables that follow the numbers."""

import html
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import streamlit as st

from pages.picture import Passage

from .texts import Texts, plain

NUMBER = re.compile(r"[*`$]{0,2}[-−+±≈]?[0-9∞]|[—–?]?$")  # the beginning of a number

LOWERED = re.compile(r"\b([Wb]_[QKVOU12]|d_model)\b")  # a subscript that Unicode does not have
MARKS = re.compile(r"(\\.|[`$])")  # what begins or ends code and formulas, and an escape


def markdown(text: str, place: Any = st, **extra: Any) -> None:
    """A text in Markdown, on the page or in one of its columns."""
    place.markdown(with_formulas(text), **extra)


def caption(text: str, **extra: Any) -> None:
    """A text in Markdown that is less important."""
    st.caption(with_formulas(text), **extra)


def info(text: str, icon: str | None = None) -> None:
    """A message in Markdown."""
    st.info(with_formulas(text), icon=icon)


def success(text: str, icon: str | None = None) -> None:
    """A message in Markdown that something is right."""
    st.success(with_formulas(text), icon=icon)


def warning(text: str, icon: str | None = None) -> None:
    """A message in Markdown that something is wrong."""
    st.warning(with_formulas(text), icon=icon)


def with_formulas(text: str) -> str:
    """Markdown whose W_Q and d_model are formulas, except in its code and formulas.

    Marks in typed texts are escaped, so these texts stay as typed.
    """
    parts, mark = MARKS.split(text), ""
    for i, part in enumerate(parts):
        if part in ("`", "$") and mark in ("", part):
            mark = "" if mark else part
        elif not mark and not part.startswith("\\"):
            parts[i] = LOWERED.sub(_formula, part)
    return "".join(parts)


def _formula(symbol: re.Match) -> str:
    letter, index = symbol[1].split("_")
    return f"${letter}_{{{index}}}$"


def sentence(text: str) -> None:
    """A sentence that follows the numbers; screen readers announce its changes."""
    _paragraph(text, "said")


def result(text: str) -> None:
    """The main sentence of a part about its numbers, under its picture."""
    _paragraph(text, "said result")


def _paragraph(text: str, classes: str) -> None:
    # The learner's own W_Q is still escaped here, and so stays as typed.
    lowered = LOWERED.sub(_lowered, html.escape(text))
    st.html(f'<p class="{classes}" aria-live="polite">{plain(lowered)}</p>')


def _lowered(symbol: re.Match) -> str:
    letter, index = symbol[1].split("_")
    return f"{letter}<sub>{index}</sub>"


def passage(text: Passage) -> None:
    """Sentences under their title, for parts without a picture that has them."""
    markdown(f"##### {text.title}")
    for line in text.lines:
        sentence(line)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table whose cells are Markdown; the first column names the rows, and numbers are at the right."""
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    ways = ["---:" if column and all(map(NUMBER.match, column)) else "---" for column in columns]
    lines = [header, ways, *rows]
    markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))


def button(
    t: Texts,
    name: str,
    icon: str,
    act: Callable,
    *args: object,
    where: str = "",
    type: Literal["primary", "secondary", "tertiary"] = "tertiary",
    done: bool = False,
    **extra: Any,
) -> None:
    """A button with the texts `name` and `<name>_help`; its key is the name and where it is.

    done: it has no effect any more, and no help, which would lie over what it has brought.
    """
    st.button(
        t(name),
        key="-".join(filter(None, (name.replace(".", "_"), where))),
        icon=f":material/{icon}:",
        type=type,
        help=None if done else t(f"{name}_help"),
        disabled=done,
        on_click=act,
        args=args,
        **extra,
    )
