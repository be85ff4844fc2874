"""The computation of a part for files: that of the settings with the part's kind of position."""

from pages.draw import steps
from pages.draw.page import Page
from pages.hand.export.program import Program, of_attention

from . import alibi, learned, rotary, scene, sinusoidal, swap

KINDS = (sinusoidal.KIND, learned.KIND, rotary.KIND, alibi.KIND)  # each is the name of its part


def program(page: Page) -> Program | None:
    """With all heads; where words change places, with their own order, which brings X back."""
    if page.part.name == "swap":
        variant = swap.in_order(page, range(len(page.tokens)), positions=page.own.with_positions)
    elif page.part.name in KINDS:
        variant = scene.with_position(page, page.part.name)
    else:
        return None
    return of_attention(steps.of(variant))
