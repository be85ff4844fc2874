"""Statements beyond one head: meaning and importance, which weights never show, two heads, W_O, layers."""

from attention.lab.weights import reading

from .bank import CLEAR, Judgement, claim, claims_of, number, row_sees
from .scene import WeightsScene

LARGE = 0.4  # a weight that invites one to read too much into it

# ---- meaning, reasons, importance


def _read_into(s: WeightsScene, q: int, k: int) -> Judgement:
    """A weight so large that one is tempted."""
    w = float(s.a[q, k])
    return (False, {"w": number(w)}) if LARGE <= w < 1 and k == reading.top_key(s.a, q, CLEAR) else None


@claim("meaning", "meaning", "12", "qk", never=True)
def same_meaning(s: WeightsScene, q: int, k: int) -> Judgement:
    return _read_into(s, q, k)


@claim("meaning", "meaning", "123", "qk", never=True)
def reason(s: WeightsScene, q: int, k: int) -> Judgement:
    return _read_into(s, q, k)


@claim("inputs", "inputs", "12", "qk", never=True)
def input_mix(s: WeightsScene, q: int, k: int) -> Judgement:
    return _read_into(s, q, k)


@claim("meaning", "meaning", "12", "k", never=True)
def importance(s: WeightsScene, k: int) -> Judgement:
    sums = s.a.sum(0)
    best = k == int(sums.argmax()) and bool(sums.topk(2).values.diff().abs() > 0.09)
    return (False, {"sum": number(sums[k])}) if best else None


@claim("meaning", "meaning", "13", "qo", never=True)
def certain(s: WeightsScene, q: int, o: int) -> Judgement:
    return (False, {}) if float(s.a[q].max() - s.a[o].max()) > 0.25 else None


@claim("meaning", "meaning", "3", "h", never=True)
def important_head(s: WeightsScene, h: int) -> Judgement:
    tops = s.weights.amax(-1).mean(-1)
    return (False, {"h": h + 1}) if float(tops[h] - tops[1 - h]) > 0.1 else None


# ---- two heads and W_O


@claim("sum", "heads", "3", "q", never=True)
def two_heads_sum(s: WeightsScene, q: int) -> Judgement:
    return False, {}


@claim("largest", "rows", "3", "hqk")
def head_top(s: WeightsScene, h: int, q: int, k: int) -> Judgement:
    """False for the key that the other head attends to most."""
    top, other = (reading.top_key(s.weights[i], q, CLEAR) for i in (h, 1 - h))
    if top is None or other is None or k not in (top, other):
        return None
    return k == top, {"h": h + 1, "top": top, "w": number(s.weights[h, q, top])}


@claim("heads", "heads", "3", "qk", never=True)
def heads_mean(s: WeightsScene, q: int, k: int) -> Judgement:
    a, b = (float(head[q, k]) for head in s.weights)
    return (False, {"mean": number((a + b) / 2)}) if abs(a - b) > 0.25 else None


@claim("heads", "heads", "3", "q")
def first_half(s: WeightsScene, q: int) -> Judgement:
    return (True, {}) if row_sees(s, q) > 1 else None


@claim("heads", "heads", "3", "", never=True)
def head_off(s: WeightsScene) -> Judgement:
    return False, {}


@claim("equal", "heads", "3", "q", never=True)
def same_in_heads(s: WeightsScene, q: int) -> Judgement:
    return (False, {}) if bool((s.weights[0, q] - s.weights[1, q]).abs().max() < 1e-9) else None


@claim("equal", "heads", "3", "qo")
def equal_layer(s: WeightsScene, q: int, o: int) -> Judgement:
    """True where all heads have equal rows, false where only the first one has."""
    if q > o or not reading.same_row(s.a, q, o):
        return None
    return reading.same_row(s.weights, q, o), {}


@claim("own", "heads", "3", "qk")
def one_hot_half(s: WeightsScene, q: int, k: int) -> Judgement:
    if reading.is_one_hot(s.a, q, k):
        return True, {"w": number(1)}
    return (False, {"w": number(s.a[q, k])}) if k == reading.top_key(s.a, q, CLEAR) else None


@claim("own", "heads", "3", "hqk", never=True)
def one_hot_layer(s: WeightsScene, h: int, q: int, k: int) -> Judgement:
    return (False, {"h": h + 1}) if reading.is_one_hot(s.weights[h], q, k) else None


@claim("heads", "heads", "3", "")
def swap_heads(s: WeightsScene) -> Judgement:
    return True, {}


@claim("nudge", "heads", "3", "qkf")
def other_half(s: WeightsScene, q: int, k: int, f: int) -> Judgement:
    """A value of the first head changes: the second half of the output stays, the first one does not."""
    w = float(s.a[q, k])
    return (not f, {"half": 1 if f else 2, "w": number(w)}) if w > 0 else None


CLAIMS = claims_of(vars())
