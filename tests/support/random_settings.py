"""States of every kind that the pages allow, drawn from a seed: plain and special ones."""

import random
from dataclasses import replace

from pages.model import edits, matrices
from pages.model import settings as s
from pages.model.entries import SettingsError
from pages.model.examples import EXAMPLES
from pages.model.fields import Spec, specs, with_fields
from pages.model.scores import MAX_LOGITS
from pages.model.settings import Settings
from pages.model.state import State
from tests.support.course import lesson
from tests.support.states import as_state


def drawn(seed: int) -> Settings:
    """1 to 12 tokens, heads, shared heads, biases, masks, positions, divisors of both signs, ties, zeros."""
    draw = random.Random(seed)
    now = edits.example_start(draw.choice([name for name in EXAMPLES if not name.endswith("_en")]))
    if draw.random() < 0.8:
        now = _with_numbers(draw, _with_sizes(draw, now))
    now = edits.set_biases(now, draw.random() < 0.3)
    if now.b_q is not None:
        own = {name: tuple(draw.uniform(-1, 1) for _ in getattr(now, name)) for name in matrices.BIASES}
        now = replace(now, **own)
    n = len(now.tokens)
    cells = [(row, col) for row in range(n) for col in range(n)]
    return edits.with_choice(
        now,
        mask=draw.choice(s.MASKS),
        mask_2=draw.choice(("none", draw.choice(s.MASKS))),
        combine=draw.choice(("and", "or")),
        padding=draw.randint(1, n),
        prefix=draw.randint(0, n),
        blocked=frozenset(draw.sample(cells, len(cells) // 2)),
        position=draw.choice(s.POSITIONS),
        scaling=draw.choice(s.SCALINGS),
        own_divisor=draw.choice((-3.0, -0.5, 0.01, 2.0)),
        masked_score=draw.choice(("-inf", "-1e9")),
        cross_mask=draw.choice(("none", "padding", "causal")),
        **{flag: draw.random() < 0.25 for flag in s.FLAGS},
    )


def _with_sizes(draw: random.Random, now: Settings) -> Settings:
    count = draw.choice((1, 2, 3, 4, draw.randint(5, matrices.MAX_TOKENS)))
    while len(now.tokens) > count:
        now = edits.remove_token(now, 0)
    while len(now.tokens) < count:
        now = edits.add_token(now)
    heads = draw.choice((1, 1, 2, 4))
    sizes = {"num_heads": heads, "d_k": draw.choice((1, 2, 3)), "d_v": draw.choice((1, 2, 3))}
    try:
        now = edits.resize(edits.resize(now, num_kv_heads=None), **sizes)
        return edits.resize(now, num_kv_heads=draw.choice((None, None, 1)))
    except SettingsError:
        return now


def _with_numbers(draw: random.Random, now: Settings) -> Settings:
    """Real numbers, or small whole ones, which tie; now and then zeros and tokens that are repeated."""
    whole, size = draw.random() < 0.4, draw.choice((1, 1, 1, 4))  # of 4: scores of some hundreds

    def number() -> float:
        return float(draw.randint(-1, 1)) if whole else draw.uniform(-2 * size, 2 * size)

    for name in ("x", "w_q", "w_k", "w_v", "w_o", "y"):
        rows, cols = s.shapes(now)[name]
        now = s.with_matrix(now, name, [[number() for _ in range(cols)] for _ in range(rows)])
    if draw.random() < 0.2:
        now = edits.fill(now, draw.choice(("x", "w_q", "w_k", "w_v")), "zeros")
    if draw.random() < 0.2:  # every token is the first one
        now = replace(now, tokens=now.tokens[:1] * len(now.tokens), x=now.x[:1] * len(now.x))
    if draw.random() < 0.15:  # the source is the sentence itself
        now = now if len(now.tokens) < s.MIN_SOURCE else replace(now, source=now.tokens, y=now.x)
    return now


def any_state(name: str, seed: int) -> State:
    """Core settings of any kind, and the lesson's own numbers anywhere in their ranges."""
    draw, state = random.Random(seed), as_state(drawn(seed))
    for kind in lesson(name).numbers:
        values = {field: _any(draw, field, spec, kind(), state) for field, spec in specs(kind).items()}
        state = state.having(
            with_fields(kind(), **{field: value for field, value in values.items() if value is not None})
        )
    return state


def _any(draw: random.Random, field: str, spec: Spec, record: object, state: State) -> object:
    """Any value that the field may have; None where it is of another kind."""
    if field == "order":
        n = len(state.core.tokens)
        return tuple(draw.sample(range(n), n))
    if field == "off":
        heads = state.core.num_heads
        return frozenset(draw.sample(range(heads), heads // 2))
    if field == "sample_pairs":  # as many pairs take long
        return 200
    if spec.kind == "choice":
        return draw.choice(spec.options)
    if spec.kind == "flag":
        return draw.random() < 0.5
    if spec.kind == "row":
        tied = draw.random() < 0.3
        length = draw.randint(1, min(MAX_LOGITS, spec.most))
        return tuple(float(draw.randint(-1, 1)) if tied else draw.uniform(-6, 6) for _ in range(length))
    if spec.low is None:
        return None
    low, high = spec.range(record)
    return draw.randint(low, high) if spec.kind == "count" else draw.uniform(low, high)
