"""The matrices to edit, and the fast way from an edit to the heatmaps.

An edit reruns only this fragment. Its answer carries the new numbers of all the heatmaps, and the editor
writes them into the charts on the page. When the hand rests, a full run follows and says everything anew.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from . import edits, palette, state
from . import settings as s
from .editor import editor
from .entries import MAX_VALUE
from .figures import nice_bound
from .steps import SYMBOLS
from .texts import Texts, table

KEY = "matrices"
# More columns than this are shown one head at a time.
WHOLE = 16

# What a drag of 8 px or a nudge changes a number by.
STEP = 0.1
STEPS = {"sample_d_k": 8, "temperature": 0.05, "shift": 1, "score_size": 10, "nudge": 0.02, "dropout": 0.05}

LivePayload = Callable[[], dict]


def _edits() -> None:
    """Takes in what the editor sent: every cell whose newest value we have not confirmed."""
    sent = st.session_state[KEY].get("edit")
    if not sent:
        return
    for cell in sent["edits"]:
        name, row, col, value = cell["matrix"], int(cell["row"]), int(cell["col"]), cell["value"]
        if name == "mask":
            state.edit(lambda now: edits.set_blocked(now, row, col, not value), by_hand=True)  # noqa: B023
        else:
            state.edit(lambda now: edits.set_cell(now, name, row, col, value), by_hand=True)  # noqa: B023
    st.session_state["seq"] = sent["seq"]
    st.session_state["live"] = True
    st.session_state["hold"] = bool(sent.get("held"))  # colours stay while a number is dragged


def _settle() -> None:
    state.settle()
    st.session_state["settled"] = True


def _narrow() -> None:
    st.session_state["narrow"] = bool(st.session_state[KEY].get("narrow"))
    st.session_state["settled"] = True


def _pick() -> None:
    """A click on a computed cell chooses it; a second click lets it go."""
    picked = st.session_state[KEY].get("pick")
    if not picked:
        return
    st.session_state["settled"] = True
    name = picked["step"]
    if name == "heads":
        state.edit(lambda now: edits.with_choice(now, head=int(picked["panel"])))
    if name == "heads" or not picked["result"]:
        return
    if name.startswith("mask_"):
        state.edit(lambda now: edits.with_choice(now, mask=name.removeprefix("mask_")))
        return
    row, col = int(picked["row"]), int(picked["col"])
    if name.startswith("guess_"):
        state.edit(lambda now: edits.with_guess(now, name.removeprefix("guess_"), f"{row}_{col}"))
        return
    if name not in s.STEP_NAMES:
        return
    cell = (name, row, col)
    state.edit(lambda now: edits.with_choice(now, cell=None if now.cell == cell else cell))


def _matrix(t: Texts, now: s.Settings, name: str, labels: tuple[str, ...], held: dict) -> dict:
    values = getattr(now, name)
    bias = name.startswith("b_")
    values = (values,) if bias else values
    start, stop = _columns(now, name, len(values[0]))
    block = [row[start:stop] for row in values]
    title = SYMBOLS[name]
    if stop - start < len(values[0]):
        shared = name[-1] in "kv" and now.kv_heads < now.num_heads
        part = "editor.kv_head_part" if shared else "editor.head_part"
        title = t(part, matrix=title, head=start // (stop - start) + 1)
    if bias:
        rows = [t("editor.bias_row")]
    elif name == "x":
        rows = list(labels)
    elif name == "y":
        rows = list(now.source)
    else:
        rows = [str(i + 1) for i in range(len(values))]
    bound = held.setdefault(name, nice_bound(block))
    return {
        "name": name,
        "title": title,
        "subtitle": f"{len(values)} × {stop - start}",
        "rows": rows,
        "cols": [str(i + 1) for i in range(start, stop)],
        "col_offset": start,
        "values": block,
        "range": bound,
        "kind": "number",
    }


def _columns(now: s.Settings, name: str, count: int) -> tuple[int, int]:
    """Which columns are shown: all, or the shown head's where they are too many."""
    if count <= WHOLE or name[-1] not in "qkv":
        return 0, count
    heads, head = (now.num_heads, now.head) if name[-1] == "q" else (now.kv_heads, now.kv_head)
    width = count // heads
    return head * width, (head + 1) * width


def _row_matrix(t: Texts, now: s.Settings, name: str) -> dict:
    """The scores of the softmax lesson, or one number of a lesson."""
    values = now.logits if name == "logits" else (getattr(now, name),)
    return {
        "name": name,
        "title": t(f"number.{name}"),
        "subtitle": "",
        "rows": [""],
        "cols": [str(i + 1) for i in range(len(values))] if len(values) > 1 else [""],
        "col_offset": 0,
        "values": [list(values)],
        "range": nice_bound([values]),
        "kind": "number",
        "step": STEPS.get(name, STEP),
    }


def _mask_matrix(t: Texts, now: s.Settings, labels: tuple[str, ...]) -> dict:
    n = len(now.tokens)
    return {
        "name": "mask",
        "title": t("editor.mask_title"),
        "subtitle": "",
        "rows": list(labels),
        "cols": list(labels),
        "col_offset": 0,
        "values": [[(r, c) not in now.blocked for c in range(n)] for r in range(n)],
        "range": 1,
        "kind": "mask",
    }


def shown_matrices(now: s.Settings) -> list[str]:
    several = now.num_heads > 1
    names = ["x"] + (["y"] if now.part == "cross" else []) + ["w_q", "w_k", "w_v"]
    names += ["w_o"] if several else []
    if now.b_q is not None:
        names += ["b_q", "b_k", "b_v"] + (["b_o"] if several else [])
    return names


def _data(
    t: Texts, now: s.Settings, labels: tuple[str, ...], live: dict | None, names: tuple[str, ...]
) -> dict:
    if live is None or not st.session_state["hold"]:
        st.session_state["held"] = {}
    held = st.session_state.setdefault("held", {})
    if names:
        matrices = [_row_matrix(t, now, name) for name in names]
    else:
        matrices = [_matrix(t, now, name, labels, held) for name in shown_matrices(now)]
    if not names and "custom" in (now.mask, now.mask_2):
        matrices.append(_mask_matrix(t, now, labels))
    return {
        "seq": st.session_state.get("seq", 0),
        "stamp": str(st.session_state["stamp"]),
        "step": STEP,
        "limit": MAX_VALUE,
        "texts": _editor_texts(t),
        "palette": list(palette.DIVERGING),
        "matrices": matrices,
        "narrow": st.session_state.get("narrow", False),
        "live": live,
    }


def _editor_texts(t: Texts) -> dict[str, str]:
    strings = table(t.language, "common")
    own = {key.removeprefix("editor."): text for key, text in strings.items() if key.startswith("editor.")}
    return own | {key: strings[f"error.{key}"] for key in ("not_a_number", "too_large", "paste_shape")}


@st.fragment
def inputs(t: Texts, labels: tuple[str, ...], live: LivePayload, names: tuple[str, ...] = ()) -> None:
    """The editor. `live()` gives the new numbers of what is on the page, for the fast way.

    names: instead of the matrices, these: "logits", or a lesson's own numbers (see settings.NUMBERS, COUNTS).
    """
    session = st.session_state
    if session.pop("settled", False):
        session["live"] = False
        st.rerun()
    payload = None
    if session.pop("live", False):
        payload = {"seq": session["seq"], **live()}
    editor(
        _data(t, state.settings(), labels, payload, names),
        key=KEY,
        on_edit=_edits,
        on_pick=_pick,
        on_settle=_settle,
        on_narrow=_narrow,
    )


def fill_tools(t: Texts) -> None:
    """Fills a whole matrix in one go."""

    def apply() -> None:
        name, how, seed = (st.session_state[key] for key in ("fill_matrix", "fill_how", "fill_seed"))
        if how.startswith("round_"):
            state.edit(lambda now: edits.rounded(now, name, int(how[-1])))
        else:
            state.edit(lambda now: edits.fill(now, name, how, int(seed)))

    with st.container(horizontal=True, vertical_alignment="bottom", key="fill_tools"):
        names = shown_matrices(state.settings())
        st.selectbox(t("editor.fill_matrix"), names, format_func=SYMBOLS.get, key="fill_matrix", width=110)
        st.selectbox(
            t("editor.fill_how"),
            (*s.FILLS, "round_1", "round_2"),
            format_func=lambda how: t(f"fill.{how}"),
            key="fill_how",
            width=260,
        )
        st.number_input(t("editor.fill_seed"), 0, 9999, step=1, key="fill_seed", width=130)
        st.button(t("editor.fill_apply"), key="fill_apply", on_click=apply)
    st.caption(t("editor.fresh"))
