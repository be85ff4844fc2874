"""One head of a sentence through the core, as it is or with something changed."""

import torch
from torch import Tensor

from attention import AttentionTrace, checks, scaled_dot_product_attention
from attention.lab.real_heads.store import HEADS, LAYERS, HeadPattern, ModelSentence

SPECIAL = ("[CLS]", "[SEP]")


def trace_of(
    sentence: ModelSentence, layer: int, head: int, *, mask: Tensor | None = None, scale: float | None = None
) -> AttentionTrace:
    """The core's attention on the head's queries, keys and values (n, head_dim).

    layer and head count from 0. Without a mask and with the default scale it is what the model computed.
    """
    layer = checks.integer("layer", layer, 0, LAYERS - 1)
    head = checks.integer("head", head, 0, HEADS - 1)
    query, key, value = (part[layer, head] for part in (sentence.query, sentence.key, sentence.value))
    return scaled_dot_product_attention(query, key, value, mask=mask, scale=scale)


def traces_of(sentence: ModelSentence) -> AttentionTrace:
    """The core's attention on all heads at once: every field (layers, heads, ·, ·)."""
    return scaled_dot_product_attention(sentence.query, sentence.key, sentence.value)


def is_special(pattern: HeadPattern) -> Tensor:
    """Which tokens (n,) are not in the text: [CLS] and [SEP]."""
    return torch.tensor([token in SPECIAL for token in pattern.tokens])


def mask_without(keys: Tensor) -> Tensor:
    """The mask (n, n) under which no query may attend to the keys that are True in (n,)."""
    return (~keys).expand(len(keys), -1)


def exchanged(sentence: ModelSentence, first: int, second: int) -> ModelSentence:
    """The sentence with two tokens in exchanged rows: their queries, keys, values and weights move along.

    No number changes, so attention only moves along with them. The model itself gives other numbers for the
    text with the two words exchanged, because a token's position is part of what the first layer reads.
    """
    order = list(range(len(sentence.tokens)))
    for name, place in (("first", first), ("second", second)):
        checks.integer(name, place, 0, len(order) - 1)
    order[first], order[second] = second, first
    return ModelSentence(
        sentence.text,
        tuple(sentence.tokens[i] for i in order),
        sentence.model_weights[..., order, :][..., order],
        sentence.query[..., order, :],
        sentence.key[..., order, :],
        sentence.value[..., order, :],
    )
