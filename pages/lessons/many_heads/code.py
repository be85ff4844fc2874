"""Attention in code: the modules as the field writes them, and two mistakes that code makes."""

import functools
import math

import streamlit as st
import torch
from torch import Tensor, nn

from attention import AttentionError, MultiHeadAttention, scaled_dot_product_attention
from attention.lab.heads import parts as lab
from attention.lab.mistakes import forms
from pages.ask import blocks
from pages.draw import matrix, placing, positions, say, steps
from pages.draw.messages import translation
from pages.draw.numbers import share
from pages.draw.page import Page
from pages.draw.results import EXACT, size, verdict
from pages.model import edits, matrices
from pages.model.compute import mask_of, tensors_of
from pages.picture import Flow, Group, Matrix, softmax_of

from . import snippets


def draw_modules(page: Page) -> None:
    """Both modules as the field writes them, and the core's next to PyTorch's on the learner's numbers."""
    t = page.t
    say.markdown(t("code.modules"))
    for column, text in zip(
        st.columns(2), (snippets.SELF_ATTENTION, snippets.MULTI_HEAD_ATTENTION), strict=True
    ):
        column.code(text, language="python")
    say.markdown(t("code.w_o"))
    _beside_torch(page)


def _beside_torch(page: Page) -> None:
    """Our module and nn.MultiheadAttention on the learner's numbers."""
    t, settings = page.t, positions.plainly(page).settings
    mask = mask_of(settings)
    if settings.num_heads == 1:
        say.sentence(t("code.torch_one_head"))
    elif settings.scaling != "sqrt_d_k":
        say.sentence(t("code.torch_scaling"))
    elif mask is not None and not mask.any(dim=-1).all():
        say.sentence(t("code.torch_fully_masked"))
    else:
        x = torch.tensor(settings.x, dtype=torch.float64)
        result = lab.beside_torch(x, tensors_of(settings), settings.num_heads, mask=mask)
        if result is None:
            say.sentence(t("code.torch_shape"))
            return
        good = max(result.output, result.gradient) < EXACT * max(1.0, result.largest)
        facts = {"difference": size(result.output), "gradient": size(result.gradient)}
        say.sentence(t("code.torch", verdict=verdict(t, good), **facts))


# ---- a mask that meets the heads


def accident_asked(page: Page) -> blocks.Blocks:
    """Two sentences, two heads, one mask per sentence: read right, and read as one mask per head."""
    options = {name: page.t(f"code.accident_{name}") for name in ("entry", "head", "error")}
    yield blocks.text("code.accident")
    yield blocks.ask("accident", _masks, words=options)
    yield blocks.figure(_both_readings)


def _both_readings(page: Page) -> None:
    """The weights with the masks read right, and below them read wrong."""
    t, page = page.t, positions.plainly(page)
    right, wrong, masks = accident(page)
    names, scores = list(page.tokens), _scores(page)
    matrices = [
        matrix.of(
            f"{way}_{entry + 1}_{head + 1}",
            t("code.entry_head", entry=entry + 1, head=head + 1),
            read[entry, head],
            names,
            names,
            kind="weights",
            masked=steps.hidden(hidden[entry, head]),
            recipe=softmax_of(scores[head].masked_fill(~hidden[entry, head], -torch.inf).tolist()),
        )
        for way, read, hidden in (
            ("right", right, masks[:, None].expand_as(right)),
            ("wrong", wrong, masks.expand_as(wrong)),
        )
        for entry in range(2)
        for head in range(2)
    ]
    ids = [table.id for table in matrices]
    layout = [
        Flow([Group(four, t(f"code.read_{way}"))]) for way, four in (("right", ids[:4]), ("wrong", ids[4:]))
    ]
    placing.draw(page, "accident", matrices, layout)
    say.sentence(t("code.accident_off", difference=share((right - wrong).abs().max().item(), 4)))


def _masks(page: Page) -> None:
    """One mask for each entry of the batch."""
    names = list(page.tokens)
    matrices: list[Matrix] = [
        matrix.of(f"mask_{entry + 1}", page.t("code.mask", entry=entry + 1), mask, names, names)
        for entry, mask in enumerate(_two_masks(len(names)))
    ]
    placing.draw(page, "masks", matrices)


def _two_masks(n: int) -> Tensor:
    """A batch of two entries: causal, and none. (2, n, n)"""
    return torch.stack((torch.ones(n, n).tril().bool(), torch.ones(n, n).bool()))


def _scores(page: Page) -> Tensor:
    """The scaled scores of the two heads. (2, n, n)"""
    heads = steps.of(page).trace.heads
    return heads.unmasked_scores[[0, min(1, page.settings.num_heads - 1)]]


def accident(page: Page) -> tuple[Tensor, Tensor, Tensor]:
    """Weights (2 entries, 2 heads, n, n) read right and read wrong, and the masks (2, n, n)."""
    computation = steps.of(page)
    heads, n = computation.trace.heads, len(page.settings.tokens)
    two = [0, min(1, page.settings.num_heads - 1)]
    shared = [page.settings.kv_head(head) for head in two]
    query, key, value = (
        tensor[which].expand(2, 2, -1, -1)
        for tensor, which in ((heads.query, two), (heads.key, shared), (heads.value, shared))
    )
    masks = _two_masks(n)
    right = scaled_dot_product_attention(query, key, value, mask=masks[:, None], scale=heads.scale).weights
    scaled = query * heads.scale * math.sqrt(query.shape[-1])  # the wrong form divides by √d_k
    return right, forms.mask_on_heads(scaled, key, value, masks), masks


# ---- a head count that does not divide


def draw_refusals(page: Page) -> None:
    """What really happens with a head count that does not divide d_model, and two ways out."""
    t, d_model = page.t, page.settings.d_model
    say.markdown(t("code.divide"))
    heads = lab.first_that_does_not_divide(d_model, matrices.MAX_HEADS)
    if heads is None:
        say.markdown(t("code.divides", d_model=d_model, top=matrices.MAX_HEADS))
        return
    ours, theirs = refusals(d_model, heads)
    st.code(f"MultiHeadAttention({d_model}, {heads})\n{ours}", language=None, wrap_lines=True)
    if t.language != AttentionError.language:
        say.markdown(in_words(page, heads))
    st.code(f"torch.nn.MultiheadAttention({d_model}, {heads})\n{theirs}", language=None, wrap_lines=True)
    divisor = max(count for count in range(1, heads + 1) if d_model % count == 0)
    width = -(-d_model // heads)
    with st.container(horizontal=True):
        page.button(
            t("code.way_count", heads=divisor),
            "way_count",
            lambda settings: edits.resize(settings, num_heads=divisor, d_k=None, d_v=None),
        )
        page.button(
            t("code.way_width", heads=heads, width=width, joined=heads * width, d_model=d_model),
            "way_width",
            lambda settings: edits.resize(settings, num_heads=heads, d_k=width, d_v=width),
        )


def in_words(page: Page, heads: int) -> str:
    """Our module's refusal, translated."""
    try:
        MultiHeadAttention(page.settings.d_model, heads)
    except AttentionError as problem:
        return translation(page.t, problem)
    raise LookupError(f"{heads} heads divide {page.settings.d_model}")


@functools.cache
def refusals(d_model: int, heads: int) -> list[str]:
    """What our module and PyTorch's say to a head count that does not divide d_model."""
    sentences = []
    for module in (MultiHeadAttention, nn.MultiheadAttention):
        try:
            module(d_model, heads)
        except (AttentionError, AssertionError) as problem:
            sentences.append(f"{type(problem).__name__}: {problem}")
    return sentences
