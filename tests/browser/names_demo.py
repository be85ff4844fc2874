"""Every kind of element that reads Markdown, with hostile names in it (see test_names_are_text)."""

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[2]))
from pages.draw.texts import literal
from tests.hostile.markup import NAMES

for number, name in enumerate(map(literal, NAMES)):
    st.markdown(f"{name}\n\n- {name}\n\n##### {name}\n\n| {name} |\n| --- |\n| {name} |")
    st.caption(name)
    st.info(name)
    st.button(name, key=f"button-{number}")
    st.toggle(name, key=f"toggle-{number}")
    st.pills("pills", [name], format_func=str, key=f"pills-{number}")
    st.segmented_control("control", [name], format_func=str, key=f"control-{number}")
    st.radio("radio", [name], key=f"radio-{number}")
    st.text_input(name, key=f"input-{number}")
    st.popover(name, key=f"popover-{number}")
    st.progress(0.5, name)
    st.expander(name, expanded=True).caption(name)
    st.selectbox("box", [NAMES[number]], key=f"box-{number}")
    st.tabs([name])
st.markdown("The end")
