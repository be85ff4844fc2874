from pages.draw.page import Page
from pages.model.settings import Settings
from tests.support.states import looking, page_in, with_own


def page_of(
    part: str, language: str = "en", *, layer: int = 5, head_of_layer: int = 0, believed: int = 0, **own
) -> Page:
    """The page as a part gets it, without Streamlit."""
    view = looking(language=language, layer=layer, head_of_layer=head_of_layer, believed=believed)
    return page_in("real_heads", part, with_own(Settings(), **own), view)
