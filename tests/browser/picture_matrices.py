"""What the picture's tests draw: the first page's numbers, and a large example."""

import math
import random

import torch

from attention import causal_mask, multi_head_attention
from pages import picture as p
from pages.draw.texts import Texts

# The texts of the app, and short ones where a test looks for them.
TEXTS = Texts("en", "one_head").section("picture") | {
    "point": "Point at a cell to see how it was made.",
    "point_short": "Point at a cell.",
    "edit": "Drag sideways, or type.",
    "edit_block": "Drag a number sideways, type or paste.",
    "mask_cell": "{matrix}: {row} may attend to {column}",
    "not_a_number": "“{entry}” is not a number.",
    "entry_too_long": "“{entry}” has {length} characters.",
    "too_large": "“{entry}” is larger than {limit}.",
    "paste_shape": "{rows} × {cols} numbers do not fit into {room_rows} × {room_cols} cells.",
    "token_empty": "A token needs a name.",
    "token_too_long": "The name has {length} characters; {limit} are the most.",
    "token_name": "Name of token {i}",
    "identity": "Identity matrix",
    "normal": "Seeded normal numbers",
    "copy": "Copy",
    "offline": "The server is slow to answer. Your numbers are kept.",
    "follow_help": "The other rows are dimmed.",
    "remove_column": "Remove a column",
}
MENU = ("zeros", "identity", "normal", "round_1", "round_2")
STEPS = [
    p.PanelStep("query", "Query", "Q = X · W_Q", "What each token looks for.", "query = x @ w_q"),
    p.PanelStep("key", "Key", "K = X · W_K", "What each token can be found by.", "key = x @ w_k"),
    p.PanelStep("value", "Value", "V = X · W_V", "What each token hands on.", "value = x @ w_v"),
    p.PanelStep(
        "scores", "Scores", "S = Q · K^T", "How well each query fits each key.", "scores = query @ key.mT"
    ),
    p.PanelStep(
        "scaled_scores", "Scaled scores", "S / √d_k", "Without it the softmax saturates.", "scores * scale"
    ),
    p.PanelStep(
        "masked_scores", "Masked scores", "causal", "The future is hidden.", "scores.masked_fill(~mask, -inf)"
    ),
    p.PanelStep(
        "weights", "Attention weights", "A = softmax(S / √d_k)", "Each row sums to 1.", "softmax(scores, -1)"
    ),
    p.PanelStep(
        "output",
        "Output",
        "O = A · V",
        "Row i of the output is a mixture of the rows of V; the shares are row i of the attention weights.",
        "output = weights @ value",
    ),
]
START = {
    "x": [[1, 0.5, 0.2, 0.1], [0.3, 1.2, 0.8, 0.4], [0.6, 0.1, 1.5, 0.9]],
    "w_q": [[1, 0, 0.5, 0.2], [0.1, 1, 0.3, 0.1], [0.2, 0.1, 1, 0.4], [0, 0.2, 0.1, 1]],
    "w_k": [[0.8, 0.1, 0.3, 0.2], [0.2, 0.9, 0.1, 0.3], [0.1, 0.2, 1.1, 0.1], [0.3, 0.1, 0.2, 0.8]],
    "w_v": [[1.1, 0.2, 0.1, 0.3], [0.1, 1, 0.2, 0.4], [0.3, 0.1, 1.2, 0.2], [0.2, 0.3, 0.1, 1]],
    "tokens": ["我", "爱", "猫"],
}
GLOSS = {"我": "I", "爱": "love", "猫": "cats"}


class Attention:
    """One head, or the concatenation of several, under the causal mask."""

    def __init__(self, now, heads=1):
        x, *weights = (torch.tensor(now[name], dtype=torch.float64) for name in ("x", "w_q", "w_k", "w_v"))
        names = dict(zip(("w_q", "w_k", "w_v"), weights, strict=True))
        trace = multi_head_attention(x, **names, num_heads=heads, mask=causal_mask(len(x)))
        self.query, self.key, self.value = (one.tolist() for one in (trace.query, trace.key, trace.value))
        steps = ("scores", "scaled_scores", "masked_scores", "weights", "output")
        self.heads = [[getattr(trace.head(head), step).tolist() for step in steps] for head in range(heads)]


def labels(now):
    return [f"{name} {GLOSS[name]}" if name in GLOSS else name for name in now["tokens"]]


def numbers(count):
    return [str(i + 1) for i in range(count)]


def inputs(now, **extra):
    x = now["x"]
    grow = {
        "rows": {"add": len(x) < 12, "remove": len(x) > 1},
        "cols": {"add": True, "remove": len(x[0]) > 1},
    }
    shape = f"{len(x)} × {len(x[0])}"
    matrix = p.Matrix("x", "X", labels(now), numbers(len(x[0])), x).looking(subtitle=shape)
    yield matrix.to_edit(menu=MENU, names="tokens", tokens=now["tokens"], grow=grow)
    for name in ("w_q", "w_k", "w_v"):
        w = now[name]
        title, shape = f"W_{name[-1].upper()}", f"{len(w)} × {len(w[0])}"
        matrix = p.Matrix(name, title, numbers(len(w)), numbers(len(w[0])), w)
        yield matrix.looking(subtitle=shape, **extra).to_edit(menu=MENU)


def nine(now, empty=False):
    rows, n, width = labels(now), len(now["x"]), len(now["x"][0])
    dims = numbers(len(now["w_q"][0]))
    trace = Attention(now)
    scores, scaled, masked, weights, output = trace.heads[0]
    hidden = [(r, c) for r in range(n) for c in range(n) if c > r]

    def computed(name, title, cols, values, recipe, **extra):
        extra = {"query_rows": name not in ("key", "value")} | extra
        values = None if empty else values
        return p.Matrix(name, title, rows, cols, values, recipe=recipe, step_name=name).having(**extra)

    yield from inputs(now)
    for name, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
        recipe = p.product("x", f"w_{letter.lower()}", width)
        yield computed(name, letter, dims, getattr(trace, name), recipe, subtitle=f"X · W_{letter}")
    keys = now["tokens"]
    of = p.product("query", "key", len(dims), right_transposed=True)
    yield computed("scores", "S", keys, scores, of, subtitle="Q · K^T")
    by = p.divide("scores", math.sqrt(len(dims)), f"√{len(dims)}")
    yield computed("scaled_scores", "scaled", keys, scaled, by, subtitle=f"S / √{len(dims)}")
    mask = p.masked_from("scaled_scores")
    yield computed("masked_scores", "masked", keys, masked, mask, masked=hidden, subtitle="causal")
    soft = p.softmax("masked_scores")
    yield computed("weights", "A", keys, weights, soft, kind="weights", subtitle="softmax")
    yield computed("output", "O", dims, output, p.product("weights", "value", n), subtitle="A · V")


CHAIN = ["scores", p.Arrow("÷ √d_k"), "scaled_scores", p.Arrow("mask"), "masked_scores", p.Arrow("softmax")]
CROSSING = p.Grid([[None, "w_q", "w_k", "w_v"], ["x", "query", "key", "value"]])
NINE = [CROSSING, p.Flow([*CHAIN, "weights", p.Arrow("· V"), "output"])]


def twelve(now, drawing=2, heads=8):
    """12 tokens, width 16 and 8 heads."""
    rows, n = labels(now), len(now["x"])
    trace, dims, width = Attention(now, heads), numbers(16), 16 // heads
    block = (drawing * width, (drawing + 1) * width)
    scores, scaled, masked, weights, output = trace.heads[drawing]
    concatenated = [[v for head in trace.heads for v in head[4][r]] for r in range(n)]
    hidden = [(r, c) for r in range(n) for c in range(n) if c > r]
    yield from inputs(now, marked=block)
    for name, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
        recipe = p.product("x", f"w_{letter.lower()}", 16)
        yield p.Matrix(name, letter, rows, dims, getattr(trace, name), recipe=recipe, step_name=name).looking(
            marked=block
        )
    recipe = p.product(
        "query", "key", width, left_start=block[0], right_start=block[0], right_transposed=True
    )
    yield p.Matrix("scores", "S", rows, rows, scores, recipe=recipe, step_name="scores").looking(
        query_rows=True
    )
    recipe = p.divide("scores", math.sqrt(width), f"√{width}")
    yield p.Matrix("scaled_scores", "scaled", rows, rows, scaled, recipe=recipe, step_name="scaled_scores")
    recipe = p.masked_from("scaled_scores")
    yield p.Matrix(
        "masked_scores", "masked", rows, rows, masked, recipe=recipe, masked=hidden, step_name="masked_scores"
    )
    recipe = p.softmax("masked_scores")
    yield p.Matrix("weights", "A", rows, rows, weights, "weights", recipe, "weights")
    recipe = p.product("weights", "value", n, col_start=block[0])
    yield p.Matrix(
        "head_output", f"O_{drawing + 1}", rows, numbers(width), output, recipe=recipe, step_name="output"
    )
    recipe = p.copy(*((f"output_{h}", h * width, width) for h in range(heads)))
    yield p.Matrix("concatenated", "O", rows, dims, concatenated, recipe=recipe, step_name="output").looking(
        marked=block
    )
    for h, head in enumerate(trace.heads):
        small = p.Matrix(f"weights_{h}", f"A_{h + 1}", rows, rows, head[3], "weights")
        yield small.looking(size="thumbnail", choose=h, chosen=h == drawing)


TWELVE = [
    CROSSING,
    p.Flow([*CHAIN, "weights", p.Arrow("· V"), "head_output"]),
    p.Flow([p.Group([f"weights_{h}" for h in range(8)], "A"), "concatenated"]),
]


def large_start(tokens=12, width=16):
    draw = random.Random(0)
    start = {
        name: [[round(draw.gauss(0, 0.5), 1) for _ in range(width)] for _ in range(width)] for name in START
    }
    start["x"] = start["x"][:tokens]
    return start | {"tokens": [f"t{i + 1}" for i in range(tokens)]}


def mask_case(now):
    mask = [[[r, c] not in now["blocked"] for c in range(3)] for r in range(3)]
    rows = labels(now)
    yield p.Matrix("mask", "M", rows, now["tokens"], mask, "mask").to_edit()
    d_k = p.Matrix("d_k", "d_k", [""], [""], [[now["d_k"]]], "plain")
    yield d_k.to_edit(integer=True, log=True, low=1, high=512, step=0.2)
    yield p.Matrix("facts", "facts", ["a", "b"], ["is"], [["yes"], ["<b>no</b>"]], "text")
    yield p.Matrix("ask", "?", ["1"], ["a", "b"], [[0.5, math.nan]], "plain").looking(clickable=True)


MASK = [p.Flow(["mask", "d_k", "facts", "ask"])]
