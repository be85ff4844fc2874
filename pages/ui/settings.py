"""What the learner set: one frozen record, its choices and limits, and what depends on its sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from . import fresh
from .entries import one_of
from .fresh import Matrix

MAX_TOKENS = 12
MIN_SOURCE = 2
MAX_WIDTH = 16
MAX_HEADS = 8
MAX_LOGITS = 10
MIN_DIVISOR = 1e-6
MAX_WINDOW = MAX_TOKENS - 1

SCALINGS = ("sqrt_d_k", "none", "d_k", "own")
MASKS = ("none", "causal", "padding", "window", "causal_window", "prefix", "packed", "custom")
COMBINATIONS = ("and", "or")
CROSS_MASKS = ("none", "padding", "causal")
ALIGNMENTS = ("upper_left", "lower_right")
PROJECTIONS = ("query", "key", "value")
WRITINGS = ("wide", "small")
MASKED_SCORES = ("-inf", "-1e9")
LANGUAGES = ("en", "zh")
FILLS = fresh.FILLS
STEP_NAMES = (
    "query",
    "key",
    "value",
    "scores",
    "scaled_scores",
    "masked_scores",
    "weights",
    "head_output",
    "concatenated",
    "output",
)
# The parts of the lessons that have several.
PARTS = (
    *("overview", "split", "ablation", "view", "sharing", "code"),
    *("gallery", "dead", "half", "wrong", "cross"),
    *("experiment", "spread", "learning", "limits", "yours"),
    *("bars", "temperature", "stable", "axes", "jacobian", "dropout"),
)
# What the experiments may be set to, low and high.
NUMBERS = {
    "sample_mean": (-10.0, 10.0),
    "sample_variance": (0.01, 100.0),
    "sample_correlation": (-1.0, 1.0),
    "temperature": (0.01, 100.0),
    "shift": (-1000.0, 1000.0),
    "score_size": (0.0, 10_000.0),
    "nudge": (-10.0, 10.0),
    "dropout": (0.0, 0.95),
}
COUNTS = {
    "sample_d_k": (1, 1024),
    "sample_pairs": (100, 50_000),
    "sample_seed": (0, 9999),
    "score": (0, MAX_LOGITS - 1),
    "dropout_seed": (0, 9999),
}
MATRICES = ("x", "w_q", "w_k", "w_v", "w_o", "y")
BIASES = ("b_q", "b_k", "b_v", "b_o")
CHOICES = {
    "scaling": SCALINGS,
    "mask": MASKS,
    "mask_2": MASKS,
    "combine": COMBINATIONS,
    "masked_score": MASKED_SCORES,
    "cross_mask": CROSS_MASKS,
    "alignment": ALIGNMENTS,
    "projection": PROJECTIONS,
    "writing": WRITINGS,
    "sample": ("normal", "uniform", "signs"),
    "sample_case": ("independent", "correlated", "same"),
    "precision": ("float64", "float32", "float16", "bfloat16"),
    "axis": ("keys", "queries", "all"),
    "language": LANGUAGES,
}
SIZES = ("d_model", "num_heads", "d_k", "d_v", "num_kv_heads")
SQUARE_STEPS = ("scores", "scaled_scores", "masked_scores", "weights")


@dataclass(frozen=True)
class Settings:
    """The whole state of the dashboard. The defaults are the start: the example of three tokens."""

    tokens: tuple[str, ...] = ("我", "爱", "猫")
    x: Matrix = ((1.0, 0.5, 0.2, 0.1), (0.3, 1.2, 0.8, 0.4), (0.6, 0.1, 1.5, 0.9))
    w_q: Matrix = ((1.0, 0.0, 0.5, 0.2), (0.1, 1.0, 0.3, 0.1), (0.2, 0.1, 1.0, 0.4), (0.0, 0.2, 0.1, 1.0))
    w_k: Matrix = ((0.8, 0.1, 0.3, 0.2), (0.2, 0.9, 0.1, 0.3), (0.1, 0.2, 1.1, 0.1), (0.3, 0.1, 0.2, 0.8))
    w_v: Matrix = ((1.1, 0.2, 0.1, 0.3), (0.1, 1.0, 0.2, 0.4), (0.3, 0.1, 1.2, 0.2), (0.2, 0.3, 0.1, 1.0))
    w_o: Matrix = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    b_q: tuple[float, ...] | None = None
    b_k: tuple[float, ...] | None = None
    b_v: tuple[float, ...] | None = None
    b_o: tuple[float, ...] | None = None
    num_heads: int = 1
    num_kv_heads: int | None = None  # None: as many as heads
    d_k: int | None = None  # per head; None follows d_model / num_heads
    d_v: int | None = None
    scaling: str = "sqrt_d_k"
    own_divisor: float = 1.0
    mask: str = "none"
    padding: int = 2  # how many tokens count
    window_left: int = 1
    window_right: int = 0
    prefix: int = 1  # how many tokens everybody sees
    packed: tuple[int, ...] = (2,)  # lengths of the packed sequences; what is left is the last one
    blocked: frozenset[tuple[int, int]] = frozenset()  # (query, key) pairs of the custom mask
    mask_2: str = "none"  # a second mask, and how the two go together
    combine: str = "and"
    masked_score: str = "-inf"
    source: tuple[str, ...] = ("I", "love", "cats")  # cross-attention: the tokens of keys and values
    y: Matrix = ((8.0, 0.0, -3.0, -3.0), (-3.0, 4.0, 1.0, -1.0), (-2.0, -3.0, 2.0, 3.0))  # their inputs
    cross_mask: str = "none"
    source_padding: int = 2  # how many tokens of the source count
    alignment: str = "upper_left"
    head: int = 0
    other: int = 1  # the head it is compared with
    off: frozenset[int] = frozenset()  # heads switched off
    projection: str = "query"  # which of the three is split on the screen
    writing: str = "wide"  # one wide projection, or a small one a head
    reversed: bool = False  # the mask with its meaning turned round
    # Why √d_k: how the entries of q and k are drawn
    sample: str = "normal"
    sample_case: str = "independent"  # or correlated entries, or q = k
    sample_mean: float = 0.0
    sample_variance: float = 1.0
    sample_correlation: float = 0.5
    sample_d_k: int = 64
    sample_pairs: int = 5000
    sample_seed: int = 0
    # Softmax: the scores and what is done to them
    logits: tuple[float, ...] = (2.0, 1.0, 0.1)
    temperature: float = 1.0
    shift: float = 100.0
    score: int = 0  # the score that is changed
    nudge: float = 0.1
    score_size: float = 100.0
    precision: str = "float16"
    axis: str = "keys"
    dropout: float = 0.1
    dropout_seed: int = 0
    part: str | None = None  # of a lesson that has several
    guesses: tuple[tuple[str, str], ...] = ()  # (question, the option chosen)
    row: int | None = None  # the query followed
    cell: tuple[str, int, int] | None = None  # step, row, column
    language: str = "en"
    example: str = "cats"

    @property
    def d_model(self) -> int:
        return len(self.x[0])

    @property
    def head_dim(self) -> int:
        return self.d_k or self.d_model // self.num_heads

    @property
    def value_dim(self) -> int:
        return self.d_v or self.d_model // self.num_heads

    @property
    def kv_heads(self) -> int:
        return self.num_kv_heads or self.num_heads

    @property
    def kv_head(self) -> int:
        """The key/value head that serves the shown head."""
        return self.head * self.kv_heads // self.num_heads

    @property
    def divisor(self) -> float:
        """What the scores are divided by."""
        named = {"sqrt_d_k": math.sqrt(self.head_dim), "none": 1.0, "d_k": float(self.head_dim)}
        return named.get(self.scaling, self.own_divisor)


def shapes(s: Settings) -> dict[str, tuple[int, int]]:
    """Rows and columns that each matrix must have; a bias has one row."""
    queries, keys, values = s.num_heads * s.head_dim, s.kv_heads * s.head_dim, s.kv_heads * s.value_dim
    d_model = s.d_model
    return {
        "x": (len(s.tokens), d_model),
        "w_q": (d_model, queries),
        "w_k": (d_model, keys),
        "w_v": (d_model, values),
        "w_o": (s.num_heads * s.value_dim, d_model),
        "y": (len(s.source), d_model),
        "b_q": (1, queries),
        "b_k": (1, keys),
        "b_v": (1, values),
        "b_o": (1, d_model),
    }


def as_matrix(s: Settings, name: str) -> Matrix | None:
    """The matrix of that name; a bias as its one row, None where there are no biases."""
    values = getattr(s, one_of("matrix", name, (*MATRICES, *BIASES)))
    return (values,) if name in BIASES and values is not None else values


def with_matrix(s: Settings, name: str, values) -> Settings:
    matrix = tuple(tuple(row) for row in values)
    return replace(s, **{name: matrix[0] if name in BIASES else matrix})


def normalised(s: Settings) -> Settings:
    """Everything that depends on the sizes, brought in line with them."""
    for name, (rows, cols) in shapes(s).items():
        matrix = as_matrix(s, name)
        if matrix is not None and (len(matrix), len(matrix[0])) != (rows, cols):
            s = with_matrix(s, name, fresh.fitted(name, matrix, rows, cols))
    n = len(s.tokens)
    return replace(
        s,
        padding=min(s.padding, n),
        prefix=min(s.prefix, n),
        source_padding=min(s.source_padding, len(s.source)),
        score=min(s.score, len(s.logits) - 1),
        off=frozenset(h for h in s.off if h < s.num_heads),
        blocked=frozenset((r, c) for r, c in s.blocked if r < n and c < n),
        head=min(s.head, s.num_heads - 1),
        row=s.row if s.row is not None and s.row < n else None,
        cell=s.cell if s.cell and _cell_exists(s, s.cell) else None,
    )


def _cell_exists(s: Settings, cell: tuple[str, int, int]) -> bool:
    name, row, col = cell
    several = s.num_heads > 1
    n, d_k, d_v = len(s.tokens), s.head_dim, s.value_dim
    columns = {"query": d_k, "key": d_k, "value": d_v, "head_output": d_v if several else 0}
    columns["concatenated"] = s.num_heads * d_v if several else 0
    columns["output"] = s.d_model if several else d_v
    return 0 <= row < n and 0 <= col < columns.get(name, n)
