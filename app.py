"""Attention, by hand: the entry point is only a router. Run with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st

from pages.lessons import LESSONS
from pages.ui import core, entry, session
from pages.ui.texts import Texts

core.start()
st.set_page_config(page_title="Attention 注意力", layout="wide")
st.html(Path(__file__).parent / "pages" / "ui" / "page.css")
session.open_link()


def title(name: str) -> str:
    return Texts(session.view().language, name)("lesson.title")


page = st.navigation(
    [
        st.Page(f"pages/{name}.py", title=title(name), url_path=name, default=name == LESSONS[0])
        for name in LESSONS
    ]
)
with st.sidebar:
    st.segmented_control(
        "Language 语言",
        ("en", "zh"),
        required=True,
        format_func={"en": "English", "zh": "中文"}.get,
        label_visibility="collapsed",
        **session.bind("language"),
    )
with entry.routing():
    page.run()
