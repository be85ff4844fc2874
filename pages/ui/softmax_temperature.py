"""Temperature, a constant added, one score growing, ties, and the hard maximum at the end of it all."""

from __future__ import annotations

import math

import streamlit as st

from . import lesson, state, step_view
from . import softmax_facts as facts
from .numbers import short
from .results import size
from .settings import Settings
from .softmax_bars import names_of
from .softmax_charts import Bars, Lines, bars_spec, lines_spec
from .softmax_scene import Contents, Drawing, change_scores, choose_score, held
from .texts import Texts

EDITED = ("logits", "temperature", "shift")
TEMPERATURES = [10 ** (-2 + 4 * i / 48) for i in range(49)]
GROWTH = 8.0  # how far the score is moved to either side of its half-way point
STEPS = 40
LABEL_HEIGHT = 0.07  # of a chart of weights
GAPS = [i * 0.2 for i in range(51)]


def _hard(t: Texts, now: Settings) -> Drawing:
    """The weights between the two ends of the scale: hard maximum, now, all alike."""
    n = len(now.logits)
    columns = {
        "hard": facts.hard_maximum(now.logits),
        "now": facts.softmax(now.logits, now.temperature),
        "alike": [1 / n] * n,
    }
    names = names_of(now)
    data = {"i": list(range(n)), "s": [int(i == now.score) for i in range(n)], "d": list(names)} | columns
    data |= {f"{name}_text": [short(value, 3) for value in column] for name, column in columns.items()}
    data["d"] = [f"{name}: {value}" for name, value in zip(names, data["now_text"], strict=True)]

    def spec() -> dict:
        panels = [Bars(t(f"panel.{name}"), name, f"{name}_text", "p", (0.0, 1.0)) for name in columns]
        return bars_spec(panels, names, t("axis.score"), stacked=step_view.is_narrow())

    file = {t("axis.score"): list(names)} | {t(f"panel.{name}"): list(v) for name, v in columns.items()}
    return Drawing("hard", data, spec, file)


class Rows:
    """The rows of a chart of curves, collected one by one."""

    def __init__(self):
        self.rows: list[tuple] = []

    def add(
        self, panel: int, point: bool, curve: int, chosen: bool, x: float, y: float, text: str = "", z=0.0
    ):
        self.rows.append((panel, int(point), curve, int(chosen), x, y, text, f"{text}: {short(y, 3)}", z))

    def data(self) -> dict[str, list]:
        names = ("p", "k", "c", "s", "x", "y", "t", "d", "z")
        columns = dict(zip(names, map(list, zip(*self.rows, strict=True)), strict=True))
        return {"i": list(range(len(self.rows)))} | columns


def _named(weights: list[float]) -> list[str]:
    """Each curve's name at its point; where points lie close, the uppermost has the names of all."""
    groups: list[list[int]] = []
    for i in sorted(range(len(weights)), key=lambda i: -weights[i]):
        if groups and weights[groups[-1][0]] - weights[i] < LABEL_HEIGHT:
            groups[-1].append(i)
        else:
            groups.append([i])
    names = [""] * len(weights)
    for group in groups:
        names[group[0]] = ", ".join(str(i + 1) for i in sorted(group))
    return names


def _by_temperature(t: Texts, now: Settings) -> Drawing:
    """All weights, and their entropy, against the temperature."""
    rows, n = Rows(), len(now.logits)
    table_ = [facts.softmax(now.logits, temperature) for temperature in TEMPERATURES]
    for i in range(n):
        for temperature, weights in zip(TEMPERATURES, table_, strict=True):
            rows.add(0, False, i, i == now.score, temperature, weights[i])
    present = facts.softmax(now.logits, now.temperature)
    for i, (weight, name) in enumerate(zip(present, _named(present), strict=True)):
        rows.add(0, True, i, i == now.score, now.temperature, weight, name)
    for temperature, weights in zip(TEMPERATURES, table_, strict=True):
        rows.add(1, False, 0, True, temperature, facts.spread(weights).entropy)
    rows.add(1, True, 0, True, now.temperature, facts.spread(present).entropy)

    def spec() -> dict:
        temperature = (t("axis.temperature"), t("axis.weight"), (0.01, 100.0))
        top = max(math.log2(n), 1.0)
        panels = [
            Lines(t("panel.by_temperature"), *temperature, (0.0, 1.0), x_log=True),
            Lines(
                t("panel.entropy"),
                temperature[0],
                t("axis.entropy"),
                (0.01, 100.0),
                (0.0, top),
                x_log=True,
                panel=1,
            ),
        ]
        return lines_spec(panels, narrow=step_view.is_narrow())

    file = {t("axis.temperature"): TEMPERATURES}
    file |= {f"p{i + 1}": [weights[i] for weights in table_] for i in range(n)}
    file[t("axis.entropy")] = [facts.spread(weights).entropy for weights in table_]
    return Drawing("by_temperature", rows.data(), spec, file)


def _growth(t: Texts, now: Settings, live: bool) -> Drawing:
    """All weights while the chosen score runs, beside the largest weight against its lead."""
    rows, j, n = Rows(), now.score, len(now.logits)
    middle = facts.half_way(now.logits, j)
    low, high = held("growth", (middle - GROWTH, middle + GROWTH), live)
    grid = [low + (high - low) * i / STEPS for i in range(STEPS + 1)]
    curves = facts.along(now.logits, j, grid)
    for i in range(n):
        for x, weights in zip(grid, curves, strict=True):
            rows.add(0, False, i, i == j, x, weights[i])
    present = facts.softmax(now.logits)
    for i, (weight, name) in enumerate(zip(present, _named(present), strict=True)):
        rows.add(0, True, i, i == j, now.logits[j], weight, name)
    least, most = facts.largest_bounds(GAPS, n, 1.0)
    for x, bottom, top in zip(GAPS, least, most, strict=True):
        rows.add(1, False, 0, True, x, top, z=bottom)
    rows.add(1, True, 0, True, facts.gap(now.logits), max(present))

    def spec() -> dict:
        panels = [
            Lines(
                t("panel.growth", index=j + 1),
                t("axis.one_score", index=j + 1),
                t("axis.weight"),
                (low, high),
                (0.0, 1.0),
            ),
            Lines(
                t("panel.gap"),
                t("axis.gap"),
                t("axis.largest"),
                (0.0, GAPS[-1]),
                (0.0, 1.0),
                panel=1,
                area=True,
            ),
        ]
        return lines_spec(panels, narrow=step_view.is_narrow())

    file = {t("axis.one_score", index=j + 1): grid}
    file |= {f"p{i + 1}": [weights[i] for weights in curves] for i in range(n)}
    return Drawing("growth", rows.data(), spec, file)


def _reading(t: Texts, now: Settings) -> str:
    found = facts.spread(facts.softmax(now.logits, now.temperature))
    return t(
        "temperature.reading",
        temperature=f"{now.temperature:g}",
        largest=short(found.largest, 4),
        bits=short(found.entropy, 3),
        most=short(math.log2(len(now.logits)), 3),
        share=f"{found.share:.0%}",
        effective=short(found.effective),
    )


def _ties(t: Texts, now: Settings) -> str:
    """Who shares the largest weight."""
    count, largest = facts.ties(now.logits), max(facts.softmax(now.logits, now.temperature))
    if count > 1:
        return t("temperature.tie", count=count, weight=short(largest, 4), limit=short(1 / count, 4))
    return t("temperature.no_tie", gap=short(facts.gap(now.logits), 3))


def _logistic(t: Texts, now: Settings) -> str:
    j = now.score
    middle = facts.half_way(now.logits, j)
    facts_ = {"index": j + 1, "middle": short(middle, 3), "weight": short(facts.softmax(now.logits)[j], 4)}
    return t("temperature.two" if len(now.logits) == 2 else "temperature.many", **facts_)


def _shift(t: Texts, now: Settings) -> str:
    before, after = facts.softmax(now.logits), facts.softmax(now.logits, shift=now.shift)
    difference = max(abs(a - b) for a, b in zip(before, after, strict=True))
    return t("temperature.float64", shift=f"{now.shift:g}", difference=size(difference))


def contents(t: Texts, now: Settings, *, live: bool = False) -> Contents:
    texts = {"shift": _shift(t, now)}
    if len(now.logits) == 1:
        return Contents(texts=texts)
    drawings = [_hard(t, now), _by_temperature(t, now), _growth(t, now, live)]
    texts |= {"reading": _reading(t, now), "ties": _ties(t, now), "logistic": _logistic(t, now)}
    return Contents(drawings=drawings, texts=texts)


def draw(t: Texts, now: Settings) -> None:
    shown = contents(t, now)
    change_scores(t, now)
    if len(now.logits) == 1:
        st.info(t("page.one_score"))
    elif _asked_double(t, now):
        choose_score(t, now)
        shown.draw(t, now, "hard")
        shown.say("reading")
        shown.say("ties")
        shown.draw(t, now, "by_temperature")
        if state.is_first_run():
            return
        shown.draw(t, now, "growth")
        shown.say("logistic")
    if lesson.ask(t, now, "soft_shift", _options(t, "same_weights", "sharper", "flatter"), "same_weights"):
        _constant(t, now, shown)


def _asked_double(t: Texts, now: Settings) -> bool:
    options = _options(t, "grows", "stays", "shrinks")
    return lesson.ask(t, now, "soft_double", options, facts.doubled(now.logits))


def _options(t: Texts, *names: str) -> dict[str, str]:
    return {name: t(f"option.{name}") for name in names}


def _constant(t: Texts, now: Settings, shown: Contents) -> None:
    """The weights before and after, in decimals of 30 digits; then what binary numbers make of it."""
    before, after = facts.exact_weights(now.logits, 0.0), facts.exact_weights(now.logits, now.shift)
    digits = [
        (f"{i + 1}", f"`{_digits(a)}`", f"`{_digits(b)}`")
        for i, (a, b) in enumerate(zip(before, after, strict=True))
    ]
    st.markdown(f"#### {t('title.shift')}\n\n{t('why.shift')}")
    lesson.table(
        [t("axis.score"), t("temperature.before"), t("temperature.after", shift=f"{now.shift:g}")], digits
    )
    same = before == after
    st.markdown(t("temperature.same" if same else "temperature.last_digit"))
    shown.say("shift")


def _digits(value) -> str:
    """28 digits after the point, or what is left of a number that small."""
    return f"{value:.28f}" if value >= 1e-20 else f"{value:.6e}" if value else "0"
