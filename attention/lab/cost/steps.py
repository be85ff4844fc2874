"""Multiply–adds and bytes of every step of an attention layer, and its KV cache, counted from the sizes."""

from dataclasses import dataclass
from typing import NamedTuple

SOFTMAX = 5  # operations a score: compare with the maximum, subtract, exp, add up, divide


@dataclass(frozen=True)
class Sizes:
    """One attention layer on one sequence, or cross-attention to another one of kv_len tokens."""

    n: int
    embed_dim: int
    num_heads: int
    head_dim: int
    value_dim: int
    num_kv_heads: int | None = None  # default num_heads
    kv_len: int | None = None  # default n
    w_o: bool = True
    masked: bool = False
    bytes_per_number: int = 8


@dataclass(frozen=True)
class StepCost:
    """What one step costs if it reads what it needs once and writes its result once."""

    name: str  # as in trace.steps()
    multiply_adds: int  # of matrix products
    other: int  # operations on single numbers: scaling, masking, softmax
    read: int  # bytes
    written: int  # bytes


def step_costs(sizes: Sizes) -> tuple[StepCost, ...]:
    """Every step from X to the output, without biases. A mask is (n, kv_len), one byte a score.

    Splitting into heads and concatenating them moves no number and is not listed.
    """
    s = sizes
    kv_heads, m = s.num_kv_heads or s.num_heads, s.kv_len or s.n
    rows = {"query": s.n, "key": m, "value": m}
    columns = {
        "query": s.num_heads * s.head_dim,
        "key": kv_heads * s.head_dim,
        "value": kv_heads * s.value_dim,
    }
    numbers = {name: rows[name] * columns[name] for name in rows}  # in Q, K and V
    scores, joined = s.num_heads * s.n * m, s.num_heads * s.value_dim
    steps = []

    def add(name: str, *, inner: int = 0, other: int = 0, read: int, result: int, mask: int = 0) -> None:
        """One step: a product that sums over `inner`, or so many other operations for each result."""
        size = s.bytes_per_number
        steps.append(StepCost(name, inner * result, other * result, read * size + mask, result * size))

    for name in rows:
        read = rows[name] * s.embed_dim + s.embed_dim * columns[name]
        add(name, inner=s.embed_dim, read=read, result=numbers[name])
    add("scores", inner=s.head_dim, read=numbers["query"] + numbers["key"], result=scores)
    add("scaled_scores", other=1, read=scores, result=scores)
    if s.masked:
        add("masked_scores", other=1, read=scores, result=scores, mask=s.n * m)
    add("weights", other=SOFTMAX, read=scores, result=scores)
    add("head_output", inner=m, read=scores + numbers["value"], result=s.n * joined)
    if s.w_o:
        add("output", inner=joined, read=(s.n + s.embed_dim) * joined, result=s.n * s.embed_dim)
    return tuple(steps)


def projections_and_mixing(sizes: Sizes) -> tuple[int, int]:
    """Multiply–adds of Q, K, V and the output, which grow with n; and of scores and A·V, which grow with n².

    With d_k = d_v = d_model / heads they are 4nd² and 2n²d: mixing leads from n = 2d on.
    """
    mixing = sum(step.multiply_adds for step in step_costs(sizes) if step.name in ("scores", "head_output"))
    return sum(step.multiply_adds for step in step_costs(sizes)) - mixing, mixing


# ---- KV cache


class Model(NamedTuple):
    """The published shape of a model's attention; d_v = d_k in all of them."""

    name: str
    layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    source: str


# From these papers; heads of GPT-2 and shapes of Llama 2 as in the released configurations.
MODELS = (
    Model("GPT-2 small", 12, 12, 12, 64, "Radford et al. 2019"),
    Model("GPT-3 175B", 96, 96, 96, 128, "Brown et al. 2020"),
    Model("PaLM 540B", 118, 48, 1, 256, "Chowdhery et al. 2022"),
    Model("Llama 2 7B", 32, 32, 32, 128, "Touvron et al. 2023"),
    Model("Llama 2 70B", 80, 64, 8, 128, "Touvron et al. 2023"),
    Model("Mistral 7B", 32, 32, 8, 128, "Jiang et al. 2023"),
    Model("Llama 3.1 405B", 126, 128, 8, 128, "Dubey et al. 2024"),
)


def kv_cache_bytes(
    tokens: int,
    *,
    layers: int,
    num_kv_heads: int,
    head_dim: int,
    value_dim: int | None = None,
    bytes_per_number: int = 2,
    batch: int = 1,
) -> int:
    """Bytes of the keys and values that are kept for so many tokens of each sequence in the batch."""
    each = head_dim + (head_dim if value_dim is None else value_dim)
    return batch * tokens * layers * num_kv_heads * each * bytes_per_number
