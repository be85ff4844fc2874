"""A causal mask with fewer queries than keys: which corner it is counted from."""

import functools
from typing import Any

import torch

from attention import AttentionTrace, causal_mask, scaled_dot_product_attention
from pages.ask import blocks, questions
from pages.draw import inputs, matrix, placing, steps
from pages.draw.page import Page
from pages.draw.texts import quoted
from pages.model import settings as s
from pages.model.compute import needed, trace_of
from pages.picture import Grid, Matrix, softmax_of

QUESTION = "cross_aligned"
NO_MASK = "none"


def draw(page: Page) -> blocks.Blocks:
    if len(page.tokens) < 3:  # a single query is new, which needs no mask
        yield blocks.caption("aligned.three_tokens")
        return
    yield blocks.text("aligned.lead")
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_both)
    yield blocks.text("aligned.libraries")


def _new(page: Page) -> tuple[AttentionTrace, int]:
    """The shown head, and how many of its queries are new."""
    return trace_of(page.settings).head(page.head), (len(page.tokens) + 1) // 2


def _ask(page: Page) -> bool:
    t, page, (head, new) = page.t, page.unfollowed(), _new(page)
    facts = {"q": new, "n": len(page.tokens), "tokens": t.all_of(quoted(page.tokens[-new:]))}
    words = {name: t(f"alignment.{name}") for name in s.ALIGNMENTS} | {NO_MASK: t("aligned.no_mask")}
    look: dict[str, Any] = {"answer": answer(head, new), "words": words, **facts}
    masks = [_mask(page, name, new) for name in s.ALIGNMENTS]
    return questions.ask(page, QUESTION, matrices=masks, **look)


def _both(page: Page) -> None:
    """Both masks and their weights, next to those of the whole sequence."""
    page, (head, new) = page.unfollowed(), _new(page)
    n, tokens = len(page.tokens), list(page.tokens)
    full = _attend(head, n, "upper_left")
    look: dict[str, Any] = {"kind": "weights", "masked": steps.hidden(causal_mask(n))}
    look["recipe"] = softmax_of(needed(full.masked_scores).tolist())
    look["ringed"] = [(row, col) for row in range(n - new, n) for col in range(n)]
    matrices = [
        inputs.matrix(page, "x"),
        *(_mask(page, name, new) for name in s.ALIGNMENTS),
        matrix.of("whole", page.t("aligned.whole"), full.weights, tokens, tokens, **look),
        *(_weights(page, head, name, new) for name in s.ALIGNMENTS),
    ]
    rows = [["x", "mask_upper_left", "mask_lower_right"], ["whole", "upper_left", "lower_right"]]
    placing.draw(page, "aligned", matrices, [Grid(rows)])


@functools.lru_cache(maxsize=16)
def _attend(head: AttentionTrace, new: int, alignment: str) -> AttentionTrace:
    """The last `new` queries against all keys, under a causal mask or none."""
    n = head.key.shape[-2]
    mask = None if alignment == NO_MASK else causal_mask(new, n, alignment=alignment)
    return scaled_dot_product_attention(
        head.query[n - new :], head.key, head.value, mask=mask, scale=head.scale
    )


def answer(head: AttentionTrace, new: int) -> str:
    """The mask that gives the last queries the weights that they have in the whole sequence."""
    whole = _attend(head, head.key.shape[-2], "upper_left").weights[-new:]
    ways = (NO_MASK, *s.ALIGNMENTS)  # the last one fits whatever the numbers are
    return [name for name in ways if torch.allclose(_attend(head, new, name).weights, whole)][-1]


def _mask(page: Page, alignment: str, new: int) -> Matrix:
    mask = causal_mask(new, len(page.tokens), alignment=alignment)
    return _rectangle(page, f"mask_{alignment}", alignment, mask, new, kind="mask")


def _weights(page: Page, head: AttentionTrace, alignment: str, new: int) -> Matrix:
    result = _attend(head, new, alignment)
    masked = steps.hidden(result.mask)
    recipe = softmax_of(needed(result.masked_scores).tolist())
    return _rectangle(
        page, alignment, alignment, result.weights, new, kind="weights", masked=masked, recipe=recipe
    )


def _rectangle(page: Page, name: str, alignment: str, tensor: torch.Tensor, new: int, **extra) -> Matrix:
    return matrix.of(
        name,
        page.t(f"alignment.{alignment}"),
        tensor,
        page.tokens[-new:],
        page.tokens,
        **page.axes,
        **extra,
    )
