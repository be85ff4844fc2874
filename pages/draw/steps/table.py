"""The steps of the computation, in order. Each is one row: how it is made, its look, and its place."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from pages.model.compute import needed
from pages.picture import Arrow, Matrix, recipes
from pages.picture.traced import AxisNames, Operation, Traced, as_input

from .. import inputs
from ..numbers import confirmed, counted, short
from .computation import Computation
from .projections import (
    ONE_ROW,
    Made,
    StepRow,
    normalization,
    of_head,
    projection,
    rotation,
    weights_of,
    why_scores,
    with_positions,
)

# ---- from the scores to the weights


def _scores(c: Computation, made: Made) -> Traced:
    query, key = (of_head(c, made[name]) for name in c.scored)
    return c.step(query @ (key.T if c.alone else key.mT), "scores", "S")


def scaled(c: Computation, scores: Traced, known: Tensor | None = None) -> Traced:
    """Scores by the divisor. known: the core's value."""
    look = {"symbol": scores.symbol, "letter": scores.letter, "title": c.t("short.scaled_scores")}
    return (scores / c.scalar).called("scaled_scores", known=known, **look)


def masked(c: Computation, scores: Traced, known: Tensor | None = None) -> Traced:
    """Scores behind the mask of the shown head. known: the core's value."""
    mask, visible = c.head.mask, None
    if mask is not None:
        cells = mask.expand_as(c.head.scores)
        visible = as_input("mask", "M", cells, scores.rows, scores.cols, title=c.t("sheet.mask"))
    look = {"symbol": scores.symbol, "letter": scores.letter, "title": c.t("short.masked_scores")}
    result = scores.masked(visible, c.settings.masked_score)
    return result.called("masked_scores", known=known, **look)


def _softcapped(c: Computation, made: Made) -> Traced:
    cap = f"{short(c.cap)} · tanh({{}} / {short(c.cap)})"
    operation = Operation(
        lambda scores: c.cap * torch.tanh(scores / c.cap),
        "softcap * torch.tanh({} / softcap)",
        cap,
        "softcap * np.tanh({} / softcap)",
        general="c · tanh({} / c)",
    )
    scores = made["scaled_scores"]
    number = Traced(operation, (scores,), scores.rows, scores.cols, lambda: recipes.softcap(scores.id, c.cap))
    return c.step(number, "softcapped_scores", "S", title=c.t("short.softcapped_scores"))


def _biased(c: Computation, made: Made) -> Traced:
    scores = made[c.unbiased]
    bias = as_input("", "B", lambda: needed(c.head.bias), scores.rows, scores.cols, id="bias")
    operation = Operation(torch.add, "{} - slopes * distances", "{} + {}", infix=True)
    number = replace(scores + bias, operation=operation)
    return c.step(number, "biased_scores", "S", title=c.t("short.biased_scores"))


def _custom_mask(c: Computation) -> list[Matrix]:
    """The custom mask, to click; a second mask counts only with a first one."""
    chosen = () if c.cross or c.head.mask is None else (c.settings.mask, c.settings.mask_2)
    return [inputs.mask(c.page)] if "custom" in chosen else []


def _dropped(c: Computation, made: Made) -> Traced:
    """The weights after one draw, or the weights without dropout."""
    weights, after = made["weights"], c.head.dropped_weights

    def text(weight: float, value: float) -> str:
        if not value:
            return f"{short(weight, 4)} → 0"
        (above,) = confirmed(lambda above: above / (1 - (c.dropout or 0.0)), (weight,), value, least=4)
        return f"{above} / (1 − {c.dropout:g}) = {short(value, 4)}"

    def how() -> dict:
        rows = zip(weights.value.tolist(), number.value.tolist(), strict=True)
        texts = [[text(*cell) for cell in zip(*row, strict=True)] for row in rows]
        return recipes.written(texts, ["weights"])

    operation = Operation(lambda value: value, "F.dropout({}, p)", "dropout({})")
    number = Traced(operation, (weights,), weights.rows, weights.cols, how, "weights")
    known, title = weights.value if after is None else after, c.t("short.dropped_weights")
    number = c.step(number, "dropped_weights", "A′", known, title=title)
    return number


# ---- the output


def _mixture(name: str) -> Callable[[Computation, Made], Traced]:
    """The shown head's output: the values, mixed by the weights."""

    def number(c: Computation, made: Made) -> Traced:
        mixed = made[c.mixing] @ of_head(c, made["value"])
        return c.step(mixed, name, "O", c.head.output, cols=AxisNames(counted(c.settings.value_dim)))

    return number


def _mixed(c: Computation) -> str:
    """The key of the reason for the mixture; another one if a row of A is 0."""
    return "output_zero" if c.has_empty_row else "output"


def _concatenated(c: Computation, made: Made) -> Traced:
    """All heads' outputs side by side."""
    shown, width = made["head_output"], c.settings.value_dim
    heads = [
        as_input("", f"O_{head + 1}", output, shown.rows, shown.cols, id=f"head_output_{head + 1}")
        for head, output in enumerate(c.trace.heads.output)
    ]
    heads[c.page.head] = shown
    place = f"{{{c.page.head}}}"
    operation = Operation(
        lambda *outputs: torch.cat(outputs, dim=-1),
        f"{place}.transpose(-3, -2).flatten(-2)",
        f"O_1 … O_{c.settings.num_heads}",
        f"{place}.swapaxes(-3, -2).reshape(len(tokens), -1)",
        equation=r"O = [\,O_1,\dots,O_h\,]",
    )
    blocks = [(output.id, head * width, width) for head, output in enumerate(heads)]
    cols = AxisNames(counted(width * len(heads)))
    number = Traced(operation, tuple(heads), shown.rows, cols, lambda: recipes.copy(*blocks))
    return number.called("concatenated", "O", known=c.trace.concatenated, title=c.t("short.concatenated"))


def _output(c: Computation, made: Made) -> Traced:
    """The output of all heads together."""
    number = made["concatenated"] @ weights_of(c, "w_o", AxisNames(counted(len(made["concatenated"].cols))))
    if c.offset("o"):
        number += weights_of(c, "b_o", ONE_ROW)
    return number.called("output", c.result, known=c.trace.output)


def _to_output(c: Computation) -> list[Arrow]:
    return [Arrow(f"· {c.symbol('V')}")]


ROWS = (
    StepRow(
        "x_p",
        with_positions,
        lambda c: {"subtitle": ""},
        lambda c: c.added,
        switch="position",
        why=lambda c: f"x_p_{c.settings.position}",
        brings=lambda c: [c.positions()],
    ),
    projection("query", "q"),
    projection("key", "k"),
    projection("value", "v"),
    normalization("query"),
    normalization("key"),
    rotation("query"),
    rotation("key"),
    StepRow("scores", _scores, why=why_scores, leads=lambda c: []),
    StepRow(
        "scaled_scores",
        lambda c, made: scaled(c, made["scores"], c.head.scaled_scores),
        why=lambda c: f"scaled_scores_{'reversed' if c.scalar.value < 0 else c.settings.scaling}",
        leads=lambda c: [Arrow(f"÷ {c.divisor()}")],
    ),
    StepRow(
        "softcapped_scores",
        _softcapped,
        lambda c: {"subtitle": f"c = {short(c.cap)}"},
        lambda c: c.capped,
        leads=lambda c: [Arrow("c · tanh(s / c)")],
    ),
    StepRow(
        "biased_scores",
        _biased,
        lambda c: {"subtitle": "+ B"},
        lambda c: c.biased,
        switch="position",
        told=True,
        leads=lambda c: [Arrow("+"), "bias", Arrow("=")],
        brings=lambda c: [c.bias()],
    ),
    StepRow(
        "masked_scores",
        lambda c, made: masked(c, made[c.unmasked], c.head.masked_scores),
        lambda c: {
            "subtitle": c.t(f"mask.{c.settings.cross_mask if c.cross else c.settings.mask}"),
            "masked": c.masked,
        },
        why=lambda c: "masked_scores_none" if c.head.mask is None else "masked_scores",
        told=True,
        leads=lambda c: [Arrow(c.t("steps.mask")), *(matrix.id for matrix in _custom_mask(c))],
        brings=_custom_mask,
    ),
    StepRow(
        "weights",
        lambda c, made: c.step(made["masked_scores"].softmax(), "weights", "A"),
        lambda c: {"subtitle": "softmax", "masked": c.without_weight(c.head.weights)},
        told=True,
        leads=lambda c: [Arrow("softmax")],
    ),
    StepRow(
        "dropped_weights",
        _dropped,
        lambda c: {"subtitle": f"p = {c.dropout:g}", "masked": c.masked},
        lambda c: c.dropout is not None,
        told=True,
        leads=lambda c: [Arrow("dropout")],
    ),
    StepRow(
        "head_output", _mixture("head_output"), happens=lambda c: c.several, why=_mixed, leads=_to_output
    ),
    StepRow("output", _mixture("output"), happens=lambda c: not c.several, why=_mixed, leads=_to_output),
    StepRow(
        "concatenated",
        _concatenated,
        lambda c: {
            "symbol": "O",
            "marked": (c.page.head * c.settings.value_dim, (c.page.head + 1) * c.settings.value_dim),
        },
        lambda c: c.several,
        told=True,
    ),
    StepRow("output", _output, lambda c: {"symbol": c.result}, lambda c: c.several, text="output_many"),
)
NAMES = tuple(dict.fromkeys(row.name for row in ROWS))
SWITCHES = tuple(dict.fromkeys(row.switch for row in ROWS if row.switch))
