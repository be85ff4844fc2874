"""What a picture accepts: what a hand can do in it, and nothing else."""

import pytest

from pages.ui.picture import Inbound, Matrix, Step

MATRICES = [
    Matrix(
        "x",
        "X",
        ["a", "b"],
        ["3", "4"],
        [[1, 2], [3, 4]],
        editable=True,
        offset=2,
        menu=("zeros", "round_1"),
        names="tokens",
        grow={},
    ),
    Matrix("weights", "A", ["a"], ["1"], [[1]], choose=1),
    Matrix("blanks", "S", ["a"], ["1"], [[None]], editable=True, open=[(0, 0)]),
]
READ = Inbound(MATRICES, [Step("scores", "S")]).read
EDIT = {"seq": 1, "gesture": 1, "held": False}
COMMAND = {"id": 1}
X = {"matrix": "x", "row": 1, "col": 3}


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("edit", EDIT | {"edits": []}),
        ("edit", EDIT | {"edits": [X | {"value": 0.5}, {"matrix": "tokens", "row": 0, "text": "c"}]}),
        ("edit", EDIT | {"edits": [{"matrix": "blanks", "row": 0, "col": 0, "value": None}]}),
        ("command", COMMAND | {"name": "fill", "matrix": "x", "how": "zeros"}),
        ("command", COMMAND | {"name": "round", "matrix": "x", "how": 1}),
        ("command", COMMAND | {"name": "remove_token", "matrix": "x", "row": 1}),
        ("command", COMMAND | {"name": "grow", "matrix": "x", "by": -1}),
        ("pick", {"follow": -1}),
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
        ("command", COMMAND | {"name": "fill", "matrix": "x", "how": "normal"}),
        ("command", COMMAND | {"name": "fill", "matrix": "x", "how": "zeros", "seed": -1}),
        ("command", COMMAND | {"name": "fill", "matrix": "weights", "how": "zeros"}),
        ("command", COMMAND | {"name": "remove_token", "matrix": "x", "row": 2}),
        ("command", COMMAND | {"name": "grow", "matrix": "x", "by": 5}),
        ("command", COMMAND | {"name": "__class__", "matrix": "x"}),
        ("command", {"name": "fill", "matrix": "x", "how": "zeros"}),
        ("pick", {"follow": "1"}),
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
        X | {"value": 1.0, "row": True},
        X | {"value": 1.0, "col": 0},
        {"matrix": "weights", "row": 0, "col": 0, "value": 1.0},
        {"matrix": "tokens", "row": 0, "text": 1},
    ],
)
def test_of_several_edits_those_of_cells_that_are_not_there_are_left_out(entry):
    good = X | {"value": 2.0}
    assert READ("edit", EDIT | {"edits": [entry, good]})["edits"] == [good]
