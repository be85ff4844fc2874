"""Your code: the result of the learner's own function for a small case. Which mistake does it look like?"""

import math
from typing import NamedTuple

import streamlit as st
import torch
from torch import Tensor

from attention.checking.cases import Case, case_of
from attention.checking.verdict import Verdict, judge
from attention.lab.worked_examples.document import half_unit, is_entry, number
from pages import session
from pages.ask import topics
from pages.draw import matrix, placing, say
from pages.draw.messages import sentence
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.model import reading
from pages.model.entries import SettingsError, short_enough, short_text

from . import desk

MAX_TEXT = 5_000  # characters
COARSEST = 0.01  # what is printed with fewer than two decimals is taken to have two


def draw(page: Page) -> None:
    """A case to copy, the learner's result, and what it looks like."""
    t = page.t
    say.markdown(t("your_code.task"))
    case = case_of(topics.choose(page))
    say.markdown(t(f"your_code.{case.name}"))
    st.code(program(case), language="python")
    with st.form("your_code", border=False):
        st.text_area(
            t("setting.pasted"),
            _texts().get(case.name, ""),
            key=_key(case),
            height=120,
            help=t("help.pasted"),
            placeholder="tensor([[ 0.1234, -0.5678],\n        [ 0.9012,  0.3456]])",
        )
        st.form_submit_button(t("your_code.check"), type="primary", on_click=_take, args=(case,))
    text = _texts().get(case.name, "")
    if text.strip():
        _judge(page, case, text)


def program(case: Case) -> str:
    """The case as code, to be copied into the learner's own program."""
    lines = ["import torch", ""]
    lines += [f"{name} = torch.tensor({getattr(case, name).tolist()})" for name in ("query", "key", "value")]
    call = "query, key, value"
    if case.mask is not None:
        lines.append(f"mask = torch.tensor({case.mask.tolist()})  # True = may attend")
        call += ", attn_mask=mask"
    return "\n".join([*lines, "", f"print(my_attention({call}))"])


# ---- what was pasted


def _texts() -> dict[str, str]:
    """What was checked, by the case's name."""
    return session.memory("your_code", dict)


def _key(case: Case) -> str:
    return f"pasted-{case.name}"


def _take(case: Case) -> None:
    _texts()[case.name] = str(session.widget_value(_key(case)) or "")


class Printed(NamedTuple):
    """A matrix, and half a unit of its last printed digit."""

    rows: tuple[tuple[float, ...], ...]
    half_unit: float


def read(text: str) -> Printed:
    """The first matrix in the text. Raises SettingsError."""
    tables = reading.read(short_enough(text, MAX_TEXT)).tables
    if not tables:
        raise SettingsError("file_empty")
    if tables[0].fault is not None:
        raise tables[0].fault
    rows = tuple(tuple(map(_value, row)) for row in tables[0].rows)
    units = (half_unit(entry) for row in tables[0].rows for entry in row if is_entry(entry))
    return Printed(rows, min(units, default=0.0))


def _value(entry: str) -> float:
    """The value of a number that print shows, which may be nan or inf."""
    if entry.lower().lstrip("+-") in ("nan", "inf", "infinity", "∞"):
        return float(entry.replace("∞", "inf"))
    value = number(entry) if is_entry(entry) else math.nan
    if not (math.isfinite(value) and math.isfinite(half_unit(entry))):
        raise SettingsError("not_a_number", entry=short_text(entry))
    return value


# ---- the verdict


def _judge(page: Page, case: Case, text: str) -> None:
    t = page.t
    try:
        printed = read(text)
    except SettingsError as problem:
        say.warning(sentence(t, problem))
        return
    got = torch.tensor(printed.rows, dtype=torch.float64)
    within = tolerance(case, printed)
    verdict = judge(case, got, within)
    if verdict is None:
        say.success(t("your_code.right"))
    elif verdict.kind == "shape" and not verdict.suspects:
        names = ("rows", "columns", "expected_rows", "expected_columns")
        sizes = dict(zip(names, (*got.shape, *case.output.shape), strict=True))
        say.warning(t("your_code.shape", **sizes))
    else:
        _wrong(page, verdict)
        if verdict.kind != "shape":
            _compare(page, case, got, within)


def tolerance(case: Case, printed: Printed) -> float:
    """How far a right result may be off as it was printed."""
    return max(case.tolerance, min(printed.half_unit, COARSEST))


def _wrong(page: Page, verdict: Verdict) -> None:
    t = page.t
    if not verdict.suspects:
        say.warning(t("your_code.unknown" if verdict.kind == "numbers" else "your_code.not_finite"))
        return
    sentences = [t(f"looks_like.{name}") for name in verdict.suspects]
    several = "_together" if verdict.together else "_several" if len(sentences) > 1 else ""
    which = t(f"your_code.looks_like{several}")
    say.warning(t.joined([which, *sentences]))
    for name in verdict.suspects:
        if place := page.course.treating("mistakes", name):
            desk.read_more(page, place)


def _compare(page: Page, case: Case, got: Tensor, within: float) -> None:
    """The right result next to the learner's, in which the cells that differ are ringed."""
    same = torch.isclose(got, case.output, rtol=within, atol=within)
    rows, columns = map(counted, case.output.shape)
    ringed = [tuple(place) for place in (~same).nonzero().tolist()]
    right = matrix.of("expected", page.t("your_code.expected"), case.output, rows, columns)
    own = matrix.of("got", page.t("your_code.got"), got, rows, columns, ringed=ringed)
    placing.draw(page, "compared", [right, own], note=page.t("your_code.ringed"))
