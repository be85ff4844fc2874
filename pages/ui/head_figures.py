"""The figures of the lesson on many heads: panels made of the trace's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from attention import MultiHeadTrace

from . import mistakes
from .compute import tensors_of
from .figures import StepView, numbers, places, product, signed, spoken, weights
from .head_facts import contributions, without_heads
from .heatmaps import Axis, Panel
from .numbers import short
from .settings import Settings
from .steps import Labels

# A cell's place on the way from X to the output: the query's token, the key's token, the head, the key/value
# head, the column of Q or K within its head, the column of V within its head, the column of the output.
COORDINATES = ("q", "j", "h", "g", "e", "v", "y")
# More columns than this in one row: small cells, colours alone.
PATH_COLUMNS = 24
Place = Callable[[int, int], dict[str, int]]


def block_labels(heads: int, width: int) -> tuple[str, ...]:
    """The columns of a wide matrix: 1.1, 1.2, 2.1, 2.2 for two heads of width 2."""
    return tuple(f"{head + 1}.{column + 1}" for head in range(heads) for column in range(width))


class HeadFigures:
    """Builds the figures for one trace."""

    def __init__(self, settings: Settings, trace: MultiHeadTrace, labels: Labels):
        self.settings, self.trace, self.labels = settings, trace, labels
        self.queries = Axis(labels.query_axis, labels.tokens)
        self.keys = Axis(labels.key_axis, labels.tokens)
        self.tokens = Axis(labels.token_axis, labels.tokens)
        self.model = Axis(labels.model_axis, tuple(str(i + 1) for i in range(settings.d_model)))
        outputs = trace.output.shape[-1]
        self.outputs = Axis(
            labels.model_axis if settings.num_heads > 1 else labels.value_dim_axis,
            tuple(str(i + 1) for i in range(outputs)),
        )
        mask = trace.heads.mask
        self.masked = None if mask is None else (~mask).tolist()
        self.weights = tensors_of(settings)

    # ---- all heads

    def head_weights(self) -> list[Panel]:
        """Every head's weights."""
        return [self._weights(f"A{h + 1}", w) for h, w in enumerate(self.trace.heads.weights)]

    def _weights(self, title: str, values: Tensor, lit: str = "") -> Panel:
        return weights(title, values, self.queries, self.keys, lit, self.masked)

    def compare(self) -> StepView:
        """Two heads side by side, and their difference."""
        a, b = self.settings.head, min(self.settings.other, self.settings.num_heads - 1)
        heads = self.trace.heads.weights
        first, second = (self._weights(f"A{h + 1}", heads[h], "cell") for h in (a, b))
        result = signed(f"A{a + 1} − A{b + 1}", heads[a] - heads[b], self.queries, self.keys)

        def arithmetic(row: int, col: int) -> str:
            x, y = first.values[row][col], second.values[row][col]
            return f"{short(x, 4)} − {short(y, 4)} = {short(result.values[row][col], 4)}"

        return StepView("compare", [first, second, result], arithmetic)

    def summary(self, mean: str, maximum: str) -> StepView:
        """Mean and maximum over the heads."""
        heads = self.trace.heads.weights
        first = self._weights(mean, heads.mean(dim=0), "cell")
        result = self._weights(maximum, heads.amax(dim=0))

        def arithmetic(row: int, col: int) -> str:
            each = [short(w, 4) for w in heads[:, row, col].tolist()]
            average = short(first.values[row][col], 4)
            return (
                f"({' + '.join(each)}) / {len(each)} = {average} \u2003 "
                f"max({', '.join(each)}) = {short(result.values[row][col], 4)}"
            )

        return StepView("summary", [first, result], arithmetic)

    # ---- split and join

    def wide_query(self) -> StepView:
        """Q for all heads, before anything says whose columns are whose."""
        wide = self.trace.query
        side = Axis(self.labels.key_dim_axis, tuple(str(i + 1) for i in range(wide.shape[-1])))
        x = signed("X", self.trace.query_input, self.queries, self.model, "row")
        w_q = signed("W_Q", self.weights["w_q"], self.model, side, "col")
        q = signed("Q", wide, self.queries, side)
        b_q = self.settings.b_q
        return StepView("wide_query", [x, w_q, q], product(x, w_q, q, b_q))

    def path(self) -> tuple[list[list[Panel]], list[list[Place]]]:
        """From X to the output, row by row, and each cell's coordinates on the way."""
        rows = [self._projection(), self._heads_of_projection(), self._attention(), self._join()]
        panels = [[panel for panel, _ in row] for row in rows]
        if max(sum(len(panel.cols.labels) for panel in row) for row in panels) > PATH_COLUMNS:
            panels = [[replace(panel, dense=True) for panel in row] for row in panels]
        return panels, [[place for _, place in row] for row in rows]

    def _which(self) -> tuple[str, int, int, Tensor]:
        """Letter, number of heads and width of the projection that is shown, and its wide result."""
        s = self.settings
        heads = s.num_heads if s.projection == "query" else s.kv_heads
        width = s.value_dim if s.projection == "value" else s.head_dim
        return s.projection[0].upper(), heads, width, getattr(self.trace, s.projection)

    def _column(self, letter: str, width: int, column: int) -> dict[str, int]:
        """The coordinates of a column of the wide projection."""
        head, inside = divmod(column, width)
        if letter == "Q":
            return {"h": head, "g": head * self.settings.kv_heads // self.settings.num_heads, "e": inside}
        return {"g": head, ("v" if letter == "V" else "e"): inside}

    def _projection(self) -> list[tuple[Panel, Place]]:
        letter, heads, width, wide = self._which()
        side = Axis(self.labels.heads_axis, block_labels(heads, width))
        token = "q" if letter == "Q" else "j"
        rows = self.queries if letter == "Q" else replace(self.keys)
        x = (signed("X", self.trace.query_input, rows, self.model), lambda r, c: {token: r})
        w = self.weights[f"w_{letter.lower()}"]

        def columns(r: int, c: int) -> dict[str, int]:
            return self._column(letter, width, c)

        if self.settings.writing == "wide":
            result = signed(letter, wide, rows, side)
            return [
                x,
                (signed(f"W_{letter}", w, self.model, side), columns),
                (result, lambda r, c: columns(r, c) | {token: r}),
            ]
        return [x] + [
            (
                signed(f"W_{letter}{h + 1}", block, self.model, self._inside(h, width)),
                lambda r, c, h=h: columns(r, h * width + c),
            )
            for h, block in enumerate(w.chunk(heads, dim=-1))
        ]

    def _inside(self, head: int, width: int) -> Axis:
        return Axis(self.labels.heads_axis, tuple(f"{head + 1}.{c + 1}" for c in range(width)))

    def _heads_of_projection(self) -> list[tuple[Panel, Place]]:
        letter, heads, width, wide = self._which()
        token = "q" if letter == "Q" else "j"
        rows = self.queries if letter == "Q" else self.keys
        return [
            (
                signed(f"{letter}{h + 1}", block, rows, self._inside(h, width)),
                lambda r, c, h=h: self._column(letter, width, h * width + c) | {token: r},
            )
            for h, block in enumerate(wide.unflatten(-1, (heads, width)).transpose(-3, -2))
        ]

    def _group(self, head: int) -> dict[str, int]:
        return {"h": head, "g": head * self.settings.kv_heads // self.settings.num_heads}

    def _attention(self) -> list[tuple[Panel, Place]]:
        return [
            (panel, lambda r, c, h=h: self._group(h) | {"q": r, "j": c})
            for h, panel in enumerate(self.head_weights())
        ]

    def _join(self) -> list[tuple[Panel, Place]]:
        s, trace = self.settings, self.trace
        side = Axis(self.labels.heads_axis, block_labels(s.num_heads, s.value_dim))

        def inside(column: int) -> dict[str, int]:
            head, value = divmod(column, s.value_dim)
            return self._group(head) | {"v": value}

        joined = signed("O", trace.concatenated, self.queries, side)
        panels: list[tuple[Panel, Place]] = [(joined, lambda r, c: inside(c) | {"q": r})]
        if s.num_heads > 1:
            w_o = signed("W_O", self.weights["w_o"], side, self.outputs)
            panels.append((w_o, lambda r, c: inside(r) | {"y": c}))
            result = signed("Y", trace.output, self.queries, self.outputs)
            panels.append((result, lambda r, c: {"q": r, "y": c}))
        return panels

    # ---- switched off

    def parts(self) -> StepView:
        """Each head's part of the output, and their sum."""
        each = contributions(self.trace, self.weights.get("w_o"))
        sources = [
            signed(f"O{h + 1}·W_O{h + 1}", part, self.queries, self.outputs, "cell")
            for h, part in enumerate(each)
        ]
        result = signed("Y", self.trace.output, self.queries, self.outputs)
        b_o = self.settings.b_o if self.settings.num_heads > 1 else None

        def arithmetic(row: int, col: int) -> str:
            terms = [short(panel.values[row][col], 4) for panel in sources]
            terms += [] if b_o is None else [short(b_o[col], 4)]
            return " + ".join(terms) + f" = {short(result.values[row][col], 4)}"

        return StepView("parts", [*sources, result], arithmetic)

    def output_rows(self) -> StepView:
        """W_O, its rows named by the head they belong to; the rows of heads that are off are struck out."""
        s = self.settings
        side = Axis(self.labels.heads_axis, block_labels(s.num_heads, s.value_dim))
        panel = signed("W_O", self.weights["w_o"], side, self.outputs)
        hidden = [[row // s.value_dim in s.off] * len(self.outputs.labels) for row in range(len(side.labels))]
        return StepView("output_rows", [replace(panel, masked=hidden)], lambda row, col: "")

    def ablation(self, titles: tuple[str, str, str]) -> StepView:
        """The output with all heads, without those that are off, and what is lost."""
        less = without_heads(self.trace, self.weights.get("w_o"), self.settings.off)
        whole, kept = (
            signed(title, values, self.queries, self.outputs, "cell")
            for title, values in zip(titles, (self.trace.output, less), strict=False)
        )
        kept = replace(kept, bound=whole.bound)
        lost = signed(titles[2], self.trace.output - less, self.queries, self.outputs)
        lost = replace(lost, bound=whole.bound)

        def arithmetic(row: int, col: int) -> str:
            x, y = whole.values[row][col], kept.values[row][col]
            return f"{short(x, 4)} − {short(y, 4)} = {short(lost.values[row][col], 4)}"

        return StepView("ablation", [whole, kept, lost], arithmetic)

    # ---- view without transpose

    def wrong_split(self, titles: tuple[str, str, str]) -> StepView:
        """The output with heads split the right way, by a view alone, and the difference."""
        w = self.weights | {"w_o": self.weights.get("w_o"), "b_o": self.weights.get("b_o")}
        _, wrong = mistakes.multi_head_with_wrong_split(
            self.trace.query_input,
            **w,
            num_heads=self.settings.num_heads,
            mask=self.trace.heads.mask,
            scale=self.trace.heads.scale,
        )
        panels = [
            signed(titles[0], self.trace.output, self.queries, self.outputs, "cell"),
            signed(titles[1], wrong, self.queries, self.outputs, "cell"),
            signed(titles[2], self.trace.output - wrong, self.queries, self.outputs),
        ]
        right, off, difference = (panel.values for panel in panels)

        def arithmetic(row: int, col: int) -> str:
            x, y = short(right[row][col], 4), short(off[row][col], 4)
            return f"{x} − {y} = {short(difference[row][col], 4)}"

        return StepView("wrong_split", panels, arithmetic)


def origin_table(
    tokens: tuple[str, ...], heads: int, width: int, *, transpose: bool, axes: tuple[str, str]
) -> tuple[list[Panel], dict[str, list]]:
    """Where each cell of each head came from: panels, and their table with token and column as text.

    Ringed is what stands in another token's row, or in another head's columns.
    """
    origins = mistakes.origins(len(tokens), heads, width, transpose=transpose)
    panels = [
        signed(
            f"Q{h + 1}",
            torch.zeros(len(tokens), width),
            Axis(axes[0], tokens),
            Axis(axes[1], tuple(f"{h + 1}.{c + 1}" for c in range(width))),
        )
        for h in range(heads)
    ]
    view = StepView("origins", panels, lambda row, col: "")
    data = places(view, None) | numbers(view) | spoken(view)
    cells = origins.flatten(0, 2).tolist()
    places_right = mistakes.origins(len(tokens), heads, width, transpose=True).flatten(0, 2).tolist()
    data["t"] = [f"{_shortened(tokens[token])} {_label(column, width)}" for token, column in cells]
    data["s"] = [int(cell != right) for cell, right in zip(cells, places_right, strict=True)]
    return panels, data


def _shortened(token: str) -> str:
    return token if len(token) <= 3 else token[:2] + "…"


def _label(column: int, width: int) -> str:
    head, inside = divmod(column, width)
    return f"{head + 1}.{inside + 1}"


def path_table(rows: list[list[Panel]], at: list[list[Place]]) -> dict[str, list]:
    """The table of a figure of several rows, with every cell's coordinates; −1: on every way."""
    panels = [panel for row in rows for panel in row]
    view = StepView("path", panels, lambda row, col: "")
    data = places(view, None) | numbers(view)
    spots = [place for row in at for place in row]
    where = [spots[p](r, c) for p, r, c in zip(data["p"], data["r"], data["c"], strict=True)]
    return data | {name: [place.get(name, -1) for place in where] for name in COORDINATES} | spoken(view)
