"""What the parts of the lesson on order share: attention with one kind of position, and with none."""

from dataclasses import replace

import streamlit as st

from pages import session
from pages.draw import placing, steps
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.draw.results import EXACT
from pages.model import edits
from pages.picture import Matrix

WITHOUT = "_without"  # the end of the ids of what is computed without positions


def with_position(page: Page, kind: str) -> Page:
    """The page as if its settings had this kind of position; no row is dimmed here."""
    settings = edits.with_choice(page.settings, position=kind)
    return page.unfollowed(settings)


def use(page: Page) -> None:
    """Whether all lessons compute with the kind of position that the part is on."""
    t, kind = page.t, page.part.name

    def change(on: object) -> session.Edit:
        return lambda settings: edits.with_choice(settings, position=kind if on else "none")

    bound = session.bind_edit("use_position", page.settings.position == kind, change, (False, True))
    st.toggle(t("scene.use", kind=t(f"position.{kind}")), help=t("scene.use_help"), **bound)


def without(page: Page) -> Matrix:
    """The attention weights without positions, to compare with."""
    plain = steps.of(with_position(page, "none"))
    return plain.second("weights", WITHOUT, title=page.t("scene.without"), subtitle="")


def sources(page: Page) -> list[placing.Find]:
    """What the weights with positions and without them are made from."""
    return [steps.of(page).find, steps.of(with_position(page, "none")).sources(WITHOUT)]


def with_them(computation: steps.Steps) -> Matrix:
    """The attention weights with positions."""
    return replace(computation["weights"], title=computation.t("scene.with")).looking(subtitle="")


def change_sentence(page: Page) -> str:
    """The largest difference that the part's positions make to a weight of the shown head, if any."""
    moved, plain = (steps.of(with_position(page, kind)).head.weights for kind in (page.part.name, "none"))
    difference = (moved - plain).abs().max().item()
    if difference < EXACT:
        return page.t("scene.not_moved")
    return page.t("scene.moved", difference=apart(difference, decimals=3))
