"""A computation as a program: its inputs, and the line of each step (see program.py)."""

import json
from collections.abc import Iterable, Iterator

from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.picture import Matrix, PanelStep

from . import program
from .program import Program

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


# Library → how a line calls a function that the library lacks → the function.
FUNCTIONS = {
    "torch": {"rotate_half(": ROTATE["torch"]},
    "np": {"softmax(": SOFTMAX, "layer_norm(": LAYER_NORM, "rotate_half(": ROTATE["np"]},
}


class Script:
    """A computation as a program in PyTorch ("torch") or NumPy ("np")."""

    def __init__(self, whole: Program, library: str):
        self.whole, self.library = whole, library
        self.ending = whole.ending if library == "torch" else None
        of_steps = {step.panel.name: (step.panel.code, step.numpy) for step in whole.steps}
        self.lines = {name: lines[library == "np"] for name, lines in of_steps.items()}

    def begin(self) -> str:
        """Imports, and print options."""
        used = "\n".join(self.lines.values())
        modules = ["math"] if "math." in used else []
        if self.library == "np":
            rest = [
                "import numpy as np",
                "",
                "np.set_printoptions(precision=4, suppress=True, linewidth=120)",
            ]
        else:
            rest = [
                "import torch",
                *(["from torch.nn import functional as F"] if " F." in used else []),
                "",
                "torch.set_default_dtype(torch.float64)",
                "torch.set_printoptions(precision=4, sci_mode=False, linewidth=120)",
            ]
        return "\n".join([*(f"import {name}\n" for name in modules), *rest])

    def functions(self) -> str:
        """Functions that the library lacks."""
        known = FUNCTIONS[self.library].items()
        used = [text for call, text in known if any(call in line for line in self.lines.values())]
        return "\n\n\n".join(text.strip() for text in used)

    def setup(self) -> Iterator[str]:
        """What the steps begin with, a statement each."""
        for name, listed in self.whole.names.items():
            yield f"{name} = {_names(listed)}"
        for name, matrix in self.whole.inputs.items():
            yield f"{name} = {self._matrix(matrix)}"
        yield from self.whole.preparation(self.library)

    def walk(self) -> Iterator[tuple[PanelStep, str]]:
        """Each step, and the names of the rows and columns of its heatmap as arguments."""
        variables = {tuple(listed): name for name, listed in reversed(self.whole.names.items())}
        for step in self.whole.steps:
            rows, cols = tuple(step.matrix.rows), tuple(step.matrix.cols)
            arguments = [variables.get(rows) or _names(rows)]
            if cols in variables or not all(map(str.isdigit, cols)):
                arguments.append(variables.get(cols) or _names(cols))
            if step.matrix.kind == "weights":
                arguments.append("are_weights=True")
            yield step.panel, ", ".join(arguments)

    def _matrix(self, matrix: Matrix) -> str:
        """The matrix in full precision, a line for each row, with the row's name as a comment."""
        is_mask, make = matrix.kind == "mask", "np.array" if self.library == "np" else "torch.tensor"
        rows = [list(map(int if is_mask else float, row)) for row in matrix.known]
        named = not is_mask and [*matrix.rows] != counted(len(rows))
        names = [f"  # {name}" if named and name else "" for name in matrix.rows]
        lines = [f"    {row},{name}" for row, name in zip(rows, names, strict=True)]
        kind = f", dtype={'bool' if self.library == 'np' else 'torch.bool'}" if is_mask else ""
        return "\n".join([f"{make}([", *lines, f"]{kind})"])


def _names(names: Iterable[str]) -> str:
    return json.dumps(list(names), ensure_ascii=False)


def of(page: Page, library: str) -> Script:
    """The program of the page."""
    return Script(program.of(page) or program.of_settings(page), library)


def pytorch(page: Page, link: str) -> str:
    """A program in PyTorch that prints every step."""
    return _program(page, "torch", link)


def numpy(page: Page, link: str) -> str:
    """The same in NumPy."""
    return _program(page, "np", link)


def _program(page: Page, library: str, link: str) -> str:
    script, t = of(page, library), page.t
    about = t("export.about", lesson=t("lesson.title"))
    notes = [*script.whole.notes, *([link] if link else [])]
    head = "\n".join([f'"""{about}', "", *notes, '"""'])
    names = "".join(f'    "{name}": {name},\n' for name in script.lines)
    parts = [
        head,
        script.begin(),
        *([f"\n{script.functions()}\n"] if script.functions() else []),
        "\n".join(script.setup()),
        "\n".join(filter(None, script.lines.values())),
        f"steps = {{\n{names}}}",
        'for name, step in steps.items():\n    print(f"{name} {tuple(step.shape)}\\n{step}\\n")',
        *([f"\n{script.ending.code}"] if script.ending else []),
    ]
    return "\n\n".join(parts) + "\n"
