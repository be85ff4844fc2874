"""Attention, by hand: the entry point is only a router. Run with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.lessons import LESSONS, REFERENCE
from pages.ui import entry, picture, session
from pages.ui.texts import Texts

SIDEBAR = 230  # px wide

st.set_page_config(page_title="Attention 注意力", layout="wide", initial_sidebar_state=SIDEBAR)
st.html(Path(__file__).parent / "pages" / "ui" / "page.css")
picture.code()
session.open_link()
language = session.view().language


def pages(names: tuple[str, ...]) -> list:
    """A page per name; its address is its script's stem, which a fresh server needs too (see entry)."""
    return [
        st.Page(
            f"pages/{name}.py",
            title=Texts(language, name)("lesson.title"),
            url_path=name,
            default=name == LESSONS[0],
        )
        for name in names
    ]


t = Texts(language)
lessons, reference = pages(LESSONS), pages(REFERENCE)
# The links are drawn here: Streamlit's own list would show the scripts' names until app.py has run once.
page = st.navigation([*lessons, *reference], position="hidden")
with st.sidebar:
    for one in lessons:
        st.page_link(one)
    st.divider()
    for one in reference:
        st.page_link(one)
    st.divider()
    st.segmented_control(
        t("frame.language"),
        ("en", "zh"),
        required=True,
        format_func={"en": "English", "zh": "中文"}.get,
        label_visibility="collapsed",
        **session.bind("language"),
    )
with entry.routing():
    page.run()
