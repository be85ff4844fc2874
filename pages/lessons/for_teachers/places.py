"""Links that open one state of a lesson: its own start, no answers given."""

from pages.ask import links
from pages.draw.page import Page
from pages.model.course import Lesson
from pages.model.edits import example_start
from pages.model.examples import in_language
from pages.model.state import State
from pages.model.view import Place, View


def opened(page: Page, name: str, label: str, place: Place | None = None, example: str | None = None) -> None:
    """A link to that place of the lesson, with an example's numbers: by default the lesson's first."""
    language = page.t.language
    settings = beginning(page.course.pages[name], example, language).core
    links.to_lesson(name, label, place or Place(), settings, View(language=language))


def beginning(lesson: Lesson, example: str | None, language: str) -> State:
    """The numbers of an example, by default of the lesson's start, for readers of that language."""
    return State(core=example_start(in_language(example, language) if example else lesson.begins(language)))
