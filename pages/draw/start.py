"""The picture that a visit begins with, as data: on a fresh server it is shown while PyTorch is imported.

The core has made it: `python -m tests.tools.start_picture` writes it, and a test compares the two. So nothing
here needs the core.
"""

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from pages import session
from pages.model.languages import LANGUAGES
from pages.model.view import Place, View

from . import figure, inputs
from .page import Page
from .picture import Arrow, Flow, Grid, Matrix, PanelStep
from .texts import LESSONS


@dataclass(frozen=True)
class StartPicture:
    """What of a picture needs the core: the computed matrices, the way through all of them, and the steps.

    name: of the picture on its page.
    """

    name: str
    matrices: list[Matrix]
    layout: list[Grid | Flow]
    steps: list[PanelStep]


def path_of(lesson: str, language: str) -> Path:
    """The file with the picture; few lessons have one."""
    return LESSONS / lesson / f"start_{language}.json"


def fields_of(lesson: str, language: str) -> dict:
    """What the file says: the fields of the records below."""
    return json.loads(path_of(lesson, language).read_text("utf-8"))


@functools.cache
def of(lesson: str, language: str) -> StartPicture | None:
    """The picture that the lesson begins with in that language; None where there is no file."""
    if not path_of(lesson, language).exists():
        return None
    parts = fields_of(lesson, language)
    return StartPicture(
        parts["name"],
        [Matrix(**one) for one in parts["matrices"]],
        [_band(one) for one in parts["layout"]],
        [PanelStep(**one) for one in parts["steps"]],
    )


def _band(fields: dict) -> Grid | Flow:
    if fields["kind"] == "grid":
        return Grid(fields["rows"])
    return Flow([one if isinstance(one, str) else Arrow(one["arrow"]) for one in fields["items"]])


def of_page(page: Page) -> StartPicture | None:
    """The picture of the page, if it is the one that a visit without a link begins with."""
    language, lesson = page.view.language, page.lesson
    begins = session.beginning(LANGUAGES[language].example).core
    same = (page.now, page.view, page.place) == (begins, View(language=language), Place())
    return of(lesson.name, language) if same else None


def draw(page: Page, picture: StartPicture) -> None:
    """Draws it like the picture that is computed later, and says that an edit waits."""
    figure.draw(
        page,
        picture.name,
        [*(inputs.matrix(page, name) for name in inputs.names(page.now)), *picture.matrices],
        picture.layout,
        steps=picture.steps,
        fit=True,
        note=page.t("frame.starting_results"),
        starting=True,
        follow=True,
    )
