"""One score changed by a little: every weight's answer, beside what the Jacobian says."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from . import lesson, step_view
from . import softmax_facts as facts
from .figures import StepView, signed, weights
from .heatmaps import Axis
from .numbers import short
from .results import size
from .settings import Settings
from .softmax_bars import names_of
from .softmax_charts import Bars, Lines, bars_spec, lines_spec
from .softmax_scene import Contents, Drawing, change_scores, choose_score, reach
from .softmax_temperature import Rows
from .texts import Texts

EDITED = ("logits", "nudge")
LARGEST_ENTRY = 0.25  # p (1 − p) at p = ½
NUDGES = [10 ** (-3 + i / 8) for i in range(33)]
LEAST_ERROR = 1e-16


def _matrix(t: Texts, now: Settings) -> StepView:
    p = torch.softmax(facts.tensor(now.logits), dim=-1)
    names = names_of(now)
    rows, cols = Axis(t("axis.changed"), names), Axis(t("axis.moved"), names)
    matrix = facts.jacobian(p)
    source = weights(t("panel.weights"), p.unsqueeze(1), rows, Axis(t("axis.value"), ("p",)), "row")
    result = replace(signed("J", matrix, rows, cols), bound=LARGEST_ENTRY)

    def arithmetic(row: int, col: int) -> str:
        a, b = short(p[row].item(), 4), short(p[col].item(), 4)
        value = short(matrix[row, col].item(), 4)
        return f"{a}·(1 − {a}) = {value}" if row == col else f"−{a}·{b} = {value}"

    return StepView("jacobian", [source, result], arithmetic)


def _changes(t: Texts, now: Settings) -> Drawing:
    found = facts.answer(now.logits, now.score, now.nudge)
    names = names_of(now)
    columns = {"real": found.real, "predicted": found.predicted}
    columns["error"] = [a - b for a, b in zip(found.real, found.predicted, strict=True)]
    data = {"i": list(range(len(names))), "s": [int(i == now.score) for i in range(len(names))]} | columns
    data |= {f"{name}_text": [_fine(value) for value in column] for name, column in columns.items()}
    data["d"] = [
        f"{a}: {b}, {c}" for a, b, c in zip(names, data["real_text"], data["predicted_text"], strict=True)
    ]

    def spec() -> dict:
        domain = reach([*found.real, *found.predicted])
        panels = [
            Bars(t(f"panel.{name}"), name, f"{name}_text", "Δp", domain, signed=True) for name in columns
        ]
        return bars_spec(panels, names, t("axis.moved"), stacked=step_view.is_narrow())

    file = {t("axis.moved"): list(names), "p": facts.softmax(now.logits)}
    return Drawing("changes", data, spec, file | {t(f"panel.{name}"): v for name, v in columns.items()})


def _fine(value: float) -> str:
    """Small changes keep their first digits."""
    return short(value, 4) if abs(value) >= 1e-3 or value == 0 else size(value)


def _errors(t: Texts, now: Settings) -> Drawing:
    """The error against the nudge, both on a logarithmic scale: a line of slope 2."""
    sign = math.copysign(1.0, now.nudge)
    errors = [facts.answer(now.logits, now.score, sign * nudge).error for nudge in NUDGES]
    rows = Rows()
    for nudge, error in zip(NUDGES, errors, strict=True):
        rows.add(0, False, 0, True, nudge, max(error, LEAST_ERROR))
    present = facts.answer(now.logits, now.score, now.nudge).error
    rows.add(0, True, 0, True, max(abs(now.nudge), NUDGES[0]), max(present, LEAST_ERROR))

    def spec() -> dict:
        panel = Lines(
            "",
            t("axis.nudge"),
            t("axis.error"),
            (NUDGES[0], NUDGES[-1]),
            (1e-10, 1.0),
            x_log=True,
            y_log=True,
        )
        return lines_spec([panel], narrow=step_view.is_narrow())

    return Drawing("errors", rows.data(), spec, {t("axis.nudge"): NUDGES, t("axis.error"): errors})


def _tenth(t: Texts, now: Settings) -> str:
    """The error at the nudge and at a tenth of it."""
    whole = facts.answer(now.logits, now.score, now.nudge).error
    tenth = facts.answer(now.logits, now.score, now.nudge / 10).error
    if tenth < LEAST_ERROR:
        return t("jacobian.no_error", nudge=f"{now.nudge:g}", error=size(whole))
    return t(
        "jacobian.tenth",
        nudge=f"{now.nudge:g}",
        error=_fine(whole),
        tenth=f"{now.nudge / 10:g}",
        smaller=_fine(tenth),
        ratio=short(whole / tenth, 1),
    )


def contents(t: Texts, now: Settings, *, live: bool = False) -> Contents:
    drawings = [_changes(t, now), _errors(t, now)]
    return Contents(views=[_matrix(t, now)], drawings=drawings, texts={"tenth": _tenth(t, now)})


def draw(t: Texts, now: Settings) -> None:
    change_scores(t, now)
    options = {name: t(f"option.{name}") for name in ("fall", "rise", "keep")}
    if len(now.logits) > 1 and not lesson.ask(t, now, "soft_raise", options, "fall"):
        return
    choose_score(t, now)
    shown = contents(t, now)
    shown.draw(t, now, "changes")
    shown.draw(t, now, "jacobian")
    shown.draw(t, now, "errors")
    shown.say("tenth")
