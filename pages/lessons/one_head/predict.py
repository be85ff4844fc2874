"""Questions to answer before looking, on the learner's own numbers; then the edit itself can be made."""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from torch import Tensor, tensor

from attention import AttentionTrace
from attention.lab.weights import changes as lab
from pages import picture
from pages.ask import blocks, topics
from pages.ask.questions import ask
from pages.ask.stand_in import are_telling, fitting
from pages.draw import arithmetic, inputs, matrix, placing, positions, steps
from pages.draw.numbers import apart, short
from pages.draw.page import Page
from pages.draw.results import EXACT, size
from pages.draw.texts import Texts, quoted
from pages.model import edits
from pages.model.compute import needed, trace_of
from pages.model.settings import Settings
from pages.picture import Arrow, Flow, Matrix

from . import changes

RAISED = 1.0  # what is added to the last row of V
SHIFT = 5.0  # what is added to all scores


class Prediction(NamedTuple):
    """A question and its answer.

    page, computation, asked, token  what the question is about, and the matrices to think with
    draw, sentence                   draws the answer, and says what the numbers say
    """

    page: Page
    computation: steps.Steps
    asked: list[Matrix]
    draw: Callable[[], None]
    sentence: Callable[[], str]
    token: str = ""

    def ask(self) -> bool:
        tokens, topic = self.page.tokens, self.page.topic.name
        ends: dict[str, Any] = {"first": tokens[0], "last": tokens[-1], "token": self.token}
        return ask(self.page, topic, matrices=self.asked, sources=[self.computation.find], **ends)


def blocks_of(page: Page, case: Callable[[Page], Prediction], *before: blocks.PartBlock) -> blocks.Blocks:
    """The question of the topic, and its answer, with what is before its picture."""

    def figure(page: Page) -> None:
        case(page).draw()

    def sentence(page: Page) -> str:
        return case(page).sentence()

    yield blocks.aside(positions.without)
    yield blocks.aside(topics.choose)
    yield blocks.asking(page.topic.name, lambda page: case(page).ask())
    yield from before
    yield blocks.picture(figure)
    yield blocks.result(sentence)


def draw(page: Page) -> blocks.Blocks:
    """One question, the matrices to think with, and after the answer what the numbers say."""
    yield from blocks_of(page, _case)
    yield blocks.aside(_do, follows="moved")


def _case(page: Page) -> Prediction:
    """On the page without steps that a switch adds, or with an example where the numbers tell nothing."""
    case, _ = CASES[page.topic.name]
    page = positions.plainly(page)
    return case(fitting(page, lambda page: len(page.settings.tokens) > 1 and are_telling(page.settings)))


def _with(page: Page, change: Callable[[Settings], Settings]) -> Page:
    """The page as it would be after that change, and as it was entered: nothing in it can be edited."""
    return page.unfollowed(change(page.settings))


def _input(page: Page, name: str) -> Matrix:
    """An input matrix to look at."""
    return inputs.matrix(page, name).to_read()


def _do(page: Page) -> None:
    """The button that makes the edit in the learner's own numbers."""
    question = page.topic.name
    _, change = CASES[question]
    text, about = page.t(f"do.{question}"), page.t("predict.do_help")
    page.button(text, f"do_{question}", lambda settings: edits.check(change(settings)), help=about)


# ---- W_Q = W_K


def _symmetric(page: Page) -> Prediction:
    after = _with(page, lambda settings: changes.same_keys(changes.unmasked(settings)))
    w_q = replace(_input(after, "w_q"), title="W_Q = W_K")
    computation = steps.of(after)

    def figure() -> None:
        pair = [(0, len(page.tokens) - 1), (len(page.tokens) - 1, 0)]
        scores, (way, _, weights) = computation["scores"].looking(ringed=pair), computation.short_way()
        between = {*way} - {"scores", "weights"}
        passed = [table for table in computation.matrices() if table.id in between]
        below = Flow([scores.id, *(table.id for table in passed), weights.id])
        matrices, find = (
            [computation["query"], computation["key"], scores, *passed, weights],
            computation.find,
        )
        placing.draw(after, "symmetric", matrices, [Flow(["query", "key"]), below], sources=[find])

    sentence = functools.partial(symmetry_sentence, page.t, computation.head)
    return Prediction(page, computation, [_input(after, "x"), w_q], figure, sentence)


def symmetry_sentence(t: Texts, head: AttentionTrace) -> str:
    """How far S and A are from symmetric; what rounding may have left is not called a difference."""
    scores, weights = ((square - square.mT).abs().max().item() for square in (head.scores, head.weights))
    facts = {"scores": size(scores)}
    if weights < EXACT:
        return t("said.symmetric_alike", **facts)
    return t("said.symmetric", **facts, weights=apart(weights, decimals=3))


# ---- two tokens change places


def _swap(page: Page) -> Prediction:
    before = _with(page, changes.unmasked)
    after = _with(before, changes.first_and_last_swapped)
    first, second = steps.of(before), steps.of(after)
    output = first["output"]

    def figure() -> None:
        ringed = [(row, col) for row in (0, len(page.tokens) - 1) for col in range(len(output.cols))]
        x = _input(after, "x").having(id="x_after", title=page.t("predict.after", matrix="X"), subtitle="")
        title = page.t("predict.after", matrix=output.title)
        after_swap = second.second("output", "_after", title=title, subtitle="")
        outputs = [table.looking(ringed=ringed) for table in (output, after_swap)]
        flow = Flow(["x", "output", Arrow(page.t("predict.swapped")), "x_after", "output_after"])
        sources = [first.find, second.sources("_after")]
        placing.draw(before, "swap", [_input(before, "x"), x, *outputs], [flow], sources=sources)

    sentence = functools.partial(swap_sentence, page.t, page.settings)
    return Prediction(page, first, [_input(before, "x"), output], figure, sentence)


def swap_sentence(t: Texts, settings: Settings) -> str:
    """How far the swap changes an output without a mask, and with a causal one."""
    facts = {"unmasked": size(_swap_effect(changes.unmasked(settings)))}
    causal = _swap_effect(changes.causal(settings))
    if causal < EXACT:
        return t("said.swap_alike", **facts)
    return t("said.swap", **facts, causal=apart(causal, decimals=3))


def _swap_effect(settings: Settings) -> float:
    """How far the swap changes a token's own output, wherever its row is."""
    before, after = trace_of(settings).output, trace_of(changes.first_and_last_swapped(settings)).output
    order = [len(settings.tokens) - 1, *range(1, len(settings.tokens) - 1), 0]
    return (after[order] - before).abs().max().item()


# ---- the last row of V, or of X


def _value(page: Page) -> Prediction:
    before = _with(page, changes.causal if page.topic.name == "value_causal" else changes.unmasked)
    computation = steps.of(before)
    names = ("weights", "value", "head_output" if computation.several else "output")
    matrices = [computation[name] for name in names]
    head, last = computation.head, len(page.tokens) - 1
    of_value = lab.with_value_row(head, last, RAISED)
    with_x = steps.of(_with(before, changes.last_input_raised))

    def figure() -> None:
        first, names = _from_scores(computation, ""), ["masked_scores", "weights", "value", "output"]
        second, third = _after_value(page, computation, first, of_value), _after_input(page, first, with_x)
        flows = [Flow(names), Flow([table.id for table in second]), Flow([table.id for table in third])]
        sources = [computation.find, with_x.sources("_x")]
        placing.draw(before, page.topic.name, [*first, *second, *third], flows, sources=sources)

    def sentence() -> str:
        moved = {
            "v_weights": lab.moved_rows(head.weights, of_value.weights),
            "v_output": lab.moved_rows(head.output, of_value.output),
            "x_weights": lab.moved_rows(head.weights, with_x.head.weights),
            "x_output": lab.moved_rows(head.output, with_x.head.output),
        }
        rows = {name: _rows(page, each) for name, each in moved.items()}
        return page.t("said.value", token=page.tokens[-1], **rows)

    return Prediction(page, computation, matrices, figure, sentence)


def _from_scores(computation: steps.Steps, suffix: str) -> list[Matrix]:
    """The masked scores, A, V and the output of the shown head."""
    output = "head_output" if computation.several else "output"
    matrices = [computation.second(name, suffix) for name in ("masked_scores", "weights", "value", output)]
    *before, mixture = [table.looking(subtitle="") for table in matrices]
    return [*before, replace(mixture, id=f"output{suffix}")]


def _after_value(
    page: Page, computation: steps.Steps, first: list[Matrix], after: AttentionTrace
) -> list[Matrix]:
    """V with its last row raised, and the output; ringed is what has changed."""
    *_, value, output = first
    last, start = len(page.tokens) - 1, computation.start("v")
    columns = range(start, start + page.settings.value_dim)
    rows = [list(row) for row in value.known]
    for col in columns:
        rows[last][col - value.offset] += RAISED
    added = [[b - a for a, b in zip(*pair, strict=True)] for pair in zip(value.known, rows, strict=True)]
    raised: dict[str, Any] = {
        "id": "value_after",
        "title": page.t("predict.after", matrix=value.title),
        "recipe": arithmetic.sums([tensor(value.known), tensor(added)], tensor(rows), ["value"]),
    }
    recipe = picture.product("weights", "value_after", len(page.tokens), col_start=start)
    moved: dict[str, Any] = {
        "id": "output_after",
        "title": page.t("predict.edited", matrix=output.title, edited="V"),
    }
    ringed = _whole(lab.moved_rows(computation.head.output, after.output), output)
    return [
        replace(value, values=rows, **raised).looking(ringed=[(last, col) for col in columns]),
        replace(output, values=after.output.tolist(), recipe=recipe, **moved).looking(ringed=ringed),
    ]


def _after_input(page: Page, first: list[Matrix], after: steps.Steps) -> list[Matrix]:
    """The same four with a number of X raised; ringed are the rows of A and O that have changed."""
    result = _from_scores(after, "_x")
    titled = [
        replace(table, title=page.t("predict.edited", matrix=table.title, edited="X")) for table in result
    ]
    ringed = {1: (first[1], result[1]), 3: (first[3], result[3])}
    for at, (before, moved) in ringed.items():
        rows = lab.moved_rows(tensor(before.known), tensor(moved.known))
        titled[at] = titled[at].looking(ringed=_whole(rows, moved))
    return titled


def _whole(rows: list[int], matrix: Matrix) -> list[tuple[int, int]]:
    """All cells of some rows of a matrix."""
    return [(row, matrix.offset + col) for row in rows for col in range(len(matrix.cols))]


def _rows(page: Page, rows: list[int]) -> str:
    return page.t.all_of(quoted(page.tokens[row] for row in rows)) or page.t("predict.none")


# ---- all scores grow by 5


def _shift(page: Page) -> Prediction:
    before = _with(page, changes.unmasked)
    computation = steps.of(before)
    scaled, a = computation["scaled_scores"], computation.short_way()[-1]
    after = lab.with_shifted_scores(computation.head, SHIFT)

    def figure() -> None:
        tokens, t = list(page.tokens), page.t
        plus = t("predict.plus", matrix=t("short.scaled_scores"), by=short(SHIFT, 0))
        values = needed(after.biased_scores)
        sums = picture.written(_sums(computation.head.scaled_scores, values), ["scaled_scores"])
        look: dict[str, Any] = {"recipe": sums, **page.axes}
        shifted = matrix.of("shifted", plus, values, tokens, tokens, **look)
        look = {"recipe": picture.softmax("shifted"), **page.axes}
        titled = t("predict.after", matrix=a.title)
        weights = matrix.of("weights_after", titled, after.weights, tokens, tokens, kind="weights", **look)
        flows = [Flow(["scaled_scores", Arrow("softmax"), "weights"])]
        flows.append(Flow(["shifted", Arrow("softmax"), "weights_after"]))
        placing.draw(before, "shift", [scaled, a, shifted, weights], flows, sources=[computation.find])

    def sentence() -> str:
        biased = trace_of(changes.keys_shifted(before.settings)).head(page.head)
        moved = {"scores": after, "bias": biased}
        off = {name: (each.weights - computation.head.weights).abs().max() for name, each in moved.items()}
        return page.t("said.shift", **{name: size(most.item()) for name, most in off.items()})

    return Prediction(page, computation, [scaled, a], figure, sentence)


def _sums(before: Tensor, after: Tensor) -> list[list[str]]:
    """Each score and what is added to it."""
    pairs = zip(before.tolist(), after.tolist(), strict=True)
    return [
        [f"{short(a, 4)} + {SHIFT:g} = {short(b, 4)}" for a, b in zip(*rows, strict=True)] for rows in pairs
    ]


# The case of each topic, and the change that it is about.
CASES: dict[str, tuple[Callable[[Page], Prediction], Callable[[Settings], Settings]]] = {
    "symmetric": (_symmetric, changes.same_keys),
    "swap": (_swap, changes.first_and_last_swapped),
    "value": (_value, lambda settings: changes.last_input_raised(changes.unmasked(settings))),
    "value_causal": (_value, lambda settings: changes.last_input_raised(changes.causal(settings))),
    "shift": (_shift, changes.keys_shifted),
}
