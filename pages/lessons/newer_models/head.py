"""The shown head's steps as traced numbers, as the parts share them. c: steps without positions."""

from collections.abc import Callable

import torch

from pages.draw import inputs
from pages.draw.numbers import counted
from pages.draw.picture.traced import AxisNames, Scalar, Traced, as_input
from pages.draw.steps import Steps
from pages.model.compute import divisor_of

NAMES = {"q": "query", "k": "key", "v": "value"}


def x_of(c: Steps) -> Traced:
    cols = AxisNames(inputs.dimensions(c.settings))
    return as_input("x", "X", c.trace.query_input, AxisNames(c.queries, "key"), cols)


def projected(c: Steps, x: Traced, letter: str) -> Traced:
    """Q, K or V, with the columns of the shown head alone and the core's numbers."""
    start, stop = inputs.block(c.settings, c.page.head, letter)
    columns, name, capital = AxisNames(counted(stop - start)), NAMES[letter], letter.upper()
    weights, bias = (getattr(c.settings, f"{kind}_{letter}") for kind in "wb")

    def of_head(rows: list) -> Callable[[], torch.Tensor]:
        return lambda: torch.tensor([row[start:stop] for row in rows], dtype=torch.float64)

    made = x @ as_input(f"w_{letter}", f"W_{capital}", of_head(weights), x.cols, columns, first=(0, start))
    if bias is not None:
        made += as_input(f"b_{letter}", f"b_{capital}", of_head([bias]), AxisNames([""]), columns)
    made = made.called(name, c.symbol(capital), known=getattr(c.head, name))
    return made.by("query" if letter == "q" else "key")


def masked(c: Steps, scores: Traced) -> tuple[Traced, Traced]:
    """The scaled and the masked scores."""
    settings, mask, divisor, names = c.settings, c.head.mask, divisor_of(c.settings), AxisNames(c.queries)
    code = {"sqrt_d_k": f"math.sqrt({settings.head_dim})", "none": ""}.get(settings.scaling, repr(divisor))
    scaled = (scores / Scalar(divisor, code, c.divisor())).called("scaled_scores", scores.symbol)
    visible = None
    if mask is not None:
        cells = mask.expand(len(names), len(names))
        visible = as_input("mask", "M", cells, names, names, title=c.t("sheet.mask"))
    return scaled, scaled.masked(visible, settings.masked_score).called("masked_scores", scores.symbol)
