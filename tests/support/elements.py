"""All that a page sends, element by element, as plain data."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from tests.support.picture_data import whole
from tests.support.screen import rows_of

# Of no interest, or different at each opening: identifiers, code that is sent, bytes that are read into data.
LEFT_OUT = {
    *("id", "form_id", "user_key", "fragment_id", "script_hash", "page_script_hash", "data", "bytes", "json"),
    *("js_content", "css_content", "html_content", "js_source_path", "css_source_path"),
}


@dataclass
class Element:
    """An element or a container. data: of a component, what it gets; of a chart or a table, its rows."""

    kind: str
    key: str
    depth: int
    in_main: bool  # not in the sidebar
    fields: dict
    data: object = None

    @property
    def text(self) -> str:
        return self.fields.get("body", "")


def is_picture(element: Element) -> bool:
    return isinstance(element.data, dict) and "matrices" in element.data


def figures(elements: Iterable[Element]) -> Counter[str]:
    """Matrices with their numbers and rings, planes, charts with their rows, and tables."""
    results: list[str] = []
    for one in elements:
        if is_picture(one):
            results += [
                f"{matrix['id']} {matrix['values']} {matrix['ringed']}" for matrix in one.data["matrices"]
            ]
            results += [f"plane {plane}" for plane in one.data["plots"]]
        elif one.kind == "vega_lite_chart":
            results.append(f"chart {one.data}")
        elif one.kind == "markdown" and one.text.startswith("|"):
            results.append(one.text)
    return Counter(results)


def elements(app: AppTest) -> Iterator[Element]:
    """All that a page sends, in its order."""
    yield from _under(app._tree, 0, in_main=False)


def _under(node: object, depth: int, *, in_main: bool) -> Iterator[Element]:
    proto, kind = getattr(node, "proto", None), getattr(node, "type", "")
    in_main = in_main or kind == "main"
    if isinstance(proto, Message):
        data = None
        if kind == "bidi_component":
            data = whole(proto.bytes) if proto.bytes else json.loads(proto.json or "null")
        elif kind == "vega_lite_chart":
            data = rows_of(proto)
        elif kind == "arrow_data_frame":
            data = node.value.to_dict("records")
        yield Element(kind, getattr(node, "key", None) or "", depth, in_main, _plain(proto), data)
    for child in getattr(node, "children", {}).values():
        yield from _under(child, depth + 1, in_main=in_main)


def _plain(proto: Message) -> dict:
    """The fields that are set, without those that are left out."""
    return {
        entry.name: [_value(one) for one in value] if entry.is_repeated else _value(value)
        for entry, value in proto.ListFields()
        if entry.name not in LEFT_OUT
    }


def _value(value: object) -> object:
    return _plain(value) if isinstance(value, Message) else value
