"""Files that bring numbers: the state as JSON, matrices as NumPy's files, as CSV, or as they are printed.

Whatever cannot be taken is refused with a SettingsError, and nothing is changed.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from . import arrays, edits
from . import settings as s
from .entries import (
    SettingsError,
    one_of,
    parse_number,
    parse_token,
    read_json,
    refusing,
    short_text,
    write_names,
)
from .fields import write_number
from .link import to_query
from .matrices import BIASES, MATRICES, MAX_HEADS, MAX_TOKENS, MAX_WIDTH, TABLE, TOKENS
from .rows import LIMIT, check_size, dimensions, read_rows
from .settings import Settings
from .state import State
from .view import Place, View

if TYPE_CHECKING:  # it takes a moment to import, which the first visitor of a server would wait for
    import numpy as np

FORMAT = "attention"
STATE = "state"  # the array of an NPZ file with the bytes of the state as JSON
KEYS = {entries.key: name for name, entries in TABLE.items()}  # the link's key → the matrix
NAMES = tuple(KEYS.values())
MAX_LISTS = 2_000  # of a state: more than all rows of its matrices
NAMED = 5  # of the arrays that are not read
LISTS = KEYS | {name: name for name in TOKENS}  # what the state has as lists
# Which matrices have to come together before a size may change: else the others would lose numbers.
TOGETHER = {
    "d_model": ("x", "w_q", "w_k", "w_v"),
    "d_k": ("w_q", "w_k"),
    "d_v": ("w_v",),
}

FileRows = Sequence[Sequence[object]]


class Brought(NamedTuple):
    """What a file or a text brings: some matrices and tokens, or a whole state; and what was passed over."""

    matrices: Mapping[str, FileRows] = {}
    notes: tuple[SettingsError, ...] = ()
    state: dict[str, str] | None = None  # the query of its link


# ---- the whole state


def write_state(lesson: str, state: State, view: View, place: Place) -> str:
    """The state as JSON: what its link says, with all matrices and tokens as lists."""
    parts: dict[str, object] = dict(to_query(state, view, place))
    parts.pop("lang")
    parts |= {name: list(getattr(state.core, name)) for name in TOKENS}
    for key, name in KEYS.items():
        if (matrix := s.as_matrix(state.core, name)) is not None:
            parts[key] = [list(row) for row in matrix]
    return json.dumps({"format": FORMAT, "lesson": lesson, "state": parts}, ensure_ascii=False, indent=1)


def read_state(data: bytes) -> dict[str, str]:
    """The query of the link that the file represents."""
    return _query(data, {})


def _query(data: bytes, newer: Mapping[str, FileRows]) -> dict[str, str]:
    """newer: matrices and tokens that replace the state's, by their keys."""
    text = _text(data)
    if text.count("[") + text.count("{") > MAX_LISTS:
        raise SettingsError("file_not_ours")
    with refusing("JSON"):
        document = read_json(text)
    if (
        not isinstance(document, dict)
        or document.get("format") != FORMAT
        or not isinstance(document.get("state"), dict)
    ):
        raise SettingsError("file_not_ours")
    return {key: _as_text(key, value) for key, value in (document["state"] | newer).items()}


def _as_text(key: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if key in TOKENS and isinstance(value, list) and all(isinstance(token, str) for token in value):
        return write_names(tuple(value))
    if key in KEYS and isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        check_size(KEYS[key], (len(value), max(map(len, value))), _largest()[KEYS[key]])
        return "__".join("_".join(write_number(parse_number(number)) for number in row) for row in value)
    raise SettingsError("file_value", name=short_text(key))


# ---- matrices


@functools.cache
def _largest() -> dict[str, tuple[int, int]]:
    """The rows and columns that each matrix has at most."""
    names = ("t",) * MAX_TOKENS
    now = s.normalised(replace(Settings(), tokens=names, source=names))
    width = MAX_WIDTH
    return s.shapes(edits.resize(now, d_model=width, num_heads=MAX_HEADS, d_k=width, d_v=width))


def read(name: str, data: bytes, matrix: str) -> Brought:
    """What a file brings; `matrix`: what its numbers are for where it does not say so."""
    if len(data) > LIMIT:
        raise SettingsError("file_too_large", limit=LIMIT)
    suffix = name.lower().rpartition(".")[2]
    if suffix == "json":
        return Brought(state=read_state(data))
    if suffix == "npz":
        return _of_arrays(data)
    if suffix == "npy":
        return Brought({matrix: _rows(arrays.read_array(data), matrix)})
    return read_text(_text(data), matrix)


def read_text(text: str, matrix: str) -> Brought:
    """What a text brings: the numbers of that matrix."""
    rows, notes = read_rows(text, matrix, _largest()[one_of("matrix", matrix, NAMES)])
    return Brought({matrix: rows}, tuple(notes))


def _of_arrays(data: bytes) -> Brought:
    """What an NPZ file brings. One that was exported here has the state; its other matrices may be newer."""
    entries, others = arrays.read_arrays(data, (STATE, *NAMES, *TOKENS))
    state = entries.pop(STATE, None)
    matrices = {name: _rows(array, name) for name, array in entries.items()}
    if state is not None:
        return Brought(
            state=_query(
                state.tobytes(), {key: matrices[name] for key, name in LISTS.items() if name in matrices}
            )
        )
    others = (*others[:NAMED], "…") if len(others) > NAMED else others
    if others and matrices.keys() <= set(TOKENS):
        raise SettingsError("file_names", names=others, known=MATRICES)
    return Brought(matrices, (SettingsError("file_others", names=others),) if others else ())


def _rows(array: np.ndarray, name: str) -> FileRows:
    """The rows of an array, which may be a single one; of tokens its entries."""
    if array.ndim != 1 and (array.ndim != 2 or name in TOKENS):
        raise dimensions(name, array.shape)
    if array.size == 0:
        raise SettingsError("file_empty")
    if name not in TOKENS:
        array = array.reshape(-1, array.shape[-1])
        check_size(name, array.shape, _largest()[one_of("matrix", name, NAMES)])
    with refusing("NumPy"):
        return array.tolist()


def with_matrices(now: Settings, entries: Mapping[str, FileRows]) -> Settings:
    """The settings with these matrices and tokens. Tokens follow the rows of X, sizes what comes together."""
    numbers = {
        one_of("matrix", name, NAMES): tuple(tuple(map(parse_number, row)) for row in rows)
        for name, rows in entries.items()
        if name not in TOKENS
    }
    if not numbers:
        raise SettingsError("file_empty")
    now = _with_tokens(now, entries.get("tokens"), len(numbers.get("x", now.tokens)))
    if "y" in numbers:
        if not s.MIN_SOURCE <= len(numbers["y"]) <= MAX_TOKENS:
            raise SettingsError("source_too_short", limit=s.MIN_SOURCE, got=len(numbers["y"]))
        names = _names(entries.get("source"), now.source, len(numbers["y"]))
        now = s.normalised(replace(now, source=names))
    now = edits.resize(now, **_sizes(now, numbers))
    if any(name in BIASES for name in numbers):
        now = edits.set_biases(now, True) if now.b_q is None else now
    for name, rows in numbers.items():
        wanted, got = s.shapes(now)[name], (len(rows), len(rows[0]) if rows else 0)
        if got != wanted:
            shape = {"rows": got[0], "cols": got[1], "room_rows": wanted[0], "room_cols": wanted[1]}
            raise SettingsError("file_shape", name=name, **shape)
        now = s.with_matrix(now, name, rows)
    return now


def _with_tokens(now: Settings, names: object, count: int) -> Settings:
    if count > MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=MAX_TOKENS)
    while len(now.tokens) < count:
        now = edits.add_token(now)
    while len(now.tokens) > max(1, count):
        now = edits.remove_token(now, len(now.tokens) - 1)
    return replace(now, tokens=_names(names, now.tokens, len(now.tokens)))


def _names(names: object, present: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The names in the file where there are as many as rows, else the present names."""
    if isinstance(names, Sequence) and len(names) == count:
        return tuple(parse_token(str(name)) for name in names)
    return (*present, *(f"t{i + 1}" for i in range(len(present), count)))[:count]


def _sizes(now: Settings, numbers: Mapping[str, tuple]) -> dict[str, int]:
    """The sizes of the matrices, where all matrices that share a size are in the file."""
    columns = {name: len(rows[0]) for name, rows in numbers.items() if rows}
    heads = {"w_q": now.num_heads, "w_k": now.kv_heads, "w_v": now.kv_heads}
    sizes = {}
    for size, names in TOGETHER.items():
        if not set(names) <= set(columns):
            continue
        name = names[0]
        of_one = columns[name] if size == "d_model" else columns[name] / heads[name]
        if of_one != getattr(now, {"d_model": "d_model", "d_k": "head_dim", "d_v": "value_dim"}[size]):
            sizes[size] = int(of_one) if of_one == int(of_one) else 0
    return {size: value for size, value in sizes.items() if value}


def _text(data: bytes) -> str:
    if len(data) > LIMIT:
        raise SettingsError("file_too_large", limit=LIMIT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise SettingsError("file_unreadable", kind="UTF-8") from problem
