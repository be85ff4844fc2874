"""The computation of a part for files: that of the settings with the mask that the part draws."""

from pages.draw import steps
from pages.draw.page import Page
from pages.hand.export.program import Program, of_attention
from pages.model import edits
from pages.model.compute import mask_of

from . import fully_masked, left_padding, no_looking, polarity, query_rows
from .scene import custom, mask_or_causal

# Part or topic → its mask; next to a wrong way, that of the right one.
MASKS = {
    "no_looking": no_looking.drawn_mask,
    "fully_masked": fully_masked.drawn_mask,
    "after_softmax": mask_or_causal,
    "times_zero": mask_or_causal,
    "query_rows": query_rows.right_mask,
    "float_mask": mask_or_causal,
    "polarity": polarity.drawn_mask,
    "left_padding": left_padding.right_mask,
}


def program(page: Page) -> Program | None:
    """With all heads. That of the settings where a part has no mask of its own, or a question is open."""
    make = MASKS.get(page.topic.name if page.part.topics else page.part.name)
    if make is None or page.is_open:
        return None
    mask, chosen = make(page), mask_of(page.settings)
    fields = {} if chosen is not None and mask.equal(chosen) else custom(mask)
    settings = edits.with_choice(page.settings, **fields, masked_score="-inf")
    return of_attention(steps.of(page.unfollowed(settings)))
