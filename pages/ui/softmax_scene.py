"""What the parts of the lesson on softmax share: charts with files, live sentences, buttons for scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st
import torch

from . import edits, lesson, state, step_view
from . import settings as s
from .downloads import cells_of, csv_button
from .figures import StepView, nice_bound
from .heatmaps import Axis, Panel
from .sidebar import bound
from .softmax_facts import NOTE_SCORES
from .texts import Texts

# Larger numbers do not go through JSON; no scale shows them anyway.
LARGEST = 1e300


@dataclass(frozen=True)
class Drawing:
    """A chart that is no heatmap: its table, its spec, and the table of its file."""

    name: str
    data: dict[str, list]
    spec: Callable[[], dict]  # only called where the chart is drawn
    file: dict[str, list]


@dataclass(frozen=True)
class Contents:
    """What is on the screen and follows the numbers."""

    views: list[StepView] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def live(self, now: s.Settings) -> dict:
        charts = {view.name: step_view.live_table(now, view) for view in self.views}
        charts |= {drawing.name: drawing.data for drawing in self.drawings}
        return {"charts": charts, "texts": self.texts}

    def draw(self, t: Texts, now: s.Settings, name: str) -> None:
        """The chart of that name under its title and its sentence, with its file."""
        text = f"#### {t(f'title.{name}')}\n\n{t(f'why.{name}')}"
        for view in self.views:
            if view.name == name:
                step_view.draw_figure(t, now, view, text, traced=bool(view.arithmetic(0, 0)))
                csv_button(t, name, cells_of(t, view))
        for drawing in self.drawings:
            if drawing.name == name:
                with st.container(key=f"step-{name}"):
                    st.markdown(text)
                    step_view.chart(drawing.data, drawing.spec(), t(f"title.{name}"))
                csv_button(t, name, drawing.file)

    def say(self, name: str) -> None:
        """A sentence that follows the numbers, in its place."""
        lesson.say(name, self.texts[name])


def plain(title: str, values: torch.Tensor, rows: Axis, cols: Axis, lit: str = "cell") -> Panel:
    """Sums: numbers without a colour."""
    return Panel(title, rows, cols, "mask", lit, values=values.tolist(), bound=math.inf)


def held(name: str, value, live: bool):
    """What the chart `name` was last drawn with, while a number is dragged; else `value`, kept for then."""
    kept = st.session_state.setdefault("bounds", {})
    if live and name in kept:
        return kept[name]
    kept[name] = value
    return value


def finite(values: list[float]) -> list[float]:
    """Numbers that a chart's table can hold; NaN is drawn as nothing."""
    return [0.0 if math.isnan(v) else min(max(v, -LARGEST), LARGEST) for v in values]


def reach(values: list[float]) -> tuple[float, float]:
    """A round range from 0, or from below it, that holds all the numbers."""
    values = finite(values)
    top = nice_bound([values])
    return (-top if min(values) < 0 else 0.0, top if max(values) > 0 else 0.0)


def choose_score(t: Texts, now: s.Settings) -> None:
    """Which score is followed."""
    if len(now.logits) > 1:
        st.segmented_control(
            t("page.score"),
            range(len(now.logits)),
            required=True,
            format_func=lambda i: str(i + 1),
            **bound("score", now.score),
        )


def change_scores(t: Texts, now: s.Settings) -> None:
    """One score more or less, a tie, and the note's scores."""
    logits = now.logits
    top = max(logits)
    tied = (*logits[:-1], max(logits[:-1], default=top))
    choices = {
        "add": ((*logits, 0.0), len(logits) == s.MAX_LOGITS),
        "remove": (logits[:-1], len(logits) == 1),
        "tie": (tied, tied == logits),
        "note": (NOTE_SCORES, logits == NOTE_SCORES),
    }
    with st.container(horizontal=True):
        for name, (changed, useless) in choices.items():
            st.button(
                t(f"scores.{name}"),
                key=f"scores-{name}",
                disabled=useless,
                on_click=state.edit,
                args=(lambda now, changed=changed: edits.with_choice(now, logits=changed),),
            )
