"""The naive and the shifted form, step by step, in the chosen precision: where exp overflows, what comes."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch

from . import lesson, state
from . import settings as s
from . import softmax_precision as precise
from .figures import StepView, signed, weights
from .heatmaps import Axis, Panel
from .numbers import short
from .results import size
from .settings import Settings
from .sidebar import bound
from .softmax_scene import Contents
from .texts import Texts

EDITED = ("score_size",)
SIZES = (10.0, 100.0, 1000.0)
FORMS = {"naive": precise.naive, "shifted": precise.shifted}


def _column(t: Texts, tensor: torch.Tensor, title: str, *, total: bool = False) -> Panel:
    rows = Axis(t("axis.score"), ("Σ",) if total else tuple(str(i + 1) for i in range(len(tensor))))
    panel = signed(title, tensor.double().reshape(-1, 1), rows, Axis(t("axis.value"), ("",)), "cell")
    return replace(panel, lit="" if total else "row")


def steps(t: Texts, name: str, scores: torch.Tensor) -> StepView:
    """One form's steps as columns: s, s − max, exp, Σ, weights."""
    form = FORMS[name](scores)
    less = name == "shifted"
    inside = "s − max" if less else "s"
    panels = [_column(t, scores, "s")] + ([_column(t, form.scores, inside)] if less else [])
    panels.append(_column(t, form.exps, f"exp({inside})"))
    panels.append(_column(t, form.total.reshape(1), "Σ", total=True))
    last = weights("p", form.weights.double().reshape(-1, 1), panels[0].rows, panels[0].cols)

    def arithmetic(row: int, col: int) -> str:
        top, bottom = short(form.exps[row].item(), 4), short(form.total.item(), 4)
        share = f"{top} / {bottom} = {short(form.weights[row].item(), 4)}"
        return f"exp({short(form.scores[row].item(), 3)}) / Σ = {share}"

    return StepView(name, [*panels, last], arithmetic)


def _screen(t: Texts, now: Settings) -> str:
    """What a page would have shown with the naive form."""
    scores = precise.scores(now.score_size, now.precision)
    form = precise.naive(scores)
    shown = ", ".join(short(w) for w in form.weights.tolist())
    fate = precise.fate(form, precise.truth(scores))
    return t(f"stable.{fate}", weights=shown, error=size(precise.error(form, precise.truth(scores))))


def _logs(t: Texts, now: Settings) -> str:
    scores = precise.scores(now.score_size, now.precision)
    naive, shifted = (short(form(scores).logsumexp.item(), 4) for form in FORMS.values())
    exact = short(torch.logsumexp(scores.double(), dim=-1).item(), 4)
    return t("stable.logsumexp", naive=naive, shifted=shifted, exact=exact)


def _limit(t: Texts, now: Settings) -> str:
    top = now.score_size * max(precise.PATTERN)
    largest = precise.largest_exponent(now.precision)
    key = "stable.over" if top > largest else "stable.under"
    return t(key, precision=now.precision, largest=f"{largest:.2f}", top=short(top))


def contents(t: Texts, now: Settings, *, live: bool = False) -> Contents:
    scores = precise.scores(now.score_size, now.precision)
    below = precise.scores(now.score_size, now.precision, below=True)
    views = [steps(t, "naive", scores), steps(t, "shifted", scores)]
    views.append(replace(steps(t, "naive", below), name="naive_below"))
    texts = {"limit": _limit(t, now), "screen": _screen(t, now), "logs": _logs(t, now)}
    return Contents(views=views, texts=texts)


def draw(t: Texts, now: Settings) -> None:
    options = {name: t(f"option.{name}") for name in ("zero", "tiny", "negative")}
    weight = precise.far_below("float32")
    answer = "zero" if weight == 0 else "tiny" if weight > 0 else "negative"
    if not lesson.ask(t, now, "soft_tiny", options, answer):
        return
    st.segmented_control(
        t("page.precision"),
        s.CHOICES["precision"],
        required=True,
        **bound("precision", now.precision),
    )
    shown = contents(t, now)
    shown.say("limit")
    shown.draw(t, now, "naive")
    shown.say("screen")
    shown.draw(t, now, "shifted")
    shown.say("logs")
    if state.is_first_run():
        return
    shown.draw(t, now, "naive_below")
    _limits(t)
    _fates(t, below=False)
    _fates(t, below=True)


def _limits(t: Texts) -> None:
    """What each precision can hold, from torch.finfo."""
    rows = [
        (
            f"`{name}`",
            f"{torch.finfo(dtype).max:.3g}",
            f"{precise.largest_exponent(name):.2f}",
            f"{precise.smallest_exponent(name):.2f}".replace("-", "−"),
        )
        for name, dtype in precise.DTYPES.items()
    ]
    st.markdown(f"#### {t('title.limits')}\n\n{t('why.limits')}")
    lesson.table([t(f"limits.{name}") for name in ("precision", "largest", "over", "under")], rows)


def _fates(t: Texts, *, below: bool) -> None:
    """The weights in all precisions and sizes, in both forms, each really computed."""
    name = "fates_below" if below else "fates"
    st.markdown(f"#### {t(f'title.{name}')}\n\n{t(f'why.{name}')}")
    header = [t("limits.precision"), t("limits.form"), *(f"{size_:g}" for size_ in SIZES)]
    rows = [
        (f"`{precision}`", t(f"form.{form}"), *(_cell(t, precision, form, size_, below) for size_ in SIZES))
        for precision in precise.DTYPES
        for form in FORMS
    ]
    lesson.table(header, rows)


def _cell(t: Texts, precision: str, form: str, size_: float, below: bool) -> str:
    scores = precise.scores(size_, precision, below=below)
    found = FORMS[form](scores)
    fate = precise.fate(found, precise.truth(scores))
    marks = ", ".join(short(w) for w in found.weights.tolist())
    if fate == "right":
        return marks
    return f"{marks} ({t(f'fate.{fate}', error=size(precise.error(found, precise.truth(scores))))})"
