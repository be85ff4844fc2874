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
entry.stay_in_touch()
session.open_link()
language = session.view().language


def page_of(name: str, **options):
    """The page of that name; its address is its script's stem, which a fresh server needs too (see entry)."""
    address = {"url_path": name} | options
    return st.Page(f"pages/{name}.py", title=Texts(language, name)("lesson.title"), **address)


t = Texts(language)
first, *lessons = map(page_of, LESSONS)
reference = [page_of(name) for name in REFERENCE]
# The app's own address shows the first lesson, too. A link to a script leads to the first page that runs it.
home = page_of(LESSONS[0], url_path="", default=True)
# The links are drawn here: Streamlit's own list would show the scripts' names until app.py has run once.
page = st.navigation([first, *lessons, *reference, home], position="hidden")
with st.sidebar:
    picture.skip_link(t("frame.skip"))
    # At the app's own address Streamlit marks no link: the present page is not the one this leads to.
    st.container(key="home" if page is home else None).page_link(first)
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
