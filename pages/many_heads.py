"""The lesson `Many heads`."""

import streamlit as st

from pages.ui import inputs, lesson, state
from pages.ui.steps import token_names
from pages.ui.texts import Texts

now = state.settings()
t = Texts(now.language, "many_heads")
st.title(t("page.title"))
part = lesson.choose_part(t, now, ("overview", "split", "ablation", "view", "sharing", "code"))
with st.expander(t("page.numbers")):
    inputs.inputs(t, token_names(t, now), lambda: {"charts": {}, "texts": {}})
