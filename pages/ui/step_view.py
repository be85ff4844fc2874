"""Draws the steps: title, formula, why, the core's line of code, and the linked heatmaps."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import streamlit as st

from . import heatmaps, source
from .figures import StepView, arithmetic, numbers, places, spoken
from .settings import Settings
from .texts import Texts

ARITHMETIC_WIDTH = 72
ARITHMETIC_NARROW = 40


def is_narrow() -> bool:
    """The reader's screen is a phone's: heatmaps one below the other."""
    return st.session_state.get("narrow", False)


def arithmetic_width() -> int:
    return ARITHMETIC_NARROW if is_narrow() else ARITHMETIC_WIDTH


def _chosen(now: Settings, view: StepView) -> tuple[int, int] | None:
    return now.cell[1:] if now.cell and now.cell[0] == view.name else None


def table(now: Settings, view: StepView) -> dict[str, list]:
    """The cells of a step, as its chart wants them."""
    st.session_state.setdefault("bounds", {})[view.name] = [panel.bound for panel in view.panels]
    written = arithmetic(view, arithmetic_width())
    return places(view, _chosen(now, view)) | numbers(view) | written | spoken(view)


def live_table(now: Settings, view: StepView) -> dict[str, list]:
    """What changes in a step's chart while a number is dragged."""
    written = arithmetic(view, arithmetic_width()) if _chosen(now, view) else {}
    if st.session_state["hold"]:
        view = _held(view)
    return numbers(view) | written


def _held(view: StepView) -> StepView:
    """The view with the colour ranges of the last full run: they hold still while a number is dragged."""
    bounds = st.session_state.get("bounds", {}).get(view.name)
    if bounds is None:
        return view
    panels = [replace(panel, bound=bound) for panel, bound in zip(view.panels, bounds, strict=True)]
    return replace(view, panels=panels)


def _text(t: Texts, now: Settings, view: StepView) -> str:
    several = now.num_heads > 1
    name = view.name
    many = "_many" if name == "output" and several else ""
    none = "_none" if name == "masked_scores" and now.mask == "none" else ""
    formula = t(
        f"formula.{name}{many}",
        i=f"_{{{now.head + 1}}}" if several else "",
        divisor=divisor_tex(now),
        bias=_bias_tex(now, name),
        masked=r"-\infty" if now.masked_score == "-inf" else "-10^9",
    )
    lines = [f"#### {t(f'title.{name}')} &emsp;{formula}", t(f"why.{name}{many}{none}")]
    if now.row is not None and name in ("key", "value"):
        lines.append(t("narrow.keys"))
    lines.append(f"`{source.line(name, several)}`")
    return "\n\n".join(lines)


def _bias_tex(now: Settings, name: str) -> str:
    letter = {"query": "Q", "key": "K", "value": "V", "output": "O"}.get(name)
    return f" + b^{letter}" if letter and now.b_q is not None else ""


def divisor_tex(now: Settings) -> str:
    """What the scores are divided by, in TeX, with the present numbers."""
    d_k = now.head_dim
    return {"sqrt_d_k": rf"\sqrt{{{d_k}}}", "none": "1", "d_k": str(d_k)}.get(now.scaling) or (
        f"{now.own_divisor:g}"
    )


def draw_step(t: Texts, now: Settings, view: StepView) -> None:
    """One step of the computation in its container `step-<name>`."""
    draw_figure(t, now, view, _text(t, now, view))


def draw_figure(t: Texts, now: Settings, view: StepView, text: str = "", *, traced: bool = True) -> None:
    """Heatmaps in their container `step-<name>`, under `text`. traced: with a cell's arithmetic below."""
    data = table(now, view)
    lines = (max(text.count("\n") for text in data["a"]) + 1) if traced else 0
    columns_only = all(len(panel.cols.indices) == 1 for panel in view.panels)
    with st.container(key=f"step-{view.name}"):
        if text:
            st.markdown(text)
        chart(
            data,
            heatmaps.spec(
                view.panels, lines=lines, line=arithmetic_width(), stacked=is_narrow() and not columns_only
            ),
            ": ".join([t(f"title.{view.name}"), " ".join(panel.title for panel in view.panels)]),
        )


def chart(data: dict[str, list], spec: dict, alt: str) -> None:
    st.vega_lite_chart(pa.table(data), spec, width="content", alt=alt)


def draw_heads(t: Texts, now: Settings, view: StepView) -> None:
    """Thumbnails of all heads; a click chooses one."""
    with st.container(key="step-heads"):
        st.markdown(f"#### {t('page.heads_title')}")
        chart(table(now, view), heatmaps.spec(view.panels), t("page.heads_title"))
