"""The computation that the files of a lesson have in place of that of the settings: see Lesson.program."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pages.draw.page import Page
from pages.draw.picture import Matrix, PanelStep


@dataclass(frozen=True)
class ProgramStep:
    """A step, whose PanelStep has the step's name and its line of code as in the program, and its matrix.

    like: the step of attention with which it is blank on a worksheet (see BLANKS there); "" for never.
    """

    panel: PanelStep
    matrix: Matrix
    like: str = ""


@dataclass(frozen=True)
class Ending:
    """What a program in PyTorch ends with: code, with a title and a reason for the notebook."""

    title: str
    why: str
    code: str


@dataclass(frozen=True)
class Program:
    """A computation from its inputs on, step by step.

    tokens     the names of the rows
    inputs     name in the program → matrix; a mask is of the kind "mask"
    steps      in the order in which they are computed
    facts      label → its value, for the worksheet
    questions  of the worksheet, each with its answer
    """

    tokens: Sequence[str]
    inputs: Mapping[str, Matrix]
    steps: Sequence[ProgramStep]
    facts: Mapping[str, str] = field(default_factory=dict)
    questions: Sequence[tuple[str, str]] = ()
    ending: Ending | None = None


def of(page: Page) -> Program | None:
    """The lesson's own computation with the page's numbers, if it has one."""
    if not page.lesson.program:
        return None
    result: Program = importlib.import_module(page.lesson.program).program(page)
    return result
