"""The frame of a lesson on a server that has not imported PyTorch yet."""

import streamlit as st

from pages.ui import core
from tests.apps import open_page, pictures


def places(block, above=()):
    """The elements of a page, each with its place in the tree of containers."""
    for index, child in block.children.items():
        place = (*above, index)
        if hasattr(child, "children"):
            yield from places(child, place)
        else:
            yield place, child


def place_of_the_picture(app):
    """Where the first picture stands."""
    return next(place for place, one in places(app.main) if one.type == "bidi_component" and one.proto.bytes)


def test_the_picture_comes_where_the_inputs_waited(monkeypatch):
    """Streamlit hides an element as soon as a container comes in its place, before anything is in that."""
    with monkeypatch.context() as fresh:
        fresh.setattr(core, "is_ready", lambda: False)
        fresh.setattr(core, "load", st.stop)
        waiting = open_page()
    drawn = open_page()
    assert [[m["id"] for m in one["matrices"]] for one in pictures(waiting)] == [["x", "w_q", "w_k", "w_v"]]
    assert place_of_the_picture(waiting) == place_of_the_picture(drawn)
