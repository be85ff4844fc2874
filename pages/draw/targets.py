"""A target in words, and in a picture: its cells are ringed, and a line says what is left to each bound."""

import operator
import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qsl

from pages.model.fields import write_number
from pages.model.link import from_query
from pages.model.matrices import TABLE
from pages.model.targets import LARGEST, LEAST, OF_A_HEAD, Condition, Measured, Target
from pages.picture import Matrix, Picture

from .numbers import counted, minus, number_of, power, short
from .page import Page
from .texts import Name, Texts, nested, plain, quoted

SYMBOLS = {"query": "Q", "key": "K", "value": "V", "scores": "S"}
# A setting has the text of its name, but for these.
LABELS = {"heads": "setting.num_heads", "more": "toolbar.more"}
OPEN, DONE = "○", "✓"
NUMBER = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?")
MOST_DECIMALS = 6
SAME = 1e-9


def trace_of(page: Page):
    """The computation that a target of the page measures. It imports PyTorch."""
    from pages.model import compute

    return (compute.cross_trace_of if page.lesson.crosses else compute.trace_of)(page.settings)


def is_reached(page: Page) -> bool:
    return page.target is not None and page.target.is_reached(trace_of(page))


# ---- in words


def goal(page: Page, target: Target) -> str:
    """What is to be reached, with the names of the page, and what may be changed for it."""
    t = page.t
    wanted = [_wanted(page, condition) for condition in target.conditions]
    return t.joined([*wanted, t("target.may", names=t.all_of(label(page, name) for name in target.may))])


def goal_at(page: Page, link: str) -> str:
    """The same for the target of another page. link: to it, as lesson?query; "" if it has no target."""
    name, _, query = link.partition("?")
    lesson, parts = page.course.pages[name], dict(parse_qsl(query))
    state, _, place, _ = from_query(parts, page.course, page.t.language)
    if "example" not in parts:  # the link names the place alone
        state = replace(state, core=lesson.beginning(page.t.language, place))
    t, part = Texts(page.t.language, name), lesson.part(place.part)
    there = replace(page, lesson=lesson, part=part, t=t, place=place).with_numbers(state)
    return "" if there.target is None else goal(there, there.target)


def label(page: Page, name: str) -> str:
    """The name of a matrix or of a setting as a sentence has it."""
    if name in TABLE:
        return TABLE[name].symbol
    return quoted([nested(page.t(LABELS.get(name, f"setting.{name}")))])[0]


def title(page: Page, matrix: str) -> str:
    """The name of a measured matrix."""
    return SYMBOLS.get(matrix) or page.t(f"title.{matrix}")


def names_of(page: Page, matrix: str) -> tuple[Sequence[str], Sequence[str]]:
    """The names of its rows, and of its columns where they are tokens."""
    keys = page.source if page.lesson.crosses else page.tokens
    if matrix in ("query", "output"):
        return page.tokens, ()
    if matrix in ("key", "value"):
        return keys, ()
    return page.tokens, keys


def sizes(page: Page, matrix: str) -> tuple[list[str], list[str]]:
    """The names of all rows and of all columns of a measured matrix, numbers where they have none."""
    tensor, (rows, cols) = Condition(matrix, 0, 0, LEAST).tensor(trace_of(page)), names_of(page, matrix)
    height, width = tensor.shape if tensor is not None else (1, 1)
    return [*rows, *counted(height)[len(rows) :]], [*cols, *counted(width)[len(cols) :]]


def _facts(page: Page, condition: Condition) -> dict[str, str]:
    rows, cols = names_of(page, condition.matrix)
    row, col = place_name(page, rows, condition.row), place_name(page, cols, condition.col)
    return {"matrix": title(page, condition.matrix), "row": row, "col": col}


def place_name(page: Page, names: Sequence[str], place: int) -> str:
    """A row or a column in a sentence: its name in quotation marks, or its number."""
    name = names[place] if place < len(names) else str(place + 1)
    if NUMBER.fullmatch(name):
        return page.t("target.number", number=name)
    return quoted([Name(name)])[0]


def _of_head(page: Page, condition: Condition, text: str) -> str:
    several = page.settings.num_heads > 1 and condition.matrix in OF_A_HEAD
    return page.t("target.of_head", head=condition.head + 1, what=text) if several else text


def _wanted(page: Page, condition: Condition) -> str:
    kind = "weights" if condition.matrix == "weights" else "cell"
    bound = minus(write_number(condition.bound))
    text = page.t(f"target.{kind}_{condition.relation}", bound=bound, **_facts(page, condition))
    return _of_head(page, condition, text)


def lines(page: Page) -> list[str]:
    """What the page measures of its target, and what is left, in a line for each condition."""
    target, t = page.target, page.t
    if target is None:
        return []
    results = []
    for condition, measured in zip(target.conditions, target.measured(trace_of(page)), strict=True):
        if measured is None:
            results.append(f"{OPEN} {t('target.unmeasured')}")
        elif page.hidden_matrices:  # the numbers would say what is hidden
            results.append(f"{DONE if measured.reached else OPEN} {_wanted(page, condition)}")
        else:
            results.append(_line(page, condition, measured))
    return [plain(line) for line in results]


def _line(page: Page, condition: Condition, measured: Measured) -> str:
    value, bound, left = printed(measured)
    kind = "weights" if condition.matrix == "weights" else "cell"
    what = page.t(f"target.{kind}", value=value, **_facts(page, condition))
    what = _of_head(page, condition, what)
    if measured.reached:
        return f"{DONE} {page.t('target.reached_line', what=what)}"
    if condition.relation == LARGEST and value == bound:
        return f"{OPEN} {page.t('target.tie', what=what)}"
    if condition.relation != LARGEST:
        bound = minus(write_number(condition.bound))
    return f"{OPEN} {page.t(f'target.left_{condition.relation}', what=what, bound=bound, left=left)}"


def printed(measured: Measured) -> tuple[str, str, str]:
    """The number, the bound, and what is left, in as many decimals as distinguish the first two.

    What is left is the difference of the printed numbers, so that the line can be checked by eye.
    """
    value, bound, left = measured[:3]
    if measured.reached or left < SAME:
        return short(value), short(bound), short(0.0)
    for decimals in range(2, MOST_DECIMALS + 1):
        texts = short(value, decimals), short(bound, decimals)
        if texts[0] != texts[1]:
            return *texts, short(abs(number_of(texts[0]) - number_of(texts[1])), decimals)
    return short(value), short(bound), power(left, 0)


# ---- in a picture


def measured_in(page: Page, picture: Picture) -> Picture:
    """The picture with rings on what the page's target measures, and the lines about it.

    Both are in the picture that shows a measured number.
    """
    target = page.target
    if target is None or picture.starting:
        return picture
    cells: dict[str, list[tuple[Condition, Measured]]] = {}
    for condition, measured in zip(target.conditions, target.measured(trace_of(page)), strict=True):
        if measured is not None:
            for name in _ids(page, condition):
                cells.setdefault(name, []).append((condition, measured))
    ringed = [_with_rings(matrix, cells.get(matrix.id, ())) for matrix in picture.matrices]
    same = all(map(operator.is_, ringed, picture.matrices))
    return picture if same else replace(picture, matrices=ringed, target=lines(page))


def _ids(page: Page, condition: Condition) -> list[str]:
    """The names under which a picture may show the matrix."""
    if condition.matrix not in OF_A_HEAD:
        return [condition.matrix]
    of_head = [f"{condition.matrix}_{condition.head + 1}"] if page.settings.num_heads > 1 else []
    return [*of_head, *([condition.matrix] if page.head == condition.head else [])]


def _with_rings(matrix: Matrix, cells: Sequence[tuple[Condition, Measured]]) -> Matrix:
    """Only where the matrix shows the number that is measured."""
    rings = [
        (condition.row, condition.col)
        for condition, measured in cells
        if matrix.look.size != "thumbnail" and _shows(matrix, condition, measured)
    ]
    return matrix.looking(ringed=rings) if rings else matrix


def _shows(matrix: Matrix, condition: Condition, measured: Measured) -> bool:
    row, col = condition.row, condition.col - matrix.offset
    if len(matrix.rows) != measured.shape[0] or not 0 <= col < len(matrix.cols):
        return False
    value = None if matrix.values is None else matrix.values[row][col]
    if value is None:
        return True  # hidden by a teacher's link: the ring says where it is
    return value == measured.value or abs(value - measured.value) <= SAME * max(1.0, abs(value))
