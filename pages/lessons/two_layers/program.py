"""The layers for files, line by line: by hand in that part, else the model of the run at the shown step."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attention import causal_mask
from attention.lab.two_layers import ASKED, LETTERS, TwoLayersSnapshot
from attention.lab.two_layers.model import HEAD_DIM, WIDTH
from pages.draw import inputs, matrix, steps
from pages.draw.numbers import counted
from pages.draw.page import Page, distinct
from pages.draw.picture import Matrix, PanelStep
from pages.draw.picture.traced import latex_of
from pages.hand.export.program import Ending, Program, ProgramStep
from pages.model import edits

from . import apart, by_hand, one_layer, plain, scene, train

WORDS = re.compile(r"\b")
MATRICES = ("w_q", "w_k", "w_v", "w_o")
SYMBOLS = {"embedding": "E", "positions": "P", "unembedding": "W_U"}


def program(page: Page) -> Program:
    """The computation of the part."""
    return (_by_hand if page.part.name == "by_hand" else _trained)(page)


class _LineByLine:
    """The inputs and the steps, by their names in the program."""

    def __init__(self, page: Page, tokens: Sequence[str]):
        self.page, self.tokens = page, list(tokens)
        self.inputs: dict[str, Matrix] = {}
        self.steps: list[ProgramStep] = []

    def begin_with(
        self, name: str, title: str, values: Tensor, rows: Sequence[str] = (), **look: Any
    ) -> None:
        """An input."""
        self.inputs[name] = matrix.of(name, title, values, rows or counted(len(values)), **look)

    def add(self, name: str, title: str, line: str, formula: str, values: Tensor, **look: Any) -> None:
        """A step of the lesson's own."""
        panel = PanelStep(name, title, formula, code=f"{name} = {line}", latex=latex_of(formula))
        self.steps.append(ProgramStep(panel, matrix.of(name, title, values, self.tokens, **look)))

    def attend(self, number: int, computation: steps.Steps, streams: Mapping[str, str], stream: str) -> None:
        """The steps of a layer's head, from the stream. streams: others, for the query, key or value."""
        layer = self.page.t("program.layer", layer=number)
        numbered = {name: f"{name}_{number}" for name in (*computation.rows, *MATRICES)}
        for panel in computation.walk():
            words = numbered | {"x": streams.get(panel.name, stream), "d_k": str(HEAD_DIM)}
            line = "".join(words.get(word, word) for word in WORDS.split(panel.code))
            own = replace(panel, name=numbered[panel.name], title=f"{panel.title} · {layer}", code=line)
            self.steps.append(ProgramStep(own, computation[panel.name], panel.name))

    def whole(self, facts: Mapping[str, str], answer: str, ending: Ending) -> Program:
        t = self.page.t
        mask = matrix.of("mask", t("sheet.mask"), causal_mask(len(self.tokens)), self.tokens, self.tokens)
        asked = [self.page.lesson.by_name[name] for name in self.page.part.questions]
        questions = [(t("program.answer"), answer)] + [
            (t(f"ask.{each.name}"), f"{t(f'option.{option}')}: {t(f'because.{option}')}")
            for each in asked
            for option in (f"{each.name}_{each.right}",)
        ]
        everything = self.inputs | {"mask": mask}
        return Program(self.tokens, everything, self.steps, facts, questions, ending)


def _source(*functions: Callable) -> str:
    imports = "import itertools\n\nfrom torch.nn import functional as F"
    return "\n\n\n".join([imports, *(inspect.getsource(function).strip() for function in functions)])


# ---- by hand


def _by_hand(page: Page) -> Program:
    first, second = by_hand.layers(page)
    lines = _LineByLine(page, first.page.tokens)
    columns = list(inputs.dimensions(first.settings))
    x = first.trace.query_input
    lines.begin_with("x", "X", x, lines.tokens)
    stream = x
    for number, computation in enumerate((first, second), 1):
        for name in by_hand.WEIGHTS:
            values = torch.tensor(getattr(computation.settings, name), dtype=torch.float64)
            lines.begin_with(f"{name}_{number}", _symbol(name, number), values, columns)
        before = "x" if number == 1 else f"stream_{number - 1}"
        lines.attend(number, computation, {}, before)
        stream = stream + computation.trace.output
        title = page.t("program.stream", layer=number)
        line = f"{before} + output_{number}"
        formula = f"X_{number} = {'X' if number == 1 else f'X_{number - 1}'} + O_{number}"
        lines.add(f"stream_{number}", title, line, formula, stream)
    layers = ", ".join(f"({', '.join(f'{name}_{number}' for name in by_hand.WEIGHTS)})" for number in (1, 2))
    call = f"print(torch.allclose(layers_by_hand(x, {layers}), stream_2))"
    ending = Ending(
        page.t("program.hand"), page.t("program.hand_why"), f"{_source(plain.layers_by_hand)}\n\n\n{call}"
    )
    return lines.whole({}, by_hand.reading(page, first, second)[0], ending)


def _symbol(name: str, number: int) -> str:
    return f"W_{{{name[-1].upper()},{number}}}"


# ---- trained


def snapshot_of(page: Page) -> TwoLayersSnapshot:
    """What the part shows."""
    if page.part.name == "one_layer":
        return one_layer.shown(page, one_layer.options_of(page))[0]
    return apart.shown(page, train.options_of(page))[0]


def _trained(page: Page) -> Program:
    snapshot, tokens = snapshot_of(page), scene.tokens_of(page)
    cut = apart.cut_of(page) if page.part.name == "apart" else ()
    matrices, trace = snapshot.matrices, scene.trace_at(snapshot, tokens, cut)
    lines = _LineByLine(page, distinct(tuple(scene.words(tokens))))
    lines.begin_with(
        "one_hot", "T", F.one_hot(tokens, len(LETTERS)).double(), lines.tokens, cols=list(LETTERS)
    )
    for name, values in matrices.items():
        title = SYMBOLS.get(name) or _symbol(name[:-2], int(name[-1]))
        lines.begin_with(name, title, values, list(LETTERS) if name == "embedding" else ())
    line, formula = "one_hot @ embedding + positions", "X_0 = T · E + P"
    lines.add("stream_0", page.t("program.start"), line, formula, trace.streams[0])
    for number, layer in enumerate(trace.layers, 1):
        before = f"stream_{number - 1}"
        head = steps.Steps(_page_of(page, snapshot, number, tokens, trace.streams[number - 1]), layer)
        lines.attend(number, head, dict.fromkeys(cut if number == 2 else (), "stream_0"), before)
        title, line = page.t("program.stream", layer=number), f"{before} + output_{number} @ w_o_{number}"
        formula = f"X_{number} = X_{number - 1} + O_{number} · W_{{O,{number}}}"
        lines.add(f"stream_{number}", title, line, formula, trace.streams[number])
    end, letters = len(trace.layers), list(LETTERS)
    lines.add(
        "logits", "logits", f"stream_{end} @ unembedding", f"L = X_{end} · W_U", trace.logits, cols=letters
    )
    probabilities = trace.logits.softmax(-1)
    look: dict[str, Any] = {"cols": letters, "kind": "weights"}
    line, formula = "torch.softmax(logits, dim=-1)", "P = softmax(L)"
    lines.add("probabilities", page.t("scene.next"), line, formula, probabilities, **look)
    asked = probabilities[list(ASKED)].argmax(-1).tolist()
    facts = {
        page.t("setting.two_seed"): str(page.own.two_seed),
        page.t("setting.two_step"): str(snapshot.step),
    }
    return lines.whole(facts, page.t.listed(scene.words(asked)), _training(page, snapshot))


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
