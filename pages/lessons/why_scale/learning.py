"""What scaling does to learning: the softmax's Jacobian, and the gradients that come back through it."""

import functools
from typing import Any

from torch import Tensor

from attention.lab.scaling import draws as lab
from attention.lab.scaling import variance
from attention.lab.scaling.divisors import SCALINGS
from attention.lab.scaling.learning import GRADIENT_SIZES, TOKENS, Quartiles, jacobian_norm
from attention.lab.scaling.variance import KEYS, Scaled
from attention.lab.softmax.scores import jacobian
from pages import picture
from pages.ask import blocks, questions
from pages.ask.topics import choose
from pages.draw import matrix, placing, plots
from pages.draw.charts import HERO, Axis, Chart, Plot
from pages.draw.numbers import bracketed, confirmed, counted, share, short
from pages.draw.page import Page
from pages.picture import Grid, Matrix

from .shared import LARGEST_ENTRY, in_picture, numbers, results_of, scaling_names, scientific, widths

FROM, TO = 4, 512  # the widths of the question
# One idea at a time: the figure that each draws, and the axis of its numbers.
TOPICS = {
    "saturation": {"jacobian": (1e-6, 1.0)},
    "one_query": {"query_part": (1e-6, 10.0), "key_part": (1e-6, 10.0)},
}

GradientSizes = dict[int, dict[tuple[str, str], Quartiles]]  # at each d_k, of each measure under each scaling

_gradients = functools.lru_cache(maxsize=128)(lab.gradients)


def draw(page: Page) -> blocks.Blocks:
    """The question; then one idea at a time."""
    yield blocks.asking("parts", _ask_parts)
    yield blocks.aside(choose)
    topic = page.topic.name
    yield blocks.text(f"learning.{topic}")
    yield blocks.control(numbers, "sample_d_k")
    if topic == "saturation":
        yield blocks.picture(_saturation)
        yield blocks.said(_norms)
    result = "" if topic == "saturation" else _sentence
    yield blocks.chart(topic, _chart, _file, result=result, draws=lab.DRAWS, tokens=TOKENS)
    yield blocks.text(f"learning.{topic}_note")


def _ask_parts(page: Page) -> bool:
    """What becomes of one query's contribution to the gradient without scaling?"""
    gradients = _gradients(TO, page.own.sample_seed)
    none, root = gradients["query_part", "none"], gradients["query_part", "sqrt_d_k"]
    facts: dict[str, Any] = {"width": TO}
    for name in ("low", "median", "high"):
        facts[f"none_{name}"] = scientific(getattr(none, name))
        facts[f"root_{name}"] = scientific(getattr(root, name))
    empty = [plot.chart() for plot in _plots(page, "one_query", {}).values()]
    ghost = functools.partial(plots.ghost, page, "one_query", empty)
    return questions.ask(page, "parts", ghost, answer=_answer(none, root), **facts)


def _answer(none: Quartiles, root: Quartiles) -> str:
    """All by about the same factor, or a few queries that go on while most fall silent, or all more."""
    if none.low > root.low:
        return "larger"
    return "few" if none.high / none.low > 10 * root.high / root.low else "alike"


# ---- one query's Jacobian


def _saturation(page: Page) -> None:
    """One query's weights and their Jacobian under each scaling."""
    query, key = _one_query(page)
    grid = Grid([[f"{name}_{scaling}" for scaling in SCALINGS] for name in ("weights", "jacobian")])
    matrices = _jacobians(page, (query @ key.T)[:1], variance.under_each(query, key))
    placing.draw(page, "jacobians", matrices, [grid])


def _one_query(page: Page) -> tuple[Tensor, Tensor]:
    """Queries, of which the first one is shown, and keys."""
    return variance.queries_and_keys(page.own.sample_d_k, page.own.sample_seed)


def _jacobians(page: Page, scores: Tensor, spreads: list[Scaled]) -> list[Matrix]:
    """The first query's weights under each scaling, and below them their Jacobian. scores: of this query."""
    keys = counted(KEYS)
    matrices = []
    for name, spread in zip(scaling_names(page), spreads, strict=True):
        p = spread.weights[0]
        recipe = picture.softmax_of(scores.tolist(), spread.divisor)
        look: dict[str, Any] = {"symbol": "p", "kind": "weights", "recipe": recipe}
        weights = Matrix(f"weights_{spread.scaling}", in_picture(name), ["p"], keys, [p.tolist()], **look)
        results = matrix.of(
            f"jacobian_{spread.scaling}",
            "J",
            jacobian(p),
            keys,
            keys,
            subtitle="∂p_i / ∂s_j",
            bound=LARGEST_ENTRY,
            recipe=picture.written(_arithmetic(p.tolist()), of=[weights.id], lit="all"),
        )
        matrices += [weights, results]
    return matrices


def _arithmetic(p: list[float]) -> list[list[str]]:
    """J_ij = p_i (δ_ij − p_j)."""

    @functools.cache
    def pair(i: int, j: int) -> list[str]:
        return confirmed(lambda a, b: -a * b, (p[i], p[j]), -p[i] * p[j], least=3)

    def text(i: int, j: int) -> str:
        if i == j:
            (a,) = confirmed(lambda a: a * (1 - a), p[i : i + 1], p[i] * (1 - p[i]), least=3)
            return f"{a} · (1 − {a}) = {p[i] * (1 - p[i]):.4f}"
        a, b = pair(i, j) if i < j else reversed(pair(j, i))
        return f"−{a} · {b} = {bracketed(short(-p[i] * p[j], 4))}"

    return [[text(i, j) for j in range(len(p))] for i in range(len(p))]


def _norms(page: Page) -> str:
    """The norm of each Jacobian shown, and the largest weight it belongs to."""
    facts = {}
    for spread in variance.under_each(*_one_query(page)):
        p = spread.weights[0]
        facts[f"norm_{spread.scaling}"] = scientific(jacobian_norm(p).item())
        facts[f"top_{spread.scaling}"] = share(p.max().item(), 3)
    return page.t("learning.norms", d_k=page.own.sample_d_k, **facts)


# ---- norms against d_k


def _by_width(page: Page) -> GradientSizes:
    jobs = [(d_k, page.own.sample_seed) for d_k in GRADIENT_SIZES]
    return dict(zip(GRADIENT_SIZES, results_of(page, jobs, _gradients), strict=True))


def _chart(page: Page) -> list[Chart]:
    return [plot.chart() for plot in _plots(page, page.topic.name, _by_width(page)).values()]


def _file(page: Page) -> plots.Columns:
    names, by_width = scaling_names(page), _by_width(page)
    rows = [
        (
            page.t(f"axis.{metric}"),
            names[SCALINGS.index(scaling)],
            d_k,
            quartiles.low,
            quartiles.median,
            quartiles.high,
        )
        for metric in TOPICS[page.topic.name]
        for scaling in SCALINGS
        for d_k, values in by_width.items()
        for quartiles in [values[metric, scaling]]
    ]
    return plots.columns(page, ("metric", "scaling", "d_k", "low", "median", "high"), rows)


def _plots(page: Page, topic: str, results: GradientSizes) -> dict[str, Plot]:
    """A plot for each measure of the topic; without numbers its axes."""
    t, names = page.t, scaling_names(page)
    result = {}
    for metric, domain in TOPICS[topic].items():
        up = Axis(t(f"axis.{metric}"), domain, log=True)
        plot = result[metric] = Plot(widths(t("axis.d_k"), GRADIENT_SIZES), up, names, height=HERO)
        if results:
            plot.mark("rule", min(page.own.sample_d_k, GRADIENT_SIZES[-1]))
        for series, scaling in enumerate(SCALINGS):
            for d_k, values in results.items():
                quartiles = values[metric, scaling]
                text = f"{names[series]}, dₖ = {d_k}: {scientific(quartiles.median)}"
                low = max(quartiles.low, domain[0] / 10)  # what lies below the axis is not left out
                look: dict[str, Any] = {"low": low, "high": quartiles.high, "sentence": text}
                plot.mark("band", d_k, max(quartiles.median, low), series, **look)
    return result


def _sentence(page: Page) -> str:
    """The chart's right end in a sentence."""
    last = _by_width(page)[GRADIENT_SIZES[-1]]
    facts = {
        f"{scaling}_{name}": scientific(getattr(last["query_part", scaling], name))
        for scaling in ("none", "sqrt_d_k", "d_k")
        for name in ("low", "median", "high")
    }
    return page.t("learning.one_query_read", width=GRADIENT_SIZES[-1], **facts)
