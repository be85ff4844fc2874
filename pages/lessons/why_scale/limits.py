"""What √d_k does not correct, which is weight matrices drawn too large; and what √d_k is confused with."""

import functools
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from attention.lab.scaling import learning as lab
from attention.lab.scaling.learning import LIMIT_TOKENS, STARTS, TOKENS, WIDTHS
from pages.ask import blocks, questions
from pages.draw import matrix, placing, plots
from pages.draw.charts import HERO, SUPPORT, Axis, Chart, Plot
from pages.draw.numbers import counted, short
from pages.draw.page import Page
from pages.picture import Grid, Matrix, softmax_of

from . import divisors
from .shared import in_picture, numbers, results_of, widths

NOTE_WIDTH = 8  # of the lecture note's own numbers
DOMAINS = {"deviation": (0.25, 600.0), "top": (0.0, 1.05), "share": (0.0, 1.05)}

_start = functools.lru_cache(maxsize=256)(lab.start_of)
_scores = functools.lru_cache(maxsize=256)(lab.few_scores)


def _few(start: str, width: int, seed: int) -> Tensor:
    """The attention weights of a few tokens."""
    return _scores(start, width, seed).softmax(dim=-1)


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(page, {"starts": _starts, "divisors": divisors.draw})


def _starts(page: Page) -> blocks.Blocks:
    """The question; then four ways to draw the weight matrices, at one width and at all."""
    yield blocks.asking("note_start", _ask)
    yield blocks.text("limits.starts", tokens=TOKENS, top=WIDTHS[-1])
    yield blocks.control(numbers, "sample_d_k")
    yield blocks.chart("starts", _chart, _file, tokens=LIMIT_TOKENS, lead=True)
    yield blocks.picture(_at_width)
    yield blocks.result(_sentence)
    yield blocks.text("limits.remedies")


def _ask(page: Page) -> bool:
    answer = round(lab.theory_deviation("raw", NOTE_WIDTH))
    ghost = functools.partial(plots.ghost, page, "starts", _charts(page, {}), lead=True)
    return questions.ask_number(page, "note_start", answer, ghost, width=NOTE_WIDTH)


def width(page: Page) -> int:
    """d_k represents the whole width here, and the starts are drawn up to the widest of the chart."""
    return min(page.own.sample_d_k, WIDTHS[-1])


def _at_width(page: Page) -> None:
    placing.draw(page, "starts", _weights(page), [Grid([[f"weights_{start}" for start in STARTS]])])


def _weights(page: Page) -> list[Matrix]:
    """A few tokens' attention weights at the chosen width, under each start."""
    matrices = []
    for start in STARTS:
        sample = (start, width(page), page.own.sample_seed)
        weights, names = _few(*sample), counted(TOKENS)
        look: dict[str, Any] = {"symbol": "A", "kind": "weights", **page.axes}
        look["recipe"] = softmax_of(_scores(*sample).tolist())
        title = in_picture(page.t(f"start.{start}"))
        matrices.append(matrix.of(f"weights_{start}", title, weights, names, names, **look))
    return matrices


def _sentence(page: Page) -> str:
    tops = {
        start: short(_few(start, width(page), page.own.sample_seed).amax(dim=-1).mean().item())
        for start in STARTS
    }
    return page.t("limits.tops", width=width(page), **tops)


def _by_width(page: Page) -> dict[tuple[str, int], lab.Start]:
    jobs = [(start, d, page.own.sample_seed) for start in STARTS for d in WIDTHS]
    at = results_of(page, jobs, _start)
    return {(start, d): result for (start, d, _), result in zip(jobs, at, strict=True)}


def _chart(page: Page) -> list[Chart]:
    """Deviation of the scores, largest weight and entropy against the width, measured."""
    return _charts(page, _by_width(page))


def _file(page: Page) -> plots.Columns:
    t, results = page.t, _by_width(page)
    at = results.values()
    file: plots.Columns = {
        "start": [t(f"start.{start}") for start, _ in results],
        "width": [d for _, d in results],
        "deviation": [result.deviation for result in at],
        "theory_deviation": [lab.theory_deviation(start, d) for start, d in results],
        "top": [result.top for result in at],
        "share": [result.share for result in at],
    }
    return {t(f"column.{name}"): values for name, values in file.items()}


def _charts(page: Page, results: Mapping[tuple[str, int], lab.Start]) -> list[Chart]:
    """The deviation, large and with the names; next to it what follows from it. Without numbers the axes."""
    t, names = page.t, tuple(page.t(f"start.{start}") for start in STARTS)
    charts = []
    for measure, domain in DOMAINS.items():
        lead = measure == "deviation"
        up = Axis(t(f"axis.start_{measure}"), domain, log=lead)
        height = HERO + SUPPORT - 90 if lead else SUPPORT
        plot = Plot(widths(t("axis.width"), WIDTHS), up, names, height=height, named=lead)
        if results:
            plot.mark("rule", max(width(page), WIDTHS[0]))
        for (start, d), result in results.items():
            series, value = STARTS.index(start), getattr(result, measure)
            plot.mark("measured", d, value, series, sentence=f"{names[series]}, {d}: {short(value, 3)}")
            if lead:
                plot.mark("dashed", d, lab.theory_deviation(start, d), series)
        if lead and results:  # what was asked
            plot.mark("ring", NOTE_WIDTH, results["raw", NOTE_WIDTH].deviation)
        charts.append(plot.chart())
    return charts
