"""What a mask does to the weights, and what goes on where it is applied wrongly or leaves a row nothing.

Scores, weights and masks are (…, q_len, kv_len) unless it is said; a head is the trace of one, without
dimensions before q_len.
"""

import math

import torch
from torch import Tensor

from attention import AttentionTrace, causal_mask, padding_mask
from attention.lab.heads.again import again
from attention.lab.mistakes.forms import after_softmax, plain_softmax

BILLION = -1e9


def attend(head: AttentionTrace, mask: Tensor | None, *, masked_score: float = -math.inf) -> AttentionTrace:
    """The same queries, keys, values, scale and bias under another mask."""
    return again(head, mask=mask, masked_score=masked_score)


def with_fully_masked_row(mask: Tensor, row: int) -> Tensor:
    """The mask (q_len, kv_len), but query `row` may attend to nothing."""
    mask = mask.clone()
    mask[row] = False
    return mask


def fully_masked_weights(head: AttentionTrace, mask: Tensor) -> dict[str, Tensor]:
    """The weights (q_len, kv_len) in three ways, named by what they give a fully masked row.

    "nan": −∞ in a plain softmax. "alike": −10⁹, so that all keys weigh the same, as long as the scores
    themselves are lost in rounding, compared with 10⁹. "zero": the core.
    """
    return {
        "nan": plain_softmax(head.unmasked_scores.masked_fill(~mask, -math.inf)),
        "alike": attend(head, mask, masked_score=BILLION).weights,
        "zero": attend(head, mask).weights,
    }


def outcome(output: Tensor, value: Tensor) -> str:
    """What became of a fully masked row, by its output (value_dim,) and all values (kv_len, value_dim).

    "nan", "zero", "alike" for the mean of all values, or "other".
    """
    if output.isnan().any():
        return "nan"
    if (output == 0).all():
        return "zero"
    return "alike" if torch.allclose(output, value.mean(0), rtol=1e-4, atol=1e-5) else "other"


def lost_weight(before: Tensor, after: Tensor) -> Tensor:
    """How much weight the keys of each row lost, to others or to the mask: (…, n, m) → (…, n)."""
    return (before - after).clamp(min=0).sum(dim=-1)


def largest_masked_weight(weights: Tensor, mask: Tensor) -> float | None:
    """The largest weight on a masked key; None where the mask masks nothing."""
    masked = weights[~mask.expand_as(weights)]
    return masked.max().item() if masked.numel() else None


# ---- a mask as numbers


def additive(mask: Tensor, dtype: torch.dtype = torch.float64) -> Tensor:
    """The float mask that means the same: 0 where the query may attend, −∞ where it may not."""
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf)


def ones_added(scores: Tensor, mask: Tensor) -> Tensor:
    """Wrong: the weights where a mask of 1 and 0 is taken for a float mask and added to the scores.

    It masks nothing: a visible key only weighs e times as much, compared with a masked one, as it would.
    """
    return plain_softmax(scores + mask.to(scores.dtype))


# ---- a mask after the softmax


def renormalised(weights: Tensor) -> Tensor:
    """Rows (…, kv_len) divided by their sums; 0/0 is NaN in a row of zeros."""
    return weights / weights.sum(dim=-1, keepdim=True)


def masked_score_influence(scores: Tensor, mask: Tensor, *, renormalise: bool) -> Tensor:
    """How far the visible weights depend on each masked score when the mask comes after the softmax.

    Shape of scores (q_len, kv_len): at a masked key h, Σ over the visible keys i of |∂w_i / ∂s_h|, by
    autograd; 0 at visible keys. Without renormalising w_i = p_i, and ∂p_i / ∂s_h = −p_i p_h: what is masked,
    with a causal mask the future, shows in every visible weight. With it the denominator cancels,
    w_i = exp(s_i) / Σ_visible exp(s), and the influence is 0 but for rounding. Where a masked score lies so
    far above the visible ones that their p underflow, renormalising divides 0 by 0, and the row is NaN.
    """

    scores = scores.detach().requires_grad_()
    weights = after_softmax(scores, mask)
    weights = renormalised(weights) if renormalise else weights
    # Rows do not mix, so one pass a key gives that weight's derivatives in every row.
    derivatives = [
        torch.autograd.grad(weights[:, key].sum(), scores, retain_graph=True)[0].abs()
        for key in range(weights.shape[-1])
    ]
    return torch.stack(derivatives).sum(0).masked_fill(mask, 0.0)  # masked weights are constant


# ---- padding on the left


def left_padding_mask(lengths: list[int], kv_len: int) -> Tensor:
    """Of sequence b of a batch only the last lengths[b] keys are real. Shape (len(lengths), kv_len)."""
    return padding_mask(lengths, kv_len).flip(-1)


def left_padded_causal(length: int, n: int, *, attend_to_self: bool = False) -> Tensor:
    """Causal, with n − length padding tokens on the left: (n, n).

    The padded queries come before every real key, so their rows are fully masked. With attend_to_self each of
    them may attend to itself: no row is empty, and the real rows stay as they are.
    """
    mask = causal_mask(n) & left_padding_mask([length], n)
    return mask | torch.eye(n, dtype=torch.bool) if attend_to_self else mask
