"""The lesson `Softmax`."""

import streamlit as st

from pages.ui import entry, lesson, state
from pages.ui.texts import Texts

PARTS = ("bars", "temperature", "stable", "axes", "jacobian", "dropout")

entry.through_app()
now = state.settings()
t = Texts(now.language, "soft_max")
st.title(t("page.title"))
part = lesson.choose_part(t, now, PARTS)
