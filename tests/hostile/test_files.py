"""Damaged and hostile files, texts and links: each is read, or refused with a reason. Nothing else is raised.

HOSTILE_CASES in the environment sets how many cases there are. The cases are the same in every run.
"""

import contextlib
import io
import json
import math
import multiprocessing
import os
import resource
import struct
import zipfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.draw.messages import sentence
from pages.draw.texts import Texts
from pages.hand.export import data
from pages.lessons.practice import your_code
from pages.lessons.worked_examples import documents
from pages.model import files, handout, progress
from pages.model import settings as s
from pages.model.compute import trace_of
from pages.model.entries import MAX_VALUE, Refusal, SettingsError
from pages.model.languages import LANGUAGES
from pages.model.link import to_query
from pages.model.matrices import TABLE
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.hand.test_export import PRINTED, page_of
from tests.hostile.damage import changes, damaged, exaggerated, npy, quietly, repacked, zipped
from tests.hostile.growth import LIMIT, megabytes, memory, seconds
from tests.model import test_reading
from tests.model.test_handout import packed
from tests.support.course import COURSE, from_query
from tests.support.random_settings import drawn
from tests.support.screen import opened, unfolded, visit

CASES = 3 * int(os.environ.get("HOSTILE_CASES", "70"))
hostile = limits(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

STATES = [Settings(), *map(drawn, (3, 8, 11, 20))]
ARCHIVES = {str(i): data.npz(page_of(now), "") for i, now in enumerate(STATES)}
MEMBERS = ("x.npy", "w_q.npy", "tokens.npy", "state.npy", "b_q.npy")


def array(values: object) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


ARRAYS = {
    "matrix": array(np.array(Settings().x)),
    "float16": array(np.ones((3, 4), np.float16)),
    "row": array(np.arange(4)),
    "texts": array(np.array([["1", "2"], ["3", "√2"]])),
    "complex": array(np.ones((3, 4), complex)),
    "dates": array(np.zeros((3, 4), "datetime64[s]")),
    "records": array(np.zeros(3, [("a", "f8"), ("b", "i4", (2,))])),
    "three": array(np.ones((2, 3, 4))),
    "columns first": array(np.asfortranarray(np.ones((3, 4)))),
}
STATE_FILES = {str(i): data.json(page_of(now), "").encode() for i, now in enumerate(STATES)}
TABLES = {name: write([[1.0, -2.5], [0.5, 100.25]]).encode() for name, write in PRINTED.items()}
LINKS = {str(i): to_query(State(core=now), View(), Place()) for i, now in enumerate(STATES)}


def is_allowed(now: Settings) -> bool:
    """The settings are those that a hand can make: finite numbers, matrices in their shapes."""
    matrices = {name: s.as_matrix(now, name) for name in TABLE}
    shapes = {name: (len(one), len(one[0])) for name, one in matrices.items() if one is not None}
    values = [value for one in matrices.values() for row in one or () for value in row]
    fits = all(s.shapes(now)[name] == shape for name, shape in shapes.items())
    return fits and all(math.isfinite(value) and abs(value) <= MAX_VALUE for value in values)


def bring(name: str, content: bytes, matrix: str = "x") -> None:
    """Imports the file as Share does; a refusal can be said in both languages."""
    try:
        brought = files.read(name, content, matrix)
        if brought.state is None:
            now = files.with_matrices(Settings(), brought.matrices)
            problems = list(brought.notes)
        else:
            state, _, _, problems = from_query(brought.state)
            now = state.core
        assert is_allowed(now)
        trace_of(now)
    except SettingsError as problem:
        problems = [problem]
    for problem in problems:
        assert all(sentence(Texts(language), problem) for language in LANGUAGES)


@hostile
@given(damaged(ARCHIVES))
def test_damaged_archives(content):
    quietly(lambda: bring("a.npz", content))


@hostile
@given(
    st.sampled_from(sorted(ARCHIVES)),
    st.sampled_from(MEMBERS),
    changes,
    st.sampled_from((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)),
)
def test_archives_with_a_damaged_array(archive, member, todo, method):
    def change(data: bytes) -> bytes:
        for one in todo:
            data = one(data, ARRAYS["texts"])
        return data

    quietly(lambda: bring("a.npz", repacked(ARCHIVES[archive], member, change, method)))


@hostile
@given(damaged(ARRAYS), st.sampled_from([*TABLE]))
def test_damaged_arrays(content, matrix):
    quietly(lambda: bring("a.npy", content, matrix))


@hostile
@given(damaged(STATE_FILES))
def test_damaged_states(content):
    bring("a.json", content)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=12,
)


@hostile
@given(
    st.sampled_from(sorted(STATE_FILES)),
    st.dictionaries(st.sampled_from([*files.LISTS, "mask", "lang"]), values),
)
def test_states_with_other_values(name, entries):
    state = json.loads(STATE_FILES[name])
    state["state"] |= entries
    bring("a.json", json.dumps(state).encode())


@hostile
@given(damaged(TABLES), st.sampled_from([*TABLE]))
def test_damaged_tables(content, matrix):
    bring("a.csv", content, matrix)


@hostile
@given(damaged(TABLES))
def test_damaged_prints(content):
    with contextlib.suppress(Refusal):
        rows, half_unit = your_code.read(content.decode(errors="replace"))[:2]
        assert len({len(row) for row in rows}) == 1 and math.isfinite(half_unit)


@hostile
@given(
    st.sampled_from(sorted(LINKS)), st.dictionaries(st.sampled_from(sorted(LINKS["1"])), changes, max_size=3)
)
def test_damaged_links(name, todo):
    query = dict(LINKS[name])
    for key, some in todo.items():
        part = query.get(key, "1").encode()
        for one in some:
            part = one(part, b"1-1_5_2-3_-1")
        query[key] = part.decode(errors="replace")
    state = from_query(query)[0]
    assert is_allowed(state.core)


PLANS = {
    str(i): handout.write(handout.Plan((handout.stop_of("one_head", link, locked=("x",)),) * (i + 1), "a"))
    for i, link in enumerate(LINKS.values())
}


@hostile
@given(damaged({name: plan.encode() for name, plan in PLANS.items()}))
def test_damaged_plans(content):
    assert is_allowed(from_query({"plan": content.decode(errors="replace")})[0].core)


# ---- what is made to do harm


def archive_of(member: bytes, size: int, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive that says its member x has this size."""
    real, text = (struct.pack("<I", number) for number in (len(member), size))
    return zipped({"x.npy": member}, method).replace(real, text)


LARGE = {
    "numbers": ("a.csv", b"1,2,3,4\n" * 125_000),
    "columns": ("a.csv", b"1," * 500_000),
    "empty cells": ("a.csv", b"1" + b"," * 59_000),
    "one column": ("a.csv", b"1\n" * 500_000),
    "spaces": ("a.txt", b"1 2 3 4\n" * 125_000),
    "print": ("a.txt", b"[1, 2]" * 160_000),
    "nested": ("a.txt", b"[" * 999_999),
    "a field": ("a.csv", b'1,"' + b"x" * 999_000),
    "fields": ("a.csv", b'"",' * 330_000),
    "list": ("a.json", b'{"format": "attention", "state": {"x": [' + b"[1]," * 240_000 + b"[1]]}}"),
    "row": ("a.json", b'{"format": "attention", "state": {"x": [[' + b"1," * 490_000 + b"1]]}}"),
    "tokens": ("a.json", b'{"format": "attention", "state": {"tokens": [' + b'"a",' * 240_000 + b'"b"]}}'),
    "token": ("a.json", b'{"format": "attention", "state": {"tokens": ["' + b"a" * 990_000 + b'"]}}'),
    "digits": ("a.json", b'{"format": "attention", "state": {"x": [[' + b"9" * 990_000 + b"]]}}"),
    "header": ("a.npy", npy(b"{'descr': '<f8', 'shape': " + b"(" * 60_000)),
    "plan": ("a.txt", packed(b"\t\none_head\t\t" + b"," * 15_000_000).encode()),
    "names": ("a.npz", zipped({f"{i:x}": b"" for i in range(9_000)}, zipfile.ZIP_STORED)),
    "names of tokens": ("a.npz", zipped({"tokens.npy": array(np.zeros(990_000, "S1"))})),
    "a record": ("a.json", b'{"answers": {' + b",".join(b'"%x":{}' % i for i in range(5_000)) + b"}}"),
}
TYPES = ("S1", "U1", "S990000", "?", "i1", "f2", "f8", "c16", "V1", "M8[s]")
DEPTHS = (7, 100, 400, 900, 990, 5_000, 300_000)
TEXTS = {
    **{name: write([[1.0, -2.5], [0.5, 100.25]]) for name, write in (PRINTED | test_reading.WRITERS).items()},
    **{name: text for name, (text, _) in test_reading.READ.items()},
    **test_reading.NAMED,
}
X = array(np.ones((3, 4)))


def brought(name: str, content: bytes) -> None:
    """Each reader of files and of pasted texts gets the content, also cut to a length that it reads."""
    quietly(lambda: bring(name, content))
    text = content.decode(errors="replace")
    for most in {len(text), 60_000, 24_000, 5_000} if name.endswith(("csv", "txt", "json")) else ():
        part = text[:most]
        for read in (documents.read, your_code.read, lambda part: files.read_text(part, "x")):
            with contextlib.suppress(Refusal):
                read(part)
        with contextlib.suppress(ValueError):
            handout.read(part)
        progress.read(part, COURSE)
        progress.read_tab(part, COURSE)


def in_archives(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The array alone, as tokens, as a state, and as a weight in a state_dict."""
    yield "a.npy", content
    for name in ("tokens.npy", "state.npy", "h.0.to_q.weight.npy", "wq.npy"):
        yield "a.npz", zipped({name: content, "v.bias.npy": array(np.ones(1)), "x.npy": X})


def arrays() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    voids = {"void": array(np.zeros(3, "V2")), "bytes": array(np.array([b"a"])), "object": npy(b"")}
    for name, content in (ARRAYS | voids).items():
        headers = exaggerated(content[10:].partition(b"\n")[0].decode()) or ["{'descr': '|O'}"]
        yield name, [one for header in headers for one in in_archives(npy(header.encode()))]
    for kind in TYPES:
        count = 990_000 // np.dtype(kind).itemsize
        filled = [np.zeros(shape, kind) for shape in (count, (count, 1), (1, count))]
        yield kind, [one for each in filled for one in in_archives(array(each))]


def archives() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        member = array(np.ones((2, 1))) + b"\0" * (60_000_000 if method else 900_000)
        yield f"method {method}", [("a.npz", archive_of(member, size, method)) for size in (136, 999_000)]
    for name, count in (("{:x}", 9_000), ("h.{}.q.weight.npy", 900), ("x" * 9_000 + "{}.npy", 50)):
        members = {name.format(i): X for i in range(count)}
        yield f"{name[:20]} × {count}", [("a.npz", zipped(members))]
    odd = ("0", "", ".", "..", "1.2", "/", "é", "weight")
    yield "odd names", [("a.npz", zipped({f"{name}.npy": X})) for name in odd]


def states() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    for name, content in STATE_FILES.items():
        yield name, [("a.json", one.encode()) for one in exaggerated(content.decode())]
    for depth in DEPTHS:
        lists, objects = b"[" * depth + b"1" + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth
        half = b"[" * depth + b'"\\ud800"' + b"]" * depth  # half a character
        whole = [b'{"format": "attention", "state": {"x": ' + one + b"}}" for one in (lists, objects, half)]
        yield f"{depth} levels", [("a.json", one[:999_000]) for one in (lists, objects, half, *whole)]


def texts() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    for name, text in TEXTS.items():
        if isinstance(text, str):  # others are files
            yield name, [("a.txt", one.encode()) for one in exaggerated(text)]
    cells = [{"cell_type": "code", "source": [TEXTS["lists"]], "outputs": [{"text": [TEXTS["numpy"]]}]}]
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells})
    yield "a notebook", [("a.ipynb", one.encode()) for one in exaggerated(notebook)]
    for name, file in LARGE.items():
        yield name, [file]


def links() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    for query in LINKS.values():
        for key, value in query.items():
            parts = [query | {key: one} for one in exaggerated(value)]
            yield (
                key,
                [("a.json", json.dumps({"format": "attention", "state": one}).encode()) for one in parts],
            )


FORMATS = {"arrays": arrays, "archives": archives, "states": states, "links": links, "texts": texts}
MOST = 50  # MB more, for any file
SPACE = 1_000_000_000  # bytes more than at the start: the machine goes on if a file takes them


def costs_of(kind: str) -> list[tuple[str, float, float, list[str]]]:
    """Each group of files of that format, its most megabytes and seconds, and what was raised."""
    for file in in_archives(X):
        brought(*file)  # what is loaded and computed once is there from now on
    space = 1_000 * memory("VmSize") + SPACE, resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, space)
    costs = []
    for name, group in FORMATS[kind]():
        raised: list[str] = []
        spent: list[float] = []

        def read(group=group, raised=raised, spent=spent):
            for file in group:

                def one(_, file=file):
                    try:
                        brought(*file)
                    except Exception as problem:
                        raised.append(f"{file[0]} {file[1][:200]!r} {problem!r}")

                spent.append(seconds(one, ""))

        costs.append((f"{len(group)} {kind}: {name}", megabytes(read), max(spent), raised))
    return costs


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux measures memory")
def test_no_file_takes_more_than_its_size_allows():
    """Whatever it says of itself: measured in a process of its own, where nothing else takes memory."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as own:
        costs = [cost for costs in own.map(costs_of, FORMATS) for cost in costs]
    assert not [cost for cost in costs if cost[1] > MOST or cost[2] >= LIMIT or cost[3]]


def test_what_is_refused_by_its_shape_is_not_read_as_numbers(monkeypatch):
    def read(entry):
        raise AssertionError("an entry was read")

    monkeypatch.setattr("pages.model.files.parse_number", read)
    codes = dict.fromkeys(("numbers", "columns", "one column", "spaces", "print"), "text_too_long")
    codes |= dict.fromkeys(("list", "row", "names"), "file_entries")
    for name, code in (codes | {"names of tokens": "too_many_tokens"}).items():
        with pytest.raises(SettingsError) as refused:
            files.read(*LARGE[name], "x")
        assert refused.value.code == code


@pytest.mark.parametrize("shape", ["(9,)", "(200000000,)", "(3, 3)", "(1, 200000000)"])
def test_an_array_whose_entries_are_not_there_is_not_made(shape, monkeypatch):
    """The file has 8 of them."""
    monkeypatch.setattr("numpy.lib.format.read_array", lambda *_, **__: pytest.fail("it was made"))
    with pytest.raises(SettingsError, match="NumPy"):
        files.read(
            "a.npy", npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".encode()), "x"
        )


@pytest.mark.parametrize("kind", ["S0", "U0", "V0", [], [("a", "f8")], "O", "c16", "V2"])
def test_an_array_of_neither_numbers_nor_texts_is_refused_by_its_type(kind):
    with pytest.raises(SettingsError) as refused:
        files.read(
            "a.npy",
            npy(
                f"{{'descr': {np.dtype(kind).descr if isinstance(kind, list) else kind!r}, "
                f"'fortran_order': False, 'shape': (2,)}}".encode()
            ),
            "x",
        )
    assert refused.value.code == "file_type"


# ---- on the page

DEFLATED = repacked(ARCHIVES["0"], "", bytes, zipfile.ZIP_DEFLATED)
BROKEN = {
    "archive": ("a.npz", DEFLATED[:50] + b"\xff" * 9 + DEFLATED[59:]),
    "header": ("a.npy", npy(b"{'descr': '<f8', (")),
    "digits": LARGE["digits"],
    "bytes": ("a.csv", b"1,2\xff\xfe"),
}


@pytest.mark.parametrize(("name", "content"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_read_is_refused_with_a_message(name, content):
    app = unfolded(opened("one_head", "picture"), "share")
    app.file_uploader(key="import_file").set_value((name, content, "application/octet-stream")).run()
    assert not app.exception and len(app.warning) == 1
    assert "could not be read as" in app.warning[0].value
    assert visit(app).settings == Settings() and not visit(app).history.past
