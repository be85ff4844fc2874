"""A picture on a page: the component with the visit behind it. Every matrix is drawn through here."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pages import session
from pages.draw.component import Inbound
from pages.model import edits
from pages.model.entries import MAX_TOKEN_LENGTH, MAX_VALUE
from pages.model.languages import LANGUAGES
from pages.picture import Flow, Grid, Matrix, Picture, packed, sources_of

from . import component, filling, hidden, live, targets
from .page import Page
from .texts import Texts, plain

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
    on_pick: Picked | None = None,
    on_edit: session.Taker | None = None,
    handed: bool = False,
    sources: Sequence[Find] = (),
    **more: Any,
) -> None:
    """Draws matrices, by default side by side.

    name: of this picture on its page. on_pick: what a click on a computed cell or on a thumbnail does.
    on_edit: says what an edit changes, where the numbers are not the settings. handed: on_edit or not, a
    teacher's link counts. sources: find the matrices that others are made from and that have no place in the
    picture. more: what else a `Picture` shows.
    """
    if layout is None:
        layout = [Flow([matrix.id for matrix in matrices])]
    shown = Picture(matrices, layout, _sources(matrices, sources), **more)
    if on_edit is None or handed:  # others are an exercise's own
        _note(page, matrices)
        if blank := filling.blank(page.stop, matrices):
            on_edit = functools.partial(filling.take, page.stop, blank, on_edit or session.change_of)
        shown = targets.measured_in(page, hidden.as_handed_out(page, shown))
    key = keys_begin(page) + name
    inbound = Inbound(shown.matrices, shown.steps, shown.follow or (shown.arcs.words if shown.arcs else ()))
    canvas = live.canvas(page)
    inbox, asked = session.visit().inbox.pictures, canvas.container is None
    if asked and key in inbox:
        known = inbox[key]
    else:
        known = session.picture(key, functools.partial(inbound.read, "edit"), on_edit, canvas.direct)
    shown = _of_visit(page, key, shown, known, direct=asked or canvas.direct is not None)
    if canvas.container is None:
        canvas.data[key] = packed(shown, canvas.held)
        return
    with canvas.container:
        component.mount(
            packed(shown, session.piece_held(known)),
            inbound,
            key=key,
            on_edit=live.taking(functools.partial(session.take_edits, key)),
            on_command=functools.partial(_command, key),
            on_pick=functools.partial(_pick, page, on_pick),
            on_view=functools.partial(_view, page, bool(shown.steps)),
        )
    session.leave_old_edits(key)


def _of_visit(page: Page, key: str, shown: Picture, known: session.Mailbox, *, direct: bool) -> Picture:
    """The picture as this visit has it: what is chosen, read, and said in the reader's language."""
    visit = session.visit()
    return replace(
        shown.reworded(plain),
        key=key,
        texts=_texts(page.t, shown.starting),
        seq=known.edit,
        done=known.command,
        visit=visit.name,
        stamp=str(visit.screen.stamp),
        idle=visit.idle,
        row=page.row,
        step=page.place.step,
        cell=page.place.cell,
        panel=bool(shown.steps),
        large=page.view.presenting,
        direct=direct and not shown.starting,
        limit=MAX_VALUE,
        name_limit=MAX_TOKEN_LENGTH,
    )


def keys_begin(page: Page) -> str:
    """What the keys of a part's pictures begin with."""
    return f"picture-{page.lesson.name}-{page.part.name}-"


def data_for(page: Page, draw: Callable[[Page], object], held: str = "") -> dict[str, bytes]:
    """The data of the picture that `draw` draws, by its key. Nothing is put on the page.

    held: the still piece of the data that the browser holds.
    """
    answer = live.Canvas(None, held=held)
    draw(replace(page, canvas=answer))
    return answer.data


def among(*matrices: Matrix) -> Find:
    """Finds one of these."""
    return {matrix.id: matrix for matrix in matrices}.get


def _note(page: Page, matrices: Sequence[Matrix]) -> None:
    """Notes what a teacher's link can lock and hide here."""
    session.drawn_matrices(page.lesson.name, page.part.name).update(
        (matrix.id, (matrix.title, matrix.editing is not None))
        for matrix in matrices
        if matrix.look.size != "thumbnail"
    )


def _sources(matrices: Sequence[Matrix], finds: Sequence[Find]) -> list[Matrix]:
    """What the matrices are made from and the picture does not show."""
    if not finds:
        return []
    shown = {matrix.id for matrix in matrices}
    names = set().union(*(sources_of(matrix.recipe) for matrix in matrices)) - shown
    sought = [next(filter(None, (find(name) for find in finds)), None) for name in sorted(names)]
    return [matrix.to_read() for matrix in sought if matrix is not None]


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
