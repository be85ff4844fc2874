"""The computation of a part for files, where it is one on the learner's numbers."""

from pages.draw import positions, steps
from pages.draw.page import Page
from pages.hand.export.program import Program, of_attention


def program(page: Page) -> Program | None:
    """Without positions, as the part draws it; with the cap where that is the subject."""
    if page.part.name != "yours":
        return None
    plain = positions.plainly(page)
    capped = page.topic.name == "capped"
    return of_attention(steps.capped(plain, page.own.softcap) if capped else steps.of(plain))
