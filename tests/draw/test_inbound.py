"""What a picture accepts: what a hand can do in it, and nothing else."""

import math

import pytest

from pages.draw.component import Inbound
from pages.draw.component.inbound import MOST_EDITS
from pages.model import edits
from pages.model.entries import MAX_TOKEN_LENGTH
from pages.model.settings import Settings
from pages.picture import Matrix, PanelStep
from tests.support.screen import open_page, pictures

MATRICES = [
    Matrix("x", "X", ["a", "b"], ["3", "4"], [[1, 2], [3, 4]], offset=2).to_edit(
        menu=("zeros", "round_1"), names="tokens", grow={}
    ),
    Matrix("weights", "A", ["a"], ["1"], [[1]]).looking(choose=1),
    Matrix("blanks", "S", ["a"], ["1"], [[None]]).to_edit(open=[(0, 0)]),
    Matrix("mask", "M", ["a"], ["1"], [[True]], kind="mask").to_edit(),
]
READ = Inbound(MATRICES, [PanelStep("scores", "S")], follow=["a", "b"]).read
EDIT = {"seq": 1, "gesture": 1, "held": False}
COMMAND = {"id": 1}
X = {"matrix": "x", "row": 1, "col": 3}


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("edit", EDIT | {"edits": []}),
        ("edit", EDIT | {"edits": [], "still": "a"}),
        ("edit", EDIT | {"edits": [X | {"value": 0.5}, {"matrix": "tokens", "row": 0, "text": "c"}]}),
        ("edit", EDIT | {"edits": [{"matrix": "blanks", "row": 0, "col": 0, "value": None}]}),
        ("edit", EDIT | {"edits": [{"matrix": "mask", "row": 0, "col": 0, "value": False}]}),
        ("command", COMMAND | {"name": "fill", "matrix": "x", "how": "zeros"}),
        ("command", COMMAND | {"name": "round", "matrix": "x", "how": 1}),
        ("command", COMMAND | {"name": "remove_token", "matrix": "x", "row": 1}),
        ("command", COMMAND | {"name": "grow", "matrix": "x", "by": -1}),
        ("pick", {"follow": -1}),
        ("pick", {"follow": 1}),
        ("pick", {"matrix": "weights", "choose": 1}),
        ("pick", X),
        ("view", {"step": None, "cell": None}),
        ("view", {"step": "scores", "cell": ["x", 0, 2]}),
    ],
)  # fmt: skip
def test_what_a_hand_can_do_is_read(kind, sent):
    assert READ(kind, sent) == sent


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("edit", None),
        ("edit", [1]),
        ("edit", {"seq": 1}),
        ("edit", EDIT | {"edits": {}}),
        ("edit", EDIT | {"edits": [], "seq": 2**60}),
        ("edit", EDIT | {"edits": [], "held": 1}),
        ("edit", EDIT | {"edits": [], "still": ["a"]}),
        ("edit", EDIT | {"edits": [], "still": "a" * (MAX_TOKEN_LENGTH + 1)}),
        ("command", COMMAND | {"name": "fill", "matrix": "x", "how": "normal"}),
        ("command", COMMAND | {"name": "fill", "matrix": "x", "how": "zeros", "seed": -1}),
        ("command", COMMAND | {"name": "fill", "matrix": "weights", "how": "zeros"}),
        ("command", COMMAND | {"name": "remove_token", "matrix": "x", "row": 2}),
        ("command", COMMAND | {"name": "grow", "matrix": "x", "by": 5}),
        ("command", COMMAND | {"name": "__class__", "matrix": "x"}),
        ("command", {"name": "fill", "matrix": "x", "how": "zeros"}),
        ("edit", EDIT | {"edits": [X | {"value": 1.0}] * (MOST_EDITS + 1)}),
        ("pick", {"follow": "1"}),
        ("pick", {"follow": 2}),
        ("pick", {"follow": 10**9}),
        ("pick", {"matrix": "weights", "row": 0, "col": 1}),
        ("pick", {"matrix": "x", "choose": None}),
        ("pick", {"matrix": "x", "row": 0, "col": 1}),
        ("pick", {"matrix": ["x"]}),
        ("view", {"step": "weights"}),
        ("view", {"cell": ["x", 0]}),
        ("view", {"cell": [{}, 0, 0]}),
    ],
)
def test_what_none_can_do_is_not(kind, sent):
    assert READ(kind, sent) is None


@pytest.mark.parametrize(
    "entry",
    [
        5,
        X,
        X | {"value": "1"},
        X | {"value": None},
        X | {"value": True},
        {"matrix": "mask", "row": 0, "col": 0, "value": 1.0},
        *(X | {"value": value} for value in (math.nan, math.inf, -math.inf, 1e300, 10**400)),
        X | {"value": 1.0, "row": True},
        X | {"value": 1.0, "col": 0},
        {"matrix": "weights", "row": 0, "col": 0, "value": 1.0},
        {"matrix": "tokens", "row": 0, "text": 1},
        {"matrix": "tokens", "row": 0, "text": "c" * (MAX_TOKEN_LENGTH + 1)},
    ],
)
def test_of_several_edits_those_of_cells_that_are_not_there_are_left_out(entry):
    good = X | {"value": 2.0}
    assert READ("edit", EDIT | {"edits": [entry, good]})["edits"] == [good]


# In place of each field; equal to a good value in part, as True is to 1.
OTHERS = (
    None,
    True,
    False,
    1.0,
    -1.0,
    10**400,
    -(10**30),
    math.nan,
    "1",
    "",
    [1],
    [[]],
    {},
    {"a": []},
    "\ud800",
)
GOOD = (
    (
        "edit",
        EDIT | {"edits": [X | {"value": 2.0}, {"matrix": "tokens", "row": 0, "text": "c"}], "still": "a"},
    ),
    ("command", COMMAND | {"name": "fill", "matrix": "x", "how": "zeros", "seed": 1}),
    ("command", COMMAND | {"name": "round", "matrix": "x", "how": 1}),
    ("command", COMMAND | {"name": "remove_token", "matrix": "x", "row": 1}),
    ("command", COMMAND | {"name": "grow", "matrix": "x", "by": 1}),
    ("pick", {"follow": 1}),
    ("pick", {"matrix": "weights", "choose": 1}),
    ("pick", {"matrix": "x", "row": 1, "col": 3}),
    ("view", {"step": "scores", "cell": ["x", 0, 2]}),
)


@pytest.mark.parametrize(("kind", "good"), GOOD)
def test_a_message_has_the_fields_of_its_kind_each_of_its_own_type(kind, good):
    """Whatever a field has in place of that, nothing is raised, and no other type comes in."""
    assert READ(kind, good | {"other": 1, "__class__": []}) == good
    for field in good:
        for other in OTHERS:
            message = READ(kind, good | {field: other})
            if message is not None and field != "edits":
                known = good[field], *((None,) if kind == "view" else ())
                assert type(message[field]) in map(type, known), (field, other)


@pytest.mark.parametrize("entry", GOOD[0][1]["edits"])
def test_an_edit_has_its_own_fields_each_of_its_own_type(entry):
    """A label's edit with a list as column used to raise."""
    name = "text" in entry
    for field in ("matrix", "row", "col", "value", "text"):
        for other in OTHERS:
            sent = EDIT | {"edits": [entry | {field: other}]}
            for read in READ("edit", sent)["edits"]:
                assert read.keys() == entry.keys()
                assert type(read["row"]) is int and type(read["matrix"]) is str
                assert type(read["text"]) is str if name else type(read["value"]) in (int, float)


@pytest.mark.parametrize("kind", ["lack", "no_such", "", "matrix", "entry"])
@pytest.mark.parametrize("sent", [{}, {"a": 1}, None, []])
def test_a_message_of_another_kind_is_none(kind, sent):
    assert READ(kind, sent) is None


def test_of_several_edits_of_a_cell_the_last_counts():
    several = [X | {"value": 1.0}, {"matrix": "tokens", "row": 0, "text": "c"}, X | {"value": 2.0}]
    assert READ("edit", EDIT | {"edits": several})["edits"] == [several[2], several[1]]


def test_no_picture_has_more_cells_than_a_message_may_edit():
    largest = edits.resize(Settings(tokens=tuple("abcdefghijkl")), d_model=16, num_heads=8, d_k=16, d_v=16)
    app = open_page(settings=edits.set_biases(largest, True))
    editable = [one for picture in pictures(app) for one in picture["matrices"] if one["editable"]]
    assert {"x", "w_q", "w_o", "b_o"} <= {one["id"] for one in editable}
    assert sum(len(one["rows"]) * (len(one["cols"]) + 1) for one in editable) <= MOST_EDITS
