"""What the parts of the lesson on cross-attention share: the steps, and the second sequence's controls."""

from dataclasses import replace

import streamlit as st

from attention import MultiHeadTrace
from pages import session
from pages.draw import arithmetic, inputs
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model import edits
from pages.model import settings as s
from pages.model.compute import cross_trace_of, needed, tensors_of
from pages.picture import Matrix

CROSS_MASKS = ("none", "padding", "causal")


class CrossSteps(Steps):
    """The steps, with keys and values from the second sequence; the axes say which one a token is from."""

    def __init__(self, page: Page):
        super().__init__(page, cross_trace_of(page.settings), page.source)
        self.axes = {"row_axis": self.t("cross.query"), "col_axis": self.t("cross.key")}


def output_recipe(settings: s.Settings, trace: MultiHeadTrace) -> dict:
    """The arithmetic of the output: A · V, of several heads their outputs side by side times W_O."""
    if settings.num_heads == 1:
        return arithmetic.products(trace.heads.weights[0], trace.heads.value[0], trace.output)
    weights = tensors_of(settings)
    return arithmetic.products(trace.concatenated, needed(weights["w_o"]), trace.output, weights["b_o"])


def of(page: Page) -> CrossSteps:
    return CrossSteps(page)


def without_mask(page: Page) -> Page:
    """The page with every token of Y visible."""
    return replace(page, settings=replace(page.settings, cross_mask="none"))


def source(page: Page) -> None:
    """The tokens of Y, typed."""
    bound = session.bind(
        "source",
        " ".join(page.settings.source),
        lambda text: session.edit(lambda settings: edits.set_source(settings, str(text))),
    )
    st.text_input(page.t("setting.source"), help=page.t("help.source"), width=260, **bound)


def mask(page: Page) -> None:
    """The mask on the keys, and the number that it needs."""
    t, settings = page.t, page.settings
    st.selectbox(
        t("setting.cross_mask"),
        CROSS_MASKS,
        format_func=lambda name: t(f"mask.{name}"),
        help=t("help.cross_mask"),
        width=150,
        **session.bind("cross_mask"),
    )
    if settings.cross_mask == "padding":
        page.number("source_padding", width=200)
    if settings.cross_mask == "causal":
        page.choose("alignment", s.ALIGNMENTS, lambda name: t(f"alignment.{name}"))


def pair(page: Page) -> list[Matrix]:
    """X and Y, to edit."""
    return [inputs.matrix(page, "x"), inputs.matrix(page, "y")]
