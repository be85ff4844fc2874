"""Where cross-attention is used: the three attentions of a translator, and the mask of each."""

from dataclasses import replace

import streamlit as st
import torch

from attention import causal_mask, padding_mask
from pages.ask import blocks, questions
from pages.draw import matrix, placing, results
from pages.draw.page import Page
from pages.picture import Arrow, Flow, Matrix

from . import scene

QUESTION = "cross_causal"
OPTIONS = ("encoder", "decoder", "cross")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("translation.lead")
    yield blocks.aside(_controls)
    yield blocks.picture(_alignment)
    yield blocks.result(_reading)
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_attentions)
    yield blocks.text("translation.masks")


def _controls(page: Page) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        scene.source(page)
        scene.mask(page)


def _alignment(page: Page) -> None:
    page = page.unfollowed()
    computation = scene.of(page)
    weights = replace(computation["weights"], title=page.t("translation.alignment"))
    matrices, flow = [*scene.pair(page), weights], Flow(["x", "y", Arrow("A"), "weights"])
    placing.draw(page, "reading", matrices, [flow], sources=[computation.find])


def _reading(page: Page) -> str:
    return results.reading(page.t, scene.of(page).head, page.tokens, None, page.source)


def _ask(page: Page) -> bool:
    page = page.unfollowed()
    options = {name: page.t(f"which.{name}") for name in OPTIONS}
    return questions.ask(page, QUESTION, matrices=attentions(page, _real(page), causal=False), words=options)


def _attentions(page: Page) -> None:
    """The answer."""
    placing.draw(page.unfollowed(), "attentions", attentions(page, _real(page), causal=True))


def _real(page: Page) -> int:
    """How many tokens of Y are real, where its padding is masked."""
    return page.settings.source_padding if page.settings.cross_mask == "padding" else len(page.source)


def attentions(page: Page, real: int, *, causal: bool) -> list[Matrix]:
    """The masks of the encoder, of the decoder and between them. causal: with the decoder's own."""
    t, x, y = page.t, list(page.tokens), list(page.source)
    visible = padding_mask([real], len(y))
    decoder = causal_mask(len(x)) if causal else torch.ones(len(x), len(x), dtype=torch.bool)
    attentions = {
        "encoder": (visible.expand(len(y), len(y)), y, y),
        "decoder": (decoder, x, x),
        "cross": (visible.expand(len(x), len(y)), x, y),
    }
    axes = {"row_axis": t("axis.query"), "col_axis": t("axis.key")}
    return [
        matrix.of(f"mask_{name}", t(f"which.{name}"), mask, rows, cols, **axes)
        for name, (mask, rows, cols) in attentions.items()
    ]
