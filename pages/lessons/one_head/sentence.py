"""The sentence of the course, which the first hour computes with.

Its numbers are the learner's as long as they are the sentence's own or changes of them; switches do not
count. Where the learner has other numbers, the sentence has its own ones, and one press loads them.
"""

from dataclasses import replace

from pages import session
from pages.draw import own_sentence, say
from pages.draw.page import Page
from pages.model.edits import example_start
from pages.model.examples import family, in_language
from pages.model.settings import Settings

NAME = "tired"
IT, STREET = 2, 1  # its rows
ENTRIES = ("tokens", "dimensions", "x", "w_q", "w_k", "w_v")
SIZES = ("tokens", "d_model", "num_heads", "head_dim", "value_dim", "b_q")


def start(page: Page) -> Settings:
    """The sentence as it begins, in the language of the learner's numbers or else of the page."""
    settings = page.settings
    return example_start(
        settings.example if family(settings.example) == NAME else in_language(NAME, page.t.language)
    )


def is_own(page: Page) -> bool:
    """Whether the learner's numbers are those of the sentence, or changes of them."""
    settings, first = page.settings, start(page)
    return family(settings.example) == NAME and all(
        _size(getattr(settings, name)) == _size(getattr(first, name)) for name in SIZES
    )


def _size(value: tuple | int | None) -> int | None:
    return len(value) if isinstance(value, tuple) else value


def told(page: Page) -> Page:
    """The page with the sentence, and without switches."""
    first = start(page)
    own = {name: getattr(page.settings, name) for name in ENTRIES} if is_own(page) else {}
    return page.unfollowed(replace(first, **own))


def may_edit(page: Page, matrix: str) -> bool:
    """Whether the matrix can be changed: the numbers are the learner's, and no teacher's link locks it."""
    return is_own(page) and matrix not in page.stop.fixed


def loading(page: Page) -> None:
    """Where the learner has other numbers, says so; the way to the sentence's, or to the learner's."""
    mine = session.mine()
    if not is_own(page):
        say.caption(page.t("sentence.other"))
        _button(page, "load")
    elif mine is not None and not is_own(replace(page, settings=mine)):
        say.caption(page.t("sentence.other"))
    else:
        own_sentence.offer(page)


def way_back(page: Page) -> None:
    """Where the learner has changed the sentence's numbers, the way back. It is below what is changed."""
    first = start(page)
    if is_own(page) and any(getattr(page.settings, name) != getattr(first, name) for name in ENTRIES):
        _button(page, "again")


def _button(page: Page, text: str) -> None:
    first = start(page)
    page.button(page.t(f"sentence.{text}"), "sentence", lambda settings: first, loads=True)
