"""Which way True points: one mask, given to two of PyTorch's calls as it is."""

import streamlit as st
from torch import Tensor

from attention.lab.masks import libraries, masking
from pages.ask import questions
from pages.draw import live, say
from pages.draw.page import Page
from pages.picture import Matrix

from .scene import MaskScene, choose_head, mask_or_causal, row_names, say_stand_in

QUESTION = "polarity"
CODE = (
    "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)\n"
    "nn.MultiheadAttention(...)(x, x, x, attn_mask=~mask)"
)


def draw(page: Page) -> None:
    say_stand_in(page)
    choose_head(page)
    if questions.judged(page, QUESTION, _ask):
        page.toggle("reversed")
        live.picture(page, _picture)
        say.markdown(page.t("polarity_part.two"))
        st.code(CODE, language="python")


def drawn_mask(page: Page) -> Tensor:
    """The mask as it is given to both calls; the first one attends where it is True."""
    return ~mask_or_causal(page) if page.own.reversed else mask_or_causal(page)


def _ours(page: Page) -> tuple[MaskScene, Tensor, list[Matrix]]:
    """The scene, the mask as it is given to both calls, and what the first call makes of it."""
    scene, mask = MaskScene(page), drawn_mask(page)
    weights = scene.weights("weights_sdpa", masking.attend(scene.head, mask).weights, mask)
    return scene, mask, [scene.mask(mask, "mask_given"), weights]


def _ask(page: Page) -> bool:
    """What does the other call make of the same mask?"""
    scene, _, ours = _ours(page)

    def think() -> None:
        scene.draw("question", ours)

    answer = libraries.polarity(scene.head, mask_or_causal(page))
    return questions.ask(page, QUESTION, think, answer=answer)


def _picture(page: Page) -> None:
    """What both calls make of it."""
    scene, mask, ours = _ours(page)
    theirs = scene.weights("weights_layer", libraries.layer_weights(scene.head, mask), ~mask)
    said = [empty_rows_sentence(page, mask)]
    scene.draw("polarity", [scene.numbers(), *ours, theirs], said=said)


def empty_rows_sentence(page: Page, mask: Tensor) -> str:
    """Which queries each of the calls leaves without a key."""
    results = {"sdpa": row_names(page, ~mask.any(-1)), "layer": row_names(page, mask.all(-1))}
    return page.t("polarity_part.fully_masked", **results)
