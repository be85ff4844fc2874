"""What √d_k is confused with: √n and √d_model, against the number of keys."""

import functools
import math
from collections.abc import Mapping
from typing import Any

from attention.lab.scaling import draws as lab
from attention.lab.scaling.divisors import HEADS, divisors, score_deviation
from attention.lab.scaling.learning import Quartiles
from attention.lab.scaling.variance import SIZES
from pages.ask import blocks, questions
from pages.draw import charts, palette, plots
from pages.draw.charts import HERO, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page

from .shared import numbers, results_of, scaling_names, widths

NAMES = ("sqrt_d_k", "sqrt_n", "sqrt_d_model")
KEYS = SIZES[1::2]  # 2 … 512
ROWS = 200
QUESTION_SIZES = (64, 1024)  # d_k and the number of keys of the question
OPTIONS = {"quarter": 0.25, "one": 1.0, "four": 4.0}


@functools.lru_cache(maxsize=1024)
def _effective(d_k: int, keys: int, seed: int) -> dict[str, Quartiles]:
    """How many keys count under each divisor, over many rows."""
    scores, by = lab.rows_of_scores(d_k, keys, ROWS, seed), divisors(d_k, keys)
    return {name: lab.effective_keys(scores, by[name]) for name in NAMES}


def draw(page: Page) -> blocks.Blocks:
    """The question; the confused divisors against the number of keys."""
    yield blocks.asking("root_n", _ask)
    yield blocks.control(numbers, "sample_d_k", "sample_keys")
    yield blocks.chart("divisors", _chart, _file, result=_sentence, heads=HEADS, rows=ROWS)
    yield blocks.text("divisors.note")


def _ask(page: Page) -> bool:
    d_k, keys = QUESTION_SIZES
    spread = score_deviation(d_k, divisors(d_k, keys)["sqrt_n"])
    answer = min(OPTIONS, key=lambda option: abs(OPTIONS[option] - spread))
    options = {option: f"{value:g}" for option, value in OPTIONS.items()}
    ghost = functools.partial(plots.ghost, page, "divisors", _charts(page, d_k, {}))
    return questions.ask(page, "root_n", ghost, answer=answer, words=options, width=d_k, keys=keys)


def _sentence(page: Page) -> str:
    """The standard deviation of the divided scores at the chosen d_k and number of keys."""
    d_k, keys = page.own.sample_d_k, page.own.sample_keys
    by = divisors(d_k, keys)
    facts = {name: short(score_deviation(d_k, by[name])) for name in NAMES}
    return page.t("divisors.read", d_k=d_k, keys=keys, d_model=HEADS * d_k, **facts)


def _results(page: Page) -> dict[tuple[int, str], Quartiles]:
    """How many keys count at the chosen d_k, for each number of keys under each divisor."""
    jobs = [(page.own.sample_d_k, keys, page.own.sample_seed) for keys in KEYS]
    at = results_of(page, jobs, _effective)
    return {(keys, name): result[name] for name in NAMES for keys, result in zip(KEYS, at, strict=True)}


def _chart(page: Page) -> list[Chart]:
    """Deviation of the divided scores, and the share of the keys that count, against the number of keys."""
    return _charts(page, page.own.sample_d_k, _results(page))


def _file(page: Page) -> plots.Columns:
    names = dict(zip(NAMES, scaling_names(page, NAMES), strict=True))
    rows = [
        (names[name], keys, _deviation(page.own.sample_d_k, keys, name), *_shares(result, keys))
        for (keys, name), result in _results(page).items()
    ]
    heads = ("scaling", "keys", "deviation", "share_low", "share_median", "share_high")
    return plots.columns(page, heads, rows)


def _deviation(d_k: int, keys: int, name: str) -> float:
    return score_deviation(d_k, divisors(d_k, keys)[name])


def _shares(quartiles: Quartiles, keys: int) -> list[float]:
    """The effective number of keys as a share of all: lower quartile, median, upper quartile."""
    return [value / keys for value in (quartiles.low, quartiles.median, quartiles.high)]


def _charts(page: Page, d_k: int, results: Mapping[tuple[int, str], Quartiles]) -> list[Chart]:
    """Both against the number of keys; without numbers the axes."""
    t, names = page.t, scaling_names(page, NAMES)
    # The axis of the deviations: √(d_k/n) from the most keys to the fewest.
    ends = charts.log_reach([math.sqrt(d_k / KEYS[0]), math.sqrt(d_k / KEYS[-1]), 0.4, 2])
    axes = (Axis(t("axis.deviation"), ends, log=True), Axis(t("axis.key_share"), (0.0, 1.05)))
    look: dict[str, Any] = {"used": palette.SERIES[1:4], "height": HERO}
    x = widths(t("axis.keys"), KEYS)
    deviations, shares = both = [Plot(x, up, names, **look) for up in axes]
    for plot in both if results else ():
        plot.mark("rule", page.own.sample_keys)
    for (keys, name), result in results.items():
        series = NAMES.index(name)
        deviation, (low, median, high) = _deviation(d_k, keys, name), _shares(result, keys)
        text = f"{names[series]}, n = {keys}: "
        deviations.mark("measured", keys, deviation, series, sentence=text + short(deviation))
        shares.mark("band", keys, median, series, low=low, high=high, sentence=text + short(median, 3))
    return [plot.chart() for plot in both]
