"""Statements about one head: its rows and columns, values and output, scores, and what the mask hides."""

import math

from attention.lab.weights import reading
from pages.draw.numbers import minus
from pages.model.compute import needed

from .bank import CLEAR, Judgement, claim, claims_of, clear, number, row_sees
from .scene import N, WeightsScene

# ---- rows and columns


@claim("sum", "rows", "1", "q")
def row_sum(s: WeightsScene, q: int) -> Judgement:
    return True, {}


@claim("sum", "rows", "1", "k", never=True)
def column_sum(s: WeightsScene, k: int) -> Judgement:
    total = float(s.a[:, k].sum())
    return (False, {"sum": number(total)}) if clear(total, 1) else None


@claim("largest", "rows", "1", "qk")
def largest(s: WeightsScene, q: int, k: int) -> Judgement:
    return _largest(s.a, q, k)


def _largest(a, q: int, k: int) -> Judgement:
    """True for the row's largest weight, false for the largest of the column with the query's name."""
    top, down = reading.top_key(a, q, CLEAR), reading.top_key(a.T, q, CLEAR)
    if top is None or k not in (top, down):
        return None
    return k == top, {"top": top, "w": number(a[q, top])}


@claim("largest", "rows", "1", "qk", never=True)
def symmetric(s: WeightsScene, q: int, k: int) -> Judgement:
    a, b = float(s.a[q, k]), float(s.a[k, q])
    return (False, {"a": number(a), "b": number(b)}) if clear(a, b) and a > 0 and b > 0 else None


# ---- values and the output


@claim("mean", "values", "12", "q")
def mean_row(s: WeightsScene, q: int) -> Judgement:
    return (True, {}) if row_sees(s, q) > 1 else None


@claim("mean", "values", "12", "q", never=True)
def mean_column(s: WeightsScene, q: int) -> Judgement:
    differs = (s.a[q] - s.a[:, q]).abs().max() > 0.1
    if s.v is not None:
        differs = differs and (s.a[q] @ s.v - s.a[:, q] @ s.v).abs().max() > CLEAR
    return (False, {}) if differs else None


@claim("own", "values", "12", "qk")
def own_value(s: WeightsScene, q: int, k: int) -> Judgement:
    if reading.is_one_hot(s.a, q, k):
        return True, {"w": number(1)}
    other = s.v is None or bool((s.output[q] - s.v[k]).abs().max() > CLEAR)
    return (False, {"w": number(s.a[q, k])}) if k == reading.top_key(s.a, q, CLEAR) and other else None


@claim("own", "values", "12", "q")
def plain_mean(s: WeightsScene, q: int) -> Judgement:
    if reading.is_uniform(s.a, q):
        return True, {}
    seen = [k for k in range(N) if s.sees(q, k)]
    other = s.v is None or bool((s.output[q] - s.v[seen].mean(0)).abs().max() > CLEAR)
    return (False, {}) if len(seen) > 1 and other else None


@claim("equal", "values", "1", "qo")
def equal_outputs(s: WeightsScene, q: int, o: int) -> Judgement:
    return (reading.same_row(s.a, q, o), {}) if q < o else None


@claim("equal", "inputs", "12", "qo", never=True)
def equal_inputs(s: WeightsScene, q: int, o: int) -> Judgement:
    return (False, {}) if q < o and reading.same_row(s.a, q, o) else None


@claim("nudge", "values", "12", "qkf")
def value_nudge(s: WeightsScene, q: int, k: int, f: int) -> Judgement:
    w, turned = float(s.a[q, k]), float(s.a[k, q])
    facts = {"w": number(w), "said": number(turned if f else w)}
    return (not f, facts) if clear(w, turned) and min(w, turned) > 0 else None


@claim("nudge", "values", "1", "qk", never=True)
def small_weight(s: WeightsScene, q: int, k: int) -> Judgement:
    w = float(s.a[q, k])
    return (False, {"w": number(w)}) if 0 < w < 0.06 else None


@claim("part", "values", "2", "qkc")
def top_part(s: WeightsScene, q: int, k: int, c: int) -> Judgement:
    """True for the largest part, false for the largest weight where another part is larger."""
    parts, top = reading.parts(s.a, s.v, q, c), reading.top_part(s.a, s.v, q, c, CLEAR)
    if top is None or row_sees(s, q) < 2 or k not in (top, reading.top_key(s.a, q, CLEAR)):
        return None
    numbers = {"w": number(s.a[q, k]), "v": number(s.v[k, c]), "part": number(parts[k])}
    return k == top, numbers | {"top": top, "largest": number(parts[top])}


@claim("part", "values", "2", "qc")
def between(s: WeightsScene, q: int, c: int) -> Judgement:
    column = s.v[:, c]
    return True, {"lo": minus(f"{column.min():g}"), "hi": minus(f"{column.max():g}")}


@claim("range", "values", "2", "qcf")
def output_cell(s: WeightsScene, q: int, c: int, f: int) -> Judgement:
    x, turned = float(s.output[q, c]), float(s.a[:, q] @ s.v[:, c])
    facts = {"x": number(x), "said": number(turned if f else x)}
    return (not f, facts) if clear(x, turned) else None


# ---- scores


@claim("scores", "scores", "12", "q")
def equal_scores(s: WeightsScene, q: int) -> Judgement:
    return (reading.is_uniform(s.a, q), {}) if row_sees(s, q) > 1 else None


@claim("scores", "scores", "12", "qko", never=True)
def across_rows(s: WeightsScene, q: int, k: int, o: int) -> Judgement:
    a, b = float(s.a[q, k]), float(s.a[o, k])
    return (False, {"a": number(a), "b": number(b)}) if a - b > 0.09 and b > 0 else None


@claim("scores", "scores", "12", "qko")
def within_row(s: WeightsScene, q: int, k: int, o: int) -> Judgement:
    a, b = float(s.a[q, k]), float(s.a[q, o])
    return (a > b, {"a": number(a), "b": number(b)}) if clear(a, b) and a > 0 and b > 0 else None


@claim("scores", "scores", "2", "qko")
def log_ratio(s: WeightsScene, q: int, k: int, o: int) -> Judgement:
    a, b = float(s.a[q, k]), float(s.a[q, o])
    ratio = a / b if b > 0 else 0
    if not any(math.isclose(ratio, whole) for whole in (2, 3, 4)):
        return None
    return True, {"a": number(a), "b": number(b), "ratio": f"{ratio:.0f}"}


@claim("scores", "scores", "2", "q", never=True)
def scores_known(s: WeightsScene, q: int) -> Judgement:
    return (False, {}) if row_sees(s, q) > 1 else None


# ---- the mask, other layers


@claim("change", "mask", "12", "qk")
def input_change(s: WeightsScene, q: int, k: int) -> Judgement:
    return not s.sees(q, k), {"w": number(s.a[q, k])}


@claim("change", "layers", "2", "qk", never=True)
def never_reaches(s: WeightsScene, q: int, k: int) -> Judgement:
    """Only where two layers with this mask already bring the one to the other."""
    far = s.mask_kind == "window" and not s.sees(q, k) and bool(reading.reach(needed(s.mask), 2)[q, k])
    return (False, {"mid": q - 1}) if far else None


@claim("unmask", "mask", "2", "qko")
def ratio_unmasked(s: WeightsScene, q: int, k: int, o: int) -> Judgement:
    return (True, {}) if row_sees(s, q) < N and s.sees(q, k) and s.sees(q, o) and k < o else None


@claim("unmask", "mask", "2", "qk")
def same_unmasked(s: WeightsScene, q: int, k: int) -> Judgement:
    return (row_sees(s, q) == N, {}) if s.mask is not None and s.sees(q, k) else None


@claim("change", "mask", "3", "qk")
def layer_change(s: WeightsScene, q: int, k: int) -> Judgement:
    return not s.sees(q, k), {"w": number(s.a[q, k])}


@claim("layers", "layers", "3", "k", never=True)
def only_token(s: WeightsScene, k: int) -> Judgement:
    return False, {}


CLAIMS = claims_of(vars())
