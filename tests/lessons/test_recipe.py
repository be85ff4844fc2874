"""The check of a cell against its sources (tests/support/recipe.py), with matrices worked by hand."""

import math

import pytest

from pages.picture import Matrix, recipes
from tests.support.recipe import Picture

A = [[1.0, -2.0], [0.5, 3.0]]
TURNED = [[math.cos(0.3) + 2 * math.sin(0.3), math.sin(0.3) - 2 * math.cos(0.3)], A[1]]
WEIGHTS = [
    [1 / (1 + math.exp(-3)), 1 / (1 + math.exp(3))],
    [1 / (1 + math.exp(2.5)), 1 / (1 + math.exp(-2.5))],
]
# operation → how a matrix is made from A, and what it is then, worked by hand
BY_HAND = {
    "product": (recipes.product("a", "a", 2), [[0.0, -8.0], [2.0, 8.0]]),
    "transposed": (recipes.product("a", "a", 2, right_transposed=True), [[5.0, -5.5], [-5.5, 9.25]]),
    "divide": (recipes.divide("a", 2.0), [[0.5, -1.0], [0.25, 1.5]]),
    "softcap": (
        recipes.softcap("a", 2.0),
        [[2 * math.tanh(0.5), -2 * math.tanh(1)], [2 * math.tanh(0.25), 2 * math.tanh(1.5)]],
    ),
    "mask": (recipes.masked_from("a"), [[1.0, -math.inf], [0.5, 3.0]]),
    "softmax": (recipes.softmax("a"), WEIGHTS),
    "sum": (recipes.total("a", "column"), [[1.5, 1.0], [1.5, 1.0]]),
    "add": (recipes.add("a", "a"), [[2.0, -4.0], [1.0, 6.0]]),
    "difference": (recipes.difference("a", "a"), [[0.0, 0.0], [0.0, 0.0]]),
    "copy": (recipes.copy(("a", 0, 2)), A),
    "rotate": (recipes.rotate("a", [[0.3], [0.0]]), TURNED),
    "written": (
        recipes.written([["1 + 1 = 2.0", "x = −0.33"], ["", "a = b = 1e-3"]]),
        [[2.0, -1 / 3], [7.0, 0.001]],
    ),
}


def made_of_a(name: str, values: list) -> Picture:
    axes = {"rows": ["1", "2"], "cols": ["1", "2"]}
    start = [
        Matrix("a", "A", **axes, values=A),
        Matrix("b", "B", **axes, values=values, recipe=BY_HAND[name][0]),
    ]
    return Picture({"matrices": [one.to_json() for one in start]})


def test_a_cell_is_explained_by_its_sources_or_by_a_line_and_else_is_found():
    explained = made_of_a("add", BY_HAND["add"][1])
    assert list(explained.unexplained(["a"])) == []
    assert len(list(explained.unexplained())) == 4  # A is given, if the test says so
    del explained.matrices["a"]
    assert len(list(explained.unexplained(["a"]))) == 4
    assert list(made_of_a("written", BY_HAND["written"][1]).unexplained(["a"])) == ["b[1, 0]"]


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_worked_by_hand_follows_and_a_wrong_cell_is_found(name):
    values = [list(row) for row in BY_HAND[name][1]]
    assert list(made_of_a(name, values).faults()) == []
    values[0][0] += 0.1
    (fault,) = made_of_a(name, values).faults()
    assert fault.startswith("b[0, 0] is")
