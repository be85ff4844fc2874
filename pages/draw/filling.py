"""Hidden cells of a teacher's link that a learner fills in.

A number is checked whenever its matrix is drawn, against the computed one, as exactly as cells are shown: a
number computed by hand from these may differ in the last decimal. No check tells the number itself.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from pages import session
from pages.model.handout import Stop
from pages.picture import Matrix, Passage

from .numbers import short
from .texts import Name, Texts

Cell = tuple[str, int, int]  # matrix, row, column
KINDS = ("signed", "weights", "plain")  # of matrices that have numbers
MOST_NAMED = 3  # wrong cells in a sentence


def numbers_at(stop: Stop) -> dict[Cell, float]:
    """What the learner has filled in at that stop. The tab keeps it (see session.of_tab)."""
    return session.memory("filled", dict[Stop, dict[Cell, float]]).setdefault(stop, {})


def show(stop: Stop) -> None:
    """Shows the hidden numbers, until the stop is opened again."""
    session.memory("unveiled", set[Stop]).add(stop)


def is_shown(stop: Stop) -> bool:
    return stop in session.memory("unveiled", set[Stop])


def blank(stop: Stop, matrices: Sequence[Matrix]) -> list[Matrix]:
    """The hidden matrices that a learner fills in, with their numbers."""
    return [
        matrix
        for matrix in matrices
        if stop.fill
        and matrix.id in stop.hidden
        and matrix.kind in KINDS
        and matrix.values is not None
        and matrix.look.size != "thumbnail"
    ]


def blanks(matrix: Matrix) -> list[Cell]:
    """The cells to fill in: all but masked ones, whose numbers are no result."""
    masked = {(row, col) for row, col in matrix.masked or ()}
    return [
        (matrix.id, row, col)
        for row, numbers in enumerate(matrix.known)
        for col, number in enumerate(numbers, start=matrix.offset)
        if (row, col) not in masked and number is not None and math.isfinite(number)
    ]


def to_fill(matrix: Matrix, stop: Stop) -> Matrix:
    """The matrix with the learner's numbers in its cells: right ones are marked, wrong ones are ringed."""
    numbers, cells = numbers_at(stop), blanks(matrix)
    values = [list(row) for row in matrix.known]
    for cell in cells:
        values[cell[1]][cell[2] - matrix.offset] = numbers.get(cell)
    judged = {
        verdict: [cell[1:] for cell in cells if _verdict(matrix, cell, numbers) is verdict]
        for verdict in (True, False)
    }
    result = replace(matrix, values=values, bound=None).to_read().to_edit(open=[cell[1:] for cell in cells])
    return result.looking(right=judged[True], ringed=judged[False], asked=True)


def _verdict(matrix: Matrix, cell: Cell, numbers: dict[Cell, float]) -> bool | None:
    """Whether the number in the cell is right; None while the cell is empty."""
    number = numbers.get(cell)
    if number is None:
        return None
    _, row, col = cell
    return is_right(number, matrix.known[row][col - matrix.offset])


def is_right(number: float, computed: float) -> bool:
    """Whether the number differs by at most one unit of the last decimal in which a cell shows it."""
    text = short(computed)
    unit = abs(computed) / 10 if "e" in text else 10.0 ** -len(text.partition(".")[2])
    return abs(number - computed) <= unit * (1 + 1e-9)


def take(
    stop: Stop, matrices: Sequence[Matrix], other: session.Taker, edit: dict
) -> session.StateEdit | None:
    """Takes a number that is filled in, which changes no state; `other` takes all other edits."""
    matrix = next((matrix for matrix in matrices if matrix.id == edit.get("matrix")), None)
    if matrix is None:
        return other(edit)
    cell = matrix.id, int(edit["row"]), int(edit["col"])
    if cell in blanks(matrix):
        numbers = numbers_at(stop)
        if edit["value"] is None:
            numbers.pop(cell, None)
        else:
            numbers[cell] = float(edit["value"])
    return None


def passage(t: Texts, stop: Stop, matrices: Sequence[Matrix]) -> Passage:
    """How to fill in, and how much of each matrix is right."""
    numbers, lines = numbers_at(stop), [t("filling.how")]
    for matrix in matrices:
        cells = blanks(matrix)
        verdicts = [_verdict(matrix, cell, numbers) for cell in cells]
        line = t("filling.right", matrix=Name(matrix.title), right=verdicts.count(True), count=len(cells))
        wrong = [cell for cell, verdict in zip(cells, verdicts, strict=True) if verdict is False]
        if wrong:
            names = t.listed([_named(t, matrix, cell) for cell in wrong[:MOST_NAMED]], apart=True)
            key = "wrong" if len(wrong) <= MOST_NAMED else "wrong_more"
            line = t.joined([line, t(f"filling.{key}", cells=names, count=len(wrong))])
        lines.append(line)
    return Passage(t("filling.title"), lines)


def _named(t: Texts, matrix: Matrix, cell: Cell) -> str:
    _, row, col = cell
    names = Name(matrix.rows[row]), Name(matrix.cols[col - matrix.offset])
    return t("vote.cell", row=names[0], col=names[1])
