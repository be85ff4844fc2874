"""Damaged and hostile files, texts and links: each is read, or refused with a reason. Nothing else is raised.

HOSTILE_CASES in the environment sets how many cases there are. The cases are the same in every run.
"""

import contextlib
import io
import json
import math
import os
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.draw.messages import sentence
from pages.draw.texts import Texts
from pages.hand.export import data
from pages.lessons.practice import printed
from pages.model import files, handout
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
from tests.hostile.damage import changes, damaged, npy, quietly, repacked
from tests.hostile.growth import LIMIT, seconds
from tests.support.course import from_query
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
        rows, half_unit = printed.read(content.decode(errors="replace"))[:2]
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
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("x.npy", member)
    real, text = (struct.pack("<I", number) for number in (len(member), size))
    return file.getvalue().replace(real, text)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_unpacks_to_no_more_than_it_says(method):
    """It says 136 bytes and has 16 MB."""
    content = archive_of(array(np.ones((2, 1))) + b"\0" * 16_000_000, 136, method)
    assert len(content) < 70_000
    tracemalloc.start()
    with contextlib.suppress(SettingsError):
        files.read("a.npz", content, "x")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4_000_000


LARGE = {
    "numbers": ("a.csv", b"1,2,3,4\n" * 125_000),
    "columns": ("a.csv", b"1," * 500_000),
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
}


@pytest.mark.parametrize(("name", "content"), LARGE.values(), ids=LARGE)
def test_the_largest_files_are_refused_at_once(name, content):
    assert seconds(lambda _: bring(name, content), "") < LIMIT
    bring(name, content)


def test_what_is_refused_by_its_shape_is_not_read_as_numbers(monkeypatch):
    def read(entry):
        raise AssertionError("an entry was read")

    monkeypatch.setattr("pages.model.files.parse_number", read)
    codes = dict.fromkeys(("numbers", "columns", "one column", "spaces", "print"), "text_too_long")
    for name, code in (codes | {"list": "file_not_ours", "row": "file_size"}).items():
        with pytest.raises(SettingsError) as refused:
            files.read(*LARGE[name], "x")
        assert refused.value.code == code


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
