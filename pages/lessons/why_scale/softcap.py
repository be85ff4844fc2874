"""A cap on the learner's own scores: what it does to them, to the weights and to the output."""

from typing import Any

from pages.draw import inputs, placing, positions, steps
from pages.draw.numbers import share, short
from pages.draw.page import Page
from pages.model.compute import needed
from pages.picture import Arrow, Flow, softmax, softmax_of


def _both(page: Page) -> tuple[steps.Steps, steps.Steps]:
    """The computation with the cap and without it."""
    page = positions.plainly(page)
    return steps.capped(page, page.own.softcap), steps.of(page)


def draw(page: Page) -> None:
    """The way from the scores to the output, and next to its weights the weights without the cap."""
    page, t, (computation, free) = positions.plainly(page), page.t, _both(page)
    to_capped, to_output = computation.way()
    names = {item for line in (to_capped, to_output) for item in line}
    way = [matrix for matrix in computation.matrices() if matrix.id in names]
    look: dict[str, Any] = {"id": "free_weights", "subtitle": t("softcap.free"), "step_name": None}
    recipe = softmax("scaled_scores")
    if computation.masked is not None:
        recipe = softmax_of(needed(free.head.masked_scores).tolist())
    weights = free["weights"].having(**look, recipe=recipe)
    placing.draw(
        page,
        "softcap",
        [inputs.matrix(page, "x"), inputs.number(page, "softcap"), *way, weights],
        [Flow(["x", Arrow("Q · K^T"), *to_capped, "softcap"]), Flow([*to_output, "free_weights"])],
        steps=[step for step in computation.walk() if step.name in names],
        fit=True,
        sources=[computation.find],
    )


def reading(page: Page) -> str:
    """The largest size of a score and the largest weight, without the cap and with it."""
    computation, free = _both(page)
    scores = (computation.head.scaled_scores, needed(computation.head.softcapped_scores))
    sizes = (score.abs().max().item() for score in scores)
    score, to = (short(size, 3 if size else 0) for size in sizes)
    tops = (share(steps_of.head.weights.max().item(), 3) for steps_of in (free, computation))
    facts = dict(zip(("free", "top"), tops, strict=True))
    return page.t("softcap.reading", score=score, to=to, **facts)
