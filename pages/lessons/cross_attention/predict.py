"""Three questions before the numbers answer them: the shape, the order of Y, what is computed once."""

from dataclasses import replace
from typing import Any

import torch

from attention import MultiHeadTrace
from pages.ask import blocks
from pages.draw import matrix, placing, results
from pages.draw.page import Page
from pages.model.compute import cross_trace_of
from pages.model.settings import Settings
from pages.picture import Grid, GridRows, Matrix, softmax_of

from . import scene


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(page, TOPICS)


def _plain(page: Page) -> Page:
    return scene.without_mask(page.unfollowed())


def _ask(question: str, **arguments: Any) -> blocks.PartBlock:
    """X and Y are there to think with."""

    def pair(page: Page) -> None:
        placing.draw(_plain(page), f"ask_{question}", scene.pair(page))

    return blocks.ask(question, pair, **arguments)


def _shape(page: Page) -> blocks.Blocks:
    """A has a row per token of X and a column per token of Y."""
    yield blocks.aside(scene.source)
    yield _ask("cross_shape", n=len(page.tokens), m=len(page.source))
    yield blocks.picture(_shapes)
    yield blocks.text("predict.shape")


def _shapes(page: Page) -> None:
    page = _plain(page)
    computation = scene.of(page)
    matrices = [*scene.pair(page), *(computation[name] for name in ("query", "key", "scores", "weights"))]
    grid: GridRows = [["x", "query", None], ["y", "key", "scores"], [None, None, "weights"]]
    placing.draw(page, "shape", matrices, [Grid(grid)], sources=[computation.find])


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


def _order(page: Page) -> blocks.Blocks:
    """K and V change places together, so the columns of A do, and O stays."""
    yield _ask("cross_order", answer=lambda page: order_answer(*_traces(page)), **_swapped(page))
    yield blocks.picture(_both_orders)
    yield blocks.result(_difference)
    yield blocks.aside(_swap, follows="moved")


def _traces(page: Page) -> tuple[MultiHeadTrace, MultiHeadTrace]:
    """With Y as it is, and swapped."""
    settings = _plain(page).settings
    return cross_trace_of(settings), cross_trace_of(swap_source(settings))


def _swapped(page: Page) -> dict[str, Any]:
    first, second = page.source[:2]
    return {"first": first, "second": second}


def _both_orders(page: Page) -> None:
    page, (before, after) = _plain(page), _traces(page)
    other = replace(page, settings=swap_source(page.settings))
    matrices = _beside(page, before, "before") + _beside(other, after, "after")
    moved = [(row, col) for row in range(len(page.tokens)) for col in (0, 1)]
    matrices = [table.looking(ringed=moved) if table.kind == "weights" else table for table in matrices]
    rows = [["x", "weights_before", "output_before"], ["y", "weights_after", "output_after"]]
    placing.draw(page, "order", [*scene.pair(page), *matrices], [Grid(rows)])


def _difference(page: Page) -> str:
    before, after = _traces(page)
    return page.t("predict.order", difference=results.size((before.output - after.output).abs().max().item()))


def _swap(page: Page) -> None:
    text, about = page.t("predict.swap", **_swapped(page)), page.t("predict.swap_help")
    page.button(text, "swap_source", swap_source, help=about)


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


def _cached(page: Page) -> blocks.Blocks:
    """One more token of X needs one more row of Q; K and V belong to Y."""
    if len(page.tokens) < 2:
        yield blocks.caption("predict.two_tokens")
        return
    token = page.tokens[-1]
    yield _ask("cross_cached", answer=lambda page: cached_answer(_plain(page).settings), token=token)
    yield blocks.picture(_new_token)
    yield blocks.text("predict.cached", token=token)


def _new_token(page: Page) -> None:
    page = _plain(page)
    computation, last = scene.of(page), len(page.tokens) - 1
    matrices = [
        _new_row(computation[name], last, name in ("query", "weights", "output"))
        for name in ("query", "key", "value", "weights", "output")
    ]
    grid: GridRows = [["x", "query", "weights", "output"], ["y", "key", "value", None]]
    placing.draw(page, "cached", [*scene.pair(page), *matrices], [Grid(grid)], sources=[computation.find])


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


TOPICS = {"shape": _shape, "order": _order, "cached": _cached}
