"""The record of a step, and the steps before the scores: projections, normalization, rotation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attention.multi_head import EPSILON
from pages.model.compute import angles_of

from ..picture import Arrow, Matrix, recipes
from .computation import Computation, symbol_of


@dataclass(frozen=True)
class StepRow:
    """One step; its name is the trace's, and the key of its texts.

    matrix   its matrix in a picture
    code     its line in PyTorch, as the field writes it, with the names of the steps before it
    numpy    its line in NumPy, if a call of PyTorch has no counterpart there
    latex    its formula as the papers write it, for all heads
    happens  whether it takes place
    switch   the setting that adds it
    why      the key of its reason, if there are several
    text     the key of its formula, if it is not the name
    leads    the items before it on the way from the scores to the output; None: it is not on the way
    brings   the matrices that are drawn in addition
    """

    name: str
    matrix: Callable[[Computation], Matrix]
    code: Callable[[Computation], str]
    latex: Callable[[Computation], str]
    happens: Callable[[Computation], bool] = lambda c: True
    why: Callable[[Computation], str] | None = None
    text: str = ""
    leads: Callable[[Computation], Sequence[str | Arrow]] | None = None
    brings: Callable[[Computation], list[Matrix]] = lambda c: []
    switch: str = ""
    numpy: Callable[[Computation], str] | None = None

    def reason(self, c: Computation) -> str:
        return self.why(c) if self.why else self.text or self.name


def projection(name: str, letter: str) -> StepRow:
    """Q, K or V."""
    upper = letter.upper()

    def code(c: Computation) -> str:
        bias = c.offset(letter)
        product = f"{c.source(letter)} @ w_{letter}" + (f" + {bias}" if bias else "")
        if not c.several:
            return f"{name} = {product}"
        heads = "h" if letter == "q" or c.settings.kv_heads == c.settings.num_heads else "kv_heads"
        width = "d_v" if letter == "v" else "d_k"
        shared = "" if heads == "h" else ".repeat_interleave(h // kv_heads, dim=-3)"
        return f"{name} = ({product}).unflatten(-1, ({heads}, {width})).transpose(-3, -2){shared}"

    def latex(c: Computation) -> str:
        bias = rf" + b^{upper}" if c.offset(letter) else ""
        return rf"{upper} = {symbol_of(c.source(letter))}\,W^{upper}{bias}"

    return StepRow(name, lambda c: c.projection(letter), code, latex)


def normalization(name: str) -> StepRow:
    """The query or the key divided by its root mean square."""

    def matrix(c: Computation) -> Matrix:
        recipe = recipes.normalize(name, c.start(name[0]), c.settings.head_dim, EPSILON)
        return c.prepared("normalized", name, recipe)

    def code(c: Computation) -> str:
        return f"normalized_{name} = torch.nn.functional.rms_norm({name}, (d_k,), eps={EPSILON:g})"

    def numpy(c: Computation) -> str:
        return f"normalized_{name} = {name} / np.sqrt(({name}**2).mean(axis=-1, keepdims=True) + {EPSILON:g})"

    letter = name[0]
    mean = rf"\tfrac{{1}}{{d_k}}\textstyle\sum_c {letter}_{{ic}}^2"
    latex = rf"{letter}'_i = {letter}_i \,/\, \sqrt{{{mean} + 10^{{-6}}}}"
    return StepRow(
        f"normalized_{name}",
        matrix,
        code,
        lambda c: latex,
        lambda c: "normalized" in c.forms,
        switch="qk_norm",
        numpy=numpy,
    )


def rotation(name: str) -> StepRow:
    """The query or the key, its pairs turned by the position.

    cos and sin have a column for each turned number; of an odd d_k the last number is not turned.
    """

    def matrix(c: Computation) -> Matrix:
        angles = angles_of(c.settings).tolist()
        recipe = recipes.rotate(c.before(name, "rotated"), angles, c.start(name[0]))
        return c.prepared("rotated", name, recipe)

    def code(c: Computation) -> str:
        of = c.before(name, "rotated")
        if c.settings.head_dim % 2 == 0:
            return f"rotated_{name} = {of} * cos + rotate_half({of}) * sin"
        turned = f"{of}[..., :-1]"
        parts = f"{turned} * cos + rotate_half({turned}) * sin, {of}[..., -1:]"
        return f"rotated_{name} = torch.cat(({parts}), dim=-1)"

    def latex(c: Computation) -> str:
        primes = "'" * len(c.forms)
        return rf"{name[0]}{primes}_i = R_i\,{name[0]}{primes[1:]}_i"

    return StepRow(f"rotated_{name}", matrix, code, latex, lambda c: "rotated" in c.forms, switch="position")


def why_scores(c: Computation) -> str:
    """The text that says what a score compares: normalised rows have no norm of their own."""
    return "scores_normalized" if "normalized" in c.forms else "scores"
