"""The numbers of a question: the present ones, or those of an example where these make no good question."""

from collections.abc import Callable
from dataclasses import replace

from pages import session
from pages.draw.page import Page
from pages.model.compute import trace_of
from pages.model.edits import example_start
from pages.model.settings import Settings

EVEN = 5e-3  # scores and weights that differ by less read alike


def fitting(page: Page, fits: Callable[[Page], bool]) -> Page:
    """The page, if its numbers fit; or else with the example that the place begins with, which does."""
    if fits(page):
        return page
    core = example_start(session.start_of(page.lesson))
    return replace(page.with_numbers(replace(page.numbers, core=core)), stands_in=core.example)


def are_telling(settings: Settings) -> bool:
    """Whether each token has a query, a key and a value that are not 0, and scores that are not all alike."""
    heads = trace_of(settings).heads
    rows = (heads.query, heads.key, heads.value)
    spread = heads.scaled_scores.amax(-1) - heads.scaled_scores.amin(-1)
    return all(bool(row.abs().amax(-1).gt(0).all()) for row in rows) and bool((spread > EVEN).all())
