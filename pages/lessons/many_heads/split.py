"""Split and join: which columns of Q, K and V are whose, and the whole way from X to the output."""

from typing import Any

from attention.lab.heads.parts import one_projection_a_head
from pages.ask import blocks, questions
from pages.draw import choices, inputs, placing, positions, steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.results import size
from pages.model.compute import options_of, tensors_of
from pages.picture import Grid, Passage

from . import path, scene
from .scene import index_list


def draw(page: Page) -> blocks.Blocks:
    if page.settings.num_heads == 1:
        yield blocks.control(scene.alone)
        return
    yield blocks.aside(positions.without)
    yield blocks.asking("head_columns", _ask)
    yield blocks.control(_writing)
    yield blocks.picture(_path)
    yield blocks.text("split.path")


def _writing(page: Page) -> None:
    page.choose("writing", ("wide", "small"), lambda name: page.t(f"split.{name}"))


def _ask(page: Page) -> bool:
    """Which columns of Q are the second head's?"""
    width, heads = page.settings.head_dim, page.settings.num_heads
    options = {
        "block": index_list(page.t, range(width, 2 * width)),
        "every": index_list(page.t, range(1, width * heads, heads)),
        "rows": page.t("split.rows"),
    }
    if options["block"] == options["every"]:  # two heads of width 1
        del options["every"]
    facts: dict[str, Any] = {"heads": heads, "width": width, "columns": heads * width}
    return questions.ask(page, "head_columns", lambda: _before_the_split(page), words=options, **facts)


def _before_the_split(page: Page) -> None:
    """Q for all heads, before anything says whose columns are whose."""
    page = positions.plainly(page)
    computation = steps.of(page)
    numbers = counted(page.settings.num_heads * page.settings.head_dim)
    w_q = path.all_columns(inputs.matrix(page, "w_q"), page.settings.w_q, numbers, title="W_Q")
    query = path.all_columns(computation["query"], computation.trace.query.tolist(), numbers)
    placing.draw(page, "before", [inputs.matrix(page, "x"), w_q, query], [Grid([["x", "w_q", "query"]])])


def _path(page: Page) -> None:
    """The way from X to the output, with one wide projection or with a small one per head."""
    page = positions.plainly(page)
    matrices, layout = path.draw(page, steps.of(page))
    said = [Passage("", [page.t("split.same", difference=size(difference(page)))])]
    placing.draw(page, "path", matrices, layout, on_pick=choices.choose_head, fit=True, passages=said)


def difference(page: Page) -> float:
    """How far the two ways of writing are apart, in the queries and in the output."""
    options, trace = options_of(page.settings), steps.of(page).trace
    queries, output = one_projection_a_head(
        trace,
        tensors_of(page.settings),
        num_heads=options["num_heads"],
        num_kv_heads=options["num_kv_heads"],
        masked_score=options["masked_score"],
    )
    pairs = ((queries, trace.heads.query), (output, trace.output))
    return max((first - other).abs().max().item() for first, other in pairs)
