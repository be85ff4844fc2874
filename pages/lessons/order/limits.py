"""Where each kind of position breaks: the same tokens further on, and texts longer than in training."""

import functools
from dataclasses import replace

from attention.lab import order as lab
from pages.ask import blocks
from pages.draw import charts, plots, say
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import power, short
from pages.draw.page import Page
from pages.model import edits, fresh
from pages.model.compute import trace_of
from pages.model.settings import POSITIONS, Settings

KINDS = POSITIONS[1:]
QUESTION_SHIFT = 2  # how far the question moves all positions
PAIRS_DIM = 64  # of a head, as in many models
COUNTS = [2**i for i in range(14)]
HEADS = (1, 3, 5, 8)  # of eight, with the slopes of the paper

_effective_keys = functools.lru_cache(maxsize=len(COUNTS) * len(HEADS))(lab.effective_keys)


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(page, {"padding": _padding, "longer": _longer})


# ---- padding on the left


def _padding(page: Page) -> blocks.Blocks:
    yield blocks.ask(
        "order_padding", lambda page: plots.ghost(page, "padding", _changes(page)), count=QUESTION_SHIFT
    )
    yield blocks.title("padding")
    yield blocks.sliders("first_position")
    yield blocks.chart("padding", _changes, _file_of_changes, heading=False)
    yield replace(blocks.aside(_not_moved, follows="moved"), kind="said")
    yield blocks.result(_moved)


def _changes(page: Page) -> list[Chart]:
    """For each kind of position, the largest change of an output."""
    changes = shifts(settings_moved(page.settings))
    words = [page.t(f"position.{kind}") for kind in changes]
    ends = charts.reach([1e-3, *changes.values()])
    axis, title = Axis(page.t("axis.change"), ends), page.t("panel.padding")
    return [charts.bars(axis, words, list(changes.values()), title=title, number=_number)]


def _number(value: float) -> str:
    return power(value, 1) if 0 < value < charts.SMALL else f"{value:.2g}"


def _file_of_changes(page: Page) -> plots.Columns:
    changes = shifts(settings_moved(page.settings))
    words = [page.t(f"position.{kind}") for kind in changes]
    return {page.t("setting.position"): words, page.t("axis.change"): list(changes.values())}


def _not_moved(page: Page) -> None:
    if not page.settings.first_position:
        say.sentence(page.t("limits.padding_asked", count=QUESTION_SHIFT))


def _moved(page: Page) -> str:
    """How far the positions have moved."""
    return page.t("limits.padding", count=settings_moved(page.settings).first_position)


def settings_moved(settings: Settings) -> Settings:
    """The settings, or the settings of the question where no position has been moved."""
    return settings if settings.first_position else edits.with_choice(settings, first_position=QUESTION_SHIFT)


def shifts(settings: Settings) -> dict[str, float]:
    """The shift of each kind of position."""
    return {kind: shift(settings, kind) for kind in KINDS}


@functools.lru_cache(maxsize=256)
def shift(settings: Settings, kind: str) -> float:
    """The largest change of an output, with this kind of position, when all positions rise by the first one.

    The learned table goes on with numbers of its own, for it would otherwise have no row for them.
    """
    kept = edits.with_choice(settings, position=kind)
    moved = kept
    if kind == "learned":
        rows = fresh.fitted("p", settings.p, settings.first_position + len(settings.tokens), settings.d_model)
        moved = replace(kept, p=rows[settings.first_position :])
    before = trace_of(replace(kept, first_position=0)).output
    return (trace_of(moved).output - before).abs().max().item()


# ---- longer than in training


def _longer(page: Page) -> blocks.Blocks:
    yield blocks.sliders("position_base", "trained")
    yield blocks.chart("longer", lambda page: [_pairs(page), _reach(page)], _file_of_lengths)
    yield blocks.result(_turned, _reached)


def _file_of_lengths(page: Page) -> plots.Columns:
    return {page.t("axis.keys"): COUNTS} | _series(page)


def _turned(page: Page) -> str:
    """How many pairs of numbers turn once within the training length."""
    turned, count = turned_pairs(page.settings.position_base, page.own.trained), PAIRS_DIM // 2
    slow = lab.wavelengths(PAIRS_DIM, page.settings.position_base)[-1].item()
    facts = {"trained": f"{page.own.trained:,}", "turned": turned, "count": count, "longest": f"{slow:,.0f}"}
    return page.t("limits.pairs", d_k=PAIRS_DIM, base=f"{page.settings.position_base:,.7g}", **facts)


def _reached(page: Page) -> str:
    """How far ALiBi's heads reach."""
    first, last = lab.effective_limit(0.5), lab.effective_limit(2**-8)
    return page.t("limits.reach", first=short(first, 1), last=f"{last:.0f}")


def turned_pairs(base: float, trained: int) -> int:
    """How many pairs turn once or more within the training length."""
    return int((lab.wavelengths(PAIRS_DIM, base) <= trained).sum())


def _pairs(page: Page) -> Chart:
    """The wavelength of each pair, and the training length."""
    t, settings = page.t, page.settings
    pairs = [float(i + 1) for i in range(PAIRS_DIM // 2)]
    waves = lab.wavelengths(PAIRS_DIM, settings.position_base).tolist()
    series = {t("panel.wavelength"): waves, t("panel.trained"): [float(page.own.trained)] * len(pairs)}
    pair = Axis(t("axis.pair"), (pairs[0], pairs[-1]), log=True)
    ends = charts.log_reach([value for line in series.values() for value in line])
    wavelength = Axis(t("axis.wavelength"), ends, log=True)
    return charts.curves(pair, wavelength, pairs, series, title=t("panel.pairs"))


def _reach(page: Page) -> Chart:
    """How many keys a query effectively attends to, where all scores are equal."""
    t = page.t
    keys = Axis(t("axis.keys"), (COUNTS[0], COUNTS[-1]), log=True)
    effective = Axis(t("axis.effective"), (COUNTS[0], COUNTS[-1]), log=True)
    return charts.curves(keys, effective, COUNTS, _series(page), title=t("panel.keys"))


def _series(page: Page) -> dict[str, list[float]]:
    series = {page.t("panel.none"): [float(n) for n in COUNTS]}
    for head in HEADS:
        slope = 2.0**-head
        series[f"m = 1/{2**head}"] = [_effective_keys(n, slope) for n in COUNTS]
    return series
