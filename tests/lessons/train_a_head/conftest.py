import torch

from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.lessons import lesson
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.states import with_own

torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other


def page_of(part: str, language: str = "en", **own) -> Page:
    """The page as a part gets it, without Streamlit."""
    this, state = lesson("train_a_head"), with_own(Settings(), **own)
    view = View(language=language)
    return Page(this, this.part(part), Texts(language, "train_a_head"), state.core, view, Place(), state)
