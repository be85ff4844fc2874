"""The popover *Share*: what leaves the app as a file, and what a file brings back."""

from urllib.parse import urlencode

import streamlit as st

from pages import session
from pages.draw import inputs, say
from pages.draw.page import Page
from pages.hand import hand_out as panel
from pages.hand.export import CHOICES, FORMATS, Format, ScreenText
from pages.model import files
from pages.model.link import typed_of
from pages.model.view import View

FILE, TEXT, MATRIX = "import_file", "import_text", "import_matrix"
PLACEHOLDER = "tensor([[1.0, 0.5],\n        [0.3, 1.2]])"


def draw(page: Page, screen: ScreenText) -> None:
    """screen: read when a file is asked for, for what a gesture changes does not draw the popover again."""
    t = page.t
    share = session.popover(t("share.title"), "share", keep=True, icon=":material/ios_share:")
    if share is None:
        return
    with share:
        take, bring = st.tabs([t("share.take"), t("share.bring")])
    with take, st.container(gap="xsmall"):
        _typed(page)
        panel.draw(page)
        hides = set(page.stop.hidden) - {"part", *page.part.switches}
        if hides:  # the picture has no hidden numbers, the other files would have them
            say.markdown(t("share.hidden"))
        for group in dict.fromkeys(one.group for one in FORMATS):
            formats = [one for one in FORMATS if one.group == group and not (hides and one.has_every_number)]
            if formats:
                _group(page, group, formats, screen)
    with bring:
        _bring(page)


def _typed(page: Page) -> None:
    """Whether what is shared has the document that was pasted, where there is any; and a link with it."""
    if page.lesson.look is None or not typed_of(View(own=(page.look,))):
        return
    now, about = session.visit(), page.t("help.typed_shared")
    now.shares_typed = st.toggle(page.t("share.typed"), now.shares_typed, key="share_typed", help=about)
    if now.shares_typed:
        query = urlencode(session.link_of(page.lesson.name, typed=True))
        st.code(f"{session.address_of(page.lesson.name)}?{query}", language=None, wrap_lines=True, height=120)


def _group(page: Page, group: str, formats: list[Format], screen: ScreenText) -> None:
    say.markdown(f"**{page.t(f'share.{group}')}** {page.t(f'share.{group}_why')}")
    if group in CHOICES:
        CHOICES[group](page)
    with st.container(horizontal=True, gap="small"):
        for one in formats:
            one.draw(page, screen)


def _bring(page: Page) -> None:
    """Numbers from a file or from text, for one matrix or for all that the file names."""
    t = page.t
    names = [*inputs.names(page.now), *(("y",) if page.lesson.crosses else ())]
    st.selectbox(
        t("share.into"),
        names,
        format_func=inputs.SYMBOLS.__getitem__,
        key=MATRIX,
        help=t("help.import_matrix"),
        width=150,
    )
    suffixes = ("json", "npz", "npy", "csv", "txt")
    st.file_uploader(
        t("share.file"),
        suffixes,
        key=FILE,
        help=t("help.import_file"),
        on_change=_take_file,
        max_upload_size=1,
    )
    st.text_area(t("share.text"), key=TEXT, height=100, help=t("help.import_text"), placeholder=PLACEHOLDER)
    st.button(t("share.use"), key="import_take", on_click=_take_text)


def _take_file() -> None:
    file = session.uploaded_file(FILE)
    if file is None:  # it was taken away again
        return
    matrix = str(session.widget_value(MATRIX))
    session.bring(lambda: files.read(file.name, file.getvalue(), matrix))


def _take_text() -> None:
    text, matrix = str(session.widget_value(TEXT) or ""), str(session.widget_value(MATRIX))
    session.bring(lambda: files.read_text(text, matrix))
