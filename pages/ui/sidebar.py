"""The sidebar: every switch is a view of the settings, so undo, links and examples move it too."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from . import edits, state
from . import settings as s
from .entries import parse_lengths
from .examples import EXAMPLES
from .texts import Texts, literal

# The lessons with numbers of their own, and their parts that use the matrices all the same.
USING_MATRICES = {"why_scale": ("yours",), "soft_max": ("axes", "dropout")}


def _take(key: str, change: Callable[[s.Settings, object], s.Settings]) -> None:
    """Applies a widget's new value; the widget shows the settings again on the run that follows."""
    value = st.session_state[key]
    if value is not None:
        state.edit(lambda now: change(now, value))


def bound(
    field: str,
    value: object,
    change: Callable[[s.Settings, object], s.Settings] | None = None,
    *,
    where: str = "",
) -> dict:
    """The arguments that bind a widget to a field of the settings; `where`, if the page has two for it."""
    key = f"set_{field}{where}"
    st.session_state[key] = value
    change = change or (lambda now, new: edits.with_choice(now, **{field: new}))
    return {"key": key, "on_change": _take, "args": (key, change)}


def sidebar(t: Texts, lesson: str) -> None:
    """Draws the switches that do something on this page, for the present settings."""
    now = state.settings()
    with st.sidebar:
        _language(t, now)
        _history(t)
        if lesson in USING_MATRICES and now.part not in USING_MATRICES[lesson]:
            return
        st.selectbox(
            t("sidebar.example"),
            list(EXAMPLES),
            format_func=lambda name: t(f"example.{name}"),
            **bound("example", now.example, edits.load_example),
        )
        _tokens(t, now)
        _heads_and_sizes(t, now)
        _scaling(t, now)
        _mask(t, now)


def _language(t: Texts, now: s.Settings) -> None:
    names = {"en": "English", "zh": "中文"}
    st.segmented_control(
        t("sidebar.language"),
        list(names),
        required=True,
        format_func=names.get,
        label_visibility="collapsed",
        **bound("language", now.language),
    )


def _history(t: Texts) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(t("sidebar.undo"), key="undo", on_click=state.undo, disabled=not st.session_state["past"])
        st.button(t("sidebar.redo"), key="redo", on_click=state.redo, disabled=not st.session_state["future"])
        st.button(t("sidebar.reset"), key="reset", on_click=state.reset)


def _tokens(t: Texts, now: s.Settings) -> None:
    count = len(now.tokens)
    chosen = min(st.session_state.get("token", 0), count - 1)
    st.session_state["token"] = chosen
    st.selectbox(
        t("sidebar.token"),
        range(count),
        format_func=lambda i: f"{i + 1}: {now.tokens[i]}",
        key="token",
    )
    chosen = st.session_state["token"]
    st.text_input(
        t("sidebar.token_name"),
        **bound("token_name", now.tokens[chosen], lambda now, text: edits.rename_token(now, chosen, text)),
    )
    with st.container(horizontal=True, gap="small"):
        st.button(
            t("sidebar.add_token"),
            key="add_token",
            on_click=state.edit,
            args=(edits.add_token,),
            disabled=count >= s.MAX_TOKENS,
        )
        st.button(
            t("sidebar.remove_token"),
            key="remove_token",
            on_click=state.edit,
            args=(lambda now: edits.remove_token(now, chosen),),
            disabled=count <= 1,
        )


def _heads_and_sizes(t: Texts, now: s.Settings) -> None:
    def resized(field: str) -> Callable[[s.Settings, object], s.Settings]:
        return lambda now, value: edits.resize(now, **{field: int(value)})

    def follow(now: s.Settings, on: object) -> s.Settings:
        own = {"d_k": now.head_dim, "d_v": now.value_dim}
        return edits.resize(now, **({"d_k": None, "d_v": None} if on else own))

    def kv_heads(now: s.Settings, value: object) -> s.Settings:
        return edits.resize(now, num_kv_heads=None if value == now.num_heads else value)

    def size(label: str, field: str, value: int, top: int) -> None:
        st.number_input(label, 1, top, step=1, **bound(field, value, resized(field)))

    size(t("sidebar.heads"), "num_heads", now.num_heads, s.MAX_HEADS)
    if now.num_heads > 1:
        shares = [count for count in range(1, now.num_heads + 1) if now.num_heads % count == 0]
        change = bound("num_kv_heads", now.kv_heads, kv_heads)
        st.selectbox(t("sidebar.kv_heads"), shares, format_func=str, **change)
    size(t("sidebar.d_model"), "d_model", now.d_model, s.MAX_WIDTH)
    follows = now.d_k is None and now.d_v is None
    st.toggle(t("sidebar.follow"), **bound("follow", follows, follow))
    size(t("sidebar.d_k"), "d_k", now.head_dim, s.MAX_WIDTH)
    size(t("sidebar.d_v"), "d_v", now.value_dim, s.MAX_WIDTH)
    st.toggle(t("sidebar.biases"), **bound("biases", now.b_q is not None, edits.set_biases))


def _scaling(t: Texts, now: s.Settings) -> None:
    st.selectbox(
        t("sidebar.scaling"),
        s.SCALINGS,
        format_func=lambda name: t(f"scaling.{name}"),
        **bound("scaling", now.scaling),
    )
    if now.scaling == "own":
        st.number_input(
            t("sidebar.own_divisor"), step=0.1, format="%g", **bound("own_divisor", now.own_divisor)
        )


def _mask(t: Texts, now: s.Settings) -> None:
    def kind(field: str) -> None:
        st.selectbox(
            t(f"sidebar.{field}"),
            s.MASKS,
            format_func=lambda name: t(f"mask.{name}"),
            **bound(field, getattr(now, field)),
        )

    kind("mask")
    if now.mask == "none":
        return
    kind("mask_2")
    if now.mask_2 != "none":
        st.segmented_control(
            t("sidebar.combine"),
            s.COMBINATIONS,
            required=True,
            format_func=lambda name: t(f"combine.{name}"),
            **bound("combine", now.combine),
        )
    mask_numbers(t, now, {now.mask, now.mask_2})
    words = {"-inf": "masked_score.minus_inf", "-1e9": "masked_score.minus_1e9"}
    st.segmented_control(
        t("sidebar.masked_score"),
        s.MASKED_SCORES,
        required=True,
        format_func=lambda name: literal(t(words[name])),
        **bound("masked_score", now.masked_score),
    )


def mask_numbers(t: Texts, now: s.Settings, kinds: set[str], where: str = "") -> None:
    """What these kinds of mask need to know. where: see bound."""
    count = len(now.tokens)

    def number(field: str, low: int, high: int) -> None:
        value = getattr(now, field)
        st.number_input(t(f"sidebar.{field}"), low, high, step=1, **bound(field, value, where=where))

    if "padding" in kinds:
        number("padding", 1, count)
    if kinds & {"window", "causal_window"}:
        number("window_left", 0, s.MAX_WINDOW)
    if "window" in kinds:
        number("window_right", 0, s.MAX_WINDOW)
    if "prefix" in kinds:
        number("prefix", 0, count)
    if "packed" in kinds:
        text = ", ".join(map(str, now.packed))

        def change(now: s.Settings, typed: str) -> s.Settings:
            return edits.with_choice(now, packed=parse_lengths(typed))

        st.text_input(t("sidebar.packed"), **bound("packed", text, change, where=where))
