from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.lessons import lesson
from pages.model.settings import Settings
from pages.model.view import Place
from tests.states import looking, with_own


def page_of(
    part: str, language: str = "en", *, layer: int = 5, head_of_layer: int = 0, believed: int = 0, **own
) -> Page:
    """The page as a part gets it, without Streamlit."""
    this, state = lesson("real_heads"), with_own(Settings(), **own)
    view = looking(language=language, layer=layer, head_of_layer=head_of_layer, believed=believed)
    return Page(this, this.part(part), Texts(language, "real_heads"), state.core, view, Place(), state)
