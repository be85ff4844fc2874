"""How long attention and other layers take here: float32, one sequence, one head, no gradients.

Measured is the processor time of the calling thread, which other programs disturb less than the clock on
the wall. It is the whole work only where PyTorch uses one thread.

The attention forms get Q, K and V; the LSTM and the convolution get X. All are of the same width.
"""

import statistics
import time
from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from torch import nn

from attention import flash_attention, scaled_dot_product_attention

FORMS = ("plain", "tiled", "fused", "lstm", "convolution")
LENGTHS = tuple(2**i for i in range(4, 12))  # 16 to 2048
WIDTH = 64
KERNEL = 3
BLOCK = 128  # of our tiled form
REPEATS = 5
CALL_LIMIT = 1.0  # seconds: a form whose call takes longer is not measured at greater lengths
MEMORY_LIMIT = 256 * 2**20  # bytes of the score matrices that the plain form keeps


def call_of(form: str, n: int) -> Callable[[], object]:
    """What is timed: one call of the form on n seeded vectors."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, n, WIDTH, generator=generator)
    if form == "plain":
        return lambda: scaled_dot_product_attention(q, k, v).output
    if form == "tiled":
        return lambda: flash_attention(q, k, v, block_q=BLOCK, block_k=BLOCK).output
    if form == "fused":
        return lambda: F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None])
    if form == "lstm":
        lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        return lambda: lstm(q[None])[0]
    convolution, columns = nn.Conv1d(WIDTH, WIDTH, KERNEL, padding="same"), q.T[None].contiguous()
    return lambda: convolution(columns)


def multiply_adds(form: str, n: int) -> int:
    """Counted for the same calls: 2n²d, or 8nd² for an LSTM's four gates of W and U, or knd²."""
    if form == "lstm":
        return 8 * n * WIDTH**2
    return KERNEL * n * WIDTH**2 if form == "convolution" else 2 * n * n * WIDTH


def seconds(form: str, n: int) -> float:
    """The median processor time of several calls after one to warm up; fewer calls where one takes long."""
    call = call_of(form, n)
    times: list[float] = []
    with torch.no_grad():
        call()
        while len(times) < REPEATS and sum(times) < CALL_LIMIT:
            started = time.thread_time()
            call()
            times.append(time.thread_time() - started)
    return statistics.median(times)


def measurements() -> Iterator[tuple[str, int, float | None]]:
    """(form, n, seconds) from the shortest length to the longest; None where a limit forbids it."""
    slow: set[str] = set()
    for n in LENGTHS:
        for form in FORMS:
            too_large = form == "plain" and 5 * 4 * n * n > MEMORY_LIMIT
            if form in slow or too_large:
                yield form, n, None
                continue
            took = seconds(form, n)
            if took > CALL_LIMIT:
                slow.add(form)
            yield form, n, took
