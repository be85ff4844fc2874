"""One score changed by a little: every weight's real change, and what the Jacobian predicts."""

import math
from dataclasses import replace
from typing import Any

import torch

from attention.lab.softmax import scores as softmax
from pages import picture
from pages.ask import blocks
from pages.draw import arithmetic, charts, inputs, matrix, placing, plots, say
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import apart, confirmed, minus, short, without_power
from pages.draw.page import Page, small
from pages.draw.results import size
from pages.picture import Grid, GridRows, Matrix
from pages.picture.traced import AxisNames, Operation, Traced, as_input, by_name

from . import scores

LARGEST_ENTRY = 0.25  # p (1 − p) at p = ½
NUDGES = [10 ** (-3 + i / 8) for i in range(33)]
LEAST_ERROR = 1e-16
JACOBIAN = Operation(
    lambda weights: softmax.jacobian(weights[:, 0]),
    "torch.diag({0}[:, 0]) - {0} @ {0}.T",
    "p_i · (δ_{{ij}} − p_j)",
    "np.diag({0}[:, 0]) - {0} @ {0}.T",
    equation=r"J_{ij} = p_i\,(\delta_{ij} - p_j)",
)


def draw(page: Page) -> blocks.Blocks:
    yield blocks.control(scores.buttons, follows="moved")
    if len(page.scores.logits) == 1:
        yield blocks.picture(_one)
        yield blocks.info("jacobian.one_score")
        return
    yield blocks.ask("soft_raise", _draw_before)
    yield blocks.text("jacobian.intro")
    yield blocks.control(scores.choose)
    yield blocks.picture(_picture)
    yield blocks.aside(_derivation, follows="moved")
    yield blocks.result(_tenth)
    yield blocks.chart("changes", _charts, _file)


def _one(page: Page) -> None:
    placing.draw(page, "one_score", [inputs.number(page, "logits")])


def _picture(page: Page) -> None:
    """The Jacobian, where scores and weights cross."""
    rows: GridRows = [
        [None, "logits", "nudge"],
        ["weights", "jacobian", "predicted", "real", "error"],
    ]
    placing.draw(page, "jacobian", matrices(page), [Grid(rows)])


def _derivation(page: Page) -> None:
    say.markdown(derivation(page))


def _charts(page: Page) -> list[Chart]:
    return [_changes(page), _errors(page)]


def _file(page: Page) -> plots.Columns:
    return {page.t("axis.nudge"): NUDGES, page.t("axis.error"): _errors_of(page)}


def _draw_before(page: Page) -> None:
    distribution = softmax.softmax(page.scores.logits)
    weights = scores.weights("weights", page.t("panel.weights"), distribution)
    placing.draw(page, "raise_asked", [scores.to_read(page), weights])
    plots.ghost(page, "changes", _charts(page))


# ---- the picture: scores above, weights at the left, the Jacobian where they cross


def matrices(page: Page) -> list[Matrix]:
    """J has a row per weight and a column per score, as its formula says; the chosen score's is ringed."""
    steps, chosen = steps_of(page), scores.score_index(page)
    changes = {name: steps[name] for name in ("predicted", "real", "error")}
    bound = picture.nice_bound([changes[name].value.flatten().tolist() for name in ("real", "predicted")])
    ringed = [(row, chosen) for row in range(len(page.scores.logits))]
    look: dict[str, Any] = {"subtitle": "∂p_i / ∂s_j", "bound": LARGEST_ENTRY, "ringed": ringed}
    return [
        inputs.number(page, "logits"),
        inputs.number(page, "nudge"),
        matrix.number(page, steps["weights"]),
        matrix.number(page, steps["jacobian"], **look),
        *(matrix.number(page, number, bound=bound) for number in changes.values()),
    ]


def steps_of(page: Page) -> dict[str, Traced]:
    """The weights and their Jacobian; the change of every weight, as predicted and real, and how far off."""
    t, chosen, number = page.t, scores.score_index(page), scores.number(page)
    count = range(1, len(page.scores.logits) + 1)
    rows, cols = (AxisNames([f"{letter}{small(i)}" for i in count]) for letter in "ps")
    number, change = replace(number, cols=cols), torch.zeros_like(number.value)
    change[0, chosen] = page.own.nudge
    nudged = as_input("change", "Δs", change, number.rows, cols)

    def column(name: str, **more: Any) -> dict[str, Any]:
        return {"rows": rows, "cols": AxisNames([name])} | more

    def of_columns() -> dict:
        """J's chosen column times the change of that score."""
        return picture.product("jacobian", "nudge", 1, left_start=chosen)

    def differences() -> dict:
        return arithmetic.sums([after.value, -weights.value], real.value, ["weights"])

    weights = number.softmax().T
    look = column("p", kind="weights", how=lambda: picture.softmax("logits", "all"))
    weights = weights.called("weights", "p", **look)
    jacobian = Traced(JACOBIAN, (weights,), rows, cols, lambda: _entries(weights.value[:, 0], jacobian.value))
    jacobian = jacobian.called("jacobian", "J_{ij}", title="J")
    look = column("Δp", title=t("panel.predicted"), written="J · Δs^T", how=of_columns)
    predicted = (jacobian @ nudged.T).called("predicted", **look)
    after = (number + nudged).softmax().T.called("after", "p′", **column("p′", kind="weights"))
    look = column("Δp", title=t("panel.real"), how=differences)
    real = (after - weights).called("real", **look)
    error = (real - predicted).called("error", title=t("panel.error"))
    return by_name(weights, jacobian, predicted, after, real, error)


def _entries(p: torch.Tensor, entries: torch.Tensor) -> dict:
    """How each entry of the Jacobian is computed."""
    weights, jacobian = p.tolist(), entries.tolist()

    def text(i: int, j: int) -> str:
        entry = jacobian[i][j]
        if i == j:
            (a,) = confirmed(lambda a: a * (1 - a), weights[i : i + 1], entry, least=4)
            product = f"{a} · (1 − {a})"
        else:
            a, b = confirmed(lambda a, b: -a * b, (weights[i], weights[j]), entry, least=4)
            product = f"−{a} · {b}"
        return f"∂p{small(i + 1)}/∂s{small(j + 1)} = {product} = {short(entry, 4)}"

    texts = [[text(i, j) for j in range(len(weights))] for i in range(len(weights))]
    return picture.written(texts, ["weights"], "all")


# ---- one entry, derived


def derivation(page: Page) -> str:
    """The quotient rule for one entry of J, with its numbers: the clicked entry, or a diagonal one."""
    t, logits = page.t, page.scores.logits
    row, col = _chosen_entry(page) or (scores.score_index(page), scores.score_index(page))
    p = torch.softmax(softmax.tensor(logits), dim=-1)
    entry = softmax.jacobian(p)[row, col].item()
    places = {"i": row + 1, "j": col + 1}
    numbers = {"weight": _tex(p[row].item()), "other": _tex(p[col].item()), "entry": _tex(entry)}
    line = t("jacobian.derived_own" if row == col else "jacobian.derived_other", **places, **numbers)
    return f"{t('jacobian.derived', **places)}\n\n{line}\n\n{t('jacobian.derived_more')}"


def _chosen_entry(page: Page) -> tuple[int, int] | None:
    """The entry of J that the learner chose in the picture, while there is one."""
    matrix, row, col = page.place.cell or ("", 0, 0)
    return (row, col) if matrix == "jacobian" and max(row, col) < len(page.scores.logits) else None


def _tex(value: float) -> str:
    """A number in a formula; a small one keeps its first digit."""
    text = apart(value, decimals=4).replace("−", "-").replace("×", r"\times ")
    base, exponent = without_power(text)
    return f"{base}^{{{exponent}}}" if exponent else text


# ---- real and predicted changes, and the error against the size of the change


def _changes(page: Page) -> Chart:
    t, own = page.t, page.own
    before_after = softmax.answer(page.scores.logits, scores.score_index(page), own.nudge)
    series = {t("panel.real"): before_after.real, t("panel.predicted"): before_after.predicted}
    change = Axis("Δp", charts.reach([*before_after.real, *before_after.predicted], still=True))
    return charts.groups(change, scores.names(page), series, side=t("axis.moved"))


def _fine(value: float) -> str:
    """Small changes keep their first digits."""
    return short(value, 4) if abs(value) >= 1e-3 or value == 0 else size(value)


def _errors_of(page: Page) -> list[float]:
    nudges = [math.copysign(nudge, page.own.nudge) for nudge in NUDGES]
    return softmax.errors_along(page.scores.logits, scores.score_index(page), nudges)


def _errors(page: Page) -> Chart:
    """The error against the change, both logarithmic: a line of slope 2 where the change is small."""
    t, own = page.t, page.own
    nudges = Axis(t("axis.nudge"), (NUDGES[0], NUDGES[-1]), log=True)
    errors = [max(error, LEAST_ERROR) for error in _errors_of(page)]
    plot = Plot(nudges, Axis(t("axis.error"), charts.log_reach(errors), log=True), title=t("panel.errors"))
    plot.curve("line", NUDGES, errors)
    present = softmax.answer(page.scores.logits, scores.score_index(page), own.nudge).error
    at = abs(own.nudge) if NUDGES[0] <= abs(own.nudge) else math.nan
    plot.state(at, max(present, LEAST_ERROR), sentence=f"{t('axis.error')}: {short(present, 3)}")
    return plot.chart()


def _tenth(page: Page) -> str:
    """The error at the change and at a tenth of it."""
    own = page.own
    whole = softmax.answer(page.scores.logits, scores.score_index(page), own.nudge).error
    tenth = softmax.answer(page.scores.logits, scores.score_index(page), own.nudge / 10).error
    facts = {"nudge": minus(f"{own.nudge:g}"), "error": _fine(whole)}
    if tenth < LEAST_ERROR:
        return page.t("jacobian.no_error", **facts)
    return page.t(
        "jacobian.tenth",
        **facts,
        tenth=minus(f"{own.nudge / 10:g}"),
        smaller=_fine(tenth),
        ratio=short(whole / tenth, 1),
    )
