"""The steps of the computation, in order. Each is one row: its matrix, code, formula, and place."""

from typing import Any

from pages.model.compute import divisor_of

from .. import inputs, matrix
from ..numbers import confirmed, short
from ..picture import Arrow, Matrix, recipes
from .computation import Computation
from .projections import StepRow, normalization, projection, rotation, why_scores

# ---- from the scores to the weights


def _scores(c: Computation) -> Matrix:
    left, right = c.scored
    starts: dict[str, Any] = {"left_start": c.start("q"), "right_start": c.start("k")}
    recipe = recipes.product(left, right, c.settings.head_dim, right_transposed=True, **starts)
    return c.square(c.symbol("S"), f"{c.compared('Q')} · {c.compared('K')}^T", c.head.scores, recipe=recipe)


def _masked_scores(c: Computation) -> Matrix:
    return c.square(
        c.t("short.masked_scores"),
        c.t(f"mask.{c.settings.cross_mask if c.cross else c.settings.mask}"),
        c.head.masked_scores,
        recipe=recipes.masked_from(c.unmasked),
        masked=c.masked,
    )


def _masked_code(c: Computation) -> str:
    if c.head.mask is None:
        return f"masked_scores = {c.unmasked}"
    value = 'float("-inf")' if c.settings.masked_score == "-inf" else "-1e9"
    return f"masked_scores = {c.unmasked}.masked_fill(~mask, {value})"


def _custom_mask(c: Computation) -> list[Matrix]:
    """The custom mask, to click; a second mask counts only with a first one."""
    chosen = () if c.cross or c.head.mask is None else (c.settings.mask, c.settings.mask_2)
    return [inputs.mask(c.page)] if "custom" in chosen else []


def _weights_code(c: Computation) -> str:
    return f"weights = torch.softmax(masked_scores, dim=-1){'.nan_to_num()' if c.has_empty_row else ''}"


def _dropped_weights(c: Computation) -> Matrix:
    """The weights after one draw, or the weights without dropout."""
    before, after = c.head.weights, c.head.dropped_weights
    after = before if after is None else after

    def text(weight: float, value: float) -> str:
        if not value:
            return f"{short(weight, 4)} → 0"
        (above,) = confirmed(lambda above: above / (1 - (c.dropout or 0.0)), (weight,), value, least=4)
        return f"{above} / (1 − {c.dropout:g}) = {short(value, 4)}"

    texts = [
        [text(*cell) for cell in zip(*rows, strict=True)]
        for rows in zip(before.tolist(), after.tolist(), strict=True)
    ]
    recipe = recipes.written(texts, ["weights"])
    look = {"kind": "weights", "recipe": recipe, "masked": c.masked}
    return c.square(c.t("short.dropped_weights"), f"p = {c.dropout:g}", after, **look)


# ---- the output


def _mixed(c: Computation) -> str:
    """The key of the reason for the mixture; another one if a row of A is 0."""
    return "output_zero" if c.has_empty_row else "output"


def _concatenated(c: Computation) -> Matrix:
    """All heads' outputs side by side, with the shown head's marked."""
    width, head, tensor = c.settings.value_dim, c.page.head, c.trace.concatenated
    names = {other: f"head_output_{other + 1}" for other in range(c.settings.num_heads)} | {
        head: "head_output"
    }
    return matrix.by_query(
        c.page,
        "",
        c.t("short.concatenated"),
        tensor,
        subtitle=f"O_1 … O_{c.settings.num_heads}",
        symbol="O",
        marked=(head * width, (head + 1) * width),
        recipe=recipes.copy(*((name, other * width, width) for other, name in names.items())),
    )


def _output(c: Computation) -> Matrix:
    """The output of all heads together."""
    width, bias = c.trace.concatenated.shape[-1], c.offset("o")
    recipe = recipes.product("concatenated", "w_o", width, bias=bias)
    subtitle = "O · W_O" + (" + b_O" if bias else "")
    look: dict[str, Any] = {"subtitle": subtitle, "symbol": c.result, "recipe": recipe}
    return matrix.by_query(c.page, "", c.result, c.trace.output, **look)


def _to_output(c: Computation) -> list[Arrow]:
    return [Arrow(f"· {c.symbol('V')}")]


ROWS = (
    StepRow(
        "x_p",
        lambda c: c.of_x("X + P", "", c.trace.query_input, recipes.add("x", "p")),
        lambda c: "x_p = x + p",
        lambda c: "X + P",
        lambda c: c.added,
        why=lambda c: f"x_p_{c.settings.position}",
        brings=lambda c: [c.positions()],
        switch="position",
    ),
    projection("query", "q"),
    projection("key", "k"),
    projection("value", "v"),
    normalization("query"),
    normalization("key"),
    rotation("query"),
    rotation("key"),
    StepRow(
        "scores",
        _scores,
        lambda c: f"scores = {c.scored[0]} @ {c.scored[1]}.transpose(-2, -1)",
        lambda c: r"S = Q\,K^\top",
        why=why_scores,
        leads=lambda c: [],
    ),
    StepRow(
        "scaled_scores",
        lambda c: c.square(
            c.t("short.scaled_scores"),
            f"{c.symbol('S')} / {c.divisor()}",
            c.head.scaled_scores,
            recipe=recipes.divide("scores", divisor_of(c.settings), c.divisor()),
        ),
        lambda c: f"scaled_scores = {c.scaled(1)}",
        lambda c: c.scaled(2),
        why=lambda c: f"scaled_scores_{'reversed' if divisor_of(c.settings) < 0 else c.settings.scaling}",
        leads=lambda c: [Arrow(f"÷ {c.divisor()}")],
    ),
    StepRow(
        "softcapped_scores",
        lambda c: c.square(
            c.t("short.softcapped_scores"),
            f"c = {short(c.cap)}",
            c.head.softcapped_scores,
            recipe=recipes.softcap("scaled_scores", c.cap),
        ),
        lambda c: "softcapped_scores = softcap * torch.tanh(scaled_scores / softcap)",
        lambda c: r"c \tanh(S / c)",
        lambda c: c.capped,
        leads=lambda c: [Arrow("c · tanh(s / c)")],
    ),
    StepRow(
        "biased_scores",
        lambda c: c.square(
            c.t("short.biased_scores"), "+ B", c.head.biased_scores, recipe=recipes.add(c.unbiased, "bias")
        ),
        lambda c: f"biased_scores = {c.unbiased} - slopes * distances",
        lambda c: "S + B",
        lambda c: c.biased,
        leads=lambda c: [Arrow("+"), "bias", Arrow("=")],
        brings=lambda c: [c.bias()],
        switch="position",
    ),
    StepRow(
        "masked_scores",
        _masked_scores,
        _masked_code,
        lambda c: (
            "S"
            if c.head.mask is None
            else r"s_{ij} \to " + (r"-\infty" if c.settings.masked_score == "-inf" else "-10^9")
        ),
        why=lambda c: "masked_scores_none" if c.head.mask is None else "masked_scores",
        leads=lambda c: [Arrow(c.t("steps.mask")), *(matrix.id for matrix in _custom_mask(c))],
        brings=_custom_mask,
    ),
    StepRow(
        "weights",
        lambda c: c.square(
            c.symbol("A"),
            "softmax",
            c.head.weights,
            kind="weights",
            recipe=recipes.softmax("masked_scores"),
            masked=c.without_weight(c.head.weights),
        ),
        _weights_code,
        lambda c: r"A = \mathrm{softmax}(S)",
        leads=lambda c: [Arrow("softmax")],
    ),
    StepRow(
        "dropped_weights",
        _dropped_weights,
        lambda c: "dropped_weights = F.dropout(weights, p)",
        lambda c: r"A' = \mathrm{dropout}(A)",
        lambda c: c.dropout is not None,
        leads=lambda c: [Arrow("dropout")],
    ),
    StepRow(
        "head_output",
        lambda c: c.mixture(c.symbol("O")),
        lambda c: f"head_output = {c.mixing} @ value",
        lambda c: r"O_i = A_i\,V_i",
        lambda c: c.several,
        why=_mixed,
        leads=_to_output,
    ),
    StepRow(
        "output",
        lambda c: c.mixture("O"),
        lambda c: f"output = {c.mixing} @ value",
        lambda c: r"O = A\,V",
        lambda c: not c.several,
        why=_mixed,
        leads=_to_output,
    ),
    StepRow(
        "concatenated",
        _concatenated,
        lambda c: "concatenated = head_output.transpose(-3, -2).flatten(-2)",
        lambda c: r"O = [\,O_1,\dots,O_h\,]",
        lambda c: c.several,
    ),
    StepRow(
        "output",
        _output,
        lambda c: "output = concatenated @ w_o" + (" + b_o" if c.offset("o") else ""),
        lambda c: rf"{c.result} = O\,W^O" + (" + b^O" if c.offset("o") else ""),
        lambda c: c.several,
        text="output_many",
    ),
)
NAMES = tuple(dict.fromkeys(row.name for row in ROWS))
SWITCHES = tuple(dict.fromkeys(row.switch for row in ROWS if row.switch))
