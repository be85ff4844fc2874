"""The learner's own matrices, as the parts on axes and dropout show them."""

import torch

from pages import picture
from pages.draw import inputs, matrix, steps
from pages.draw.page import Page
from pages.picture import Flow, Group, Matrix


def source(page: Page, computation: steps.Steps) -> list[Matrix]:
    """X, to change, and with several heads the thumbnails of all of them."""
    return [inputs.matrix(page, "x"), *(computation.thumbnails() if computation.several else [])]


def heads(page: Page, computation: steps.Steps) -> list[Flow]:
    """The thumbnails' place."""
    if not computation.several:
        return []
    ids = [f"head_weights_{head + 1}" for head in range(page.settings.num_heads)]
    return [Flow([Group(ids, page.t("learner.heads"), page.t("steps.click_one"))])]


def sums(page: Page, name: str, title: str, of: str, tensor: torch.Tensor, over: str, **more) -> Matrix:
    """The sums of the rows, of the columns, or of all of another matrix."""
    rows = list(page.tokens) if over == "row" else ["Σ"]
    cols = list(page.tokens) if over == "column" else ["Σ"]
    dims = {"row": 1, "column": 0}
    total = tensor.sum(dims[over], keepdim=True) if over in dims else tensor.sum().reshape(1, 1)
    recipe = picture.total(of, over)
    axis = page.t("axis.over_keys") if over == "row" else ""
    return matrix.of(name, title, total, rows, cols, kind="plain", recipe=recipe, col_axis=axis, **more)
