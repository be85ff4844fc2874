"""Four ways to say how much each token counts, side by side, with their rank correlations."""

import itertools
import math
from typing import Any

import torch
from torch import Tensor

from attention.lab.real_heads.explain import rank_correlation, ranks
from pages.draw import arithmetic, say, winners
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.picture import Matrix, written

CLAIMS = ("measure", "says", "not", "source")
TokenMeasures = dict[str, Tensor]  # by the names of the measures, each (n,)


def matrices_of(page: Page, measurement: TokenMeasures, tokens: tuple[str, ...]) -> list[Matrix]:
    """A row for each measure with a column for each token, and how much each two of them agree."""
    t = page.t
    names = [t(f"label.{name}") for name in measurement]
    values = torch.stack([*measurement.values()])
    shares = torch.stack([share(row) for row in values])
    recipe = arithmetic.quotients(values, values.abs().sum(-1), shares)
    look: dict[str, Any] = {"bound": 1.0, "recipe": recipe}
    agree: dict[str, Any] = {"bound": 1.0, "recipe": written(_correlation_texts(measurement))}
    return [
        Matrix("measures", t("explain.shares"), names, list(tokens), shares.tolist(), **look).looking(
            alt=t("explain.shares")
        ),
        Matrix("agreement", t("explain.agreement"), names, names, correlations(measurement), **agree),
    ]


def _correlation_texts(measurement: TokenMeasures) -> list[list[str]]:
    """Each rank correlation: the sum of the products of the ranks less their mean, by the lengths of both."""
    rows = torch.stack([ranks(values.abs()) for values in measurement.values()])
    rows -= rows.mean(-1, keepdim=True)
    products = (rows @ rows.T).tolist()

    def text(first: int, other: int) -> str:
        product, length, across = products[first][other], products[first][first], products[other][other]
        if not length * across:
            return ""
        value = product / math.sqrt(length * across)
        return f"{short(product, 4)} / √({short(length, 4)} · {short(across, 4)}) = {short(value, 4)}"

    return [[text(first, other) for other in range(len(rows))] for first in range(len(rows))]


def share(values: Tensor) -> Tensor:
    """The values, with their sizes adding up to 1; zeros stay zeros."""
    total = values.abs().sum()
    return values / total if total > 0 else values


def correlation(first: Tensor, other: Tensor) -> float | None:
    """Spearman's, of the sizes: whether a token counts for or against is not asked."""
    return rank_correlation(first.abs(), other.abs())


def correlations(measurement: TokenMeasures) -> list[list[float | None]]:
    """Of each two of the measures; it is the same both ways."""
    values = [*measurement.values()]
    below = [[correlation(value, other) for other in values[: i + 1]] for i, value in enumerate(values)]
    return [[below[max(i, j)][min(i, j)] for j in range(len(values))] for i in range(len(values))]


def sentences(page: Page, measurement: TokenMeasures, tokens: tuple[str, ...]) -> list[str]:
    """Which token each measure puts first, and which two measures agree least and most."""
    t, sizes = page.t, {name: share(values).abs().tolist() for name, values in measurement.items()}
    named = [
        winners.sentence(t, "explain.first", tokens, shares, measure=t(f"measure.{name}"))
        for name, shares in sizes.items()
        if any(shares)
    ]
    firsts = {winners.winner(shares) for shares in sizes.values()}
    agree = len(named) == len(measurement) and len(firsts) == 1 and None not in firsts
    lines = [t.joined([*named, *([t("explain.all_agree")] if agree else [])])]
    pairs = {
        pair: value
        for pair in itertools.combinations(measurement, 2)
        if (value := correlation(*(measurement[name] for name in pair))) is not None
    }
    if len(winners.winners([*pairs.values()])) < len(pairs):
        lines += [_pair_sentence(page, pairs, "most"), _pair_sentence(page, pairs, "least")]
    return [line for line in lines if line]


def _pair_sentence(page: Page, pairs: dict[tuple[str, str], float], which: str) -> str:
    """Which two measures agree most or least; where several pairs do, how many."""
    t, values = page.t, [*pairs.values()]
    ends = winners.winners(values, least=which == "least")
    value = short(values[ends[0]])
    if len(ends) > 1:
        return t(f"explain.{which}_tie", count=len(ends), all=len(pairs), value=value)
    first, other = (t(f"measure.{name}") for name in [*pairs][ends[0]])
    return t(f"explain.{which}", one=first, other=other, value=value)


def claims(page: Page, *names: str) -> None:
    """What each of these measures can and cannot claim, with its papers."""
    t = page.t
    rows = [
        (f"**{t(f'measure.{name}')}**", t(f"says.{name}"), t(f"not.{name}"), t(f"source.{name}"))
        for name in names
    ]
    say.table([t(f"column.{name}") for name in CLAIMS], rows)
