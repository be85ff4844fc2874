"""The yardstick: a Streamlit page with one widget."""

import streamlit as st

on = st.checkbox("a widget")
st.write(f"it is {on}")
