"""The computation of a part for files: that of the settings with the mask that the part draws."""

from collections.abc import Callable
from typing import Any

from attention.lab.masks import masking
from pages.draw import steps
from pages.draw.page import Page
from pages.hand.export.program import Program, of_attention
from pages.model import edits
from pages.model.compute import mask_of

from . import no_looking
from .scene import custom, mask_or_causal, open_mask


def program(page: Page) -> Program | None:
    """With all heads. While a question is open, as where the part has no mask of its own: the settings'."""
    mask = MASKS.get(page.topic.name if page.part.topics else page.part.name)
    if mask is None or page.is_open:
        return None
    settings = edits.with_choice(page.settings, **mask(page), masked_score="-inf")
    return of_attention(steps.of(page.unfollowed(settings)))


def _chosen(page: Page) -> dict[str, Any]:
    """The chosen mask, or the causal one."""
    return {"mask": "causal", "mask_2": "none"} if mask_of(page.settings) is None else {}


def _given(page: Page) -> dict[str, Any]:
    """The mask as both calls get it. The first one reads it as all code of the course does."""
    return custom(~mask_or_causal(page)) if page.own.reversed else _chosen(page)


def _with_empty_row(page: Page) -> dict[str, Any]:
    mask = open_mask(page.settings, mask_of(page.settings))
    return custom(masking.with_fully_masked_row(mask, page.row or 0))


def _corrected(page: Page) -> dict[str, Any]:
    real, n = page.settings.padding, len(page.tokens)
    return custom(masking.left_padded_causal(real, n, attend_to_self=True))


# Part or topic → its mask. Of a right and a wrong way, the files have the right one.
MASKS: dict[str, Callable[[Page], dict[str, Any]]] = {
    "no_looking": lambda page: custom(no_looking.mask_of(page)),
    "fully_masked": _with_empty_row,
    "after_softmax": _chosen,
    "times_zero": _chosen,
    "query_rows": lambda page: {"mask": "padding", "mask_2": "none"},
    "float_mask": _chosen,
    "polarity": _given,
    "left_padding": _corrected,
}
