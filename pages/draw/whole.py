"""The picture of a whole computation, from the inputs to the output, with the walk through its steps."""

from __future__ import annotations

from collections.abc import Sequence

from . import choices, figure, inputs
from .picture import Arrow, Flow, Grid, Group, Matrix, Passage, Step
from .steps import Steps

# Thumbnails side by side: so the way to the output has room next to them.
COLUMNS = 4


def draw(
    found: Steps,
    name: str,
    given: Sequence[Matrix],
    grid: Grid,
    passages: Sequence[Passage] = (),
    stops: Sequence[Step] = (),
) -> None:
    """Below the grid, in which every product is where its factors cross, the way to the output.

    stops: of a walk that shows the picture piece by piece.
    """
    bands: list[Grid | Flow] = [grid, *map(Flow, found.way())]
    if found.several:
        bands.append(heads_band(found))
    figure.draw(
        found.page,
        name,
        [*given, *found.matrices()],
        bands,
        steps=[*stops, *found.walk()],
        on_pick=choices.choose_head,
        fit=True,
        follow=True,
        passages=passages,
    )


def weights_rows(found: Steps) -> list[list[str | None]]:
    """The weight matrices of Q, K and V, and below them their biases."""
    letters = ("q", "k", "v")
    biases = [[found.offset(letter) for letter in letters]] if found.offset("q") else []
    return [[f"w_{letter}" for letter in letters], *biases]


def heads_band(found: Steps) -> Flow:
    """The thumbnails of all heads, and the way from the concatenated heads to the output."""
    group = Group(
        [one.id for one in found.thumbnails()],
        found.t("steps.heads"),
        found.t("steps.click_one"),
        columns=COLUMNS,
    )
    bias = [name for name in inputs.biases(found.now) if name == "b_o"]
    return Flow([group, "concatenated", Arrow("· W_O"), "w_o", *bias, Arrow("="), "output"])
