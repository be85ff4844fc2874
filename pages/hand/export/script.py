"""The present computation as a program: its inputs, and every step.

The lines of the steps are the PyTorch lines on the screen (see pages.draw.steps.table). IN_NUMPY translates
their calls into NumPy.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import torch

from attention import alibi_bias
from pages.draw import steps
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model.compute import needed, tensors_of

ArrayRows = Sequence[Sequence[float]]

IN_NUMPY = (
    (re.compile(r"\.transpose\(-(\d), -(\d)\)"), r".swapaxes(-\1, -\2)"),
    (re.compile(r"\.unflatten\(-1, \((\w{1,40}), (\w{1,40})\)\)"), r".reshape(-1, \1, \2)"),
    (re.compile(r"\.repeat_interleave\((.{1,80}), dim=-3\)"), r".repeat(\1, axis=-3)"),
    (re.compile(r"\.flatten\(-2\)"), ".reshape(len(tokens), -1)"),
    (re.compile(r"\b([\w.]{1,80})\.masked_fill\(~mask, (.{1,80})\)"), r"np.where(mask, \1, \2)"),
    (re.compile(r"torch\.softmax\((\w{1,80}), dim=-1\)(\.nan_to_num\(\))?"), r"softmax(\1)"),
    (re.compile(r"torch\.cat\((.{1,160}), dim=-1\)"), r"np.concatenate(\1, axis=-1)"),
)
SOFTMAX = """
def softmax(scores):
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)  # a fully masked row gets weights of 0
"""
ROTATE = {
    "torch": """
def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)
""",
    "np": """
def rotate_half(x):
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate((-second, first), axis=-1)
""",
}


class Script:
    """A program in PyTorch (`torch`) or NumPy (`np`); c: the steps of the page."""

    def __init__(self, page: Page, c: Steps, library: str):
        self.page, self.c, self.settings, self.library = page, c, page.settings, library

    def steps(self) -> Iterator[tuple[str, str]]:
        """The name and the line of each step."""
        for name, row in self.c.rows.items():
            own = row.numpy if self.library == "np" else None
            line = (own or row.code)(self.c)
            for words, instead in IN_NUMPY if self.library == "np" else ():
                line = words.sub(instead, line)
            yield name, line

    def begin(self) -> str:
        """Imports, and print options."""
        modules = ["math"] if any("math." in line for _, line in self.steps()) else []
        if self.library == "np":
            lines = [
                "import numpy as np",
                "",
                "np.set_printoptions(precision=4, suppress=True, linewidth=120)",
            ]
        else:
            lines = [
                "import torch",
                "",
                "torch.set_default_dtype(torch.float64)",
                "torch.set_printoptions(precision=4, sci_mode=False, linewidth=120)",
            ]
        return "\n".join([*(f"import {name}\n" for name in modules), *lines])

    def functions(self) -> str:
        """Functions for the steps that the library lacks."""
        results = [SOFTMAX] if self.library == "np" else []
        results += [ROTATE[self.library]] if "rotated" in self.c.forms else []
        return "\n\n\n".join(text.strip() for text in results)

    def setup(self) -> Iterator[str]:
        """Tokens, matrices, sizes, positions and mask, a statement each."""
        c, settings = self.c, self.settings
        yield f"tokens = {self._names(settings.tokens)}"
        if any(settings.dimensions):
            yield f"dimensions = {self._names(settings.dimensions)}  # what the columns of x mean"
        yield f"x = {self.matrix(settings.x, settings.tokens)}"
        if c.cross:
            yield f"source = {self._names(settings.source)}"
            yield f"y = {self.matrix(settings.y, settings.source)}"
        for name, tensor in tensors_of(settings).items():
            if tensor is not None:
                yield f"{name} = {self.matrix(tensor.tolist()) if tensor.dim() == 2 else self._row(tensor)}"
        yield from self._sizes()
        yield from self._positions()
        if c.head.mask is not None:
            yield f"mask = {self._mask()}"

    def _sizes(self) -> Iterator[str]:
        settings = self.settings
        sizes = {"d_k": settings.head_dim, "d_v": settings.value_dim}
        if self.c.several:
            sizes = {"h": settings.num_heads, "kv_heads": settings.kv_heads} | sizes
        yield f"{', '.join(sizes)} = {', '.join(map(str, sizes.values()))}"
        if settings.scaling == "own":
            yield f"divisor = {settings.own_divisor!r}"

    def _positions(self) -> Iterator[str]:
        c, settings, lib = self.c, self.settings, self.library
        n = len(settings.tokens)
        if c.added:
            yield f"p = {self.matrix(c.positions().known, settings.tokens)}"
        if "rotated" in c.forms:
            even = settings.head_dim - settings.head_dim % 2
            last = settings.first_position + n
            yield f"positions = {lib}.arange({settings.first_position}, {last})"
            yield f"rates = {settings.position_base!r} ** (-{lib}.arange(0, {even}, 2) / {max(even, 1)})"
            yield f"angles = {lib}.{'tile' if lib == 'np' else 'outer'}" + (
                "(np.outer(positions, rates), 2)" if lib == "np" else "(positions, rates).repeat(1, 2)"
            )
            yield f"cos, sin = {lib}.cos(angles), {lib}.sin(angles)"
        if c.biased:
            bias = alibi_bias(settings.num_heads, 1, 2, alignment="upper_left", dtype=torch.float64)
            slopes = (-settings.slope_factor * bias[:, 0, 1]).tolist()
            yield f"slopes = {f'{self._row(slopes)}[:, None, None]' if c.several else slopes[0]}"
            yield f"places = {lib}.arange({n})"
            yield f"distances = {'np.' if lib == 'np' else 'torch.'}abs(places[:, None] - places)"

    # ---- numbers in a program

    def matrix(self, rows: ArrayRows, names: Iterable[str] = ()) -> str:
        """A matrix with a line per row, in full precision; names: of the rows, as comments."""
        comments = [f"  # {name}" for name in names] or [""] * len(rows)
        lines = [f"    {list(map(float, row))},{name}" for row, name in zip(rows, comments, strict=True)]
        return "\n".join([f"{self._make()}([", *lines, "])"])

    def _row(self, values) -> str:
        return f"{self._make()}({list(map(float, values))})"

    def _mask(self) -> str:
        """1 where a query may attend to a key."""
        mask = needed(self.c.head.mask).expand_as(self.c.head.scores)
        rows = [f"    {list(map(int, row))}," for row in mask.tolist()]
        kind = "dtype=bool" if self.library == "np" else "dtype=torch.bool"
        return "\n".join([f"{self._make()}([", *rows, f"], {kind})"])

    def _make(self) -> str:
        return "np.array" if self.library == "np" else "torch.tensor"

    @staticmethod
    def _names(tokens: Iterable[str]) -> str:
        return json.dumps(list(tokens), ensure_ascii=False)


def pytorch(page: Page, link: str) -> str:
    """A program in PyTorch that prints every step."""
    return _program(page, "torch", link)


def numpy(page: Page, link: str) -> str:
    """The same in NumPy."""
    return _program(page, "np", link)


def _program(page: Page, library: str, link: str) -> str:
    c = steps.of_lesson(page)
    script, t = Script(page, c, library), page.t
    about = t("export.about", lesson=t("lesson.title"))
    heads = [t("export.heads")] if c.several else []
    head = "\n".join([f'"""{about}', "", *heads, *([link] if link else []), '"""'])
    lines = list(script.steps())
    names = "".join(f'    "{name}": {name},\n' for name in dict(lines))
    parts = [
        head,
        script.begin(),
        *([f"\n{script.functions()}\n"] if script.functions() else []),
        "\n".join(script.setup()),
        "\n".join(line for _, line in lines),
        f"steps = {{\n{names}}}",
        'for name, step in steps.items():\n    print(f"{name} {tuple(step.shape)}\\n{step}\\n")',
    ]
    return "\n\n".join(parts) + "\n"
