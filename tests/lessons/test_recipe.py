"""In every part, with any numbers, each computed cell follows from its sources."""

import math
import random

import pytest

from pages.draw.picture import Matrix, recipes
from pages.model import edits
from pages.model import settings as s
from pages.model.entries import SettingsError
from pages.model.examples import EXAMPLES
from pages.model.fields import Spec, specs, with_fields
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import COURSE, LESSONS, lesson
from tests.support.recipe import Picture, faults
from tests.support.screen import open_page, shown
from tests.support.states import with_own

PARTS = [(name, part.name) for name in LESSONS for part in lesson(name).parts]
IDS = [f"{name}-{part}" for name, part in PARTS]


def drawn_field(draw: random.Random, spec: Spec, record: object) -> object:
    """A value that the field may have; None where it is not of a kind that can be drawn here."""
    if spec.kind == "choice":
        return draw.choice(spec.options)
    if spec.kind == "flag":
        return draw.random() < 0.5
    if spec.kind == "row":
        return tuple(round(draw.uniform(-3, 3), 2) for _ in range(draw.randint(2, min(6, spec.most))))
    if spec.low is None:
        return None
    low, high = spec.range(record)
    if spec.kind == "count":
        return draw.randint(low, min(high, low + 40))
    return round(draw.uniform(max(low, -20.0), min(high, 20.0)), 3)


def any_state(seed: object) -> State:
    """Any state that the pages allow, drawn from the seed: sizes, numbers, masks, positions, own numbers."""
    draw = random.Random(str(seed))
    now = edits.example_start(draw.choice([*EXAMPLES]))
    for _ in range(draw.randint(0, 2)):
        now = edits.add_token(now) if len(now.tokens) < 5 else now
    try:
        heads = draw.choice((1, 2, 4))
        now = edits.resize(now, num_heads=heads, d_k=draw.choice((1, 2, 3)), d_v=draw.choice((1, 2, 3)))
        now = edits.resize(now, num_kv_heads=draw.choice((None, 1)))
    except SettingsError:
        pass
    now = edits.set_biases(now, draw.random() < 0.3)
    for name in draw.sample(("x", "w_q", "w_k", "w_v", "w_o", "p", "y"), 4):
        rows, cols = s.shapes(now)[name]
        now = s.with_matrix(
            now, name, [[round(draw.uniform(-2, 2), 2) for _ in range(cols)] for _ in range(rows)]
        )
    state = State(core=fielded(draw, now))
    for kind in COURSE.numbers:
        state = state.having(fielded(draw, kind()))
    n, num_heads = len(now.tokens), now.num_heads
    order = draw.sample(range(n), n)
    return with_own(state, order=tuple(order), off=frozenset(draw.sample(range(num_heads), num_heads // 2)))


def fielded(draw: random.Random, record):
    """The record with half of its declared fields drawn."""
    for name, spec in specs(type(record)).items():
        value = drawn_field(draw, spec, record)
        if value is not None and draw.random() < 0.5:
            record = with_fields(record, **{name: value})
    return record


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("name", "part"), PARTS, ids=IDS)
def test_each_cell_follows_from_its_sources_in_any_state(name, part, seed):
    """With the lesson's start: see tests/lessons/test_every_part.py."""
    app = open_page(name, any_state((name, part, seed)), View(answers=shown(name)), Place(part=part))
    assert not app.exception and faults(app, name, part) == []


# ---- the evaluator itself

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
