"""What a fully masked row does to the layers after it, where softmax gives NaN for it."""

import math

from torch import Tensor

from attention import AttentionTrace
from attention.lab.mistakes.forms import plain_softmax


def nan_rows(head: AttentionTrace, mask: Tensor, layers: int = 2) -> list[Tensor]:
    """For each of so many layers of self-attention, which rows (n,) of its output are NaN.

    The first layer has the head's own scores and values. Each later one takes the output before it as query,
    key and value, under the same mask. The weight of a masked key is 0, but its value is NaN by then, and
    0 · NaN is NaN.
    """
    results = []
    scores, value = head.unmasked_scores, head.value
    for _ in range(layers):
        value = plain_softmax(scores.masked_fill(~mask, -math.inf)) @ value
        scores = value @ value.mT / math.sqrt(value.shape[-1])
        results.append(value.isnan().any(-1))
    return results
