"""Where positions and the forms of Q and K are in a picture of the whole computation."""

from dataclasses import replace

from pages.draw import say
from pages.model import edits
from pages.model.settings import Settings

from .page import Page
from .picture import GridRows
from .steps import SWITCHES, Steps


def beside(way: Steps, rows: GridRows) -> GridRows:
    """The rows of a grid whose last row has Q, K, V, with X in front of it, and with what positions add.

    X + P is where X is without them, below P; each form of Q and K is below Q and K.
    """
    *upper, last = rows
    prepared = [[None, f"{form}_query", f"{form}_key", None] for form in way.forms]
    if way.added:
        upper = [[None, None, *row] for row in upper]
        upper[0][:2] = ["x", "p"]
        return [*upper, [None, "x_p", *last], *([None, *row] for row in prepared)]
    return [*([None, *row] for row in upper), ["x", *last], *prepared]


def without(page: Page) -> Page:
    """The page without the steps that a switch brings about; if one is on, it says that it is set aside."""
    plain = plainly(page)
    if plain.now != page.now:
        say.caption(page.t("position.set_aside"))
    return plain


def plainly(page: Page) -> Page:
    """The page without the steps that a switch brings about."""
    plain = set_aside(page.now)
    return page if plain == page.now else replace(page, now=plain)


def set_aside(now: Settings) -> Settings:
    """The settings without the steps that a switch brings about."""
    return edits.with_choice(now, **{name: getattr(Settings(), name) for name in SWITCHES})
