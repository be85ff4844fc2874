"""The computation with the mistake as a picture, and afterwards the wrong matrix next to the right one.

A cell lights up what it should be made from, and writes the sum without its result: what is in the cell
is what the learner has to check.
"""

import math

import torch
from torch import Tensor

from attention.checking.runs import Run
from attention.lab.mistakes.forms import split
from pages import picture
from pages.draw import matrix
from pages.draw.numbers import counted
from pages.draw.page import Page, named
from pages.picture import Arrow, Flow, Grid, GridRows, Matrix, nice_bound

from .bug_exercise import VISIBLE, BugExercise, apart

LETTERS = {"query": "Q", "key": "K", "value": "V", "scores": "S", "weights": "A", "head_output": "O"}
SQUARE = ("scores", "scaled_scores", "masked_scores", "weights")
ALL_HEADS = ("concatenated", "output")


def title_of(page: Page, exercise: BugExercise, step: str, head: int = 0) -> str:
    """A step's matrix as the picture calls it."""
    if step not in LETTERS:
        return page.t(f"short.{step}")
    return LETTERS[step] + (f"_{head + 1}" if exercise.inputs.num_heads > 1 else "")


def of_head(run: Run, step: str, head: int) -> Tensor:
    """The matrix of a step that the picture shows: of one head, or of all of them together."""
    values = getattr(run, step)
    return values if step in ALL_HEADS else values[head]


def whole(
    page: Page, exercise: BugExercise, head: int, *, ended: bool
) -> tuple[list[Matrix], list[Grid | Flow]]:
    """The run with the mistake; after the end, what is off in the first wrong step is ringed."""
    inputs = exercise.inputs
    columns = list(exercise.steps)
    if exercise.from_scores:
        columns.insert(0, "scores")
    matrices = [] if exercise.from_scores else _inputs(page, exercise, head)
    for step in columns:
        table = _step(page, exercise, step, head, exercise.run)
        ringed = _wrong_cells(exercise, head) if ended and step == exercise.step else []
        clickable = not ended and step in exercise.steps
        matrices.append(table.looking(clickable=clickable, ringed=ringed))
    if inputs.visible is not None:
        names = names_of(page, exercise)
        matrices.append(matrix.of("mask", "M", inputs.visible, names, names, query_rows=True))
    return matrices, _layout(page, exercise, head)


def beside(page: Page, exercise: BugExercise) -> list[Matrix]:
    """The first wrong matrix and the right one, of the head in which the mistake shows most."""
    cell = telling_cell(getattr(exercise.run, exercise.step), getattr(exercise.right, exercise.step))
    head = 0 if exercise.step in ALL_HEADS else cell[0]
    pair = []
    for name, run in (("wrong", exercise.run), ("right", exercise.right)):
        table = _step(page, exercise, exercise.step, head, run)
        title = page.t(f"bug_hunt.{name}", matrix=table.title)
        pair.append(table.having(id=name, title=title, recipe=None, asked=False))
    return [pair[0].looking(ringed=_wrong_cells(exercise, head)), pair[1]]


def telling_cell(first: Tensor, other: Tensor) -> tuple[int, ...]:
    """Where two matrices, or stacks of them, differ most."""
    if first.shape != other.shape:
        return (0,) * first.ndim
    return tuple(int(i) for i in torch.unravel_index(apart(first, other).argmax(), first.shape))


# ---- the matrices


def names_of(page: Page, exercise: BugExercise) -> list[str]:
    """The names of the tokens, as they are read."""
    return list(named(page.t, exercise.tokens))


def _inputs(page: Page, exercise: BugExercise, head: int) -> list[Matrix]:
    """X and the weight matrices; of W_Q, W_K and W_V the columns of the shown head."""
    inputs, several = exercise.inputs, exercise.inputs.num_heads > 1
    tokens = names_of(page, exercise)
    results = [matrix.of("x", "X", inputs.x, tokens, counted(inputs.d_model), query_rows=True)]
    for letter in "qkv":
        columns = split(getattr(inputs, f"w_{letter}"), inputs.num_heads)[head]
        title = f"W_{{{letter.upper()},{head + 1}}}" if several else f"W_{letter.upper()}"
        results.append(matrix.of(f"w_{letter}", title, columns, *map(counted, columns.shape)))
    if inputs.w_o is not None and "output" in exercise.steps:
        results.append(matrix.of("w_o", "W_O", inputs.w_o, *map(counted, inputs.w_o.shape)))
    return results


def _step(page: Page, exercise: BugExercise, step: str, head: int, run: Run) -> Matrix:
    """A step's matrix of a run."""
    values, good = of_head(run, step, head), of_head(exercise.right, step, head)
    tokens = names_of(page, exercise)
    square = step in SQUARE
    hidden = None
    if step in ("masked_scores", "weights"):
        hidden = run.masked_scores[head].isneginf() & ((values == 0) | (step == "masked_scores"))
    recipe = _recipe(exercise, step, head)
    return Matrix(
        id=step,
        title=title_of(page, exercise, step, head),
        rows=tokens,
        cols=tokens if square else counted(values.shape[1]),
        values=values.tolist(),
        kind="weights" if step == "weights" else "signed",
        bound=None if step == "weights" else nice_bound([*values.tolist(), *good.tolist()]),
        masked=None if hidden is None else [*map(tuple, hidden.nonzero().tolist())],
        recipe=recipe,
    ).looking(
        **page.axes if square else {},
        asked=recipe is not None,
        query_rows=step not in ("key", "value"),
        alt=page.t(f"title.{step}"),
    )


def _wrong_cells(exercise: BugExercise, head: int) -> list[tuple[int, int]]:
    """The cells that are off in the first wrong step."""
    values, good = (of_head(run, exercise.step, head) for run in (exercise.run, exercise.right))
    if values.shape != good.shape:
        return []
    return [tuple(cell) for cell in (apart(values, good) > VISIBLE).nonzero().tolist()]


def _recipe(exercise: BugExercise, step: str, head: int) -> dict | None:
    """What a cell should be made from, in the picture."""
    inputs, first = exercise.inputs, exercise.from_scores
    if step in ("query", "key", "value"):
        return picture.product("x", f"w_{step[0]}", inputs.d_model)
    if step == "scores":
        return None if first else picture.product("query", "key", inputs.d_k, right_transposed=True)
    return {
        "scaled_scores": lambda: picture.divide("scores", math.sqrt(inputs.d_k), f"√{inputs.d_k}"),
        "masked_scores": lambda: picture.masked_from("scaled_scores"),
        "weights": lambda: picture.softmax(before_weights(exercise)),
        "head_output": lambda: picture.product("weights", "value", inputs.n),
        "concatenated": lambda: picture.copy(("head_output", head * inputs.d_v, inputs.d_v)),
        "output": lambda: picture.product("concatenated", "w_o", inputs.num_heads * inputs.d_v),
    }[step]()


def before_weights(exercise: BugExercise) -> str:
    """What goes into the softmax."""
    return "scaled_scores" if exercise.inputs.visible is None else "masked_scores"


# ---- the places


def _layout(page: Page, exercise: BugExercise, head: int) -> list[Grid | Flow]:
    inputs = exercise.inputs
    index = f"_{head + 1}" if inputs.num_heads > 1 else ""
    flow: list = ["scores", Arrow(f"÷ √{inputs.d_k}"), "scaled_scores"]
    if inputs.visible is not None:
        flow += [Arrow(page.t("bug_hunt.arrow")), "mask", "masked_scores"]
    flow += [Arrow("softmax"), "weights"]
    if exercise.from_scores:
        return [Flow(flow)]
    flow += [Arrow(f"· V{index}"), "head_output"]
    rows: GridRows = [[None, "w_q", "w_k", "w_v"], ["x", "query", "key", "value"]]
    if "output" in exercise.steps:
        rows = [[*rows[0], None, "w_o"], [*rows[1], "concatenated", "output"]]
    return [Grid(rows), Flow(flow)]
