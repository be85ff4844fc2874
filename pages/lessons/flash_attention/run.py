"""FlashAttention on the shown head's numbers, compared with plain attention; and the sentences on it."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import torch

from attention import AttentionTrace, FlashTrace, flash_attention, scaled_dot_product_attention
from attention.lab.flash.tiling import Moment, moment
from pages.draw.numbers import confirmed, short
from pages.draw.page import Page
from pages.draw.results import size
from pages.draw.texts import quoted
from pages.model.compute import trace_of
from pages.model.settings import Settings


@dataclass(frozen=True, eq=False)
class BothWays:
    """The plain way and the tiled way to the same output, masked scores −∞ in both."""

    plain: AttentionTrace
    trace: FlashTrace

    def at(self, done: int) -> Moment:
        return moment(self.trace, done)

    @property
    def skipped(self) -> int:
        return sum(tile.skipped for tile in self.trace.tiles)

    @property
    def held(self) -> int:
        """The most scores that are held at once: the scores of the largest tile."""
        sizes = [_length(tile.rows) * _length(tile.columns) for tile in self.trace.tiles if not tile.skipped]
        return max(sizes, default=0)

    @property
    def difference(self) -> float:
        return (self.trace.output - self.plain.output).abs().max().item()


def _length(part: slice) -> int:
    return part.stop - part.start


def of(page: Page) -> BothWays:
    own, n = page.own, len(page.tokens)
    return _ways(page.settings, page.head, min(own.block_q, n), min(own.block_k, n), own.outer)


@functools.lru_cache(maxsize=64)
def _ways(settings: Settings, head: int, block_q: int, block_k: int, outer: str) -> BothWays:
    shown = trace_of(settings).head(head)
    same: dict[str, Any] = {"mask": shown.mask, "bias": shown.bias, "scale": shown.scale}
    qkv = (shown.query, shown.key, shown.value)
    plain = scaled_dot_product_attention(*qkv, **same)
    tiled = flash_attention(*qkv, **same, block_q=block_q, block_k=block_k, outer=outer)
    return BothWays(plain, tiled)


def tiles_done(page: Page) -> int:
    """How many tiles are done; a link may name more than there are."""
    return min(page.look.tile, len(of(page).trace.tiles))


def texts(scores: torch.Tensor) -> list[list[str]]:
    return [[short(score) for score in row] for row in scores.tolist()]


def arithmetic(ways: BothWays, count: int) -> dict[str, list]:
    """For each query how its maximum, factor, sum and output follow from its last tile, or their start."""
    n, width = ways.plain.query.shape[0], ways.at(count).output.shape[-1]
    result: dict[str, list] = {
        "running_maximum": ["m = −∞"] * n,
        "running_sum": ["ℓ = 0"] * n,
        "partial_output": [["0"] * width] * n,
    }
    for at in range(count + 1):
        result["rescale_factor"] = ["1"] * n  # of other queries: what is held stays as it is
        _of_tile(ways, at, result)
    return result


def _of_tile(ways: BothWays, count: int, result: dict[str, list]) -> None:
    """How one tile changes what is held for its queries."""
    state = ways.at(count)
    if state.tile is None or state.tile.skipped:
        return
    before, columns = ways.at(count - 1), state.tile.columns
    for row in range(len(ways.plain.query))[state.tile.rows]:
        scores = ways.plain.masked_scores[row, columns]
        m, old = state.maximum[row], before.maximum[row].item()
        exps = (scores - m).exp() if torch.isfinite(m) else torch.zeros_like(scores)
        factor, kept, total = state.factor[row].item(), before.total[row].item(), state.total[row].item()
        listed = ", ".join(short(score) for score in (old, *scores.tolist()))
        result["running_maximum"][row] = f"m = max({listed}) = {short(m.item())}"
        first, second = confirmed(lambda a, b: math.exp(a - b), (old, m.item()), factor)
        result["rescale_factor"][row] = f"exp({first} − ({second})) = {short(factor, 4)}"
        f, k, *added = confirmed(_sum, (factor, kept, *exps.tolist()), total, least=4)
        result["running_sum"][row] = f"ℓ = {f} · {k} + {' + '.join(added)} = {short(total, 4)}"
        share = exps @ ways.plain.value[columns]
        columns_of = (before.output[row].tolist(), share.tolist(), state.output[row].tolist())
        result["partial_output"][row] = [
            "({} · {} · {} + {}) / {} = {}".format(
                *confirmed(_mean, (factor, kept, a, b, total), c, least=4), short(c, 4)
            )
            for a, b, c in zip(*columns_of, strict=True)
        ]


def _sum(factor: float, kept: float, *added: float) -> float:
    return factor * kept + sum(added)


def _mean(factor: float, kept: float, before: float, share: float, total: float) -> float:
    return (factor * kept * before + share) / total


def reading(page: Page) -> str:
    """What the last tile did."""
    t, ways, count = page.t, of(page), tiles_done(page)
    tiles, tile = len(ways.trace.tiles), ways.at(count).tile
    if tile is None:
        return t("tiles.none", tiles=tiles)
    facts = {
        "tile": count,
        "tiles": tiles,
        "queries": t.all_of(quoted(page.tokens[tile.rows])),
        "keys": t.all_of(quoted(page.tokens[tile.columns])),
    }
    return t("tiles.skipped" if tile.skipped else "tiles.computed", **facts)


def verdict(page: Page) -> str:
    """The result of all tiles, compared with plain attention."""
    ways, n = of(page), len(page.tokens)
    return page.t(
        "tiles.verdict",
        difference=size(ways.difference),
        held=ways.held,
        all=n * n,
        skipped=ways.skipped,
        tiles=len(ways.trace.tiles),
    )
