"""Every file that leaves the app: run or read again, it gives the core's numbers."""

import contextlib
import io
import itertools
import json
import subprocess
import sys
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention.multi_head import BEFORE_SCORES
from pages.draw import steps
from pages.draw.texts import Texts
from pages.hand.export import FORMATS, data, notebook, script, worksheet
from pages.model import edits, files
from pages.model.compute import cross_trace_of, trace_of
from pages.model.languages import LANGUAGES
from pages.model.link import LONGEST, to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.shell import frame
from tests.support.course import LESSONS, from_query, lesson
from tests.support.programs import ROOT
from tests.support.random_settings import drawn
from tests.support.screen import as_written, offered_files, opened, said, unfolded, visit
from tests.support.states import many_numbers
from tests.support.worksheets import page_of

NAMES = ("query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "output")
SOME = (Settings(), edits.resize(Settings(), num_heads=2), *map(drawn, range(30)))
LINK = "https://example.org/one_head?lang=en"
seeds = st.integers(0, 10**6)


def run(text: str) -> tuple[dict, str]:
    """The variables of a program, and what it prints."""
    known, printed = {}, io.StringIO()
    before = torch.get_default_dtype()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "exported", "exec"), known)
    finally:
        torch.set_default_dtype(before)
        torch.set_printoptions(profile="default")
    return known, printed.getvalue()


def core(now: Settings, crosses: bool = False) -> dict[str, np.ndarray]:
    """The steps that every computation has, from the core itself; of one head without its dimension."""
    trace = cross_trace_of(now) if crosses else trace_of(now)
    results = {name: getattr(trace.heads, name) for name in NAMES}
    if now.num_heads == 1:
        results = {name: tensor[0] for name, tensor in results.items()}
    results["output"] = trace.output
    forms = [name for name in BEFORE_SCORES if getattr(trace, name) is not None]
    if forms:  # what the queries and keys were before is compared in the other test
        del results["query"], results["key"]
    return {name: tensor.numpy() for name, tensor in results.items()}


def alike(got, wanted) -> bool:
    got = np.asarray(got)
    return got.shape == wanted.shape and np.allclose(got, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["one_head", "cross_attention"])
def test_scripts_that_are_run_and_arrays_have_the_numbers_of_the_screen(name):
    for now in SOME:
        page, wanted = page_of(now, name), core(now, lesson(name).crosses)
        listed = data.arrays(steps.of_lesson(page)).keys()
        for make in (script.numpy, script.pytorch):
            text = make(page, LINK)
            known, printed = run(text)
            for step, numbers in wanted.items():
                assert alike(known[step], numbers), (step, text)
            assert all(f"{step} (" in printed for step in listed & known["steps"].keys())
            assert LINK in text and "import streamlit" not in text
        with np.load(io.BytesIO(data.npz(page, "")), allow_pickle=False) as file:
            assert set(known["steps"]) <= set(file.files)
            for step, numbers in (known["steps"] | wanted).items():
                assert alike(numbers, file[step]), step
            assert file["tokens"].tolist() == list(now.tokens)


@pytest.mark.parametrize("make", [script.pytorch, script.numpy])
def test_a_script_says_what_the_columns_of_x_mean(make):
    now = edits.example_start("tired")
    known, _ = run(make(page_of(now), ""))
    assert any(now.dimensions) and known["dimensions"] == list(now.dimensions)


def test_short_enough_to_be_read():
    assert len(script.pytorch(page_of(Settings()), LINK).splitlines()) < 70


# In a process of its own: the client's event loop does not get along with that of a browser's tests.
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=120).execute()
nbformat.write(book, sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seed", [3, 8])
def test_the_notebook_runs_from_top_to_bottom(language, seed, tmp_path):
    now = drawn(seed)
    book = nbformat.reads(notebook.notebook(page_of(now, language=language), LINK), as_version=4)
    book.cells.append(nbformat.v4.new_code_cell("print(weights.tolist())\nprint(output.tolist())"))
    path = tmp_path / "book.ipynb"
    nbformat.write(book, path)
    subprocess.run([sys.executable, "-c", EXECUTE, str(path)], cwd=tmp_path, check=True)
    book = nbformat.read(path, as_version=4)
    weights, output = (
        json.loads(line.replace("nan", "NaN")) for line in book.cells[-1].outputs[0].text.splitlines()
    )
    assert alike(weights, core(now)["weights"]) and alike(output, core(now)["output"])
    pictures = [
        out for cell in book.cells for out in cell.get("outputs", []) if "image/png" in out.get("data", {})
    ]
    assert len(pictures) == len(steps.of_lesson(page_of(now)).rows)
    assert not any("Glyph" in str(out) for cell in book.cells for out in cell.get("outputs", []))


@pytest.mark.parametrize("name", LESSONS)
def test_every_notebook_is_valid(name):
    for now, language in zip(SOME[:10], itertools.cycle(LANGUAGES), strict=False):
        book = nbformat.reads(notebook.notebook(page_of(now, name, language), LINK), as_version=4)
        nbformat.validate(book)
        assert Texts(language, name)("lesson.title") in book.cells[0].source


# ---- and back


@given(seeds)
def test_the_state_comes_back_from_its_file(seed):
    state = State(core=drawn(seed)).having(lesson("softmax").own(temperature=0.5))
    page = page_of(state)
    query = files.read_state(data.json(page, LINK).encode())
    result, _, _, problems = from_query(query)
    assert not problems
    # Numbers are kept as links keep them.
    assert result == from_query(to_query(state, page.view, page.place))[0]


def matrices(now: Settings) -> dict[str, list]:
    names = ("x", "w_q", "w_k", "w_v", *(("w_o",) if now.num_heads > 1 else ()))
    return {name: [list(row) for row in getattr(now, name)] for name in names}


@given(seeds, seeds)
def test_the_arrays_come_back_into_another_state_with_as_many_heads(seed, other):
    now, start = drawn(seed), drawn(other)
    start = edits.resize(start, d_model=now.d_model, d_k=3, d_v=2, num_heads=now.num_heads, num_kv_heads=None)
    start = edits.resize(start, num_kv_heads=now.num_kv_heads)
    page = page_of(now)
    file = io.BytesIO()
    np.savez(file, **data.arrays(steps.of_lesson(page)))
    brought = files.read("a.npz", file.getvalue(), "x")
    result = files.with_matrices(start, brought.matrices)
    assert [note.code for note in brought.notes] == ["file_others"]
    assert result.tokens == now.tokens
    for name, rows in matrices(now).items():
        np.testing.assert_allclose(getattr(result, name), rows, rtol=1e-11)


@given(seeds, seeds)
def test_the_arrays_that_were_exported_bring_back_the_whole_state(seed, other):
    """Heads, masks and a lesson's own numbers as well."""
    state = State(core=drawn(seed)).having(lesson("softmax").own(temperature=0.5))
    page = page_of(state)
    content = data.npz(page, LINK)
    result, _, _, problems = from_query(files.read("a.npz", content, "x").state)
    assert not problems
    assert result == from_query(to_query(state, page.view, page.place))[0]


def test_an_array_that_was_changed_since_its_export_counts():
    with np.load(io.BytesIO(data.npz(page_of(SOME[1]), LINK))) as file:
        results = dict(file) | {"x": np.full((3, 4), 7.0), "tokens": np.array(["a", "b", "c"])}
    content = io.BytesIO()
    np.savez(content, **results)
    now = from_query(files.read("a.npz", content.getvalue(), "x").state)[0].core
    assert now.x == ((7.0,) * 4,) * 3 and now.tokens == ("a", "b", "c") and now.num_heads == 2


def saved(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def single(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "code", "facts"),
    [
        ("a.npy", single(np.ones((30, 3, 4))), "file_dimensions", {"count": 3, "shape": "30 × 3 × 4"}),
        ("a.npy", single(np.ones((300, 300))), "file_size", {"rows": 300, "room_rows": 12, "room_cols": 16}),
        ("a.csv", b"1,2,3\n" * 300, "file_size", {"rows": 300, "cols": 3}),
        ("a.txt", str(np.ones((30, 2, 4))).encode(), "text_too_many", {"limit": 24}),
        ("a.npz", saved(K=np.array(["a"]), V=np.array("b")), "file_names", {"names": ("K", "V")}),
        ("a.npz", saved(w_q=np.ones((17, 4))), "file_size", {"name": "w_q", "rows": 17, "room_rows": 16}),
        ("a.npy", single(np.ones((0, 4))), "file_empty", {}),
    ],
)
def test_what_no_matrix_can_be_is_named_with_what_is_allowed(name, content, code, facts):
    with pytest.raises(files.SettingsError) as refused:
        files.read(name, content, "x")
    assert refused.value.code == code and facts.items() <= refused.value.facts.items()


@pytest.mark.parametrize(
    ("name", "content", "notes"),
    [
        ("a.csv", b"a,b,c,d\n1,2,3,4", {"file_header": "a, b, c, d"}),
        ("a.csv", b",p,q\nx,1,2\ny,3,4", {"file_header": "p, q", "file_labels": ("x", "y")}),
        ("a.csv", b"1,2\n3,4", {}),
        ("a.npz", saved(x=np.ones((3, 4)), mask=np.ones((3, 3))), {"file_others": ("mask",)}),
    ],
)
def test_what_is_left_out_is_named(name, content, notes):
    result = files.read(name, content, "x").notes
    assert {note.code: next(iter(note.facts.values())) for note in result} == notes


W = np.arange(6.0).reshape(2, 3)  # (out, in)
AS_LINEAR = {"file_linear": ("h.0.q_proj.weight",)}


@pytest.mark.parametrize(
    ("name", "content", "matrices", "notes"),
    [
        ("a.npz", saved(**{"h.0.q_proj.weight": W, "h.0.q_proj.bias": W[0, :2]}),
         {"w_q": W.T, "b_q": W[:1, :2]}, AS_LINEAR),
        ("a.npz", saved(**{"c_attn.weight": np.hstack([np.eye(2), W[:, :2], W[:, 1:]])}),
         {"w_q": np.eye(2), "w_k": W[:, :2], "w_v": W[:, 1:]}, {}),
        ("a.npz", saved(in_proj_weight=np.vstack([W, 2 * W, 3 * W]), x=W, K=W),
         {"x": W, "w_q": W.T, "w_k": 2 * W.T, "w_v": 3 * W.T},
         {"file_linear": ("in_proj_weight",), "file_others": ("K",)}),
        ("a.npz", saved(**{"q_proj.weight": np.ones((2, 2, 2)), "x": W}), {"x": W},
         {"file_others": ("q_proj.weight",)}),
        ("a.txt", f"h.0.q_proj.weight Parameter containing:\n{torch.tensor(W)}".encode(), {"w_q": W.T},
         AS_LINEAR),
        ("a.txt", f"OrderedDict([('h.0.q_proj.weight', {torch.tensor(W)})])".encode(), {"w_q": W.T},
         AS_LINEAR),
        ("a.txt", b'{"h.0.q_proj.weight": [[0, 1, 2], [3, 4, 5]]}', {"w_q": W.T}, AS_LINEAR),
        ("a.txt", b"q_proj.bias = tensor([0., 1.])", {"b_q": W[:1, :2]}, {}),
    ],
)  # fmt: skip
def test_weights_by_the_names_of_a_state_dict_are_transposed_where_they_are_out_in(
    name, content, matrices, notes
):
    brought = files.read(name, content, "x")
    assert brought.matrices.keys() == matrices.keys()
    for key, rows in matrices.items():
        np.testing.assert_array_equal(np.array(brought.matrices[key], dtype=float), rows)
    assert {note.code: note.facts["names"] for note in brought.notes} == notes


PRINTED = {
    "torch": lambda rows: str(torch.tensor(rows)),
    "torch float64": lambda rows: repr(torch.tensor(rows, dtype=torch.float64, requires_grad=True)),
    "numpy": lambda rows: str(np.array(rows)),
    "numpy repr": lambda rows: repr(np.array(rows, dtype=np.float32)),
    "lists": lambda rows: str(rows),
    "csv": lambda rows: "\n".join(",".join(map(str, row)) for row in rows),
    "csv with ;": lambda rows: "\n".join(";".join(map(str, row)).replace(".", ",") for row in rows),
    "tabs": lambda rows: "\n".join("\t".join(map(str, row)) for row in rows),
    "spaces": lambda rows: "\n".join(" ".join(map(str, row)) for row in rows),
    "csv with names": lambda rows: (
        ",1,2,3,4\r\n" + "\r\n".join(f'"t{i}, x",' + ",".join(map(str, row)) for i, row in enumerate(rows))
    ),
    "csv with a head": lambda rows: "a,b,c,d\n" + "\n".join(",".join(map(str, row)) for row in rows),
}


@pytest.mark.parametrize("write", PRINTED.values(), ids=PRINTED)
def test_printed_numbers_are_read(write):
    rows = [[1.0, -2.5, 0.125, 3.0], [0.5, 100.25, -0.75, 1e-3], [0.0, 7.0, 8.0, -9.5]]
    result = files.with_matrices(Settings(), files.read_text(write(rows), "x").matrices)
    np.testing.assert_allclose(result.x, rows, atol=1e-4)


@pytest.mark.parametrize(
    ("matrix", "text", "code"),
    [
        ("x", "", "file_empty"),
        ("x", "[[1, 2, 3, 4], [1, 2]]", "file_uneven"),
        ("w_q", "1 2\n3 4", "file_shape"),
        ("x", "1 2 3 four", "not_a_number"),
        ("x", "[[1, 2, ..., 4]]", "text_shortened"),
        ("x", "[[nan, 2, 3, 4]]", "not_a_number"),
        ("x", "\n".join(["1 2 3 4"] * 13), "file_size"),
        ("w_q", "1 2 3 4000000000", "too_large"),
        ("q", "1", "unknown_choice"),
    ],
)
def test_what_does_not_fit_is_refused(matrix, text, code):
    with pytest.raises(files.SettingsError) as refused:
        files.with_matrices(Settings(), files.read_text(text, matrix).matrices)
    assert refused.value.code == code


def claims(shape: tuple) -> bytes:
    """A short NPY file that says it has this shape."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue() + b"\0" * 80


def pickled() -> bytes:
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return file.getvalue()


def bomb() -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, x=np.zeros((3000, 3000)))
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [claims((10**9, 10**9)), claims((10**6,)), pickled(), bomb(), b"", b"PK\x03\x04", b"\x93NUMPY\x09"],
)
def test_a_file_of_a_stranger_is_refused(content):
    for name in ("a.npz", "a.npy"):
        with pytest.raises(files.SettingsError):
            files.with_matrices(Settings(), files.read(name, content, "x").matrices)


@pytest.mark.parametrize(
    "content",
    ["[]", "{", "{}", '{"format": "attention", "state": []}', '{"format": "attention", "state": {"x": 1}}'],
)
def test_json_that_is_no_state_is_refused(content):
    with pytest.raises(files.SettingsError):
        files.read_state(content.encode())


# ---- on the page


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_offers_every_format(name):
    app = unfolded(opened(name, lesson(name).parts[0].name, language="zh"), "share")
    assert {f"export_{one.name}" for one in FORMATS if one.module} <= offered_files(app).keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_that_are_too_many_for_a_link_are_offered_as_a_file(language, monkeypatch):
    app = unfolded(opened("one_head", "picture", many_numbers(12), language=language), "share")
    text = as_written(Texts(language)("share.too_long", limit=LONGEST))
    assert text in said(app) and {"export_json", "export_npz"} <= offered_files(app).keys()
    assert "copy_link" not in str([one.proto.component_name for one in app.get("bidi_component")])
    monkeypatch.setattr(worksheet, "make", lambda page, blank, address: address)
    for now, has_link in ((many_numbers(12), False), (Settings(), True)):
        visit(app).state = State(core=now)
        page, link = frame._to_share("one_head", visit(app), "http://class/one_head")
        on_paper = worksheet.of_choices(page, "http://class/one_head?lang=en", worksheet.Wanted(link=True))
        assert bool(link) == bool(on_paper) == has_link


def test_no_file_has_an_address_that_streamlit_forgets():
    """While other visitors work: see pages/draw/saving.py."""
    scripts = [
        path for path in (ROOT / "pages").rglob("*.py") if "st.download_button(" in path.read_text("utf-8")
    ]
    assert scripts == []


def test_text_is_taken_over_and_can_be_undone():
    app = unfolded(opened("one_head", "picture"), "share")
    app.text_area(key="import_text").set_value("[[1, 2, 3, 4], [5, 6, 7, 8]]").run()
    app.button(key="import_take").click().run()
    now = app.session_state["visit"].settings
    assert now.x == ((1, 2, 3, 4), (5, 6, 7, 8)) and len(now.tokens) == 2
    app.button(key="undo").click().run()
    assert app.session_state["visit"].settings == Settings()


def boxes(app) -> dict[str, Any]:
    """The matrices that were read, by their labels."""
    return {box.label.replace("\\", ""): box for box in app.checkbox if box.key.startswith("reading-")}


def test_what_was_read_is_seen_corrected_and_left_out_before_it_is_used():
    app = unfolded(opened("one_head", "picture"), "share")
    app.text_area(key="import_text").set_value(f"X = {[[1, 2, 3, 4]] * 3}\n\nW_Q:\n,a\n0,1\n1,2").run()
    assert list(boxes(app)) == ["X (3 × 4)", "W_Q (2 × 1)"]
    assert any("“0” and “1”" in caption.value for caption in app.caption)
    assert app.session_state["visit"].settings == Settings()
    boxes(app)["W_Q (2 × 1)"].uncheck().run()
    numbers = next(area for area in app.text_area if area.key.endswith("rows-0"))
    numbers.set_value(numbers.value.replace("4", "5", 1)).run()
    assert app.session_state["visit"].settings == Settings()
    app.button(key="import_take").click().run()
    assert app.session_state["visit"].settings.x == ((1, 2, 3, 5), (1, 2, 3, 4), (1, 2, 3, 4))
    assert app.session_state["visit"].settings.w_q == Settings().w_q


def test_an_old_problem_goes_when_a_new_text_comes_and_a_text_that_does_not_fit_stays():
    app = unfolded(opened("one_head", "picture"), "share")
    app.file_uploader(key="import_file").set_value(("a.csv", b"1,2\n3", "")).run()
    assert "Row 2 has 1 number" in app.warning[0].value
    app.text_area(key="import_text").set_value("[[1, 2, ..., 4]]").run()
    assert ["shortened" in warning.value for warning in app.warning] == [True]
    app.text_area(key="import_text").set_value("1 2 3 4\n5 6 7 8").run()
    assert not app.warning and len(boxes(app)) == 1
    app.text_area(key="import_text").set_value("1 2\n3 4").run()
    app.button(key="import_take").click().run()
    assert "is 2 × 2 in the file" in app.warning[0].value
    assert app.text_area(key="import_text").value == "1 2\n3 4"
    assert app.session_state["visit"].settings == Settings()


def test_one_matrix_of_several_is_chosen_and_sizes_can_follow_it():
    app = unfolded(opened("one_head", "picture"), "share")
    app.text_area(key="import_text").set_value("[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]").run()
    assert not any(box.value for box in boxes(app).values()) and app.button(key="import_take").disabled
    list(boxes(app).values())[1].check().run()
    app.checkbox(key="import_resize").check().run()
    app.button(key="import_take").click().run()
    assert app.session_state["visit"].settings.x == ((5, 6), (7, 8)) and not app.exception
    app.button(key="undo").click().run()
    assert app.session_state["visit"].settings == Settings()


def test_attention_weights_are_shown_by_the_head():
    app = unfolded(opened("one_head", "picture"), "share")
    app.text_area(key="import_text").set_value("A = [[0.75, 0.25], [0.5, 0.5]]").run()
    assert list(boxes(app)) == ["A (2 × 2)"]
    app.button(key="import_take").click().run()
    weights = trace_of(app.session_state["visit"].settings).heads.weights[0]
    np.testing.assert_allclose(weights.numpy(), [[0.75, 0.25], [0.5, 0.5]], atol=1e-9)


def test_entries_of_a_file_that_cannot_be_read_are_named_and_the_rest_is_taken():
    now = edits.with_choice(edits.resize(Settings(), num_heads=2), mask="causal")
    state = json.loads(data.json(page_of(now), ""))
    state["state"] |= {"nonsense": "1", "scaling": "sideways", "x": [[1, 2]]}
    app = unfolded(opened("one_head", "picture"), "share")
    file = ("state.json", json.dumps(state).encode(), "application/json")
    app.file_uploader(key="import_file").set_value(file).run()
    app.button(key="import_take").click().run()
    [warning] = app.warning
    assert warning.value.split(": ")[1].startswith("“nonsense”, “x”, and “scaling”")
    assert app.session_state["visit"].settings == now


def test_an_archive_brings_heads_and_mask_and_a_header_is_said():
    now = edits.with_choice(edits.resize(Settings(), num_heads=2), mask="causal")
    app = unfolded(opened("one_head", "picture", language="zh"), "share")
    app.file_uploader(key="import_file").set_value(("a.npz", data.npz(page_of(now), ""), "")).run()
    app.button(key="import_take").click().run()
    assert app.session_state["visit"].settings == now and not app.warning
    app.text_area(key="import_text").set_value("a,b,c,d\n1,2,3,4").run()
    app.button(key="import_take").click().run()
    assert app.session_state["visit"].settings.x == ((1, 2, 3, 4),)
    assert "a, b, c, d" in app.warning[0].value and not app.exception


def test_a_lesson_without_matrices_of_the_settings_takes_a_whole_state_only():
    app = unfolded(opened("transformer", "train_model"), "share")
    assert not [box for box in app.selectbox if box.key == "import_matrix"] and not app.text_area
    app.file_uploader(key="import_file").set_value(("a.csv", b"1,2\n3,4", "")).run()
    assert app.button(key="import_take").disabled and "exported here" in app.warning[0].value
    own = lesson("transformer").own(blocks=2)
    file = ("state.json", data.json(page_of(State().having(own), "transformer"), "").encode(), "")
    app.file_uploader(key="import_file").set_value(file).run()
    app.button(key="import_take").click().run()
    assert app.session_state["visit"].state.of(type(own)) == own and not app.exception
    assert [name for name in LESSONS if not lesson(name).has_matrices] == ["transformer"]


def test_what_is_in_share_is_drawn_from_its_first_opening_on():
    app = opened("one_head", "picture")
    assert not offered_files(app)
    unfolded(app, "share").text_area(key="import_text").set_value("1 2\n3 4").run()
    app.session_state["share"] = False
    assert app.run().text_area(key="import_text").value == "1 2\n3 4"
