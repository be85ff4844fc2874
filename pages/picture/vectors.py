"""Plots of vectors, above the matrices of a picture."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors of a plot: "arrow" from 0, or "point"; a name and two numbers for each.

    look: whose colour they have, "query", "key", "value", "output" or "weight". matrix: the one that has the
    two numbers in the columns from `col` and the rows from `row` on, if there is one; where it can be edited,
    the vectors can be dragged. shares: the attention weight of each, for the query that is
    followed. faint: rows drawn pale.
    """

    name: str
    look: str
    rows: Sequence[str]
    values: Sequence[Sequence[float]]
    kind: str = "arrow"
    matrix: str | None = None
    col: int = 0
    row: int = 0
    shares: Sequence[float] | None = None
    faint: Sequence[int] = ()

    def reworded(self, reword: Callable[[str], str]) -> "Vectors":
        return replace(self, name=reword(self.name))


@dataclass(frozen=True, slots=True)
class VectorPlot:
    """Vectors in a plane, from −bound to bound both ways, above the matrices.

    paths: of each the points that a thin line joins. hull: the corners of the area between them. legend: the
    names of what else is drawn, by "path" and "hull". corner: 0 is in the corner, as no number is negative.
    axes: the names of both.
    """

    title: str
    alt: str
    sets: Sequence[Vectors]
    bound: float
    paths: Sequence[Sequence[Sequence[float]]] = ()
    hull: Sequence[Sequence[float]] = ()
    legend: Mapping[str, str] = field(default_factory=dict)
    corner: bool = False
    axes: Sequence[str] = ()

    def reworded(self, reword: Callable[[str], str]) -> "VectorPlot":
        sets = [vectors.reworded(reword) for vectors in self.sets]
        legend = {mark: reword(name) for mark, name in self.legend.items()}
        return replace(self, title=reword(self.title), sets=sets, legend=legend)

    def to_json(self) -> dict:
        return {name: getattr(self, name) for name in self.__slots__} | {"legend": [*self.legend.items()]}
