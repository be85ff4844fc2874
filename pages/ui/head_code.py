"""The part `In code`: each step's line, the module beside PyTorch's, and two mistakes that code makes."""

from __future__ import annotations

import streamlit as st
import torch
from torch import Tensor, nn

from attention import AttentionError, MultiHeadAttention, MultiHeadTrace, scaled_dot_product_attention

from . import edits, head_facts, mistakes, source, state, step_view
from . import settings as s
from .figures import StepView, weights
from .head_figures import HeadFigures
from .numbers import short
from .results import EXACT, size
from .texts import Texts

STEPS = (
    "query",
    "scores",
    "scaled_scores",
    "masked_scores",
    "weights",
    "head_output",
    "concatenated",
    "output",
)
EXAMPLE = """\
import torch
from attention import MultiHeadAttention

module = MultiHeadAttention(
    embed_dim={d_model}, num_heads={heads}, num_kv_heads={kv_heads}, head_dim={d_k}, value_dim={d_v}
)
trace = module(torch.randn(2, {n}, {d_model}))  # (batch, tokens, d_model)
trace.heads.weights.shape  # (2, {heads}, {n}, {n})
trace.output.shape         # (2, {n}, {d_model})
"""


def code(t: Texts, now: s.Settings, trace: MultiHeadTrace, matrices: dict, figures: HeadFigures) -> None:
    """Draws the whole part."""
    st.markdown(f"#### {t('title.lines')}\n\n{t('why.lines')}")
    lines = [f"| {t(f'line.{name}')} | `{source.line(name, True)}` |" for name in STEPS]
    st.markdown("\n".join([f"| {t('code.formula')} | {t('code.line')} |", "| --- | --- |", *lines]))
    st.code(_example(now), language="python")
    st.markdown(_beside_torch(t, now, trace, matrices))
    st.markdown(f"#### {t('title.accident')}\n\n{t('why.accident')}")
    _accident(t, now, trace, figures)
    st.markdown(f"#### {t('title.divide')}\n\n{t('why.divide')}")
    _does_not_divide(t, now)


def _example(now: s.Settings) -> str:
    facts = {"d_model": now.d_model, "heads": now.num_heads, "kv_heads": now.kv_heads}
    return EXAMPLE.format(**facts, d_k=now.head_dim, d_v=now.value_dim, n=len(now.tokens))


def _beside_torch(t: Texts, now: s.Settings, trace: MultiHeadTrace, matrices: dict) -> str:
    """Our module and nn.MultiheadAttention on the learner's numbers: output and gradient of X."""
    theirs = head_facts.torch_module(now, matrices)
    if theirs is None:
        return t("code.no_torch")
    options = {"num_heads": now.num_heads, "num_kv_heads": now.kv_heads}
    ours = MultiHeadAttention.from_matrices(**matrices, **options)
    mask = trace.heads.mask
    if mask is not None and not mask.any(dim=-1).all():
        return t("code.dead_row")
    outputs, gradients = [], []
    for run in (
        lambda x: ours(x, mask=mask).output,
        lambda x: theirs(x, x, x, attn_mask=None if mask is None else ~mask, need_weights=False)[0],
    ):
        x = trace.query_input.clone().requires_grad_()
        output = run(x)
        output.square().sum().backward()
        outputs.append(output.detach())
        gradients.append(x.grad)
    off, slope = ((a - b).abs().max().item() for a, b in (outputs, gradients))
    scale = max(1.0, gradients[0].abs().max().item())
    verdict = t("checks.holds" if max(off, slope) < EXACT * scale else "checks.fails")
    return t("code.torch", verdict=verdict, difference=size(off), gradient=size(slope))


def _accident(t: Texts, now: s.Settings, trace: MultiHeadTrace, figures: HeadFigures) -> None:
    """Two sentences, two heads, one mask a sentence: read right, and read as one mask a head."""
    if now.num_heads == 1:
        st.markdown(t("code.needs_two_heads"))
        return
    query, key, value = (
        getattr(trace.heads, name)[:2].expand(2, 2, -1, -1) for name in ("query", "key", "value")
    )
    n = len(now.tokens)
    mask = torch.stack((torch.ones(n, n).tril().bool(), torch.ones(n, n).bool()))
    right = scaled_dot_product_attention(
        query, key, value, mask=mask[:, None], scale=trace.heads.scale
    ).weights
    wrong = mistakes.mask_on_heads(query, key, value, mask)
    for name, read, masks in (
        ("accident_right", right, mask[:, None].expand(2, 2, n, n)),
        ("accident_wrong", wrong, mask.expand(2, 2, n, n)),
    ):
        view = StepView(name, _four(t, read, masks, figures), lambda row, col: "")
        step_view.draw_figure(t, now, view, f"**{t(f'title.{name}')}**", traced=False)
    st.markdown(t("code.accident_off", difference=short((right - wrong).abs().max().item())))


def _four(t: Texts, read: Tensor, masks: Tensor, figures: HeadFigures) -> list:
    return [
        weights(
            t("panel.entry_head", entry=b + 1, head=h + 1),
            read[b, h],
            figures.queries,
            figures.keys,
            masked=(~masks[b, h]).tolist(),
        )
        for b in range(2)
        for h in range(2)
    ]


def _does_not_divide(t: Texts, now: s.Settings) -> None:
    """What really happens with a head count that does not divide d_model, and two ways out."""
    heads = head_facts.first_that_does_not_divide(now.d_model, s.MAX_HEADS)
    if heads is None:
        st.markdown(t("code.divides", d_model=now.d_model))
        return
    said = []
    for module in (MultiHeadAttention, nn.MultiheadAttention):
        try:
            module(now.d_model, heads)
        except (AttentionError, AssertionError) as problem:
            said.append(f"{type(problem).__name__}: {problem}")
    st.code(f"MultiHeadAttention({now.d_model}, {heads})\n{said[0]}", language=None, wrap_lines=True)
    st.code(f"torch.nn.MultiheadAttention({now.d_model}, {heads})\n{said[1]}", language=None, wrap_lines=True)
    divisor = max(count for count in range(1, heads + 1) if now.d_model % count == 0)
    width = -(-now.d_model // heads)
    with st.container(horizontal=True):
        st.button(
            t("code.way_count", heads=divisor),
            key="way_count",
            on_click=state.edit,
            args=(lambda now: edits.resize(now, num_heads=divisor, d_k=None, d_v=None),),
        )
        st.button(
            t("code.way_width", heads=heads, width=width, joined=heads * width),
            key="way_width",
            on_click=state.edit,
            args=(lambda now: edits.resize(now, num_heads=heads, d_k=width, d_v=width),),
        )
