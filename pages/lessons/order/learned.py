"""A matrix of positions that training finds, here set by hand, added to X."""

from dataclasses import replace

import streamlit as st

from pages.ask import questions
from pages.draw import inputs, placing, say, steps
from pages.draw.page import Page
from pages.model import edits
from pages.picture import Arrow, Flow

from . import scene

KIND = "learned"


def draw(page: Page) -> None:
    say.markdown(page.t("learned.intro"))
    if questions.ask(page, "order_equal", lambda: _draw_before(page)):
        _figure(page)


def _figure(page: Page) -> None:
    t, variant = page.t, scene.with_position(page, KIND)
    with st.container(horizontal=True, vertical_alignment="center"):
        scene.use(page, KIND)
        page.button(t("learned.equal"), "equal_rows", equal_rows, help=t("learned.equal_help"))
    computation = steps.of(variant)
    matrices = [inputs.matrix(variant, "x"), computation.positions(), computation["x_p"]]
    matrices += [scene.without(variant), scene.with_them(computation)]
    flow = Flow(["x", Arrow("+"), "p", Arrow("="), "x_p", Arrow("→"), "weights_without", "weights"])
    placing.draw(page, KIND, matrices, [flow], sources=scene.sources(variant))
    say.result(scene.change_sentence(computation, variant))
    n, d_model = len(page.tokens), page.settings.d_model
    say.sentence(t("learned.reading", rows=n, numbers=n * d_model, next=n))


def equal_rows(settings):
    """The first row of P in every row."""
    return edits.set_block(settings, "p", 0, 0, [settings.p[0]] * len(settings.p))


def _draw_before(page: Page) -> None:
    settings = equal_rows(page.settings)
    variant = scene.with_position(replace(page, settings=settings), KIND)
    computation = steps.of(variant)
    p = replace(computation.positions(), recipe=None).to_read()
    x = inputs.matrix(variant, "x").to_read()
    placing.draw(
        page, "equal_asked", [x, p, computation["x_p"]], [Flow(["x", Arrow("+"), "p", Arrow("="), "x_p"])]
    )
