"""Self-attention and other layers (Vaswani et al. 2017, table 1): operations, sequential steps, paths.

Every layer takes n vectors of width d to n vectors of width d, without biases and nonlinearities. A
multiply–add is one multiplication and the addition of its result; profilers often count it as two operations.
Windows at the edge are counted as if they were full.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attention.checks import integer

LAYERS = ("self_attention", "recurrent", "convolutional", "restricted")


@dataclass(frozen=True)
class Layer:
    """What one layer costs."""

    name: str
    mixing: int  # multiply–adds that carry numbers from one position to another
    projections: int  # multiply–adds within a position
    sequential: int  # steps of which each needs the one before
    path: int  # edges from token 1's input to token n's output, the fewest there are
    scores: int  # numbers in the score matrix of one head
    table_operations: int  # the table's own entry without its O: n²d, nd², knd², rnd
    table_path: float  # likewise: 1, n, log_k(n) or n/k, n/r


def layers(n: int, d: int, *, kernel: int, window: int, dilated: bool = True) -> tuple[Layer, ...]:
    """The four LAYERS, counted alike; the table counts the mixing only, and without constant factors.

    Self-attention mixes by Q·Kᵀ and A·V, n²d each whatever the number of heads, and projects X to Q, K, V and
    the output, nd² each. A recurrent layer, h_t = f(W·x_t + U·h_{t−1}), mixes by U and projects by W, nd²
    each (an LSTM four times as many). A convolution mixes by its kernel of k positions, knd². Restricted
    self-attention is self-attention with r keys for each query.

    kernel k and window r, both at least 2, count an output's own position and those before it. dilated: the
    convolutions of a stack have dilations 1, k, k², …; otherwise they are all alike.
    """
    paths = {name: path(name, n, kernel=kernel, window=window, dilated=dilated) for name in LAYERS}
    k, r, square = kernel, min(window, n), n * d * d
    counts = {
        # mixing, projections, sequential, scores, the table's operations and path
        "self_attention": (2 * n * n * d, 4 * square, 1, n * n, n * n * d, 1),
        "recurrent": (square, square, n, 0, square, n),
        "convolutional": (k * square, 0, 1, 0, k * square, math.log(n, k) if dilated else n / k),
        "restricted": (2 * n * r * d, 4 * square, 1, n * r, r * n * d, n / r),
    }
    return tuple(
        Layer(name, mixing, projections, sequential, paths[name], scores, operations, table_path)
        for name, (mixing, projections, sequential, scores, operations, table_path) in counts.items()
    )


def path(name: str, n: int, *, kernel: int, window: int, dilated: bool = True) -> int:
    """Edges from the first token's input to the last one's output, in as many layers as that takes."""
    return len(_between(name, n, kernel, window, dilated)) + 1


def route(name: str, n: int, *, kernel: int, window: int, dilated: bool = True) -> tuple[int, ...]:
    """The positions, from 0, that a number passes from token 0's input to token n − 1's output.

    An edge is a layer; in a recurrent layer it is the first input or a time step. No way has fewer edges.
    """
    return (0, *_between(name, n, kernel, window, dilated), n - 1)


def _between(name: str, n: int, kernel: int, window: int, dilated: bool) -> Sequence[int]:
    """The positions of a route between its ends; a range where there may be many of them."""
    last = integer("n", n, 1) - 1
    kernel, window = integer("kernel", kernel, 2), integer("window", window, 2)
    if name == "self_attention":
        return ()
    if name == "recurrent":
        return range(last)
    if name == "convolutional" and dilated:
        return dilated_route(last, kernel)[1:-1]
    reach = (kernel if name == "convolutional" else window) - 1
    return range(reach, last, reach)


def dilated_route(last: int, kernel: int) -> tuple[int, ...]:
    """Layer l reaches back 0, 1, …, k − 1 times k^l positions: one digit of `last` in base k a layer."""
    positions, step = [0], 1
    while step <= last or len(positions) == 1:
        digit = last // step % kernel
        positions.append(positions[-1] + digit * step)
        step *= kernel
    return tuple(positions)


def crossing(d: int, *, lstm: bool = False) -> float:
    """The n from which self-attention mixes with more multiply–adds than a recurrent layer of the same width.

    2n²d = nd² at n = d/2, or for an LSTM, 2n²d = 4nd² at n = 2d. The table's n²d and nd² cross at n = d.
    """
    return 2 * d if lstm else d / 2
