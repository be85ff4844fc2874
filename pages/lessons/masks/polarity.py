"""Which way True points: one mask, given to two of PyTorch's calls as it is."""

import streamlit as st
from torch import Tensor

from attention.lab.masks import libraries, masking
from pages.ask import blocks
from pages.draw import say
from pages.draw.page import Page
from pages.picture import Matrix

from .scene import MaskScene, choose_head, mask_or_causal, row_names, say_stand_in

QUESTION = "polarity"
CODE = (
    "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)\n"
    "nn.MultiheadAttention(...)(x, x, x, attn_mask=~mask)"
)


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(say_stand_in)
    yield blocks.control(choose_head)
    yield blocks.ask(QUESTION, _given, answer=_answer)
    yield blocks.control(Page.toggle, "reversed")
    yield blocks.picture(_picture)
    yield blocks.aside(_two)


def drawn_mask(page: Page) -> Tensor:
    """The mask as it is given to both calls; the first one attends where it is True."""
    return ~mask_or_causal(page) if page.own.reversed else mask_or_causal(page)


def _ours(page: Page) -> tuple[MaskScene, Tensor, list[Matrix]]:
    """The scene, the mask as it is given to both calls, and what the first call makes of it."""
    scene, mask = MaskScene(page), drawn_mask(page)
    weights = scene.weights("weights_sdpa", masking.attend(scene.head, mask).weights, mask)
    return scene, mask, [scene.mask(mask, "mask_given"), weights]


def _given(page: Page) -> None:
    scene, _, ours = _ours(page)
    scene.draw("question", ours)


def _answer(page: Page) -> str | None:
    """What the other call makes of the same mask."""
    return libraries.polarity(MaskScene(page).head, mask_or_causal(page))


def _picture(page: Page) -> None:
    """What both calls make of it."""
    scene, mask, ours = _ours(page)
    theirs = scene.weights("weights_layer", libraries.layer_weights(scene.head, mask), ~mask)
    said = [empty_rows_sentence(page, mask)]
    scene.draw("polarity", [scene.numbers(), *ours, theirs], said=said)


def _two(page: Page) -> None:
    say.markdown(page.t("polarity_part.two"))
    st.code(CODE, language="python")


def empty_rows_sentence(page: Page, mask: Tensor) -> str:
    """Which queries each of the calls leaves without a key."""
    results = {"sdpa": row_names(page, ~mask.any(-1)), "layer": row_names(page, mask.all(-1))}
    return page.t("polarity_part.fully_masked", **results)
