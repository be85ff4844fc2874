"""The computation that the files of a lesson have in place of that of the settings: see Lesson.program."""

import importlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pages.draw import inputs, matrix
from pages.draw.page import Page
from pages.draw.picture import Matrix, PanelStep
from pages.draw.picture.traced import Traced, inputs_of
from pages.draw.steps import Steps
from pages.model.languages import LANGUAGES

ANSWER = ("option", "because")  # the texts of an answer


@dataclass(frozen=True)
class ProgramStep:
    """A step, whose PanelStep has the step's name and its line of code as in the program, and its matrix.

    numpy: its line in NumPy.
    like: the step of attention with which it is blank on a worksheet (see BLANKS there); "" for never.
    """

    panel: PanelStep
    matrix: Matrix
    numpy: str
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


@dataclass(frozen=True)
class PartProgram:
    """A part's own computation, line by line.

    numbers  the steps by their names
    check    code at the end of the program in PyTorch, whose reason is the text program.check_<part>
    facts    as in Program, without the head
    computation, texts, likes: see of_numbers
    """

    numbers: Mapping[str, Traced]
    check: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    computation: Steps | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    likes: Mapping[str, str] = field(default_factory=dict)


def of(page: Page) -> Program | None:
    """The lesson's own computation with the page's numbers, if it has one."""
    if not page.lesson.program:
        return None
    result: Program | None = importlib.import_module(page.lesson.program).program(page)
    return result


def asked(page: Page, right: Mapping[str, str] | None = None, **facts: object) -> list[tuple[str, str]]:
    """The questions of the part, each with its answer and why.

    right: question → its right option, where it follows from the numbers; without one it is left out.
    """
    t, colon, right = page.t, LANGUAGES[page.t.language].colon, right or {}
    options = [(name, page.lesson.by_name[name].right or right.get(name)) for name in page.part.questions]
    return [
        (t(f"ask.{name}", **facts), colon.join(t(f"{kind}.{name}_{option}", **facts) for kind in ANSWER))
        for name, option in options
        if option
    ]


def of_part(
    page: Page,
    part: PartProgram,
    own_texts: Callable[[str], tuple[str, str]],
    questions: Sequence[tuple[str, str]],
) -> Program:
    """own_texts: see of_numbers; questions: see Program."""
    t, c = page.t, part.computation
    plain = page if c is None else c.page
    inputs, lines = of_numbers(plain, part.numbers.values(), own_texts, c, part.texts, part.likes)
    names = next(iter(inputs.values())).cols if c is None else c.queries
    of_head = {t("setting.head"): str(page.head + 1)} if c is not None and c.several else {}
    why = f"program.check_{page.part.name}"
    ending = Ending(t("program.check"), t(why), part.check) if part.check else None
    return Program(names, inputs, lines, of_head | dict(part.facts), questions, ending)


def of_numbers(
    page: Page,
    numbers: Collection[Traced],
    own_texts: Callable[[str], tuple[str, str]],
    c: Steps | None = None,
    texts: Mapping[str, str] | None = None,
    likes: Mapping[str, str] | None = None,
) -> tuple[dict[str, Matrix], list[ProgramStep]]:
    """The inputs and the steps of traced numbers. The learner's X is the matrix that brings it back.

    own_texts: key → title and reason. c: has the texts of the steps that attention has as well. texts: step →
    the key of its own text, if it is not its name. likes: step → `like`, if it is not its name.
    """
    texts, likes = texts or {}, likes or {}
    panels = {} if c is None else {panel.name: panel for panel in c.walk()}
    if c is not None and c.several:
        panels["output"] = panels["head_output"]

    def step(number: Traced) -> ProgramStep:
        name, line = number.name, number.line("torch")
        borrowed = None if name in texts else panels.get(name)
        title, why = (borrowed.title, borrowed.why) if borrowed else own_texts(texts.get(name, name))
        panel = PanelStep(name, title, number.sized_equation, why, line, number.latex)
        shown = matrix.number(page, number, title=panel.title)
        like = likes.get(name, name if name in panels else "")
        return ProgramStep(panel, shown, number.line("np"), like)

    drawn = {
        name: inputs.matrix(page, name) if name == "x" else matrix.number(page, number)
        for name, number in inputs_of(numbers).items()
    }
    return drawn, [step(number) for number in numbers if number.sources]
