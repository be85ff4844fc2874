"""The KV cache of published models: what it takes, and would take with other numbers of heads."""

import functools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import streamlit as st

from attention.lab.cost.steps import MODELS, Model, kv_cache_bytes
from pages.ask import blocks, questions
from pages.draw import charts, plots, say
from pages.draw.charts import Axis, Chart
from pages.draw.page import Page

from . import words
from .settings import CostNumbers

KINDS = ("published", "all", "one")
QUESTION_MODELS = ("Llama 2 7B", "Llama 2 70B")
GROWTH = tuple(2**power for power in range(7, 18))  # tokens of a text that grows
WINDOW = 1024  # keys
ROOM = 1.5  # times: so far the axis goes on behind the outer points
TICKS = tuple(2.0**power for power in range(0, 56, 5))  # bytes
# The unit of a tick and how many there are; a little more than the logarithm, against rounding.
UNIT = "floor(log(datum.value) / log(1024) + 0.01)"
LABEL = f"round(datum.value / pow(1024, {UNIT})) + ' ' + {list(words.UNITS)}[{UNIT}]"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.asking("cost_cache", _ask)
    yield blocks.sliders("cache_tokens", "cache_batch")
    if page.view.presenting:  # the chart has all the width
        yield blocks.chart("cache", _charts, _file, heading=False, result=sentence)
        yield blocks.aside(_models, follows="moved")
    else:
        yield blocks.figure(_beside)
    yield blocks.caption("cache.note")


def _ask(page: Page) -> bool:
    asked = [model_of(name) for name in QUESTION_MODELS]
    before = functools.partial(_table, page, asked, unknown=QUESTION_MODELS[1:])
    return questions.ask(page, "cost_cache", before, **facts(*asked))


def _beside(page: Page) -> None:
    """The chart, and the numbers of the models."""
    left, right = st.columns([2, 3])
    with left:
        plots.draw(page, "cache", _charts(page), _file(page), heading=False, result=sentence(page))
    with right:
        _models(page)


def _models(page: Page) -> None:
    _table(page, MODELS)


def facts(small: Model, large: Model) -> dict[str, Any]:
    """The numbers of the question: shapes, sizes per token, and what each option divides."""
    sizes = [size_of(model, 1, 1) for model in (small, large)]
    return {
        "layers": large.layers,
        "small_layers": small.layers,
        "heads": large.num_heads,
        "small_heads": small.num_heads,
        "kv_heads": large.num_kv_heads,
        "small_kv_heads": small.num_kv_heads,
        "small": words.size(sizes[0]),
        "large": words.size(sizes[1]),
        "eighths": Fraction(sizes[1], sizes[0]),
        "quarter": Fraction(large.num_kv_heads, small.num_kv_heads),
        "sixteenth": Fraction(large.num_kv_heads, small.num_kv_heads) ** 2,
        "five": Fraction(large.layers * large.num_heads, small.layers * small.num_heads),
    }


def growth(page: Page) -> tuple[Chart, dict[str, list]]:
    """The cache of one model as its text grows: with all KV heads, with one, and with a sliding window."""
    t, model = page.t, model_of(QUESTION_MODELS[0])
    series: dict[str, list[int]] = {
        t("series.all"): [size_of(model, n, 1, "all") for n in GROWTH],
        t("option.cost_end_kv_heads"): [size_of(model, n, 1, "one") for n in GROWTH],
        t("series.window", r=f"{WINDOW:,}"): [size_of(model, min(n, WINDOW), 1, "all") for n in GROWTH],
    }
    tokens = Axis(t("axis.tokens"), (GROWTH[0], GROWTH[-1]), log=True)
    axis = _bytes(page, series)
    chart = charts.curves(tokens, axis, GROWTH, series, title=model.name, height=charts.HERO)
    return chart, {t("axis.tokens"): list(GROWTH)} | series


def model_of(name: str) -> Model:
    return next(model for model in MODELS if model.name == name)


def size_of(model: Model, tokens: int, batch: int, kind: str = "published") -> int:
    """Bytes of the cache with the model's own key/value heads, with as many as heads, or with one."""
    heads = {"published": model.num_kv_heads, "all": model.num_heads, "one": 1}[kind]
    shape = {"layers": model.layers, "num_kv_heads": heads, "head_dim": model.head_dim}
    return kv_cache_bytes(tokens, batch=batch, **shape)


def _sizes(own: CostNumbers, kind: str) -> list[int]:
    return [size_of(model, own.cache_tokens, own.cache_batch, kind) for model in MODELS]


def _bytes(page: Page, series: Mapping[str, Sequence[int]]) -> Axis:
    low, high = charts.log_reach([size for sizes in series.values() for size in sizes])
    low, high = low / ROOM, high * ROOM
    ticks = tuple(tick for tick in TICKS if low <= tick <= high)
    return Axis(page.t("axis.bytes"), (low, high), log=True, ticks=ticks, label=LABEL)


def _charts(page: Page) -> list[Chart]:
    t = page.t
    series = {t(f"series.{kind}"): _sizes(page.own, kind) for kind in reversed(KINDS)}
    models = [model.name for model in MODELS]
    return [charts.groups(_bytes(page, series), models, series, title=t("panel.cache"), dots=True)]


def _file(page: Page) -> dict[str, list]:
    columns = {page.t("column.model"): [model.name for model in MODELS]}
    for field in ("layers", "num_heads", "num_kv_heads", "head_dim", "source"):
        columns[page.t(f"column.{field}")] = [getattr(model, field) for model in MODELS]
    return columns | {page.t(f"series.{kind}"): _sizes(page.own, kind) for kind in KINDS}


def _table(page: Page, models: Sequence[Model], *, unknown: Sequence[str] = ()) -> None:
    """The models' shapes and caches. While a question is open: per token, without the unknown models."""
    t, (tokens, batch) = page.t, (page.own.cache_tokens, page.own.cache_batch) if not unknown else (1, 1)
    fields = ("model", "layers", "num_heads", "num_kv_heads", "head_dim", "cache", "source")
    rows = [
        (
            f"**{model.name}**",
            *(str(number) for number in (model.layers, model.num_heads, model.num_kv_heads, model.head_dim)),
            "?" if model.name in unknown else words.size(size_of(model, tokens, batch)),
            model.source,
        )
        for model in models
    ]
    say.table([t(f"column.{field}") for field in fields], rows)


def sentence(page: Page) -> str:
    """One model's cache, with the product that gives it."""
    own, model = page.own, model_of(QUESTION_MODELS[1])
    return page.t(
        "cache.sentence",
        model=model.name,
        tokens=f"{own.cache_tokens:,}",
        batch=f"{own.cache_batch:,}",
        layers=model.layers,
        kv_heads=model.num_kv_heads,
        both=2 * model.head_dim,
        size=words.size(size_of(model, own.cache_tokens, own.cache_batch)),
        all=words.size(size_of(model, own.cache_tokens, own.cache_batch, "all")),
    )
