"""Checks of the numbers, and sentences about them."""

import math

import torch
from torch.nn import functional as F

from attention import AttentionTrace
from pages.picture import Passage

from . import winners
from .numbers import apart, power, short
from .page import Page
from .texts import Texts

TIE = 1e-9
EXACT = 1e-9


def size(value: float) -> str:
    """A small difference, in one digit and a power of ten."""
    return "0" if value == 0 else power(value, 0)


def difference(value: float) -> str:
    """A difference as text: 0 within rounding, else with digits that do not read as 0."""
    return "0" if value < EXACT else apart(value)


def verdict(t: Texts, good: bool) -> str:
    return t("checks.holds") if good else t("checks.fails")


def rows_check(t: Texts, trace: AttentionTrace) -> str:
    """Rows sum to 1, or to 0 if the row is fully masked and masked scores are −inf."""
    sums = trace.weights.sum(-1)
    fully_masked = torch.isneginf(trace.masked_scores).all(-1)
    difference = (sums - (~fully_masked).to(sums.dtype)).abs().max().item()
    count = int(fully_masked.sum())
    key = "checks.rows_dead" if count else "checks.rows"
    return t(key, verdict=verdict(t, difference < EXACT), difference=size(difference), count=count)


def masked_check(t: Texts, trace: AttentionTrace) -> str:
    """Every masked cell has weight 0. It fails, rightly, for −10⁹ in a fully masked row."""
    if trace.mask is None or bool(trace.mask.all()):
        return t("checks.masked_none")
    masked = trace.weights[~trace.mask.expand_as(trace.weights)]
    largest = masked.abs().max().item()
    return t("checks.masked", verdict=verdict(t, largest == 0), count=masked.numel(), largest=size(largest))


def torch_check(t: Texts, trace: AttentionTrace) -> str:
    """The same query, key and value through PyTorch's own function."""
    theirs = F.scaled_dot_product_attention(
        trace.query, trace.key, trace.value, attn_mask=_theirs(trace), scale=trace.scale
    )
    difference = (theirs - trace.output).abs().max().item()
    scale = max(1.0, trace.output.abs().max().item())
    if difference >= EXACT * scale and _attends_to_masked(trace):
        return t("checks.torch_finite", difference=short(difference, 4))
    return t("checks.torch", verdict=verdict(t, difference < EXACT * scale), difference=size(difference))


def _theirs(trace: AttentionTrace) -> torch.Tensor | None:
    """Mask and bias as PyTorch takes them: in one argument."""
    if trace.bias is None:
        return trace.mask
    return trace.bias if trace.mask is None else trace.bias.masked_fill(~trace.mask, -math.inf)


def _attends_to_masked(trace: AttentionTrace) -> bool:
    """A fully masked row has weights: its masked scores are finite."""
    return trace.mask is not None and bool((~trace.mask.any(-1) & (trace.weights.sum(-1) > 0)).any())


def checks(t: Texts, trace: AttentionTrace) -> Passage:
    """The checks of a trace's numbers."""
    return Passage(t("checks.title"), [check(t, trace) for check in (rows_check, masked_check, torch_check)])


def title(page: Page) -> str:
    """The heading of a reading, with the head if there are several."""
    if page.settings.num_heads == 1:
        return page.t("reading.title")
    return page.t("reading.title_head", head=page.head + 1)


def reading(
    t: Texts, trace: AttentionTrace, names: tuple[str, ...], row: int | None, keys: tuple[str, ...] = ()
) -> str:
    """The sentence on the largest weight of every query, or of one `row`. keys: default to the names."""
    rows = range(len(names)) if row is None else [row]
    visible = torch.ones_like(trace.weights) if trace.mask is None else trace.mask.expand_as(trace.weights)
    return t.joined(
        _row_reading(t, trace.weights[i].tolist(), names[i], keys or names, visible[i].bool().tolist())
        for i in rows
    )


def _row_reading(
    t: Texts, weights: list[float], query: str, names: tuple[str, ...], visible: list[bool]
) -> str:
    """The sentence on the largest weights of a row, in the digits on the screen."""
    if not any(weights):
        return t("reading.nothing", query=query)
    best = winners.winners(weights)
    if len(best) > 1 and best == [i for i, seen in enumerate(visible) if seen]:
        return t("reading.uniform", query=query, value=short(weights[best[0]]))
    return winners.sentence(t, "reading.most", names, weights, query=query)
