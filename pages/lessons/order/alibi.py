"""A bias on the scores that falls with the distance, with a slope of its own for each head."""

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import streamlit as st
import torch

from attention.lab.order import alibi_weights
from pages import picture
from pages.ask import blocks
from pages.draw import charts, choices, inputs, matrix, placing, plots, steps
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import apart, short
from pages.draw.page import Page
from pages.model import edits
from pages.model.compute import bias_of, needed
from pages.picture import Arrow, Flow, Group, Look, Matrix, nice_bound

from . import scene

KIND = "alibi"
LENGTH = 48
SLOPES = 4
EDGE = 0.01  # of the largest weight: what is smaller everywhere from here on is not drawn
SHORTEST = 8
OF_EIGHT = (1, 3, 5)
QUESTION_SLOPE = 0.5  # the slope of the question
AWAY = (1, 3)  # how far its two keys are from the query


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("alibi.intro")
    yield blocks.ask("order_slope", _slope)
    yield blocks.picture(_slope)
    yield blocks.control(_controls, follows="moved")
    yield blocks.sliders("slope_factor")
    yield blocks.picture(_picture)
    yield blocks.result(reading)
    yield blocks.chart("reach", _charts, _file)


def _slope(page: Page) -> None:
    """What the question is about; with its answer also what follows."""
    known = 2 if page.answer("order_slope") is None else None
    placing.draw(page, "slope", slope_matrices(page)[:known])


def slope_matrices(page: Page) -> list[Matrix]:
    """Two equal scores, 2 positions apart, their biases at the question's slope, the sums and the weights."""
    t, scores = page.t, (1.0, 1.0)
    bias = [-QUESTION_SLOPE * count for count in AWAY]
    total = [score + summand for score, summand in zip(scores, bias, strict=True)]
    weights = torch.softmax(torch.tensor(total, dtype=torch.float64), dim=-1).tolist()
    look: dict[str, Any] = {
        "rows": [""],
        "cols": [str(count) for count in AWAY],
        "look": Look(col_axis=t("alibi.away")),
    }
    sums, shares = picture.add("slope_scores", "slope_bias"), picture.softmax("slope_sum")
    pairs = zip(AWAY, bias, strict=True)
    product = [f"−{QUESTION_SLOPE:g} · {count} = {short(bias, 2)}" for count, bias in pairs]
    return [
        Matrix("slope_scores", t("short.scaled_scores"), values=[scores], **look),
        Matrix("slope_bias", "B", values=[bias], recipe=picture.written([product]), **look),
        Matrix("slope_sum", "+", values=[total], recipe=sums, **look),
        Matrix("slope_weights", "A", values=[weights], kind="weights", recipe=shares, **look),
    ]


def _controls(page: Page) -> None:
    t, variant = page.t, scene.with_position(page, KIND)
    with st.container(horizontal=True, vertical_alignment="center"):
        scene.use(page)
        if page.settings.num_heads == 1:
            page.button(t("alibi.heads", heads=SLOPES), "more_heads", _four_heads, help=t("alibi.heads_help"))
        _slope_button(page, slopes(variant)[page.head])


def _picture(page: Page) -> None:
    """The bias on the scores and what it does to the weights."""
    variant = scene.with_position(page, KIND)
    sources = scene.sources(variant)
    placing.draw(page, KIND, *figure_of(variant), on_pick=choices.choose_head, sources=sources)


def _four_heads(settings):
    """Four heads of the same width."""
    return edits.resize(settings, num_heads=SLOPES, d_k=settings.head_dim, d_v=settings.value_dim)


def _slope_button(page: Page, slope: float) -> None:
    """The slope of the question for the shown head: a single head's slope is too gentle to be seen."""

    def change(settings):
        return edits.with_choice(settings, slope_factor=settings.slope_factor * QUESTION_SLOPE / slope)

    look: dict[str, Any] = {
        "disabled": math.isclose(slope, QUESTION_SLOPE),
        "help": page.t("alibi.asked_help"),
    }
    page.button(page.t("alibi.asked"), "asked_slope", change, **look)


def slopes(variant: Page) -> list[float]:
    """The slope of every head: what one step of distance costs."""
    longer = replace(variant.settings, tokens=("a", "b"), x=variant.settings.x[:1] * 2)
    return (-needed(bias_of(longer))[:, 0, 1]).tolist()


def slope_text(slope: float) -> str:
    """A slope in three digits, however small it is: 0.0000391."""
    return f"{Decimal(f'{slope:.3g}'):f}"


def figure_of(variant: Page) -> tuple[list[Matrix], list[Flow]]:
    """X; scaled scores + bias; the weights without and with it; the biases of all heads."""
    computation = steps.of(variant)
    matrices = [inputs.matrix(variant, "x"), computation["scaled_scores"], computation.bias()]
    matrices += [computation["biased_scores"], scene.without(variant), scene.with_them(computation)]
    flow = Flow(["scaled_scores", Arrow("+"), "bias", Arrow("="), "biased_scores"])
    bands = [Flow(["x", "weights_without", "weights"]), flow]
    if computation.several:
        thumbnails = _thumbnails(variant)
        matrices += thumbnails
        texts = variant.t("alibi.all"), variant.t("steps.click_one")
        bands.append(Flow([Group([thumbnail.id for thumbnail in thumbnails], *texts)]))
    return matrices, bands


def _thumbnails(variant: Page) -> list[Matrix]:
    """The bias of every head, all with the same colours; a click chooses the head."""
    bias, names = needed(bias_of(variant.settings)), list(variant.tokens)
    bound = nice_bound([bias.flatten().tolist()])
    return [
        matrix.of(
            f"bias_{head + 1}",
            f"B_{head + 1}",
            bias[head],
            names,
            names,
            subtitle=f"m = {slope_text(slope)}",
            bound=bound,
            size="thumbnail",
            choose=head,
            chosen=head == variant.head,
            alt=variant.t("alibi.bias_of", head=head + 1, slope=slope_text(slope)),
        )
        for head, slope in enumerate(slopes(variant))
    ]


def reading(page: Page) -> str:
    variant = scene.with_position(page, KIND)
    slope = slopes(variant)[variant.head]
    weights = alibi_weights(2, slope)
    factor = (weights[0] / weights[1]).item()
    facts = {"slope": slope_text(slope), "factor": apart(factor, 1.0, 3)}
    facts["moved"] = scene.change_sentence(variant)
    hint = [variant.t("alibi.one_head")] if variant.settings.num_heads == 1 and slope < QUESTION_SLOPE else []
    return variant.t.joined([variant.t("alibi.reading", **facts), *hint])


def _charts(page: Page) -> list[Chart]:
    """The weight that distance alone leaves, for each head."""
    t, series = page.t, _series(scene.with_position(page, KIND))
    top = max(map(max, series.values()))
    last = max(i for weights in series.values() for i, weight in enumerate(weights) if weight > EDGE * top)
    end = max(last, SHORTEST)  # the axis ends where the curves do
    weight = Axis(t("axis.weight"), charts.reach([top]))
    parts = {name: weights[: end + 1] for name, weights in series.items()}
    distance = Axis(t("axis.distance"), (0, end))
    look: dict[str, Any] = {"title": t("panel.reach"), "height": charts.HERO}
    return [charts.curves(distance, weight, range(end + 1), parts, **look)]


def _file(page: Page) -> plots.Columns:
    series = _series(scene.with_position(page, KIND))
    return {page.t("axis.distance"): list(range(LENGTH))} | series


def _series(variant: Page) -> dict[str, list[float]]:
    results = {}
    for head, slope in enumerate(slopes(variant)):
        name = variant.t("alibi.head", head=head + 1)
        results[name] = alibi_weights(LENGTH, slope).flip(0).tolist()
    if variant.settings.num_heads == 1:  # next to it three of the slopes that eight heads have
        for power in OF_EIGHT:
            slope = variant.settings.slope_factor * 2.0**-power
            results[f"m = {slope_text(slope)}"] = alibi_weights(LENGTH, slope).flip(0).tolist()
    return results
