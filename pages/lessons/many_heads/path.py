"""The way from X to the output through all heads, as matrices that know what they were made from."""

import math
from collections.abc import Sequence
from dataclasses import replace

from pages.draw import inputs, matrix
from pages.draw.numbers import confirmed, counted, short
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model.compute import divisor_of
from pages.picture import Arrow, Flow, Grid, GridRows, Group, Items, Matrix, copy, product, written

from . import scene

Bands = list[Grid | Flow]
PROJECTIONS = {"q": "query", "k": "key", "v": "value"}


def draw(page: Page, computation: Steps) -> tuple[list[Matrix], Bands]:
    """All matrices and their places. With too many columns only the shown head is drawn in full."""
    settings = page.settings
    start, bands = _wide(page, computation) if page.look.writing == "wide" else _small(page, computation)
    all_of_them = settings.num_heads * (2 * len(settings.tokens) + settings.value_dim) <= scene.ROOM
    heads = list(range(settings.num_heads)) if all_of_them else [page.head]
    matrices = [*start, *(matrix for head in heads for matrix in _head(page, computation, head))]
    groups = [
        Group([f"{name}_{head + 1}" for name in ("scores", "weights", "head_output")], "") for head in heads
    ]
    if not all_of_them:
        thumbnails = computation.thumbnails()
        matrices += thumbnails
        texts = page.t("overview.heads"), page.t("steps.click_one")
        groups.insert(0, Group([thumbnail.id for thumbnail in thumbnails], *texts))
    joined, last = _join(page, computation)
    return matrices + joined, [*bands, Flow(groups), last]


def all_columns(matrix: Matrix, values: Sequence, labels: list[str], **changes) -> Matrix:
    """The matrix with the columns of all heads, with these names and without marks."""
    return replace(matrix, values=values, cols=labels, offset=0, **changes).looking(marked=None)


def _labels(page: Page, letter: str) -> list[str]:
    settings = page.settings
    heads = settings.num_heads if letter == "q" else settings.kv_heads
    return scene.columns(heads, settings.value_dim if letter == "v" else settings.head_dim)


# ---- one wide projection


def _wide(page: Page, computation: Steps) -> tuple[list[Matrix], Bands]:
    """X, W_Q, W_K, W_V and below them Q, K, V, each for all heads."""
    matrices = [inputs.matrix(page, "x")]
    rows: GridRows = [[None, "w_q", "w_k", "w_v"]]
    if page.settings.b_q is not None:
        rows.append([None, "b_q", "b_k", "b_v"])
    for letter, name in PROJECTIONS.items():
        labels, marked = _labels(page, letter), inputs.block(page.settings, page.head, letter)
        for kind in ("w", "b")[: len(rows)]:
            matrix = inputs.matrix(page, f"{kind}_{letter}")
            values = getattr(page.settings, matrix.id)
            values = [values] if kind == "b" else values
            whole = all_columns(matrix, values, labels, title=matrix.symbol)
            matrices.append(whole.looking(marked=marked))
        whole = all_columns(computation[name], getattr(computation.trace, name).tolist(), labels)
        matrices.append(replace(whole, step_name=None).looking(marked=marked))
    return matrices, [Grid([*rows, ["x", "query", "key", "value"]])]


# ---- a small projection per head


def _small(page: Page, computation: Steps) -> tuple[list[Matrix], Bands]:
    """X, and for each head the columns of W_Q, W_K, W_V that are its own, with its Q, K and V."""
    matrices, rows = [inputs.matrix(page, "x")], GridRows([[None], ["x"]])
    biased = page.settings.b_q is not None
    if biased:
        rows.insert(1, [None])
    for letter, index in _order(page):
        weight, bias, result = f"w_{letter}_{index + 1}", f"b_{letter}_{index + 1}", _id(letter, index)
        matrices.append(_block(page, letter, index, "w", weight))
        if biased:
            matrices.append(_block(page, letter, index, "b", bias))
        matrices.append(_small_projection(page, computation, letter, index, bias if biased else None))
        for row, name in zip(rows, [weight, *([bias] if biased else []), result], strict=True):
            row.append(name)
    return matrices, [Grid(rows)]


def _order(page: Page) -> list[tuple[str, int]]:
    """Which projections are side by side: each key/value head comes after the queries that it serves."""
    settings = page.settings
    return [
        projection
        for kv_head in range(settings.kv_heads)
        for projection in (
            *(("q", head) for head in scene.kv_group(settings, kv_head)),
            ("k", kv_head),
            ("v", kv_head),
        )
    ]


def _id(letter: str, index: int) -> str:
    return f"{PROJECTIONS[letter]}_{index + 1}"


def _width(page: Page, letter: str) -> int:
    return page.settings.value_dim if letter == "v" else page.settings.head_dim


def _block(page: Page, letter: str, index: int, kind: str, name: str) -> Matrix:
    """A head's own columns of a weight matrix or of a bias."""
    width = _width(page, letter)
    whole = getattr(page.settings, f"{kind}_{letter}")
    rows = whole if kind == "w" else [whole]
    block = [row[index * width : (index + 1) * width] for row in rows]
    symbol = f"{'W' if kind == 'w' else 'b'}_{{{letter.upper()},{index + 1}}}"
    labels = counted(len(rows)) if kind == "w" else [page.t("inputs.bias_row")]
    return Matrix(name, symbol, labels, _labels(page, letter)[index * width : (index + 1) * width], block)


def _small_projection(page: Page, computation: Steps, letter: str, index: int, bias: str | None) -> Matrix:
    width = _width(page, letter)
    whole = getattr(computation.trace, PROJECTIONS[letter])
    return matrix.of(
        _id(letter, index),
        f"{letter.upper()}_{index + 1}",
        whole[:, index * width : (index + 1) * width],
        computation.queries if letter == "q" else computation.keys,
        _labels(page, letter)[index * width : (index + 1) * width],
        recipe=product("x", f"w_{letter}_{index + 1}", page.settings.d_model, bias=bias),
        query_rows=letter == "q",
    )


# ---- inside a head, and out of it


def _head(page: Page, computation: Steps, head: int) -> list[Matrix]:
    """A head's scores, attention weights and output."""
    settings, wide = page.settings, page.look.writing == "wide"
    kv_head, number = settings.kv_head(head), head + 1
    query, key, value = (
        ("query", "key", "value") if wide else (_id("q", head), _id("k", kv_head), _id("v", kv_head))
    )
    trace = computation.trace.head(head)
    q, k, v = (
        (head * settings.head_dim, kv_head * settings.head_dim, kv_head * settings.value_dim)
        if wide
        else (0, 0, 0)
    )
    recipe = product(query, key, settings.head_dim, left_start=q, right_start=k, right_transposed=True)
    title = f"S_{number}"
    scores = matrix.square(
        page, f"scores_{number}", title, trace.scores, recipe=recipe, masked=computation.masked
    )
    recipe = written(_softmax_texts(computation, head), [scores.id], "row")
    weights = scene.weights(computation, f"weights_{number}", f"A_{number}", trace.weights, recipe=recipe)
    cols = scene.columns(settings.num_heads, settings.value_dim)[
        head * settings.value_dim : (head + 1) * settings.value_dim
    ]
    recipe = product(weights.id, value, len(computation.keys), col_start=v)
    output = matrix.by_query(page, f"head_output_{number}", f"O_{number}", trace.output, cols, recipe=recipe)
    return [scores, weights, output]


def _softmax_texts(computation: Steps, head: int) -> list[list[str]]:
    """Each attention weight from its score: divided, masked, through the softmax."""
    trace = computation.trace.head(head)
    symbol, divisor = f"A{head + 1}", computation.divisor()
    tops = trace.masked_scores.amax(dim=-1, keepdim=True)
    totals = (trace.masked_scores - tops).exp().nan_to_num().sum(dim=-1).tolist()
    visible = None if trace.mask is None else trace.mask.expand_as(trace.weights).tolist()
    rows = zip(trace.scores.tolist(), trace.weights.tolist(), tops.squeeze(-1).tolist(), totals, strict=True)

    def text(row: int, col: int, score: float, weight: float, top: float, total: float) -> str:
        start = f"{symbol}[{computation.queries[row]}, {computation.keys[col]}] = "
        if visible is not None and not visible[row][col]:
            return f"{start}{short(weight, 4)} ({computation.t('path.masked')})"
        by = divisor_of(computation.settings)
        above, less, below = confirmed(
            lambda score, top, total: math.exp(score / by - top) / total,
            (score, top, total),
            weight,
        )
        return f"{start}exp({above} / {divisor} − ({less})) / {below} = {short(weight, 4)}"

    return [
        [
            text(r, c, score, weight, top, total)
            for c, (score, weight) in enumerate(zip(scores, weights, strict=True))
        ]
        for r, (scores, weights, top, total) in enumerate(rows)
    ]


def _join(page: Page, computation: Steps) -> tuple[list[Matrix], Flow]:
    """The heads' outputs side by side, times W_O."""
    settings = page.settings
    labels = scene.columns(settings.num_heads, settings.value_dim)
    blocks = [
        (f"head_output_{head + 1}", head * settings.value_dim, settings.value_dim)
        for head in range(settings.num_heads)
    ]
    concatenated = replace(
        computation["concatenated"], cols=labels, recipe=copy(*blocks), step_name=None
    ).looking(marked=None)
    w_o = replace(inputs.matrix(page, "w_o"), rows=labels).looking(marked_rows=None)
    bias = [inputs.matrix(page, "b_o")] if settings.b_o is not None else []
    output = replace(computation["output"], step_name=None)
    names: Items = [concatenated.id, Arrow("· W_O"), *(matrix.id for matrix in (w_o, *bias, output))]
    return [concatenated, w_o, *bias, output], Flow(names)
