import torch

from pages.draw.page import Page
from pages.model.settings import Settings
from pages.model.view import View
from tests.support.states import page_in, with_own

torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other


def page_of(part: str, language: str = "en", **own) -> Page:
    """The page as a part gets it, without Streamlit."""
    return page_in("train_a_head", part, with_own(Settings(), **own), View(language=language))
