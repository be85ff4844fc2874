"""What moves between slow and fast memory: counted for plain attention and both orders of the loops."""

import math
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from attention.lab.flash import traffic
from pages import picture
from pages.ask import blocks
from pages.draw import charts, inputs, placing, plots, say
from pages.draw.charts import HERO, Axis, Chart
from pages.draw.page import Page
from pages.picture import Flow, Matrix

from .settings import FlashNumbers

NUMBERS = ("flash_n", "flash_d", "flash_memory")
WAYS = ("plain", "keys", "queries")
LENGTHS = tuple(2**power for power in range(4, 18))
# Dao et al. 2022, figure 2 (left): both passes on an A100, n = 1024, d = 64, 16 heads, batch 64.
MEASURED = {"gflop": ("66.6", "75.2"), "traffic": ("40.3", "4.4"), "time": ("41.7", "7.3")}


def draw(page: Page) -> blocks.Blocks:
    yield blocks.ask("flash_ops", _draw_before)
    yield blocks.picture(_counts)
    yield blocks.chart("moved", lambda page: [chart(page)], file, result=result)
    yield blocks.aside(_growth, follows="moved")
    yield blocks.title("measured")
    yield blocks.aside(_measurements)


def _counts(page: Page) -> None:
    sliders = [inputs.slider(page, name) for name in NUMBERS]
    placing.draw(page, "moves", [*sliders, table(page)], [Flow(list(NUMBERS)), Flow(["counts"])])


def _growth(page: Page) -> None:
    say.markdown(reading(page))
    say.sentence(theorem(page))


def _draw_before(page: Page) -> None:
    """What each way costs, without the multiplications of the tiles."""
    known = table(page)
    column = HeadCounts._fields.index("multiplications")
    values = [list(row) for row in known.known]
    for row in values[1:]:
        row[column] = "?"
    placing.draw(page, "moves_asked", [replace(known, values=values, recipe=None)])
    plots.ghost(page, "moved", [chart(page)])


def result(page: Page) -> str:
    """Multiplications and numbers moved by tiles over queries, compared with plain attention."""
    cost = counts(*_sizes(page.own))
    moved = _share(cost["queries"].moved / cost["plain"].moved)
    return page.t("moves.result", more=extra_share(cost, "queries"), moved=moved)


class HeadCounts(NamedTuple):
    """What one head costs: multiplications; numbers read, written, moved; numbers held at once."""

    multiplications: int
    read: int
    written: int
    moved: int
    held: int


def counts(n: int, d: int, memory: int) -> dict[str, HeadCounts]:
    """For plain attention and for tiles with either outer loop, each with blocks of its own, no mask."""
    counts = 2 * n * n * d  # the multiplications of QKᵀ and AV
    moved = traffic.plain(n, d)
    cost = {"plain": HeadCounts(counts, moved.read, moved.written, moved.total, n * n)}
    for outer in WAYS[1:]:
        rows, columns = traffic.blocks_for(memory, d, outer)
        moved = traffic.tiled(n, d, block_q=rows, block_k=columns, outer=outer)
        extra = traffic.extra_multiplications(n, d, block_k=columns)
        held = traffic.alive(n, d, block_q=rows, block_k=columns)[1]
        cost[outer] = HeadCounts(counts + extra, moved.read, moved.written, moved.total, held)
    return cost


def block_of(n: int, d: int, memory: int, outer: str = "keys") -> tuple[int, int]:
    """Queries and keys of a block; the sequence has no more."""
    rows, columns = traffic.blocks_for(memory, d, outer)
    return min(rows, n), min(columns, n)


def _sizes(own: FlashNumbers) -> tuple[int, int, int]:
    return own.flash_n, own.flash_d, own.flash_memory


def table(page: Page) -> Matrix:
    t = page.t
    cost = counts(*_sizes(page.own))
    return Matrix(
        "counts",
        t("moves.counts"),
        [t(f"way.{way}") for way in WAYS],
        [t(f"count.{name}") for name in HeadCounts._fields],
        [[f"{count:,}" for count in cost[way]] for way in WAYS],
        kind="text",
        recipe=picture.written(arithmetic(*_sizes(page.own), cost), list(NUMBERS), "all"),
    ).looking(alt=t("moves.counts"))


def arithmetic(n: int, d: int, memory: int, counts: dict[str, HeadCounts]) -> list[list[str]]:
    """How each count is computed, in numbers, way by way."""
    formulas = {
        "plain": (f"2·{n}·{n}·{d}", f"3·{n}·{d} + 2·{n}·{n}", f"2·{n}·{n} + {n}·{d}", f"{n}·{n}"),
    }
    for outer in WAYS[1:]:
        rows, columns = block_of(n, d, memory, outer)
        passes, row_blocks = math.ceil(n / columns), math.ceil(n / rows)
        read, written = {
            "keys": (f"2·{n}·{d} + {passes}·(2·{n}·{d} + 2·{n})", f"{passes}·({n}·{d} + 2·{n})"),
            "queries": (f"{n}·{d} + {row_blocks}·2·{n}·{d}", f"{n}·{d} + {n}"),
        }[outer]
        tiled = f"2·{n}·{n}·{d} + {n}·{passes}·({d} + 1)"
        held = f"{rows}·{columns} + 2·{rows}·{d} + 2·{columns}·{d} + 2·{rows}"
        formulas[outer] = (tiled, read, written, held)
    lines = []
    for way, (multiplications, read, written, alive) in formulas.items():
        moved = f"{counts[way].read} + {counts[way].written}"
        line = (multiplications, read, written, moved, alive)
        lines.append([f"{text} = {count:,}" for text, count in zip(line, counts[way], strict=True)])
    return lines


def reading(page: Page) -> str:
    n, d, memory = _sizes(page.own)
    cost = counts(n, d, memory)
    rows, columns = block_of(n, d, memory)
    shares = {way: _share(cost[way].moved / cost["plain"].moved) for way in WAYS[1:]}
    more = {f"more_{way}": extra_share(cost, way) for way in WAYS[1:]}
    large = {"three": f"{3 * d * d:,}", "two": f"{2 * d * d:,}"}
    return page.t("moves.reading", rows=f"{rows:,}", columns=f"{columns:,}", **shares, **more, **large)


def extra_share(counts: dict[str, HeadCounts], way: str) -> str:
    """By how much tiles multiply more than plain attention; never written as 0."""
    share = counts[way].multiplications / counts["plain"].multiplications - 1
    return f"{Decimal(f'{100 * share:.3g}'):,f}%"


def _share(value: float) -> str:
    """A quotient in three digits, or in as many more as keep it from reading as 1."""
    texts = (f"{Decimal(f'{value:.{digits}g}'):,f}" for digits in range(3, 9))
    return next((text for text in texts if text != "1"), "1")


def theorem(page: Page) -> str:
    """The theorem's growth for these numbers, if it says anything about them."""
    n, d, memory = _sizes(page.own)
    if not d <= memory <= n * d:
        return page.t("moves.outside", memory=f"{memory:,}", low=f"{d:,}", high=f"{n * d:,}")
    plain, tiled = traffic.theorem_2(n, d, memory)
    cost = counts(n, d, memory)
    return page.t(
        "moves.theorem",
        plain=f"{plain:,}",
        tiled=f"{tiled:,.0f}",
        plain_factor=_share(cost["plain"].moved / plain),
        tiled_factor=_share(cost["keys"].moved / tiled),
    )


def _series(page: Page) -> dict[str, list[int]]:
    _, d, memory = _sizes(page.own)
    by_length = [counts(n, d, memory) for n in LENGTHS]
    return {page.t(f"way.{way}"): [result[way].moved for result in by_length] for way in WAYS}


def ratios(page: Page) -> dict[str, list[float]]:
    """For each way the numbers moved, as a factor of plain attention, at every length."""
    series = _series(page)
    plain = series[page.t("way.plain")]
    return {way: [a / b for a, b in zip(moved, plain, strict=True)] for way, moved in series.items()}


def chart(page: Page) -> Chart:
    """The numbers moved in each way, as a factor of plain attention, at every length."""
    t, result = page.t, ratios(page)
    length = Axis(t("axis.length"), (LENGTHS[0], LENGTHS[-1]), log=True)
    ends = charts.log_reach([ratio for way in result.values() for ratio in way])
    up, tokens = Axis(t("axis.moved"), ends, log=True), page.own.flash_n
    return charts.curves(length, up, LENGTHS, result, at=tokens, height=HERO)


def file(page: Page) -> dict[str, list]:
    return {"n": list(LENGTHS)} | _series(page)


def _measurements(page: Page) -> None:
    """What the paper measured."""
    t = page.t
    header = ["", t("way.plain"), "FlashAttention"]
    say.table(header, [(t(f"measured.{name}"), *values) for name, values in MEASURED.items()])
    say.caption(t("measured.source"))
