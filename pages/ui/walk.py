"""The walk through the steps: for each its name, its formula, why it is done, and its line of code.

A line of code is a snippet as the field writes it. Tests execute the snippets one after the other and compare
every result with the core.
"""

from __future__ import annotations

import torch

from .picture import Step
from .steps import Steps

DIVISIONS = {
    "sqrt_d_k": "scores / math.sqrt(d_k)",
    "none": "scores",
    "d_k": "scores / d_k",
    "own": "scores / divisor",
}


def snippet(steps: Steps, name: str) -> str:
    """The line that computes the step, with the names of the steps before it."""
    now, several = steps.now, steps.several
    if name in ("query", "key", "value"):
        return _projection(steps, name)
    if name in ("rotated_query", "rotated_key"):
        return _rotation(steps, name, name.removeprefix("rotated_"))
    if name == "masked_scores":
        before = "biased_scores" if steps.biased else "scaled_scores"
        if steps.head.mask is None:
            return f"masked_scores = {before}"
        value = 'float("-inf")' if now.masked_score == "-inf" else "-1e9"
        return f"masked_scores = {before}.masked_fill(~mask, {value})"
    if name == "weights":
        zeros = ".nan_to_num()" if _has_fully_masked_row(steps) else ""
        return f"weights = torch.softmax(masked_scores, dim=-1){zeros}"
    if name == "output" and several:
        return "output = concatenated @ w_o" + (" + b_o" if now.b_o is not None else "")
    query, key = ("rotated_query", "rotated_key") if steps.rotated else ("query", "key")
    return {
        "x_p": "x_p = x + p",
        "scores": f"scores = {query} @ {key}.transpose(-2, -1)",
        "biased_scores": "biased_scores = scaled_scores - slopes * distances",
        "scaled_scores": f"scaled_scores = {DIVISIONS[now.scaling]}",
        "head_output": "head_output = weights @ value",
        "concatenated": "concatenated = head_output.transpose(-3, -2).flatten(-2)",
        "output": "output = weights @ value",
    }[name]


def _projection(steps: Steps, name: str) -> str:
    now, letter = steps.now, name[0]
    source = "y" if steps.cross and letter != "q" else "x_p" if steps.added else "x"
    bias = f" + b_{letter}" if getattr(now, f"b_{letter}") is not None else ""
    product = f"{source} @ w_{letter}{bias}"
    if not steps.several:
        return f"{name} = {product}"
    heads = "h" if letter == "q" or now.kv_heads == now.num_heads else "kv_heads"
    width = "d_v" if letter == "v" else "d_k"
    shared = "" if heads == "h" else ".repeat_interleave(h // kv_heads, dim=-3)"
    return f"{name} = ({product}).unflatten(-1, ({heads}, {width})).transpose(-3, -2){shared}"


def _rotation(steps: Steps, name: str, of: str) -> str:
    """cos and sin have a column for each turned number; of an odd d_k the last one is not turned."""
    if steps.now.head_dim % 2 == 0:
        return f"{name} = {of} * cos + rotate_half({of}) * sin"
    turned = f"{of}[..., :-1]"
    return f"{name} = torch.cat(({turned} * cos + rotate_half({turned}) * sin, {of}[..., -1:]), dim=-1)"


def _has_fully_masked_row(steps: Steps) -> bool:
    return bool(torch.isneginf(steps.head.masked_scores).all(-1).any())


def _formula(steps: Steps, name: str) -> str:
    t, now, many = steps.t, steps.now, "_many" if name == "output" and steps.several else ""
    letter = {"query": "Q", "key": "K", "value": "V"}.get(name, "O")
    bias = (
        f" + b_{letter}" if getattr(now, f"b_{letter.lower()}") is not None and name != "head_output" else ""
    )
    return t(
        f"formula.{name}{many}",
        q=steps.symbol("Q"),
        k=steps.symbol("K"),
        v=steps.symbol("V"),
        s=steps.symbol("S"),
        a=steps.symbol("A"),
        o=steps.symbol("O"),
        source="Y" if steps.cross and name in ("key", "value") else "(X + P)" if steps.added else "X",
        q_turned=steps.compared("Q"),
        k_turned=steps.compared("K"),
        base=f"{now.position_base:g}",
        bias=bias if name in ("query", "key", "value") or many else "",
        divisor=steps.divisor(),
        masked="−∞" if now.masked_score == "-inf" else "−10^{9}",
        h=now.num_heads,
        n=len(steps.queries),
        m=len(steps.keys),
        d_model=now.d_model,
        d_k=now.head_dim,
        d_v=now.value_dim,
    )


def _why(steps: Steps, name: str) -> str:
    t, now = steps.t, steps.now
    if name == "output" and steps.several:
        return t("why.output_many")
    if name == "masked_scores" and steps.head.mask is None:
        return t("why.masked_scores_none")
    if name == "x_p":
        return t(f"why.x_p_{now.position}")
    if name == "scaled_scores":
        return t(f"why.scaled_scores_{now.scaling}")
    return t(f"why.{name}")


def walk(steps: Steps) -> list[Step]:
    """All steps that the present settings have, in order."""
    return [
        Step(name, steps.t(f"title.{name}"), _formula(steps, name), _why(steps, name), snippet(steps, name))
        for name in steps.names()
    ]
