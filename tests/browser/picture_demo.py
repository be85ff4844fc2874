"""A page with nothing but a picture, so that the component is tested alone.

The query says what the page does: `case` (nine, twelve, mask, two), `slow` (seconds that an update takes),
`drop` (how many of the first messages are not read), `restart` (the message after which the server
forgets everything), `empty` (no results yet), `row` (the followed query), `bar` (a sidebar and a heading).
"""

import json
import random
import sys
import time
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[2]))

from pages.draw import picture as p
from tests.browser.picture_matrices import (
    MASK,
    NINE,
    START,
    STEPS,
    TEXTS,
    TWELVE,
    labels,
    large_start,
    mask_case,
    nine,
    numbers,
    twelve,
)


def message(entry):
    st.session_state["log"].append(entry)


def on_edit(sent):
    state, params = st.session_state, st.query_params
    if sent["seq"] <= state["seq"]:
        return
    if state["drops"] > 0:
        state["drops"] -= 1
        return
    message(sent)
    if sent["gesture"] != state.get("gesture"):
        state["undo"].append(json.dumps(state["now"]))
        state["gesture"] = sent["gesture"]
    now = state["now"]
    for edit in sent["edits"]:
        if edit["matrix"] == "tokens":
            now["tokens"][edit["row"]] = edit["text"]
        elif edit["matrix"] == "mask":
            place = [edit["row"], edit["col"]]
            now["blocked"] = [b for b in now["blocked"] if b != place] + ([] if edit["value"] else [place])
        elif edit["matrix"] == "d_k":
            now["d_k"] = edit["value"]
        else:
            now[edit["matrix"]][edit["row"]][edit["col"]] = edit["value"]
    state["seq"] = sent["seq"]
    state["held"] = sent["held"]
    if params.get("restart") and len(state["log"]) == int(params["restart"]):
        forget()
        state["drops"] = 0


def on_command(sent):
    state = st.session_state
    if sent["id"] <= state["done"]:
        return
    state["done"] = sent["id"]
    message(sent)
    state["undo"].append(json.dumps(state["now"]))
    now = state["now"]
    if sent["name"] == "add_token":
        now["tokens"].append(f"t{len(now['tokens']) + 1}")
        now["x"].append([0] * len(now["x"][0]))
    elif sent["name"] == "remove_token":
        del now["tokens"][sent["row"]], now["x"][sent["row"]]
    elif sent["name"] == "grow":
        for row in now["x"]:
            row.append(0) if sent["by"] > 0 else row.pop()
        for name in ("w_q", "w_k", "w_v"):
            now[name] = [*now[name], [0] * len(now[name][0])] if sent["by"] > 0 else now[name][:-1]
    elif sent["name"] == "round":
        now[sent["matrix"]] = [[round(v, sent["how"]) for v in row] for row in now[sent["matrix"]]]
    elif sent["name"] == "fill":
        draw = random.Random(sent.get("seed"))
        fills = {"zeros": lambda r, c: 0, "identity": lambda r, c: float(r == c)}
        fill = fills.get(sent["how"], lambda r, c: round(draw.gauss(0, 1), 2))
        now[sent["matrix"]] = [
            [fill(r, c) for c in range(len(row))] for r, row in enumerate(now[sent["matrix"]])
        ]
    replaced()


def on_pick(sent):
    message(sent)
    if "choose" in sent:
        st.session_state["head"] = sent["choose"]


def on_view(sent):
    message(sent)
    st.session_state["view"] = sent


def take_waiting_edit():
    """An entry that comes in one run with a button: the hand made it before it reached the button."""
    if sent := (st.session_state.get("picture") or {}).get("edit"):
        on_edit(sent)


def replaced():
    st.session_state["stamp"] += 1


def forget():
    """What a server that was started again knows."""
    case = st.query_params.get("case", "nine")
    start = large_start() if case == "twelve" else json.loads(json.dumps(START))
    st.session_state.update(
        now=start | {"blocked": [[0, 2]], "d_k": 4},
        undo=[],
        seq=0,
        done=0,
        stamp=0,
        view={},
        held=False,
        gesture=None,
    )


def reset():
    take_waiting_edit()
    state = st.session_state
    kept = {"seq": state["seq"], "done": state["done"], "stamp": state["stamp"] + 1}
    forget()
    state.update(kept)


def undo():
    take_waiting_edit()
    if st.session_state["undo"]:
        st.session_state["now"] = json.loads(st.session_state["undo"].pop())
    replaced()


@st.fragment
def page():
    state, params = st.session_state, st.query_params
    time.sleep(float(params.get("slow", 0)))
    now, case = state["now"], params.get("case", "nine")
    options = {
        "key": "picture", "seq": state["seq"], "done": state["done"], "stamp": state["stamp"], "texts": TEXTS,
        "on_edit": on_edit, "on_command": on_command, "on_pick": on_pick, "on_view": on_view,
        "cell": state["view"].get("cell"), "step": state["view"].get("step"),
    }  # fmt: skip
    if case == "nine" or case == "two":
        row = int(params["row"]) if "row" in params else None
        empty = "empty" in params
        p.mount(
            list(nine(now, empty)), NINE, steps=STEPS, row=row, panel=True, fit=case == "nine",
            note="PyTorch is starting: the results follow." if empty else "", **options,
        )  # fmt: skip
        if case == "two":
            p.mount([p.Matrix("x", "X", labels(now), numbers(4), now["x"], editable=True)], [p.Flow(["x"])],
                    **options | {"key": "second"})  # fmt: skip
    elif case == "twelve":
        p.mount(list(twelve(now, state.get("head", 2))), TWELVE, steps=STEPS, panel=True, fit=True, **options)
    elif case == "mask":
        p.mount(list(mask_case(now)), MASK, **options)
    state["runs"] = state.get("runs", 0) + 1
    st.html(f"<output hidden id='log'>{json.dumps(state['log'][-40:])}</output>")
    if st.button("Rerun fragment"):
        st.rerun(scope="fragment")


st.set_page_config(layout="wide", page_title="picture")
st.html("<style>.stMainBlockContainer{padding:4rem 2rem 0 !important}</style>")
st.html("<style>.st-key-picture_code{position:absolute;width:0 !important}</style>")
p.code()
if "now" not in st.session_state:
    forget()
    st.session_state.update(log=[], drops=int(st.query_params.get("drop", 0)))
if "bar" in st.query_params:
    st.sidebar.write("lessons")
    st.subheader("One head")
with st.container(horizontal=True):
    st.button("Undo", on_click=undo)
    st.button("Reset", on_click=reset)
    st.button("Rerun")
page()
