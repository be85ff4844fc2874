"""The lesson `Softmax`: scores to weights, temperature, precision, the axis, the Jacobian, dropout."""

import streamlit as st

from pages.ui import (
    entry,
    inputs,
    lesson,
    softmax_axes,
    softmax_bars,
    softmax_dropout,
    softmax_jacobian,
    softmax_stable,
    softmax_temperature,
    state,
)
from pages.ui.steps import token_names
from pages.ui.texts import Texts

PARTS = {
    "bars": softmax_bars,
    "temperature": softmax_temperature,
    "stable": softmax_stable,
    "axes": softmax_axes,
    "jacobian": softmax_jacobian,
    "dropout": softmax_dropout,
}

entry.through_app()
now = state.settings()
t = Texts(now.language, "one_head", "soft_max")


def live() -> dict:
    """Everything on the page that follows an edit at once."""
    now = state.settings()
    return PARTS[part].contents(t, now, live=True).live(now)


st.title(t("page.title"))
st.markdown(t("page.lead"))
part = lesson.choose_part(t, now, tuple(PARTS))
st.markdown(t(f"intro.{part}"))
if edited := PARTS[part].EDITED:
    inputs.inputs(t, (), live, names=edited)
else:
    with st.expander(t("page.numbers")):
        inputs.inputs(t, token_names(t, now), live)
        inputs.fill_tools(t)
PARTS[part].draw(t, now)
