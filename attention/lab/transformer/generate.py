"""The next word, from the probabilities of a model."""

import torch
from torch import Tensor

from attention import AttentionError
from attention.checks import integer
from attention.scaled_dot_product import softmax_rows


def shaped(logits: Tensor, temperature: float = 1.0, top_k: int | None = None) -> Tensor:
    """The probabilities that a word is drawn from: softmax(logits / temperature) of the top_k largest logits.

    At temperature 0 the largest logit has all of the probability (argmax), the first one of several that are
    equal. Raises AttentionError where the temperature is below 0, or top_k outside 1 … words.
    """
    if not temperature >= 0:
        raise AttentionError("out_of_range", "temperature", value=temperature, minimum=0, maximum=None)
    words = logits.shape[-1]
    count = words if top_k is None else integer("top_k", top_k, 1, words)
    order = logits.sort(dim=-1, descending=True, stable=True).indices
    kept = torch.zeros_like(logits, dtype=torch.bool).scatter(
        -1, order[..., : count if temperature else 1], True
    )
    masked = logits.masked_fill(~kept, float("-inf"))
    return softmax_rows(masked / temperature if temperature else masked)


def continued(probabilities: Tensor, seed: int, draw: int) -> int:
    """The word that is drawn from probabilities (words,): the chance follows from seed and draw."""
    generator = torch.Generator().manual_seed(1000 * seed + draw)
    return int(torch.multinomial(probabilities, 1, generator=generator).item())
