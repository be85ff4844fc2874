"""Which way True points: one mask, given to two of PyTorch's calls as it is."""

import streamlit as st
from torch import Tensor

from attention.lab.masks import libraries, masking
from pages.ask import questions
from pages.draw import say
from pages.draw.page import Page

from .scene import MaskScene, all_rows, choose_head, mask_or_causal, row_names, say_stand_in

QUESTION = "polarity"
CODE = (
    "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)\n"
    "nn.MultiheadAttention(...)(x, x, x, attn_mask=~mask)"
)


def draw(page: Page) -> None:
    t, page = page.t, all_rows(page)
    say_stand_in(page)
    chosen = mask_or_causal(page)
    choose_head(page)
    scene, mask = MaskScene(page), ~chosen if page.own.reversed else chosen
    mask_matrix = scene.mask(mask, "mask_given")
    ours = scene.weights("weights_sdpa", masking.attend(scene.head, mask).weights, mask)

    def think() -> None:
        scene.draw("question", [mask_matrix, ours])
        say.markdown(t("polarity_part.before"))

    if not questions.ask(page, QUESTION, think, answer=libraries.polarity(scene.head, chosen)):
        return
    page.toggle("reversed")
    theirs = scene.weights("weights_layer", libraries.layer_weights(scene.head, mask), ~mask)
    scene.draw("polarity", [scene.numbers(), mask_matrix, ours, theirs])
    say.markdown(t("polarity_part.two"))
    say.result(empty_rows_sentence(page, mask))
    st.code(CODE, language="python")


def empty_rows_sentence(page: Page, mask: Tensor) -> str:
    """Which queries each of the calls leaves without a key."""
    results = {"sdpa": row_names(page, ~mask.any(-1)), "layer": row_names(page, mask.all(-1))}
    return page.t("polarity_part.fully_masked", **results)
