"""The model on the screen: its matrices from words to probabilities, each with how it was made."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention import BlockTrace, LayerNormTrace, causal_mask
from attention.lab.transformer import (
    SENTENCES,
    ModelOptions,
    ModelTrace,
    fresh_model,
    model_trace,
    trained_model,
)
from attention.lab.transformer.model import IN_BLOCK, WIDTH, ModelMatrices, shapes_of
from pages import picture
from pages.draw import matrix, steps
from pages.draw.numbers import bracketed, confirmed, counted, short
from pages.draw.page import Page, distinct
from pages.model.entries import parse_number, whole
from pages.model.languages import LANGUAGES
from pages.model.state import State
from pages.picture import Arrow, Flow, Matrix, PanelStep
from pages.picture.traced import (
    SAME,
    AxisNames,
    Operation,
    Scalar,
    Traced,
    as_input,
    side_by_side,
)

from .settings import WORDS, ModelNumbers

EPS = 1e-5  # of a LayerNorm
OF_EMBEDDING = {"e": "E", "p": "P"}
SYMBOLS = {
    **OF_EMBEDDING,
    **{name: f"W_{name[-1].upper()}" for name in IN_BLOCK},
    "w_u": "W_U",
}
LAYER_NORM = Operation(
    lambda rows: torch.nn.functional.layer_norm(rows, (WIDTH,)),
    f"F.layer_norm({{}}, ({WIDTH},))",
    "LayerNorm({})",
    "layer_norm({})",  # a function of the program
)
RELU = Operation(torch.relu, "F.relu({})", "max(0, {})", "np.maximum({}, 0)")


# ---- the numbers


def options_of(own: ModelNumbers) -> ModelOptions:
    return ModelOptions(own.blocks, own.model_heads, own.norm, own.residual, own.forward, own.model_seed)


def is_plain(own: ModelNumbers) -> bool:
    """Whether the model has the form of the one in plain PyTorch."""
    return own.norm == "before" and own.residual and own.forward


def standing(own: ModelNumbers) -> ModelNumbers:
    """The record with a block and a head that the model has: it may have had more of them before."""
    return replace(own, block=min(own.block, own.blocks), head_shown=min(own.head_shown, own.model_heads))


def numbers_of(matrices: ModelMatrices) -> tuple[float, ...]:
    """All numbers of a model, matrix by matrix."""
    return tuple(number for values in matrices.values() for number in values.flatten().tolist())


@functools.lru_cache(maxsize=64)
def matrices_of(own: ModelNumbers) -> ModelMatrices:
    """The learner's own matrices, or else those of the trained model, or those before any training."""
    shapes = shapes_of(own.blocks)
    sizes = [rows * cols for rows, cols in shapes.values()]
    if len(own.changed) == sum(sizes):
        parts = torch.tensor(own.changed, dtype=torch.float64).split(sizes)
        return {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
    if own.from_training:
        return trained_model(own.blocks)
    return fresh_model(options_of(own))


@functools.lru_cache(maxsize=64)
def trace_of(own: ModelNumbers) -> ModelTrace:
    """The whole computation for the words of the record."""
    return model_trace(matrices_of(own), torch.tensor(own.words), options_of(own))


def take(edit: dict) -> Callable[[State], State]:
    """A number of a matrix that the learner has changed."""

    def change(state: State) -> State:
        own = standing(state.of(ModelNumbers))
        matrices = {name: values.clone() for name, values in matrices_of(own).items()}
        name, row, col = edit["matrix"], int(edit["row"]), int(edit["col"])
        if name == "embedded":  # a row of E for each word of the sentence
            name, row = "e", own.words[whole("row", row, 0, len(own.words) - 1)]
        name = f"{name}_{own.block}" if name in IN_BLOCK else name
        rows, cols = matrices[name].shape
        matrices[name][whole("row", row, 0, rows - 1), whole("col", col, 0, cols - 1)] = parse_number(
            edit["value"]
        )
        return state.having(replace(own, changed=numbers_of(matrices)))

    return change


# ---- the words


def word(page: Page, number: int) -> str:
    return page.t(f"word.{number}")


def sentence(page: Page, words: Sequence[int]) -> str:
    """The words without the point that begins them."""
    names = (word(page, number) for number in words[len(words) > 1 :])
    return LANGUAGES[page.t.language].space.join(names)


# ---- the picture


class ModelPicture:
    """The matrices of a model by their ids; `own` has its form, and says which block and head are shown.

    named    id → name in a program
    before   the block before, and the outputs of the other heads, where a program has their steps
    """

    def __init__(
        self,
        page: Page,
        own: ModelNumbers,
        matrices: ModelMatrices,
        trace: ModelTrace,
        *,
        editable: bool = True,
        named: Callable[[str], str] = str,
        before: Mapping[str, Traced] | None = None,
    ):
        self.page, self.own, self.weights, self.trace = page, standing(own), matrices, trace
        self.editable, self.named, self.before = editable, named, before or {}
        self.block: BlockTrace = trace.blocks[self.own.block - 1]
        self.several = own.model_heads > 1
        self.tokens = distinct(tuple(word(page, number) for number in own.words))
        self.words = [word(page, number) for number in range(WORDS)]
        self.rows, self.keys = AxisNames(self.tokens, "query"), AxisNames(self.tokens, "key")
        self.places, self.letters = AxisNames(counted(WIDTH)), AxisNames(self.words)
        self.looks: dict[str, dict[str, Any]] = {}

    # ---- what is made from what

    @property
    def middle(self) -> str:
        """The residual stream between attention and the feed-forward layer."""
        return "norm_1" if self.own.norm == "after" else "attention_stream"

    @property
    def end(self) -> str:
        """The output of the block."""
        if not self.own.forward:
            return self.middle
        return "norm_2" if self.own.norm == "after" else "forward_stream"

    @functools.cached_property
    def numbers(self) -> dict[str, Traced]:
        """All steps and their inputs by their ids, in the order in which they are computed."""
        norm, block, made = self.own.norm, self.block, dict[str, Traced]()
        self._embed(made)
        self._attend(made, self._norm(made, "norm_1", block.norm_1, "x") if norm == "before" else "x")
        self._add(made, "attention_stream", "X′", block.attention_stream, "x", "attention")
        if norm == "after":
            self._norm(made, "norm_1", block.norm_1, "attention_stream")
        if self.own.forward and block.feed_forward is not None:
            middle = source = self.middle
            if norm == "before":
                source = self._norm(made, "norm_2", block.norm_2, middle)
            self._forward(made, source)
            self._add(made, "forward_stream", "X″", block.feed_forward_stream, middle, "forward")
            if norm == "after":
                self._norm(made, "norm_2", block.norm_2, "forward_stream")
        if self.own.block == self.own.blocks:
            self._predict(made)
        return made

    def _input(
        self, made: dict[str, Traced], name: str, rows: AxisNames | None = None, cols: AxisNames | None = None
    ) -> Traced:
        values = self.weights[f"{name}_{self.own.block}" if name in IN_BLOCK else name]
        if name == "p":
            values = values[: len(self.tokens)]
        count, width = map(counted, values.shape)
        rows, cols = rows or AxisNames(count), cols or AxisNames(width)
        number = as_input(self.named(name), SYMBOLS[name], values, rows, cols, id=name)
        made[name] = number
        return number

    def _step(
        self,
        made: dict[str, Traced],
        number: Traced,
        id: str,
        symbol: str,
        known: Tensor | None,
        written: str = "",
        **look: Any,
    ) -> Traced:
        """A step with the core's value. title: its heading, if not its symbol; look: of its matrix."""
        title = look.pop("title", "")
        signs = {"id": id, "title": title, "rows": self.rows, "known": known}
        signs |= {"written": written} if written else {}
        made[id] = number.called(self.named(id), symbol, **signs)
        self.looks[id] = {"step_name": id, "alt": self.page.t(f"title.{id}")} | look
        return made[id]

    def _embed(self, made: dict[str, Traced]) -> None:
        own, trace = self.own, self.trace
        if "x" in self.before:
            made["x"] = self.before["x"]
        elif own.block > 1:
            values = trace.blocks[own.block - 2].output
            before = as_input("before", "X", values, self.rows, self.places)
            look: dict[str, Any] = {"how": lambda: picture.copy(("before", 0, WIDTH)), "id": "x"}
            made["x"] = Traced(SAME, (before,), self.rows, self.places).called("x", "X", **look)
            self.looks["x"] = {"alt": "X", "subtitle": ""}
        else:
            chosen = torch.nn.functional.one_hot(torch.tensor(own.words), WORDS).double()
            made["one_hot"] = as_input(
                "one_hot", "T", chosen, AxisNames(self.tokens), self.letters, kind="plain"
            )
            product = made["one_hot"] @ self._input(made, "e", self.letters)
            rows = self._step(made, product, "embedded", "", trace.embedded, title="T · E", subtitle="")
            places = self._input(made, "p")
            written = "E + P" if own.stage == "all" else ""  # see _of_words
            self._step(made, rows + places, "x", "X", trace.x, written)

    def _norm(self, made: dict[str, Traced], name: str, trace: LayerNormTrace | None, of: str) -> str:
        assert trace is not None
        output = trace.output

        def how() -> dict:
            return picture.written(norm_texts(trace.x, output), [of, f"moments_{name[-1]}"], "row")

        number = Traced(LAYER_NORM, (made[of],), self.rows, self.places, how)
        self._step(made, number, name, f"N_{name[-1]}", output)
        return name

    def _attend(self, made: dict[str, Traced], source: str) -> None:
        trace, own, t = self.block.attention, self.own, self.page.t
        width, index = WIDTH // own.model_heads, own.head_shown - 1
        start, stop = index * width, (index + 1) * width
        head, mark = trace.head(index), f"_{own.head_shown}" if self.several else ""
        marked: dict[str, Any] = {"marked": (start, stop)} if self.several else {}
        weights = {letter: self._input(made, f"w_{letter}") for letter in "qkv"}
        self.looks |= {f"w_{letter}": marked for letter in "qkv"}
        parts = {}
        for letter, name in (("q", "query"), ("k", "key"), ("v", "value")):
            product, capital = made[source] @ weights[letter], letter.upper()
            whole = self._step(made, product, name, capital, getattr(trace, name), **marked)
            if self.several:
                look: dict[str, Any] = {"id": name, "symbol": f"{capital}{mark}", "first": (0, start)}
                whole = replace(whole[:, start:stop], cols=AxisNames(counted(width)), **look)
            parts[letter] = whole
        visible, symbol = causal_mask(len(self.tokens)), f"S{mark}"
        mask = as_input("mask", "M", visible, self.rows, self.keys, title=t("sheet.mask"))
        hidden = steps.hidden(visible)
        product = parts["q"] @ replace(parts["k"], rows=self.keys).T
        scores = self._step(made, product, "scores", symbol, head.scores)
        divided = scores / Scalar(width**0.5, f"math.sqrt({width})", f"√{width}", "√{d_k}")
        title = t("short.scaled_scores")
        scaled = self._step(made, divided, "scaled_scores", symbol, head.scaled_scores, title=title)
        look = {"masked": hidden, "subtitle": t("mask.causal"), "title": t("short.masked_scores")}
        rule = t("formula.masked_scores", masked="−∞")
        masked = self._step(
            made, scaled.masked(mask), "masked_scores", symbol, head.masked_scores, rule, **look
        )
        look = {"masked": hidden, "subtitle": "softmax"}
        shares = self._step(made, masked.softmax(), "weights", f"A{mark}", head.weights, **look)
        output = self._step(made, shares @ parts["v"], "head_output", f"O{mark}", head.output)
        if self.several:
            first, second = (
                output if other == index else self._of_other(other, output)
                for other in range(own.model_heads)
            )
            joined = replace(side_by_side(first, second), cols=self.places)
            look = {"subtitle": "O_1, O_2", **marked}
            output = self._step(made, joined, "concatenated", "O", trace.concatenated, **look)
        product = output @ self._input(made, "w_o")
        self._step(made, product, "attention", "Z", trace.output, "O · W_O")

    def _of_other(self, head: int, shown: Traced) -> Traced:
        """The output of another head."""
        name, values = f"head_output_{head + 1}", self.block.attention.heads.output[head]
        return self.before.get(name) or as_input(name, f"O_{head + 1}", values, shown.rows, shown.cols)

    def _add(
        self, made: dict[str, Traced], name: str, symbol: str, known: Tensor | None, before: str, layer: str
    ) -> None:
        """The residual stream after a layer; without a residual connection what the layer gives."""
        replaced = Traced(
            SAME, (made[layer],), self.rows, self.places, lambda: picture.copy((layer, 0, WIDTH))
        )
        self._step(made, made[before] + made[layer] if self.own.residual else replaced, name, symbol, known)

    def _forward(self, made: dict[str, Traced], source: str) -> None:
        trace = self.block.feed_forward
        assert trace is not None
        inner = trace.hidden

        def how() -> dict:
            texts = [
                [f"max(0, {short(value, 4)}) = {short(max(value, 0.0), 4)}" for value in row]
                for row in inner.tolist()
            ]
            return picture.written(texts, ["hidden"])

        hidden = self._step(made, made[source] @ self._input(made, "w_1"), "hidden", "H", inner)
        number = Traced(RELU, (hidden,), hidden.rows, hidden.cols, how)
        activated = self._step(made, number, "activated", "R", trace.activated)
        self._step(made, activated @ self._input(made, "w_2"), "forward", "F", trace.output)

    def _predict(self, made: dict[str, Traced]) -> None:
        product = made[self.end] @ self._input(made, "w_u", cols=self.letters)
        logits = self._step(made, product, "logits", "L", self.trace.logits)
        self._step(made, logits.softmax(), "probabilities", "p", self.trace.probabilities)

    # ---- the matrices

    @functools.cached_property
    def matrices(self) -> dict[str, Matrix]:
        """All of them, in the order in which they are computed."""
        result: dict[str, Matrix] = {}
        for id, number in self.numbers.items():
            if number.operation is LAYER_NORM:
                (source,) = number.sources
                moments = self._moments(f"moments_{id[-1]}", source)
                result[moments.id] = moments
            result[id] = self._matrix(id, number)
        return result

    def _matrix(self, id: str, number: Traced) -> Matrix:
        look = self.looks.get(id, {})
        if number.sources:
            return matrix.number(self.page, number, **{"subtitle": number.formula} | look)
        if id == "one_hot":
            return matrix.number(self.page, number, alt=self.page.t("model.one_hot"))
        alt = self.page.t("inputs.alt", matrix=number.symbol)
        shown = matrix.number(self.page, number, symbol=number.symbol, alt=alt, **look)
        return shown.to_edit() if self.editable else shown

    def _moments(self, id: str, of: Traced) -> Matrix:
        """Mean and variance of each row."""
        moments = moments_of(of.value)
        texts = [
            [_mean_text(row, mean), _variance_text(row, mean, variance)]
            for row, (mean, variance) in zip(of.value.tolist(), moments.tolist(), strict=True)
        ]
        names = (self.page.t("model.mean"), self.page.t("model.variance"))
        look: dict[str, Any] = {"query_rows": True, "alt": self.page.t("model.moments")}
        look["recipe"] = picture.written(texts, [of.id], "row")
        return matrix.of(id, "μ, σ²", moments, self.tokens, names, **look)

    def find(self, name: str) -> Matrix | None:
        """A matrix without a place in the picture that others are made from."""
        if name == "before":
            before = self.trace.blocks[self.own.block - 2].output
            title = self.page.t("model.before", block=self.own.block - 1)
            return matrix.of("before", title, before, self.tokens)
        if name.startswith("head_output_"):
            head = int(name.removeprefix("head_output_"))
            return matrix.of(name, f"O_{head}", self.block.attention.heads.output[head - 1], self.tokens)
        if name == "logits" and name not in self.matrices:
            return matrix.of(name, "L", self.trace.logits, self.tokens, self.words)
        return self.matrices.get(name)

    # ---- where they are

    def bands(self) -> list[Flow]:
        """The lines of the picture: of the shown stage with what it reads, or of all."""
        after = self.own.norm == "after"
        norm_1, norm_2 = ["moments_1", "norm_1"], ["moments_2", "norm_2"]
        weights, projections = ["w_q", "w_k", "w_v"], ["query", "key", "value"]
        scores = ["scores", "scaled_scores", "masked_scores", "weights"]
        heads = ["head_output", "concatenated", "w_o", "attention", "attention_stream"]
        heads += norm_1[self.own.stage == "all" :] if after else []
        embedding: list[str | Arrow] = ["one_hot", Arrow("·"), "e", Arrow("="), "embedded"]
        embedding += [Arrow("+"), "p", Arrow("="), "x"]
        before, last = ([], norm_2) if after else (norm_2, [])
        stages: dict[str, list[list[str | Arrow]]] = {
            "all": [
                ["embedded", "p", "x", *([] if after else norm_1[1:]), *weights],
                [*projections, *scores],
                [*heads, *before[1:], "w_1"],
                ["hidden", "activated", "w_2", "forward", "forward_stream", *last[1:]],
                ["w_u", "logits", "probabilities"],
            ],
            "embedding": [embedding if self.own.block == 1 else ["x"]],
            "attention": [["x", *([] if after else norm_1), *weights], [*projections], [*scores], [*heads]],
            "forward": [
                [self.middle, *before, "w_1", "hidden"],
                ["activated", "w_2", "forward", "forward_stream", *last],
            ],
            "prediction": [[self.end, "w_u"], ["logits", "probabilities"]],
        }
        known = self.matrices
        kept = [
            [item for item in line if isinstance(item, Arrow) or item in known]
            for line in stages[self.own.stage]
        ]
        return [Flow(line) for line in kept if line]

    def shown(self) -> tuple[list[Matrix], list[Flow]]:
        """The matrices with a place, and the places."""
        bands = self.bands()
        names = {item for band in bands for item in band.items if isinstance(item, str)}
        matrices = [entry for name, entry in self.matrices.items() if name in names]
        if self.own.stage == "all" and self.own.block < self.own.blocks:  # what comes of a change is in sight
            last = self.page.t("model.after", block=self.own.blocks)
            matrices.append(self._expected(last))
            bands.append(Flow(["probabilities"]))
        return [self._of_words(entry) if "e" not in names else entry for entry in matrices], bands

    def _expected(self, subtitle: str) -> Matrix:
        """The probabilities after the last block, in the picture of another block."""
        look: dict[str, Any] = {"kind": "weights", "subtitle": subtitle, "recipe": picture.softmax("logits")}
        look |= {"query_rows": True, "alt": self.page.t("title.probabilities")}
        values = self.trace.probabilities
        return matrix.of("probabilities", "p", values, self.tokens, self.words, **look)

    def _of_words(self, entry: Matrix) -> Matrix:
        """In a picture without E: its rows for the words of the sentence, to be changed."""
        if entry.id != "embedded":
            return entry
        rows = entry.having(title="E", subtitle=self.page.t("model.of_words"), recipe=None, step_name=None)
        return rows.to_edit() if self.editable else rows

    # ---- what each step is

    def steps(self) -> list[PanelStep]:
        """Each computed step that is shown."""
        return [self.panel(entry.step_name) for entry in self.shown()[0] if entry.step_name]

    def panel(self, name: str) -> PanelStep:
        """A computed step with its formula, its reason and its line of code."""
        t, number = self.page.t, self.numbers[name]
        texts = t(f"title.{name}"), number.equation, t(f"model_why.{name}")
        return PanelStep(name, *texts, number.line("torch"), number.latex)


def moments_of(rows: Tensor) -> Tensor:
    """The mean of each row, and its variance with the small number that is added to it."""
    return torch.stack((rows.mean(-1), rows.var(-1, correction=0) + EPS), dim=-1)


def norm_texts(rows: Tensor, after: Tensor) -> list[list[str]]:
    """The arithmetic of each cell after LayerNorm."""
    return [
        [_norm_text(value, mean, variance, result) for value, result in zip(row, results, strict=True)]
        for row, (mean, variance), results in zip(
            rows.tolist(), moments_of(rows).tolist(), after.tolist(), strict=True
        )
    ]


def _mean_text(row: Sequence[float], mean: float) -> str:
    def compute(*numbers: float) -> float:
        return sum(numbers) / len(numbers)

    terms = " + ".join(map(bracketed, confirmed(compute, row, mean)))
    return f"({terms}) / {len(row)} = {short(mean, 4)}"


def _variance_text(row: Sequence[float], mean: float, variance: float) -> str:
    def compute(mean: float, *numbers: float) -> float:
        return sum((value - mean) ** 2 for value in numbers) / len(numbers) + EPS

    middle, *values = confirmed(compute, (mean, *row), variance)
    terms = " + ".join(f"({value} − {bracketed(middle)})²" for value in values)
    return f"({terms}) / {len(row)} + 0.00001 = {short(variance, 4)}"


def _norm_text(value: float, mean: float, variance: float, result: float) -> str:
    def compute(value: float, mean: float, variance: float) -> float:
        return (value - mean) / variance**0.5

    first, middle, below = confirmed(compute, (value, mean, variance), result, least=4)
    return f"({first} − {bracketed(middle)}) / √{below} = {short(result, 4)}"


def sentences(page: Page) -> dict[tuple[int, ...], str]:
    """The sentences of the grammar as the model reads them, without their last point."""
    return {words[:-1]: sentence(page, words[:-1]) for words in SENTENCES}
