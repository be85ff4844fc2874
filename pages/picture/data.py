"""What a picture shows, as frozen records, and how each becomes the component's JSON."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any

from .arcs import Arcs, Front
from .vectors import VectorPlot

Values = Sequence[Sequence[Any]]  # numbers, booleans, strings; None where nothing is known


# What can be done with every matrix of several cells.
EVERY_MENU = ("copy", "latex", "save", "enlarge")
# Below this size a matrix holds nothing but what rounding left: it is drawn as zeros.
ROUNDING = 1e-12


# The leading digits of round numbers.
ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


def nice_bound(values: Values) -> float:
    """The value that gets the full colour: a round number, so that it changes seldom while numbers do."""
    return round_above(_largest([*chain.from_iterable(values)]))


def round_above(top: float) -> float:
    """The next round number; 1 for what is only what rounding left."""
    if top < ROUNDING:
        return 1.0
    power = 10.0 ** math.floor(math.log10(top))
    bound = next(power * step for step in ROUND if top <= power * step * (1 + 1e-12))
    return min(bound, sys.float_info.max)  # above 10³⁰⁸ the next round number is infinite


def colour_range(matrices: Sequence["Matrix"]) -> float:
    """The absolute value that gets the full colour in all signed matrices of a picture: a round number.

    So the same number has the same colour in each of them. Masked cells do not count.
    """
    return round_above(max((matrix.top for matrix in matrices if matrix.kind == "signed"), default=0.0))


def _largest(values: Sequence[Any]) -> float:
    """The largest absolute value, infinities and NaN left out."""
    if values and None not in values and math.isfinite(sum(values)):
        return max(max(values), -min(values))
    return max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0.0)


def _plain_row(row: Sequence[Any]) -> Sequence[float | str | None]:
    """JSON knows no infinities and no NaN: they are written as strings."""
    if None not in row and math.isfinite(sum(row)):
        return row
    return [value if value is None or math.isfinite(value) else str(float(value)) for value in row]


@dataclass(frozen=True, slots=True)
class Look:
    """How a matrix looks, and what a click on it does.

    `subtitle` may have markup. `alt`: what a screen reader calls the matrix. `ringed` are (row, column)
    pairs; `marked` and `marked_rows` are [start, stop) ranges. `query_rows`: its rows are those of the
    queries, which can be followed. `choose`: what a click on a thumbnail chooses; `chosen`: it is chosen.
    `clickable`: a click on a cell is an answer. `asked`: the arithmetic has a question mark in place of the
    result, which the learner is to find out. `right`: (row, column) pairs that the learner filled in rightly.
    """

    subtitle: str = ""
    alt: str = ""
    row_axis: str = ""
    col_axis: str = ""
    ringed: Sequence[tuple[int, int]] = ()
    marked: tuple[int, int] | None = None
    marked_rows: tuple[int, int] | None = None
    query_rows: bool = False
    size: str = "normal"
    choose: object = None
    chosen: bool = False
    clickable: bool = False
    asked: bool = False
    right: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True)
class Editing:
    """How a matrix is edited.

    `step` is what a drag of 8 px changes; with `log` it multiplies by 1 + step. `low` and `high` bound drags.
    `slider`: a single number with both bounds gets one, logarithmic with `log`.
    `open`: (row, column) pairs, the only cells that can be edited; None for all. One whose value is None is
    blank, to be filled in; an edit with the value None makes it blank again. Open cells are typed in, not
    dragged, and Enter leads from one to the next blank one of the picture.
    `menu`: the ways to fill it that its menu offers. `names` is the edit's matrix if the row labels are typed
    by the learner; `tokens` are the names as typed, where `rows` say more than that. `col_names` and
    `dimensions` are the same for the column labels, of which each may be empty. `grow`: whether rows and
    columns can be added and removed.
    """

    step: float = 0.1
    integer: bool = False
    log: bool = False
    low: float | None = None
    high: float | None = None
    slider: bool = False
    open: Sequence[tuple[int, int]] | None = None
    menu: Sequence[str] = ()
    names: str | None = None
    tokens: Sequence[str] | None = None
    col_names: str | None = None
    dimensions: Sequence[str] | None = None
    grow: dict | None = None


PLAIN, READ = Look(), Editing()


@dataclass(frozen=True)
class Matrix:
    """One matrix of a picture: what it is, how it looks, and how it is edited, None where it is to be read.

    `values` has a row for each of `rows` and an entry for each of `cols`: numbers, for the kind "mask"
    booleans (True = visible), for "text" strings; None where they are not known yet. The kinds are "signed"
    (diverging, centred on 0), "weights" (sequential, 0 to 1), "mask", "plain"
    and "text" (both without colour). `title` and `symbol` may have markup: `W_Q`, `K^T`, `W_{Q,1}`. `symbol`
    names the matrix in arithmetic; if empty, the title does. `recipe` is what a function of recipes.py
    returns. `bound` is a largest absolute value that is known, for the colours and for the digits.
    `masked` are (row, column) pairs. `offset` is the column number of the first shown column: all column
    numbers are absolute.
    """

    id: str
    title: str
    rows: Sequence[str]
    cols: Sequence[str]
    values: Values | None
    kind: str = "signed"
    recipe: dict | None = None
    step_name: str | None = None
    symbol: str = ""
    bound: float | None = None
    masked: Sequence[tuple[int, int]] | None = None
    offset: int = 0
    look: Look = PLAIN
    editing: Editing | None = None

    def having(self, **changes: Any) -> "Matrix":
        """The matrix with changes of its own fields and of its look."""
        look = {name: changes.pop(name) for name in HOW.keys() & changes}
        return replace(self, look=replace(self.look, **look), **changes)

    def looking(self, **changes: Any) -> "Matrix":
        """The matrix with changes of its look."""
        return replace(self, look=replace(self.look, **changes))

    def to_edit(self, **changes: Any) -> "Matrix":
        """The matrix to be edited, with changes of how."""
        return replace(self, editing=replace(self.editing or READ, **changes))

    def to_read(self) -> "Matrix":
        """The matrix, not to be edited."""
        return replace(self, editing=None)

    @property
    def known(self) -> Values:
        """The values, where they are known."""
        if self.values is None:
            raise ValueError(f"the values of {self.id} are not known")
        return self.values

    @property
    def top(self) -> float:
        """The largest absolute value that counts for the range of the colours; `bound`, where it is given."""
        if self.bound is not None or self.values is None:
            return self.bound or 0.0
        masked = set(self.masked or ())
        if not masked:
            return self._largest
        columns = range(self.offset, self.offset + len(self.cols))
        return _largest(
            [
                value
                for r, row in enumerate(self.values)
                for col, value in zip(columns, row, strict=True)
                if (r, col) not in masked
            ]
        )

    @property
    def decimals(self) -> int:
        """Of a computed cell: with two, small numbers such as a gentle ALiBi slope would all read 0."""
        if self.kind != "signed" or self.values is None:
            return 2
        return 3 if (self.bound or round_above(self._largest)) < 0.1 else 2

    @cached_property
    def _largest(self) -> float:
        return _largest([*chain.from_iterable(self.known)])

    @property
    def menu(self) -> Sequence[str]:
        """What the menu offers: every matrix of several cells can at least be copied, saved and enlarged."""
        several = len(self.rows) * len(self.cols) > 1 and self.look.size != "thumbnail"
        fills = self.editing.menu if self.editing else ()
        return [*fills, *EVERY_MENU] if several or fills else fills

    @property
    def written(self) -> Values | None:
        """The values as JSON has them."""
        if self.values is None or self.kind in ("mask", "text"):
            return self.values
        return [_plain_row(row) for row in self.values]

    @property
    def spec(self) -> dict:
        """All but the numbers, where it is not as in USUAL."""
        records = ((self, WHAT), (self.look, HOW), (self.editing or READ, EDITS))
        changed = {
            name: value
            for record, usual in records
            for name, plain in usual.items()
            if (value := getattr(record, name)) != plain
        }
        menu = self.menu
        return changed | ({"editable": True} if self.editing else {}) | ({"menu": menu} if menu else {})

    def to_json(self) -> dict:
        return USUAL | self.spec | {"values": self.written, "decimals": self.decimals}


def _usual(record: type) -> dict:
    """The fields of a record with their defaults, without those that are written in another way."""
    left_out = ("values", "bound", "look", "editing", "menu")
    return {
        field.name: None if field.default is MISSING else field.default
        for field in fields(record)
        if field.name not in left_out
    }


WHAT, HOW, EDITS = map(_usual, (Matrix, Look, Editing))
# What a matrix that says nothing else is like.
USUAL = WHAT | HOW | EDITS | {"editable": False, "menu": ()}


@dataclass(frozen=True, slots=True)
class PanelStep:
    """A step of the computation, as the panel tells it. `title`, `formula` and `why` may have markup.

    latex: the formula as it is copied.
    """

    name: str
    title: str
    formula: str = ""
    why: str = ""
    code: str = ""
    latex: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Sentences below the panel, under a title. A screen reader says a sentence that changes.

    Without a title, the first sentence says what the numbers show.
    """

    title: str
    lines: Sequence[str]

    def reworded(self, reword: Callable[[str], str]) -> "Passage":
        return Passage(reword(self.title), [*map(reword, self.lines)])


GridRows = list[list[str | None]]  # of a grid


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of matrix ids, or None where a place stays free; columns are shared by all rows."""

    rows: Sequence[Sequence[str | None]]

    def to_json(self) -> dict:
        return {"kind": "grid", "rows": self.rows}


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow between two matrices of a flow, with a text that may have markup."""

    text: str

    def to_json(self) -> dict:
        return {"arrow": self.text}


@dataclass(frozen=True, slots=True)
class Group:
    """Matrices of a flow with a title of their own, such as the thumbnails of all heads.

    hint: what can be done with them, after the title; neither saved nor presented. columns: so many of them
    side by side; by default as many as there is room for.
    """

    ids: Sequence[str]
    title: str = ""
    hint: str = ""
    columns: int | None = None

    def to_json(self) -> dict:
        return {"group": self.ids, "title": self.title, "hint": self.hint, "columns": self.columns}


Items = list[str | Arrow | Group]  # of a flow


@dataclass(frozen=True, slots=True)
class Flow:
    """Matrix ids, arrows and groups side by side; wraps where the screen is narrow."""

    items: Sequence[str | Arrow | Group]

    def to_json(self) -> dict:
        return {"kind": "flow", "items": self.items}


# Of a field of a picture that follows the numbers, or may be another in each answer (see pieces.py).
MOVES = {"moves": True}


@dataclass(frozen=True)
class Picture:
    """All that the browser draws: what a part shows, and what the visit adds to it.

    sources: matrices without a place, which others are made from. steps: those of a computation, in a panel
    below. fit: as large as the window allows. starting: PyTorch is being imported, and an edit waits for
    that. follow: the queries of which one can be followed through all the steps. passages: what the numbers
    say, below the panel. plots: vectors in a plane, above the matrices; plots_left: at their left, where
    there is room. arcs: the words with their attention weights, above; a word is chosen as a query is
    followed. front: what the first page says.

    target: what a target measures, in a line each. row, step, cell: the chosen ones. large: it is presented
    to a class. idle: those of "undo" and "redo" that have nothing to do. direct: while a number is held, the
    server answers without a run of the page (see shell/direct.py). seq, done: the last edits and the last
    command read in this visit.

    ValueError if two matrices have the same id.
    """

    matrices: Sequence[Matrix]
    layout: Sequence[Grid | Flow]
    sources: Sequence[Matrix] = ()
    steps: Sequence[PanelStep] = ()
    passages: Sequence[Passage] = field(default=(), metadata=MOVES)
    plots: Sequence[VectorPlot] = field(default=(), metadata=MOVES)
    plots_left: bool = False
    arcs: Arcs | None = field(default=None, metadata=MOVES)
    front: Front | None = None
    fit: bool = False
    note: str = ""
    starting: bool = False
    follow: Sequence[str] = ()
    target: Sequence[str] = field(default=(), metadata=MOVES)
    row: int | None = field(default=None, metadata=MOVES)
    step: str | None = field(default=None, metadata=MOVES)
    cell: Sequence | None = field(default=None, metadata=MOVES)
    panel: bool = False
    large: bool = False
    idle: str = field(default="", metadata=MOVES)
    direct: bool = False
    key: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    visit: str = field(default="", metadata=MOVES)
    stamp: str = field(default="", metadata=MOVES)
    seq: int = field(default=0, metadata=MOVES)
    done: int = field(default=0, metadata=MOVES)
    limit: float = sys.float_info.max
    name_limit: int = sys.maxsize

    def __post_init__(self) -> None:
        ids = [matrix.id for matrix in self.matrices]
        if len(set(ids)) < len(ids):
            raise ValueError(f"every matrix needs an id of its own, got {ids}")

    def reworded(self, reword: Callable[[str], str]) -> "Picture":
        """The same with other words in its sentences, and in the names of plots and vectors."""
        return replace(
            self,
            passages=[passage.reworded(reword) for passage in self.passages],
            plots=[plot.reworded(reword) for plot in self.plots],
            arcs=self.arcs and self.arcs.reworded(reword),
        )

    def frame(self, *, moving: bool) -> dict[str, Any]:
        """What is in it besides the matrices: what follows the numbers, or what stays meanwhile."""
        rest = {"range": colour_range(self.matrices)} if moving else {}
        every = vars(self)
        return rest | {name: every[name] for name in FRAME[moving]}


FRAME = {
    moves: [
        entry.name
        for entry in fields(Picture)
        if (entry.metadata == MOVES) is moves and entry.name not in ("matrices", "sources")
    ]
    for moves in (False, True)
}


def to_json(record: Any) -> dict[str, Any]:
    """A record of a picture as the component has it: as it says itself, or field by field."""
    own = getattr(record, "to_json", None)
    return own() if own else {name: getattr(record, name) for name in record.__slots__}
