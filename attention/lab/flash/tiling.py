"""The state of FlashAttention after some of its tiles, for one head: what it holds, and what it let go."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attention.flash import FlashTile, FlashTrace

STATUS = ("to_come", "current", "done", "skipped")


@dataclass(frozen=True, eq=False)
class Moment:
    """The state of all queries after the first `done` tiles, and what became of each score."""

    done: int
    tile: FlashTile | None  # the tile computed last
    status: list[list[str]]  # q_len × kv_len, each one of STATUS
    maximum: Tensor  # (q_len,), −inf before any key
    total: Tensor  # (q_len,), 0 before any key
    factor: Tensor  # (q_len,), of the last tile; 1 for the rows that it leaves alone
    output: Tensor  # (q_len, value_dim), 0 before any key


def moment(trace: FlashTrace, done: int) -> Moment:
    """After `done` tiles, from 0 to all of them. `trace` is of one head, without leading dimensions."""
    q_len, value_dim = trace.output.shape
    kv_len = max((tile.columns.stop for tile in trace.tiles), default=0)
    status = [["to_come"] * kv_len for _ in range(q_len)]
    maximum, total = trace.logsumexp.new_full((q_len,), -torch.inf), trace.logsumexp.new_zeros(q_len)
    factor, output = torch.ones_like(total), trace.output.new_zeros(q_len, value_dim)
    for i, tile in enumerate(trace.tiles[:done]):
        word = "skipped" if tile.skipped else "current" if i == done - 1 else "done"
        for row in range(q_len)[tile.rows]:
            status[row][tile.columns] = [word] * (tile.columns.stop - tile.columns.start)
        maximum[tile.rows], total[tile.rows] = tile.running_maximum, tile.running_sum
        output[tile.rows] = tile.partial_output
    last = trace.tiles[done - 1] if done else None
    if last is not None:
        factor[last.rows] = last.rescale_factor
    return Moment(done, last, status, maximum, total, factor, output)


def tile_of(trace: FlashTrace, row: int, column: int) -> int:
    """The number of the tile, counted from 1, that holds this score."""
    tiles = enumerate(trace.tiles, 1)
    return next(i for i, tile in tiles if _holds(tile.rows, row) and _holds(tile.columns, column))


def _holds(part: slice, index: int) -> bool:
    return part.start <= index < part.stop
