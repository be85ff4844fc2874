"""A part is blocks in order: its function `draw(page)` yields them, and draws nothing itself.

    def draw(page: Page) -> blocks.Blocks:
        yield blocks.control(_controls)
        yield blocks.picture(_swapped)
        yield blocks.said(reading)
        yield blocks.ask("order_reversed")
        yield blocks.picture(_reversed)

From the list the frame knows which blocks follow the numbers, where the part ends while a question is open,
and what is together on a page of a presentation: a figure or a question, with its controls and the sentence
on its numbers. The function runs at each edit, to compare its list with the present one: so it computes
nothing, and its conditions are cheap. A block has functions of the page for everything that needs numbers.
"""

import functools
import importlib
import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from pages import session
from pages.draw import inputs, live, say
from pages.draw.page import Page
from pages.model.course import Location
from pages.model.handout import OwnQuestion

from . import links, questions
from .runs import Runs
from .topics import choose

if TYPE_CHECKING:
    from pages.draw.charts import Chart
    from pages.draw.plots import Columns

Kind = Literal["text", "control", "question", "picture", "figure", "chart", "said", "work"]
When = Literal["", "moved", "released"]
SUBJECTS = ("question", "picture", "figure", "chart", "work")  # a unit has one of them


@dataclass(frozen=True)
class PartBlock:
    """Something that a part shows.

    name     tells it from other blocks of its kind in the part
    follows  an edit draws it again: during a drag too ("moved"), after it ("released"), or not ("")
    """

    kind: Kind
    name: str
    draw: Callable[[Page], Any]
    follows: When = ""
    key: str = ""  # of a container around it
    stays: bool = False  # while a question before it is open


Blocks = Iterator[PartBlock]
PartFunction = Callable[[Page], Any]


# ---- the blocks


def text(key: str, /, **facts: object) -> PartBlock:
    """The text of that key. A class does not need it."""
    return PartBlock("text", key, lambda page: say.markdown(page.t(key, **facts)))


def caption(key: str, /, **facts: object) -> PartBlock:
    """The same in small type."""
    return PartBlock("text", key, lambda page: say.caption(page.t(key, **facts)))


def info(key: str, /, **facts: object) -> PartBlock:
    """Why a part has nothing to show."""
    return PartBlock("text", key, lambda page: say.info(page.t(key, **facts)))


def aside(draw: Callable[..., object], *args: Any, follows: When = "") -> PartBlock:
    """Something else that a class does not need: a table, a caption, a way to another place."""
    return PartBlock("text", _name(draw, args), lambda page: draw(page, *args), follows)


def way(key: str, place: Location) -> PartBlock:
    """A link to another place, with the text of that key."""
    return PartBlock("text", key, lambda page: links.to_place(place, page.t(key), page.t.language))


def title(name: str) -> PartBlock:
    """The title of a figure and a sentence: `title.<name>`, `why.<name>`."""
    return PartBlock("text", name, lambda page: _plots().headline(page, name))


def control(draw: Callable[..., object], *args: Any, follows: When = "") -> PartBlock:
    """What changes the figure after it; at the end of a part, the figure before it."""
    return PartBlock("control", _name(draw, args), lambda page: draw(page, *args), follows)


def _name(draw: Callable[..., object], args: Sequence[object]) -> str:
    return "-".join((draw.__name__, *map(str, args)))


def dragged(draw: Callable[[Page], object]) -> PartBlock:
    """A picture with nothing but numbers to set: it belongs to the figure after it."""
    return PartBlock("control", draw.__name__, lambda page: live.picture(page, draw))


def sliders(*names: str, plain: tuple[str, ...] = ()) -> PartBlock:
    """Numbers of the settings or of the lesson's own. names: with a slider; plain: without."""

    def draw(page: Page) -> None:
        live.picture(page, lambda page: inputs.draw_sliders(page, *names, plain=plain))

    return PartBlock("control", "-".join((*names, *plain)), draw)


def ask(
    question: str, picture: Callable[[Page], object] | None = None, *, keep: bool = False, **arguments: Any
) -> PartBlock:
    """A question, at which its part ends while it is open.

    arguments: those of questions.ask, or functions of the page that make them.
    """

    def draw(page: Page) -> bool:
        known = {name: value(page) if callable(value) else value for name, value in arguments.items()}
        figure = picture and functools.partial(picture, page)
        return questions.ask(page, question, figure, keep=keep, **known)

    return asking(question, draw)


def asking(question: str, draw: Callable[[Page], bool]) -> PartBlock:
    """A question that `draw` asks; True once the part may show the answer."""
    return PartBlock("question", question, draw, "released")


def own_question(asked: OwnQuestion) -> PartBlock:
    """The question of a teacher's link."""
    return PartBlock("question", asked.name, lambda page: questions.ask_own(page, asked))


def picture(draw: Callable[[Page], object], key: str = "") -> PartBlock:
    """One picture, drawn with `placing.draw`. key: of its container, for a style."""
    return PartBlock("picture", draw.__name__, draw, "moved", key)


def chart(
    name: str,
    charts: Callable[[Page], Sequence["Chart"]],
    file: Callable[[Page], "Columns"] | None = None,
    **look: Any,
) -> PartBlock:
    """Charts with their title and a sentence: see plots.draw."""
    return PartBlock("chart", name, lambda page: _plots().draw(page, name, charts, file, **look))


def _plots() -> ModuleType:
    """It imports Altair, which the frame is not to wait for."""
    return importlib.import_module("pages.draw.plots")


def said(sentence: Callable[[Page], str], *more: Callable[[Page], str], when: When = "moved") -> PartBlock:
    """What the numbers show: the sentence that belongs to the figure before it, and more for readers."""
    return _told(say.sentence, sentence, more, when)


def result(sentence: Callable[[Page], str], *more: Callable[[Page], str], when: When = "moved") -> PartBlock:
    """The same, as the main sentence of a part."""
    return _told(say.result, sentence, more, when)


def _told(
    say_first: Callable[[str], None],
    sentence: Callable[[Page], str],
    more: Sequence[Callable[[Page], str]],
    when: When,
) -> PartBlock:
    def draw(page: Page) -> None:
        say_first(sentence(page))
        if more:
            with for_readers(sentence.__name__):
                for each in more:
                    say.sentence(each(page))

    return PartBlock("said", sentence.__name__, draw, when)


def always(block: PartBlock) -> PartBlock:
    """A block that stays while a question before it is open, whose answer it does not tell."""
    return replace(block, stays=True)


def expander(key: str, blocks: Sequence[PartBlock], **look: Any) -> PartBlock:
    """Blocks below a line with the text of that key, which opens. A class does not need them."""

    def draw(page: Page) -> None:
        opened = session.expander(say.with_formulas(page.t(key)), key.replace(".", "_"), **look)
        if opened is not None:
            with opened:
                for block in blocks:
                    _draw(page, block)

    return PartBlock("text", key, draw)


def figure(draw: Callable[..., object], *args: Any) -> PartBlock:
    """Figures that follow the numbers together, as columns do. It draws them itself."""
    return PartBlock("figure", _name(draw, args), lambda page: draw(page, *args), "moved")


def work(draw: Callable[..., object], *args: Any) -> PartBlock:
    """Long work with its controls and figures, which it draws itself. An edit draws its part whole."""
    return PartBlock("work", _name(draw, args), lambda page: draw(page, *args))


def run(draw: Callable[[Page], object], runs: Runs, *wanted: Hashable, asked: bool) -> PartBlock:
    """Runs of training, with their figures: see Runs.draw. asked: whether the visitor has asked for them."""

    def show(page: Page) -> None:
        runs.draw(functools.partial(draw, page), *wanted, asked=asked)

    return PartBlock("work", draw.__name__, show)


def topics(page: Page, parts: Mapping[str, Callable[[Page], Blocks]]) -> Blocks:
    """The choice among the topics of a part, and the blocks of the chosen one."""
    yield aside(choose)
    yield from parts[page.topic.name](page)


def for_readers(name: str) -> AbstractContextManager:
    """A container, inside of a block, of what a class does not need."""
    return st.container(key=f"aside-{name}")


# ---- what the frame does with them


def of(part: PartFunction, page: Page) -> list[PartBlock]:
    """The blocks of a part; of one that draws itself, as an exercise does, a single block."""
    return [*part(page)] if inspect.isgeneratorfunction(part) else [work(part)]


def shape(blocks: Sequence[PartBlock]) -> tuple[object, ...]:
    """While it stays, an edit draws only the blocks that follow the numbers. Empty: it draws all of them."""
    works = any(block.kind == "work" for block in blocks)
    return () if works else tuple((block.kind, block.name) for block in blocks)


def first_picture(blocks: Sequence[PartBlock]) -> Callable[[Page], object]:
    """The function of the picture at the top of a part."""
    return next(block.draw for block in blocks if block.kind == "picture")


def units(blocks: Sequence[PartBlock]) -> list[list[PartBlock]]:
    """What belongs together: a figure or a question, the controls before it, and what is said of it."""
    result: list[list[PartBlock]] = [[]]
    texts: list[PartBlock] = []  # they belong to what comes after them
    has_subject = False
    for block in blocks:
        if block.kind == "text":
            texts.append(block)
            continue
        if has_subject and block.kind != "said":
            result.append([])
            has_subject = False
        has_subject |= block.kind in SUBJECTS
        result[-1] += [*texts, block]
        texts = []
    result[-1] += texts
    if len(result) > 1 and not has_subject:  # the rest belongs to the last figure
        rest = result.pop()
        result[-1] += rest
    return result


def with_own(arranged: Sequence[list[PartBlock]], own: PartBlock) -> list[list[PartBlock]]:
    """The units with a teacher's own question: after the first figure, which it is about.

    Where a question comes before all figures, it is before that question, which may be open.
    """
    first, kinds = next(
        (number, kinds)
        for number, kinds in enumerate({block.kind for block in unit} for unit in arranged)
        if kinds & {*SUBJECTS} or number + 1 == len(arranged)
    )
    place = first + ("question" not in kinds)
    return [*arranged[:place], [own], *arranged[place:]]


def draw(page: Page, blocks: Sequence[PartBlock], own: PartBlock | None = None) -> None:
    """Draws the blocks, up to an open question. own: a teacher's own question, which stops nothing."""
    arranged = units(blocks) if own is None else with_own(units(blocks), own)
    is_open = False
    for number, unit in enumerate(arranged):
        if is_open and not any(block.stays for block in unit):
            continue
        for_class = any(block.kind != "text" and (block.stays or not is_open) for block in unit)
        with unit_of(page, number) if for_class else nullcontext():
            for place, block in enumerate(unit):
                if is_open and not block.stays:
                    continue
                with for_readers(f"{number}-{place}") if _is_aside(page, block) else nullcontext():
                    answered = _draw(page, block)
                is_open |= block.kind == "question" and block is not own and not answered


def _is_aside(page: Page, block: PartBlock) -> bool:
    return page.view.presenting and block.kind == "text"


def unit_of(page: Page, name: object) -> AbstractContextManager:
    """The container of a unit, by which a presentation finds it (see present/stage.js)."""
    return st.container(key=f"unit-{name}") if page.view.presenting else nullcontext()


def _draw(page: Page, block: PartBlock) -> object:
    if block.kind == "picture":
        with st.container(key=block.key) if block.key else nullcontext():
            live.picture(page, block.draw)
        return None
    if not block.follows or _is_static(page, block):
        return block.draw(page)
    is_open = block.kind == "question" and page.answer(block.name) is None  # also one of another topic
    moves = block.follows == "moved" or is_open
    return live.draw(page, block.draw, when="moved" if moves else "released")


def _is_static(page: Page, block: PartBlock) -> bool:
    """Whether a question is the same for all numbers. Then its card is not drawn again, and nothing moves."""
    declared = page.lesson.by_name.get(block.name) if block.kind == "question" else None
    return declared is not None and declared.right is not None and not declared.own_words
