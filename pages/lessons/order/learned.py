"""A matrix of positions that training finds, here set by hand, added to X."""

from dataclasses import replace

import streamlit as st

from pages.ask import blocks
from pages.draw import inputs, placing, steps
from pages.draw.page import Page
from pages.model import edits
from pages.picture import Arrow, Flow

from . import scene

KIND = "learned"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("learned.intro")
    yield blocks.ask("order_equal", _draw_before)
    yield blocks.control(_controls)
    yield blocks.picture(_figure)
    yield blocks.result(scene.change_sentence, _reading)


def _controls(page: Page) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        scene.use(page)
        page.button(page.t("learned.equal"), "equal_rows", equal_rows, help=page.t("learned.equal_help"))


def _figure(page: Page) -> None:
    variant = scene.with_position(page, KIND)
    computation = steps.of(variant)
    matrices = [inputs.matrix(variant, "x"), computation.positions(), computation["x_p"]]
    matrices += [scene.without(variant), scene.with_them(computation)]
    flow = Flow(["x", Arrow("+"), "p", Arrow("="), "x_p", Arrow("→"), "weights_without", "weights"])
    placing.draw(page, KIND, matrices, [flow], sources=scene.sources(variant))


def _reading(page: Page) -> str:
    n, d_model = len(page.tokens), page.settings.d_model
    return page.t("learned.reading", rows=n, numbers=n * d_model, next=n)


def equal_rows(settings):
    """The first row of P in every row."""
    return edits.set_block(settings, "p", 0, 0, [settings.p[0]] * len(settings.p))


def _draw_before(page: Page) -> None:
    variant = scene.with_position(replace(page, settings=equal_rows(page.settings)), KIND)
    computation = steps.of(variant)
    p = replace(computation.positions(), recipe=None).to_read()
    x = inputs.matrix(variant, "x").to_read()
    flow = Flow(["x", Arrow("+"), "p", Arrow("="), "x_p"])
    placing.draw(page, "equal_asked", [x, p, computation["x_p"]], [flow])
