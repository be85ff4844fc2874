"""The present computation as a program: its inputs, and every step.

The lines of its steps are those of the traced numbers on the screen (pages.draw.steps, Lesson.program).
"""

import json
from collections.abc import Iterable, Iterator, Sequence

import torch

from attention import alibi_bias
from pages.draw import steps
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.picture import Matrix, PanelStep
from pages.draw.steps import Steps
from pages.model.compute import needed, tensors_of

from . import program
from .program import Program

ArrayRows = Sequence[Sequence[float]]

SOFTMAX = """
def softmax(scores):
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)  # a fully masked row gets weights of 0
"""
LAYER_NORM = """
def layer_norm(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 0.00001)
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
    """A program in PyTorch (`torch`) or NumPy (`np`)."""

    ending: program.Ending | None = None
    note = ""  # about the shapes of the steps

    def __init__(self, library: str):
        self.library = library

    def steps(self) -> Iterator[tuple[str, str]]:
        """The name and the line of each step."""
        raise NotImplementedError

    def walk(self) -> Iterator[tuple[PanelStep, str]]:
        """Each step, and the names of the rows and columns of its heatmap as arguments."""
        raise NotImplementedError

    def functions(self) -> str:
        """Functions for the steps that the library lacks."""
        raise NotImplementedError

    def setup(self) -> Iterator[str]:
        """What the steps begin with, a statement each."""
        raise NotImplementedError

    def begin(self) -> str:
        """Imports, and print options."""
        lines = [line for _, line in self.steps()]
        modules = ["math"] if any("math." in line for line in lines) else []
        if self.library == "np":
            rest = [
                "import numpy as np",
                "",
                "np.set_printoptions(precision=4, suppress=True, linewidth=120)",
            ]
        else:
            rest = [
                "import torch",
                *(["from torch.nn import functional as F"] if any(" F." in line for line in lines) else []),
                "",
                "torch.set_default_dtype(torch.float64)",
                "torch.set_printoptions(precision=4, sci_mode=False, linewidth=120)",
            ]
        return "\n".join([*(f"import {name}\n" for name in modules), *rest])

    # ---- numbers in a program

    def matrix(self, rows: ArrayRows, names: Iterable[str] = ()) -> str:
        """A matrix with a line per row, in full precision; names: of the rows, as comments."""
        comments = [f"  # {name}" if name else "" for name in names] or [""] * len(rows)
        lines = [f"    {list(map(float, row))},{name}" for row, name in zip(rows, comments, strict=True)]
        return "\n".join([f"{self._make()}([", *lines, "])"])

    def _row(self, values) -> str:
        return f"{self._make()}({list(map(float, values))})"

    def mask(self, visible: ArrayRows) -> str:
        """1 where a query may attend to a key."""
        rows = [f"    {list(map(int, row))}," for row in visible]
        kind = "dtype=bool" if self.library == "np" else "dtype=torch.bool"
        return "\n".join([f"{self._make()}([", *rows, f"], {kind})"])

    def _make(self) -> str:
        return "np.array" if self.library == "np" else "torch.tensor"

    @staticmethod
    def _names(tokens: Iterable[str]) -> str:
        return json.dumps(list(tokens), ensure_ascii=False)


class OfSettings(Script):
    """The computation of the settings; c: its steps."""

    def __init__(self, page: Page, c: Steps, library: str):
        super().__init__(library)
        self.page, self.c, self.settings = page, c, page.settings
        self.note = page.t("export.heads") if c.several else ""

    def steps(self) -> Iterator[tuple[str, str]]:
        for name in self.c.rows:
            yield name, self.c.numbers[name].line(self.library)

    def walk(self) -> Iterator[tuple[PanelStep, str]]:
        names = {"query": "tokens", "key": "source" if self.c.cross else "tokens"}
        for step in self.c.walk():
            number = self.c.numbers[step.name]
            weights = "are_weights=True" if number.kind == "weights" else ""
            yield step, ", ".join(filter(None, (names[number.rows.of], names.get(number.cols.of), weights)))

    def functions(self) -> str:
        results = [SOFTMAX] if self.library == "np" else []
        results += [ROTATE[self.library]] if "rotated" in self.c.forms else []
        return "\n\n\n".join(text.strip() for text in results)

    def setup(self) -> Iterator[str]:
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
            yield f"mask = {self.mask(needed(c.head.mask).expand_as(c.head.scores).tolist())}"

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


class OfProgram(Script):
    """A lesson's own computation."""

    def __init__(self, whole: Program, library: str):
        super().__init__(library)
        self.whole = whole
        self.ending = whole.ending if library == "torch" else None

    def steps(self) -> Iterator[tuple[str, str]]:
        for step in self.whole.steps:
            yield step.panel.name, step.numpy if self.library == "np" else step.panel.code

    def walk(self) -> Iterator[tuple[PanelStep, str]]:
        for step in self.whole.steps:
            matrix = step.matrix
            named = list(matrix.cols) != counted(len(matrix.cols))
            rows = list(matrix.rows)
            yield (
                step.panel,
                ("tokens" if rows == list(self.whole.tokens) else self._names(rows))
                + (f", {self._names(matrix.cols)}" if named else "")
                + (", are_weights=True" if matrix.kind == "weights" else ""),
            )

    def functions(self) -> str:
        if self.library == "torch":
            return ""
        lines = "\n".join(line for _, line in self.steps())
        named = {"softmax(": SOFTMAX, "layer_norm(": LAYER_NORM}
        return "\n\n\n".join(text.strip() for call, text in named.items() if call in lines)

    def setup(self) -> Iterator[str]:
        yield f"tokens = {self._names(self.whole.tokens)}"
        for name, matrix in self.whole.inputs.items():
            yield f"{name} = {self._input(matrix)}"

    def _input(self, matrix: Matrix) -> str:
        if matrix.kind == "mask":
            return self.mask(matrix.known)
        named = list(matrix.rows) != counted(len(matrix.rows))
        return self.matrix(matrix.known, matrix.rows if named else ())


def of(page: Page, library: str) -> Script:
    """The program of the page."""
    whole = program.of(page)
    return OfSettings(page, steps.of_lesson(page), library) if whole is None else OfProgram(whole, library)


def pytorch(page: Page, link: str) -> str:
    """A program in PyTorch that prints every step."""
    return _program(page, "torch", link)


def numpy(page: Page, link: str) -> str:
    """The same in NumPy."""
    return _program(page, "np", link)


def _program(page: Page, library: str, link: str) -> str:
    script, t = of(page, library), page.t
    about = t("export.about", lesson=t("lesson.title"))
    notes = [line for line in (script.note, link) if line]
    head = "\n".join([f'"""{about}', "", *notes, '"""'])
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
        *([f"\n{script.ending.code}"] if script.ending else []),
    ]
    return "\n\n".join(parts) + "\n"
