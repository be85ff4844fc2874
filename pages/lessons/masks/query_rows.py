"""A padding mask laid on the query rows: the real queries still attend to the padding."""

from typing import Any

import torch
from torch import Tensor

from attention import padding_mask
from attention.lab.masks import masking
from attention.lab.mistakes import forms
from pages.ask import blocks, questions
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.picture import Grid

from .scene import MaskScene, padding, row_names

QUESTION = "padding_side"


def draw(page: Page) -> blocks.Blocks:
    yield from padding(page)
    if page.settings.padding < len(page.tokens):
        yield blocks.asking(QUESTION, _ask)
        yield blocks.picture(_picture)
        yield blocks.text("query_rows.why")


def _ask(page: Page) -> bool:
    scene, count = MaskScene(page), len(page.tokens) - page.settings.padding
    look: dict[str, Any] = {"matrices": [scene.numbers(), scene.scaled()], "sources": [scene.steps.find]}
    return questions.ask(page, QUESTION, **look, padded=_padded(page), count=count)


def right_mask(page: Page) -> Tensor:
    """The padding mask, which lies on the columns."""
    n = len(page.tokens)
    return padding_mask([page.settings.padding], n).expand(n, n)


def _padded(page: Page) -> str:
    """The names of the padding."""
    return row_names(page, torch.arange(len(page.tokens)) >= page.settings.padding)


def _picture(page: Page) -> None:
    """The right mask above the wrong one, and how much weight real queries give the padding."""
    t, n, real = page.t, len(page.tokens), page.settings.padding
    scene, padded = MaskScene(page), _padded(page)
    columns, rows = right_mask(page), forms.query_rows(real, n)
    share = weight_on_padding(scene, rows, real)
    text = t("query_rows.share", padded=padded, share=apart(share)) if share else None
    said = [text or t("query_rows.share_none", padded=padded)]
    scene.draw("query_rows", *beside(scene, columns, rows), said=said)


def beside(scene: MaskScene, columns: Tensor, rows: Tensor) -> tuple[list, list[Grid]]:
    """The right mask above the wrong one, each with its weights and their sums."""
    grid, matrices = [], [scene.numbers(), scene.scaled()]
    for name, mask, free in (("columns", columns, "x"), ("rows", rows, "scaled_scores")):
        weights = masking.attend(scene.head, mask).weights
        matrices += [
            scene.mask(mask, f"mask_{name}"),
            scene.weights(f"weights_{name}", weights, mask),
            scene.sums(f"sums_{name}", f"weights_{name}", weights),
        ]
        grid.append([free, f"mask_{name}", f"weights_{name}", f"sums_{name}"])
    return matrices, [Grid(grid)]


def weight_on_padding(scene: MaskScene, rows: Tensor, real: int) -> float:
    """The largest weight that a real query gives the padding when the mask lies on the rows."""
    return masking.attend(scene.head, rows).weights[:real, real:].sum(-1).max().item()
