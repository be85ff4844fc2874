"""What goes wrong without scaling; and the same queries and keys under four scalings."""

import functools
import math
from typing import Any

import torch
from torch import Tensor

from attention.lab.scaling import draws as lab
from attention.lab.scaling import variance
from attention.lab.scaling.divisors import SCALINGS, divisors
from attention.lab.scaling.draws import Concentration
from attention.lab.scaling.variance import KEYS, QUERIES, SIZES, Scaled
from pages import picture
from pages.ask import blocks, questions
from pages.draw import placing, plots, say
from pages.draw.charts import HERO, Axis, Chart, Plot
from pages.draw.numbers import apart, confirmed, counted, share, short
from pages.draw.page import Page
from pages.picture import Grid, Look, Matrix

from .shared import LARGEST_ENTRY, in_picture, numbers, results_of, scaling_names, widths

COLUMNS = ("scaling", "divisor", "deviation", "top", "bits", "share", "tokens")
LAYOUT = (
    ("scores", "weights_none", "weights_sqrt_d_k"),
    (None, "weights_d_k", "weights_sqrt_d_model"),
)
FAILS = 512  # the width at which the lesson shows what goes wrong, and asks
OPTIONS = {"third": 1 / 3, "half": 1 / 2, "all": 1.0}  # the largest weight, about
# What is measured over many rows: its axis.
DOMAINS = {"largest": (0.0, 1.05), "effective": (0.0, 8.4)}


@functools.lru_cache(maxsize=512)
def concentrations(d_k: int, seed: int) -> dict[str, Concentration]:
    """Under each scaling: how concentrated the weights of a query among KEYS keys are, over many rows."""
    scores = lab.rows_of_scores(d_k, KEYS, seed=seed)
    return {name: lab.concentration(scores, divisors(d_k)[name]) for name in SCALINGS}


@functools.lru_cache(maxsize=64)
def _spreads(d_k: int, seed: int) -> list[Scaled]:
    return variance.under_each(*variance.queries_and_keys(d_k, seed))


def draw(page: Page) -> blocks.Blocks:
    """What goes wrong; the question; then the weights of a few queries, and what is typical of many."""
    yield blocks.text("spread.failure", width=FAILS, keys=KEYS)
    yield blocks.picture(_failure)
    yield blocks.said(_failure_read)
    yield blocks.asking("divided", _ask_weight)
    yield blocks.picture(_divided)
    yield blocks.said(_divided_read)
    yield blocks.text("spread.four", queries=QUERIES, keys=KEYS)
    yield blocks.control(numbers, "sample_d_k")
    yield blocks.picture(_few)
    yield blocks.chart("concentration", _typical, _file, result=_at_width, rows=lab.ROWS, keys=KEYS)
    yield blocks.expander("spread.all", [blocks.aside(_table, follows="moved")])


def _ask_weight(page: Page) -> bool:
    """How large is the largest weight of a typical row once the scores are divided by √d_k?"""
    medians = _medians(FAILS, page.own.sample_seed)
    answer = min(OPTIONS, key=lambda option: abs(OPTIONS[option] - medians["sqrt_d_k"]))
    facts: dict[str, Any] = {"width": FAILS, "keys": KEYS, "found": short(medians["sqrt_d_k"])}
    facts |= {"plain": apart(medians["none"], 1.0)}
    return questions.ask(page, "divided", lambda: _divided(page), answer=answer, **facts)


@functools.lru_cache(maxsize=512)
def _medians(d_k: int, seed: int) -> dict[str, float]:
    """The median over many rows of the largest weight, under each scaling."""
    scores, by = lab.rows_of_scores(d_k, KEYS, seed=seed), divisors(d_k)
    return {name: lab.largest(torch.softmax(scores / by[name], dim=-1)).median for name in SCALINGS}


# ---- what goes wrong without scaling


def failing_row(seed: int) -> tuple[Tensor, Tensor]:
    """A typical row of wide queries."""
    return typical_row(FAILS, seed)


@functools.lru_cache(maxsize=512)
def typical_row(d_k: int, seed: int) -> tuple[Tensor, Tensor]:
    """Scores (keys,) of one of many random queries, not divided, and their softmax.

    Its largest weight is nearest to the median, without the division and with it.
    """
    scores, by, medians = lab.rows_of_scores(d_k, KEYS, seed=seed), divisors(d_k), _medians(d_k, seed)
    off = sum(
        (torch.softmax(scores / by[name], dim=-1).amax(dim=-1) - medians[name]).abs()
        for name in ("none", "sqrt_d_k")
    )
    row = scores[torch.as_tensor(off).argmin()]
    return row, row.softmax(-1)


def _failure(page: Page) -> None:
    """One row of scores that were not divided, its weights, and how fast each follows its own score."""
    rows = _failing(*failing_row(page.own.sample_seed))
    placing.draw(page, "failure", rows, [Grid([[matrix.id] for matrix in rows])])


def _failure_read(page: Page) -> str:
    medians, (_, p) = _medians(FAILS, page.own.sample_seed), failing_row(page.own.sample_seed)
    top, rate = p.max().item(), (p * (1 - p)).max().item()
    facts = {"top": apart(top, 1.0), "rest": apart(1 - top), "others": KEYS - 1, "rate": apart(rate)}
    facts |= {"rows": lab.ROWS, "median": apart(medians["none"], 1.0)}
    return page.t("spread.failure_read", width=FAILS, **facts)


def _failing(scores: Tensor, p: Tensor) -> list[Matrix]:
    rates = p * (1 - p)
    texts = [
        f"{a} · (1 − {a}) = {rate:.4f}"
        for value, rate in zip(p.tolist(), rates.tolist(), strict=True)
        for a in confirmed(lambda a: a * (1 - a), (value,), rate)
    ]
    looks: dict[str, tuple[str, Tensor, dict[str, Any]]] = {
        "s": ("failing_scores", scores, {}),
        "p": ("failing_weights", p, {"kind": "weights", "recipe": picture.softmax("failing_scores")}),
        "∂p_j / ∂s_j": (
            "failing_rates",
            rates,
            {"bound": LARGEST_ENTRY, "recipe": picture.written([texts], of=["failing_weights"])},
        ),
    }
    return [
        Matrix(name, title, ["q"], counted(KEYS), [values.tolist()], **look)
        for title, (name, values, look) in looks.items()
    ]


def _divided_row(page: Page) -> tuple[Tensor, Tensor]:
    """The same row of scores divided by √d_k, and its weights."""
    scaled = failing_row(page.own.sample_seed)[0] / math.sqrt(FAILS)
    return scaled, scaled.softmax(-1)


def _divided(page: Page) -> None:
    """The row divided by √d_k, in the colours of the row above; with the answer, its weights."""
    (scores, _), (scaled, p) = failing_row(page.own.sample_seed), _divided_row(page)
    keys, largest = counted(KEYS), scores.abs().max().item()
    look: dict[str, Any] = {"rows": ["q"], "cols": keys}
    whole = Matrix("failing_scores", "s", values=[scores.tolist()], **look)
    recipe = picture.divide("failing_scores", math.sqrt(FAILS), f"√{FAILS}")
    values = [scaled.tolist()]
    rows = [Matrix("divided_scores", f"s / √{FAILS}", values=values, bound=largest, recipe=recipe, **look)]
    if page.answer("divided") is not None:
        recipe = picture.softmax("divided_scores")
        rows.append(
            Matrix("divided_weights", "p", values=[p.tolist()], kind="weights", recipe=recipe, **look)
        )
    else:
        rows.append(Matrix("divided_weights", "p", values=[["?"] * KEYS], kind="text", **look))
    grid = Grid([[matrix.id] for matrix in rows])
    placing.draw(page, "divided", rows, [grid], sources=[placing.among(whole)])


def _divided_read(page: Page) -> str:
    _, p = _divided_row(page)
    return page.t("spread.divided_read", top=short(p.max().item()), least=apart(p.min().item()))


# ---- a few queries


def _axes(page: Page) -> dict:
    rows = [page.t("axis.one_query", index=i + 1) for i in range(QUERIES)]
    return {"rows": rows, "cols": counted(KEYS), "look": Look(**page.axes)}


def _few(page: Page) -> None:
    """The scores of a few queries and their weights under each scaling."""
    placing.draw(page, "weights", [_scores(page), *_weights(page, _scaled(page))], [Grid(LAYOUT)])


def _scaled(page: Page) -> list[Scaled]:
    return _spreads(page.own.sample_d_k, page.own.sample_seed)


def _scores(page: Page) -> Matrix:
    query, key = variance.queries_and_keys(page.own.sample_d_k, page.own.sample_seed)
    return Matrix(id="scores", title="S", values=(query @ key.T).tolist(), **_axes(page)).looking(
        subtitle="Q · K^T"
    )


def _weights(page: Page, spreads: list[Scaled]) -> list[Matrix]:
    """The attention weights under each scaling."""
    return [
        Matrix(
            id=f"weights_{spread.scaling}",
            title=in_picture(name),
            symbol="A",
            kind="weights",
            values=spread.weights.tolist(),
            recipe=picture.softmax("scores", by=spread.divisor),
            **_axes(page),
        )
        for name, spread in zip(scaling_names(page), spreads, strict=True)
    ]


def _table(page: Page) -> None:
    rows = []
    for name, spread in zip(scaling_names(page), _scaled(page), strict=True):
        of_keys = page.t("spread.of_keys", tokens=short(spread.tokens), keys=KEYS)
        shares = (short(value, 3) for value in (spread.top, spread.bits, spread.share))
        rows.append((name, short(spread.divisor), short(spread.deviation), *shares, of_keys))
    say.table([page.t(f"column.{name}") for name in COLUMNS], rows)


# ---- what is typical


def _by_width(page: Page) -> dict[tuple[int, str], Concentration]:
    """How concentrated the weights are at each d_k, under each scaling."""
    at = results_of(page, [(d_k, page.own.sample_seed) for d_k in SIZES], concentrations)
    return {(d_k, s): result[s] for s in SCALINGS for d_k, result in zip(SIZES, at, strict=True)}


def _typical(page: Page) -> list[Chart]:
    """The largest weight and the effective number of keys against d_k."""
    t, names, by_width, data = page.t, scaling_names(page), _by_width(page), []
    for measure, domain in DOMAINS.items():
        plot = Plot(widths(t("axis.d_k"), SIZES), Axis(t(f"axis.{measure}"), domain), names, height=HERO)
        plot.mark("rule", page.own.sample_d_k)
        for (d_k, scaling), spread in by_width.items():
            series, values = SCALINGS.index(scaling), getattr(spread, measure)
            text = f"{names[series]}, dₖ = {d_k}: {short(values.median, 3)}"
            plot.mark("band", d_k, values.median, series, low=values.low, high=values.high, sentence=text)
        data.append(plot.chart())
    return data


def _file(page: Page) -> plots.Columns:
    by_width, names = _by_width(page), scaling_names(page)
    file: plots.Columns = {"scaling": [names[SCALINGS.index(scaling)] for _, scaling in by_width]}
    file["d_k"] = [d_k for d_k, _ in by_width]
    for measure in DOMAINS:
        for quartile in ("low", "median", "high"):
            values = [getattr(getattr(spread, measure), quartile) for spread in by_width.values()]
            file[f"{measure}_{quartile}"] = values
    return {page.t(f"column.{name}"): values for name, values in file.items()}


def _at_width(page: Page) -> str:
    """The median largest weight under each scaling, at the chosen d_k."""
    d_k = page.own.sample_d_k
    tops = {f"top_{name}": share(top, 3) for name, top in _medians(d_k, page.own.sample_seed).items()}
    return page.t("spread.typical", d_k=d_k, **tops)
