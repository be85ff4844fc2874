"""Names that are markup, and where they come out of an app as something else than text."""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pages.draw.texts import literal
from pages.model.settings import Settings
from tests.support.elements import Element

MARK = "zq"  # in each name, and in nothing else
NAMES = (  # as long as a token may be, at most
    "![zq1](/zq.png)*a*_b_",
    "[zq2](//zq.example)`c`",
    "<b>zq3</b>$x$~~d~~",
    ":red[zq4]:material/home:",
    "http://zq5.io|www.zq5.io",
    "# zq6 \\{x} a@zq.io :bee:",
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
UNSEEN = ("query_string", "page", "url")


def settings(start: Settings) -> Settings:
    """The settings with such names in place of their tokens, in both sequences."""
    n = len(start.tokens)
    return replace(start, tokens=NAMES[:n], source=(NAMES[n:] + NAMES)[: len(start.source)])


def faults(elements: Iterable[Element]) -> list[str]:
    """The strings of a page in which a name is not shown as typed."""
    return [f"{place}: {text!r}" for place, text in strings(elements) if MARK in _rest(place, text)]


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


def strings(elements: Iterable[Element]) -> Iterator[tuple[str, str]]:
    """All strings that the elements send, with the kind and the field: ("button.label", "Undo")."""
    for one in elements:
        fields = [(name, text) for name, text in _leaves(one.fields) if name not in UNSEEN]
        if one.kind in ("bidi_component", "vega_lite_chart", "arrow_data_frame"):
            yield from (("code.code_text", text) for _, text in (*fields, *_leaves(one.data)))
        else:
            yield from ((f"{one.kind}.{name}", text) for name, text in fields)


def _leaves(data: object, name: str = "") -> Iterator[tuple[str, str]]:
    """The strings inside, each with the name of its field."""
    if isinstance(data, str):
        yield name, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _leaves(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value, name)
