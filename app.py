"""Attention, by hand: the entry point is only a router. Run with `streamlit run app.py`."""

from pathlib import Path

import streamlit as st
import torch

from pages.ui import entry, state
from pages.ui.messages import show_problems
from pages.ui.sidebar import sidebar
from pages.ui.texts import Texts

torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other
st.set_page_config(page_title="Attention 注意力", layout="wide")

st.html(Path(__file__).parent / "pages" / "ui" / "page.css")
state.open_link()
texts = Texts(state.settings().language)
page = st.navigation(
    [
        st.Page("pages/one_head.py", title=texts("app.one_head"), url_path="one_head", default=True),
        st.Page("pages/why_scale.py", title=texts("app.why_scale"), url_path="why_scale"),
        st.Page("pages/soft_max.py", title=texts("app.soft_max"), url_path="soft_max"),
        st.Page("pages/many_heads.py", title=texts("app.many_heads"), url_path="many_heads"),
        st.Page("pages/attention_masks.py", title=texts("app.attention_masks"), url_path="attention_masks"),
    ]
)
sidebar(texts, page.url_path)
show_problems(texts)
with entry.routing():
    page.run()
state.write_link()
state.end_run()
