"""The lesson `Masks`."""

import streamlit as st

from pages.ui import inputs, lesson, state
from pages.ui.steps import token_names
from pages.ui.texts import Texts

now = state.settings()
t = Texts(now.language, "attention_masks")
st.title(t("page.title"))
part = lesson.choose_part(t, now, ("gallery", "dead", "half", "wrong", "cross"))
with st.expander(t("page.numbers")):
    inputs.inputs(t, token_names(t, now), lambda: {"charts": {}, "texts": {}})
