"""Scores multiplied by the mask: a masked key keeps the weight of a score of 0."""

import streamlit as st
from torch import Tensor

from attention.lab.masks import masking
from attention.lab.mistakes import forms
from pages.ui import figure, questions, say
from pages.ui.numbers import apart
from pages.ui.page import Page

from .scene import Scene, all_rows, choose_head, mask_or_causal

QUESTION = "times_zero"
OPTIONS = ("zero", "more", "nan")


def draw(page: Page) -> None:
    t, page = page.t, all_rows(page)
    mask = mask_or_causal(page)
    choose_head(page)
    if mask.all():
        st.caption(t("scene.masks_nothing"))
        return
    scene = Scene(page)
    scores = scene.head.unmasked_scores
    wrong = forms.times_zero(scores, mask)
    zeroed = scene.square("zeroed", scores * mask)
    before = [scene.numbers(), scene.scaled(), zeroed]
    weight = apart(masking.largest_masked_weight(wrong, mask))

    def asked() -> None:
        figure.draw(page, "question", before)

    if questions.ask(page, QUESTION, OPTIONS, answer(wrong, mask), picture=asked, weight=weight):
        right = scene.weights("weights_right", masking.attend(scene.head, mask).weights, mask)
        after = scene.weights("weights_zeroed", wrong)
        figure.draw(page, "times_zero", [*before, right, after, scene.sums("sums", "weights_zeroed", wrong)])
        st.markdown(t("times_zero.why"))
        say.sentence(t("times_zero.largest", weight=weight))


def answer(wrong: Tensor, mask: Tensor) -> str:
    """The largest weight of a masked key, in a word."""
    largest = masking.largest_masked_weight(wrong, mask)
    if largest is None or largest == 0:
        return "zero"
    return "more" if largest == largest else "nan"
