"""What the parts of the lesson on masks share: the learner's scores under another mask, as matrices."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention import causal_mask
from pages import picture, session
from pages.ask import blocks
from pages.draw import arithmetic, controls, inputs, matrix, placing, say, steps
from pages.draw.page import Page
from pages.draw.texts import literal, quoted
from pages.model.compute import mask_of, needed
from pages.model.settings import Settings
from pages.picture import Matrix, Passage


class MaskScene:
    """The shown head's scores, and matrices with a row per query that are made from them."""

    def __init__(self, page: Page):
        page = page.unfollowed()  # in this lesson rows are compared, and none is dimmed
        self.page, self.t, self.settings = page, page.t, page.settings
        self.steps = steps.of(page)
        self.head = self.steps.head
        self.names = page.tokens

    def draw(self, name: str, *matrices: Sequence, said: Sequence[str] = (), **look: Any) -> None:
        """A picture of the part; what its matrices are made from is known. said: what its numbers show."""
        look["passages"] = [*([Passage("", said)] if said else []), *look.get("passages", ())]
        placing.draw(self.page, name, *matrices, sources=[self.steps.find], **look)

    def numbers(self) -> Matrix:
        """X, to edit next to what follows from it."""
        return inputs.matrix(self.page, "x")

    def scaled(self, **extra) -> Matrix:
        """The scaled scores."""
        scores = self.head.unmasked_scores.tolist()  # with ALiBi's bias, where there is one
        changes: dict[str, Any] = {"values": scores, "title": self.t("panel.scaled"), "subtitle": ""}
        if self.steps.biased:
            terms = [needed(self.head.scaled_scores), needed(self.head.bias)]
            changes["recipe"] = arithmetic.sums(terms, self.head.unmasked_scores)
        return self.steps["scaled_scores"].having(**changes | extra)

    def masked(self, mask: Tensor, of: str = "scaled_scores") -> Matrix:
        """The scaled scores with −∞ where the mask masks."""
        scores = self.head.unmasked_scores
        return self.square(
            "masked_scores",
            scores.masked_fill(~mask, -torch.inf),
            mask,
            recipe=picture.masked_from(of),
            bound=picture.nice_bound(scores.tolist()),
        )

    def square(self, name: str, tensor: Tensor, mask: Tensor | None = None, **extra) -> Matrix:
        """A matrix of numbers with a row per query and a column per key; masked cells are grey."""
        return matrix.square(
            self.page, name, self.t(f"panel.{name}"), tensor, masked=steps.hidden(mask), **extra
        )

    def mask(self, mask: Tensor, name: str = "mask") -> Matrix:
        return self.square(name, mask)

    def weights(self, name: str, tensor: Tensor, mask: Tensor | None = None, **extra) -> Matrix:
        """Attention weights, by default the softmax of the masked scores; grey: masked, without weight."""
        visible = None if mask is None else mask | (tensor != 0)
        if "recipe" not in extra:
            scores = self.head.unmasked_scores
            scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
            extra["recipe"] = picture.softmax_of(scores.tolist())
        return self.square(name, tensor, visible, kind="weights", **extra)

    def sums(self, name: str, of: str, tensor: Tensor) -> Matrix:
        """The sums of the rows of some weights."""
        look = {"kind": "weights", "recipe": picture.total(of), "alt": self.t("panel.sums")}
        return matrix.by_query(self.page, name, "Σ", tensor.sum(-1, keepdim=True), ["Σ"], **look)

    def mixture(self, name: str, tensor: Tensor, **extra) -> Matrix:
        """An output: a row per query, a column per number of a value."""
        return matrix.by_query(self.page, name, self.t(f"panel.{name}"), tensor, **extra)


def open_mask(settings: Settings, mask: Tensor | None) -> Tensor:
    """The mask, or one that masks nothing."""
    n = len(settings.tokens)
    return torch.ones(n, n, dtype=torch.bool) if mask is None else mask


def mask_or_causal(page: Page) -> Tensor:
    """The chosen mask; the causal mask where no mask is chosen."""
    mask = mask_of(page.settings)
    return causal_mask(len(page.settings.tokens)) if mask is None else mask


def custom(mask: Tensor) -> dict[str, Any]:
    """The settings of this mask alone."""
    blocked = frozenset(map(tuple, (~mask).nonzero().tolist()))
    return {"mask": "custom", "mask_2": "none", "blocked": blocked}


def say_stand_in(page: Page) -> None:
    """Says that the causal mask is used, where no mask is chosen."""
    if mask_of(page.settings) is None:
        say.caption(page.t("scene.stand_in"))


def row_names(page: Page, chosen: Tensor) -> str:
    """The names of the rows that are chosen, or the word for none."""
    names = [name for name, yes in zip(page.tokens, chosen.tolist(), strict=True) if yes]
    return page.t.all_of(quoted(names)) or page.t("scene.nobody")


def literal_names(page: Page) -> tuple[str, ...]:
    """The tokens' names for Markdown."""
    return tuple(map(literal, page.tokens))


def choose_head(page: Page) -> None:
    """Which head's scores are masked here, where there are several."""
    if page.settings.num_heads > 1:
        controls.choose_head(page, page.settings.num_heads, "help.head", "_page")


def padding(page: Page) -> blocks.Blocks:
    """The head and the number of real tokens, to choose; says so where all are real."""
    yield blocks.control(choose_head)
    yield blocks.control(_choose_padding)
    if page.settings.padding == len(page.tokens):
        yield blocks.caption("padding_part.all_real")


def _choose_padding(page: Page) -> None:
    with st.container(width=260):
        controls.mask_numbers(page, {"padding"}, where="_here")


def choose_row(page: Page) -> None:
    """Which query's row is fully masked; the first one until another is chosen."""
    st.segmented_control(
        page.t("scene.row"),
        range(len(page.tokens)),
        required=True,
        format_func=literal_names(page).__getitem__,
        help=page.t("scene.row_help"),
        **session.bind("row", page.row or 0, lambda row: page.go(row=row)),
    )
