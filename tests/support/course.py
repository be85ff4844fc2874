"""The course as tests read it, and links that are read with it."""

import importlib
import inspect

from pages.model import link
from pages.model.course import Location
from pages.model.state import State
from pages.model.view import Place, View
from pages.shell.course import COURSE

TAUGHT = tuple(lesson.name for lesson in COURSE.taught)
LESSONS = tuple(lesson.name for lesson in COURSE.lessons)
REFERENCE = tuple(page.name for page in COURSE.reference)
LISTED = (*LESSONS, *(page.name for page in COURSE.reference if not page.front))  # in the sidebar
PLACES = tuple(
    Location(page.name, part.name, topic)
    for page in COURSE.pages.values()
    for part in page.parts
    for topic in ([topic.name for topic in part.topics] or (None,))
)
lesson = COURSE.pages.__getitem__


def gives_blocks(place: Location) -> bool:
    """Whether the part gives blocks (see pages/ask/blocks.py); an exercise draws itself."""
    part = importlib.import_module(f"pages.lessons.{place.lesson}.{place.part}")
    return inspect.isgeneratorfunction(part.draw)


def from_query(query: link.Query, language: str = "en"):
    """What the link brings: the state, the view, the place, and what is wrong with it."""
    return link.from_query(query, COURSE, language)


def link_of(place: tuple) -> dict[str, str]:
    """The link of a place: lesson, part and topic."""
    _, part, topic = place
    return link.to_query(State(), View(), Place(part, topic=topic))
