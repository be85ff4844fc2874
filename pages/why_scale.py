"""The lesson `Why √d_k`."""

import streamlit as st

from pages.ui import entry, lesson, state
from pages.ui.texts import Texts

PARTS = ("experiment", "spread", "learning", "limits", "yours")

entry.through_app()
now = state.settings()
t = Texts(now.language, "why_scale")
st.title(t("page.title"))
part = lesson.choose_part(t, now, PARTS)
