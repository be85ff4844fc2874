"""Files with numbers: the state as JSON; matrices as NumPy's files, as CSV, or printed.

A file that cannot be read raises a SettingsError, and nothing changes.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from . import arrays, edits
from . import settings as s
from .entries import (
    FILE_LIMIT,
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
from .reading import ReadTable
from .reading import read as read_tables
from .reading.arrays import MOST_MATRICES
from .reading.names import NamedPlace, place_of
from .settings import Settings
from .state import State
from .view import Place, View

if TYPE_CHECKING:  # NumPy takes a moment to import: the first visitor of a server need not wait for it
    import numpy as np

FORMAT = "attention"
WEIGHTS = "weights"  # of attention: a text may have them in place of what they are computed from
STATE = "state"  # the array of an NPZ file with the bytes of the state as JSON
KEYS = {entries.key: name for name, entries in TABLE.items()}  # the link's key → the matrix
NAMES = tuple(KEYS.values())
ARRAYS = (STATE, *NAMES, *TOKENS)  # of an exported NPZ file, which bring its state back
MAX_ENTRIES = 40_000  # of a state: more than all rows and numbers of its matrices
NAMED = 5  # of the arrays that are not read
LISTS = KEYS | {name: name for name in TOKENS}  # the lists of a state
# A size changes only if all matrices with it are in the file: the others would lose numbers.
TOGETHER = {
    "d_model": ("x", "w_q", "w_k", "w_v"),
    "d_k": ("w_q", "w_k"),
    "d_v": ("w_v",),
}

FileRows = Sequence[Sequence[object]]


# The beginnings of files that hold no text → what they are, by a part of their content.
KINDS = {
    b"PK\x03\x04": ((b"data.pkl", "PyTorch"), (b"xl/", "Excel"), (b"word/", "Word")),
    b"\x80": ((b"", "pickle"),),
    b"\x89HDF": ((b"", "HDF5"),),
    b"\xd0\xcf\x11\xe0": ((b"", "Excel"),),
    b"MATLAB 5": ((b"", "MATLAB"),),
    b"\x1f\x8b": ((b"", "gzip"),),
    b"%PDF": ((b"", "PDF"),),
    b"\x89PNG": ((b"", "PNG"),),
    b"\xff\xd8\xff": ((b"", "JPEG"),),
    b"PAR1": ((b"", "Parquet"),),
}


class Offer(NamedTuple):
    """A matrix of a file or a text. target: the matrix that it replaces; if None, it is left out."""

    table: ReadTable
    target: str | None


class Brought(NamedTuple):
    """The content of a file or a text: matrices and tokens, or a whole state; notes on ignored entries."""

    matrices: Mapping[str, FileRows] = {}
    notes: tuple[SettingsError, ...] = ()
    state: dict[str, str] | None = None  # the query of its link
    offers: tuple[Offer, ...] = ()
    resize: bool = False  # whether the sizes of other matrices follow


# ---- the whole state


def write_state(lesson: str, state: State, view: View, place: Place) -> str:
    """The state as JSON: its link, with all matrices and tokens as lists."""
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
    """The query of a state. newer: matrices and tokens that replace the state's, by their keys."""
    text = text_of(data)
    if sum(map(text.count, "[{,")) > MAX_ENTRIES:
        raise SettingsError("file_entries", limit=MAX_ENTRIES)
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
    """The most rows and columns of each matrix."""
    names = ("t",) * MAX_TOKENS
    settings = s.normalised(replace(Settings(), tokens=names, source=names))
    width = MAX_WIDTH
    return s.shapes(edits.resize(settings, d_model=width, num_heads=MAX_HEADS, d_k=width, d_v=width))


def read(name: str, data: bytes, matrix: str) -> Brought:
    """The content of a file. matrix: the target of numbers without a name."""
    if len(data) > FILE_LIMIT:
        raise SettingsError("file_too_large", limit=FILE_LIMIT)
    suffix = name.lower().rpartition(".")[2]
    _check_kind(data)
    if suffix == "npz" or data.startswith(b"PK\x03\x04"):
        return _of_arrays(data, matrix)
    if suffix == "npy" or data.startswith(b"\x93NUMPY"):
        return _of_unnamed({"": arrays.read_array(data)}, matrix)
    if suffix == "json" and b'"format"' in data:
        return Brought(state=read_state(data))
    return read_text(text_of(data), matrix)


def _check_kind(data: bytes) -> None:
    """Raises SettingsError for a file of numbers that nothing here can read."""
    for start, kinds in KINDS.items():
        if data.startswith(start):
            for part, kind in kinds:
                if part in data:
                    raise SettingsError("file_kind", kind=kind)


def read_text(text: str, matrix: str) -> Brought:
    """The matrices of a text, by their names. matrix: the target of numbers without a name."""
    one_of("matrix", matrix, NAMES)
    reading = read_tables(text)
    tables = reading.tables
    usable = [table for table in tables if table.fault is None]
    if not usable:
        raise next((table.fault for table in tables if table.fault), _nothing(reading.left))
    targets = {id(table): table.step for table in reversed(usable) if table.step in NAMES and table.is_first}
    weights = [table for table in usable if table.step == WEIGHTS and table.is_first]
    if not targets and weights:
        targets = {id(weights[0]): WEIGHTS}
    free = [table for table in usable if len(usable) == 1 or (not table.step and table.one_of < 2)]
    if not targets and free:
        targets = {id(free[0]): matrix}
    brought = of_offers(tuple(Offer(table, targets.get(id(table))) for table in tables))
    if reading.left:
        note = SettingsError("text_left", count=len(reading.left), line=reading.left[0])
        brought = brought._replace(notes=(*brought.notes, note))
    return brought


def _nothing(left: tuple[str, ...]) -> SettingsError:
    """No matrix; the first line with numbers that was not understood."""
    return SettingsError("text_not_read", line=left[0]) if left else SettingsError("file_empty")


def target_of(table: ReadTable, matrix: str) -> str:
    """The matrix that a table replaces. matrix: the target of numbers without a name."""
    return table.step if table.step in (*NAMES, WEIGHTS) and table.one_of < 2 else matrix


def of_offers(offers: tuple[Offer, ...], names: Mapping[str, FileRows] = {}) -> Brought:
    """The matrices that have a target, and what was left out of them. names: tokens."""
    matrices: dict[str, FileRows] = {name: entries for name, entries in names.items() if name in TOKENS}
    notes: list[SettingsError] = []
    for table, target in offers:
        if target is None:
            continue
        if table.fault is not None:
            raise table.fault
        if target in matrices:
            raise SettingsError("text_twice", name=target)
        if target == WEIGHTS:
            notes.append(SettingsError("text_as_weights"))
        else:
            check_size(target, table.shape, _largest()[one_of("matrix", target, NAMES)])
        matrices[target] = [list(map(_plain, row)) for row in table.rows]
        notes += table.notes
    others = tuple(table.name or "{} × {}".format(*table.shape) for table, target in offers if target is None)
    if others:
        notes.append(SettingsError("text_others", names=_first(others)))
    return Brought(matrices, tuple(notes), None, offers)


def _plain(entry: str) -> object:
    """An entry; 25% is 0.25."""
    return parse_number(entry.removesuffix("%")) / 100 if entry.endswith("%") else entry


def _offered(matrices: dict[str, FileRows], notes: tuple[SettingsError, ...] = ()) -> Brought:
    """Arrays as offers, so that they are seen before they are used."""
    offers = (Offer(_table(name, name, rows), name) for name, rows in matrices.items() if name not in TOKENS)
    return Brought(matrices, notes, None, tuple(offers))


def _table(step: str, name: str, rows: FileRows, one_of: int = 0) -> ReadTable:
    return ReadTable(step, name, tuple(tuple(map(str, row)) for row in rows), one_of=one_of)


def _of_unnamed(named: Mapping[str, np.ndarray], matrix: str) -> Brought:
    """Arrays of other names. One matrix is for the chosen one; of several, the learner chooses."""
    tables = []
    for name, array in named.items():
        while array.ndim > 2 and len(array) == 1:
            array = array[0]
        count = math.prod(array.shape[:-2])
        if array.ndim <= 2:
            tables.append(_table("", name, _rows(array, matrix)))
        elif count > MOST_MATRICES:
            raise dimensions(name or matrix, array.shape)
        else:
            for place in itertools.product(*map(range, array.shape[:-2])):
                shown = f"{name}[{', '.join(map(str, place))}]"
                tables.append(_table("", shown, _rows(array[place], matrix), count))
    target = matrix if len(tables) == 1 else None
    return of_offers(tuple(Offer(table, target) for table in tables))


def _of_arrays(data: bytes, matrix: str) -> Brought:
    """The content of an NPZ file. An exported file has the state as well; its matrices may be newer."""
    _, names = arrays.read_arrays(data, ())
    exported = STATE in names  # whose other arrays are steps, and no inputs
    known = {name: _meaning(name) if name in ARRAYS or not exported else "" for name in names}
    wanted = {meaning: name for name, meaning in reversed(known.items()) if meaning}  # the first of each
    stored, others = arrays.read_arrays(data, tuple(wanted.values()))
    entries = {meaning: stored[name] for meaning, name in wanted.items()}
    state = entries.pop(STATE, None)
    matrices = {name: _rows(entries[name], name) for name in (*NAMES, *TOKENS) if name in entries}
    if state is not None:
        return Brought(
            state=_query(
                state.tobytes(), {key: matrices[name] for key, name in LISTS.items() if name in matrices}
            )
        )
    layer, turned, others = _of_layer(data, others)
    matrices |= layer
    if others and matrices.keys() <= set(TOKENS):
        unnamed = {
            name: array for name in others[:MOST_MATRICES] if (array := _numbers(data, name)) is not None
        }
        if unnamed:
            return _of_unnamed(unnamed, matrix)
        raise SettingsError("file_names", names=_first(others), known=MATRICES)
    for name in TOKENS:
        if name in matrices:
            matrices[name] = list(map(_name, matrices[name]))
    notes = {"file_linear": turned, "file_others": _first(others)}
    return _offered(
        matrices, tuple(SettingsError(code, names=names) for code, names in notes.items() if names)
    )


def _meaning(name: str) -> str:
    """The matrix, the tokens or the state that an array of that name is; else ""."""
    if name in ARRAYS:
        return name
    place = None if "." in name else place_of(name)
    return place.step if place in [NamedPlace(name) for name in NAMES] else ""


def _numbers(data: bytes, name: str) -> np.ndarray | None:
    """An array of an NPZ file, if it has numbers in rows."""
    try:
        array = arrays.read_arrays(data, (name,))[0][name]
    except SettingsError:
        return None
    return array if array.ndim and array.size and array.dtype.kind in "iuf" else None


def _first(names: tuple[str, ...]) -> tuple[str, ...]:
    return (*names[:NAMED], "…") if len(names) > NAMED else names


def _of_layer(
    data: bytes, names: tuple[str, ...]
) -> tuple[dict[str, FileRows], tuple[str, ...], tuple[str, ...]]:
    """The matrices of an attention layer that are saved by the names of its state_dict.

    Also the names of those that were (out, in), and of what is no part of the layer.
    """
    from attention.layer_names import matrices_in, parameters_of, role_of

    stored = [name for name in names if all(role_of(name))]  # K alone is no weight
    layer, others = arrays.read_arrays(data, stored)
    others = tuple(name for name in others if name in names)
    parameters = parameters_of(layer)
    rows = {name: _rows(tensor.numpy(), name) for name, tensor in matrices_in(parameters).items()}
    return rows, parameters.transposed, (*parameters.unknown, *others)


def _name(entry: Any) -> Any:
    """A token's name, which may be saved as bytes."""
    return entry.decode("utf-8", errors="replace") if isinstance(entry, bytes) else entry


def check_size(name: str, shape: tuple[int, int], room: tuple[int, int]) -> None:
    """Raises SettingsError if there are more rows or columns than the matrix of that name can have."""
    if shape[0] > room[0] or shape[1] > room[1]:
        facts = {"rows": shape[0], "cols": shape[1], "room_rows": room[0], "room_cols": room[1]}
        raise SettingsError("file_size", name=name, **facts)


def dimensions(name: str, shape: tuple[int, ...]) -> SettingsError:
    """The error for an array that is no matrix."""
    text = " × ".join(map(str, shape)) or "1"
    return SettingsError("file_dimensions", name=name, count=len(shape), shape=text)


def _rows(array: np.ndarray, name: str) -> FileRows:
    """The rows of an array, which may be a single row; the entries of an array of tokens."""
    if array.ndim != 1 and (array.ndim != 2 or name in TOKENS):
        raise dimensions(name, array.shape)
    if array.size == 0:
        raise SettingsError("file_empty")
    if name in TOKENS and len(array) > MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=MAX_TOKENS)
    if name not in TOKENS:
        array = array.reshape(-1, array.shape[-1])
        check_size(name, array.shape, _largest()[one_of("matrix", name, NAMES)])
    with refusing("NumPy"):
        return array.tolist()


def with_matrices(settings: Settings, entries: Mapping[str, FileRows], *, resize: bool = False) -> Settings:
    """The settings with these matrices and tokens. The number of tokens follows X, sizes their matrices.

    resize: a size also changes for other matrices, which lose rows and columns, or get some.
    """
    numbers = {
        one_of("matrix", name, (*NAMES, WEIGHTS)): tuple(tuple(map(parse_number, row)) for row in rows)
        for name, rows in entries.items()
        if name not in TOKENS
    }
    if not numbers:
        raise SettingsError("file_empty")
    weights = numbers.pop(WEIGHTS, None)
    if weights is not None and numbers:
        raise SettingsError("text_twice", name=next(iter(numbers)))
    count = len(weights or numbers.get("x") or settings.tokens)
    settings = _with_tokens(settings, entries.get("tokens"), count)
    if weights is not None:
        return edits.set_weights(settings, weights)
    if "y" in numbers:
        if not s.MIN_SOURCE <= len(numbers["y"]) <= MAX_TOKENS:
            raise SettingsError("source_too_short", limit=s.MIN_SOURCE, got=len(numbers["y"]))
        names = _names(entries.get("source"), settings.source, len(numbers["y"]))
        settings = s.normalised(replace(settings, source=names))
    settings = edits.resize(settings, **_sizes(settings, numbers, resize))
    if any(name in BIASES for name in numbers):
        settings = edits.set_biases(settings, True) if settings.b_q is None else settings
    for name, rows in numbers.items():
        wanted, got = s.shapes(settings)[name], (len(rows), len(rows[0]) if rows else 0)
        if got != wanted:
            shape = {"rows": got[0], "cols": got[1], "room_rows": wanted[0], "room_cols": wanted[1]}
            raise SettingsError("file_shape", name=name, **shape)
        settings = s.with_matrix(settings, name, rows)
    return settings


def _with_tokens(settings: Settings, names: object, count: int) -> Settings:
    if count > MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=MAX_TOKENS)
    while len(settings.tokens) < count:
        settings = edits.add_token(settings)
    while len(settings.tokens) > max(1, count):
        settings = edits.remove_token(settings, len(settings.tokens) - 1)
    return replace(settings, tokens=_names(names, settings.tokens, len(settings.tokens)))


def _names(names: object, present: tuple[str, ...], count: int) -> tuple[str, ...]:
    """The names in the file if there are as many as rows, else the present names."""
    if isinstance(names, Sequence) and len(names) == count:
        return tuple(parse_token(str(name)) for name in names)
    return (*present, *(f"t{i + 1}" for i in range(len(present), count)))[:count]


def _sizes(settings: Settings, numbers: Mapping[str, tuple], resize: bool) -> dict[str, int]:
    """The sizes that change: those for which all matrices are in the file, or with `resize` any."""
    columns = {name: len(rows[0]) for name, rows in numbers.items() if rows}
    heads = {"w_q": settings.num_heads, "w_k": settings.kv_heads, "w_v": settings.kv_heads}
    sizes = {}
    for size, names in TOGETHER.items():
        there = [name for name in names if name in columns]
        if not there or (len(there) < len(names) and not resize):
            continue
        first = there[0]
        if size == "d_model":
            of_one: float = columns["x"] if first == "x" else len(numbers[first])
        else:
            of_one = columns[first] / heads[first]
        if of_one != getattr(settings, {"d_model": "d_model", "d_k": "head_dim", "d_v": "value_dim"}[size]):
            sizes[size] = int(of_one) if of_one == int(of_one) else 0
    return {size: value for size, value in sizes.items() if value}


def text_of(data: bytes) -> str:
    """The text of a file, in UTF-8 or UTF-16. Raises SettingsError."""
    _check_kind(data)
    if len(data) > FILE_LIMIT:
        raise SettingsError("file_too_large", limit=FILE_LIMIT)
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")  # Excel's "Unicode text"
    try:
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as problem:
        raise SettingsError("file_unreadable", kind="UTF-8") from problem
    if "\0" in text:
        raise SettingsError("file_unreadable", kind="UTF-8")
    return text
