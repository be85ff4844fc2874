"""The longest path: how information from the first token reaches the last one's output in each layer."""

from typing import Any

import streamlit as st

from attention.lab.cost import layers as lab
from attention.lab.cost.layers import LAYERS
from pages.ask import blocks, questions
from pages.draw import inputs, palette, plots
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.page import Page

from .settings import CostNumbers

# The question's stack: 81 tokens, kernel 3, each layer with three times the dilation of the one before.
ASKED_N, ASKED_KERNEL = 81, 3


def draw(page: Page) -> blocks.Blocks:
    yield blocks.asking("cost_layers", _ask)
    yield blocks.control(_controls, follows="moved")
    yield blocks.chart("paths", _charts, _file, heading=False, result=_lengths)
    yield blocks.text("paths.note")


def _ask(page: Page) -> bool:
    answer = str(lab.path("convolutional", ASKED_N, kernel=ASKED_KERNEL, window=2))
    facts: dict[str, Any] = {"answer": answer, "n": ASKED_N, "kernel": ASKED_KERNEL}
    return questions.ask(page, "cost_layers", lambda: plots.ghost(page, "paths", _charts(page)), **facts)


def _controls(page: Page) -> None:
    left, right = st.columns([4, 1])
    with left:
        inputs.draw_sliders(page, "path_n", plain=("cost_kernel", "cost_window"))
    with right:
        page.toggle("dilated")


def _charts(page: Page) -> list[Chart]:
    return [_chart(page, name, way) for name, way in routes(page.own).items()]


def _lengths(page: Page) -> str:
    lengths = {name: len(way) - 1 for name, way in routes(page.own).items()}
    return page.t("paths.sentence", n=page.own.path_n, **lengths)


def routes(own: CostNumbers) -> dict[str, tuple[int, ...]]:
    """The positions, from 0, on the way through each kind of layer."""
    sizes: dict[str, Any] = {"kernel": own.cost_kernel, "window": own.cost_window, "dilated": own.dilated}
    return {name: lab.route(name, own.path_n, **sizes) for name in LAYERS}


def _chart(page: Page, name: str, way: tuple[int, ...]) -> Chart:
    """The positions that a number passes, one edge after another, from the first input up."""
    t, n, last = page.t, page.own.path_n, len(way) - 1
    up = t("axis.time" if name == "recurrent" else "axis.layer")
    plot = Plot(
        Axis(t("axis.position"), (0.5, n + 0.5), whole=True),
        Axis(up, (0.0, last), whole=True),
        title=t(f"layer.{name}"),
        used=(palette.SERIES[0], palette.OTHERS),
    )
    for i in range(n):
        plot.mark("speck", i + 1, 0, 1)
        plot.mark("speck", i + 1, last, 1)
    plot.curve("path", [position + 1 for position in way], range(len(way)))
    return plot.chart()


def _file(page: Page) -> dict[str, list]:
    t, ways = page.t, routes(page.own)
    return {
        t("column.layer"): [name for name, way in ways.items() for _ in way],
        t("column.edge"): [i for way in ways.values() for i in range(len(way))],
        t("column.position"): [position + 1 for way in ways.values() for position in way],
    }
