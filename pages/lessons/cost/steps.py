"""Multiply–adds and bytes of every step of the learner's own computation, and how they grow with n."""

import functools
from dataclasses import replace

import streamlit as st

from attention.lab.cost import steps as lab
from attention.lab.cost.steps import Sizes, StepCost
from pages.ask import blocks
from pages.draw import charts, inputs, placing, plots, say, winners
from pages.draw.charts import HERO, Axis, Chart
from pages.draw.page import Page
from pages.model.settings import Settings

from . import words
from .words import count

LENGTHS = tuple(2**i for i in range(15))


def draw(page: Page) -> blocks.Blocks:
    yield blocks.ask("cost_double", functools.partial(_table, known=False))
    yield blocks.aside(_costs, follows="moved")
    yield blocks.figure(_beside)
    yield blocks.caption("steps.left_out")


def _costs(page: Page) -> None:
    _table(page, known=True)


def _beside(page: Page) -> None:
    """X, and how the costs grow with its rows."""
    left, right = st.columns([10, 9])  # the line below X is read in full next to the key
    with left:
        placing.draw(page, "x", [inputs.matrix(page, "x")])
    with right:
        plots.draw(page, "steps", [_chart(page)], _file(page), heading=False, result=sentence(page))


def sizes_of(settings: Settings) -> Sizes:
    """The present computation's sizes. With a single head there is no output projection."""
    return Sizes(
        n=len(settings.tokens),
        embed_dim=settings.d_model,
        num_heads=settings.num_heads,
        head_dim=settings.head_dim,
        value_dim=settings.value_dim,
        num_kv_heads=settings.kv_heads,
        w_o=settings.num_heads > 1,
        masked=settings.mask != "none",
    )


def name_of(page: Page, step: StepCost) -> str:
    """The step's name as the other lessons have it; the last one is the output."""
    return page.t(f"step.{step.name}")


def doubling(settings: Settings) -> list[str]:
    """For each step how many times as many multiply–adds twice as many tokens take; – without any."""
    sizes = sizes_of(settings)
    pairs = zip(lab.step_costs(sizes), lab.step_costs(replace(sizes, n=2 * sizes.n)), strict=True)
    return [
        f"× {two.multiply_adds // first.multiply_adds}" if first.multiply_adds else "–"
        for first, two in pairs
    ]


def _table(page: Page, *, known: bool) -> None:
    """The steps' costs; known: whether what twice as many tokens take is written or asked for."""
    t = page.t
    costs = lab.step_costs(sizes_of(page.settings))
    header = [
        t(f"column.{name}") for name in ("step", "multiply_adds", "doubled", "other", "read", "written")
    ]
    factors = doubling(page.settings) if known else ["?"] * len(costs)
    rows = [
        (
            name_of(page, cost),
            count(cost.multiply_adds),
            factor,
            count(cost.other),
            words.size(cost.read),
            words.size(cost.written),
        )
        for cost, factor in zip(costs, factors, strict=True)
    ]
    say.table(header, rows)


def _growth(settings: Settings) -> dict[str, list[int]]:
    """Projections and mixing at each length, with the learner's widths and heads."""
    at = [lab.projections_and_mixing(replace(sizes_of(settings), n=n)) for n in LENGTHS]
    return {"projections": [first for first, _ in at], "mixing": [two for _, two in at]}


def crossing(settings: Settings) -> float:
    """The n at which scores and A·V take as many multiply–adds as all projections: c·n² = b·n."""
    projections, mixing = lab.projections_and_mixing(replace(sizes_of(settings), n=1))
    return projections / mixing


def _chart(page: Page) -> Chart:
    t, settings = page.t, page.settings
    at = crossing(settings)
    projections = lab.projections_and_mixing(replace(sizes_of(settings), n=1))[0]
    series = {t(f"series.{name}"): values for name, values in _growth(settings).items()}
    work = charts.log_reach([value for values in series.values() for value in values])
    return charts.curves(
        Axis(t("axis.tokens"), (LENGTHS[0], LENGTHS[-1]), log=True),
        Axis(t("axis.work"), work, log=True),
        LENGTHS,
        series,
        title=t("panel.growth"),
        at=len(settings.tokens),
        crossing=(at, at * projections),
        height=HERO,
    )


def _file(page: Page) -> dict[str, list]:
    costs = lab.step_costs(sizes_of(page.settings))
    fields = ("multiply_adds", "other", "read", "written")
    columns = {page.t("column.step"): [name_of(page, cost) for cost in costs]}
    return columns | {page.t(f"column.{field}"): [getattr(cost, field) for cost in costs] for field in fields}


def sentence(page: Page) -> str:
    """What a pass costs in all, which step leads, and from where on mixing leads."""
    sizes = sizes_of(page.settings)
    costs = lab.step_costs(sizes)
    taken = [cost.multiply_adds for cost in costs]
    leaders = winners.winners(taken, [*map(count, taken)])
    return page.t(
        "steps.sentence",
        total=count(sum(taken)),
        leaders=page.t.all_of(name_of(page, costs[place]) for place in leaders),
        top=count(taken[leaders[0]]),
        crossing=f"{crossing(page.settings):.4g}",
    )
