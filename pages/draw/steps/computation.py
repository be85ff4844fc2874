"""One trace for a picture: its symbols, its names, and matrices of the shapes of several steps.

Queries are rows, keys are columns. With several heads the projections are drawn for all heads, with the
columns of the shown head marked; scores and weights belong to the shown head.
"""

import functools
import math
from typing import Any

from torch import Tensor

from attention import AttentionTrace, MultiHeadTrace
from attention.multi_head import BEFORE_SCORES
from pages.model.compute import needed, positions_of

from .. import arithmetic, inputs, matrix
from ..numbers import counted, short
from ..page import Page
from ..picture import Matrix, recipes

Cells = list[tuple[int, int]]

# Scaling → the divisor of the scores, the line of code, and the formula of the papers.
SCALED = {
    "sqrt_d_k": ("√{d_k}", "scores / math.sqrt(d_k)", r"S / \sqrt{{d_k}}"),
    "none": ("1", "scores", "S"),
    "d_k": ("{d_k}", "scores / d_k", "S / d_k"),
    "own": ("{own}", "scores / divisor", "S / c"),
}


class Computation:
    """The common base of the steps of a trace; `head` is the trace of the shown head."""

    def __init__(
        self,
        page: Page,
        trace: MultiHeadTrace,
        keys: tuple[str, ...] | None = None,
        head: AttentionTrace | None = None,
        *,
        softcap: float | None = None,
        dropout: float | None = None,
    ):
        """keys: their names, where they are not the page's tokens. head: the shown head's trace, where it is
        not one of `trace`. softcap, dropout: what the trace was computed with.
        """
        self.page, self.settings, self.t, self.trace = page, page.settings, page.t, trace
        self.head = trace.head(page.head) if head is None else head
        self.softcap, self.dropout = softcap, dropout
        self.several = page.settings.num_heads > 1
        self.queries = list(page.tokens)
        self.keys = self.queries if keys is None else list(keys)
        self.axes = page.axes
        self.cross = keys is not None
        self.masked = hidden(self.head.mask)
        self.position = "none" if self.cross else page.settings.position
        self.result = "Z"  # of several heads: Y is the second sequence
        self.added = self.position in ("sinusoidal", "learned")  # X + P
        # The changes of Q and K before the scores, in order: "rotated" if the trace has a rotated_query.
        queries = [name for name in BEFORE_SCORES if name.endswith("_query")]
        self.forms = tuple(
            name.removesuffix("_query") for name in queries if getattr(trace, name) is not None
        )
        self.biased = self.head.biased_scores is not None
        self.capped, self.cap = softcap is not None, softcap or math.inf
        # The sources of other steps: of the scores, the bias, the mask, and the mixture.
        self.scored = (self.before("query"), self.before("key"))
        self.unbiased = "softcapped_scores" if self.capped else "scaled_scores"
        self.unmasked = "biased_scores" if self.biased else self.unbiased
        self.mixing = "weights" if dropout is None else "dropped_weights"

    @functools.cached_property
    def has_empty_row(self) -> bool:
        """Whether a query is fully masked, so that its weights are all 0."""
        return self.head.mask is not None and not bool((self.head.weights != 0).any(-1).all())

    # ---- symbols and sizes

    def symbol(self, letter: str) -> str:
        """A matrix of the shown head; K and V are of the key/value head that serves it."""
        if not self.several:
            return letter
        index = self.settings.kv_head(self.page.head) if letter[-1] in "KV" else self.page.head
        return f"{letter}_{index + 1}"

    def compared(self, letter: str, form: str | None = None) -> str:
        """Q or K in one of its forms, by default as the scores take it: with a prime for each form."""
        primes = len(self.forms) if form is None else self.forms.index(form) + 1
        return letter + "′" * primes + self.symbol(letter)[1:]

    def before(self, name: str, form: str | None = None) -> str:
        """The matrix that a form of "query" or "key" is made from, by default the form that is scored."""
        forms = self.forms if form is None else self.forms[: self.forms.index(form)]
        return f"{forms[-1]}_{name}" if forms else name

    def scaled(self, form: int) -> str:
        """The scaling in one of the forms of SCALED."""
        return SCALED[self.settings.scaling][form].format(
            d_k=self.settings.head_dim, own=short(self.settings.own_divisor)
        )

    def divisor(self) -> str:
        return self.scaled(0)

    def source(self, letter: str) -> str:
        """The matrix that is multiplied by W_letter."""
        return "y" if self.cross and letter != "q" else "x_p" if self.added else "x"

    def offset(self, letter: str) -> str | None:
        """The bias that is added to a product with W_letter, if there is one."""
        name = f"b_{letter}"
        return name if getattr(self.settings, name) is not None else None

    def start(self, letter: str) -> int:
        """The first column of the shown head in Q, K or V."""
        return inputs.block(self.settings, self.page.head, letter)[0]

    # ---- matrices for several steps, which give them their names

    def of_x(self, title: str, subtitle: str, tensor: Tensor | None, recipe: dict | None = None) -> Matrix:
        """P or X + P, whose columns are no properties and have no names."""
        look: dict[str, Any] = {"subtitle": subtitle, "recipe": recipe}
        return matrix.by_query(self.page, "", title, needed(tensor), **look)

    def projection(self, letter: str) -> Matrix:
        """Q, K or V of all heads."""
        tensor = {"q": self.trace.query, "k": self.trace.key, "v": self.trace.value}[letter]
        start, stop = inputs.columns(self.settings, self.page.head, letter, tensor.shape[-1])
        source, bias = self.source(letter), self.offset(letter)
        symbol, weight = symbol_of(source), f"W_{letter.upper()}"
        return Matrix(
            id="",
            title=letter.upper(),
            rows=self.queries if letter == "q" else self.keys,
            cols=counted(stop)[start:],
            values=tensor[:, start:stop].tolist(),
            offset=start,
            recipe=recipes.product(source, f"w_{letter}", self.settings.d_model, bias=bias),
        ).looking(
            subtitle=f"{symbol} · {weight}" + (f" + b_{letter.upper()}" if bias else ""),
            marked=inputs.block(self.settings, self.page.head, letter) if self.several else None,
            query_rows=letter == "q",
        )

    def prepared(self, form: str, name: str, recipe: dict) -> Matrix:
        """The query or the key of the shown head in one of its forms."""
        letter = name[0].upper()
        start, stop = inputs.block(self.settings, self.page.head, name[0])
        tensor = getattr(self.trace, f"{form}_{name}")
        return Matrix(
            id="",
            title=self.compared(letter, form),
            rows=self.queries if name == "query" else self.keys,
            cols=counted(stop)[start:],
            values=tensor[self.page.head * tensor.shape[-3] // self.settings.num_heads].tolist(),
            offset=start,
            recipe=recipe,
        ).looking(subtitle=self.t(f"steps.{form}", matrix=self.symbol(letter)), query_rows=name == "query")

    def square(self, title: str, subtitle: str, tensor: Tensor | None, **extra) -> Matrix:
        """A matrix with a row per query and a column per key."""
        look = {"subtitle": subtitle, **self.axes, **extra}
        return matrix.square(self.page, "", title, needed(tensor), self.keys, **look)

    def mixture(self, title: str) -> Matrix:
        """The shown head's output: the values, mixed by the weights."""
        recipe = recipes.product(self.mixing, "value", len(self.keys), col_start=self.start("v"))
        subtitle = f"{self.symbol('A')} · {self.symbol('V')}"
        return matrix.by_query(self.page, "", title, self.head.output, subtitle=subtitle, recipe=recipe)

    def output_of(self, head: int) -> Matrix:
        """The output of any head."""
        name, title = f"head_output_{head + 1}", f"O_{head + 1}"
        return matrix.by_query(self.page, name, title, self.trace.heads.output[head])

    def positions(self) -> Matrix:
        """P, a row for each place: learned ones to edit, waves computed."""
        if self.position == "learned":
            return inputs.matrix(self.page, "p")
        values, settings = needed(positions_of(self.settings)), self.settings
        recipe = arithmetic.waves(values, settings.first_position, settings.position_base)
        return self.titled("p", self.of_x("P", self.t("position.sinusoidal"), values, recipe))

    def bias(self) -> Matrix:
        """ALiBi's bias of the shown head. It is no step, as it does not depend on X."""
        recipe = arithmetic.distances(needed(self.head.bias))
        return self.titled("bias", self.square("B", self.t("position.alibi"), self.head.bias, recipe=recipe))

    def titled(self, name: str, matrix: Matrix, **extra) -> Matrix:
        """The matrix with its name, and its title for screen readers."""
        return matrix.having(id=name, alt=self.t(f"title.{name}"), **extra)

    def without_weight(self, weights: Tensor) -> Cells | None:
        """Masked cells look masked where they got no weight; −10⁹ in a fully masked row gives them some."""
        return None if self.head.mask is None else hidden(self.head.mask | (weights != 0))

    def thumbnails(self) -> list[Matrix]:
        """The weights of every head, small; a click chooses the head."""
        return [*self._thumbnails]

    @functools.cached_property
    def _thumbnails(self) -> tuple[Matrix, ...]:
        return tuple(
            matrix.by_query(
                self.page,
                f"head_weights_{head + 1}",
                f"A_{head + 1}",
                weights,
                self.keys,
                kind="weights",
                masked=self.without_weight(weights),
                size="thumbnail",
                choose=head,
                chosen=head == self.page.head,
                alt=self.t("steps.head", head=head + 1),
            )
            for head, weights in enumerate(self.trace.heads.weights)
        )


def symbol_of(source: str) -> str:
    """The symbol of the factor of a weight matrix."""
    return {"x": "X", "y": "Y", "x_p": "(X + P)"}[source]


def hidden(mask: Tensor | None) -> Cells | None:
    """The cells of a mask that look masked."""
    return None if mask is None else [(row, col) for row, col in (~mask).nonzero().tolist()]
