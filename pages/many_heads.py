"""The lesson `Many heads`: several heads at once, how they are split and joined, and what goes wrong."""

import streamlit as st

from pages.ui import edits, entry, head_facts, inputs, lesson, state
from pages.ui import settings as s
from pages.ui.head_parts import PARTS, HeadsLesson
from pages.ui.sidebar import bound
from pages.ui.steps import token_names
from pages.ui.texts import Texts

entry.through_app()
now = state.settings()
t = Texts(now.language, "one_head", "many_heads")


def choose_heads() -> None:
    """Head count and key/value heads, and what they cost."""

    def resized(field: str):
        return lambda now, value: edits.resize(now, **{field: int(value)})

    with st.container(horizontal=True, vertical_alignment="bottom"):
        heads = bound("num_heads", now.num_heads, resized("num_heads"), where="_page")
        st.number_input(t("sidebar.heads"), 1, s.MAX_HEADS, step=1, width=130, **heads)
        shares = [count for count in range(1, now.num_heads + 1) if now.num_heads % count == 0]
        kv_heads = bound("num_kv_heads", now.kv_heads, resized("num_kv_heads"), where="_page")
        st.selectbox(t("sidebar.kv_heads"), shares, format_func=str, width=190, **kv_heads)
        d_k = bound("d_k", now.head_dim, resized("d_k"), where="_page")
        st.number_input(t("sidebar.d_k"), 1, s.MAX_WIDTH, step=1, width=220, **d_k)
    cost = head_facts.cost(now, now.kv_heads)
    st.caption(t("page.cost", parameters=cost.parameters, cache=cost.cache))


def offer_two() -> None:
    """One head only: the ways to more."""
    st.info(t("page.one_head"))
    with st.container(horizontal=True):
        two = (lambda now: edits.resize(now, num_heads=2),)
        st.button(t("page.two_heads"), key="two_heads", on_click=state.edit, args=two)
        jobs = (lambda now: edits.load_example(now, "two_jobs"),)
        st.button(t("page.two_jobs"), key="two_jobs", on_click=state.edit, args=jobs)


def live() -> dict:
    return HeadsLesson(t).live(part)


st.title(t("page.title"))
st.markdown(t("page.lead"))
choose_heads()
if now.num_heads == 1:
    offer_two()
elif now.example != "two_jobs":
    st.button(
        t("page.two_jobs"),
        key="two_jobs",
        type="tertiary",
        on_click=state.edit,
        args=(lambda now: edits.load_example(now, "two_jobs"),),
    )
part = lesson.choose_part(t, now, PARTS)
with st.expander(t("page.numbers")):
    inputs.inputs(t, token_names(t, now), live)
    inputs.fill_tools(t)
HeadsLesson(t).draw(part)
