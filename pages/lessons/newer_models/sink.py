"""A sink: a number in the sum of each row of the softmax, which takes a share of the attention weights."""

from dataclasses import replace
from typing import Any

import torch

from attention.lab.newer.sink import with_a_key_of_zeros
from pages.ask import blocks
from pages.draw import inputs, matrix, placing, positions, steps
from pages.draw.numbers import power, share, short
from pages.draw.page import Page
from pages.draw.results import size
from pages.draw.texts import Texts
from pages.model.compute import needed, options_of, trace_of
from pages.model.course import Location
from pages.model.fields import specs
from pages.picture import Arrow, Flow, Matrix, Passage
from pages.picture.traced import AxisNames, Traced, as_input, by_name, side_by_side

from .settings import NewerNumbers

BEFORE_WEIGHTS = ("query", "key", "value", "scores", "scaled_scores", "masked_scores")
KINDS = specs(NewerNumbers)["sink_kind"].options


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("sink.intro")
    yield blocks.aside(positions.without)
    yield blocks.ask("sink_lowered", _asked)
    yield blocks.control(_kinds)
    yield blocks.picture(_picture)
    yield blocks.text("sink.cost")
    yield blocks.way("sink.more", Location("cost", "cache"))


def _kinds(page: Page) -> None:
    page.choose("sink_kind", KINDS, lambda kind: page.t(f"sink.{kind}"))


def sink_of(page: Page) -> float | None:
    """The sink that is switched on; None for no sink."""
    return {"none": None, "plus_one": 0.0, "learned": page.own.sink}[page.own.sink_kind]


def with_sink(page: Page, sink: float | None) -> steps.Steps:
    """The learner's computation with this sink in every head, without positions."""
    page = positions.plainly(page)
    return steps.Steps(page, trace_of(page.settings, sink=sink))


def row_sums(t: Texts, computation: steps.Steps) -> tuple[str, str]:
    """The smallest and the largest sum of a row of attention weights, as texts.

    With a sink a row sums to less than 1, however small the sink's share is, and to more than 0.
    """
    weights, shares = computation.head.weights, computation.head.sink_weights
    sums = weights.sum(-1)
    if shares is None:
        return short(sums.min().item(), 0), short(sums.max().item(), 0)
    is_open = ~torch.isneginf(needed(computation.head.masked_scores)).all(-1)
    texts = [
        _sum(t, *numbers) for numbers in zip(sums.tolist(), shares.tolist(), is_open.tolist(), strict=True)
    ]
    # Close to 1, the shares differ where the sums do not.
    order = sorted(range(len(texts)), key=lambda row: (sums[row].item(), -shares[row].item()))
    return texts[order[0]], texts[order[-1]]


def _sum(t: Texts, total: float, rest: float, is_open: bool) -> str:
    """The sum of a row with a sink. rest: the sink's share. is_open: a key of the row is visible."""
    if is_open and total in (0, 1):
        return f"1 − {power(rest, 0)}" if total and rest else t("sink.rounded", value=short(total, 0))
    return share(total, 3)


def difference_to_zeros(computation: steps.Steps, sink: float) -> float:
    """How far the output is from that of one more key and value of zeros."""
    masked_score = options_of(computation.settings)["masked_score"]
    longer = with_a_key_of_zeros(computation.head, sink, masked_score=masked_score)
    return (longer.output - computation.head.output).abs().max().item()


def steps_of(c: steps.Steps, sink: float | None) -> dict[str, Traced]:
    """Each step of the shown head by its name, with the core's numbers. c: see with_sink."""
    made = c.of_head.numbers
    before = (made[name] for name in BEFORE_WEIGHTS)
    shared = {"weights": made["weights"]} if sink is None else shares_of(c, made["masked_scores"], sink)
    output = (shared["weights"] @ made["value"]).called("output", c.symbol("O"), known=c.head.output)
    return by_name(*before, *shared.values(), output)


def shares_of(c: steps.Steps, masked: Traced, sink: float) -> dict[str, Traced]:
    """The steps from the masked scores to the weights and the sink's share of each row."""
    column = AxisNames([""])
    number = torch.full((len(masked.rows), 1), sink, dtype=torch.float64)
    joined = side_by_side(masked, as_input("sinks", "s", number, masked.rows, column))
    joined = joined.called("with_sink", cols=AxisNames([*masked.cols.names, c.t("setting.sink")]))
    shares = joined.softmax().called("shares")
    look: dict[str, Any] = {"written": c.symbol("A"), "cols": masked.cols, "known": c.head.weights}
    weights = shares[:, :-1].called("weights", **look)
    known = needed(c.head.sink_weights)[:, None]
    look = {"title": c.t("sink.share"), "written": "1 − Σ a_{ij}", "cols": column, "known": known}
    return by_name(joined, shares, weights, shares[:, -1:].called("sink_share", id="sink_weights", **look))


def _asked(page: Page) -> None:
    _picture(page, asked=True)


def _picture(page: Page, *, asked: bool = False) -> None:
    """The way from X to the output, with the sink and its share. asked: the question is open, without one."""
    sink = None if asked else sink_of(page)
    computation = with_sink(page, sink)
    to_weights, to_output, weights = computation.short_way()
    way: list[str | Arrow] = [*to_weights[:-1]]
    matrices = [*computation.matrices()]
    if sink is not None:
        made = shares_of(computation, computation.numbers["masked_scores"], sink)
        weights = replace(weights, recipe=made["weights"].recipe)
        share = matrix.number(page, made["sink_share"], alt=page.t("sink.share"))
        matrices += [_number(page, sink), share]
        way.insert(-1, "sink")
        to_output = ["sink_weights", *to_output]
    shown = {item for item in [*way, *to_output] if isinstance(item, str)}
    matrices = [weights, *(step for step in matrices if step.id in shown)]
    placing.draw(
        page,
        "sink_asked" if asked else "sink",
        [inputs.matrix(page, "x"), *matrices],
        [Flow(["x", Arrow("Q · K^T"), *way, "weights", *to_output])],
        fit=True,
        passages=() if asked else [Passage("", reading(page, computation, sink))],
        sources=[computation.find],
    )


def _number(page: Page, sink: float) -> Matrix:
    """The sink, to drag if it is a learned one."""
    shown = inputs.number(page, "sink")
    if page.own.sink_kind == "learned":
        return shown
    return replace(shown, values=[[sink]]).to_read()


def reading(page: Page, computation: steps.Steps, sink: float | None) -> list[str]:
    """What the rows sum to; and with a sink, that a key and value of zeros gives the same."""
    t, result = page.t, result_of(page.t, computation, sink)
    if sink is None:
        return [result]
    off = size(difference_to_zeros(computation, sink))
    return [result, t("sink.zeros", sink=short(sink), difference=off)]


def result_of(t: Texts, computation: steps.Steps, sink: float | None, *, in_summary: bool = False) -> str:
    """What the rows of attention weights sum to."""
    low, high = row_sums(t, computation)
    form = "same" if low == high else "range"
    if sink is None:
        return t(f"sink.none_{form}", low=low, high=high)
    if in_summary:
        return t(f"summary.one_{form}", low=low, high=high, sink=short(sink))
    return t(f"sink.result_{form}", low=low, high=high)
