"""Traces and attention weights to be read: names, shapes and numbers, in a terminal and in a notebook."""

import html
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from attention.errors import AttentionError
from attention.flash import FlashTrace
from attention.multi_head import BEFORE_SCORES, MultiHeadTrace
from attention.scaled_dot_product import AttentionTrace, latest
from attention.spelling import as_tensor
from attention.tables import CUT, THRESHOLD, Table, as_html, as_text, indices, name_at, printable, slices

WEIGHTS = ("weights", "dropped_weights")
AFTER_MASK = ("masked_scores", *WEIGHTS)  # the steps in which a masked cell looks masked
OF_HEADS = (*BEFORE_SCORES, "head_output")  # steps of MultiHeadTrace with a dimension for the heads
OF_KEYS = ("key", "value", "normalized_key", "rotated_key")  # steps with a row for each key
MOST_ROWS = 5  # that are named as wrong
Trace = AttentionTrace | MultiHeadTrace | FlashTrace


class TokenNames(NamedTuple):
    """The tokens of the queries and of the keys; empty: they are numbered."""

    queries: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


NUMBERED = TokenNames()


@dataclass(frozen=True, eq=False)
class Section:
    """One step: a heading, notes on it, and its matrices, with CUT in place of rows that are left out."""

    heading: str
    matrices: list[Table | None]
    notes: tuple[str, ...] = ()


class Shown:
    """What `show` shows: str gives the text, and a notebook takes the tables.

    A notebook displays the value of a cell's last line. Where that is what show has just displayed, it is not
    displayed once more; in any other cell it is.
    """

    def __init__(self, sections: tuple[Section, ...]):
        self._sections = sections
        self._displayed_in: int | None = None  # the number of the cell

    def __str__(self) -> str:
        return "\n\n".join(map(_text, self._sections))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(map(_html, self._sections))

    def _ipython_display_(self) -> None:
        ipython = sys.modules["IPython"]  # who calls this has it
        shell = ipython.get_ipython()
        cell = None if shell is None else shell.execution_count
        if cell is None or cell != self._displayed_in:
            forms = {"text/plain": str(self), "text/html": self._repr_html_()}
            ipython.display.display(forms, raw=True)
            self._displayed_in = cell


def show(
    trace: Trace | Tensor | Sequence[Tensor],
    *,
    tokens: Sequence[str] | None = None,
    key_tokens: Sequence[str] | None = None,
) -> Shown:
    """Shows every step of a trace, or attention weights: as text in a terminal, as tables in a notebook.

    trace is what scaled_dot_product_attention, multi_head_attention or flash_attention returns, or weights
    (..., q_len, kv_len) of any model: a tensor, an array, or a list of them, one for each layer. Rows that do
    not sum to 1 are named. tokens are the texts of the queries; key_tokens of the keys, by default the same.

    A large tensor is shortened as torch shortens it. In a script and in a notebook it is shown at once; at
    Python's own prompt as the value of the line. What comes back can be turned into text with str.

    Raises AttentionError for anything else, and where there are more or fewer tokens than rows or columns.
    """
    queries = tuple(map(printable, tokens or ()))
    names = TokenNames(queries, queries if key_tokens is None else tuple(map(printable, key_tokens)))
    result = Shown(tuple(_sections(trace, names)))
    ipython = sys.modules.get("IPython")  # loaded wherever it runs, and not needed elsewhere
    if ipython is not None and ipython.get_ipython() is not None:
        result._ipython_display_()
    elif not hasattr(sys, "ps1"):  # at its prompt, Python prints the value by itself
        print(result)
    return result


def _text(section: Section) -> str:
    lines = [section.heading, *section.notes]
    for matrix in section.matrices:
        if matrix is CUT:
            lines.append("  …")
        else:
            lines += [f" {matrix.title}"] if matrix.title else []
            lines.append(as_text(matrix))
    return "\n".join(lines)


def _html(section: Section) -> str:
    tables = "".join("<div>…</div>" if matrix is CUT else as_html(matrix) for matrix in section.matrices)
    heading = f'<div style="margin:.6em 0 .2em;font-weight:bold">{html.escape(section.heading)}</div>'
    heading += "".join(f"<div>{html.escape(note)}</div>" for note in section.notes)
    return f'{heading}<div style="overflow-x:auto">{tables}</div>'


# ---- the steps


def _sections(trace: object, names: TokenNames) -> Iterator[Section]:
    if isinstance(trace, FlashTrace):
        names = TokenNames(names.queries)  # no table has a column for each key
        _check_counts(names, trace.logsumexp.shape[-1], 0)
        yield from _flash(trace, names)
    elif isinstance(trace, (AttentionTrace, MultiHeadTrace)):
        heads = trace.heads if isinstance(trace, MultiHeadTrace) else trace
        _check_counts(names, *heads.scores.shape[-2:])
        yield from _steps(trace, heads, names)
    else:
        yield from _weights(trace, names)


def _check_counts(names: TokenNames, q_len: int, kv_len: int) -> None:
    """There is a token for each row and each column, or none at all."""
    counts = {"queries": (names.queries, q_len), "keys": (names.keys, kv_len)}
    for axis, (tokens, count) in counts.items():
        if tokens and len(tokens) != count:
            argument = "key_tokens" if axis == "keys" and len(names.queries) in (0, q_len) else "tokens"
            raise AttentionError("tokens_differ", argument, count=len(tokens), expected_count=count)


def _steps(
    trace: AttentionTrace | MultiHeadTrace, heads: AttentionTrace, tokens: TokenNames
) -> Iterator[Section]:
    """All steps; heads has the scores."""
    masked = heads.masked_scores == -math.inf
    if heads.mask is not None:
        masked = masked | ~heads.mask
    scores_of_heads = {step.name for step in heads.steps()} - {"query", "key", "value", "output"}
    for name, value in trace.steps():
        names: tuple[str, ...] = ("batch",)
        if trace is heads:
            names = _leading(value)
        elif name in scores_of_heads or name in OF_HEADS:
            names = ("batch", "head")
        note = f", scale {heads.scale:.4g}" if name == "scaled_scores" else ""
        if name == ("output" if trace is heads else "head_output"):
            note = _note_on_nan(heads)
        rows = tokens.keys if name in OF_KEYS else tokens.queries
        of_cells = TokenNames(rows, tokens.keys if name in scores_of_heads else ())
        yield _section(name, value, masked if name in AFTER_MASK else None, names, note, of_cells)


def _note_on_nan(heads: AttentionTrace) -> str:
    """Why a masked row of value can spoil the output."""
    spoilt = ~heads.value.isfinite().all(dim=-1)  # (..., kv_len)
    weights = latest(heads.weights, heads.dropped_weights)
    masked = ((weights == 0) & spoilt[..., None, :]).any()
    return ": a weight of 0 times ∞ or NaN in value is NaN" if masked else ""


def _section(
    name: str,
    value: Tensor,
    masked: Tensor | None = None,
    names: tuple[str, ...] = (),
    note: str = "",
    tokens: TokenNames = NUMBERED,
) -> Section:
    heading = f"{name} {tuple(value.shape)}{note}"
    title = name if value.ndim > 2 else ""  # of a single matrix, the heading says it
    return Section(heading, slices(title, value, masked, *tokens, weights=name in WEIGHTS, names=names))


def _flash(trace: FlashTrace, tokens: TokenNames) -> Iterator[Section]:
    """The state of the rows of each tile, and the result of all."""
    shortened = len(trace.tiles) * trace.block_q * trace.block_k > THRESHOLD
    for at in indices(len(trace.tiles), shortened):
        if at is CUT:
            yield Section("…", [])
            continue
        tile = trace.tiles[at]
        rows, columns = (f"{part.start}:{part.stop}" for part in (tile.rows, tile.columns))
        heading = f"tile {at}: rows {rows}, columns {columns}"
        if tile.skipped:
            yield Section(f"{heading}, skipped: masked throughout", [])
            continue
        matrices = []
        for name in ("running_maximum", "running_sum", "rescale_factor", "partial_output"):
            value = getattr(tile, name)
            value = value if name == "partial_output" else value.unsqueeze(-1)
            matrices += slices(name, value, None, tokens.queries[tile.rows], names=_leading(value))
        yield Section(heading, matrices)
    yield _section("output", trace.output, names=_leading(trace.output), tokens=TokenNames(tokens.queries))
    column = trace.logsumexp.unsqueeze(-1)
    heading = f"logsumexp {tuple(trace.logsumexp.shape)}"
    yield Section(heading, slices("logsumexp", column, None, tokens.queries, names=_leading(column)))


def _leading(value: Tensor) -> tuple[str, ...]:
    """What the leading dimensions of attention by itself count: with three dimensions that is not known."""
    return ("batch", "head") if value.ndim == 4 else ()


# ---- weights of any model


def _weights(weights: object, tokens: TokenNames) -> Iterator[Section]:
    """One tensor, or one for each layer."""
    if fits := weights_in(weights):
        raise AttentionError("weights_inside", "trace", type=type(weights).__name__, fits=fits)
    if isinstance(weights, (list, tuple)) and any(hasattr(layer, "shape") for layer in weights):
        for index, layer in enumerate(weights):
            yield _of_layer(layer, f"weights[{index}]", tokens)
    else:
        yield _of_layer(weights, "weights", tokens)


INSIDE = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions", "attn_weights")


def weights_in(source: object, name: str = "trace") -> str:
    """Where the weights are in what a model of transformers returns, or its generate; empty if nowhere.

    generate returns for each new token the weights of each layer.
    """
    if isinstance(source, (list, tuple)) and source and isinstance(source[0], (list, tuple)):
        nested = bool(source[0]) and hasattr(source[0][0], "shape")
        return f"{name}[0]" if nested else ""
    for inside in INSIDE:
        if isinstance(source, Mapping) and source.get(inside) is not None:
            return weights_in(source[inside], f'{name}["{inside}"]') or f'{name}["{inside}"]'
        if not isinstance(source, Mapping) and (weights := getattr(source, inside, None)) is not None:
            return weights_in(weights, f"{name}.{inside}") or f"{name}.{inside}"
    return ""


def _of_layer(source: object, name: str, tokens: TokenNames) -> Section:
    weights = as_tensor(source)
    numbers = weights is not None and weights.layout is torch.strided and not weights.is_meta
    if weights is None or not numbers or weights.is_complex():
        raise AttentionError("not_a_trace", "trace", type=type(source).__name__)
    matrix = weights[None] if weights.ndim == 1 else weights
    if matrix.ndim < 2:
        raise AttentionError(
            "wrong_dimensions",
            "trace",
            shape=tuple(weights.shape),
            allowed="(..., q_len, kv_len)",
            fits="(..., q_len, kv_len)",
        )
    _check_counts(tokens, *matrix.shape[-2:])
    values = matrix.detach().cpu()
    tables = slices(
        name if values.ndim > 2 else "", values, None, *tokens, weights=True, names=_leading(values)
    )
    return Section(f"{name} {tuple(weights.shape)}", tables, tuple(notes_on(values, tokens.queries)))


def notes_on(weights: Tensor, tokens: Sequence[str] = ()) -> Iterator[str]:
    """Whatever attention weights cannot be: negative numbers, and rows that do not sum to 1."""
    numbers = weights.double()
    precision = torch.finfo(weights.dtype).eps if weights.is_floating_point() else 0.0
    tolerance = max(1e-3, 4 * precision)  # as far as sums of rounded weights are off
    if bool((numbers < 0).any()):
        yield "Some numbers are negative, which attention weights never are. Are these scores?"
    sums = numbers.sum(-1)
    wrong = ~((sums - 1).abs() <= tolerance)  # NaN is wrong too
    if not bool(wrong.any()):
        return
    columns = numbers.sum(-2)
    if bool(((columns - 1).abs() <= tolerance).all()):
        yield "The columns sum to 1, the rows do not: transposed, or the softmax ran over the queries."
    places = wrong.nonzero().tolist()
    rows = []
    for place in places[:MOST_ROWS]:
        leading = f"[{', '.join(map(str, place[:-1]))}] " if place[:-1] else ""
        token = f" “{name_at(tokens, place[-1])}”" if tokens else ""
        rows.append(f"{leading}row {place[-1]}{token}: {float(sums[tuple(place)]):.4g}")
    more = f"; and {len(places) - MOST_ROWS} more" if len(places) > MOST_ROWS else ""
    yield f"{len(places)} of {sums.numel()} rows do not sum to 1: {'; '.join(rows)}{more}."
