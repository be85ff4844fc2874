"""Links that open one state of a lesson: its own start, no answers given."""

from pages.ask import links
from pages.draw.page import Page
from pages.model.course import Lesson
from pages.model.edits import example_start
from pages.model.state import State
from pages.model.view import Place, View


def opened(page: Page, name: str, label: str, place: Place | None = None) -> None:
    """A link to that place of the lesson, with the numbers of its start."""
    language = page.t.language
    settings = beginning(page.course.pages[name], language).core
    links.to_lesson(name, label, place or Place(), settings, View(language=language))


def beginning(lesson: Lesson, language: str) -> State:
    """The numbers of the lesson's start, for readers of that language."""
    return State(core=example_start(lesson.begins(language)))
