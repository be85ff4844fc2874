"""The model on the screen: its matrices from words to probabilities, each with how it was made."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention import BlockTrace, LayerNormTrace
from attention.lab.transformer import (
    SENTENCES,
    ModelOptions,
    ModelTrace,
    fresh_model,
    model_trace,
    trained_model,
)
from attention.lab.transformer.model import IN_BLOCK, WIDTH, ModelMatrices, shapes_of
from pages.draw import matrix, picture
from pages.draw.numbers import bracketed, confirmed, counted, short
from pages.draw.page import Page, distinct
from pages.draw.picture import Arrow, Flow, Matrix, PanelStep
from pages.draw.picture.traced import latex_of
from pages.model.entries import parse_number, whole
from pages.model.languages import LANGUAGES
from pages.model.state import State

from .settings import WORDS, ModelNumbers

EPS = 1e-5  # of a LayerNorm
OF_EMBEDDING = {"e": "E", "p": "P"}
SYMBOLS = {
    **OF_EMBEDDING,
    **{name: f"W_{name[-1].upper()}" for name in IN_BLOCK},
    "w_u": "W_U",
}
# Steps whose formula on the screen has words.
LATEX = {
    "scaled_scores": r"s_{ij} \to \frac{s_{ij}}{\sqrt{d_k}}",
    "masked_scores": r"s_{ij} \to -\infty \text{ for } j > i",
    "weights": r"A = \mathrm{softmax}(S)",
}


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
    """The matrices of a model by their ids; `own` has its form, and says which block and head are shown."""

    def __init__(
        self,
        page: Page,
        own: ModelNumbers,
        matrices: ModelMatrices,
        trace: ModelTrace,
        *,
        editable: bool = True,
    ):
        self.page, self.own, self.numbers, self.trace = page, standing(own), matrices, trace
        self.editable = editable
        self.block: BlockTrace = trace.blocks[self.own.block - 1]
        self.several = own.model_heads > 1
        self.tokens = distinct(tuple(word(page, number) for number in own.words))
        self.words = [word(page, number) for number in range(WORDS)]
        self.places = counted(WIDTH)

    # ---- what is made from what

    @property
    def attends_from(self) -> str:
        """What queries, keys and values are made from."""
        return "norm_1" if self.own.norm == "before" else "x"

    @property
    def middle(self) -> str:
        """The residual stream between attention and the feed-forward layer."""
        return "norm_1" if self.own.norm == "after" else "attention_stream"

    @property
    def forwards_from(self) -> str:
        """What the feed-forward layer reads."""
        return "norm_2" if self.own.norm == "before" else self.middle

    @property
    def end(self) -> str:
        """The output of the block."""
        if not self.own.forward:
            return self.middle
        return "norm_2" if self.own.norm == "after" else "forward_stream"

    # ---- the matrices

    @functools.cached_property
    def matrices(self) -> dict[str, Matrix]:
        """All of them, in the order in which they are computed."""
        own, block = self.own, self.block
        result = [
            *self._embedding(),
            *self._norm("norm_1", block.norm_1 if own.norm == "before" else None, "x"),
        ]
        result += self._attention()
        added = self._added("attention_stream", "X′", block.attention_stream, "x", "attention", "Z")
        result += [
            added,
            *self._norm("norm_1", block.norm_1 if own.norm == "after" else None, "attention_stream"),
        ]
        if own.forward and block.feed_forward is not None:
            before = block.norm_2 if own.norm == "before" else None
            result += [*self._norm("norm_2", before, self.middle), *self._forward()]
            stream = block.feed_forward_stream
            result.append(self._added("forward_stream", "X″", stream, self.middle, "forward", "F"))
            after = block.norm_2 if own.norm == "after" else None
            result += self._norm("norm_2", after, "forward_stream")
        if own.block == own.blocks:
            result += self._prediction()
        return {entry.id: entry for entry in result}

    def _input(
        self, name: str, rows: Sequence[str] | None = None, cols: Sequence[str] | None = None
    ) -> Matrix:
        values = self.numbers[f"{name}_{self.own.block}" if name in IN_BLOCK else name]
        if name == "p":
            values = values[: len(self.tokens)]
        count, width = values.shape
        shown = Matrix(
            name,
            SYMBOLS[name],
            counted(count) if rows is None else rows,
            counted(width) if cols is None else cols,
            values.tolist(),
            symbol=SYMBOLS[name],
        ).looking(alt=self.page.t("inputs.alt", matrix=SYMBOLS[name]))
        return shown.to_edit() if self.editable else shown

    def _computed(self, name: str, title: str, values: Tensor | None, recipe: dict, **look: Any) -> Matrix:
        assert values is not None
        cols = look.pop("cols", None)
        look = {"query_rows": True, "step_name": name} | look
        look.setdefault("alt", self.page.t(f"title.{name}") if look["step_name"] else title)
        return matrix.of(name, title, values, self.tokens, cols, recipe=recipe, **look)

    def _embedding(self) -> list[Matrix]:
        own, trace = self.own, self.trace
        if own.block > 1:
            before = trace.blocks[own.block - 2].output
            recipe = picture.copy(("before", 0, WIDTH))
            return [self._computed("x", "X", before, recipe, step_name=None)]
        chosen = torch.nn.functional.one_hot(torch.tensor(own.words), WORDS).double()
        look: dict[str, Any] = {"kind": "plain", "alt": self.page.t("model.one_hot")}
        embedded = picture.product("one_hot", "e", WORDS)
        rows = "E" if own.stage == "all" else "T · E"  # see _of_words
        return [
            matrix.of("one_hot", "T", chosen, self.tokens, self.words, **look),
            self._input("e", self.words),
            self._computed("embedded", "T · E", trace.embedded, embedded),
            self._input("p"),
            self._computed("x", "X", trace.x, picture.add("embedded", "p"), subtitle=f"{rows} + P"),
        ]

    def _norm(self, name: str, trace: LayerNormTrace | None, of: str) -> list[Matrix]:
        """Mean and variance of each row, and the rows after LayerNorm."""
        if trace is None:
            return []
        symbol = f"N_{name[-1]}"
        moments = moments_of(trace.x)
        texts = [
            [_mean_text(row, mean), _variance_text(row, mean, variance)]
            for row, (mean, variance) in zip(trace.x.tolist(), moments.tolist(), strict=True)
        ]
        results = norm_texts(trace.x, trace.output)
        names = (self.page.t("model.mean"), self.page.t("model.variance"))
        look: dict[str, Any] = {"cols": names, "step_name": None, "alt": self.page.t("model.moments")}
        sources = self._symbol(of)
        return [
            self._computed(
                f"moments_{name[-1]}", "μ, σ²", moments, picture.written(texts, [of], "row"), **look
            ),
            self._computed(
                name,
                symbol,
                trace.output,
                picture.written(results, [of, f"moments_{name[-1]}"], "row"),
                subtitle=f"LayerNorm({sources})",
            ),
        ]

    def _attention(self) -> list[Matrix]:
        trace, own, t = self.block.attention, self.own, self.page.t
        source, width = self.attends_from, WIDTH // own.model_heads
        symbol, index = self._symbol(source), own.head_shown - 1
        head, start = trace.head(index), index * width
        mark = f"_{own.head_shown}" if self.several else ""
        marked = {"marked": (start, start + width)} if self.several else {}
        square: dict[str, Any] = {"cols": self.tokens, **self.page.axes}
        length = len(self.tokens)
        hidden = [(r, c) for r in range(length) for c in range(r + 1, length)]
        result = [self._input(f"w_{letter}").looking(**marked) for letter in "qkv"]
        for letter, name in (("q", "query"), ("k", "key"), ("v", "value")):
            recipe = picture.product(source, f"w_{letter}", WIDTH)
            title = letter.upper()
            look: dict[str, Any] = {"subtitle": f"{symbol} · W_{title}", **marked}
            result.append(self._computed(name, title, getattr(trace, name), recipe, **look))
        places: dict[str, Any] = {"left_start": start, "right_start": start, "right_transposed": True}
        scores = picture.product("query", "key", width, **places)
        divisor = f"√{width}"
        result += [
            self._computed(
                "scores", f"S{mark}", head.scores, scores, subtitle=f"Q{mark} · K{mark}^T", **square
            ),
            self._computed(
                "scaled_scores",
                t("short.scaled_scores"),
                head.scaled_scores,
                picture.divide("scores", width**0.5, divisor),
                subtitle=f"S / {divisor}",
                **square,
            ),
            self._computed(
                "masked_scores",
                t("short.masked_scores"),
                head.masked_scores,
                picture.masked_from("scaled_scores"),
                masked=hidden,
                subtitle=t("mask.causal"),
                **square,
            ),
            self._computed(
                "weights",
                f"A{mark}",
                head.weights,
                picture.softmax("masked_scores"),
                kind="weights",
                masked=hidden,
                subtitle="softmax",
                **square,
            ),
            self._computed(
                "head_output",
                f"O{mark}",
                head.output,
                picture.product("weights", "value", length, col_start=start),
                subtitle=f"A{mark} · V{mark}",
            ),
        ]
        joined = "head_output"
        if self.several:
            joined = "concatenated"
            names = {
                i: "head_output" if i == index else f"head_output_{i + 1}" for i in range(own.model_heads)
            }
            recipe = picture.copy(*((name, i * width, width) for i, name in names.items()))
            look = {"subtitle": "O_1, O_2", **marked}
            result.append(self._computed("concatenated", "O", trace.concatenated, recipe, **look))
        output = picture.product(joined, "w_o", WIDTH)
        return [
            *result,
            self._input("w_o"),
            self._computed("attention", "Z", trace.output, output, subtitle="O · W_O"),
        ]

    def _added(
        self, name: str, title: str, values: Tensor | None, before: str, layer: str, symbol: str
    ) -> Matrix:
        """The residual stream after a layer; without a residual connection what the layer gives."""
        if self.own.residual:
            recipe, subtitle = picture.add(before, layer), f"{self._symbol(before)} + {symbol}"
        else:
            recipe, subtitle = picture.copy((layer, 0, WIDTH)), symbol
        return self._computed(name, title, values, recipe, subtitle=subtitle)

    def _forward(self) -> list[Matrix]:
        trace, source = self.block.feed_forward, self.forwards_from
        assert trace is not None
        hidden = trace.hidden.tolist()
        texts = [
            [f"max(0, {short(value, 4)}) = {short(max(value, 0.0), 4)}" for value in row] for row in hidden
        ]
        return [
            self._input("w_1"),
            self._computed(
                "hidden",
                "H",
                trace.hidden,
                picture.product(source, "w_1", WIDTH),
                subtitle=f"{self._symbol(source)} · W_1",
            ),
            self._computed(
                "activated", "R", trace.activated, picture.written(texts, ["hidden"]), subtitle="max(0, H)"
            ),
            self._input("w_2"),
            self._computed(
                "forward",
                "F",
                trace.output,
                picture.product("activated", "w_2", 2 * WIDTH),
                subtitle="R · W_2",
            ),
        ]

    def _prediction(self) -> list[Matrix]:
        trace, source = self.trace, self.end
        logits = picture.product(source, "w_u", WIDTH)
        look: dict[str, Any] = {"cols": self.words, "subtitle": f"{self._symbol(source)} · W_U"}
        return [
            self._input("w_u", cols=self.words),
            self._computed("logits", "L", trace.logits, logits, **look),
            self._probabilities(subtitle="softmax(L)"),
        ]

    def _probabilities(self, **look: Any) -> Matrix:
        look |= {"cols": self.words, "kind": "weights"}
        recipe = picture.softmax("logits")
        return self._computed("probabilities", "p", self.trace.probabilities, recipe, **look)

    def _symbol(self, name: str) -> str:
        symbols = {
            "x": "X",
            "norm_1": "N_1",
            "norm_2": "N_2",
            "attention_stream": "X′",
            "forward_stream": "X″",
        }
        return symbols[name]

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
            matrices.append(
                self._probabilities(subtitle=last, step_name=None, alt=self.page.t("title.probabilities"))
            )
            bands.append(Flow(["probabilities"]))
        return [self._of_words(entry) if "e" not in names else entry for entry in matrices], bands

    def _of_words(self, entry: Matrix) -> Matrix:
        """In a picture without E: its rows for the words of the sentence, to be changed."""
        if entry.id != "embedded":
            return entry
        rows = entry.having(title="E", subtitle=self.page.t("model.of_words"), recipe=None, step_name=None)
        return rows.to_edit() if self.editable else rows

    # ---- what each step is

    def steps(self) -> list[PanelStep]:
        """Each computed step that is shown."""
        code = self.code()
        return [self.panel(entry.step_name, code) for entry in self.shown()[0] if entry.step_name]

    def panel(self, name: str, code: Mapping[str, str]) -> PanelStep:
        """A computed step with its formula, its reason and its line of code."""
        t, formula = self.page.t, self._formula(name)
        latex = LATEX.get(name) or latex_of(formula)
        return PanelStep(name, t(f"title.{name}"), formula, t(f"model_why.{name}"), code[name], latex)

    def _formula(self, name: str) -> str:
        entry = self.matrices[name]
        return f"{entry.title} = {entry.look.subtitle}" if entry.look.subtitle else entry.title

    def code(self) -> Mapping[str, str]:
        """Step → its line of PyTorch, in which the names are those of the matrices."""
        own = self.own
        width = WIDTH // own.model_heads
        start, stop = (own.head_shown - 1) * width, own.head_shown * width
        part = f"[:, {start}:{stop}]" if self.several else ""
        mixed = "concatenated" if self.several else "head_output"
        streams = {
            "attention_stream": ("x", "attention"),
            "forward_stream": (self.middle, "forward"),
        }
        lines = {
            "embedded": "embedded = one_hot @ e",
            "x": "x = embedded + p" if own.block == 1 else "x = before",
            "scores": f"scores = query{part} @ key{part}.T",
            "scaled_scores": f"scaled_scores = scores / math.sqrt({width})",
            "masked_scores": 'masked_scores = scaled_scores.masked_fill(~mask, float("-inf"))',
            "weights": "weights = torch.softmax(masked_scores, dim=-1)",
            "head_output": f"head_output = weights @ value{part}",
            "concatenated": "concatenated = torch.cat(head_outputs, dim=-1)",
            "attention": f"attention = {mixed} @ w_o",
            "hidden": f"hidden = {self.forwards_from} @ w_1",
            "activated": "activated = F.relu(hidden)",
            "forward": "forward = activated @ w_2",
            "logits": f"logits = {self.end} @ w_u",
            "probabilities": "probabilities = torch.softmax(logits, dim=-1)",
        }
        for name in ("query", "key", "value"):
            lines[name] = f"{name} = {self.attends_from} @ w_{name[0]}"
        for name, terms in streams.items():
            lines[name] = f"{name} = {' + '.join(terms if own.residual else terms[1:])}"
        before = own.norm == "before"
        normed = {"norm_1": "x" if before else "attention_stream"}
        normed["norm_2"] = self.middle if before else "forward_stream"
        return lines | {name: f"{name} = F.layer_norm({of}, ({WIDTH},))" for name, of in normed.items()}


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
