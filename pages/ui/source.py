"""The line of the core that computes a step, read from the core itself, so that it is always the real one."""

from __future__ import annotations

import functools
import inspect

from attention import multi_head_attention, scaled_dot_product_attention

# Where a name of a multi-head trace stands in the code: function and the name assigned there.
_PLACES = {
    "query": (multi_head_attention, "query"),
    "key": (multi_head_attention, "key"),
    "value": (multi_head_attention, "value"),
    "head_output": (scaled_dot_product_attention, "output"),
    "concatenated": (multi_head_attention, "concatenated"),
}


@functools.cache
def line(step: str, several_heads: bool) -> str:
    """The source line for `step`. Raises LookupError if the core has no such line, or more than one."""
    function, name = _PLACES.get(step, (scaled_dot_product_attention, step))
    if step == "output" and several_heads:
        function = multi_head_attention
    lines = [text.strip() for text in inspect.getsource(function).splitlines()]
    found = [text for text in lines if text.startswith(f"{name} = ")]
    if len(found) != 1:
        raise LookupError(f"{function.__name__} has {len(found)} lines that assign {name}, expected one")
    return found[0].partition("  #")[0]
