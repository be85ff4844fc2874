"""What moves between slow and fast memory: plain attention compared with FlashAttention (Dao et al. 2022).

Counted in numbers (not bytes), for one head with d_k = d_v = d. Fast memory holds one tile and what it needs.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Traffic:
    """Numbers read from and written to slow memory."""

    read: int
    written: int

    @property
    def total(self) -> int:
        return self.read + self.written


def plain(n: int, d: int, kv_len: int | None = None) -> Traffic:
    """Algorithm 0: S = QKᵀ, P = softmax(S) and O = PV, each read from slow memory and written back to it."""
    m = n if kv_len is None else kv_len
    read = (n * d + m * d) + n * m + (n * m + m * d)
    written = n * m + n * m + n * d
    return Traffic(read, written)


def tiled(
    n: int, d: int, *, block_q: int, block_k: int, kv_len: int | None = None, outer: str = "keys"
) -> Traffic:
    """FlashAttention, no tile skipped.

    outer="keys", algorithm 1: every block of K and V is read once, and for each of them all of Q; and O, l
    and m are read and written back. outer="queries", FlashAttention-2 (Dao 2023): every block of Q is read
    once, and for each of them all of K and V; O and the logsumexp are written once.
    """
    m = n if kv_len is None else kv_len
    if outer == "keys":
        passes = math.ceil(m / block_k)
        state = n * d + 2 * n  # O, l and m
        return Traffic(2 * m * d + passes * (n * d + state), passes * state)
    return Traffic(n * d + math.ceil(n / block_q) * 2 * m * d, n * d + n)


def blocks_for(memory: int, d: int, outer: str = "keys") -> tuple[int, int]:
    """Algorithm 1's block sizes (B_r, B_c) for fast memory that holds so many numbers: B_c = ⌈M / 4d⌉.

    outer="queries" takes them the other way round: the larger block is that of the outer loop, because the
    other loop is run once for each of its blocks. So tiles move fewer numbers than plain attention, 4n² of a
    long sequence, where M is above about 3d² (keys: 12n²d²/M) or 2d² (queries: 8n²d²/M).
    """
    large = math.ceil(memory / (4 * d))
    small = min(large, d)
    return (small, large) if outer == "keys" else (large, small)


def theorem_2(n: int, d: int, memory: int) -> tuple[int, float]:
    """Dao et al. 2022, theorem 2, without its Θ: nd + n² for plain attention, n²d²/M for FlashAttention.

    For d ≤ M ≤ nd. Fewer numbers move with tiles where d² < M, about.
    """
    return n * d + n * n, n * n * d * d / memory


def alive(n: int, d: int, *, block_q: int, block_k: int, kv_len: int | None = None) -> tuple[int, int]:
    """How many numbers must be held at once in addition to Q, K, V and O: all scores, and with tiles.

    With tiles: one tile of scores, its blocks of Q, K, V and O, and m and l of its rows.
    """
    m = n if kv_len is None else kv_len
    rows, columns = min(block_q, n), min(block_k, m)
    return n * m, rows * columns + 2 * rows * d + 2 * columns * d + 2 * rows


def extra_multiplications(n: int, d: int, *, block_k: int, kv_len: int | None = None) -> int:
    """What online softmax adds to the 2·n·m·d multiply–adds of attention, which tiles do not save.

    For every row and block of keys the output so far is multiplied by a factor, d numbers, and so is the sum.
    """
    m = n if kv_len is None else kv_len
    return n * math.ceil(m / block_k) * (d + 1)
