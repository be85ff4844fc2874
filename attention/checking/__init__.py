"""A check of an attention function: which of the common mistakes do its results look like?"""

from collections.abc import Callable
from typing import Any

import torch

from attention.checking.report import CheckReport
from attention.checking.run import report_on


def check(
    fn: Callable[..., Any], *, arrays: str = "torch", device: torch.device | str | None = None
) -> CheckReport:
    """Calls fn over telling cases and says which mistake its results look like; print the report to read it.

    fn has the signature of torch.nn.functional.scaled_dot_product_attention. It is called as

        fn(query, key, value)                      or with one of these, or with attn_mask and no other:
        fn(query, key, value, attn_mask=mask)      boolean, True = may attend; mask=mask where it is so named
        fn(query, key, value, is_causal=True)      aligned with the upper left corner
        fn(query, key, value, scale=0.25)
        fn(query, key, value, enable_gqa=True)     with fewer key/value heads on dimension −3

    A case whose keyword the function does not have is skipped, and the report says so. query is (q_len,
    head_dim), or has a batch or batch and heads in front; a function that raises an error for the smallest
    case is given leading dimensions of size 1 until it takes it. It returns the output, or a tuple that
    begins with it.

    The report has the fields passed, failed and skipped, and says ok and mistakes. Each failed case has
    query, key, value, mask, options, expected, got, kind and mistake: a name of attention.checking.words, or
    None. An exception, a wrong shape or dtype and NaN are findings.

    Raises AttentionError where fn cannot be called.
    """
    return report_on(fn, device, arrays)
