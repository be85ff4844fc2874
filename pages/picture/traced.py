"""Numbers that remember how they were made: value, recipe of each cell, lines of code, formula.

A step is written once, `scores = (query @ key.T).called("scores", "S")`: picture, program, worksheet and
notebook read it. An operation makes a new number, and `called` gives it its name. Nothing is computed before
somebody asks for it.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import Tensor

from . import recipes

# Signs of a formula on the screen → LaTeX.
SIGNS = (
    *((name, rf"\mathrm{{{name}}}") for name in ("softmax", "dropout", "mask", "LayerNorm")),
    ("max(", r"\max("),
    ("exp(", r"\exp("),
    ("ℓ", r"\ell"),
    ("tanh", r"\tanh"),
    ("√", r"\sqrt"),
    (" · ", r"\,"),
    ("⊙", r"\odot"),
    ("Σ", r"\sum"),
    ("−", "-"),
    ("^T", r"^\top"),
    ("′", "'"),
    ("″", "''"),
)
OF_PAPERS = re.compile(r"\b([Wb])_([QKVO])\b")  # W_Q is W^Q in the papers


@dataclass(frozen=True, slots=True)
class AxisNames:
    """The names of rows or columns. of: "query" or "key", where each is one."""

    names: Sequence[str]
    of: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, part: slice) -> "AxisNames":
        return replace(self, names=self.names[part])


@dataclass(frozen=True, slots=True)
class Operation:
    """How a value is made from those of its sources, and how that is written, with {} for each source.

    numpy     where it is not PyTorch's line
    infix     with its sign between its sources, so that it needs brackets as a factor
    tight     it puts brackets around infix sources
    guarded   what PyTorch's line ends with, from the sources' values
    general   its formula in LaTeX, where that has letters in place of the present numbers
    equation  its whole equation in LaTeX, where no formula gives it
    """

    compute: Callable[..., Tensor]
    torch: str
    formula: str
    numpy: str = ""
    infix: bool = False
    tight: bool = False
    guarded: Callable[..., str] | None = None
    general: str = ""
    equation: str = ""


MATMUL = Operation(torch.matmul, "{} @ {}", "{} · {}", infix=True, tight=True)
MULTIPLY = Operation(torch.mul, "{} * {}", "{} ⊙ {}", infix=True, tight=True)
ADD = Operation(torch.add, "{} + {}", "{} + {}", infix=True)
TRANSPOSE = Operation(lambda value: value.mT, "{}.T", "{}^T", tight=True)
TRANSPOSE_EACH = replace(TRANSPOSE, torch="{}.transpose(-2, -1)", numpy="{}.swapaxes(-2, -1)")
SUBTRACT = Operation(torch.sub, "{} - {}", "{} − {}", infix=True, tight=True)
DIVIDE = Operation(torch.div, "{} / {}", "{} / {}", infix=True, tight=True)
EXP = Operation(torch.exp, "torch.exp({})", "exp({})", "np.exp({})")
SUMS = {
    over: Operation(
        functools.partial(torch.sum, dim=dim, keepdim=True),
        f"{{}}.sum(dim={dim}, keepdim=True)",
        "Σ {}",
        f"{{}}.sum(axis={dim}, keepdims=True)",
        tight=True,
    )
    for over, dim in (("row", -1), ("column", -2), ("all", (-2, -1)))
}
SAME = Operation(lambda value: value, "{}", "{}")
SOFTMAX = Operation(
    lambda scores: torch.softmax(scores, dim=-1).nan_to_num(),
    "torch.softmax({}, dim=-1)",
    "softmax({})",
    "softmax({})",  # a function of the program, where an empty row is 0
    guarded=lambda scores: ".nan_to_num()" if torch.isneginf(scores).all(-1).any() else "",
)


@dataclass(frozen=True, eq=False)
class Traced:
    """A matrix and how it was made.

    how      makes its recipe, None where none is known
    name     in programs; "" for what has no line of its own
    id       in pictures and recipes
    symbol   in formulas; may have markup
    letter   its symbol in LaTeX, where it is another: S_i, of any head
    title    its heading, if not its symbol
    written  its formula, without its own symbol, if not that of the operation
    first    the row and column where it begins in the matrix of that id
    known    its value, where it has been computed already: the same but for rounding
    """

    operation: Operation
    sources: tuple["Traced", ...]
    rows: AxisNames
    cols: AxisNames
    how: Callable[[], dict | None] = lambda: None
    kind: str = "signed"
    name: str = ""
    id: str = ""
    symbol: str = ""
    letter: str = ""
    title: str = ""
    written: str = ""
    first: tuple[int, int] = (0, 0)
    known: Tensor | None = None

    # ---- names

    def called(self, name: str, symbol: str = "", **more: Any) -> Self:
        """The number as a step. id: in pictures, where it is another; more: other fields."""
        return replace(self, name=name, symbol=symbol, **{"id": name} | more)

    def shown_as(self, id: str) -> Self:
        """A transpose that a picture shows as a matrix of its own; in programs it stays `key.T`."""
        return replace(self, id=id)

    def by(self, of: str) -> Self:
        """With rows for queries, or for keys."""
        return replace(self, rows=replace(self.rows, of=of))

    def again(self, layer: int, made: Mapping[str, "Traced"]) -> "Traced":
        """The number in one of several layers: names and symbols end in it. made: name → what replaces it.

        A known value, id and recipe stay: a picture gives ids an end itself (see `renamed`).
        """
        if self.name in made:
            return made[self.name]
        sources = tuple(source.again(layer, made) for source in self.sources)
        if not self.name:
            return replace(self, sources=sources)
        letter, _, index = self.symbol.partition("_")
        end = f"_{{{index.strip('{}')},{layer}}}" if index else f"_{layer}"
        symbol = letter and f"{letter}{end}"
        name, written = f"{self.name}_{layer}", "" if sources else symbol
        return replace(self, sources=sources, name=name, symbol=symbol, written=written)

    # ---- what others read

    @functools.cached_property
    def value(self) -> Tensor:
        if self.known is not None:
            return self.known
        return self.operation.compute(*(source.value for source in self.sources))

    @functools.cached_property
    def recipe(self) -> dict | None:
        """How each cell was made: see recipes.py."""
        return self.how()

    def code(self, library: str) -> str:
        """The right side of its line, in PyTorch ("torch") or NumPy ("np")."""
        of = self.operation
        text = of.numpy if library == "np" and of.numpy else of.torch
        text = text.format(
            *(source.name or self._inside(source, source.code(library)) for source in self.sources)
        )
        if library == "torch" and of.guarded is not None:
            text += of.guarded(*(source.value for source in self.sources))
        return text

    def line(self, library: str) -> str:
        """Its line of a program."""
        return f"{self.name} = {self.code(library)}"

    @functools.cached_property
    def formula(self) -> str:
        """Its formula on the screen, without its own symbol."""
        if self.written:
            return self.written
        return self.operation.formula.format(
            *(source.symbol or self._inside(source, source.formula) for source in self.sources)
        )

    @property
    def general(self) -> str:
        """Its formula for any head, and with letters in place of the present numbers."""
        if self.written:
            return self.written
        return (self.operation.general or self.operation.formula).format(
            *(
                source.letter or source.symbol or self._inside(source, source.general)
                for source in self.sources
            )
        )

    @property
    def equation(self) -> str:
        return self._equals(self.symbol, self.formula)

    @property
    def latex(self) -> str:
        return self.operation.equation or latex_of(self._equals(self.letter or self.symbol, self.general))

    def _equals(self, symbol: str, formula: str) -> str:
        """The equation; a number that keeps the symbol of its source has only the formula."""
        keeps = any(source.symbol == self.symbol for source in self.sources)
        return f"{symbol} = {formula}" if symbol and not keeps else formula

    @property
    def sized_equation(self) -> str:
        """Its equation; of a product with the sizes of its factors, and its own."""
        return f"{self.equation}     {self._sizes}".rstrip()

    @property
    def _sizes(self) -> str:
        product = self
        while product.operation is not MATMUL and product.sources and not product.sources[0].name:
            product = product.sources[0]
        if product.operation is not MATMUL:
            return ""
        left, right = product.sources
        n, inner, m = len(left.rows), len(left.cols), len(right.cols)
        return f"({n} × {inner}) · ({inner} × {m}) → {n} × {m}"

    @property
    def heading(self) -> str:
        """Its heading in a picture: its title, its symbol, or its factors side by side."""
        return self.title or self.symbol or self.formula.replace(" · ", " ")

    def _inside(self, source: "Traced", text: str) -> str:
        """The text of a source without a name, in this one's line."""
        return f"({text})" if self.operation.tight and source.operation.infix else text

    # ---- operations

    @property
    def T(self) -> "Traced":
        return Traced(TRANSPOSE, (self,), self.cols, self.rows)

    @property
    def mT(self) -> "Traced":
        """The transpose of a matrix of which the program has one for each head."""
        return replace(self.T, operation=TRANSPOSE_EACH)

    def __matmul__(self, other: "Traced") -> "Traced":
        return Traced(MATMUL, (self, other), self.rows, other.cols, lambda: _product(self, other))

    def __add__(self, other: "Traced") -> "Traced":
        """A row is added to each row, to a product without a name as its bias."""

        def how() -> dict | None:
            if self.id:
                return recipes.add(self.id, other.id)
            product = self.recipe if self.operation is MATMUL and len(other.rows) == 1 else None
            return product and product | {"bias": other.id}

        return Traced(ADD, (self, other), self.rows, self.cols, how)

    def __mul__(self, other: "Traced") -> "Traced":
        """Cell by cell."""
        return Traced(MULTIPLY, (self, other), self.rows, self.cols)

    def __sub__(self, other: "Traced") -> "Traced":
        """Cell by cell; what has a single row or column is subtracted from each."""

        def how() -> dict | None:
            alike = (len(self.rows), len(self.cols)) == (len(other.rows), len(other.cols))
            return recipes.difference(self.id, other.id) if alike and self.id and other.id else None

        return Traced(SUBTRACT, (self, other), self.rows, self.cols, how)

    def exp(self) -> "Traced":
        return self._like(EXP, lambda: None)

    def sum(self, over: str = "row") -> "Traced":
        """Over each "row" or "column", or over "all"."""
        sign = AxisNames(["Σ"])
        rows, cols = self.rows if over == "row" else sign, self.cols if over == "column" else sign
        how = functools.partial(recipes.total, self.id, over)
        return Traced(SUMS[over], (self,), rows, cols, how, "plain")

    def __truediv__(self, by: "Scalar | Traced") -> "Traced":
        """By one number, or by a number for each row."""
        if isinstance(by, Traced):
            return Traced(DIVIDE, (self, by), self.rows, self.cols)
        code = f"{{}} / {by.code}" if by.code else "{}"
        texts = (f"({text})" if " " in text else text for text in (by.symbol, by.letter or by.symbol))
        formula, general = (f"{{}} / {_literal(text)}" for text in texts)
        general = general if by.code else "{}"
        operation = Operation(
            lambda value: value / by.value, code, formula, infix=True, tight=True, general=general
        )
        return self._like(operation, lambda: recipes.divide(self.id, by.value, by.symbol))

    def masked(self, mask: "Traced | None", score: str = "-inf") -> "Traced":
        """`score` where the mask is False; without a mask the same numbers once more."""
        if mask is None:
            return self._like(SAME, lambda: recipes.masked_from(self.id))
        low = 'float("-inf")' if score == "-inf" else score
        operation = Operation(
            lambda scores, visible: scores.masked_fill(~visible, float(score)),
            f"{{}}.masked_fill(~{{}}, {low})",
            "mask({}, {})",
            f"np.where({{1}}, {{0}}, {low})",
            tight=True,
            equation=r"s_{ij} \to " + (r"-\infty" if score == "-inf" else "-10^9"),
        )
        made = self._like(operation, lambda: recipes.masked_from(self.id))
        return replace(made, sources=(self, mask))

    def softmax(self) -> "Traced":
        """Over each row; 0 in a row in which all is masked."""
        return self._like(SOFTMAX, lambda: recipes.softmax(self.id), kind="weights")

    def __getitem__(self, key: slice | tuple[slice, slice]) -> "Traced":
        """A block. Of a softmax, its recipe has the scores of the whole row, the block's own first."""
        rows, cols = key if isinstance(key, tuple) else (key, slice(None))
        text = ", ".join(map(_span, key if isinstance(key, tuple) else (key,)))
        row, col = rows.indices(len(self.rows))[0], cols.indices(len(self.cols))[0]

        def how() -> dict | None:
            if self.operation is not SOFTMAX or row:
                return None
            return recipes.softmax_of(self.sources[0].value.roll(-col, -1).tolist())

        block = Operation(lambda value: value[rows, cols], f"{{}}[{text}]", "{}", tight=True)
        return Traced(block, (self,), self.rows[rows], self.cols[cols], how, self.kind)

    def _like(self, operation: Operation, how: Callable[[], dict | None], **more: Any) -> "Traced":
        """A number of the same shape."""
        return Traced(operation, (self,), self.rows, self.cols, how, **more)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number as a divisor. code: "" where the line leaves it out. letter: in LaTeX, as c for 1.5."""

    value: float
    code: str
    symbol: str
    letter: str = ""


def as_input(
    name: str,
    symbol: str,
    value: Tensor | Callable[[], Tensor],
    rows: AxisNames,
    cols: AxisNames,
    **more: Any,
) -> Traced:
    """An input. value: or what makes it; first: where a block of the matrix of that id begins."""
    is_mask = isinstance(value, Tensor) and value.dtype == torch.bool
    compute = (lambda: value) if isinstance(value, Tensor) else value
    usual = {"kind": "mask" if is_mask else "signed", "name": name, "id": name, "symbol": symbol}
    return Traced(Operation(compute, "", ""), (), rows, cols, written=symbol, **usual | more)


def side_by_side(first: Traced, second: Traced) -> Traced:
    """The columns of two numbers with the same rows."""
    cols = replace(first.cols, names=[*first.cols.names, *second.cols.names])
    operation = Operation(
        lambda *values: torch.cat(values, dim=-1),
        "torch.cat(({}, {}), dim=-1)",
        "[{}, {}]",
        "np.concatenate(({}, {}), axis=-1)",
    )
    blocks = (first.id, 0, len(first.cols)), (second.id, len(first.cols), len(second.cols))
    return Traced(operation, (first, second), first.rows, cols, lambda: recipes.copy(*blocks))


def latex_of(formula: str) -> str:
    """A formula of the screen in LaTeX."""
    for sign, command in SIGNS:
        formula = formula.replace(sign, command)
    return OF_PAPERS.sub(r"\1^\2", formula)


def by_name(*numbers: Traced) -> dict[str, Traced]:
    """Steps by their names in programs."""
    return {number.name: number for number in numbers}


def inputs_of(numbers: Iterable[Traced]) -> dict[str, Traced]:
    """The inputs that programs name, by their names, in the order in which they are first used."""
    inputs: dict[str, Traced] = {}
    seen: set[Traced] = set()

    def visit(number: Traced) -> None:
        if number not in seen:
            seen.add(number)
            for source in number.sources:
                visit(source)
            if not number.sources and number.name:
                inputs[number.name] = number

    for number in numbers:
        visit(number)
    return inputs


def _product(left: Traced, right: Traced) -> dict | None:
    """The recipe; None where a factor has no place of its own in a picture."""
    turned = not right.id and right.operation in (TRANSPOSE, TRANSPOSE_EACH)
    whole = right.sources[0] if turned else right
    if not left.id or not whole.id:
        return None
    start, col_start = whole.first[::-1] if turned else whole.first
    return recipes.product(
        left.id,
        whole.id,
        len(left.cols),
        left_start=left.first[1],
        right_start=start,
        right_transposed=turned,
        col_start=col_start,
    )


def _literal(text: str) -> str:
    """The text in a template."""
    return text.replace("{", "{{").replace("}", "}}")


def _span(part: slice) -> str:
    start, stop = ("" if end is None else str(end) for end in (part.start, part.stop))
    return f"{start}:{stop}"
