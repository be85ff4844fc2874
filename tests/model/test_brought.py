"""What people bring: texts and files as others write them. Each row is one report."""

import io

import numpy as np
import pytest

from pages.model import edits, files
from pages.model.compute import trace_of
from pages.model.entries import SettingsError
from pages.model.settings import Settings

A, B = [["1", "2"], ["3", "4"]], [["5", "6"], ["7", "8"]]
BOTH = {"w_q": A, "w_k": B}
TEX = r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", r"\begin{bmatrix}5&6\\7&8\end{bmatrix}"
LISTS = "[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]"
APART = [
    r",\quad ",
    r" \qquad ",
    ", ",
    "; ",
    ";",
    " ",
    "   ",
    "\t",
    " | ",
    " / ",
    " & ",
    " + ",
    " - ",
    " · ",
    " × ",
]
APART += [" → ", " and ", ", so ", " und ", ", while ", "，", "。", " 和 ", " ___ ", " (1) "]


def npz(**arrays) -> tuple[str, bytes]:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return "a.npz", file.getvalue()


def npy(array) -> tuple[str, bytes]:
    file = io.BytesIO()
    np.save(file, array)
    return "a.npy", file.getvalue()


def read(content: str | tuple[str, bytes], matrix: str = "x") -> files.Brought:
    if isinstance(content, str):
        return files.read_text(content, matrix)
    return files.read(*content, matrix)


def as_texts(brought: files.Brought) -> dict[str, list[list[str]]]:
    return {
        name: [[f"{float(entry):g}" for entry in row] for row in rows]
        for name, rows in brought.matrices.items()
    }


@pytest.mark.parametrize("between", APART)
@pytest.mark.parametrize("form", ["W_Q = {} W_K = {}", "W_Q: {} W_K: {}", "W_Q {} W_K {}", "wq={} wk={}"])
def test_no_matrix_takes_the_place_of_another_on_its_line(form, between):
    """Whatever is between two matrices: both come, or what comes is right."""
    for first, second in (LISTS, TEX):
        text = form.replace("} W", "}" + between + "W").replace("} w", "}" + between + "w")
        result = as_texts(read(text.format(first, second)))
        assert result.items() <= BOTH.items()
        assert result == BOTH or between in (" (1) ", " · ", " × ", " - ", " + ", " / ")
        assert "=" not in form or result == BOTH or between == " (1) "


BROUGHT = {
    "both names of a chain": ("W_Q = W_K = [[1, 2], [3, 4]]", {"w_q": A, "w_k": A}),
    "a chain that is computed": ("Q = X W_Q = [[9, 9]] · [[1, 2], [3, 4]]\nX = [[1, 2], [3, 4]]", {"x": A}),
    "a chain that ends in a formula": ("W_Q = [[1, 2], [3, 4]] = M", {"w_q": A}),
    "a formula before": ("W_Q = X Y, W_K = [[5, 6], [7, 8]]", {"w_k": B}),
    "a matrix before that is not read": ("W_Q = [1 0; 0 1] and W_K = [[5, 6], [7, 8]]", {"w_k": B}),
    "names in small letters": ("wq = [[1, 2], [3, 4]]\nW_k = [[5, 6], [7, 8]]", BOTH),
    "names of an archive": (npz(W_Q=np.array(A, float), Wk=np.array(B, float)), BOTH),
    "an array and a chosen matrix": (npz(queries=np.array(A, float)), {"x": A}),
    "a matrix of another name": ("M = [[1, 2], [3, 4]]", {"x": A}),
    "rows of tokens": ("the [1, 2]\ncat [3, 4]", {"x": A}),
    "rows of tokens with arrows": ("please → [1, 2]\nstop -> [3, 4]", {"x": A}),
    "rows of tokens with colons": ("the: 1 2\ncat: 3 4", {"x": A}),
    "rows of tokens in a dictionary": ("{'the': [1, 2], 'cat': [3, 4]}", {"x": A}),
    "rows of tokens in JSON": ('{"the": [1, 2], "cat": [3, 4]}', {"x": A}),
    "matrices inside of something else in JSON": (
        '{"head": {"W_Q": [[1, 2], [3, 4]], "W_K": [[5, 6], [7, 8]]}}',
        BOTH,
    ),
    "settings in JSON": ('{"X": [[1, 2], [3, 4]], "d_k": 2, "k": 5, "V": "3"}', {"x": A}),
    "rows of tokens with tabs": ("the\t1\t2\ncat\t3\t4", {"x": A}),
    "columns that count": ("0,1,2\n0.5,1.5,2.5", {"x": [["0.5", "1.5", "2.5"]]}),
    "columns of years": ("2019,2020,2021\n0.5,1.5,2.5", {"x": [["0.5", "1.5", "2.5"]]}),
    "a frame without its index": ("  0   1   2\n0.5 1.5 2.5", {"x": [["0.5", "1.5", "2.5"]]}),
    "no header but numbers": ("0,1,2\n1,0,2", {"x": [["0", "1", "2"], ["1", "0", "2"]]}),
    "an index": ("   a  b\n0  1  2\n1  3  4", {"x": A}),
    "lines of code with numbers": (
        "1  import torch\n2  X = [[1, 2],\n3       [3, 4]]\n4  print(X)",
        {"x": A},
    ),
    "numbers of lines before the code": ("1\n2\n3\nimport torch\nX = [[1, 2], [3, 4]]\nprint(X)", {"x": A}),
    "prompts": (">>> X = np.array([[1, 2],\n...               [3, 4]])\n>>> ", {"x": A}),
    "prompts of notebooks": ("In [3]: X = np.array([[1, 2],\n   ...:               [3, 4]])", {"x": A}),
    "a mask first": ("tensor([[True, False]])\ntensor([[1., 2.], [3., 4.]])", {"x": A}),
    "powers": (r"X = \begin{bmatrix}10^{-2}&2\cdot10^{-3}\end{bmatrix}", {"x": [["0.01", "0.002"]]}),
    "several dimensions": (str(np.ones((2, 2, 2))), {}),
    "several dimensions of an array": (npy(np.ones((2, 2, 2))), {}),
    "one text of a batch": (npy(np.array([A], float)), {"x": A}),
    "several arrays": (npz(first=np.ones((2, 2)), second=np.ones((2, 2))), {}),
    "a tuple of several dimensions": ("(tensor([[[[1.]], [[2.]]]]), tensor([[[[3.]], [[4.]]]]))", {}),
    "an output without weights": ("(tensor([[[1., 2.], [3., 4.]]], grad_fn=<T>), None)", {"x": A}),
    "several layers": ("h.0.wq = [[1, 2], [3, 4]]\nh.1.wq = [[5, 6], [7, 8]]", {"w_q": A}),
}


@pytest.mark.parametrize("case", BROUGHT)
def test_what_is_brought_is_read_as_meant(case):
    content, expected = BROUGHT[case]
    brought = read(content)
    assert as_texts(brought) == expected
    assert expected or len(brought.offers) > 1, "several matrices are a choice"


REFUSED = {
    "R": "m <- matrix(c(1, 2, 3, 4), nrow = 2)",
    "Matlab": "A = [1 2; 3 4];",
    "Julia": "2×2 Matrix{Float64}:\n",
    "numbers in a sentence": "The score is 0.5, and the other one is 0.7.",
    "a print without a number": "tensor([[...],\n        [...]])",
    "a matrix that is not read, and another": "W_Q = [1 0; 0 1] W_K = [[5, 6], [7, 8]]",
    "more matrices than can be shown": str([[[[i]] for i in range(5)]] * 5),
    "settings of JSON alone": '{"lr": 0.5, "K": 5}',
    "a mask alone": "tensor([[True, False], [True, True]])",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_read_is_refused(case):
    with pytest.raises(SettingsError):
        read(REFUSED[case])


@pytest.mark.parametrize(
    "line", ["the 1 2 3", "the 1 2", "the,1,2,3", "the 1, 2, 3", "- the 1 2 3", "X 1 -2 3", "For example 1 2"]
)
def test_a_line_with_a_row_of_numbers_is_read_or_left_out_with_a_word(line):
    for text in ("W_Q = [[1, 2], [3, 4]]\n{}", "{}\n\nW_Q:\n1 2\n3 4", "W_Q,1,2\nW_Q,3,4\n\n{}\n\nThanks!"):
        brought = read(text.format(line))
        assert as_texts(brought)["w_q"] == A
        [*_, note] = brought.notes or [None]
        told = note is not None and note.code in ("text_left", "text_others")
        assert told or len(brought.matrices) == 2, text


@pytest.mark.parametrize("rows", [[[1, 0], [0.25, 0.75]], [[0.2, 0.3, 0.5], [0.33, 0.33, 0.33], [0, 0, 7]]])
def test_attention_weights_are_those_of_the_head(rows):
    brought = read(f"A = {rows}")
    start = edits.with_choice(edits.resize(Settings(), num_heads=2, num_kv_heads=1), mask="causal")
    now = files.with_matrices(start, brought.matrices)
    wanted = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(trace_of(now).heads.weights[0].numpy(), wanted, atol=1e-9)
    assert [note.code for note in brought.notes] == ["text_as_weights"]


@pytest.mark.parametrize("text", ["[[1, 2, 3], [3, 4, 5]]", "[[1, -2], [3, 4]]", "[[0, 0], [3, 4]]"])
def test_what_is_no_matrix_of_attention_weights_is_refused(text):
    with pytest.raises(SettingsError) as refused:
        files.with_matrices(Settings(), read(f"A = {text}").matrices)
    assert refused.value.code == "text_weights"


def test_weights_that_were_computed_from_what_is_there_are_left_out():
    assert list(read("X = [[1, 2], [3, 4]]\nA = [[0.5, 0.5], [0.5, 0.5]]").matrices) == ["x"]


def test_two_matrices_for_one_place_are_refused():
    brought = read(str(np.ones((2, 2, 2))))
    chosen = tuple(offer._replace(target="x") for offer in brought.offers)
    with pytest.raises(SettingsError) as refused:
        files.of_offers(chosen)
    assert refused.value.code == "text_twice"


@pytest.mark.parametrize(
    ("matrices", "sizes"),
    [
        ({"x": np.ones((3, 3))}, {"d_model": 3}),
        ({"w_q": np.ones((4, 2))}, {"d_model": 4, "head_dim": 2}),
        ({"x": np.ones((2, 3)), "w_k": np.ones((3, 2))}, {"d_model": 3, "head_dim": 2}),
    ],
)
def test_sizes_follow_where_they_may(matrices, sizes):
    entries = {name: array.tolist() for name, array in matrices.items()}
    with pytest.raises(SettingsError) as refused:
        files.with_matrices(Settings(), entries)
    assert refused.value.code == "file_shape"
    now = files.with_matrices(Settings(), entries, resize=True)
    assert {name: getattr(now, name) for name in sizes} == sizes
    assert all(np.array(getattr(now, name)).tolist() == rows for name, rows in entries.items())


def test_sizes_that_contradict_each_other_are_refused():
    with pytest.raises(SettingsError) as refused:
        files.with_matrices(Settings(), {"x": [[1, 2, 3]], "w_q": [[1, 2]] * 5}, resize=True)
    assert refused.value.code == "file_shape"
