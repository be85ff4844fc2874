"""Scores multiplied by the mask: a masked key keeps the weight of a score of 0."""

from typing import Any

from torch import Tensor

from attention.lab.masks import masking
from attention.lab.mistakes import forms
from pages import picture
from pages.ask import blocks, questions
from pages.ask.stand_in import fitting
from pages.draw.numbers import apart, bracketed, short
from pages.draw.page import Page
from pages.picture import Matrix

from .scene import MaskScene, choose_head, mask_or_causal, say_stand_in

QUESTION = "times_zero"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(say_stand_in)
    yield blocks.control(choose_head)
    if mask_or_causal(page).all():
        yield blocks.caption("scene.masks_nothing")
        return
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_picture)
    yield blocks.text("times_zero.why")


def _ask(page: Page) -> bool:
    """What do the weights of the masked keys become?"""
    page = fitting(page, lambda page: _right(page) is not None)
    mask, scene = mask_or_causal(page), MaskScene(page)
    wrong = forms.times_zero(scene.head.unmasked_scores, mask)
    look: dict[str, Any] = {"matrices": _before(scene, mask), "sources": [scene.steps.find]}
    return questions.ask(page, QUESTION, **look, answer=_right(page), weight=_largest(wrong, mask))


def _right(page: Page) -> str | None:
    mask = mask_or_causal(page)
    return questions.only(holds(forms.times_zero(MaskScene(page).head.unmasked_scores, mask), mask))


def _before(scene: MaskScene, mask: Tensor) -> list[Matrix]:
    """X, the scaled scores, and the scores times the mask."""
    scores = scene.head.unmasked_scores
    recipe = picture.written(_products(scores, mask), ["scaled_scores"])
    return [scene.numbers(), scene.scaled(), scene.square("zeroed", scores * mask, recipe=recipe)]


def _largest(wrong: Tensor, mask: Tensor) -> str:
    """The largest weight of a masked key."""
    return apart(masking.largest_masked_weight(wrong, mask) or 0.0)


def _picture(page: Page) -> None:
    """The right weights next to those of scores times the mask."""
    t, mask, scene = page.t, mask_or_causal(page), MaskScene(page)
    wrong = forms.times_zero(scene.head.unmasked_scores, mask)
    right = scene.weights("weights_right", masking.attend(scene.head, mask).weights, mask)
    kept = [(row, col) for row, col in (~mask).nonzero().tolist()]
    after = scene.weights("weights_zeroed", wrong, ringed=kept, recipe=picture.softmax("zeroed"))
    sums = scene.sums("sums", "weights_zeroed", wrong)
    largest = t("times_zero.largest", weight=_largest(wrong, mask))
    scene.draw("times_zero", [*_before(scene, mask), right, after, sums], said=[largest])


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
