"""The record of a step, and the steps before the scores: projections, normalization, rotation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attention.multi_head import EPSILON
from pages.model.compute import angles_of, needed, positions_of, rotation_of
from pages.picture import Arrow, Matrix, recipes
from pages.picture.traced import AxisNames, Operation, Traced, as_input

from .. import inputs
from ..numbers import counted
from .computation import Computation

ONE_ROW = AxisNames([""])
Made = Mapping[str, Traced]  # the numbers before a step, X among them


@dataclass(frozen=True)
class StepRow:
    """One step; its name is the trace's, and the key of its texts.

    number   how it is made from the numbers before it
    look     what its matrix in a picture has besides
    happens  whether it takes place
    switch   the setting that adds it
    why      the key of its reason, if there are several
    text     the key of its texts, if it is not the name
    told     its formula is a text, with words
    leads    the items before it on the way from the scores to the output; None: it is not on the way
    brings   the matrices that are drawn in addition
    """

    name: str
    number: Callable[[Computation, Made], Traced]
    look: Callable[[Computation], dict[str, Any]] = lambda c: {}
    happens: Callable[[Computation], bool] = lambda c: True
    switch: str = ""
    why: Callable[[Computation], str] | None = None
    text: str = ""
    told: bool = False
    leads: Callable[[Computation], Sequence[str | Arrow]] | None = None
    brings: Callable[[Computation], list[Matrix]] = lambda c: []

    def reason(self, c: Computation) -> str:
        return self.why(c) if self.why else self.text or self.name


def sequences(c: Computation) -> dict[str, Traced]:
    """X, and the second sequence Y."""
    cols = AxisNames(inputs.dimensions(c.settings))
    rows = {"x": c.queries} | ({"y": c.keys} if c.cross else {})

    def values(name: str) -> Callable[[], Tensor]:
        return lambda: torch.tensor(getattr(c.settings, name), dtype=torch.float64)

    return {
        name: as_input(name, name.upper(), values(name), AxisNames(names, "key"), cols)
        for name, names in rows.items()
    }


def with_positions(c: Computation, made: Made) -> Traced:
    """X + P, whose columns are no properties and have no names."""
    rows, cols = AxisNames(c.queries, "query"), AxisNames(counted(c.settings.d_model))
    p = as_input("p", "P", lambda: needed(positions_of(c.settings)), rows, cols)
    return (made["x"] + p).called("x_p", known=c.trace.query_input, rows=rows, cols=cols)


def projection(name: str, letter: str) -> StepRow:
    """Q, K or V: of all heads side by side, or where the head is alone, its own."""
    capital = letter.upper()

    def number(c: Computation, made: Made) -> Traced:
        source, bias = made[c.source(letter)], c.offset(letter)
        product = source @ weights_of(c, f"w_{letter}", source.cols)
        if bias:
            product += weights_of(c, bias, ONE_ROW)
        rows = AxisNames(c.queries, "query") if letter == "q" else AxisNames(c.keys, "key")
        known = getattr(c.trace, name)
        if c.alone:
            start, stop = inputs.block(c.settings, c.page.head, letter)
            return c.step(product, name, capital, known[:, start:stop], rows=rows)
        if c.several:
            axes, how = (product.rows, product.cols), product.how
            product = Traced(_split(c, letter), (product,), *axes, how, written=product.formula)
        return product.called(name, capital, known=known, rows=rows)

    def look(c: Computation) -> dict[str, Any]:
        count = getattr(c.trace, name).shape[-1]
        return {
            "window": inputs.columns(c.settings, c.page.head, letter, count),
            "marked": inputs.block(c.settings, c.page.head, letter) if c.several else None,
        }

    return StepRow(name, number, look)


def weights_of(c: Computation, name: str, rows: AxisNames) -> Traced:
    """W or b: of all heads, or of the one that is alone."""
    values, letter = getattr(c.settings, name), name[-1]
    whole = values if name[0] == "w" else (values,)
    start, stop = 0, len(whole[0])
    if c.alone and letter != "o":
        start, stop = inputs.block(c.settings, c.page.head, letter)

    def block() -> Tensor:
        return torch.tensor([row[start:stop] for row in whole], dtype=torch.float64)

    symbol = f"{'W' if name[0] == 'w' else 'b'}_{letter.upper()}"
    return as_input(name, symbol, block, rows, AxisNames(counted(stop - start)), first=(0, start))


def _split(c: Computation, letter: str) -> Operation:
    """The columns of all heads, divided among them: a matrix for each query head."""
    heads = "h" if letter == "q" or c.settings.kv_heads == c.settings.num_heads else "kv_heads"
    width, shared = "d_v" if letter == "v" else "d_k", heads != "h"
    return Operation(
        lambda columns: columns,
        f"{{}}.unflatten(-1, ({heads}, {width})).transpose(-3, -2)"
        + (".repeat_interleave(h // kv_heads, dim=-3)" if shared else ""),
        "{}",
        f"{{}}.reshape(-1, {heads}, {width}).swapaxes(-3, -2)"
        + (".repeat(h // kv_heads, axis=-3)" if shared else ""),
        tight=True,
    )


def of_head(c: Computation, number: Traced) -> Traced:
    """The shown head's part of Q, K or V; or of Q and K, its form that is scored."""
    letter = number.name[0]
    if number.name not in ("query", "key", "value") or not c.stacked:
        return number
    start, stop = inputs.block(c.settings, c.page.head, letter)
    capital = letter.upper()
    return replace(
        number,
        symbol=c.symbol(capital),
        letter=c.any_head(capital),
        cols=AxisNames(counted(stop)[start:]),
        first=(0, start),
        known=number.value[:, start:stop],
    )


def prepared(
    form: str,
    name: str,
    switch: str,
    operation: Callable[[Computation], Operation],
    recipe: Callable[[Computation], dict],
) -> StepRow:
    """The query or the key of the shown head in one of its forms."""
    capital = name[0].upper()

    def number(c: Computation, made: Made) -> Traced:
        source, tensor = of_head(c, made[c.before(name, form)]), getattr(c.trace, f"{form}_{name}")
        start, stop = inputs.block(c.settings, c.page.head, name[0])
        result = Traced(
            operation(c),
            (source,),
            source.rows,
            AxisNames(counted(stop)[start:]),
            lambda: recipe(c),
            first=(0, start),
        )
        symbols = c.compared(capital, form), c.any_head(c.compared(capital, form).partition("_")[0])
        known = tensor[c.page.head * tensor.shape[-3] // c.settings.num_heads]
        return result.called(f"{form}_{name}", symbols[0], letter=symbols[1], known=known)

    def look(c: Computation) -> dict[str, Any]:
        return {"subtitle": c.t(f"steps.{form}", matrix=c.symbol(capital)), "offset": c.start(name[0])}

    return StepRow(f"{form}_{name}", number, look, lambda c: form in c.forms, switch, told=True)


def normalization(name: str) -> StepRow:
    """The query or the key divided by its root mean square."""
    letter = name[0]
    mean = rf"\tfrac{{1}}{{d_k}}\textstyle\sum_c {letter}_{{ic}}^2"
    operation = Operation(
        lambda rows: rows / (rows.square().mean(-1, keepdim=True) + EPSILON).sqrt(),
        f"torch.nn.functional.rms_norm({{0}}, (d_k,), eps={EPSILON:g})",
        "{}",
        f"{{0}} / np.sqrt(({{0}}**2).mean(axis=-1, keepdims=True) + {EPSILON:g})",
        equation=rf"{letter}'_i = {letter}_i \,/\, \sqrt{{{mean} + 10^{{-6}}}}",
    )

    def recipe(c: Computation) -> dict:
        return recipes.normalize(name, c.start(letter), c.settings.head_dim, EPSILON)

    return prepared("normalized", name, "qk_norm", lambda c: operation, recipe)


def rotation(name: str) -> StepRow:
    """The query or the key, its pairs turned by the position.

    cos and sin have a column for each turned number; of an odd d_k the last number is not turned.
    """

    def operation(c: Computation) -> Operation:
        primes, letter = "'" * len(c.forms), name[0]
        code, numpy = "{0} * cos + rotate_half({0}) * sin", ""
        if c.settings.head_dim % 2:
            turned = "{0}[..., :-1]"
            parts = f"({turned} * cos + rotate_half({turned}) * sin, {{0}}[..., -1:])"
            code, numpy = f"torch.cat({parts}, dim=-1)", f"np.concatenate({parts}, axis=-1)"
        equation = rf"{letter}{primes}_i = R_i\,{letter}{primes[1:]}_i"
        return Operation(
            lambda rows: needed(rotation_of(c.settings))(rows), code, "{}", numpy, equation=equation
        )

    def recipe(c: Computation) -> dict:
        return recipes.rotate(c.before(name, "rotated"), angles_of(c.settings).tolist(), c.start(name[0]))

    return prepared("rotated", name, "position", operation, recipe)


def why_scores(c: Computation) -> str:
    """The text that says what a score compares: normalised rows have no norm of their own."""
    return "scores_normalized" if "normalized" in c.forms else "scores"
