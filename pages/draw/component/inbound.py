"""What may come back from a picture. Anybody can write to the server, so only what a hand can do is read.

A message has only the fields of its kind then, each of its own type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.model.entries import MAX_TOKEN_LENGTH, is_text
from pages.picture import Matrix, PanelStep

LARGEST = 2**53  # whole numbers are exact in the browser up to here
MOST_EDITS = 5_000  # in one message: more than a picture has cells
Sent = dict[str, Any]
FIELDS = {
    "edit": ("seq", "gesture", "held", "edits", "still"),
    "command": ("id", "name", "matrix", "how", "seed", "row", "by"),
    "pick": ("matrix", "row", "col", "choose", "follow"),
    "view": ("step", "cell"),
}
OF_A_CELL, OF_A_NAME = ("matrix", "row", "col", "value"), ("matrix", "row", "text")
MOST_DECIMALS = 12  # that a command rounds to


@dataclass(frozen=True)
class Inbound:
    """Reads the messages of one picture, as it was drawn (see `mount`)."""

    matrices: Sequence[Matrix]
    steps: Sequence[PanelStep] = ()
    follow: Sequence[str] = ()  # the queries that can be followed

    def waiting(self, key: str, kind: str) -> Sent | None:
        """The message of that kind that the browser holds for the picture of that key.

        A session that was just begun again may not know the component yet.
        """
        return self.read(kind, (st.session_state.get(key) or {}).get(kind))

    def read(self, kind: str, sent: Any) -> Sent | None:
        """The message where it is one of that kind; None where it is not.

        Edits of cells that are not there are left out: others may have been removed meanwhile. Of
        several edits of one cell the last counts, so that there are never more than cells.
        """
        if kind not in FIELDS or not isinstance(sent, Mapping) or not getattr(self, f"_is_{kind}")(sent):
            return None
        message = _only(FIELDS[kind], sent)
        if kind == "edit":
            entries = filter(None, map(self._entry, sent["edits"]))
            newest = {(entry["matrix"], entry["row"], entry.get("col")): entry for entry in entries}
            message["edits"] = list(newest.values())
        return message

    def _matrix(self, sent: Mapping) -> Matrix | None:
        return next((matrix for matrix in self.matrices if matrix.id == sent.get("matrix")), None)

    def _labelled(self, sent: Mapping, named: str) -> Matrix | None:
        """The matrix whose labels are edited under this name."""
        wanted = sent.get("matrix")
        to_edit = [matrix for matrix in self.matrices if matrix.editing is not None and wanted is not None]
        return next((matrix for matrix in to_edit if getattr(matrix.editing, named) == wanted), None)

    def _is_edit(self, sent: Mapping) -> bool:
        fits = _is_whole(sent.get("seq")) and _is_whole(sent.get("gesture"))
        edits = sent.get("edits")
        fits = fits and isinstance(edits, list) and len(edits) <= MOST_EDITS
        return fits and _is_name(sent.get("still", "")) and isinstance(sent.get("held"), bool)

    def _entry(self, edit: object) -> Sent | None:
        """An edit, with its own fields; None where it is no edit of this picture."""
        if not isinstance(edit, Mapping):
            return None
        for named, axis in (("names", "rows"), ("col_names", "cols")):
            if (labelled := self._labelled(edit, named)) is not None:
                fits = _is_whole(edit.get("row"), len(getattr(labelled, axis))) and _is_name(edit.get("text"))
                return _only(OF_A_NAME, edit) if fits else None
        return _only(OF_A_CELL, edit) if self._is_number(edit) else None

    def _is_number(self, edit: Mapping) -> bool:
        matrix, value = self._matrix(edit), edit.get("value")
        if (
            matrix is None
            or matrix.editing is None
            or not _has_cell(matrix, edit.get("row"), edit.get("col"))
        ):
            return False
        if matrix.kind == "mask":
            return isinstance(value, bool)
        return is_number(value) or (value is None and matrix.editing.open is not None)

    def _is_command(self, sent: Mapping) -> bool:
        matrix, name, how = self._matrix(sent), sent.get("name"), sent.get("how")
        if matrix is None or matrix.editing is None or not _is_whole(sent.get("id")):
            return False
        editing = matrix.editing
        if name == "fill":
            return isinstance(how, str) and how in editing.menu and _is_whole(sent.get("seed", 0))
        if name == "round":
            return _is_whole(how, MOST_DECIMALS) and f"round_{how}" in editing.menu
        if name == "remove_token" and not _is_whole(sent.get("row"), len(matrix.rows)):
            return False
        by = sent.get("by")
        return editing.grow is not None and (
            name in ("add_token", "remove_token") or (name == "grow" and _is_same(by, 1, -1))
        )

    def _is_pick(self, sent: Mapping) -> bool:
        if "follow" in sent:
            return _is_same(sent["follow"], -1) or _is_whole(sent["follow"], len(self.follow))
        matrix = self._matrix(sent)
        if matrix is not None and "choose" in sent:
            choose = matrix.look.choose
            return choose is not None and _is_same(sent["choose"], choose)
        return matrix is not None and _has_cell(matrix, sent.get("row"), sent.get("col"))

    def _is_view(self, sent: Mapping) -> bool:
        step, cell = sent.get("step"), sent.get("cell")
        if step is not None and step not in [told.name for told in self.steps]:
            return False
        if not isinstance(cell, list) or len(cell) != 3:
            return cell is None
        matrix = self._matrix({"matrix": cell[0]})
        return matrix is not None and _has_cell(matrix, *cell[1:])


def _only(fields: Sequence[str], sent: Mapping) -> Sent:
    return {name: sent[name] for name in fields if name in sent}


def _is_same(value: object, *wanted: object) -> bool:
    """Whether it is one of these, and no other number that is equal to it, as True is to 1."""
    return any(type(value) is type(right) and value == right for right in wanted)


def _is_whole(value: Any, below: int = LARGEST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def _is_name(text: object) -> bool:
    """The browser sends no name that is too long."""
    return is_text(text) and len(str(text)) <= MAX_TOKEN_LENGTH


def _has_cell(matrix: Matrix, row: Any, col: Any) -> bool:
    inside = _is_whole(row, len(matrix.rows)) and _is_whole(col, matrix.offset + len(matrix.cols))
    return inside and col >= matrix.offset


def is_number(value: Any) -> bool:
    """A number that an exercise can compute with: not NaN, not infinite, no integer of hundreds of digits."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST
