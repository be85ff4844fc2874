"""The whole computation on one screen: queries from X, keys and values from Y."""

import streamlit as st
import torch

from pages.ask import blocks
from pages.draw import inputs, results, say, whole
from pages.draw.page import Page
from pages.model.compute import cross_trace_of
from pages.model.examples import EXAMPLES, family
from pages.model.settings import Settings
from pages.picture import Grid, Passage

from . import scene

# The examples that were made for this lesson.
OF_EXAMPLE = ("tokens", "x", "source", "y", "w_q", "w_k", "w_v", "num_heads")
BY_HAND = ("cats", "translation", "tired_translation", "tired_translation_zh")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(_controls)
    yield blocks.picture(_picture)
    yield blocks.aside(_about, follows="released")


def _controls(page: Page) -> None:
    """Y and its mask; next to them, where it takes no room, why a second sequence is needed."""
    with st.container(key="toolbar_second", horizontal=True, vertical_alignment="bottom", gap="small"):
        scene.source(page)
        scene.mask(page)
        if page.settings.cross_mask == "none":  # a mask brings its own number, or a choice, to this place
            say.markdown(page.t("lesson.lead"), width=500)


def _picture(page: Page) -> None:
    t = page.t
    computation, names = scene.of(page), inputs.names(page.settings)
    sources = [inputs.matrix(page, name) for name in (names[0], "y", *names[1:])]
    reading = results.reading(t, computation.head, page.tokens, page.row, page.source)
    passages = [results.checks(t, computation.head), Passage(results.title(page), [reading])]
    whole.draw(computation, "cross", sources, grid(computation), passages)


def _about(page: Page) -> None:
    say.markdown(about(page))


def about(page: Page) -> str:
    """Where X and Y come from, and what the mask between them means."""
    t, settings = page.t, page.settings
    texts = [t("cross.about"), t("cross.decoder")]
    if _by_hand(settings):
        texts.append(t(f"by_hand.{family(settings.example)}"))
    if settings.cross_mask != "none":
        texts.append(t(f"cross.{settings.cross_mask}"))
    return t.joined(texts)


def _by_hand(settings: Settings) -> bool:
    """The numbers are still those of an example made for this lesson, and each token attends as in it."""
    start = Settings(**EXAMPLES[settings.example])
    if settings.example not in BY_HAND or any(
        getattr(settings, name) != getattr(start, name) for name in OF_EXAMPLE
    ):
        return False
    most, first = (cross_trace_of(numbers).head(0).weights.argmax(-1) for numbers in (settings, start))
    return torch.equal(most, first)


def grid(computation: scene.CrossSteps) -> Grid:
    """Q is where X and W_Q cross, K and V where Y crosses theirs."""
    upper = [[None, q, None, k, v] for q, k, v in whole.weights_rows(computation)]
    return Grid([*upper, ["x", "query", "y", "key", "value"]])
