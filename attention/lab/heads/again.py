"""One head once more, with something changed."""

from typing import Any

from attention import AttentionTrace, scaled_dot_product_attention


def again(head: AttentionTrace, **changed: object) -> AttentionTrace:
    """The attention of a head (…, n, ·) with the same query, key, value, mask, bias and scale.

    changed: other arguments for scaled_dot_product_attention, or some of these in place of the head's.
    """
    inputs: dict[str, Any] = {
        name: getattr(head, name) for name in ("query", "key", "value", "mask", "bias", "scale")
    }
    return scaled_dot_product_attention(**inputs | changed)
