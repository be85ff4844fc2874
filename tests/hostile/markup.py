"""Names that are markup, and where they come out of an app as something else than text."""

import html
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from pages.draw.texts import literal
from pages.model.settings import Settings
from tests.support.picture_data import whole

MARK = "zq"  # in each name, and in nothing else
NAMES = (
    "![zq1](/zq.png)*a*_b_",
    "[zq2](//zq.example)`c`",
    "<b>zq3</b>$x$~~d~~",
    ":red[zq4]:material/home:",
    "http://zq5.io|www.zq5.io",
    "# zq6 \\{x} a@zq.io :tada:",
    "=zq7&lt;-> -- ^_{x} {n}",
    "'zq8\" onload=x",
    "- zq9",
    "zq10</script><i>",
    "**zq11**",
    "1. zq12 >",
)
# Fields of Streamlit's elements that a browser shows as they are, and those that nobody sees.
PLAIN = {
    *("selectbox.options", "multiselect.options", "text_input.default", "text_input.value"),
    *("text_area.default", "text_area.value", "code.code_text", "markdown.allow_html"),
    *("text_input.placeholder", "text_area.placeholder", "vega_lite_chart.spec", "image.alt"),
}
# A link as it is copied: with all other characters percent-encoded, a name in it is no markup.
LINK = re.compile(r"[\w/:.-]*\?[\w=&%+.~-]+", re.ASCII)
UNSEEN = ("id", "form_id", "query_string", "page", "url", "user_key", "key")


def settings(start: Settings) -> Settings:
    """The settings with such names in place of their tokens, in both sequences."""
    n = len(start.tokens)
    return replace(start, tokens=NAMES[:n], source=(NAMES[n:] + NAMES)[: len(start.source)])


def faults(app: AppTest) -> list[str]:
    """The strings in which a name is not shown as typed."""
    return [f"{place}: {text!r}" for place, text in strings(app) if MARK in _rest(place, text)]


def _rest(place: str, text: str) -> str:
    """What is left of a text without the names that are shown as typed in that place; of a link, nothing."""
    if place == "code.code_text" and LINK.fullmatch(text):
        return ""
    return without(text, str if place in PLAIN else html.escape if place == "html.body" else literal)


def without(text: str, written: Callable[[str], str]) -> str:
    """The text without the names, each as it is written in that text."""
    for name in sorted(NAMES, key=len, reverse=True):
        text = text.replace(written(name), "")
    return text


def strings(app: AppTest) -> Iterator[tuple[str, str]]:
    """All strings that an app sends, with the kind and the field: ("button.label", "Undo")."""
    for node in _nodes(app._tree):
        proto = getattr(node, "proto", None)
        if not isinstance(proto, Message):
            continue
        kind = getattr(node, "type", "")
        if kind == "bidi_component":
            for text in _leaves(whole(proto.bytes) if proto.bytes else json.loads(proto.json or "null")):
                yield "code.code_text", text
        elif kind in ("vega_lite_chart", "arrow_vega_lite_chart", "dataframe", "arrow_data_frame"):
            yield "vega_lite_chart.spec", str(proto)
        else:
            yield from ((f"{kind}.{name}", text) for name, text in _texts(proto))


def _nodes(node: object) -> Iterator[object]:
    yield node
    for child in getattr(node, "children", {}).values():
        yield from _nodes(child)


def _texts(proto: Message, under: str = "") -> Iterator[tuple[str, str]]:
    for field, value in proto.ListFields():
        if field.name in UNSEEN:
            continue
        for one in value if field.is_repeated else (value,):
            if isinstance(one, Message):
                yield from _texts(one, field.name)
            elif isinstance(one, str):
                yield field.name, one


def _leaves(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _leaves(value)
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value)
