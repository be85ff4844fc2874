"""Three questions before the numbers answer them: the shape, the order of Y, what is computed once."""

from dataclasses import replace
from typing import Any

import torch

from attention import MultiHeadTrace
from pages.ask import questions, topics
from pages.draw import matrix, placing, results, say
from pages.draw.page import Page
from pages.model.compute import cross_trace_of
from pages.model.settings import Settings
from pages.picture import Grid, GridRows, Matrix, softmax_of

from . import scene


def draw(page: Page) -> None:
    page = scene.without_mask(page.unfollowed())
    topics.draw(page, {"shape": _shape, "order": _order, "cached": _cached})


def _shape(page: Page) -> None:
    """A has a row per token of X and a column per token of Y."""
    n, m = len(page.tokens), len(page.source)
    facts: dict[str, Any] = {"n": n, "m": m}
    scene.source(page)
    if questions.ask(page, "cross_shape", matrices=scene.pair(page), **facts):
        computation = scene.of(page)
        matrices = [*scene.pair(page), *(computation[name] for name in ("query", "key", "scores", "weights"))]
        grid: GridRows = [["x", "query", None], ["y", "key", "scores"], [None, None, "weights"]]
        placing.draw(page, "shape", matrices, [Grid(grid)], sources=[computation.find])
        say.markdown(page.t("predict.shape"))


def swap_source(s: Settings) -> Settings:
    """The first two tokens of Y change places, with their rows."""
    order = [1, 0, *range(2, len(s.source))]
    return replace(s, source=tuple(s.source[i] for i in order), y=tuple(s.y[i] for i in order))


def order_answer(before: MultiHeadTrace, after: MultiHeadTrace) -> str:
    """What became of the output, found by comparing."""
    if torch.allclose(before.output, after.output):
        return "same"
    rows = [1, 0, *range(2, len(before.output))] if len(before.output) > 1 else [0]
    return "rows" if torch.allclose(before.output[rows], after.output) else "other"


def _order(page: Page) -> None:
    """K and V change places together, so the columns of A do, and O stays."""
    t, other = page.t, replace(page, settings=swap_source(page.settings))
    before, after = cross_trace_of(page.settings), cross_trace_of(other.settings)
    first, second = page.source[:2]
    facts: dict[str, Any] = {"first": first, "second": second}
    answer = order_answer(before, after)
    if not questions.ask(page, "cross_order", matrices=scene.pair(page), answer=answer, **facts):
        return
    matrices = _beside(page, before, "before") + _beside(other, after, "after")
    moved = [(row, col) for row in range(len(page.tokens)) for col in (0, 1)]
    matrices = [table.looking(ringed=moved) if table.kind == "weights" else table for table in matrices]
    rows = [["x", "weights_before", "output_before"], ["y", "weights_after", "output_after"]]
    placing.draw(page, "order", [*scene.pair(page), *matrices], [Grid(rows)])
    difference = results.size((before.output - after.output).abs().max().item())
    say.result(t("predict.order", difference=difference))
    page.button(t("predict.swap", **facts), "swap_source", swap_source, help=t("predict.swap_help"))


def _beside(page: Page, trace: MultiHeadTrace, when: str) -> list[Matrix]:
    """The attention weights of the shown head, and the output."""
    head, output, names = trace.head(page.head), trace.output, list(page.tokens)
    weights = head.weights
    look: dict[str, Any] = {"recipe": scene.output_recipe(page.settings, trace)}
    axes = {"row_axis": page.t("cross.query"), "col_axis": page.t("cross.key")}
    columns = [str(i + 1) for i in range(output.shape[-1])]
    return [
        matrix.of(
            f"weights_{when}",
            page.t(f"order.a_{when}"),
            weights,
            names,
            list(page.source),
            kind="weights",
            recipe=softmax_of(head.scaled_scores.tolist()),
            **axes,
        ),
        matrix.of(f"output_{when}", page.t(f"order.o_{when}"), output, names, columns, **look),
    ]


def _cached(page: Page) -> None:
    """One more token of X needs one more row of Q; K and V belong to Y."""
    t, settings = page.t, page.settings
    if len(page.tokens) < 2:
        say.caption(t("predict.two_tokens"))
        return
    facts: dict[str, Any] = {"token": page.tokens[-1]}
    answer = cached_answer(settings)
    if questions.ask(page, "cross_cached", matrices=scene.pair(page), answer=answer, **facts):
        computation, last = scene.of(page), len(page.tokens) - 1
        matrices = [
            _new_row(computation[name], last, name in ("query", "weights", "output"))
            for name in ("query", "key", "value", "weights", "output")
        ]
        grid: GridRows = [["x", "query", "weights", "output"], ["y", "key", "value", None]]
        placing.draw(page, "cached", [*scene.pair(page), *matrices], [Grid(grid)], sources=[computation.find])
        say.markdown(t("predict.cached", **facts))


def cached_answer(settings: Settings) -> str:
    """Which projections change when the last token of X is written, found by leaving it out."""
    shorter = replace(settings, tokens=settings.tokens[:-1], x=settings.x[:-1])
    before, after = cross_trace_of(shorter), cross_trace_of(settings)
    keys = torch.equal(before.key, after.key) and torch.equal(before.value, after.value)
    queries = torch.allclose(before.query, after.query[:-1])
    return "query" if keys and queries else "keys" if queries else "all"


def _new_row(matrix: Matrix, row: int, is_new: bool) -> Matrix:
    """The matrix with the row of the new token ringed."""
    return matrix.looking(ringed=[(row, col) for col in range(len(matrix.cols))]) if is_new else matrix
