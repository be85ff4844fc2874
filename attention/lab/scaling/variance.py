"""The spread of dot products against d_k, in theory and measured; and what scaling makes of the weights."""

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from attention import scaled_dot_product_attention
from attention.lab.scaling.divisors import SCALINGS, divisors
from attention.lab.softmax.scores import entropy

SIZES = tuple(2**i for i in range(11))  # d_k of the experiment: 1 … 1024
CHUNK = 2**14  # entries drawn at once: an eighth of a megabyte, which the processor's cache holds
KURTOSIS = {"normal": 3.0, "uniform": 1.8, "signs": 1.0}  # E[u⁴] of entries with mean 0 and variance 1
BINS = 60
REACH = 4.5  # standard deviations on each side of a histogram's middle

QUERIES, KEYS = 4, 8


@dataclass(frozen=True)
class Sample:
    """How pairs (q, k) are drawn: q = mean + σu, k = mean + σv, with

        u_i = √inside·a + √(1 − inside)·e_i                  a drawn once a vector, e_i once an entry
        v_i = correlation·u_i + √(1 − correlation²)·z_i      z drawn as u is

    and a, e of the given kind. So any two entries of q have the correlation `inside`, and so have k's; an
    entry of q and k's entry in the same place have `correlation` (1 is k = q).
    """

    kind: str = "normal"
    mean: float = 0.0
    variance: float = 1.0
    correlation: float = 0.0  # −1 … 1
    pairs: int = 5000
    seed: int = 0
    inside: float = 0.0  # 0 … 1


@dataclass(frozen=True)
class VarianceMeasure:
    """Many products q·k for one d_k: their mean, their variance, and the variance's standard error."""

    d_k: int
    mean: float
    variance: float
    error: float


def theory_mean(sample: Sample, d_k: int) -> float:
    """E[q·k] = d_k·(μ² + ρσ²)."""
    return d_k * (sample.mean**2 + sample.correlation * sample.variance)


def theory_variance(sample: Sample, d_k: int) -> float:
    """Var(q·k), exact for every kind:

        d_k·(2μ²σ²(1 + ρ) + σ⁴(1 + ρ²(κ_u − 2)))                   each place's own variance
        + d_k(d_k − 1)·(2μ²σ²(1 + ρ)r + σ⁴r²(1 + ρ²(κ − 2)))       covariances of different places

    with ρ = correlation, r = inside, κ the kurtosis of a and e, κ_u = κ(r² + (1 − r)²) + 6r(1 − r) that of
    the standardised entries. One product is μ² + μσ(u + v) + σ²uv; u + v and uv are uncorrelated, for the
    entries are symmetric about μ; Var(u + v) = 2(1 + ρ), Var(uv) = 1 + ρ²(κ_u − 2), and the covariances with
    another place are 2(1 + ρ)r and r²(1 + ρ²(κ − 2)).

    Independent entries with μ = 0 leave σ⁴d_k, the claim behind √d_k. With r > 0 the variance grows with
    d_k²: for μ = 0, ρ = 0, σ = 1 it is d_k·(1 + (d_k − 1)r²).
    """
    mean, spread, rho, inside = sample.mean**2, sample.variance, sample.correlation, sample.inside
    kurtosis = KURTOSIS[sample.kind]
    of_entries = kurtosis * (inside**2 + (1 - inside) ** 2) + 6 * inside * (1 - inside)
    linear = 2 * mean * spread * (1 + rho)
    own = linear + spread**2 * (1 + rho**2 * (of_entries - 2))
    between = linear * inside + spread**2 * inside**2 * (1 + rho**2 * (kurtosis - 2))
    return d_k * own + d_k * (d_k - 1) * between


def vectors(sample: Sample, shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    """Rows (count, d_k) with entries of mean 0 and variance 1, correlated inside a row as the sample says."""
    own = standard(sample.kind, shape, generator)
    if sample.inside == 0:
        return own
    common = standard(sample.kind, (shape[0], 1), generator)
    return math.sqrt(sample.inside) * common + math.sqrt(1 - sample.inside) * own


def chunks(rows: int, width: int) -> Iterator[slice]:
    """The rows in turn, as many at once as have CHUNK entries."""
    most = max(1, CHUNK // width)
    return (slice(start, min(start + most, rows)) for start in range(0, rows, most))


def normal(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Independent entries N(0, 1), in float64.

    They are drawn in float32, which takes a sixth of the time. So each has 24 binary digits, and none lies
    beyond ±5.8, where one of 10⁸ would. Figures over many draws do not show either.
    """
    return torch.randn(shape, generator=generator, dtype=torch.float32).double()


def standard(kind: str, shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    """A tensor of that shape, its entries independent with mean 0 and variance 1."""
    if kind == "normal":
        return normal(shape, generator)
    if kind == "uniform":
        return (2 * torch.rand(shape, generator=generator, dtype=torch.float64) - 1) * math.sqrt(3)
    return 2.0 * torch.randint(2, shape, generator=generator).double() - 1


def measure(d_k: int, products: Tensor) -> VarianceMeasure:
    """The sample's variance, and its standard error √((m₄ − m₂²·(n − 3)/(n − 1)) / n)."""
    mean = products.mean()
    centred = products - mean
    variance = centred.square().sum() / (len(products) - 1)
    if variance <= 1e-18 * mean**2:  # all products are equal: what is left is rounding
        return VarianceMeasure(d_k, mean.item(), 0.0, 0.0)
    count = len(products)
    excess = centred.pow(4).mean() - variance**2 * (count - 3) / (count - 1)
    return VarianceMeasure(d_k, mean.item(), variance.item(), (excess.clamp(min=0) / count).sqrt().item())


def bins(sample: Sample, d_k: int) -> list[float]:
    """The BINS + 1 edges of the histogram of q·k: the theory's mean ± REACH standard deviations.

    ±1 entries have products on a lattice, and every bin holds as many of its points.
    """
    middle = theory_mean(sample, d_k)
    deviation = math.sqrt(theory_variance(sample, d_k)) or max(1.0, abs(middle) / 10)
    width = 2 * REACH * deviation / BINS
    low = middle - REACH * deviation
    lattice = sample.mean == sample.inside == 0 and sample.correlation in (-1, 0, 1)
    if sample.kind == "signs" and lattice:
        step = 2 * sample.variance
        width = step * math.ceil(width / step)
        point = d_k * sample.variance  # on the lattice
        low = point + step * round((middle - width * BINS / 2 - point) / step) - step / 2
    return [low + width * i for i in range(BINS + 1)]


def shares(products: Tensor, edges: list[float]) -> list[float]:
    """The share of the products (count,) in each bin."""
    counts, _ = torch.histogram(products, torch.tensor(edges, dtype=products.dtype))
    return (counts / len(products)).tolist()


def densities(products: Tensor, edges: list[float]) -> list[float]:
    """The share of the products (count,) in each bin per unit of width: bins of any width compare."""
    widths = [high - low for low, high in pairwise(edges)]
    return [share / width for share, width in zip(shares(products, edges), widths, strict=True)]


# ---- one query against many keys


@dataclass(frozen=True)
class KeySpread:
    """One query's scores, not yet scaled, over many keys: what the softmax works on."""

    mean: float  # the same for every key: the softmax cancels it
    deviation: float  # from key to key: the softmax does not
    theory: float  # of the deviation, for this query


def key_spread(sample: Sample, d_k: int, keys: int = 5000) -> KeySpread:
    """A query and its keys drawn as the sample says, keys independent of the query (correlation is ignored).

    For a given query the scores of keys have the standard deviation σ·√((1 − r)|q|² + r(Σ q_i)²), which is
    σ|q| for r = 0. A mean μ shifts all scores alike, by about d_kμ²; but it also makes |q|² larger, by d_kμ²
    on average, so the scores differ more from key to key. The same seed draws the same noise for every mean.
    """
    generator = torch.Generator().manual_seed(sample.seed)
    deviation = math.sqrt(sample.variance)
    query = sample.mean + deviation * vectors(sample, (1, d_k), generator)[0]
    key = sample.mean + deviation * vectors(sample, (keys, d_k), generator)
    scores = key @ query
    length = (1 - sample.inside) * query.square().sum() + sample.inside * query.sum().square()
    return KeySpread(scores.mean().item(), scores.std().item(), deviation * length.sqrt().item())


def typical_key_spread(sample: Sample, d_k: int) -> float:
    """The root mean square, over queries, of key_spread's theory: for r = 0 it is σ·√(d_k·(μ² + σ²))."""
    mean, spread, inside = sample.mean**2, sample.variance, sample.inside
    squares = d_k * (mean + spread)  # E|q|²
    summed = d_k * (d_k * mean + spread * (1 + (d_k - 1) * inside))  # E(Σ q_i)²
    return math.sqrt(spread * ((1 - inside) * squares + inside * summed))


# ---- queries and keys under four scalings


def queries_and_keys(d_k: int, seed: int) -> tuple[Tensor, Tensor]:
    """Queries (QUERIES, d_k), keys (KEYS, d_k), entries N(0, 1); wider ones begin as narrower ones do."""
    rows = _columns(seed)[:d_k].T  # (queries + keys, d_k)
    return rows[:QUERIES], rows[QUERIES:]


@functools.lru_cache(maxsize=8)  # 0.1 MB each
def _columns(seed: int) -> Tensor:
    """Of the widest queries and keys, (width, queries + keys)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(SIZES[-1], QUERIES + KEYS, generator=generator, dtype=torch.float64)


@dataclass(frozen=True)
class Scaled:
    """Scores under one scaling, and how wide the weights spread: means over the queries."""

    scaling: str
    divisor: float
    deviation: float  # standard deviation of all scores
    top: float  # the largest weight of a row
    bits: float  # entropy of a row
    share: float  # of log2 n, the largest entropy
    tokens: float  # 2^entropy, the effective number of keys
    weights: Tensor  # (n_q, n)


def under_each(query: Tensor, key: Tensor) -> list[Scaled]:
    """The same queries (n_q, d_k) and keys (n, d_k) under each scaling, through the core."""
    return [under(query, key, scaling) for scaling in SCALINGS]


def under(query: Tensor, key: Tensor, scaling: str) -> Scaled:
    """Queries (n_q, d_k) and keys (n, d_k) under one of SCALINGS."""
    by = divisors(query.shape[-1])[scaling]
    trace = scaled_dot_product_attention(query, key, key, scale=1 / by)
    bits = entropy(trace.weights)
    return Scaled(
        scaling,
        by,
        trace.scaled_scores.std().item(),
        trace.weights.amax(dim=-1).mean().item(),
        bits.mean().item(),
        bits.mean().item() / math.log2(key.shape[-2]),
        torch.exp2(bits).mean().item(),
        trace.weights,
    )


def total_variation(first: Tensor, second: Tensor) -> Tensor:
    """The share of each row's weight that sits elsewhere, half the sum of the differences: (…, n) → (…)."""
    return (first - second).abs().sum(dim=-1) / 2


def within(points: Iterable[VarianceMeasure], sample: Sample, errors: float) -> int:
    """How many measured variances lie within so many standard errors of the theory."""
    return sum(
        abs(point.variance - theory_variance(sample, point.d_k))
        <= errors * point.error + 1e-9 * abs(point.mean)
        for point in points
    )
