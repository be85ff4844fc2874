"""The lesson `Masks`: all kinds of them, rows that see nothing, the wrong ways, two sequences."""

import streamlit as st

from pages.ui import (
    choices,
    entry,
    inputs,
    lesson,
    masks_cross,
    masks_dead,
    masks_gallery,
    masks_half,
    masks_wrong,
    state,
    step_view,
)
from pages.ui.steps import token_names
from pages.ui.texts import Texts

PARTS = {
    "gallery": masks_gallery,
    "dead": masks_dead,
    "half": masks_half,
    "wrong": masks_wrong,
    "cross": masks_cross,
}

entry.through_app()
now = state.settings()
t = Texts(now.language, "one_head", "attention_masks")


def live() -> dict:
    """Everything on the page that follows an edit at once."""
    now = state.settings()
    shown = PARTS[part].contents(t, now)
    return {
        "charts": {name: step_view.live_table(now, view) for name, view in shown.views.items()},
        "texts": shown.texts,
    }


st.title(t("page.title"))
st.markdown(t("page.lead"))
part = lesson.choose_part(t, now, tuple(PARTS))
to_edit = part == "cross" or "custom" in (now.mask, now.mask_2)
with st.expander(t("page.numbers"), expanded=to_edit):
    inputs.inputs(t, token_names(t, now), live)
choices.shown_head(t, now)
PARTS[part].draw(t, now)
