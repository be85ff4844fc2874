"""The computation of a part for files where it is not that of the settings."""

from dataclasses import replace

from pages.draw.page import Page
from pages.hand.export.program import Program, of_settings, of_variant
from pages.model import edits

from . import alignment, scene


def program(page: Page) -> Program | None:
    """Without the mask, or within X; None where it is that of the settings, and before the answer."""
    if page.part.name == "predict":
        return of_variant(page, scene.without_mask(page).settings)
    if page.part.name != "alignment" or len(page.tokens) < 3 or page.answer(alignment.QUESTION) is None:
        return None
    fields = {"mask": "causal", "mask_2": "none", "masked_score": "-inf"}
    if page.settings.position == "alibi":  # the part has no bias
        fields["position"] = "none"
    whole = page.unfollowed(edits.with_choice(page.settings, **fields))
    within = replace(whole, lesson=replace(page.lesson, crosses=False))
    return replace(of_settings(within), about=page.t("program.whole"))
