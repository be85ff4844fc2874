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
    """Calls fn over telling cases and says which mistake its results look like; print the report.

    fn has the signature of torch.nn.functional.scaled_dot_product_attention. It is called as

        fn(query, key, value)                      or with one of these, or with attn_mask and no other:
        fn(query, key, value, attn_mask=mask)      boolean, True = may attend
        fn(query, key, value, is_causal=True)      aligned with the upper left corner
        fn(query, key, value, scale=0.75)
        fn(query, key, value, enable_gqa=True)     with fewer key/value heads on dimension −3

    Other libraries' names of these arguments are known, in any order. fn returns the output, a tuple with it,
    or a dict or record that names it. arrays: "torch", "numpy" or "jax".

    How fn is meant is found out first. A reading says its layout (heads on dimension −3 or −2, batch or
    sequence first), the form of its masks (True = may attend or masked, added to the scores, 1 and 0; for the
    scores, for each text, or for the keys alone), and whether every call is causal. It is confirmed if most
    plain cases are right in it, or if mistakes give the numbers of all cases in it and in no other reading
    others do so. If none is, nothing is compared: the report has compared=False, and tried, the names of
    readings. reading: what is meant, as one of these names or as several with ";" between them.

    A mistake is named if it gives the numbers of every failed case in which it would show, and shows in no
    right one, or if two together do so. The report has passed, failed and skipped, mistakes, and remarks on
    what is no mistake: a convention, the precision, or what fn has besides attention. ok is None where
    nothing is wrong and something was not tried, not compared, or remarked on. Each failed case has query,
    key, value, mask, options, expected, got, kind and mistakes: names of attention.checking.words. An
    exception, a wrong shape, dtype or gradient, changed arguments and NaN are findings.

    A module X → Y is compared with multi_head_attention on its own weights where its parameters have known
    names, such as in_proj_weight, q_proj, c_attn, W_query, to_qkv or qkv, or are linear layers in the order
    q, k, v, output. Its readings differ in the number of heads, the order of the columns in packed matrices,
    rotary positions, the layout, and a causal mask. Any other is tested for whether its output depends on
    later tokens, on the order of tokens, and on other texts of the batch.

    Raises AttentionError where fn cannot be called, arrays is another word, or reading is none of fn's.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small: with more threads they wait for each other
    try:
        return report_on(fn, device, arrays, reading)
    finally:
        torch.set_num_threads(threads)
