"""A trace as matrices of a picture, each with how it was made. One method a step, named as the trace's step.

Queries are rows, keys are columns. With several heads the projections are drawn for all heads, with the
columns of the shown one marked; scores and weights are those of the shown head.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from attention import AttentionTrace, MultiHeadTrace
from pages.model.compute import angles_of, positions_of, trace_of

from . import inputs, picture
from .numbers import short
from .page import Page
from .picture import Matrix, nice_bound

Cells = list[list[int]]

ORDER = (
    "x_p",
    "query",
    "key",
    "value",
    "rotated_query",
    "rotated_key",
    "scores",
    "scaled_scores",
    "biased_scores",
    "masked_scores",
    "weights",
    "head_output",
    "concatenated",
    "output",
)


class Steps:
    """The matrices of one trace; `head` is the shown one."""

    def __init__(self, page: Page, trace: MultiHeadTrace, keys: tuple[str, ...] | None = None):
        """keys: the names of the keys, where they are not the page's tokens."""
        self.page, self.now, self.t, self.trace = page, page.now, page.t, trace
        self.head: AttentionTrace = trace.head(page.head)
        self.several = page.now.num_heads > 1
        self.queries = list(page.tokens)
        self.keys = self.queries if keys is None else list(keys)
        self.cross = keys is not None
        self.masked = hidden(self.head.mask)
        self.position = "none" if self.cross else page.now.position
        self.added = self.position in ("sinusoidal", "learned")  # X + P
        self.rotated = trace.rotated_query is not None
        self.biased = self.head.biased_scores is not None

    # ---- symbols and sizes

    def symbol(self, letter: str) -> str:
        """A matrix of the shown head; K and V are of the key/value head that serves it."""
        if not self.several:
            return letter
        index = self.now.kv_head(self.page.head) if letter[-1] in "KV" else self.page.head
        return f"{letter}_{index + 1}"

    def compared(self, letter: str) -> str:
        """Q or K as the scores take them: with a prime where they are rotated."""
        symbol = self.symbol(letter)
        return letter + "′" + symbol[1:] if self.rotated else symbol

    def divisor(self) -> str:
        d_k = self.now.head_dim
        named = {"sqrt_d_k": f"√{d_k}", "none": "1", "d_k": str(d_k)}
        return named.get(self.now.scaling) or short(self.now.own_divisor)

    # ---- positions

    def positions(self) -> Matrix:
        """P, a row for each place: learned ones to edit, waves computed."""
        if self.position == "learned":
            return inputs.matrix(self.page, "p")
        return self._of_x("p", "P", self.t("position.sinusoidal"), positions_of(self.now), None)

    def x_p(self) -> Matrix:
        """What the weight matrices get to see."""
        made = picture.add("x", "p")
        return self._of_x("x_p", "X + P", "", self.trace.query_input, made, step_name="x_p")

    def _of_x(self, name: str, title: str, subtitle: str, tensor, made: dict | None, **extra) -> Matrix:
        """A matrix with the shape of X."""
        return Matrix(
            id=name,
            title=title,
            subtitle=subtitle,
            rows=self.queries,
            cols=[str(i + 1) for i in range(self.now.d_model)],
            values=tensor.tolist(),
            made=made,
            query_rows=True,
            alt=self.t(f"title.{name}"),
            **extra,
        )

    def _rotated(self, name: str, letter: str, tensor: torch.Tensor, tokens: list[str]) -> Matrix:
        """Q or K of the shown head, its pairs turned by the position."""
        start, stop = inputs.block(self.now, self.page.head, letter)
        return Matrix(
            id=name,
            title=self.compared(letter.upper()),
            subtitle=self.t("position.turned", matrix=self.symbol(letter.upper())),
            rows=tokens,
            cols=[str(i + 1) for i in range(start, stop)],
            values=tensor.tolist(),
            offset=start,
            made=picture.rotate(name.removeprefix("rotated_"), angles_of(self.now).tolist(), start),
            query_rows=letter == "q",
            step_name=name,
            alt=self.t(f"title.{name}"),
        )

    def rotated_query(self) -> Matrix:
        return self._rotated("rotated_query", "q", self.head.query, self.queries)

    def rotated_key(self) -> Matrix:
        return self._rotated("rotated_key", "k", self.head.key, self.keys)

    def bias(self) -> Matrix:
        """ALiBi's bias of the shown head. It is no step: no number of X goes into it."""
        matrix = self._square("bias", "B", self.t("position.alibi"), self.head.bias)
        return replace(matrix, step_name=None)

    def biased_scores(self) -> Matrix:
        return self._square(
            "biased_scores",
            self.t("short.biased_scores"),
            "+ B",
            self.head.biased_scores,
            made=picture.add("scaled_scores", "bias"),
        )

    # ---- the steps

    def _projection(self, name: str, letter: str, tensor: torch.Tensor, tokens: list[str]) -> Matrix:
        count = tensor.shape[-1]
        start, stop = inputs.columns(self.now, self.page.head, letter, count)
        bias = f"b_{letter}" if getattr(self.now, f"b_{letter}") is not None else None
        source = "y" if self.cross and letter != "q" else "x_p" if self.added else "x"
        symbol = "(X + P)" if self.added else source.upper()
        return Matrix(
            id=name,
            title=letter.upper(),
            subtitle=f"{symbol} · W_{letter.upper()}" + (f" + b_{letter.upper()}" if bias else ""),
            rows=tokens,
            cols=[str(i + 1) for i in range(start, stop)],
            values=tensor[:, start:stop].tolist(),
            offset=start,
            marked=inputs.block(self.now, self.page.head, letter) if self.several else None,
            made=picture.product(source, f"w_{letter}", self.now.d_model, bias=bias),
            query_rows=letter == "q",
            step_name=name,
            alt=self.t(f"title.{name}"),
        )

    def query(self) -> Matrix:
        return self._projection("query", "q", self.trace.query, self.queries)

    def key(self) -> Matrix:
        return self._projection("key", "k", self.trace.key, self.keys)

    def value(self) -> Matrix:
        return self._projection("value", "v", self.trace.value, self.keys)

    def _square(self, name: str, title: str, subtitle: str, tensor: torch.Tensor, **extra) -> Matrix:
        """A matrix with a row per query and a column per key."""
        return Matrix(
            id=name,
            title=title,
            subtitle=subtitle,
            rows=self.queries,
            cols=self.keys,
            row_axis=self.t("axis.query"),
            col_axis=self.t("axis.key"),
            values=tensor.tolist(),
            query_rows=True,
            step_name=name,
            alt=self.t(f"title.{name}"),
            **extra,
        )

    def scores(self) -> Matrix:
        q, k = (inputs.block(self.now, self.page.head, letter)[0] for letter in "qk")
        left, right = ("rotated_query", "rotated_key") if self.rotated else ("query", "key")
        made = picture.product(
            left, right, self.now.head_dim, left_start=q, right_start=k, right_transposed=True
        )
        subtitle = f"{self.compared('Q')} · {self.compared('K')}^T"
        return self._square("scores", self.symbol("S"), subtitle, self.head.scores, made=made)

    def scaled_scores(self) -> Matrix:
        made = picture.divide("scores", self.now.divisor, self.divisor())
        subtitle = f"{self.symbol('S')} / {self.divisor()}"
        title = self.t("short.scaled_scores")
        return self._square("scaled_scores", title, subtitle, self.head.scaled_scores, made=made)

    def masked_scores(self) -> Matrix:
        tensor = self.head.masked_scores
        visible = tensor if self.head.mask is None else tensor[self.head.mask.expand_as(tensor)]
        kind = self.t(f"mask.{self.now.mask}") if not self.cross else self.t(f"mask.{self.now.cross_mask}")
        return self._square(
            "masked_scores",
            self.t("short.masked_scores"),
            kind,
            tensor,
            made=picture.masked_from("biased_scores" if self.biased else "scaled_scores"),
            masked=self.masked,
            bound=nice_bound([visible.flatten().tolist()]),
        )

    def weights(self) -> Matrix:
        return self._square(
            "weights",
            self.symbol("A"),
            "softmax",
            self.head.weights,
            kind="weights",
            made=picture.softmax("masked_scores"),
            masked=self._without_weight(),
        )

    def _without_weight(self) -> Cells | None:
        """Masked cells look masked where they got no weight; −10⁹ in a fully masked row gives them some."""
        if self.head.mask is None:
            return None
        return hidden(self.head.mask | (self.head.weights != 0))

    def _mixture(self, name: str, title: str) -> Matrix:
        v = inputs.block(self.now, self.page.head, "v")[0]
        width = self.head.output.shape[-1]
        return Matrix(
            id=name,
            title=title,
            subtitle=f"{self.symbol('A')} · {self.symbol('V')}",
            rows=self.queries,
            cols=[str(i + 1) for i in range(width)],
            values=self.head.output.tolist(),
            made=picture.product("weights", "value", len(self.keys), col_start=v),
            query_rows=True,
            step_name=name,
            alt=self.t(f"title.{name}"),
        )

    def head_output(self) -> Matrix:
        return self._mixture("head_output", self.symbol("O"))

    def concatenated(self) -> Matrix:
        """All heads' outputs side by side; only the shown head's are drawn one by one as well."""
        width, head = self.now.value_dim, self.page.head
        tensor = self.trace.concatenated
        return Matrix(
            id="concatenated",
            title=self.t("short.concatenated"),
            subtitle=f"O_1 … O_{self.now.num_heads}",
            symbol="O",
            rows=self.queries,
            cols=[str(i + 1) for i in range(tensor.shape[-1])],
            values=tensor.tolist(),
            marked=(head * width, (head + 1) * width),
            made=picture.copy(("head_output", head * width, width)),
            query_rows=True,
            step_name="concatenated",
            alt=self.t("title.concatenated"),
        )

    def output(self) -> Matrix:
        """The last step: of one head, or of all of them together."""
        if not self.several:
            return self._mixture("output", "O")
        bias = "b_o" if self.now.b_o is not None else None
        return Matrix(
            id="output",
            title=self.t("short.output"),
            subtitle="O · W_O" + (" + b_O" if bias else ""),
            symbol="Y",
            rows=self.queries,
            cols=[str(i + 1) for i in range(self.now.d_model)],
            values=self.trace.output.tolist(),
            made=picture.product("concatenated", "w_o", self.trace.concatenated.shape[-1], bias=bias),
            query_rows=True,
            step_name="output",
            alt=self.t("title.output"),
        )

    def names(self) -> list[str]:
        """The steps that the present settings have, in order."""
        absent = set() if self.several else {"head_output", "concatenated"}
        absent |= set() if self.added else {"x_p"}
        absent |= set() if self.rotated else {"rotated_query", "rotated_key"}
        absent |= set() if self.biased else {"biased_scores"}
        return [name for name in ORDER if name not in absent]

    def matrix(self, name: str) -> Matrix:
        return getattr(self, name)()

    def thumbnails(self) -> list[Matrix]:
        """The weights of every head, small; a click chooses the head."""
        weights, mask = self.trace.heads.weights, self.head.mask
        return [
            Matrix(
                id=f"head_weights_{head + 1}",
                title=f"A_{head + 1}",
                rows=self.queries,
                cols=self.keys,
                kind="weights",
                values=weights[head].tolist(),
                masked=None if mask is None else hidden(mask | (weights[head] != 0)),
                size="thumbnail",
                choose=head,
                chosen=head == self.page.head,
                query_rows=True,
                alt=self.t("steps.head", head=head + 1),
            )
            for head in range(self.now.num_heads)
        ]


def signed(name: str, title: str, tensor: torch.Tensor, rows: list[str], cols: list[str], **extra) -> Matrix:
    """A computed matrix of signed numbers."""
    return Matrix(id=name, title=title, rows=rows, cols=cols, values=tensor.tolist(), **extra)


def weights(name: str, title: str, tensor: torch.Tensor, rows: list[str], cols: list[str], **extra) -> Matrix:
    """A computed matrix of attention weights, on the scale from 0 to 1."""
    return Matrix(id=name, title=title, rows=rows, cols=cols, values=tensor.tolist(), kind="weights", **extra)


def masks(name: str, title: str, mask: torch.Tensor, rows: list[str], cols: list[str], **extra) -> Matrix:
    """A mask: which keys a query may attend to."""
    return Matrix(id=name, title=title, rows=rows, cols=cols, values=mask.tolist(), kind="mask", **extra)


def hidden(mask: torch.Tensor | None) -> Cells | None:
    """The cells of a mask that look masked."""
    return None if mask is None else (~mask).nonzero().tolist()


def of(page: Page) -> Steps:
    """The steps of self-attention on the learner's numbers."""
    return Steps(page, trace_of(page.now))
