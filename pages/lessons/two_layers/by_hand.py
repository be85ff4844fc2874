"""Two layers with whole numbers in one picture: a number of the first is dragged, and the second follows."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from attention.lab.two_layers import hand_made
from attention.lab.two_layers.by_hand import LETTERS
from pages import picture
from pages.ask import blocks
from pages.draw import inputs, matrix, placing, steps, winners
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model import edits
from pages.model.settings import Numbers, Settings
from pages.picture import Arrow, Flow, Matrix, Passage, renamed

SECOND = "_2"  # the end of the ids of layer 2
EXAMPLE = "copy_before"
WEIGHTS = ("w_q", "w_k", "w_v")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("hand.intro")
    yield blocks.ask("two_hand", _first)
    yield blocks.picture(_both)
    yield blocks.text("hand.try" if are_own(page) else "hand.read")


def first_layer(page: Page) -> Page:
    """The page with the learner's numbers for layer 1; with those by hand where theirs have other sizes."""
    start = edits.example_start(EXAMPLE)
    own = {name: getattr(page.settings, name) for name in ("x", *WEIGHTS)}
    return page.unfollowed(replace(start, **own) if are_own(page) else start)


def are_own(page: Page) -> bool:
    """Whether the numbers of layer 1 are the learner's."""
    start, names = edits.example_start(EXAMPLE), ("x", *WEIGHTS)
    return all(sizes(getattr(page.settings, name)) == sizes(getattr(start, name)) for name in names)


def sizes(numbers: Numbers) -> tuple[int, int]:
    return len(numbers), len(numbers[0])


def second_layer(page: Page, stream: Tensor) -> Page:
    """The page with the numbers by hand of layer 2, whose X is the residual stream after layer 1."""
    weights = hand_made().layers[1]
    fields: dict[str, Any] = {name: rows(weights[name]) for name in WEIGHTS}
    core: Settings = replace(page.settings, x=rows(stream), d_k=len(LETTERS), **fields)
    return page.unfollowed(core)


def rows(tensor: Tensor) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, tensor.tolist()))


# ---- the picture


def layers(page: Page) -> tuple[steps.Steps, steps.Steps]:
    """The computation of both layers."""
    first = steps.of(first_layer(page))
    stream = first.trace.query_input + first.trace.output
    return first, steps.of(second_layer(first.page, stream))


def _inputs(page: Page, first: steps.Steps) -> list[Matrix]:
    """X and the weight matrices of layer 1, to edit; to read where they are not the learner's."""
    matrices = [inputs.matrix(first.page, name).to_edit(grow=None, menu=()) for name in ("x", *WEIGHTS)]
    names = inputs.dimensions(first.settings)
    matrices = [matrices[0], *(weight.having(rows=names) for weight in matrices[1:])]
    matrices[3] = matrices[3].having(cols=names)
    return matrices if are_own(page) else [each.to_read() for each in matrices]


def _stream(
    page: Page, name: str, title: str, before: str, added: str, values: Tensor, **look: Any
) -> Matrix:
    """The residual stream after a layer."""
    names = inputs.dimensions(page.settings)
    recipe = picture.add(before, added)
    return matrix.by_query(page, name, title, values, names, recipe=recipe, **look)


def _of_first(page: Page) -> tuple[list[Matrix], steps.Steps, steps.Steps]:
    """The matrices of layer 1, with the stream after it."""
    first, second = layers(page)
    weights = first["weights"].having(step_name=None, title="A_1", symbol="A_1", subtitle="")
    after = first.trace.query_input + first.trace.output
    stream = _stream(first.page, "stream", page.t("hand.stream"), "x", "output", after)
    return [*_inputs(page, first), weights, stream], first, second


def _first(page: Page) -> None:
    """Layer 1, and the residual stream that layer 2 reads: what the question is about."""
    matrices, first, _ = _of_first(page.unfollowed(edits.example_start(EXAMPLE)))
    layout = [Flow(["x", Arrow(""), "weights"]), Flow(["stream"]), Flow([*WEIGHTS])]
    matrices = [each.to_read() for each in matrices]
    placing.draw(first.page, "asked", matrices, layout, sources=[first.find])


def _both(page: Page) -> None:
    """Both layers, with the residual stream between them."""
    matrices, first, second = _of_first(page)
    weights = second.second("weights", SECOND, title="A_2", symbol="A_2", subtitle="")
    after = second.trace.query_input + second.trace.output
    end = _stream(first.page, "end", page.t("hand.end"), "stream", f"output{SECOND}", after)
    matrices += [weights, end.looking(marked=(0, len(LETTERS))), *_second_weights(second)]
    layout = [
        Flow(["x", Arrow(""), "weights"]),
        Flow(["stream", Arrow(""), weights.id]),
        Flow(["end"]),
        Flow([*WEIGHTS]),
        Flow([f"{name}{SECOND}" for name in WEIGHTS]),
    ]
    sources = [first.find, second.sources(SECOND)]
    passages = [Passage("", reading(page, first, second))]
    placing.draw(first.page, "both", matrices, layout, sources=sources, passages=passages)


def _second_weights(second: steps.Steps) -> list[Matrix]:
    """The weight matrices of layer 2, which stay as they are."""
    names = inputs.dimensions(second.settings)
    matrices = []
    for name in WEIGHTS:
        title = f"W_{{{name[-1].upper()},2}}"
        each = renamed(inputs.matrix(second.page, name).to_read(), SECOND)
        columns = names if name == "w_v" else list(LETTERS)
        matrices.append(each.having(title=title, symbol=title, rows=names, cols=columns))
    return matrices


# ---- what the numbers say


def reading(page: Page, first: steps.Steps, second: steps.Steps) -> list[str]:
    """What the last token answers, and the keys of its largest weight in both layers."""
    t, names = page.t, first.page.tokens
    last = (second.trace.query_input + second.trace.output)[-1, : len(LETTERS)].tolist()
    facts: dict[str, Any] = {"columns": t.listed(map(short, last))}
    lines = [winners.sentence(t, "hand.answer", LETTERS, last, **facts)]
    for key, computation in (("hand.first", first), ("hand.second", second)):
        weights = computation.head.weights[-1].tolist()
        lines.append(winners.sentence(t, key, names, weights))
    return lines
