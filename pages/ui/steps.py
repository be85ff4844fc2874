"""From the trace to the steps on the screen: each with its sources, its result and its arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from attention import MultiHeadTrace

from .figures import StepView, nice_bound, product, signed, weights
from .heatmaps import Axis
from .numbers import short
from .settings import Settings
from .texts import Texts

SYMBOLS = {
    "x": "X",
    "y": "Y",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "b_q": "b_Q",
    "b_k": "b_K",
    "b_v": "b_V",
    "b_o": "b_O",
}


def token_names(t: Texts, settings: Settings) -> tuple[str, ...]:
    """The tokens as they are read: with their meaning where the language needs it."""
    return tuple(f"{token} {t.gloss(token)}".strip() for token in settings.tokens)


def axis_labels(t: Texts, settings: Settings) -> Labels:
    return Labels(
        token_names(t, settings),
        t("axis.query"),
        t("axis.key"),
        t("axis.token"),
        t("axis.model"),
        t("axis.key_dim"),
        t("axis.value_dim"),
        t("axis.concat"),
        t("axis.masked"),
        t("editor.bias_row"),
        t("axis.heads"),
    )


@dataclass(frozen=True)
class Labels:
    """The words on the axes, in the reader's language."""

    tokens: tuple[str, ...]
    query_axis: str
    key_axis: str
    token_axis: str
    model_axis: str
    key_dim_axis: str
    value_dim_axis: str
    concat_axis: str
    masked: str
    bias: str
    heads_axis: str


def _numbers(count: int, start: int = 0) -> tuple[str, ...]:
    return tuple(str(start + i + 1) for i in range(count))


class StepBuilder:
    """Builds the views of one trace. One method a step, named as the trace's step."""

    def __init__(self, settings: Settings, trace: MultiHeadTrace, labels: Labels):
        self.settings, self.trace, self.labels = settings, trace, labels
        self.head = trace.head(settings.head)
        followed = None if settings.row is None else (settings.row,)
        self.queries = Axis(labels.query_axis, labels.tokens, followed)
        self.keys_down = Axis(labels.key_axis, labels.tokens)
        self.keys_across = Axis(labels.key_axis, labels.tokens)
        self.inputs = Axis(labels.token_axis, labels.tokens)
        self.model = Axis(labels.model_axis, _numbers(settings.d_model))
        self.key_dims = Axis(labels.key_dim_axis, _numbers(settings.head_dim))
        self.value_dims = Axis(labels.value_dim_axis, _numbers(settings.value_dim))
        self.several = settings.num_heads > 1
        mask = self.head.mask
        self.masked = None if mask is None else (~mask).tolist()

    def head_weights(self) -> StepView:
        """All heads' weights as thumbnails; there is no result to trace."""
        n = self.settings.num_heads
        panels = [
            weights(
                f"{h + 1}", self.trace.heads.weights[h], self.queries, self.keys_across, masked=self.masked
            )
            for h in range(n)
        ]
        return StepView("heads", [replace(panel, small=True) for panel in panels], lambda row, col: "")

    def views(self) -> list[StepView]:
        names = ["query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights"]
        names += ["head_output", "concatenated", "output"] if self.several else ["output"]
        return [getattr(self, name)() for name in names]

    def _symbol(self, letter: str) -> str:
        """A matrix of the shown head; K and V are of the key/value head that serves it."""
        index = self.settings.kv_head if letter[-1] in "KV" else self.settings.head
        return f"{letter}{index + 1}" if self.several else letter

    def _input(self, letter: str) -> tuple[str, torch.Tensor, tuple[str, ...]]:
        """What is projected to Q, K or V: its symbol, its numbers, its tokens."""
        return "X", self.trace.query_input, self.labels.tokens

    def _projection(self, name: str, letter: str, rows: Axis, dims: Axis, tensor: torch.Tensor) -> StepView:
        s, width = self.settings, len(dims.labels)
        index = s.head if letter == "Q" else s.kv_head
        block = slice(index * width, (index + 1) * width)
        w = torch.tensor(getattr(s, f"w_{letter.lower()}"), dtype=torch.float64)[:, block]
        symbol, x, tokens = self._input(letter)
        inputs = Axis(self.labels.token_axis, tokens, rows.shown)
        panels = [
            signed(symbol, x, inputs, self.model, "row"),
            signed(self._symbol(f"W_{letter}"), w, self.model, dims, "col"),
        ]
        bias = getattr(s, f"b_{letter.lower()}")
        if bias is not None:
            bias = bias[block]
            one = Axis(self.labels.bias, (f"b_{letter}",))
            panels.append(signed(f"b_{letter}", torch.tensor([bias]), one, dims, "col"))
        panels.append(signed(self._symbol(letter), tensor, rows, dims))
        return StepView(name, panels, product(panels[0], panels[1], panels[-1], bias))

    def query(self) -> StepView:
        return self._projection("query", "Q", self.queries, self.key_dims, self.head.query)

    def key(self) -> StepView:
        return self._projection("key", "K", self.keys_down, self.key_dims, self.head.key)

    def value(self) -> StepView:
        return self._projection("value", "V", self.keys_down, self.value_dims, self.head.value)

    def scores(self) -> StepView:
        q = signed(self._symbol("Q"), self.head.query, self.queries, self.key_dims, "row")
        k = signed(f"{self._symbol('K')}⊤", self.head.key.T, self.key_dims, self.keys_across, "col")
        result = signed(self._symbol("S"), self.head.scores, self.queries, self.keys_across)
        return StepView("scores", [q, k, result], product(q, k, result))

    def scaled_scores(self) -> StepView:
        before = signed(self._symbol("S"), self.head.scores, self.queries, self.keys_across, "cell")
        result = signed("S / " + self._divisor(), self.head.scaled_scores, self.queries, self.keys_across)

        def arithmetic(row: int, col: int) -> str:
            divisor = short(self.settings.divisor, 4)
            return f"{short(before.values[row][col], 4)} / {divisor} = {short(result.values[row][col], 4)}"

        return StepView("scaled_scores", [before, result], arithmetic)

    def _divisor(self) -> str:
        d_k = self.settings.head_dim
        named = {"sqrt_d_k": f"√{d_k}", "none": "1", "d_k": str(d_k)}
        return named.get(self.settings.scaling) or short(self.settings.own_divisor)

    def masked_scores(self) -> StepView:
        before = signed(
            "S / " + self._divisor(), self.head.scaled_scores, self.queries, self.keys_across, "cell"
        )
        result = signed(
            self.labels.masked, self.head.masked_scores, self.queries, self.keys_across, masked=self.masked
        )
        open_scores = (
            [
                [v for v, hidden in zip(row, hides, strict=True) if not hidden]
                for row, hides in zip(result.values, self.masked or [], strict=True)
            ]
            if self.masked
            else result.values
        )
        result = replace(result, bound=nice_bound(open_scores))

        def arithmetic(row: int, col: int) -> str:
            now = short(result.values[row][col], 4)
            if self.masked and self.masked[row][col]:
                return f"{short(before.values[row][col], 4)} → {now}"
            return f"{now} = {now}"

        return StepView("masked_scores", [before, result], arithmetic)

    def weights(self) -> StepView:
        before = self.masked_scores().result
        before = replace(before, lit="row")
        result = weights(
            self._symbol("A"), self.head.weights, self.queries, self.keys_across, masked=self.masked
        )

        def arithmetic(row: int, col: int) -> str:
            scores = before.values[row]
            top = max(scores)
            if top == -math.inf:
                return "0"
            powers = [math.exp(s - top) for s in scores]
            shifted = f"exp({short(scores[col], 4)} − {short(top, 4)})"
            total = " + ".join(short(p, 4) for p in powers)
            return f"{shifted} / ({total}) = {short(result.values[row][col], 4)}"

        return StepView("weights", [before, result], arithmetic)

    def _mixture(self, name: str, title: str) -> StepView:
        a = weights(self._symbol("A"), self.head.weights, self.queries, self.keys_across, "row", self.masked)
        v = signed(self._symbol("V"), self.head.value, self.keys_down, self.value_dims, "col")
        result = signed(title, self.head.output, self.queries, self.value_dims)
        return StepView(name, [a, v, result], product(a, v, result))

    def head_output(self) -> StepView:
        return self._mixture("head_output", self._symbol("O"))

    def concatenated(self) -> StepView:
        s, trace = self.settings, self.trace
        width = s.value_dim
        sources = [
            signed(f"O{h + 1}", trace.heads.output[h], self.queries, self.value_dims, "cell", shift=h * width)
            for h in range(s.num_heads)
        ]
        concat = Axis(self.labels.concat_axis, _numbers(s.num_heads * width))
        result = signed("O", trace.concatenated, self.queries, concat)

        def arithmetic(row: int, col: int) -> str:
            return f"O{col // width + 1}[{col % width + 1}] = {short(result.values[row][col], 4)}"

        return StepView("concatenated", [*sources, result], arithmetic)

    def output(self) -> StepView:
        if not self.several:
            return self._mixture("output", "O")
        s = self.settings
        concat = Axis(self.labels.concat_axis, _numbers(s.num_heads * s.value_dim))
        o = signed("O", self.trace.concatenated, self.queries, concat, "row")
        w = signed("W_O", torch.tensor(s.w_o, dtype=torch.float64), concat, self.model, "col")
        panels = [o, w]
        if s.b_o is not None:
            panels.append(
                signed("b_O", torch.tensor([s.b_o]), Axis(self.labels.bias, ("b_O",)), self.model, "col")
            )
        result = signed("Y", self.trace.output, self.queries, self.model)
        return StepView("output", [*panels, result], product(o, w, result, s.b_o))
