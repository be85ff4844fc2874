"""A check of an attention function: which of the common mistakes do its results look like?"""

from collections.abc import Callable
from typing import Any

import torch

from attention.checking.report import CheckReport
from attention.checking.run import report_on


def check(
    fn: Callable[..., Any],
    *,
    arrays: str = "torch",
    device: torch.device | str | None = None,
    reading: str | None = None,
) -> CheckReport:
    """Calls fn over telling cases and says which mistake its results look like; print the report to read it.

    fn has the signature of torch.nn.functional.scaled_dot_product_attention. It is called as

        fn(query, key, value)                      or with one of these, or with attn_mask and no other:
        fn(query, key, value, attn_mask=mask)      boolean, True = may attend
        fn(query, key, value, is_causal=True)      aligned with the upper left corner
        fn(query, key, value, scale=0.75)
        fn(query, key, value, enable_gqa=True)     with fewer key/value heads on dimension −3

    Other libraries' names of these arguments are known, in any order. query is (q_len, head_dim), or has a
    batch or batch and heads in front; (batch, length, heads, dim) and sequences first are tried too. fn
    returns the output, a tuple with it, or a dict or record that names it. arrays: "torch", "numpy" or "jax".

    A mistake is named if it explains every failed case in which it would show, or if two together explain
    all. The report has passed, failed and skipped, and says ok and mistakes; ok is None where nothing is
    wrong and something was not tried. Each failed case has query, key, value, mask, options, expected, got,
    kind and mistakes: names of attention.checking.words. An exception, a wrong shape, dtype or gradient and
    NaN are findings.

    A module X → Y is compared with multi_head_attention on its own weights where its parameters have known
    names, such as in_proj_weight, q_proj, c_attn, W_query, to_qkv or qkv; any other is tested for whether its
    output depends on later tokens, on the order of tokens, and on other texts of the batch.

    Raises AttentionError where fn cannot be called, or arrays is another word.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small: with more threads they wait for each other
    try:
        return report_on(fn, device, arrays, reading)
    finally:
        torch.set_num_threads(threads)
