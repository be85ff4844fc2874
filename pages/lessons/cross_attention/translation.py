"""Where cross-attention is used: the three attentions of a translator, and the mask of each."""

from dataclasses import replace

import streamlit as st
import torch

from attention import causal_mask, padding_mask
from pages.ask import questions
from pages.draw import inputs, matrix, placing, results, say
from pages.draw.page import Page
from pages.picture import Arrow, Flow, Matrix

from . import scene

QUESTION = "cross_causal"
OPTIONS = ("encoder", "decoder", "cross")


def draw(page: Page) -> None:
    t, page = page.t, page.unfollowed()
    say.markdown(t("translation.lead"))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        scene.source(page)
        real = _real(page)
    matrices = [
        inputs.matrix(page, "x"),
        inputs.matrix(page, "y"),
        replace(scene.of(page)["weights"], title=t("translation.alignment")),
    ]
    computation = scene.of(page)
    placing.draw(
        page, "reading", matrices, [Flow(["x", "y", Arrow("A"), "weights"])], sources=[computation.find]
    )
    say.result(results.reading(t, computation.head, page.tokens, None, page.source))
    options = {name: t(f"which.{name}") for name in OPTIONS}
    if questions.ask(page, QUESTION, matrices=attentions(page, real, causal=False), words=options):
        placing.draw(page, "attentions", attentions(page, real, causal=True))
        say.markdown(t("translation.masks"))


def _real(page: Page) -> int:
    """How many tokens of Y are real, where its padding is masked."""
    scene.mask(page)
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
