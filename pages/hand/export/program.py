"""The computation that the files have: that of the settings, or the lesson's own (see Lesson.program)."""

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import torch

from attention import alibi_bias
from pages.draw import inputs, matrix, steps
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model.languages import LANGUAGES
from pages.model.settings import Settings
from pages.picture import Matrix, PanelStep
from pages.picture.traced import Traced, inputs_of


@dataclass(frozen=True)
class ProgramStep:
    """A step, whose PanelStep has its name and its line as in the program, and its matrix.

    numpy: its line in NumPy. A step that another step's line computes as well has no line.
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

    tokens       the names of the rows; none where there are no tokens
    inputs       name in the program → matrix; a mask is of the kind "mask"
    steps        in the order in which they are computed
    facts        label → its value, for the worksheet
    questions    of the worksheet, each with its answer
    lists        further lists of names: name in the program → the names
    preparation  "torch" or "np" → further lines before the steps
    note         about the shapes of the steps
    about        what the numbers are, where they are not the learner's settings
    attention    all steps of attention, if the program has these: arrays and sheets are made from them
    """

    tokens: Sequence[str]
    inputs: Mapping[str, Matrix]
    steps: Sequence[ProgramStep]
    facts: Mapping[str, str] = field(default_factory=dict)
    questions: Sequence[tuple[str, str]] = ()
    ending: Ending | None = None
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    preparation: Callable[[str], Iterator[str]] = lambda library: iter(())
    note: str = ""
    about: str = ""
    attention: Steps | None = None

    @property
    def notes(self) -> list[str]:
        return [text for text in (self.about, self.note) if text]

    @property
    def names(self) -> dict[str, Sequence[str]]:
        """The lists of names in the program."""
        return ({"tokens": self.tokens} if self.tokens else {}) | dict(self.lists)


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


def questions_of(
    page: Page, right: Mapping[str, str] | None = None, **facts: object
) -> list[tuple[str, str]]:
    """The questions of the part, each with its answer and why.

    right: question → its right option, where it follows from the numbers; without one it is left out.
    """
    t, colon, result = page.t, LANGUAGES[page.t.language].colon, []
    for name in page.part.questions:
        option = page.lesson.by_name[name].right or (right or {}).get(name)
        if option:
            words = option if option.isdecimal() else t(f"option.{name}_{option}", **facts)
            answer = f"{words}{colon}{t(f'because.{name}_{option}', **facts)}"
            result.append((t(f"ask.{name}", **facts), answer))
    return result


def of_part(
    page: Page,
    part: PartProgram,
    own_texts: Callable[[str], tuple[str, str]] | None = None,
    questions: Sequence[tuple[str, str]] | None = None,
) -> Program:
    """own_texts: see of_numbers; by default program.<step>, program_why.<step>. questions: see Program."""
    t, c = page.t, part.computation
    own_texts = own_texts or (lambda name: (t(f"program.{name}"), t(f"program_why.{name}")))
    questions = questions_of(page) if questions is None else questions
    plain = page if c is None else c.page
    inputs, lines = of_numbers(
        plain, part.numbers.values(), own_texts, c and c.of_head, part.texts, part.likes
    )
    of_head = {t("setting.head"): str(page.head + 1)} if c is not None and c.several else {}
    why = f"program.check_{page.part.name}"
    ending = Ending(t("program.check"), t(why), part.check) if part.check else None
    facts, tokens = of_head | dict(part.facts), () if c is None else c.queries
    note = "" if c is None else note_of(c)
    return Program(tokens, inputs, lines, facts, questions, ending, note=note)


def note_of(c: Steps) -> str:
    """Which head the steps are of, if there are several."""
    return c.t("sheet.head", head=c.page.head + 1, heads=c.settings.num_heads) if c.several else ""


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
    if c is not None and c.alone and c.several:
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


def of_variant(page: Page, settings: Settings, about: str = "") -> Program | None:
    """The computation of other settings; None where they are the page's own. about: see Program."""
    if settings == page.settings:
        return None
    return replace(of_settings(page.unfollowed(settings)), about=about)


def of_settings(page: Page) -> Program:
    """The computation of the settings, with all heads."""
    return of_attention(steps.of_lesson(page))


def of_attention(c: Steps) -> Program:
    """All steps, with all heads: of a part, with the settings that it draws."""
    page = c.page
    numbers = [c.numbers[name] for name in c.rows]
    inputs, lines = of_numbers(page, numbers, dict[str, tuple[str, str]]().__getitem__, c)
    lists: dict[str, Sequence[str]] = {"source": c.keys} if c.cross else {}
    if any(page.settings.dimensions):
        lists["dimensions"] = page.settings.dimensions
    if "mask" in inputs:
        inputs["mask"] = inputs.pop("mask")  # after all weights
    return Program(
        c.queries,
        inputs,
        lines,
        lists=lists,
        preparation=partial(_preparation, c),
        note=page.t("export.heads") if c.several else "",
        attention=c,
    )


def _preparation(c: Steps, library: str) -> Iterator[str]:
    """Sizes, and the numbers of positions."""
    settings, lib = c.settings, library
    sizes = {"d_k": settings.head_dim, "d_v": settings.value_dim}
    if c.several:
        sizes = {"h": settings.num_heads, "kv_heads": settings.kv_heads} | sizes
    yield f"{', '.join(sizes)} = {', '.join(map(str, sizes.values()))}"
    if settings.scaling == "own":
        yield f"divisor = {settings.own_divisor!r}"
    if c.capped:
        yield f"softcap = {c.cap!r}"
    n = len(settings.tokens)
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
        of_heads = f"{'np.array' if lib == 'np' else 'torch.tensor'}({slopes})[:, None, None]"
        yield f"slopes = {of_heads if c.several else slopes[0]}"
        yield f"places = {lib}.arange({n})"
        yield f"distances = {lib}.abs(places[:, None] - places)"
