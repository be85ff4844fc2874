"""Streamlit's component that draws a picture (see pages.picture); it sends back what a learner does."""

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages import picture
from pages.picture.modules import joined, without_comments

from .inbound import Inbound

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Scripts:
    """The JavaScript: what comes with every update of a picture, the code, and what loads it.

    All carry the version, which is a hash of them and of the styles, so that a tab that stays open across an
    update of the server tells the new code from the old one.
    """

    mount: str
    code: str
    load: str
    version: str


@functools.cache
def scripts() -> Scripts:
    texts = [without_comments(joined(HERE / f"{name}.js")) for name in ("mount", "code", "load")]
    version = hashlib.sha256("".join([*texts, picture.style()]).encode()).hexdigest()[:16]
    mount, code, load = (text.replace("VERSION = 'version'", f"VERSION = '{version}'") for text in texts)
    return Scripts(mount, code, load, version)


@functools.cache
def _component():
    return st.components.v2.component("attention_picture", js=scripts().mount, isolate_styles=False)


@functools.cache
def _load():
    return st.components.v2.component("attention_picture_load", js=scripts().load, isolate_styles=False)


@functools.cache
def _code():
    return st.components.v2.component(
        "attention_picture_code", css=picture.style(), js=scripts().code, isolate_styles=False
    )


def code(sent: bool, on_lack: Callable[[], None]) -> None:
    """Puts the code and the styles on the page. Call it once in a run, outside of the fragment.

    The browser loads both as files of the server's (see load.js), or gets them with the page, if they are
    `sent`. on_lack: is called where the browser cannot load them. Streamlit sends a component's code with
    each of its updates. With all of it in the picture itself, every step of a drag would carry a hundred
    kilobytes.
    """
    if sent:
        _code()(key="picture_code", height=1)
    else:
        _load()(key="picture_load", on_lack_change=on_lack, height=1)


def mount(
    data: bytes,
    inbound: Inbound,
    *,
    key: str,
    on_edit: Callable[[dict], None] | None = None,
    on_command: Callable[[dict], None] | None = None,
    on_pick: Callable[[dict], None] | None = None,
    on_view: Callable[[dict], None] | None = None,
) -> None:
    """Puts a picture with these data on the page; call it inside a fragment. inbound: reads its messages.

    `on_edit`, `on_command`, `on_pick` and `on_view` get the message itself, before the fragment's run:

    edit     {"seq", "gesture", "held", "edits": [edit, …], "still"}; an edit is {"matrix", "row", "col",
             "value"} or {"matrix", "row", "text"}; still names the piece that the browser holds
    command  {"id", "name", "matrix", "how", "seed", "row", "by"}
    pick     {"matrix", "row", "col"}, {"matrix", "choose"}, or {"follow"}: a query's row, −1 for all
    view     {"step", "cell", "turn"}: the turn tells a choice that is made again from no choice at all
    lack     that the still piece is not there: then the answer has it
    """
    handlers = {"edit": on_edit, "command": on_command, "pick": on_pick, "view": on_view, "lack": None}
    # As bytes: Streamlit would write a dictionary as JSON twice, to send it and to compute its hash.
    _component()(
        data=data,
        key=key,
        **{
            f"on_{name}_change": functools.partial(_hand_over, key, name, inbound, handler)
            for name, handler in handlers.items()
        },
    )


def _hand_over(key: str, name: str, inbound: Inbound, handler: Callable[[dict], None] | None) -> None:
    """Gives a message to its handler."""
    message = inbound.waiting(key, name)
    if message is not None and handler is not None:
        handler(message)
