"""Positions, and the forms of Q and K, in a picture of the whole computation."""

from dataclasses import replace

from pages.draw import say
from pages.model import edits
from pages.model.settings import Settings
from pages.picture import GridRows

from .page import Page
from .steps import SWITCHES, Steps


def with_positions(way: Steps, rows: GridRows) -> GridRows:
    """Adds X, positions and the forms of Q and K to the rows of a grid whose last row has Q, K, V.

    X, or X + P below P, is left of Q; each form of Q and K is below Q and K.
    """
    *upper, last = rows
    prepared = [[None, f"{form}_query", f"{form}_key", None] for form in way.forms]
    if way.added:
        upper = [[None, None, *row] for row in upper]
        upper[0][:2] = ["x", "p"]
        return [*upper, [None, "x_p", *last], *([None, *row] for row in prepared)]
    return [*([None, *row] for row in upper), ["x", *last], *prepared]


def without(page: Page) -> Page:
    """The page without steps that a switch adds, with a caption if such a step is set aside."""
    plain = plainly(page)
    if plain.settings != page.settings:
        say.caption(page.t("position.set_aside"))
    return plain


def plainly(page: Page) -> Page:
    """The page without steps that a switch adds."""
    plain = set_aside(page.settings)
    return page if plain == page.settings else replace(page, settings=plain)


def set_aside(settings: Settings) -> Settings:
    """The settings without steps that a switch adds."""
    return edits.with_choice(settings, **{name: getattr(Settings(), name) for name in SWITCHES})
