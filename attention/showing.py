"""A trace to be read: every step with its name, shape and numbers, in a terminal and in a notebook."""

import html
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from attention.errors import AttentionError
from attention.flash import FlashTrace
from attention.multi_head import BEFORE_SCORES, MultiHeadTrace
from attention.scaled_dot_product import AttentionTrace, latest
from attention.tables import CUT, THRESHOLD, Table, as_html, as_text, indices, slices

WEIGHTS = ("weights", "dropped_weights")
AFTER_MASK = ("masked_scores", *WEIGHTS)  # the steps in which a masked cell looks masked
OF_HEADS = (*BEFORE_SCORES, "head_output")  # steps of MultiHeadTrace with a dimension for the heads
Trace = AttentionTrace | MultiHeadTrace | FlashTrace


@dataclass(frozen=True, eq=False)
class Section:
    """One step: a heading, and its matrices, with CUT in place of rows that are left out."""

    heading: str
    matrices: list[Table | None]


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


def show(trace: Trace) -> Shown:
    """Shows every step of a trace: as text in a terminal, as coloured tables in a notebook.

    trace is what scaled_dot_product_attention, multi_head_attention or flash_attention returns. A large
    tensor is shortened as torch shortens it. In a script and in a notebook it is shown at once; at Python's
    own prompt as the value of the line. What comes back can be turned into text with str.

    Raises AttentionError for anything else than a trace.
    """
    result = Shown(tuple(_sections(trace)))
    ipython = sys.modules.get("IPython")  # loaded wherever it runs, and not needed elsewhere
    if ipython is not None and ipython.get_ipython() is not None:
        result._ipython_display_()
    elif not hasattr(sys, "ps1"):  # at its prompt, Python prints the value by itself
        print(result)
    return result


def _text(section: Section) -> str:
    lines = [section.heading]
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
    return f'{heading}<div style="overflow-x:auto">{tables}</div>'


# ---- the steps


def _sections(trace: object) -> Iterator[Section]:
    if isinstance(trace, FlashTrace):
        yield from _flash(trace)
    elif isinstance(trace, MultiHeadTrace):
        yield from _steps(trace, trace.heads)
    elif isinstance(trace, AttentionTrace):
        yield from _steps(trace, trace)
    else:
        raise AttentionError("not_a_trace", "trace", type=type(trace).__name__)


def _steps(trace: AttentionTrace | MultiHeadTrace, heads: AttentionTrace) -> Iterator[Section]:
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
        yield _section(name, value, masked if name in AFTER_MASK else None, names, note)


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
) -> Section:
    heading = f"{name} {tuple(value.shape)}{note}"
    title = name if value.ndim > 2 else ""  # of a single matrix, the heading says it
    return Section(heading, slices(title, value, masked, weights=name in WEIGHTS, names=names))


def _flash(trace: FlashTrace) -> Iterator[Section]:
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
            matrices += slices(name, value, names=_leading(value))
        yield Section(heading, matrices)
    yield _section("output", trace.output, names=_leading(trace.output))
    column = trace.logsumexp.unsqueeze(-1)
    heading = f"logsumexp {tuple(trace.logsumexp.shape)}"
    yield Section(heading, slices("logsumexp", column, names=_leading(column)))


def _leading(value: Tensor) -> tuple[str, ...]:
    """What the leading dimensions of attention by itself count: with three dimensions that is not known."""
    return ("batch", "head") if value.ndim == 4 else ()
