"""Attention, by hand: the entry point is only a router. Run with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.lessons import LESSONS, REFERENCE
from pages.ui import core, entry, picture, session
from pages.ui.texts import Texts

SIDEBAR = 230  # px wide

core.start()
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
page = st.navigation({"": pages(LESSONS), t("frame.reference"): pages(REFERENCE)})
with st.sidebar:
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
