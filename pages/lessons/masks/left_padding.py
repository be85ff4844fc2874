"""Padding on the left with a causal mask: the queries of the padding may attend to nothing."""

from typing import Any

import torch
from torch import Tensor

from attention import causal_mask
from attention.lab.masks import masking
from attention.lab.masks import padding as lab
from attention.lab.mistakes import forms
from pages.ask import blocks, questions
from pages.draw.page import Page
from pages.picture import Grid, Matrix

from .scene import MaskScene, padding, row_names

QUESTION = "left_padding"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("left_padding.lead")
    yield from padding(page)
    if page.settings.padding < len(page.tokens):
        yield blocks.asking(QUESTION, _ask)
        yield blocks.picture(_picture)
        yield blocks.text("left_padding.corrected")


def _ask(page: Page) -> bool:
    """Whose rows do both masks together leave nothing?"""
    scene, n, real = MaskScene(page), len(page.tokens), page.settings.padding
    left = masking.left_padding_mask([real], n).expand(n, n)
    factors = [scene.mask(causal_mask(n), "mask_causal"), scene.mask(left, "mask_left")]
    facts: dict[str, Any] = {"padded": row_names(page, torch.arange(n) < n - real), "count": n - real}
    facts["answer"] = answer(masking.left_padded_causal(real, n), real)
    return questions.ask(page, QUESTION, matrices=factors, **facts)


def _picture(page: Page) -> None:
    """The two masks together, and corrected."""
    scene, real = MaskScene(page), page.settings.padding
    both = masking.left_padded_causal(real, len(page.tokens))
    matrices = [scene.numbers(), scene.scaled(), *ways(scene, both)]
    rows = [["x", "mask_both", "weights_plain"], ["scaled_scores", "mask_self", "weights_self"]]
    scene.draw("left_padding", matrices, [Grid(rows)], fit=True, said=[spread(page, scene, both)])


def right_mask(page: Page) -> Tensor:
    """Both masks, but each padded query may attend to itself."""
    return masking.left_padded_causal(page.settings.padding, len(page.tokens), attend_to_self=True)


def ways(scene: MaskScene, both: Tensor) -> list[Matrix]:
    """The two masks together: a plain softmax, and the same where each padded query may attend to itself."""
    corrected = right_mask(scene.page)
    plain = forms.plain_softmax(scene.head.unmasked_scores.masked_fill(~both, -torch.inf))
    right = masking.attend(scene.head, corrected).weights
    return [
        scene.mask(both, "mask_both"),
        scene.weights("weights_plain", plain, both),
        scene.mask(corrected, "mask_self"),
        scene.weights("weights_self", right, corrected),
    ]


def answer(both: Tensor, real: int) -> str:
    """Whose rows are fully masked, read off the mask."""
    empty = ~both.any(-1)
    if not empty.any():
        return "none"
    return "real" if empty[len(empty) - real :].any() else "padded"


def spread(page: Page, scene: MaskScene, both: Tensor) -> str:
    """How many rows are NaN after one layer of a plain softmax, and after two."""
    first, second = lab.nan_rows(scene.head, both)
    return page.t("left_padding.spread", first=int(first.sum()), second=int(second.sum()), count=len(first))
