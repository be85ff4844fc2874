"""The scaling switched on the learner's own matrices: how much attention weight it moves, row by row."""

import functools
from dataclasses import replace
from typing import Any

import torch

from attention.lab.scaling.divisors import SCALINGS, divisors
from attention.lab.scaling.variance import total_variation
from pages import picture
from pages.ask import blocks, questions
from pages.ask.stand_in import fitting
from pages.draw import arithmetic, inputs, matrix, placing, positions, steps, winners
from pages.draw.numbers import apart, confirmed, short
from pages.draw.page import Page
from pages.draw.texts import literal
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.picture import Grid, Matrix

from . import softcap
from .shared import scaling_names, weights_under

SEVERAL = "several"
SEEN = 5e-4  # a smaller share reads as 0.0%


def draw(page: Page) -> blocks.Blocks:
    """The question, then the computation without scaling and with the chosen one; or with a cap on scores."""
    yield blocks.aside(positions.without)
    yield from blocks.topics(page, {"moved": _moved, "capped": _capped})


def _moved(page: Page) -> blocks.Blocks:
    yield blocks.asking("row", _ask)
    yield blocks.picture(_picture)
    yield blocks.result(reading)
    yield blocks.text("yours.rule")


def _capped(page: Page) -> blocks.Blocks:
    yield blocks.picture(softcap.draw)
    yield blocks.result(softcap.reading)


def _ask(page: Page) -> bool:
    """The question, about numbers in which √d_k moves something, and clearly where the most."""
    return _ask_row(fitting(positions.plainly(page), _fits))


def _fits(page: Page) -> bool:
    page = positions.plainly(page)
    shares = moved_shares(page, "sqrt_d_k") if len(page.tokens) > 1 else [0.0]
    return max(shares) >= SEEN and questions.only(row_holds(shares)) is not None


def _picture(page: Page) -> None:
    """The computation without scaling and with the chosen one, and what moves."""
    page = positions.plainly(page)
    computation = steps.of(page)
    placing.draw(page, "yours", _matrices(page, computation), _layout(page, computation), fit=True)


# ---- numbers


def moved_shares(page: Page, scaling: str) -> list[float]:
    """For each query, the share of its attention weight that this scaling moves to other keys."""
    return list(_moved_shares(page.settings, page.head, scaling))


@functools.lru_cache(maxsize=64)
def _moved_shares(settings: Settings, head: int, scaling: str) -> tuple[float, ...]:
    by = divisors(settings.head_dim, d_model=settings.d_model)[scaling]
    return tuple(
        total_variation(weights_under(settings, head, by), weights_under(settings, head, 1.0)).tolist()
    )


def most_rows(shares: list[float]) -> list[int]:
    """The rows whose share reads like the largest one; none where that reads as 0."""
    return winners.winners(shares, [*map(percent, shares)]) if max(shares) >= SEEN else []


def margins(page: Page) -> list[str]:
    """By how much the largest visible score of each query, not divided, leads the second; – without one."""
    head = trace_of(page.settings).head(page.head)
    result = []
    for i, scores in enumerate(head.scores):
        visible = scores if head.mask is None else scores[head.mask[i]]
        top = visible.topk(min(2, len(visible))).values.tolist()
        result.append(short(top[0] - top[1]) if len(top) == 2 else "–")
    return result


def reading(page: Page) -> str:
    page = positions.plainly(page)
    most = most_rows(moved_shares(page, "sqrt_d_k"))
    facts = {"d_k": page.settings.head_dim, "margin": margins(page)[most[0]] if most else ""}
    return largest_move(page, "yours.reading", "yours.reading_none", **facts)


def largest_move(page: Page, key: str, none: str, **facts: Any) -> str:
    """The text `key` on the row whose weight √d_k moves most; `none` where it moves nothing."""
    shares = moved_shares(page, "sqrt_d_k")
    if not most_rows(shares):
        return page.t(none, **facts)
    return winners.sentence(page.t, key, page.tokens, shares, [*map(percent, shares)], **facts)


def percent(share: float) -> str:
    """A share that is not 0 is not written as 0."""
    return f"{apart(100 * share, decimals=1)}%"


# ---- the question


def _ask_row(page: Page) -> bool:
    """Which row changes most when √d_k is switched on? The scores to think with are in the question."""
    shares = moved_shares(page, "sqrt_d_k")
    options = {str(i + 1): literal(name) for i, name in enumerate(page.tokens)}
    options[SEVERAL] = page.t("option.row_several")
    reasons = {
        str(i + 1): page.t("because.row", share=f"{share:.1%}", margin=margin)
        for i, (share, margin) in enumerate(zip(shares, margins(page), strict=True))
    }
    facts = {"share": f"{max(shares):.1%}", "count": len(most_rows(shares)), "rows": len(shares)}
    reasons[SEVERAL] = page.t("because.row_several", **facts)
    answer = questions.only(row_holds(shares))

    def think() -> None:
        plain = _plain(page)
        sources = [placing.among(*plain), _steps_without(page).find]
        placing.draw(page, "unscaled", [plain[0], plain[-1]], sources=sources)

    return questions.ask(
        page, "row", think, answer=answer, words=options, reasons=reasons, width=page.settings.head_dim
    )


def row_holds(shares: list[float]) -> dict[str, bool]:
    """For each row whether more moves in it than in all others, and whether several tie for the most.

    Where only the digits that are not printed differ, nothing holds.
    """
    most = most_rows(shares)
    rows = {str(row + 1): most == [row] for row in range(len(shares))}
    return rows | {SEVERAL: winners.ties(shares)}


# ---- the picture


def _steps_without(page: Page) -> steps.Steps:
    return steps.Steps(page, trace_of(replace(page.settings, scaling="none")))


def _plain(page: Page) -> list[Matrix]:
    """Scores and attention weights without scaling; with a mask, the masked scores between them."""
    without = _steps_without(page)
    scores, masked, weights = without["scores"], without["masked_scores"], without["weights"]
    masked = replace(masked, id="plain_masked", step_name=None, recipe=picture.masked_from("scores"))
    scores = replace(scores, step_name=None)
    source = "scores" if without.head.mask is None else "plain_masked"
    title = page.t("yours.plain")
    weights = replace(
        weights, id="plain", symbol="A", step_name=None, recipe=picture.softmax(source)
    ).looking(subtitle=title)
    return [scores, weights] if without.head.mask is None else [scores, masked, weights]


def _matrices(page: Page, computation: steps.Steps) -> list[Matrix]:
    settings, t = page.settings, page.t
    matrices = [
        inputs.matrix(page, name) for name in ("x", "w_q", "w_k", *(("b_q", "b_k") if settings.b_q else ()))
    ]
    matrices += [computation["query"], computation["key"], *_plain(page)]
    chosen = [computation["scaled_scores"], computation["weights"]]
    if computation.head.mask is not None:
        chosen.insert(1, computation["masked_scores"])
    else:
        chosen[1] = replace(chosen[1], recipe=picture.softmax("scaled_scores"))
    by = t("yours.divided", divisor=computation.divisor())
    chosen[-1] = chosen[-1].looking(subtitle=by)
    matrices += [replace(matrix, step_name=None) for matrix in chosen]
    return [replace(matrix, step_name=None) for matrix in matrices] + [
        _difference(page, computation),
        *_rows(page),
    ]


def _difference(page: Page, computation: steps.Steps) -> Matrix:
    tensor = computation.head.weights - weights_under(page.settings, page.head, 1.0)
    recipe, masked = picture.difference("weights", "plain"), steps.hidden(computation.head.mask)
    title = page.t("yours.difference")
    return matrix.square(page, "difference", title, tensor, bound=1.0, masked=masked, recipe=recipe)


def _rows(page: Page) -> list[Matrix]:
    """For each query: the share of its weight that each scaling moves, and the margin of its scores."""
    shares = torch.tensor([moved_shares(page, scaling) for scaling in SCALINGS[1:]]).T
    titles = [title.removeprefix("÷ ") for title in scaling_names(page, SCALINGS[1:])]
    names = list(page.tokens)
    kind: dict[str, Any] = {"kind": "weights", "alt": page.t("yours.moved")}
    margin = [[value] for value in margins(page)]
    most = most_rows(moved_shares(page, "sqrt_d_k"))
    kind["recipe"] = _halves(page, shares)
    share = matrix.by_query(page, "moved", page.t("yours.moved"), shares, titles, **kind)
    return [
        share.looking(ringed=[(row, 0) for row in most]),
        Matrix(
            id="margin", title=page.t("yours.margin"), cols=[""], values=margin, kind="text", rows=names
        ).looking(query_rows=True),
    ]


def _halves(page: Page, shares: torch.Tensor) -> dict:
    """Half of the sum of the differences of a row's weights: what one key loses, another one gets."""
    settings, head = page.settings, page.head
    by, plain = divisors(settings.head_dim, d_model=settings.d_model), weights_under(settings, head, 1.0)
    moves = [(weights_under(settings, head, by[scaling]) - plain).abs().tolist() for scaling in SCALINGS[1:]]

    def text(row: int, col: int) -> str:
        share = shares[row, col].item()
        terms = confirmed(lambda *terms: sum(terms) / 2, moves[col][row], share)
        return f"({' + '.join(terms)}) / 2 = {short(share, 4)}"

    return arithmetic.cells(shares, text)


def _layout(page: Page, computation: steps.Steps) -> list[Grid]:
    """X, Q and K; then a line without scaling and, below it, one with the chosen scaling."""
    rows = [[None, "w_q", "w_k"]]
    if page.settings.b_q:
        rows.append([None, "b_q", "b_k"])
    rows.append(["x", "query", "key"])
    masked = computation.head.mask is not None
    plain = ["scores", *(["plain_masked"] if masked else []), "plain", "difference", None]
    chosen = ["scaled_scores", *(["masked_scores"] if masked else []), "weights", "moved", "margin"]
    return [Grid(rows), Grid([plain, chosen])]
