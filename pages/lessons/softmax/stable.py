"""The formula as written and the shifted form, step by step, in a number format: where exp overflows.

The scores lie 1 apart, so the exact weights are the same for every size: what goes wrong is overflow,
underflow or rounding, and never that the softmax is saturated.
"""

import functools

import torch

from attention.lab.softmax import precision
from pages import picture, session
from pages.ask import blocks, questions
from pages.draw import charts, inputs, placing, plots
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import counted, short
from pages.draw.page import Page
from pages.draw.results import size
from pages.model.fields import specs
from pages.picture import Grid, Matrix

from . import scores
from .settings import SoftmaxNumbers

QUESTION_SCORES = (0.0, -1000.0)
FORMS = {"naive": precision.naive, "shifted": precision.shifted}
STEPS = ("scores", "exps", "total", "weights")
FORMATS = specs(SoftmaxNumbers)["precision"].options
TOPS = (-1000.0, -100.0, -10.0, 10.0, 100.0, 1000.0)
ROOM = 1.9  # of the axis left and right of the bars, for their numbers


def draw(page: Page) -> blocks.Blocks:
    yield blocks.asking("soft_tiny", _ask)
    yield blocks.picture(_tiny)
    yield blocks.text("stable.intro")
    yield blocks.control(_choose_format, follows="moved")
    yield blocks.picture(_both_forms)
    yield blocks.said(_limit, _outcome, _rounding, _logs)
    yield blocks.chart("limits", _limits, _file)
    yield blocks.title("outcomes")
    yield blocks.picture(_outcomes)


def _ask(page: Page) -> bool:
    weight = precision.far_below("float32")
    answer = "zero" if weight == 0 else "tiny" if weight > 0 else "nan"

    def think() -> None:
        placing.draw(page, "asked", [_asked(page)])
        plots.ghost(page, "limits", _limits(page))

    return questions.ask(page, "soft_tiny", think, answer=answer)


def _asked(page: Page) -> Matrix:
    return scores.row("logits", page.t("setting.logits"), QUESTION_SCORES)


def _tiny(page: Page) -> None:
    placing.draw(page, "tiny", [_asked(page), *tiny(page)])


def _choose_format(page: Page) -> None:
    page.choose("precision", FORMATS, str)


def _both_forms(page: Page) -> None:
    naive, shifted = ([f"{name}_{step}" for step in STEPS] for name in FORMS)
    placing.draw(page, "stable", matrices(page), [Grid([["top_score", *naive], [None, *shifted]])])


def _outcomes(page: Page) -> None:
    placing.draw(page, "outcomes", outcomes(page), on_pick=_choose)


def tiny(page: Page) -> list[Matrix]:
    """The scores of the question through float32; the weight that it asks for is ringed."""
    form = precision.shifted(torch.tensor(QUESTION_SCORES, dtype=torch.float32))
    exps, weights = form.exps.tolist(), form.weights.tolist()
    raised = scores.raised(QUESTION_SCORES, exps, "logits")
    divided = scores.divided(exps, form.total.item(), weights, ["tiny_exps"])
    look = {"kind": "weights", "recipe": divided, "ringed": [(0, 1)]}
    return [
        scores.row("tiny_exps", "exp(s)", exps, recipe=raised),
        scores.row("tiny_weights", page.t("panel.weights"), weights, **look),
    ]


# ---- both forms, step by step


def _steps(page: Page, name: str) -> list[Matrix]:
    """One form's steps in a row, each really done in the chosen format."""
    s = precision.fixed_gaps(page.own.top_score, page.own.precision)
    form = FORMS[name](s)
    inside = "s" if name == "naive" else "s − m"
    label, cols = [page.t(f"form.{name}")], counted(len(s))
    logits, exps, weights = (values.double().tolist() for values in (form.scores, form.exps, form.weights))
    total = form.total.item()
    top = scores.bracketed(s.max().item())
    less = [f"{scores.entry(a)} − {top} = {scores.entry(b)}" for a, b in zip(s.tolist(), logits, strict=True)]
    largest = scores.entry(page.own.top_score)
    apart = [f"{largest} − {i} = {scores.entry(score)}" for i, score in enumerate(s.tolist())]
    first = picture.written([apart], ["top_score"], "all")
    if name == "shifted":
        first = picture.written([less], ["naive_scores"])
    names = [f"{name}_{step}" for step in STEPS]
    raised = scores.raised(logits, exps, names[0])
    last = scores.divided(exps, total, weights, names[1:3], "row")
    return [
        Matrix(names[0], inside, label, cols, [logits], recipe=first),
        Matrix(names[1], f"exp({inside})", label, cols, [exps], recipe=raised),
        Matrix(names[2], "Σ", label, ["Σ"], [[total]], kind="plain", recipe=picture.total(names[1])),
        Matrix(names[3], "p", label, cols, [weights], kind="weights", recipe=last),
    ]


def matrices(page: Page) -> list[Matrix]:
    return [inputs.number(page, "top_score"), *_steps(page, "naive"), *_steps(page, "shifted")]


# ---- sentences


def _limit(page: Page) -> str:
    """Where exp overflows and where it becomes 0, and the largest score."""
    own, largest = page.own, precision.largest_exponent(page.own.precision)
    smallest = precision.smallest_exponent(own.precision)
    form = precision.naive(precision.fixed_gaps(own.top_score, own.precision))
    within = "sum" if form.exps.isfinite().all() and form.total.isinf() else "within"
    key = "over" if own.top_score > largest else "under" if own.top_score < smallest else within
    facts = {"high": short(largest), "low": short(smallest), "top": scores.entry(own.top_score)}
    return page.t(f"stable.{key}", precision=own.precision, **facts)


def _outcome(page: Page) -> str:
    """What a program with the formula as written would go on with."""
    s = precision.fixed_gaps(page.own.top_score, page.own.precision)
    form, truth = precision.naive(s), precision.truth(s)
    weights = page.t.listed(short(weight) for weight in form.weights.tolist())
    key = f"stable.{precision.verdict(form, truth)}"
    cause = {"inf / inf": "∞/∞", "0 / 0": "0/0"}.get(precision.nan_cause(form) or "", "")
    return page.t(key, weights=weights, error=size(precision.error(form, truth)), cause=cause)


def _rounding(page: Page) -> str:
    """Whether the format can hold the scores at all."""
    own = page.own
    loss = precision.rounding_loss(own.top_score, own.precision)
    key = "stable.rounded" if loss > 4 * torch.finfo(precision.DTYPES[own.precision]).eps else "stable.held"
    kept = page.t.listed(map(scores.entry, precision.fixed_gaps(own.top_score, own.precision).tolist()))
    return page.t(key, precision=own.precision, error=short(loss), scores=kept)


def _logs(page: Page) -> str:
    s = precision.fixed_gaps(page.own.top_score, page.own.precision)
    naive, shifted = (short(form(s).logsumexp.item(), 4) for form in FORMS.values())
    exact = short(torch.logsumexp(s.double(), dim=-1).item(), 4)
    return page.t("stable.logsumexp", naive=naive, shifted=shifted, exact=exact)


# ---- what each format can hold


def _limits(page: Page) -> list[Chart]:
    """The scores whose exp is neither ∞ nor 0, and the largest score now."""
    spans = {name: (precision.smallest_exponent(name), precision.largest_exponent(name)) for name in FORMATS}
    lows, highs = zip(*spans.values(), strict=True)
    ends = ROOM * min(lows), ROOM * max(highs)
    return [charts.ranges(Axis(page.t("axis.exponent"), ends), spans, page.own.top_score)]


def _file(page: Page) -> dict[str, list]:
    """The same from torch.finfo, with the largest number."""
    limits: dict[str, list] = {
        "format": list(FORMATS),
        "largest": [torch.finfo(precision.DTYPES[name]).max for name in FORMATS],
        "over": [precision.largest_exponent(name) for name in FORMATS],
        "under": [precision.smallest_exponent(name) for name in FORMATS],
    }
    return {page.t(f"limits.{name}"): column for name, column in limits.items()}


# ---- all formats and sizes


@functools.lru_cache(maxsize=1)
def verdicts() -> dict[str, list[list[tuple[str, str]]]]:
    """For each form, formats × sizes: the verdict on the weights, and the weights as text."""
    return {
        name: [[_verdict(form, fmt, top) for top in TOPS] for fmt in FORMATS] for name, form in FORMS.items()
    }


def _verdict(form, fmt: str, top: float) -> tuple[str, str]:
    s = precision.fixed_gaps(top, fmt)
    result = form(s)
    verdict = precision.verdict(result, precision.truth(s))
    if verdict == "right" and precision.rounding_loss(top, fmt) > 4 * torch.finfo(s.dtype).eps:
        verdict = "rounded"
    return verdict, ", ".join(short(weight) for weight in result.weights.tolist())


def outcomes(page: Page) -> list[Matrix]:
    """One matrix a form; what is not right is ringed. A click shows that format and size further up."""
    t = page.t
    return [
        Matrix(
            f"outcomes_{name}",
            t(f"form.{name}"),
            FORMATS,
            [scores.entry(top) for top in TOPS],
            [[t(f"verdict.{verdict}") for verdict, _ in line] for line in lines],
            kind="text",
            recipe=picture.written([[f"p = {weights}" for _, weights in line] for line in lines]),
        ).looking(
            col_axis=t("setting.top_score"),
            ringed=[(r, c) for r, line in enumerate(lines) for c, (v, _) in enumerate(line) if v != "right"],
            clickable=True,
        )
        for name, lines in verdicts().items()
    ]


def _choose(picked: dict) -> None:
    session.set_own(precision=FORMATS[int(picked["row"])], top_score=TOPS[int(picked["col"])])
