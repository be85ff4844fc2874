"""The learner's own matrices, as the parts on axes and dropout show them."""

from typing import Any

from pages.draw import inputs, matrix, steps
from pages.draw.page import Page
from pages.picture import Flow, Group, Matrix
from pages.picture.traced import Traced

SUMS = {"row": "row_sums", "column": "column_sums", "all": "whole_sum"}
SIGNS = {"row": "Σ_j", "column": "Σ_i", "all": "Σ_{i,j}"}


def source(page: Page, computation: steps.Steps) -> list[Matrix]:
    """X, to change, and with several heads the thumbnails of all of them."""
    return [inputs.matrix(page, "x"), *(computation.thumbnails() if computation.several else [])]


def heads(page: Page, computation: steps.Steps) -> list[Flow]:
    """The thumbnails' place."""
    if not computation.several:
        return []
    ids = [f"head_weights_{head + 1}" for head in range(page.settings.num_heads)]
    return [Flow([Group(ids, page.t("learner.heads"), page.t("steps.click_one"))])]


def total(page: Page, of: Traced, over: str = "row", **more: Any) -> Traced:
    """The sums of the rows, of the columns, or of all of another matrix."""
    look = {"title": page.t(f"panel.{SUMS[over]}"), "written": f"{SIGNS[over]} {of.symbol}"} | more
    return of.sum(over).called(SUMS[over], **look)


def sums(page: Page, number: Traced) -> Matrix:
    """Sums in a picture."""
    axis = page.t("axis.over_keys") if number.name == SUMS["row"] else ""
    return matrix.number(page, number, query_rows=False, col_axis=axis)
