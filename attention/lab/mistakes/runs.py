"""Runs of self-attention, right and with one mistake each: every step, from the projections to the output."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from attention import MultiHeadTrace, multi_head_attention, padding_mask, scaled_dot_product_attention
from attention.lab.mistakes import forms
from attention.lab.scaling.divisors import divisors
from attention.lab.softmax.lines import over_queries


@dataclass(frozen=True, eq=False)
class Given:
    """What self-attention starts from."""

    x: Tensor  # (n, d_model)
    w_q: Tensor  # (d_model, num_heads * d_k)
    w_k: Tensor  # (d_model, num_heads * d_k)
    w_v: Tensor  # (d_model, num_heads * d_v)
    w_o: Tensor | None = None  # (num_heads * d_v, d_model)
    num_heads: int = 1
    mask: Tensor | None = None  # (n, n), True = may attend, without the padding
    real: int | None = None  # only the first so many tokens are real, the rest is padding; None: no padding
    beside: Tensor | None = None  # (n, n), the whole mask of the batch's second sentence, if there is one

    @property
    def n(self) -> int:
        return self.x.shape[0]

    @property
    def d_model(self) -> int:
        return self.x.shape[1]

    @property
    def d_k(self) -> int:
        return self.w_q.shape[1] // self.num_heads

    @property
    def d_v(self) -> int:
        return self.w_v.shape[1] // self.num_heads

    @property
    def visible(self) -> Tensor | None:
        """The mask and the padding together, (n, n); None where nothing is masked."""
        return self.under(None if self.real is None else padding_mask([self.real], self.n))

    def under(self, padding: Tensor | None) -> Tensor | None:
        """The mask together with that one, which broadcasts to (n, n)."""
        if padding is None or self.mask is None:
            return self.mask if padding is None else padding.expand(self.n, self.n)
        return self.mask & padding

    @cached_property
    def run(self) -> "Run":
        """The run as the core computes it, kept: most mistakes begin with it."""
        return right(self)


class Run(NamedTuple):
    """The steps of one computation, named and in order as in MultiHeadTrace.steps(); h heads, or one."""

    query: Tensor  # (h, n, d_k)
    key: Tensor  # (h, n, d_k)
    value: Tensor  # (h, n, d_v)
    scores: Tensor  # (h, n, n)
    scaled_scores: Tensor  # (h, n, n)
    masked_scores: Tensor  # (h, n, n), the scaled scores where nothing is masked
    weights: Tensor  # (h, n, n)
    head_output: Tensor  # (h, n, d_v)
    concatenated: Tensor  # (n, h * d_v)
    output: Tensor  # (n, d_model), the concatenation where there is no W_O


Compute = Callable[[Given], Run]


def right(given: Given, **changed: object) -> Run:
    """The run as the core computes it; `changed` are other arguments for multi_head_attention."""
    arguments = {"w_q": given.w_q, "w_k": given.w_k, "w_v": given.w_v, "w_o": given.w_o}
    arguments |= {"num_heads": given.num_heads, "mask": given.visible}
    return _run_of(multi_head_attention(given.x, **(arguments | changed)))


def _run_of(trace: MultiHeadTrace) -> Run:
    heads = trace.heads
    scores = heads.scores, heads.scaled_scores, heads.masked_scores
    joined = heads.output, trace.concatenated, trace.output
    return Run(heads.query, heads.key, heads.value, *scores, heads.weights, *joined)


def joined(given: Given, run: Run, head_output: Tensor) -> Run:
    """The run with other outputs of the heads (h, n, d_v), joined and projected in the right way."""
    concatenated = head_output.transpose(0, 1).flatten(1)
    return _projected(given, run._replace(head_output=head_output), concatenated)


def _projected(given: Given, run: Run, concatenated: Tensor) -> Run:
    output = forms.project(concatenated, given.w_o, None)
    return run._replace(concatenated=concatenated, output=output)


def _weighted(given: Given, run: Run, weights: Tensor) -> Run:
    """The run with other weights (h, n, n), and what follows from them."""
    return joined(given, run._replace(weights=weights), weights @ run.value)


# ---- the wrong runs


def divided_by(name: str) -> Compute:
    """The scores divided by another of scaling.divisors."""

    def run(given: Given) -> Run:
        return right(given, scale=1 / divisors(given.d_k, given.n, given.d_model)[name])

    return run


def wrong_axis(given: Given) -> Run:
    """Softmax down the columns."""
    run = given.run
    return _weighted(given, run, over_queries(run.masked_scores))


def after_softmax(given: Given) -> Run:
    """Masked weights set to 0 after the softmax."""
    run = given.run
    run = run._replace(masked_scores=run.scaled_scores)
    return _weighted(given, run, forms.after_softmax(run.scaled_scores, given.visible))


def times_zero(given: Given) -> Run:
    """Scores multiplied by the mask."""
    run = given.run
    run = run._replace(masked_scores=run.scaled_scores * given.visible)
    return _weighted(given, run, forms.times_zero(run.scaled_scores, given.visible))


def inverted(given: Given) -> Run:
    """The masked keys in place of the visible ones."""
    return right(given, mask=~given.visible)


def nan_rows(given: Given) -> Run:
    """A softmax that gives NaN for a row of −∞."""
    run = given.run
    return _weighted(given, run, forms.plain_softmax(run.masked_scores))


def query_rows_mask(given: Given) -> Tensor:
    """The mask (n, n) with the padding laid on the query rows."""
    return given.under(forms.query_rows(given.real, given.n))


def query_rows(given: Given) -> Run:
    """The padding mask laid on the rows."""
    return right(given, mask=query_rows_mask(given))


def mask_on_heads(given: Given) -> Run:
    """The masks of a batch of two laid on two heads."""
    return right(given, mask=torch.stack((given.visible, given.beside)))  # read as (heads, n, n)


def view_split(given: Given) -> Run:
    """Heads cut by a view alone; they are joined in the right way."""
    projections = (given.x @ weight for weight in (given.w_q, given.w_k, given.w_v))
    cut = [forms.view_split(projected, given.num_heads) for projected in projections]
    heads = scaled_dot_product_attention(*cut, mask=given.visible)
    run = given.run._replace(
        **{name: getattr(heads, name) for name in Run._fields[: Run._fields.index("head_output")]}
    )
    return joined(given, run, heads.output)


def view_join(given: Given) -> Run:
    """Heads joined by a view alone."""
    run = given.run
    return _projected(given, run, run.head_output.reshape(given.n, -1))


def transposed_scores(given: Given) -> Run:
    """K·Qᵀ: the queries of the core are the keys, and the other way round."""
    run = given.run
    swapped = scaled_dot_product_attention(run.key, run.query, run.value, mask=given.visible)
    names = ("scores", "scaled_scores", "masked_scores", "weights")
    return joined(given, run._replace(**{name: getattr(swapped, name) for name in names}), swapped.output)


def transposed_weights(given: Given) -> Run:
    """AᵀV."""
    run = given.run
    return joined(given, run, forms.transposed_weights(run.weights, run.value))


def unprojected(given: Given) -> Run:
    """X itself as the values."""
    return right(given, w_v=torch.eye(given.d_model, dtype=given.x.dtype, device=given.x.device))


# ---- what two runs differ in


def first_difference(wrong: Run, run: Run, tolerance: float = 1e-9) -> str | None:
    """The first step in which the two runs differ by more than rounding; None where none does."""
    for step in Run._fields:
        one, other = getattr(wrong, step), getattr(run, step)
        largest = max(1.0, other[other.isfinite()].abs().max().item() if other.isfinite().any() else 0.0)
        if one.shape != other.shape or not torch.allclose(one, other, rtol=0, atol=tolerance * largest):
            return step
    return None


def divisor_of(run: Run) -> float:
    """What the scores were divided by, read off the largest of them; NaN where all are 0."""
    place = run.scores.abs().argmax()
    score, scaled = run.scores.flatten()[place].item(), run.scaled_scores.flatten()[place].item()
    return score / scaled if scaled else math.nan
