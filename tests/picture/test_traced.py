"""Traced numbers: value, lines of code, formula and recipe say the same, in trees of operations by chance."""

import random
import re

import numpy as np
import pytest
import torch

from pages.draw import matrix
from pages.hand.export.script import SOFTMAX
from pages.picture import Matrix
from pages.picture.traced import AxisNames, Operation, Scalar, Traced, as_input, inputs_of, side_by_side
from tests.support.recipe import Picture
from tests.support.states import page_in
from tests.support.tolerance import close

SEEDS = range(40)
CASES = (
    *("product", "turned", "sum", "difference", "cells", "divide", "exponentials", "total"),
    *("softmax", "mask", "joined", "block"),
)
SHAPES = ((2, 3), (3, 3), (3, 5), (5, 2))
# Signs of a formula → Python.
READ = (("·", "@"), ("⊙", "*"), ("−", "-"), ("^T", ".T"), ("[", "joined("), ("]", ")"))
READERS = {
    "exp": torch.exp,
    "softmax": lambda scores: torch.softmax(scores, dim=-1).nan_to_num(),
    "mask": lambda scores, visible: scores.masked_fill(~visible, -torch.inf),
    "joined": lambda *parts: torch.cat(parts, dim=-1),
}


def axis(count: int) -> AxisNames:
    return AxisNames([f"{count}.{place}" for place in range(count)])


def start(draw: random.Random) -> list[tuple[Traced, torch.Tensor]]:
    """An input of each shape, with its value."""
    made = []
    for rows, cols in SHAPES:
        value = torch.tensor([[draw.gauss(0, 1) for _ in range(cols)] for _ in range(rows)]).double()
        made.append(
            (as_input(f"x_{rows}{cols}", f"X_{{{rows}{cols}}}", value, axis(rows), axis(cols)), value)
        )
    return made


def visible(draw: random.Random, value: torch.Tensor) -> torch.Tensor:
    """A mask; now and then it hides a whole row."""
    cells = torch.tensor([[draw.random() < 0.6 for _ in row] for row in value])
    return cells & torch.tensor([[draw.random() < 0.8] for _ in value])


def next_one(draw: random.Random, known: list[tuple[Traced, torch.Tensor]]) -> tuple[Traced, torch.Tensor]:
    """An operation on numbers that are known; what it is worth is computed apart from them."""
    number, value = draw.choice(known)
    alike = [(other, of) for other, of in known if of.shape == value.shape]
    factors = [(other, of) for other, of in known if of.shape[0] == value.shape[1]]
    turned = [(other, of) for other, of in known if of.shape[1] == value.shape[1]]
    other, same = draw.choice(alike)
    match draw.choice(CASES):
        case "product" if factors:
            factor, of = draw.choice(factors)
            return number @ factor, value @ of
        case "turned":
            factor, of = draw.choice(turned)
            return number @ factor.T, value @ of.mT
        case "sum":
            return number + other, value + same
        case "cells":
            return number * other, value * same
        case "difference":
            return number - other, value - same
        case "exponentials":
            exps, powers = number.softmax().exp(), torch.softmax(value, -1).exp()
            return exps / exps.sum(), powers / powers.sum(-1, keepdim=True)
        case "total":
            over, dims = draw.choice([("column", (-2,)), ("all", (-2, -1))])
            return number.softmax() - number.sum(over), torch.softmax(value, -1) - value.sum(dims, True)
        case "softmax":
            return number.softmax(), torch.softmax(value, dim=-1).nan_to_num()
        case "mask":
            cells = visible(draw, value)
            name = f"mask_{draw.randrange(10**9)}"
            mask = as_input(name, f"M_{{{name[5:]}}}", cells, number.rows, number.cols)
            return number.masked(mask).softmax(), torch.softmax(
                value.masked_fill(~cells, -torch.inf), -1
            ).nan_to_num()
        case "joined":
            return side_by_side(number, other), torch.cat((value, same), dim=-1)
        case "block":
            cut = draw.randrange(value.shape[0])
            return number[cut:, :2], value[cut:, :2]
        case _:
            return number / Scalar(2.5, "2.5", "2.5"), value / 2.5


def tree(seed: int) -> list[tuple[Traced, torch.Tensor]]:
    """Inputs and steps of theirs, some of which have no name."""
    draw = random.Random(seed)
    known = start(draw)
    for place in range(12):
        made, value = next_one(draw, known)
        assert not made.name
        if draw.random() < 0.6:
            made = made.called(f"step_{place}", f"A_{{{place}}}" if draw.random() < 0.8 else "")
        known.append((made, value))
    return known


def named(seed: int) -> list[tuple[Traced, torch.Tensor]]:
    return [(number, value) for number, value in tree(seed) if number.name and number.sources]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_value_is_that_of_the_operations_and_its_axes_have_a_name_for_each_row_and_column(seed):
    for number, value in tree(seed):
        close(number.value, value)
        assert (len(number.rows), len(number.cols)) == value.shape


@pytest.mark.parametrize("library", ["torch", "np"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_lines_are_a_program_with_these_values(seed, library):
    steps = named(seed)
    program: dict = {"torch": torch, "np": np}
    exec(SOFTMAX if library == "np" else "", program)
    for name, number in inputs_of(number for number, _ in steps).items():
        program[name] = number.value.numpy() if library == "np" else number.value
    with np.errstate(all="raise", under="ignore"):
        for number, value in steps:
            exec(number.line(library), program)
            close(torch.as_tensor(program[number.name]), value)


@pytest.mark.parametrize("seed", SEEDS)
def test_in_another_layer_the_same_steps_are_computed_from_another_input(seed):
    steps, other = [number for number, _ in named(seed)], torch.arange(9.0).reshape(3, 3).cos().double()
    made = {"x_33": as_input("stream", "Z", other, axis(3), axis(3))}
    values = {name: number.value for name, number in inputs_of(steps).items()} | {"x_33": other}
    before = {"torch": torch} | values
    after = {"torch": torch, "stream": other} | {f"{name}_2": value for name, value in values.items()}
    for number in steps:
        again = made[number.name] = number.again(2, made)
        exec(number.line("torch"), before)
        exec(again.line("torch"), after)
        close(again.value, before[number.name])
        close(after[f"{number.name}_2"], before[number.name])
        assert again.symbol == number.symbol.replace("}", ",2}")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_formula_read_again_gives_the_value(seed):
    """But for blocks, which have the sign of their whole, and sums, which do not say over what."""
    known = dict(tree(seed))
    signs = {
        re.sub(r"\W", "_", number.symbol): value
        for number, value in [*known.items(), *((one, one.value) for one in inputs_of(known).values())]
        if number.symbol
    }
    for number, value in known.items():
        if not is_open(number):
            text = number.formula
            for sign in sorted((one.symbol for one in all_of(number) if one.symbol), key=len, reverse=True):
                text = text.replace(sign, re.sub(r"\W", "_", sign))
            for sign, code in READ:
                text = text.replace(sign, code)
            close(eval(text, READERS | signs), value)


def all_of(number: Traced) -> list[Traced]:
    return [number, *(one for source in number.sources for one in all_of(source))]


def is_open(number: Traced) -> bool:
    """Whether its formula has a block or a sum in it, which is not behind a symbol."""
    return any(sign in number.operation.torch for sign in ("[", ".sum(")) or any(
        not source.symbol and is_open(source) for source in number.sources
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_each_cell_follows_from_the_cells_that_its_recipe_names(seed):
    page = page_in("one_head")
    shown = [matrix.number(page, number) for number, _ in tree(seed) if number.name]
    assert any(one.recipe for one in shown)
    assert [*Picture({"matrices": [one.to_json() for one in shown]}).faults()] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_latex_has_commands_in_place_of_signs(seed):
    for number, _ in named(seed):
        assert not re.search(r"[·⊙−Σ]|\^T|(?<!m\{)softmax|(?<!m\{)mask|(?<!\\)exp", number.latex)


def test_a_product_has_its_bias_and_knows_where_a_block_of_an_input_begins():
    whole = torch.arange(15.0).reshape(3, 5).double()
    x = as_input("x", "X", torch.ones(2, 3).double(), axis(2), axis(3))
    w = as_input("w", "W", whole[:, 2:4], axis(3), axis(2), first=(0, 2))
    b = as_input("b", "b", torch.tensor([[7.0, 8.0]]).double(), AxisNames([""]), axis(2))
    made = (x @ w + b).called("y", "Y")
    assert (made.equation, made.line("np")) == ("Y = X · W + b", "y = x @ w + b")
    page = page_in("one_head")
    shown = [matrix.number(page, number) for number in (x, made)]
    sources = [Matrix("w", "W", axis(3).names, axis(5).names, whole.tolist())]
    sources.append(Matrix("b", "b", [""], axis(5).names, [[0.0, 0.0, 7.0, 8.0, 0.0]]))
    data = {
        kind: [one.to_json() for one in them] for kind, them in (("matrices", shown), ("sources", sources))
    }
    assert [*Picture(data).faults()] == []
    assert Picture(data).wanted(data["matrices"][1], 0, 0, 0.0) == made.value[0, 0]


def test_nothing_is_computed_before_it_is_asked_for():
    def refuse(*_: torch.Tensor) -> torch.Tensor:
        raise AssertionError("nobody has asked")

    square = axis(3)
    x, y = (as_input(name, name.upper(), refuse, square, square) for name in "xy")
    special = Traced(Operation(refuse, "f({})", "f({})"), (x,), square, square).called("special", "F")
    made = (((x @ y.T + special) / Scalar(2.0, "2", "2")).softmax()[:, :1] * x).called("step", "S")
    assert made.line("np") == "step = softmax((x @ y.T + special) / 2)[:, :1] * x"
    assert made.latex == r"S = \mathrm{softmax}((X\,Y^\top + F) / 2) \odot X"
    assert [*inputs_of([made])] == ["x", "y"]
    with pytest.raises(AssertionError, match="nobody"):
        _ = made.value


@pytest.mark.parametrize("part", [slice(None, 2), slice(1, 3), slice(-1, None)])
def test_a_block_of_a_softmax_is_made_from_the_scores_of_the_whole_row(part):
    scores = as_input("s", "S", torch.arange(12.0).reshape(3, 4).sin().double(), axis(3), axis(4))
    weights = scores.softmax().called("weights")
    shown = matrix.number(page_in("one_head"), weights[:, part].called("block"))
    close(shown.values, torch.softmax(scores.value, -1)[:, part])
    assert shown.recipe and [*Picture({"matrices": [shown.to_json()]}).faults()] == []
    assert weights[1:].recipe is None  # its scores would be those of other rows


@pytest.mark.parametrize(("hidden", "end"), [(1, ""), (2, ".nan_to_num()")])
def test_the_line_of_a_softmax_says_what_happens_where_a_row_is_empty(hidden, end):
    cells = torch.tensor([[True, True], [hidden < 2, False]])
    scores = as_input("s", "S", torch.ones(2, 2).double(), axis(2), axis(2)).masked(
        as_input("mask", "M", cells, axis(2), axis(2))
    )
    assert scores.called("masked").softmax().code("torch") == f"torch.softmax(masked, dim=-1){end}"


def test_axes_are_named_where_a_cell_belongs_to_a_query_and_a_key():
    page, cells = page_in("one_head"), torch.ones(2, 2).double()
    query, key = (as_input(of, of, cells, AxisNames("ab", of), AxisNames("ab")) for of in ("query", "key"))
    scores, plain = matrix.number(page, query @ key.T), matrix.number(page, key @ query)
    assert scores.look.query_rows and (scores.look.row_axis, scores.look.col_axis) == tuple(
        page.axes.values()
    )
    assert not plain.look.query_rows and not plain.look.row_axis
