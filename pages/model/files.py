"""Files that bring numbers: the state as JSON, matrices as NumPy's files, as CSV, or as they are printed.

Whatever cannot be taken is refused with a SettingsError, and nothing is changed.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from . import edits
from . import settings as s
from .entries import SettingsError, one_of, parse_number, parse_token, said
from .fields import write_number
from .link import BIASES, MATRICES, to_query, write_tokens
from .settings import Settings
from .state import State
from .view import Place, View

if TYPE_CHECKING:  # it takes a moment to import, which the first visitor of a server would wait for
    import numpy as np

FORMAT = "attention"
LIMIT = 1_000_000  # bytes of a file, unpacked as well
ENTRIES = 128 * 128  # numbers of one array
KEYS = MATRICES | BIASES  # the link's key → the matrix
NAMES = tuple(KEYS.values())
TOKENS = ("tokens", "source")
# Which matrices have to come together before a size may change: else the others would lose numbers.
TOGETHER = {
    "d_model": ("x", "w_q", "w_k", "w_v"),
    "d_k": ("w_q", "w_k"),
    "d_v": ("w_v",),
}
# What PyTorch and NumPy print behind the numbers.
OPTIONS = re.compile(r"\b(?:dtype|device|grad_fn|requires_grad)\s*=\s*(?:<[^>]*>|[\w.:'\"]+)")

Rows = Sequence[Sequence[object]]


# ---- the whole state


def write_state(lesson: str, state: State, view: View, place: Place) -> str:
    """The state as JSON: what its link says, with all matrices and tokens as lists."""
    found: dict[str, object] = to_query(state, view, place)
    found.pop("lang")
    found |= {name: list(getattr(state.core, name)) for name in TOKENS}
    for key, name in KEYS.items():
        if (matrix := s.as_matrix(state.core, name)) is not None:
            found[key] = [list(row) for row in matrix]
    return json.dumps({"format": FORMAT, "lesson": lesson, "state": found}, ensure_ascii=False, indent=1)


def read_state(data: bytes) -> dict[str, str]:
    """The query of the link that the file represents."""
    try:
        found = json.loads(_text(data))
    except (json.JSONDecodeError, RecursionError) as problem:
        raise SettingsError("file_unreadable", kind="JSON") from problem
    if (
        not isinstance(found, dict)
        or found.get("format") != FORMAT
        or not isinstance(found.get("state"), dict)
    ):
        raise SettingsError("file_not_ours")
    return {key: _written(key, value) for key, value in found["state"].items()}


def _written(key: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if key in TOKENS and isinstance(value, list):
        return write_tokens(tuple(map(str, value)))
    if key in KEYS and isinstance(value, list) and all(isinstance(row, list) for row in value):
        return "__".join("_".join(write_number(parse_number(number)) for number in row) for row in value)
    raise SettingsError("file_value", name=said(key))


# ---- matrices


def read_numpy(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of an NPZ file by their names, or that of an NPY file under "". Nothing is unpickled."""
    try:
        if not zipfile.is_zipfile(io.BytesIO(data)):
            return {"": _array(data)}
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            known = {f"{name}.npy": name for name in (*NAMES, *TOKENS)}
            infos = [info for info in file.infolist() if info.filename in known]
            if sum(info.file_size for info in infos) > LIMIT:
                raise SettingsError("file_too_large", limit=LIMIT)
            return {known[info.filename]: _array(file.read(info)) for info in infos}
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError, RuntimeError) as problem:
        if isinstance(problem, SettingsError):
            raise
        raise SettingsError("file_unreadable", kind="NumPy") from problem


def _array(data: bytes) -> np.ndarray:
    """Its shape is read first: a short file may claim any."""
    import numpy as np

    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file)
    if (
        kind.hasobject
        or kind.itemsize > 4 * 128
        or not 1 <= len(shape) <= 2
        or np.prod(shape, dtype=float) > ENTRIES
    ):
        raise SettingsError("file_unreadable", kind="NumPy")
    return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)


def read_rows(text: str) -> list[list[str]]:
    """The rows of one matrix: printed by NumPy or PyTorch, written as lists, or as CSV."""
    text = OPTIONS.sub("", text.strip())
    if "[" in text:
        rows = [re.split(r"[\s,;]+", row.strip(" \t\r\n,;")) for row in re.findall(r"\[([^\[\]]+)\]", text)]
    else:
        lines = [line for line in text.splitlines() if line.strip()]
        mark = next((mark for mark in "\t;," if lines and mark in lines[0]), None)
        if mark is None:
            rows = [line.split() for line in lines]
        else:
            rows = _without_names(
                [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
            )
    if not rows or not rows[0]:
        raise SettingsError("file_empty")
    if uneven := next((row for row in rows if len(row) != len(rows[0])), None):
        raise SettingsError("file_uneven", expected=len(rows[0]), got=len(uneven), row=rows.index(uneven) + 1)
    return rows


def _without_names(rows: list[list[str]]) -> list[list[str]]:
    """Without the tokens before the rows and the line above them, if they are there."""
    if len(rows) > 1 and not any(_is_number(row[0]) for row in rows[1:]):
        rows = [row[1:] for row in rows[not _is_number(rows[0][0]) and not rows[0][0] :]]
    if len(rows) > 1 and not any(map(_is_number, rows[0])):
        rows = rows[1:]
    return rows


def _is_number(text: str) -> bool:
    try:
        parse_number(text)
    except SettingsError as problem:
        return problem.code == "too_large"
    return True


def with_matrices(now: Settings, found: Mapping[str, Rows]) -> Settings:
    """The settings with these matrices and tokens. Tokens follow the rows of X, sizes what comes together."""
    numbers = {
        one_of("matrix", name, NAMES): tuple(tuple(map(parse_number, row)) for row in rows)
        for name, rows in found.items()
        if name not in TOKENS
    }
    if not numbers:
        raise SettingsError("file_empty")
    now = _with_tokens(now, found.get("tokens"), len(numbers.get("x", now.tokens)))
    if "y" in numbers:
        if not s.MIN_SOURCE <= len(numbers["y"]) <= s.MAX_TOKENS:
            raise SettingsError("source_too_short", limit=s.MIN_SOURCE, got=len(numbers["y"]))
        names = _names(found.get("source"), now.source, len(numbers["y"]))
        now = s.normalised(replace(now, source=names))
    now = edits.resize(now, **_sizes(now, numbers))
    if any(name in s.BIASES for name in numbers):
        now = edits.set_biases(now, True) if now.b_q is None else now
    for name, rows in numbers.items():
        wanted, got = s.shapes(now)[name], (len(rows), len(rows[0]) if rows else 0)
        if got != wanted:
            shape = {"rows": got[0], "cols": got[1], "room_rows": wanted[0], "room_cols": wanted[1]}
            raise SettingsError("file_shape", name=name, **shape)
        now = s.with_matrix(now, name, rows)
    return now


def _with_tokens(now: Settings, names: object, count: int) -> Settings:
    if count > s.MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=s.MAX_TOKENS)
    while len(now.tokens) < count:
        now = edits.add_token(now)
    while len(now.tokens) > max(1, count):
        now = edits.remove_token(now, len(now.tokens) - 1)
    return replace(now, tokens=_names(names, now.tokens, len(now.tokens)))


def _names(names: object, present: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Those of the file where there are as many as rows, else the present ones."""
    if isinstance(names, Sequence) and len(names) == count:
        return tuple(parse_token(str(name)) for name in names)
    return (*present, *(f"t{i + 1}" for i in range(len(present), count)))[:count]


def _sizes(now: Settings, numbers: Mapping[str, tuple]) -> dict[str, int]:
    """The sizes that the matrices have, where those that share them come together."""
    columns = {name: len(rows[0]) for name, rows in numbers.items() if rows}
    heads = {"w_q": now.num_heads, "w_k": now.kv_heads, "w_v": now.kv_heads}
    found = {}
    for size, names in TOGETHER.items():
        if not set(names) <= set(columns):
            continue
        name = names[0]
        of_one = columns[name] if size == "d_model" else columns[name] / heads[name]
        if of_one != getattr(now, {"d_model": "d_model", "d_k": "head_dim", "d_v": "value_dim"}[size]):
            found[size] = int(of_one) if of_one == int(of_one) else 0
    return {size: value for size, value in found.items() if value}


def read(name: str, data: bytes, matrix: str) -> dict[str, Rows]:
    """The matrices of a file that is no JSON, by their names; `matrix`: of one that has no name."""
    if len(data) > LIMIT:
        raise SettingsError("file_too_large", limit=LIMIT)
    if name.lower().endswith((".npz", ".npy")):
        arrays = read_numpy(data)
        return {key or matrix: _rows(array, key) for key, array in arrays.items()}
    return {matrix: read_rows(_text(data))}


def _rows(array: np.ndarray, key: str) -> Rows:
    if key in TOKENS:
        return array.tolist()
    return array.tolist() if array.ndim == 2 else [array.tolist()]


def _text(data: bytes) -> str:
    if len(data) > LIMIT:
        raise SettingsError("file_too_large", limit=LIMIT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise SettingsError("file_unreadable", kind="UTF-8") from problem
