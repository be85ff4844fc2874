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
from pages.model.compute import divisor_of, needed, positions_of
from pages.picture import Matrix
from pages.picture.traced import Scalar, Traced

from .. import arithmetic, inputs, matrix
from ..numbers import short
from ..page import Page

Cells = list[tuple[int, int]]

# Scaling → the divisor in LaTeX, on the screen, and in a program with a matrix for each head.
DIVISORS = {
    "sqrt_d_k": ("√{d_k}", "√{d_k}", "math.sqrt(d_k)"),
    "none": ("1", "1", ""),
    "d_k": ("d_k", "{d_k}", "d_k"),
    "own": ("c", "{own}", "divisor"),
}


class Computation:
    """The common base of the steps of a trace; `head` is the trace of the shown head.

    alone: the steps compute this head and no other; else a program has a matrix for each head.
    """

    def __init__(
        self,
        page: Page,
        trace: MultiHeadTrace,
        keys: tuple[str, ...] | None = None,
        head: AttentionTrace | None = None,
        *,
        softcap: float | None = None,
        dropout: float | None = None,
        alone: bool = False,
    ):
        """keys: their names, where they are not the page's tokens. head: the shown head's trace, where it is
        not one of `trace`. softcap, dropout: what the trace was computed with.
        """
        self.page, self.settings, self.t, self.trace = page, page.settings, page.t, trace
        self.head = trace.head(page.head) if head is None else head
        self.softcap, self.dropout = softcap, dropout
        self.several, self.alone = page.settings.num_heads > 1, alone
        self.queries: list[str] = list(page.tokens)
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
        index = self.settings.kv_head(self.page.head) if letter[0] in "KV" else self.page.head
        return f"{letter}_{index + 1}"

    def compared(self, letter: str, form: str | None = None) -> str:
        """Q or K in one of its forms, by default as the scores take it: with a prime for each form."""
        primes = len(self.forms) if form is None else self.forms.index(form) + 1
        return self.symbol(letter + "′" * primes)

    def before(self, name: str, form: str | None = None) -> str:
        """The matrix that a form of "query" or "key" is made from, by default the form that is scored."""
        forms = self.forms if form is None else self.forms[: self.forms.index(form)]
        return f"{forms[-1]}_{name}" if forms else name

    def divisor(self) -> str:
        return self.scalar.symbol

    @functools.cached_property
    def scalar(self) -> Scalar:
        """The divisor of the scores."""
        settings, value = self.settings, divisor_of(self.settings)
        letter, symbol, code = DIVISORS[settings.scaling]
        if self.alone and code:
            code = f"math.sqrt({settings.head_dim})" if settings.scaling == "sqrt_d_k" else repr(value)
        return Scalar(
            value, code, symbol.format(d_k=settings.head_dim, own=short(settings.own_divisor)), letter
        )

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

    # ---- numbers, and matrices that are no steps

    def step(
        self, number: Traced, name: str, letter: str = "", known: Tensor | None = None, **more: Any
    ) -> Traced:
        """The number as a step of the shown head, with the core's value."""
        signs = {"symbol": self.symbol(letter), "letter": self.any_head(letter)} if letter else {}
        value = needed(getattr(self.head, name)) if known is None else known
        return number.called(name, known=value, **signs | more)

    def any_head(self, letter: str) -> str:
        """A symbol of the steps of all heads in LaTeX, where a prime and ^T need braces between them."""
        return f"{f'{{{letter}}}' if '′' in letter else letter}_i" if self.stacked else ""

    @property
    def stacked(self) -> bool:
        """Whether the program has a matrix for each head."""
        return self.several and not self.alone

    def square(self, name: str, title: str, subtitle: str, tensor: Tensor, recipe: dict) -> Matrix:
        """A matrix with a row per query and a column per key that is no step."""
        look = {"subtitle": subtitle, "recipe": recipe, "alt": self.t(f"title.{name}"), **self.axes}
        return matrix.square(self.page, name, title, tensor, self.keys, **look)

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
        look: dict[str, Any] = {"subtitle": self.t("position.sinusoidal"), "alt": self.t("title.p")}
        return matrix.by_query(self.page, "p", "P", values, recipe=recipe, **look)

    def bias(self) -> Matrix:
        """ALiBi's bias of the shown head. It is no step, as it does not depend on X."""
        bias = needed(self.head.bias)
        return self.square("bias", "B", self.t("position.alibi"), bias, arithmetic.distances(bias))

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


def hidden(mask: Tensor | None) -> Cells | None:
    """The cells of a mask that look masked."""
    return None if mask is None else [(row, col) for row, col in (~mask).nonzero().tolist()]
