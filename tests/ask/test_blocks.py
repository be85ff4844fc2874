"""What belongs together in a part, and where a teacher's own question is."""

from dataclasses import replace

import pytest

from pages.ask import blocks
from pages.model.view import Place
from pages.shell import frame
from tests.support.course import PLACES
from tests.support.states import page_in, start_of

OWN = blocks.PartBlock("question", "own", lambda page: None)


def part_of(kinds: str) -> list[blocks.PartBlock]:
    return [blocks.PartBlock(kind, str(i), lambda page: None) for i, kind in enumerate(kinds.split())]


def kinds_of(units: list[list[blocks.PartBlock]]) -> str:
    return " | ".join(" ".join("own" if block is OWN else block.kind for block in unit) for unit in units)


@pytest.mark.parametrize(
    ("kinds", "units"),
    [
        ("text control picture said", "text control picture said"),
        ("picture said control chart", "picture said | control chart"),
        ("question control picture", "question | control picture"),
        ("picture control text", "picture control text"),  # at the end they belong to the last figure
        ("picture text question", "picture | text question"),
        ("picture picture said said", "picture | picture said said"),
        ("picture text said text chart", "picture text said | text chart"),
        ("text control", "text control"),
        ("work said", "work said"),
    ],
)
def test_a_figure_has_the_controls_before_it_and_what_is_said_of_it(kinds, units):
    assert kinds_of(blocks.units(part_of(kinds))) == units


@pytest.mark.parametrize(
    ("kinds", "units"),
    [
        ("text picture said question picture", "text picture said | own | question | picture"),
        ("control question picture", "own | control question | picture"),  # which may be open
        ("text", "text | own"),
        ("chart", "chart | own"),
    ],
)
def test_an_own_question_follows_the_first_figure(kinds, units):
    assert kinds_of(blocks.with_own(blocks.units(part_of(kinds)), OWN)) == units


def test_an_edit_draws_all_where_there_is_long_work():
    assert blocks.shape(part_of("picture work")) == ()
    assert blocks.shape(part_of("picture said")) == (("picture", "0"), ("said", "1"))


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_the_blocks_of_a_part_are_told_apart_by_their_names(place):
    """Else an edit would not notice that one of them has taken the place of another."""
    page = page_in(place.lesson, place.part, start_of(place.lesson))
    page = replace(page, place=Place(place.part, topic=place.topic))
    named = [(block.kind, block.name) for block in frame._blocks(page)]
    assert len(set(named)) == len(named)
