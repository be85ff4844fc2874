"""Scores multiplied by the mask: a masked key keeps the weight of a score of 0."""

from typing import Any

from torch import Tensor

from attention.lab.masks import masking
from attention.lab.mistakes import forms
from pages.ask import questions
from pages.draw import picture, say
from pages.draw.numbers import apart, bracketed, short
from pages.draw.page import Page

from .scene import MaskScene, all_rows, choose_head, mask_or_causal

QUESTION = "times_zero"


def draw(page: Page) -> None:
    t, page = page.t, all_rows(page)
    mask = mask_or_causal(page)
    choose_head(page)
    if mask.all():
        say.caption(t("scene.masks_nothing"))
        return
    scene = MaskScene(page)
    scores = scene.head.unmasked_scores
    wrong = forms.times_zero(scores, mask)
    recipe = picture.written(_products(scores, mask), ["scaled_scores"])
    zeroed = scene.square("zeroed", scores * mask, recipe=recipe)
    before = [scene.numbers(), scene.scaled(), zeroed]
    weight = apart(masking.largest_masked_weight(wrong, mask) or 0.0)
    look: dict[str, Any] = {"matrices": before, "sources": [scene.steps.find]}
    if questions.ask(page, QUESTION, **look, answer=questions.only(holds(wrong, mask)), weight=weight):
        right = scene.weights("weights_right", masking.attend(scene.head, mask).weights, mask)
        kept = [(row, col) for row, col in (~mask).nonzero().tolist()]
        after = scene.weights("weights_zeroed", wrong, ringed=kept, recipe=picture.softmax("zeroed"))
        scene.draw("times_zero", [*before, right, after, scene.sums("sums", "weights_zeroed", wrong)])
        say.markdown(t("times_zero.why"))
        say.result(t("times_zero.largest", weight=weight))


def _products(scores: Tensor, mask: Tensor) -> list[list[str]]:
    """Each score times 1 or 0."""
    rows = zip(scores.tolist(), mask.tolist(), strict=True)
    return [
        [f"{bracketed(short(a, 4))} · {int(on)} = {short(a * on, 4)}" for a, on in zip(*row, strict=True)]
        for row in rows
    ]


def holds(wrong: Tensor, mask: Tensor) -> dict[str, bool]:
    """What is true of the weights of all masked keys."""
    kept = wrong[~mask]
    zero, more, nan = kept == 0, kept > 0, kept.isnan()
    return {"zero": bool(zero.all()), "more": bool(more.all()), "nan": bool(nan.any())}
