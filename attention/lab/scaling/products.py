"""Products q·k of many pairs from noise that is drawn once, for any mean, variance and correlation.

With u = αa + βe and z = αb + βf, where a and b are drawn once a vector, e and f once an entry, α² = r and
β² = 1 − r, and with v = ρu + √(1 − ρ²)z,

    q·k = Σ(μ + σu)(μ + σv) = d_k μ² + μσ Σ(u + v) + σ² Σuv

so the sums Σe, Σf, Σe² and Σef of a pair give its product for every μ, σ, ρ and r.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.scaling.variance import Sample, chunks, standard

SUMS = ("a", "b", "e", "f", "ee", "ef")


@dataclass(frozen=True, eq=False)
class Noise:
    """The noise of many pairs, summed over the d_k entries: one number for each pair."""

    d_k: int
    a: Tensor
    b: Tensor
    e: Tensor  # Σ e
    f: Tensor  # Σ f
    ee: Tensor  # Σ e²
    ef: Tensor  # Σ e·f

    @property
    def nbytes(self) -> int:
        """The bytes of all the numbers."""
        return sum(getattr(self, name).nbytes for name in SUMS)


def summed(a: Tensor, b: Tensor, e: Tensor, f: Tensor) -> Noise:
    """a, b (pairs,) and e, f (pairs, d_k)."""
    return Noise(e.shape[-1], a, b, e.sum(-1), f.sum(-1), e.square().sum(-1), (e * f).sum(-1))


def noise(kind: str, d_k: int, pairs: int, seed: int, first: Noise | None = None) -> Noise:
    """Drawn in chunks, so that a long draw needs little memory.

    first: the noise of the same pairs' first entries. Only the entries that follow are drawn.
    """
    generator = torch.Generator().manual_seed((seed << 12) + d_k)
    width = d_k - (first.d_k if first else 0)
    drawn = {name: torch.empty(pairs, dtype=torch.float64) for name in SUMS}
    for rows in chunks(pairs, width):
        count = rows.stop - rows.start
        q, k = standard(kind, (2, count), generator)
        own = standard(kind, (2 * count, width), generator)
        part = summed(q, k, own[:count], own[count:])
        for name, sums in drawn.items():  # no chunk leaves small pieces in the memory of the next
            sums[rows] = getattr(part, name)
    if first:
        drawn = {name: getattr(first, name) + drawn[name] for name in SUMS} | {"a": first.a, "b": first.b}
    return Noise(d_k, **drawn)


def shorter(d_k: int) -> int:
    """The number of entries to begin with: d_k without its last octal digit that is not 0.

    So a d_k near one that was drawn before needs few entries more; a power of 2 is drawn as a whole.
    """
    step = 8
    while d_k % step == 0:
        step *= 8
    return d_k - d_k % step


def products(noise: Noise, sample: Sample) -> Tensor:
    """q·k of every pair, (pairs,), with the sample's mean, variance and correlations."""
    d_k, rho = noise.d_k, sample.correlation
    alpha, beta = math.sqrt(sample.inside), math.sqrt(1 - sample.inside)
    rest = math.sqrt(1 - rho**2)
    sum_u = d_k * alpha * noise.a + beta * noise.e
    sum_z = d_k * alpha * noise.b + beta * noise.f
    sum_uu = d_k * (alpha * noise.a) ** 2 + 2 * alpha * beta * noise.a * noise.e + beta**2 * noise.ee
    mixed = noise.a * noise.f + noise.b * noise.e
    sum_uz = d_k * alpha**2 * noise.a * noise.b + alpha * beta * mixed + beta**2 * noise.ef
    mean, deviation = sample.mean, math.sqrt(sample.variance)
    linear = (1 + rho) * sum_u + rest * sum_z
    return d_k * mean**2 + mean * deviation * linear + deviation**2 * (rho * sum_uu + rest * sum_uz)
