"""A bias on the scores that falls with the distance, with a slope of its own for each head."""

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

import streamlit as st
import torch

from attention.lab.order import alibi_weights
from pages.ask import questions
from pages.draw import charts, choices, figure, inputs, matrix, picture, plots, say, steps
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import apart, short
from pages.draw.page import Page
from pages.draw.picture import Arrow, Flow, Group, Matrix, nice_bound
from pages.model import edits
from pages.model.compute import bias_of, needed

from . import scene

KIND = "alibi"
LENGTH = 48
SLOPES = 4
OF_EIGHT = (1, 3, 5)
ASKED = 0.5  # the slope of the question
AWAY = (1, 3)  # how far its two keys are from the query


def draw(page: Page) -> None:
    st.markdown(page.t("alibi.intro"))
    if questions.ask(page, "order_slope", lambda: figure.draw(page, "slope", slope_asked(page)[:2])):
        figure.draw(page, "slope", slope_asked(page))
        _figure(page)


def slope_asked(page: Page) -> list[Matrix]:
    """Two equal scores, 2 positions apart, their biases at the question's slope, the sums and the weights."""
    t, scores = page.t, (1.0, 1.0)
    cols = [t("alibi.away", count=count) for count in AWAY]
    bias = [-ASKED * count for count in AWAY]
    total = [score + one for score, one in zip(scores, bias, strict=True)]
    weights = torch.softmax(torch.tensor(total, dtype=torch.float64), dim=-1).tolist()
    look: dict[str, Any] = {"made": picture.softmax("slope_sum")}
    product = [f"−{ASKED:g} · {count} = {short(one, 2)}" for count, one in zip(AWAY, bias, strict=True)]
    return [
        Matrix("slope_scores", t("short.scaled_scores"), [""], cols, [scores]),
        Matrix("slope_bias", "B", [""], cols, [bias], made=picture.written([product])),
        Matrix("slope_sum", "+", [""], cols, [total], made=picture.add("slope_scores", "slope_bias")),
        Matrix("slope_weights", "A", [""], cols, [weights], kind="weights", **look),
    ]


def _figure(page: Page) -> None:
    t, shown = page.t, scene.with_position(page, KIND)
    with st.container(horizontal=True, vertical_alignment="center"):
        scene.use(page, KIND)
        if page.now.num_heads == 1:
            page.button(t("alibi.heads", heads=SLOPES), "more_heads", _four_heads, help=t("alibi.heads_help"))
        _as_asked(page, slopes(shown)[page.head])
    inputs.draw_sliders(page, "slope_factor")
    sources = scene.sources(shown)
    figure.draw(page, KIND, *pictured(shown), on_pick=choices.choose_head, sources=sources)
    say.result(reading(shown))
    plots.draw(page, "reach", [_chart(shown)], _file(shown))


def _four_heads(now):
    """Four heads of the same width."""
    return edits.resize(now, num_heads=SLOPES, d_k=now.head_dim, d_v=now.value_dim)


def _as_asked(page: Page, slope: float) -> None:
    """The slope of the question for the shown head: that of a single head is too gentle to be seen."""

    def change(now):
        return edits.with_choice(now, slope_factor=now.slope_factor * ASKED / slope)

    page.button(
        page.t("alibi.asked"),
        "asked_slope",
        change,
        disabled=math.isclose(slope, ASKED),
        help=page.t("alibi.asked_help"),
    )


def slopes(shown: Page) -> list[float]:
    """The slope of every head: what one step of distance costs."""
    longer = replace(shown.now, tokens=("a", "b"), x=shown.now.x[:1] * 2)
    return (-needed(bias_of(longer))[:, 0, 1]).tolist()


def written(slope: float) -> str:
    """A slope in three digits, however small it is: 0.0000391."""
    return f"{Decimal(f'{slope:.3g}'):f}"


def pictured(shown: Page) -> tuple[list[Matrix], list[Flow]]:
    """X; scaled scores + bias; the weights without and with it; the biases of all heads."""
    found = steps.of(shown)
    matrices = [inputs.matrix(shown, "x"), found["scaled_scores"], found.bias()]
    matrices += [found["biased_scores"], scene.without(shown), scene.with_them(found)]
    flow = Flow(["scaled_scores", Arrow("+"), "bias", Arrow("="), "biased_scores"])
    bands = [Flow(["x", "weights_without", "weights"]), flow]
    if found.several:
        thumbnails = _thumbnails(shown)
        matrices += thumbnails
        bands.append(
            Flow([Group([one.id for one in thumbnails], shown.t("alibi.all"), shown.t("steps.click_one"))])
        )
    return matrices, bands


def _thumbnails(shown: Page) -> list[Matrix]:
    """The bias of every head, all with the same colours; a click chooses the head."""
    bias, names = needed(bias_of(shown.now)), list(shown.tokens)
    bound = nice_bound([bias.flatten().tolist()])
    return [
        matrix.of(
            f"bias_{head + 1}",
            f"B_{head + 1}",
            bias[head],
            names,
            names,
            subtitle=f"m = {written(slope)}",
            bound=bound,
            size="thumbnail",
            choose=head,
            chosen=head == shown.head,
            alt=shown.t("alibi.bias_of", head=head + 1, slope=written(slope)),
        )
        for head, slope in enumerate(slopes(shown))
    ]


def reading(shown: Page) -> str:
    slope = slopes(shown)[shown.head]
    weights = alibi_weights(2, slope)
    factor = (weights[0] / weights[1]).item()
    facts = {"slope": written(slope), "factor": apart(factor, 1.0, 3)}
    facts["moved"] = scene.moved(steps.of(shown), shown)
    hint = [shown.t("alibi.one_head")] if shown.now.num_heads == 1 and slope < ASKED else []
    return shown.t.joined([shown.t("alibi.reading", **facts), *hint])


def _chart(shown: Page) -> Chart:
    """The weight that distance alone leaves, for each head."""
    t = shown.t
    series, distance = _series(shown), Axis(t("axis.distance"), (0, LENGTH - 1))
    weight = Axis(t("axis.weight"), charts.reach([max(weights) for weights in series.values()]))
    return charts.curves(distance, weight, range(LENGTH), series, title=t("panel.reach"), height=charts.HERO)


def _series(shown: Page) -> dict[str, list[float]]:
    found = {}
    for head, slope in enumerate(slopes(shown)):
        name = shown.t("alibi.head", head=head + 1)
        found[name] = alibi_weights(LENGTH, slope).flip(0).tolist()
    if shown.now.num_heads == 1:  # next to it three of the slopes that eight heads have
        for power in OF_EIGHT:
            slope = shown.now.slope_factor * 2.0**-power
            found[f"m = {written(slope)}"] = alibi_weights(LENGTH, slope).flip(0).tolist()
    return found


def _file(shown: Page) -> dict[str, list]:
    return {shown.t("axis.distance"): list(range(LENGTH))} | _series(shown)
