import pytest

from pages.draw.page import Page
from pages.lessons.masks.scene import MaskScene
from pages.model import edits
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import View
from tests.support.states import page_in

START = edits.example_start("masks")
CATS = Settings()


def page_of(settings: Settings | State, part: str = "gallery", head: int = 0) -> Page:
    """The page as a part gets it, without Streamlit."""
    return page_in("masks", part, settings, View(head=head))


@pytest.fixture(params=["one head", "second of two heads"])
def scene(request) -> MaskScene:
    """The lesson's start, with one head and with two."""
    if request.param == "one head":
        return MaskScene(page_of(START))
    return MaskScene(page_of(edits.resize(START, num_heads=2), head=1))
