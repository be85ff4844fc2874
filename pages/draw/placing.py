"""A picture on a page: the component with the visit behind it. Every matrix is drawn through here."""

import functools
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from pages import session
from pages.model import edits
from pages.model.handout import Stop
from pages.model.languages import LANGUAGES

from . import filling, live, targets
from . import picture as component
from .page import Page
from .picture import Arcs, Flow, Front, Grid, Inbound, Matrix, PanelStep, Passage, VectorPlot, sources_of
from .texts import Texts

Picked = Callable[[dict], None]
Find = Callable[[str], Matrix | None]  # a matrix by its id

# The errors that the component says by itself, in the words of the rest of the screen.
SAID_THERE = (
    *("not_a_number", "entry_too_long", "too_large", "paste_shape"),
    *("token_empty", "token_too_long"),
)


def draw(
    page: Page,
    name: str,
    matrices: Sequence[Matrix],
    layout: Sequence[Grid | Flow] | None = None,
    *,
    steps: Sequence[PanelStep] = (),
    on_pick: Picked | None = None,
    on_edit: session.Taker | None = None,
    handed: bool = False,
    fit: bool = False,
    note: str = "",
    starting: bool = False,
    follow: bool = False,
    passages: Sequence[Passage] = (),
    plots: Sequence[VectorPlot] = (),
    plots_left: bool = False,
    arcs: Arcs | None = None,
    front: Front | None = None,
    sources: Sequence[Find] = (),
) -> None:
    """Draws matrices, by default side by side.

    name: of this picture on its page. on_pick: what a click on a computed cell or on a thumbnail does.
    on_edit: says what an edit changes, where the numbers are not the settings. handed: on_edit or not, a
    teacher's link counts. steps: those of a computation, in a panel below. fit: as large as the window
    allows. starting: PyTorch is being imported. follow: one query can be followed through all the steps.
    passages: what the numbers say, below the panel. plots: vectors in a plane, above the matrices.
    plots_left: at their left, where there is room. arcs: the words with their attention weights, above; a
    word is chosen as a query is followed. front: what the first page says. sources: find the matrices that
    others are made from and that have no place in the picture.
    """
    blank: list[Matrix] = []
    target: list[str] = []
    if on_edit is None or handed:  # others are an exercise's own
        blank = _blank(page, matrices)
        matrices = _handed(page, matrices)
        matrices, target = _with_target(page, matrices, starting)
    if page.stop.hidden:
        passages, plots = (), ()  # they would say what is hidden
        arcs = arcs and replace(arcs, weights=None, sentences=())
    if blank:
        passages = [filling.passage(page.t, page.stop, blank)]
        on_edit = functools.partial(_fill, page.stop, blank, on_edit or session.change_of)
    visit, key = session.visit(), keys_begin(page) + name
    inbound = Inbound(matrices, steps, page.tokens if follow or arcs else ())
    asked, canvas = _asked.get(), live.canvas()
    if asked and key in visit.inbox.pictures:
        known = visit.inbox.pictures[key]
    else:
        known = session.picture(key, functools.partial(inbound.read, "edit"), on_edit, canvas.direct)
    data = component.data_of(
        matrices,
        layout if layout is not None else [Flow([matrix.id for matrix in matrices])],
        key=key,
        held=asked.held if asked else session.piece_held(known),
        seq=known.edit,
        done=known.command,
        visit=visit.name,
        stamp=str(visit.screen.stamp),
        texts=_texts(page.t, starting),
        steps=steps,
        step=page.place.step,
        row=page.row,
        cell=page.place.cell,
        panel=bool(steps),
        fit=fit,
        note=note,
        starting=starting,
        idle=visit.idle,
        follow=page.tokens if follow else (),
        large=page.view.presenting,
        passages=passages,
        plots=plots,
        plots_left=plots_left and bool(plots),
        arcs=arcs,
        front=front,
        target=target,
        sources=_sources(page, matrices, sources),
        direct=bool(asked or canvas.direct) and not starting,
    )
    if asked:
        asked.data[key] = data
        return
    with canvas.container:
        component.mount(
            data,
            inbound,
            key=key,
            on_edit=live.taking(functools.partial(session.take_edits, key)),
            on_command=functools.partial(_command, key),
            on_pick=functools.partial(_pick, page, on_pick),
            on_view=functools.partial(_view, page, bool(steps)),
        )
    session.leave_old_edits(key)


def keys_begin(page: Page) -> str:
    """What the keys of a part's pictures begin with."""
    return f"picture-{page.lesson.name}-{page.part.name}-"


@dataclass
class _Asked:
    """What is asked for without a run of the page: the data of a picture, by its key."""

    held: str  # the still piece of the data that the browser holds
    data: dict[str, bytes] = field(default_factory=dict)


_asked: ContextVar[_Asked | None] = ContextVar("asked", default=None)


def data_for(page: Page, draw: Callable[[Page], object], held: str = "") -> dict[str, bytes]:
    """The data of the picture that `draw` draws, by its key. Nothing is put on the page."""
    asked = _Asked(held)
    token = _asked.set(asked)
    try:
        draw(page)
    finally:
        _asked.reset(token)
    return asked.data


def among(*matrices: Matrix) -> Find:
    """Finds one of these."""
    return {matrix.id: matrix for matrix in matrices}.get


def _handed(page: Page, matrices: Sequence[Matrix]) -> list[Matrix]:
    """The matrices as a teacher's link has them: locked ones to read, hidden ones without their numbers."""
    drawn = session.drawn_matrices(page.lesson.name, page.part.name)
    drawn |= {
        matrix.id: (matrix.title, matrix.editing is not None)
        for matrix in matrices
        if matrix.look.size != "thumbnail"
    }
    stop = page.stop
    if not stop.hidden and not stop.fixed:
        return [*matrices]
    hidden = {matrix.id for matrix in matrices if matrix.id in stop.hidden}
    if "weights" in hidden:
        hidden |= {matrix.id for matrix in matrices if matrix.look.size == "thumbnail"}
    locked = [matrix.to_read() if matrix.id in stop.fixed else matrix for matrix in matrices]
    blank = {matrix.id for matrix in _blank(page, matrices)}
    return [_without(matrix, hidden, stop if matrix.id in blank else None) for matrix in locked]


def _blank(page: Page, matrices: Sequence[Matrix]) -> list[Matrix]:
    """The hidden matrices that a learner fills in, with their numbers."""
    stop = page.stop
    return [
        matrix for matrix in matrices if stop.fill and matrix.id in stop.hidden and filling.is_blank(matrix)
    ]


def _fill(stop: Stop, blank: Sequence[Matrix], other: session.Taker, edit: dict) -> session.StateEdit | None:
    """Takes a number that is filled in, which changes no state; other edits are taken as always."""
    return None if filling.take(stop, blank, edit) else other(edit)


def _with_target(page: Page, matrices: list[Matrix], starting: bool) -> tuple[list[Matrix], list[str]]:
    """The matrices with rings on what the page's target measures, and the lines about it.

    Both are in the picture that shows a measured number.
    """
    if page.target is None or starting:
        return matrices, []
    marked = targets.ringed(page, matrices)
    return marked, targets.lines(page) if marked != matrices else []


def _sources(page: Page, matrices: Sequence[Matrix], finds: Sequence[Find]) -> list[Matrix]:
    """What the matrices are made from and the picture does not show; nothing that a teacher's link hides."""
    if not finds:
        return []
    shown = {matrix.id for matrix in matrices}
    names = set().union(*(sources_of(matrix.recipe) for matrix in matrices)) - shown
    sought = [[find(name) for find in finds] for name in sorted(names.difference(page.stop.hidden))]
    sources = [next(filter(None, answers), None) for answers in sought]
    return [matrix.to_read() for matrix in sources if matrix is not None]


def _without(matrix: Matrix, hidden: set[str], fills: Stop | None) -> Matrix:
    """The matrix without its numbers if it is hidden, and without arithmetic that needs hidden ones.

    fills: the stop at which it is filled in
    """
    if fills is not None:
        matrix = filling.to_fill(matrix, fills)
    elif matrix.id in hidden:
        matrix = replace(matrix, values=None, masked=None).looking(ringed=(), asked=True)
    if not hidden.isdisjoint(sources_of(matrix.recipe)):
        matrix = replace(matrix, recipe=None)
    return matrix


@functools.cache
def _texts(t: Texts, starting: bool) -> dict[str, str]:
    texts = {**t.section("picture"), "comma": LANGUAGES[t.language].comma}
    texts |= {name: t(f"error.{name}") for name in SAID_THERE}
    return texts | {"offline": t("frame.starting_edit")} if starting else texts


def _pick(page: Page, on_pick: Picked | None, picked: dict) -> None:
    """A query to follow, or what the lesson makes of a click."""
    if "follow" in picked:
        row = picked["follow"]
        page.go(row=None if row < 0 else row)
    elif on_pick is not None:
        on_pick(picked)


def _view(page: Page, steps: bool, chosen: dict) -> None:
    """The cell that the learner chose, and the step, if the picture has steps."""
    cell = chosen.get("cell")
    step = {"step": chosen.get("step")} if steps else {}
    page.go(cell=None if cell is None else tuple(cell), **step)


def _command(key: str, sent: dict) -> None:
    """What a matrix's menu and the + and − at its edges do."""
    if not session.is_new_command(key, sent["id"]):
        return
    matrix = sent["matrix"]
    changes = {
        "fill": lambda core: edits.fill(core, matrix, sent["how"], sent.get("seed", 0)),
        "round": lambda core: edits.rounded(core, matrix, sent["how"]),
        "add_token": edits.add_token,
        "remove_token": lambda core: edits.remove_token(core, sent["row"]),
        "grow": lambda core: edits.resize(core, d_model=core.d_model + sent["by"]),
    }
    session.edit(changes[sent["name"]])
