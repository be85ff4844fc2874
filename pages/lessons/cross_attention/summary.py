"""What the lesson on cross-attention has shown, with the learner's numbers, and its last question."""

from dataclasses import replace
from typing import Any

import torch

from pages import picture
from pages.ask import questions
from pages.ask.stand_in import fitting
from pages.draw import live, placing, results
from pages.draw.page import Page
from pages.model.compute import cross_trace_of
from pages.model.settings import Settings
from pages.picture import Grid, Matrix

from . import scene

QUESTION = "cross_end"
OPTIONS = ("error", "transposed", "other")


def lines(page: Page) -> list[str]:
    t, n, m = page.t, len(page.tokens), len(page.source)
    head = cross_trace_of(page.settings).head(page.head)
    return [
        t("summary.one", n=n, m=m),
        t("summary.two", reading=results.reading(t, head, page.tokens, 0, page.source)),
        t("summary.three", n=n),
    ]


def question(page: Page) -> None:
    """What comes of X and Y in the wrong order: direction, shapes and normalisation are all needed."""
    questions.judged(page, QUESTION, _ask)
    if page.answer(QUESTION) is not None:
        live.picture(page, _both_orders)


def _fitted(page: Page) -> Page:
    return fitting(page, lambda page: questions.only(holds(page.settings)) is not None)


def _pair(page: Page) -> list[Matrix]:
    return [matrix.to_read() for matrix in scene.pair(page)]


def _ask(page: Page) -> bool:
    page = _fitted(page)
    facts: dict[str, Any] = {"n": len(page.tokens), "m": len(page.source)}
    options = {name: page.t(f"end.{name}", **facts) for name in OPTIONS}
    answer = questions.only(holds(page.settings))
    return questions.ask(page, QUESTION, matrices=_pair(page), answer=answer, words=options, **facts)


def _both_orders(page: Page) -> None:
    page = _fitted(page)
    orders, pair = {"meant": page.settings, "wrong": exchange(page.settings)}, _pair(page)
    ways = {
        name: scene.of(scene.without_mask(page.unfollowed(settings))) for name, settings in orders.items()
    }
    (meant, wrong) = (_results(page, result, name) for name, result in ways.items())
    grid = Grid([["x", *(matrix.id for matrix in meant)], ["y", *(matrix.id for matrix in wrong)]])
    sources = [result.sources(f"_{name}") for name, result in ways.items()]
    placing.draw(page, "end_answered", [*pair, *meant, *wrong], [grid], sources=sources)


def _results(page: Page, computation: scene.CrossSteps, name: str) -> list[Matrix]:
    """The scaled scores, A and the output of one head, with X and Y in one of the two orders."""
    output = "head_output" if computation.several else "output"
    look: dict[str, Any] = {"row_axis": page.t("axis.query"), "col_axis": page.t("axis.key"), "subtitle": ""}
    end, title = f"_{name}", page.t(f"end.{name}")
    look_of: dict[str, Any] = {
        "title": f"A: {title}",
        "recipe": picture.softmax(f"scaled_scores{end}"),
        **look,
    }
    mixed = computation.second(output, end, title=f"O: {title}", subtitle="")
    return [
        computation.second("scaled_scores", end, **look),
        computation.second("weights", end, **look_of),
        replace(mixed, id=f"output{end}"),
    ]


def exchange(settings: Settings) -> Settings:
    """X and Y in each other's place, without a mask."""
    return replace(
        settings,
        tokens=settings.source,
        x=settings.y,
        source=settings.tokens,
        y=settings.x,
        cross_mask="none",
    )


def holds(settings: Settings) -> dict[str, bool]:
    """Which options are true of these numbers, found by making the exchange."""
    right = cross_trace_of(replace(settings, cross_mask="none"))
    try:
        wrong = cross_trace_of(exchange(settings))
    except ValueError:
        return {"error": True, "transposed": False, "other": False}
    transposed = _same(wrong.heads.weights, right.heads.weights.mT) and _same(wrong.value, right.value)
    return {"error": False, "transposed": transposed, "other": True}


def _same(first: torch.Tensor, second: torch.Tensor) -> bool:
    return first.shape == second.shape and torch.allclose(first, second)
