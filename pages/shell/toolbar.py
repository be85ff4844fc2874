"""The toolbar above the picture: frequent settings at a glance, the others one click away."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages import session
from pages.draw import controls, own_sentence
from pages.draw.page import Page
from pages.draw.texts import literal, nested
from pages.model import edits, matrices
from pages.model import settings as s
from pages.model.examples import EXAMPLES, for_readers

# Button → callback, shortcut, icon.
HISTORY = {
    "undo": (session.undo, "Ctrl+Z", "undo"),
    "redo": (session.redo, "Ctrl+Shift+Z", "redo"),
    "reset": (session.reset, None, "restart_alt"),
}


def draw(page: Page) -> None:
    """The switches of this part."""
    if switches := _switches(page):
        with st.container(key="toolbar", horizontal=True, vertical_alignment="bottom", gap="xsmall"):
            for switch in switches:
                switch(page)
            if session.is_of_place() and "example" in page.switches and page.target is None:
                _give(page)


def _give(page: Page) -> None:
    """Makes the numbers of the place the learner's, and says so. It stays, so that no edit moves anything."""
    done, about = session.is_mine(), page.t("frame.give_help")
    look: dict[str, Any] = {"help": about, "type": "tertiary", "disabled": done}
    text = page.t("frame.gave" if done else "frame.give")
    st.button(text, key="give_mine", on_click=session.give_mine, **look)


def sheet(page: Page) -> None:
    """The button that opens the switches on a phone, if the part has any (see settings_sheet.js)."""
    if _switches(page):
        _sheet()(key="open_settings", data=(page.t("toolbar.settings"),), width="content")


@functools.cache
def _sheet():
    js = (Path(__file__).parent / "settings_sheet.js").read_text("utf-8")
    return st.components.v2.component("attention_settings_sheet", js=js, isolate_styles=False)


def _switches(page: Page) -> list[Callable[[Page], None]]:
    switches = {
        "example": _example,
        "heads": _heads,
        "d_k": _d_k,
        "scaling": _scaling,
        "mask": _mask,
        "more": _more,
    }
    return [switches[name] for name in page.switches if name in switches]  # positions are under More


def history(page: Page) -> None:
    """Undo, redo and reset, in parts with numbers to change.

    Idle buttons only look disabled, since Ctrl+Z may come before the answer to the first edit. Each picture
    sets an attribute of the page for that, or the first edit would have to draw the whole page again.
    """
    if not (page.part.switches or page.part.edits or page.part.start):
        return
    for name, (change, shortcut, icon) in HISTORY.items():
        st.button(
            page.t(f"toolbar.{name}"),
            key=name,
            icon=f":material/{icon}:",
            shortcut=shortcut,
            on_click=change,
            help=_reset_help(page) if name == "reset" else page.t(f"help.{name}"),
        )


def _reset_help(page: Page) -> str:
    """What a reset would do: to the learner's numbers, to those of the place, or to those of a stop."""
    if page.view.standing(page.lesson.name) is not None:
        return page.t("help.reset_stop")
    example = nested(page.t(f"example.{session.start_of(page.lesson)}"))
    return page.t("help.reset_own" if session.is_of_place() else "help.reset", example=example)


def _example(page: Page) -> None:
    t, present = page.t, page.settings.example

    def loads(name: Any) -> session.Edit:
        return lambda core: edits.example_start(name)

    st.selectbox(
        t("setting.example"),
        session.options_left(dict.fromkeys([*for_readers(t.language), present]), present, loads),
        format_func=lambda name: t(f"example.{name}"),
        width=230 if own_sentence.SWITCH in page.switches else 250,
        help=t("help.example"),
        **session.bind_edit("example", present, loads, EXAMPLES, session.load),
    )
    if own_sentence.SWITCH in page.switches:
        own_sentence.popover(page)


def size(page: Page, field: str, value: int, top: int, width: int = 124) -> None:
    """A size with − and +."""

    def resized(size: Any) -> session.Edit:
        return lambda core: edits.resize(core, **{field: int(size)})

    st.number_input(
        page.t(f"setting.{field}"),
        1,
        top,
        step=1,
        width=width,
        help=page.t(f"help.{field}"),
        **session.bind_edit(field, value, resized, range(1, top + 1)),
    )


def _heads(page: Page) -> None:
    size(page, "num_heads", page.settings.num_heads, matrices.MAX_HEADS)


def _d_k(page: Page) -> None:
    size(page, "d_k", page.settings.head_dim, matrices.MAX_WIDTH)


def _scaling(page: Page) -> None:
    t = page.t
    st.selectbox(
        t("setting.scaling"),
        s.SCALINGS,
        format_func=lambda name: t(f"scaling.{name}"),
        width=120,
        help=t("help.scaling"),
        **session.bind("scaling"),
    )
    if page.settings.scaling == "own":
        st.number_input(
            t("setting.own_divisor"),
            step=0.1,
            format="%g",
            width=120,
            help=t("help.own_divisor"),
            **session.bind("own_divisor"),
        )


def _mask(page: Page) -> None:
    """The kind of mask. Its numbers are one click away: under More, or next to it where there is no More."""
    _kind(page, "mask", width=130)
    if page.settings.mask != "none" and "more" not in page.switches:
        about = page.t("help.mask_more")
        popover = session.popover(page.t("toolbar.mask_more"), "mask_more", keep=True, help=about)
        if popover is not None:
            with popover:
                _mask_options(page)


def _mask_options(page: Page) -> None:
    """The mask's numbers, a second mask, and the value for masked scores."""
    t, core = page.t, page.settings
    controls.mask_numbers(page, {core.mask, core.mask_2})
    _kind(page, "mask_2")
    if core.mask_2 != "none":
        page.choose("combine", ("and", "or"), lambda name: t(f"combine.{name}"))
    words = controls.MASKED_WORDS
    page.choose("masked_score", tuple(words), lambda name: literal(t(f"masked_score.{words[str(name)]}")))


def _kind(page: Page, field: str, **extra) -> None:
    t = page.t
    st.selectbox(
        t(f"setting.{field}"),
        s.MASKS,
        format_func=lambda name: t(f"mask.{name}"),
        help=t(f"help.{field}"),
        **extra,
        **session.bind(field),
    )


def _more(page: Page) -> None:
    """The mask's numbers, sizes, key/value heads, biases and positions."""
    t, core = page.t, page.settings
    popover = session.popover(t("toolbar.more"), "more", keep=True, help=t("help.more"))
    if popover is None:
        return
    with popover:
        if core.mask != "none" and "mask" in page.switches:
            _mask_options(page)
        size(page, "d_model", core.d_model, matrices.MAX_WIDTH, 240)
        follows = core.d_k is None and core.d_v is None
        _toggle(page, "follow", follows, lambda on: _followed(core, on))
        size(page, "d_v", core.value_dim, matrices.MAX_WIDTH, 240)
        if core.num_heads > 1:
            kv_heads(page)
        on = core.b_q is not None
        _toggle(page, "biases", on, lambda on: lambda core: edits.set_biases(core, bool(on)))
        if "position" in page.switches:
            for flag in s.FLAGS:
                page.toggle(flag)
            _position(page)


def _position(page: Page) -> None:
    """The kind of position, and the numbers that it needs."""
    t, core = page.t, page.settings
    st.selectbox(
        t("setting.position"),
        s.POSITIONS,
        format_func=lambda name: t(f"position.{name}"),
        help=t("help.position"),
        **session.bind("position"),
    )
    for field in s.POSITION_NUMBERS[core.position]:
        page.number(field)


def _toggle(page: Page, field: str, value: bool, change: Callable[[object], session.Edit]) -> None:
    bound = session.bind_edit(field, value, change, (False, True))
    page.toggle(field, bound)


def _followed(core: s.Settings, on: object) -> session.Edit:
    """The change that lets d_k and d_v follow d_model and the heads, or fixes them as they are."""
    sizes = {"d_k": None, "d_v": None} if on else {"d_k": core.head_dim, "d_v": core.value_dim}
    return lambda core: edits.resize(core, **sizes)


def kv_heads(page: Page) -> None:
    """The number of key/value heads: a divisor of the number of heads."""
    core = page.settings

    def shared(count: Any) -> session.Edit:
        return lambda core: edits.resize(core, num_kv_heads=count)

    shares = [count for count in range(1, core.num_heads + 1) if core.num_heads % count == 0]

    st.selectbox(
        page.t("setting.num_kv_heads"),
        session.options_left(shares, core.kv_heads, shared),
        format_func=str,
        help=page.t("help.num_kv_heads"),
        width=190,
        **session.bind_edit("num_kv_heads", core.kv_heads, shared, shares),
    )
