"""One step of attention with a mistake of a hand in it; the catalogue has the table.

Each takes a head and returns one whole step of it, (n, n) or (n, d_v), NaN in the cells where the mistake
cannot be made.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attention.lab.mistakes import forms
from attention.lab.mistakes.by_hand import Worked, computed
from attention.lab.scaling.divisors import divisors
from attention.lab.softmax.lines import over_queries
from attention.scaled_dot_product import fill_masked, softmax_rows

Slip = Callable[[Worked], Tensor]


def _nowhere(like: Tensor) -> Tensor:
    return torch.full_like(like, math.nan)


def _only(where: Tensor, wrong: Tensor) -> Tensor:
    return torch.where(where, wrong, math.nan)


def key_not_transposed(worked: Worked) -> Tensor:
    """q with a column of K in place of a row, Q·K: shapes allow it only where n = d_k."""
    n, d_k = worked.key.shape
    return worked.query @ worked.key if n == d_k else _nowhere(worked.scores)


def transposed_scores(worked: Worked) -> Tensor:
    """The key's row of Q with the query's row of K: K·Qᵀ, the scores transposed. No slip on the diagonal."""
    off_diagonal = ~torch.eye(len(worked.query), dtype=torch.bool)
    return _only(off_diagonal, worked.key @ worked.query.mT)


def _signs_lost(left: Tensor, right: Tensor) -> Tensor:
    """All numbers of a product without their signs; NaN where no term is negative."""
    negative = torch.minimum(left[..., :, :, None] * right[..., None, :, :], torch.zeros(())).sum(-2) < 0
    return _only(negative, left.abs() @ right.abs())


def _last_left_out(left: Tensor, right: Tensor) -> Tensor:
    """A product without its last term; NaN where that is 0, or the only one."""
    last = left[..., :, -1:] @ right[..., -1:, :]
    some = last != 0 if left.shape[-1] > 1 else torch.zeros_like(last, dtype=torch.bool)
    return _only(some, left @ right - last)


def score_signs(worked: Worked) -> Tensor:
    """|q|·|k|."""
    return _signs_lost(worked.query, worked.key.mT)


def score_term(worked: Worked) -> Tensor:
    """q·k without its last product."""
    return _last_left_out(worked.query, worked.key.mT)


def scaled_early(worked: Worked) -> Tensor:
    """q·k / √d_k, where the score itself is asked for."""
    scores = computed("scores", worked)
    return scores / math.sqrt(worked.d_k) if worked.d_k > 1 else _nowhere(scores)


def divided_by(name: str) -> Slip:
    """The scores divided by another of scaling.divisors."""

    def slip(worked: Worked) -> Tensor:
        n = worked.scores.shape[-1]
        known = divisors(worked.d_k, n, worked.d_model or worked.d_k)
        wrong = known[name] != known["sqrt_d_k"]
        return worked.scores / known[name] if wrong else _nowhere(worked.scores)

    return slip


def multiplied(worked: Worked) -> Tensor:
    """The scores times √d_k."""
    return worked.scores * math.sqrt(worked.d_k) if worked.d_k > 1 else _nowhere(worked.scores)


def scaled_sign(worked: Worked) -> Tensor:
    """|s| / √d_k."""
    return _only(worked.scores < 0, worked.scores.abs() / math.sqrt(worked.d_k))


def exp_only(worked: Worked) -> Tensor:
    """exp(s), not divided by the sum of its row; 0 where masked."""
    return torch.exp(worked.masked_scores)


def exp_below(worked: Worked) -> Tensor:
    """exp(s − max), not divided by the sum."""
    return torch.exp(worked.masked_scores - worked.masked_scores.amax(-1, keepdim=True))


def no_exp(worked: Worked) -> Tensor:
    """s / Σ s over the visible keys of the row, without exponentials; NaN where the sum is 0."""
    visible = worked.scaled_scores.masked_fill(~worked.visible, 0.0)
    total = visible.sum(-1, keepdim=True)
    return _only(total != 0, visible / total)


def wrong_axis(worked: Worked) -> Tensor:
    """Softmax down each column, over the queries."""
    return over_queries(worked.masked_scores).masked_fill(~worked.visible, 0.0)


def scaled_again(worked: Worked) -> Tensor:
    """Softmax of the scaled scores divided by √d_k once more."""
    again = softmax_rows(worked.masked_scores / math.sqrt(worked.d_k))
    return again if worked.d_k > 1 else _nowhere(again)


def _where_masked(worked: Worked, wrong: Tensor) -> Tensor:
    """In rows without a masked key there is no slip with the mask."""
    return _only((~worked.visible).any(-1, keepdim=True), wrong)


def mask_forgotten(worked: Worked) -> Tensor:
    """Softmax over all keys, the masked ones too."""
    return _where_masked(worked, softmax_rows(worked.scaled_scores))


def after_softmax(worked: Worked) -> Tensor:
    """Masked weights set to 0 after the softmax, and the rest left as it is."""
    return _where_masked(worked, forms.after_softmax(worked.scaled_scores, worked.visible))


def times_zero(worked: Worked) -> Tensor:
    """A masked score set to 0 in place of −∞: it still gets exp(0) = 1 into the sum."""
    return _where_masked(worked, forms.times_zero(worked.scaled_scores, worked.visible))


def inverted(worked: Worked) -> Tensor:
    """Softmax over the masked keys in place of the visible ones."""
    return _where_masked(worked, softmax_rows(fill_masked(worked.scaled_scores, ~worked.visible, -math.inf)))


def transposed_weights(worked: Worked) -> Tensor:
    """AᵀV: a column of A in place of its row."""
    return forms.transposed_weights(worked.weights, worked.value)


def value_row(worked: Worked) -> Tensor:
    """A·Vᵀ: the weights with a row of V in place of a column. Shapes allow it only where n = d_v."""
    n, d_v = worked.value.shape
    return worked.weights @ worked.value.mT if n == d_v else _nowhere(worked.value)


def mean(worked: Worked) -> Tensor:
    """All visible values alike, whatever they weigh."""
    visible = worked.visible.to(worked.value.dtype)
    return visible @ worked.value / visible.sum(-1, keepdim=True)


def total(worked: Worked) -> Tensor:
    """The visible values added up without weights."""
    return worked.visible.to(worked.value.dtype) @ worked.value


def largest(worked: Worked) -> Tensor:
    """The value of the key with the largest weight, alone."""
    return worked.value[worked.weights.argmax(-1)]


def output_signs(worked: Worked) -> Tensor:
    """Σ w·|v|."""
    return _signs_lost(worked.weights, worked.value)


def output_term(worked: Worked) -> Tensor:
    """The weighted sum without its last term."""
    return _last_left_out(worked.weights, worked.value)
