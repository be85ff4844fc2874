"""The picture of a whole computation, from the inputs to the output, with the walk through its steps."""

from collections.abc import Sequence

from pages.picture import Arrow, Flow, Grid, Group, Matrix, Passage

from . import choices, inputs, placing
from .steps import Steps

# Thumbnails side by side: so the way to the output has room next to them.
COLUMNS = 4


def draw(
    computation: Steps,
    name: str,
    sources: Sequence[Matrix],
    grid: Grid,
    passages: Sequence[Passage] = (),
) -> None:
    """Draws a grid with every product where its factors cross, and below it the way to the output."""
    bands: list[Grid | Flow] = [grid, *map(Flow, computation.way())]
    if computation.several:
        bands.append(heads_band(computation))
    placing.draw(
        computation.page,
        name,
        [*sources, *computation.matrices()],
        bands,
        steps=computation.walk(),
        on_pick=choices.choose_head,
        fit=True,
        follow=computation.page.tokens,
        passages=passages,
        sources=[computation.find],
    )


def weights_rows(computation: Steps) -> list[list[str | None]]:
    """The weight matrices of Q, K and V, and below them their biases."""
    letters = ("q", "k", "v")
    biases = [[computation.offset(letter) for letter in letters]] if computation.offset("q") else []
    return [[f"w_{letter}" for letter in letters], *biases]


def heads_band(computation: Steps) -> Flow:
    """The thumbnails of all heads, and the way from the concatenated heads to the output."""
    group = Group(
        [matrix.id for matrix in computation.thumbnails()],
        computation.t("steps.heads"),
        computation.t("steps.click_one"),
        columns=COLUMNS,
    )
    bias = [name for name in inputs.biases(computation.settings) if name == "b_o"]
    return Flow([group, "concatenated", Arrow("· W_O"), "w_o", *bias, Arrow("="), "output"])
