"""A hidden number is in nothing that a picture has, whatever kind of thing would tell it."""

import json

import pytest

from pages.draw.hidden import as_handed_out
from pages.model.handout import FILLS, Stop
from pages.picture import (
    Arcs,
    Flow,
    Matrix,
    Passage,
    Picture,
    VectorPlot,
    Vectors,
    packed,
    product,
    softmax_of,
    written,
)
from tests.support.picture_data import whole
from tests.support.states import page_in

SECRET = 0.8765


def matrix(name, value=1.5, kind="signed", **look):
    return Matrix(name, name, ["a"], ["1"], [[value]], kind).having(**look)


SHOWN, HIDDEN = matrix("query"), matrix("weights", SECRET, "weights")
PLOT = VectorPlot("P", "", [Vectors("v", "value", ["a"], [[SECRET, 1.0]])], 2.0)
# What has the number: the matrices of a picture, and what else is in it.
TELLS = {
    "a matrix": ([HIDDEN], {}),
    "a thumbnail": ([matrix("weights_1", SECRET, "weights", size="thumbnail")], {}),
    "what a matrix is made from": (
        [matrix("output", recipe=product("weights", "value", 1))],
        {"sources": [HIDDEN]},
    ),
    "arithmetic with its name": ([matrix("output", recipe=written([[f"{SECRET} · 2"]], ["weights"]))], {}),
    "arithmetic without a name": ([matrix("output", recipe=written([[f"{SECRET} · 2"]]))], {}),
    "scores in no picture": ([matrix("shares", recipe=softmax_of([[SECRET]]))], {}),
    "a sentence": ([SHOWN], {"passages": [Passage("", [f"It gets {SECRET}."])]}),
    "a plot": ([SHOWN], {"plots": [PLOT], "plots_left": True}),
    "arcs": ([SHOWN], {"arcs": Arcs(["a"], 0, [[SECRET]], [""], "")}),
    "what the arcs say": ([SHOWN], {"arcs": Arcs(["a"], 0, [[0.5]], [f"It gets {SECRET}."], "")}),
}


def page_at(**marks):
    page = page_in("one_head")
    page.__dict__["stop"] = Stop("one_head", **marks)
    return page


def sent(page, picture):
    """What the browser gets."""
    return json.dumps(whole(packed(as_handed_out(page, picture))))


@pytest.mark.parametrize("fill", ["", *FILLS])
@pytest.mark.parametrize("kind", TELLS)
def test_no_kind_of_thing_tells_a_hidden_number(kind, fill):
    matrices, more = TELLS[kind]
    picture = Picture(matrices, [Flow([one.id for one in matrices])], **more)
    assert str(SECRET) in sent(page_at(), picture)
    assert str(SECRET) in sent(page_at(hidden=("part",)), picture)  # a switch has no numbers
    assert str(SECRET) not in sent(page_at(hidden=("weights",), fill=fill), picture)


def test_what_needs_no_hidden_number_stays_and_what_is_locked_is_to_read():
    made, source = matrix("query", recipe=product("x", "w_q", 1)), matrix("x", SECRET)
    picture = Picture([made.to_edit(), HIDDEN], [], [source])
    drawn = as_handed_out(page_at(hidden=("weights",), locked=("query",)), picture)
    assert drawn.matrices[0] == made and drawn.sources == [source]
