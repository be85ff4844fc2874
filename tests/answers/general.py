"""What each option of a question says, recomputed with the core: the questions that are asked in general."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.heads.again import again as once_more
from attention.lab.heads.parts import contributions
from pages.draw.positions import set_aside
from pages.lessons.cross_attention import predict
from pages.lessons.many_heads.summary import swap_heads
from pages.lessons.one_head.changes import query_doubled
from pages.model import edits
from pages.model.compute import cross_trace_of, tensors_of, trace_of
from pages.model.settings import Settings

Holds = dict[str, bool] | None  # option → whether it holds; None where the question is not asked


def same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, atol=1e-9)


def plain(now: Settings, mask: str = "none") -> Settings:
    return edits.with_choice(set_aside(now), mask=mask, mask_2="none")


def changed(before: Tensor, after: Tensor) -> set[int]:
    """The rows that differ."""
    return {row for row in range(len(before)) if not same(before[row], after[row])}


def new_rows(before: Tensor, after: Tensor) -> set[int]:
    """The rows of `after` that no row had before."""
    return {row for row in range(len(after)) if not any(same(after[row], one) for one in before)}


def symmetric(now: Settings) -> Holds:
    now = plain(now)
    q = trace_of(now).head(0).query
    s = q @ q.mT
    off = s - torch.diag(s.diagonal())
    mirror, diagonal, equal = same(s, s.mT), same(off, 0 * s), same(s, s[0, 0].expand_as(s))
    return {
        "mirror": mirror,
        "diagonal": diagonal,
        "equal": equal,
        "nothing": not (mirror or diagonal or equal),
    }


def swap_two(now: Settings) -> Holds:
    now, n = plain(now), len(now.tokens)
    if n < 2:
        return None
    before, after = trace_of(now).output, trace_of(edits.swap_tokens(now, 0, n - 1)).output
    order = [n - 1, *range(1, n - 1), 0]
    return {
        "rows": same(before[order], after),
        "same": same(before, after),
        "two": new_rows(before, after) == {0, n - 1},
        "all": new_rows(before, after) == set(range(n)),
    }


def value_edited(mask: str) -> Callable[[Settings], Holds]:
    def holds(now: Settings) -> Holds:
        now, n = plain(now, mask), len(now.tokens)
        head = trace_of(now).head(0)
        visible = head.weights[-1] if mask == "causal" else head.weights
        if n < 2 or (visible < 1e-12).any():
            return None  # too small for floating point: in exact arithmetic it is more than 0
        value = head.value.clone()
        value[-1] += 1e9
        after = scaled_dot_product_attention(head.query, head.key, value, mask=head.mask, scale=head.scale)
        rows, weights = changed(head.output, after.output), changed(head.weights, after.weights)
        return {
            "last": rows == {n - 1} and not weights,
            "all": rows == set(range(n)) and not weights,
            "weights": rows == weights == set(range(n)),
        }

    return holds


def long_key(now: Settings) -> Holds:
    """A key and twice the same key, for every query that points to them or away from them."""
    head = trace_of(plain(now)).head(0)
    pairs = torch.stack((head.key, 2 * head.key), dim=1)  # (n, 2, d_k)
    weights = torch.stack([once_more(head, key=pair, value=pair).weights for pair in pairs])
    score = (head.query @ head.key.mT).mT
    clear = (score.abs() * abs(head.scale) > 1e-6) & (score.abs() < 1e6)
    if not clear.any() or head.scale <= 0:
        return None
    longer = (weights[..., 1] > weights[..., 0])[clear]
    return {
        "positive": bool((longer == (score[clear] > 0)).all()),
        "all": bool(longer.all()),
        "none": bool((weights[..., 1] == weights[..., 0])[clear].all()),
    }


def library_equal(now: Settings) -> Holds:
    """A query of zeros."""
    if len(now.tokens) < 2:
        return None
    head = trace_of(plain(now)).head(0)
    trace = once_more(head, query=torch.zeros_like(head.query))
    mixture = trace.output[0]
    return {
        "middle": same(mixture, head.value.mean(0)),
        "zero": same(mixture, torch.zeros_like(mixture)),
        "book": any(same(mixture, row) for row in head.value),
        "nowhere": not trace.weights.any(),
    }


def shift(now: Settings) -> Holds:
    head = trace_of(plain(now)).head(0)
    after, before = torch.softmax(head.scaled_scores + 5, -1), head.weights
    wider = (after.amax(-1) - before.amax(-1)).tolist()
    return {
        "same": same(before, after),
        "sharper": all(one > 1e-9 for one in wider),
        "uniform": all(one < -1e-9 for one in wider),
        "sum": not same(after.sum(-1), before.sum(-1)),
    }


def transposed(now: Settings) -> Holds:
    head = trace_of(set_aside(now)).head(0)
    mixed, n = head.weights.mT, len(head.weights)  # AᵀV: row j is mixed with row j of Aᵀ
    sums = torch.stack([torch.stack([head.weights[i, j] for i in range(n)]).sum() for j in range(n)])
    return {
        "column": same(mixed.sum(-1), sums),
        "one": same(mixed.sum(-1), torch.ones_like(sums)),
        "row": same(mixed.sum(-1), head.value.sum(-1)),
    }


def one_projection(now: Settings) -> Holds:
    x, w = torch.tensor(now.x, dtype=torch.float64), tensors_of(now)["w_q"][:, : now.head_dim]
    q = x @ w
    row = int(q.norm(dim=-1).argmax())
    weights = torch.softmax(q @ q.mT / now.head_dim**0.5, -1)[row]
    unlike = int((q - q[row]).norm(dim=-1).argmax())
    itself = bool(weights[row] >= weights.max() - 1e-12)
    return {"itself": itself, "other": bool(weights[unlike] == weights.max()), "depends": not itself}


def doubled(now: Settings) -> Holds:
    now = set_aside(now)
    head, again = (trace_of(one).head(0) for one in (now, query_doubled(now)))

    def spread(weights: Tensor) -> Tensor:
        return -torch.special.xlogy(weights, weights).sum(-1)

    seen = torch.ones_like(head.scores, dtype=torch.bool) if head.mask is None else head.mask
    low = head.scaled_scores.masked_fill(~seen, torch.inf).amin(-1)
    high = head.scaled_scores.masked_fill(~seen, -torch.inf).amax(-1)
    falls = spread(head.weights) - spread(again.weights)
    # Where the scores lie far apart, a row is one-hot before and after, but for rounding.
    differ = (high - low > 1e-3) & (spread(head.weights) > 1e-6)
    if now.masked_score != "-inf":  # a finite score in place of −∞ gives a fully masked row equal weights
        differ = differ & seen.any(-1)
    twice = same(again.scores, 2 * head.scores)
    mixed = same(again.output, again.weights @ head.value)
    return {
        "sharper": twice and bool((falls[differ] > 0).all()) and mixed,
        "all": twice and same(again.weights, 2 * head.weights) and same(again.output, 2 * head.output),
        "cancels": twice and same(again.weights, head.weights) and same(again.output, head.output),
        "uniform": twice and bool((falls[differ] < 0).all()) and mixed,
    }


def heads_exchanged(now: Settings) -> Holds:
    now = edits.set_biases(plain(now), False)
    if now.num_heads < 2 or now.kv_heads != now.num_heads:
        return None
    output, n, dim = trace_of(now).output, len(now.tokens), now.value_dim

    def moved(after: Settings, *, rows_too: bool = False) -> Tensor:
        return swap_heads(after, rows_too=rows_too)[0].output

    w_o = [list(row) for row in now.w_o]
    columns = [[row[i] for i in _exchange(len(row), dim)] for row in w_o]
    x = now.x if n < 2 else (now.x[1], now.x[0], *now.x[2:])
    return {
        "nothing": same(moved(now), output),
        "rows": same(moved(now, rows_too=True), output),
        "columns": same(moved(replace(now, w_o=tuple(map(tuple, columns)))), output),
        "x": same(moved(replace(now, x=x)), output),
    }


def head_doubled(now: Settings) -> Holds:
    """W_Q of head 1, times 2."""
    now = plain(now)
    if now.num_heads < 2 or now.d_model < 2:
        return None
    dim, half = now.head_dim, now.d_model // 2
    w_q = tuple((*(2 * number for number in row[:dim]), *row[dim:]) for row in now.w_q)
    before, after = trace_of(now), trace_of(replace(now, w_q=w_q))
    w_o = tensors_of(now).get("w_o")
    parts = [contributions(trace, w_o)[1] for trace in (before, after)]
    other = same(before.head(1).weights, after.head(1).weights)
    return {
        "half": other and same(before.output[:, half:], after.output[:, half:]),
        "second": other and same(*parts),
        "nothing": not other,
        "all": same(before.heads.weights, after.heads.weights) and same(before.output, after.output),
    }


def _exchange(width: int, dim: int) -> list[int]:
    order = [*range(dim, 2 * dim), *range(dim), *range(2 * dim, width)]
    return [i for i in order if i < width]


def reversed_order(now: Settings) -> Holds:
    now, n = plain(now), len(now.tokens)
    if n < 2:
        return None
    before = trace_of(now).output
    after = trace_of(edits.reordered(now, list(range(n))[::-1])).output
    stays = {token for token in range(n) if same(before[token], after[n - 1 - token])}
    return {
        "along": stays == set(range(n)),
        "stay": same(before, after),
        "all": not stays,
        "two": stays == {0},
    }


def source_swapped(now: Settings) -> Holds:
    now = edits.with_choice(now, cross_mask="none")
    before, after = cross_trace_of(now).output, cross_trace_of(predict.swap_source(now)).output
    order = [1, 0, *range(2, len(before))] if len(before) > 1 else [0]
    return {
        "same": same(before, after),
        "rows": len(before) > 1 and same(before[order], after),
        "other": changed(before, after) == set(range(len(before))),
    }


def shape(now: Settings) -> Holds:
    result = cross_trace_of(edits.with_choice(now, cross_mask="none")).head(0).weights.shape
    n, m = len(now.tokens), len(now.source)
    shapes = {"n_m": (n, m), "m_n": (m, n), "n_n": (n, n), "m_m": (m, m)}
    return {option: tuple(result) == size for option, size in shapes.items()}


def aligned(now: Settings) -> Holds:
    n = len(now.tokens)
    if n < 3:
        return None
    head, new = trace_of(edits.with_choice(now, position="none")).head(0), (n + 1) // 2

    def weights(count: int, mask: Tensor) -> Tensor:
        query = head.query[n - count :]
        return scaled_dot_product_attention(query, head.key, head.value, mask=mask, scale=head.scale).weights

    whole = weights(n, causal_mask(n))[n - new :]
    masks = {name: causal_mask(new, n, alignment=name) for name in ("upper_left", "lower_right")}
    masks["none"] = torch.ones(new, n, dtype=torch.bool)
    return {name: same(weights(new, mask), whole) for name, mask in masks.items()}


def padded_left(now: Settings) -> Holds:
    n, real = len(now.tokens), now.padding
    if real == n:
        return None
    visible = [{key for key in range(query + 1) if key >= n - real} for query in range(n)]
    empty = {query for query in range(n) if not visible[query]}
    pad = set(range(n - real))
    return {"none": not empty, "padded": empty == pad, "real": empty == set(range(n)) - pad}


GENERAL: dict[str, Callable[[Settings], Holds]] = {
    "symmetric": symmetric,
    "swap": swap_two,
    "value": value_edited("none"),
    "value_causal": value_edited("causal"),
    "library_equal": library_equal,
    "long_key": long_key,
    "shift": shift,
    "transposed": transposed,
    "one_projection": one_projection,
    "one_head_end": doubled,
    "many_heads_end": heads_exchanged,
    "head_doubled": head_doubled,
    "order_reversed": reversed_order,
    "cross_order": source_swapped,
    "cross_shape": shape,
    "cross_aligned": aligned,
    "left_padding": padded_left,
}
