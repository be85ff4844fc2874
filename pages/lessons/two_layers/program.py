"""The layers for files, line by line: by hand in that part, else the model of the run at the shown step."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor
from torch.nn import functional as F

from attention.lab.two_layers import ASKED, LETTERS, TwoLayersSnapshot
from attention.lab.two_layers.model import HEAD_DIM, WIDTH
from pages.draw import steps
from pages.draw.numbers import counted
from pages.draw.page import Page, distinct
from pages.hand.export.program import Ending, Program, of_numbers, questions_of
from pages.model import edits
from pages.picture.traced import AxisNames, Traced, as_input, inputs_of

from . import apart, by_hand, one_layer, plain, scene

MATRICES = ("w_q", "w_k", "w_v", "w_o")


def program(page: Page) -> Program:
    """The computation of the part."""
    return (_by_hand if page.part.name == "by_hand" else _trained)(page)


def _attend(c: steps.Steps, layer: int, stream: Traced, others: Mapping[str, Traced]) -> list[Traced]:
    """The steps of a layer's head, from the stream. others: for the query, key or value in its place."""
    numbers = c.of_head.numbers
    made = {"mask": inputs_of(numbers.values())["mask"]}  # that of both layers
    for name, number in numbers.items():
        made[name] = number.again(layer, made | {"x": others.get(name, stream)})
    return [made[name] for name in c.rows]


def _after(page: Page, layer: int, stream: Traced, known: Tensor | None = None) -> Traced:
    """The residual stream after a layer."""
    title = page.t("program.stream", layer=layer)
    return stream.called(f"stream_{layer}", f"X_{layer}", title=title, known=known)


def _program(
    page: Page,
    c: steps.Steps,
    numbers: Sequence[Traced],
    facts: Mapping[str, str],
    answer: str,
    ending: Ending,
) -> Program:
    """c: the steps of either layer; both have the same texts. The other numbers have their titles."""
    t, likes, texts = page.t, dict[str, str](), {number.name: (number.title, "") for number in numbers}
    for layer in (1, 2):
        for panel in c.walk():
            name = f"{panel.name}_{layer}"
            likes[name] = panel.name
            texts[name] = f"{panel.title} · {t('program.layer', layer=layer)}", panel.why
    inputs, lines = of_numbers(page, numbers, texts.__getitem__, likes=likes)
    inputs["mask"] = inputs.pop("mask")  # after all weights
    questions = [(t("program.answer"), answer), *questions_of(page)]
    return Program(c.queries, inputs, lines, facts, questions, ending)


def _source(*functions: Callable) -> str:
    imports = "import itertools\n\nfrom torch.nn import functional as F"
    return "\n\n\n".join([imports, *(inspect.getsource(function).strip() for function in functions)])


# ---- by hand


def _by_hand(page: Page) -> Program:
    first, second = by_hand.layers(page)
    stream, numbers = first.numbers["x"], list[Traced]()
    for layer, c in enumerate((first, second), 1):
        head = _attend(c, layer, stream, {})
        stream = _after(page, layer, stream + head[-1])
        numbers += [*head, stream]
    layers = ", ".join(f"({', '.join(f'{name}_{layer}' for name in by_hand.WEIGHTS)})" for layer in (1, 2))
    call = f"print(torch.allclose(layers_by_hand(x, {layers}), stream_2))"
    ending = Ending(
        page.t("program.hand"), page.t("program.hand_why"), f"{_source(plain.layers_by_hand)}\n\n\n{call}"
    )
    return _program(first.page, first, numbers, {}, by_hand.reading(page, first, second)[0], ending)


# ---- trained


def snapshot_of(page: Page) -> TwoLayersSnapshot:
    """What the part shows."""
    if page.part.name == "one_layer":
        return one_layer.shown(page)[0]
    return apart.shown(page)[0]


def _trained(page: Page) -> Program:
    snapshot, tokens = snapshot_of(page), scene.tokens_of(page)
    cut = apart.cut_of(page) if page.part.name == "apart" else ()
    trace = scene.trace_at(snapshot, tokens, cut)
    t, words, letters = page.t, AxisNames(distinct(tuple(scene.words(tokens)))), AxisNames(list(LETTERS))

    def weights(name: str, symbol: str, **names: AxisNames) -> Traced:
        values = snapshot.matrices[name]
        rows, cols = (AxisNames(counted(size)) for size in values.shape)
        return as_input(name, symbol, values, **{"rows": rows, "cols": cols} | names)

    one_hot = as_input("one_hot", "T", F.one_hot(tokens, len(LETTERS)).double(), words, letters)
    embedded = one_hot @ weights("embedding", "E", rows=letters) + weights("positions", "P")
    start = embedded.called("stream_0", "X_0", title=t("program.start"), known=trace.streams[0])
    stream, numbers = start, [start]
    for layer, of_layer in enumerate(trace.layers, 1):
        c = steps.Steps(_page_of(page, snapshot, layer, tokens, stream.value), of_layer)
        head = _attend(c, layer, stream, dict.fromkeys(cut if layer == 2 else (), start))
        added = head[-1] @ weights(f"w_o_{layer}", f"W_{{O,{layer}}}")
        stream = _after(page, layer, stream + added, trace.streams[layer])
        numbers += [*head, stream]
    logits = stream @ weights("unembedding", "W_U", cols=letters)
    logits = logits.called("logits", "L", title="logits", known=trace.logits)
    probabilities = logits.softmax().called("probabilities", "P", title=t("scene.next"))
    predicted = probabilities.value[list(ASKED)].argmax(-1).tolist()
    facts = {t("setting.two_seed"): str(page.own.two_seed), t("setting.two_step"): str(snapshot.step)}
    answer, ending = t.listed(scene.words(predicted)), _training(page, snapshot)
    return _program(page, c, [*numbers, logits, probabilities], facts, answer, ending)


def _page_of(page: Page, snapshot: TwoLayersSnapshot, number: int, tokens: Tensor, stream: Tensor) -> Page:
    """A page whose settings are those of a layer."""
    start, matrices = edits.example_start(by_hand.EXAMPLE), snapshot.matrices
    fields: dict[str, Any] = {name: by_hand.rows(matrices[f"{name}_{number}"]) for name in MATRICES}
    fields |= {"tokens": tuple(scene.words(tokens)), "dimensions": (), "x": by_hand.rows(stream)}
    core = replace(start, d_k=HEAD_DIM, d_v=HEAD_DIM, scaling="sqrt_d_k", **fields)
    return page.unfollowed(core)


def _training(page: Page, snapshot: TwoLayersSnapshot) -> Ending:
    """The training that gives these matrices."""
    sizes = ",\n".join(
        f'    "{name}": ({values.shape[0]}, {values.shape[1]}, {_spread(name)})'
        for name, values in snapshot.matrices.items()
    )
    names = ", ".join(f'"{name}": {name}' for name in snapshot.matrices)
    calls = (
        f"sizes = {{\n{sizes},\n}}",
        f"trained = train_model(sizes, seed={page.own.two_seed}, steps={snapshot.step})",
        f"matrices = {{{names}}}",
        "print(all(torch.allclose(trained[name], matrices[name]) for name in matrices))",
    )
    source = _source(plain.all_sequences, plain.model, plain.train_model)
    return Ending(
        page.t("program.training"), page.t("program.training_why"), "\n".join([source, "", "", *calls])
    )


def _spread(name: str) -> str:
    """The standard deviation of the random numbers at the start, as in a program."""
    if name in ("embedding", "positions"):
        return "1"
    return f"1 / {HEAD_DIM if name.startswith('w_o') else WIDTH}**0.5"
