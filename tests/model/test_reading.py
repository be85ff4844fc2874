"""The reader of text: any common form is read back; what is damaged is refused with the reason."""

import io
import json
import random

import numpy as np
import pytest
import torch

from pages.model import files
from pages.model.entries import SettingsError, parse_number
from pages.model.reading import corrected, read
from pages.model.settings import Settings

W = [[1.5, -2.25, 0.125], [3.0, 4.0, -0.5]]
TWO = [[1.0, 2.0], [3.0, 4.0]]


def numbers(content: str | tuple[str, bytes]) -> dict[str, list[list[float]]]:
    """The numbers that a text or a file brings, by their matrix; without a name they are for X."""
    brought = files.read(*content, "x") if isinstance(content, tuple) else files.read_text(content, "x")
    return {
        name: [[parse_number(entry) for entry in row] for row in rows]
        for name, rows in brought.matrices.items()
    }


# ---- round trips: a writer of each form


def lines(rows: list, mark: str, head: str = "", *, index: bool = False, comma: bool = False) -> str:
    texts = [
        [*([str(i)] if index else []), *(str(entry).replace(".", "," if comma else ".") for entry in row)]
        for i, row in enumerate(rows)
    ]
    return head + "\n".join(map(mark.join, texts)) + "\n"


def heads(rows: list, mark: str) -> str:
    return mark.join(f"c{i}" for i in range(len(rows[0])))


def aligned(rows: list, labels: list[str], columns: list[str]) -> str:
    """Columns of spaces, as pandas and R print them."""
    table = [["", *columns], *([label, *map(str, row)] for label, row in zip(labels, rows, strict=True))]
    return "\n".join(" ".join(cell.rjust(9) for cell in row) for row in table)


def counted(rows: list) -> list[str]:
    return list(map(str, range(len(rows))))


WRITERS = {
    "Python": str,
    "tuples": lambda rows: str(tuple(map(tuple, rows))),
    "lines of lists": lambda rows: "[\n" + "".join(f"    {row},\n" for row in rows) + "]",
    "NumPy": lambda rows: str(np.array(rows)),
    "NumPy repr": lambda rows: repr(np.array(rows)),
    "NumPy objects": lambda rows: repr(np.array(rows, dtype=object)),
    "NumPy code": lambda rows: f"import numpy as np\nM = np.array({rows}, dtype=np.float32)  # a matrix",
    "NumPy scalars": lambda rows: str([[np.float64(entry) for entry in row] for row in rows]),
    "PyTorch": lambda rows: str(torch.tensor(rows, dtype=torch.float64)),
    "PyTorch gradient": lambda rows: str(torch.tensor(rows, requires_grad=True) * 1),
    "PyTorch parameter": lambda rows: str(torch.nn.Parameter(torch.tensor(rows))),
    "PyTorch batch": lambda rows: str(torch.tensor([[rows]])),
    "list of tensors": lambda rows: str([torch.tensor(row) for row in rows]),
    "Out": lambda rows: "Out[3]:\n" + str(torch.tensor(rows)),
    "Out repr": lambda rows: "Out[12]: " + repr(np.array(rows)).replace("\n", "\n         "),
    "console": lambda rows: f">>> M\n{np.array(rows)!r}\n>>> ",
    "JAX": lambda rows: repr(np.array(rows, dtype=np.float32)).replace("array", "Array"),
    "JSON": json.dumps,
    "JSON object": lambda rows: json.dumps({"X": rows}, indent=2),
    "JSON records": lambda rows: json.dumps(
        [{f"c{i}": entry for i, entry in enumerate(row)} for row in rows]
    ),
    "JSON columns": lambda rows: json.dumps(
        {f"c{i}": {str(r): row[i] for r, row in enumerate(rows)} for i in range(len(rows[0]))}
    ),
    "JSON split": lambda rows: json.dumps(
        {"columns": heads(rows, " ").split(), "index": list(range(len(rows))), "data": rows}
    ),
    "CSV": lambda rows: lines(rows, ","),
    "CSV with spaces": lambda rows: lines(rows, ", "),
    "CSV with ends": lambda rows: lines(rows, ",").replace("\n", ",\n"),
    "CSV, BOM, CRLF": lambda rows: "\ufeff" + lines(rows, ",").replace("\n", "\r\n"),
    "CSV with a head": lambda rows: lines(rows, ",", heads(rows, ",") + "\n"),
    "CSV of pandas": lambda rows: lines(rows, ",", f",{heads(rows, ',')}\n", index=True),
    "CSV of pandas, counted": lambda rows: lines(rows, ",", f",{','.join(counted(rows[0]))}\n", index=True),
    "CSV with an id": lambda rows: lines(rows, ",", f"id,{heads(rows, ',')}\n", index=True),
    "CSV of Germany": lambda rows: lines(rows, ";", comma=True),
    "CSV of Germany, pandas": lambda rows: lines(rows, ";", f";{heads(rows, ';')}\n", index=True, comma=True),
    "CSV quoted": lambda rows: "\n".join(",".join(f'"{entry}"' for entry in row) for row in rows),
    "tabs": lambda rows: lines(rows, "\t"),
    "tabs with decimal commas": lambda rows: lines(rows, "\t", comma=True),
    "spaces": lambda rows: lines(rows, "  "),
    "savetxt": lambda rows: saved(rows),
    "spaces with decimal commas": lambda rows: lines(rows, " ", comma=True),
    "pandas": lambda rows: aligned(rows, counted(rows), heads(rows, " ").split()),
    "pandas with names": lambda rows: aligned(rows, [f"w{i}" for i in range(len(rows))], counted(rows[0])),
    "pandas in prose": lambda rows: (
        f"My frame, of lecture 3:\n\n{WRITERS['pandas'](rows)}\n\n[2 rows x 3 columns]\n\nThanks!"
    ),
    "LaTeX": lambda rows: (
        r"$$\mathbf{X} = \begin{bmatrix} "
        + r" \\ ".join(" & ".join(map(str, row)) for row in rows)
        + r" \end{bmatrix}$$"
    ),
    "LaTeX array": lambda rows: (
        r"\left(\begin{array}{ccc}"
        + "\\\\[2pt]\n".join(" & ".join(map(str, row)) for row in rows)
        + r"\end{array}\right)"
    ),
    "Markdown": lambda rows: bars(rows, heads(rows, " ").split()),
    "Markdown of pandas": lambda rows: bars(
        [[i, *row] for i, row in enumerate(rows)], ["", *counted(rows[0])]
    ),
    "full width": lambda rows: (
        str(rows).replace(",", "，").replace("-", "−").replace("[", "［").replace("]", "］")
    ),
    "UTF-16": lambda rows: ("a.txt", lines(rows, "\t").encode("utf-16")),
    "JSON file": lambda rows: ("a.json", json.dumps(rows).encode()),
}


def bars(rows: list, columns: list[str]) -> str:
    """A table with bars between its cells."""
    table = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in table)


def saved(rows: list) -> str:
    file = io.StringIO()
    np.savetxt(file, rows, header="numbers")
    return file.getvalue()


def matrix(chance: random.Random, height: int, width: int) -> list[list[float]]:
    """Quarters, with at least one that is not whole, so that no column counts by chance."""
    rows = [[chance.randint(-40, 40) / 4 for _ in range(width)] for _ in range(height)]
    rows[0][0], rows[-1][-1] = 0.25, -9.75
    return rows


@pytest.mark.parametrize("form", WRITERS)
def test_what_is_written_is_read_back(form):
    chance = random.Random(form)
    for height, width in ((2, 3), (3, 2), (5, 4), (2, 7)):
        rows = matrix(chance, height, width)
        assert list(numbers(WRITERS[form](rows)).values()) == [rows]


# ---- single cases

READ = {
    "exponents": ("1e-3 2E+2\n-0 .5", [[0.001, 200], [0, 0.5]]),
    "a decimal comma and spaces": ("1,5 2,5 3 4\n5 6 7 8", [[1.5, 2.5, 3, 4], [5, 6, 7, 8]]),
    "an end": ("1,2,3,4,\n", [[1, 2, 3, 4]]),
    "a column": ("[[1], [2], [3]]", [[1], [2], [3]]),
    "a column of lines": ("1\n2\n3", [[1], [2], [3]]),
    "a series": ("0    1.5\n1    3.0\ndtype: float64", [[1.5], [3]]),
    "percent": ("50% 25%", [[0.5, 0.25]]),
    "without brackets": ("1 2; 3 4", TWO),
    "empty lines": ("  1   2  \n\n  3   4  \n", TWO),
    "a wrapped vector": (
        "[1.1111111 2.2222222 3.3333333 4.4444444 5.5555555 6.6666666\n 7.7777777 8.8888888]",
        [[1.1111111, 2.2222222, 3.3333333, 4.4444444, 5.5555555, 6.6666666, 7.7777777, 8.8888888]],
    ),
    "a name of the index": ("      a     b\nid\n0   1.5  2.5\n1   3.0  4.0", [[1.5, 2.5], [3, 4]]),
    "a size first": ("torch.Size([2, 2])\ntensor([[1., 2.],\n        [3., 4.]])", TWO),
    "lists in lines": ("[1, 2]\n[3, 4]", TWO),
    "bullets": ("X:\n  - [1, 2]\n  - [3, 4]", TWO),
    "heads of two words": ("     my col  b\n0  1.5  2.5\n1  3.0  4.0", [[1.5, 2.5], [3, 4]]),
    "prose around": ("In 2017, 3 of us wrote:\n\n1 2\n3 4\n\nSee page 12.", TWO),
}
NAMED = {
    "assignments": "W_Q = [[1, 2], [3, 4]]\nprint(W_Q)\nW_K = np.array([[1., 2.],\n      [3., 4.]])",
    "a dictionary": "{'w_q': tensor([[1., 2.],\n    [3., 4.]]), 'w_k': tensor([[1., 2.], [3., 4.]])}",
    "an ordered one": (
        "OrderedDict([('w_q', tensor([[1., 2.],\n    [3., 4.]])), ('w_k', tensor([[1., 2.], [3., 4.]]))])"
    ),
    "JSON": '{"W_Q": [[1, 2], [3, 4]], "W_K": [[1, 2], [3, 4]], "mask": "causal"}',
    "headings": "### W_Q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n### W_K\n\n1 2\n3 4",
    "a sentence": "The query weights W_Q are [[1, 2], [3, 4]], and W_K is [[1, 2], [3, 4]].",
    "CSV": "W_Q,1,2\nW_Q,3,4\nW_K,1,2\nW_K,3,4",
    "LaTeX": (
        r"$W_Q = \begin{pmatrix}1&2\\3&4\end{pmatrix}, \quad W_K = \begin{pmatrix}1&2\\3&4\end{pmatrix}$"
    ),
    "Chinese": "查询权重矩阵 W_Q 为 [[1, 2], [3, 4]]。键权重矩阵：\n[[1, 2], [3, 4]]",
}
REFUSED = {
    "a long print": (str(torch.arange(2000.0).reshape(500, 4)), "text_shortened"),
    "a long print of NumPy": ("[[0. 1. 2. 3.]\n ...\n [8. 9. 1. 2.]]", "text_shortened"),
    "a wide print": ("[[0. 1. ... 2. 3.]\n [8. 9. ... 1. 2.]]", "text_shortened"),
    "a long frame": ("      a    b\n0   1.5  2.0\n..  ...  ...\n9   3.0  4.0", "text_shortened"),
    "a wide frame": ("      a  ...    b\n0   1.5  ...  2.0\n1   3.0  ...  4.0\n", "text_shortened"),
    "a factor of LaTeX": (r"\frac{1}{2} \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", "text_not_read"),
    "LaTeX with dots": (r"\begin{pmatrix} 1 & \cdots & 2 \\ 3 & \cdots & 4 \end{pmatrix}", "text_shortened"),
    "cut in a row": ("tensor([[1.0, 2.0],\n        [3.0, 4.0],\n        [5.0,", "text_cut"),
    "cut after a row": ("tensor([[1.0, 2.0],\n        [3.0, 4.0],\n", "text_cut"),
    "cut before the end": ("[[1.0, 2.0],\n        [3.0, 4.0]", "text_cut"),
    "cut, then prose": ("[[1.0, 2.0],\n        [3.0, 4.0],\n\nThe rest is missing.", "text_cut"),
    "cut at its beginning": ("1.0, 2.0],\n [3.0, 4.0]])", "text_cut"),
    "JSON that is cut": ('{"X": [[1.0, 2.0], [3.0,', "text_cut"),
    "rows of CSV": ("1,2\n3,4\n5", "file_uneven"),
    "rows of spaces": ("1 2\n3 4\n5", "file_uneven"),
    "rows of lists": ("[[1, 2, 3], [4, 5]]", "file_uneven"),
    "rows of JSON": ('{"X": [[1, 2], [3]]}', "file_uneven"),
    "nan": ("[[nan, 1], [2, 3]]", "not_a_number"),
    "an empty cell": ("a,b\n1,\n3,4", "not_a_number"),
    "missing in pandas": ("     a    b\n0  1.0  NaN\n1  3.0  4.0", "not_a_number"),
    "complex": ("[[1+2j, 1], [2, 3]]", "not_a_number"),
    "truth": ("tensor([[ True, False],\n        [ True,  True]])", "not_a_number"),
    "a word": ("1 2 3 four", "not_a_number"),
    "a word in CSV": ("1,2\n3,x", "not_a_number"),
    "a comma": ("1,234\t2,345", "text_comma"),
    "a transpose": ("torch.tensor([[1, 2], [3, 4]]).T", "text_not_read"),
    "a factor": ("0.5 * [[1, 2], [3, 4]]", "text_not_read"),
    "a sum": ("[[1, 2], [3, 4]] + [[1, 0], [0, 1]]", "text_not_read"),
    "no numbers": ("Attention is all you need.", "file_empty"),
    "a checkpoint": (("a.pt", b"PK\x03\x04 archive/data.pkl"), "file_kind"),
    "a sheet": (("a.csv", b"PK\x03\x04 xl/workbook.xml"), "file_kind"),
    "bytes": (("a.csv", b"\x00\x01\x02"), "file_unreadable"),
}


@pytest.mark.parametrize("case", READ)
def test_a_text_is_read_as_meant(case):
    text, rows = READ[case]
    assert numbers(text) == {"x": rows}


@pytest.mark.parametrize("case", NAMED)
def test_names_say_which_matrix_is_meant(case):
    assert numbers(NAMED[case]) == {"w_q": TWO, "w_k": TWO}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_as_meant_is_refused_with_the_reason(case):
    content, code = REFUSED[case]
    with pytest.raises(SettingsError) as refused:
        files.with_matrices(
            Settings(),
            files.read(*content, "x").matrices
            if isinstance(content, tuple)
            else files.read_text(content, "x").matrices,
        )
    assert refused.value.code == code


def test_what_was_left_out_is_named():
    for text, notes in (
        (WRITERS["CSV of pandas"](W), {"file_header": "c0, c1, c2", "file_labels": ("0", "1")}),
        (str(torch.tensor([W])), {"text_batch": 1}),
        ("W_Q = [[1]]\nM = [[1, 2]]", {"text_others": ("M",)}),
    ):
        assert {
            note.code: next(iter(note.facts.values())) for note in files.read_text(text, "x").notes
        } == notes


def test_a_matrix_that_is_printed_again_is_kept_apart():
    first, other = read("X = [[1, 2]]\nX = [[1, 2]]\nX:\n1 2\n3 5").tables
    assert [table.is_first for table in (first, other)] == [True, False]


def test_a_matrix_can_be_corrected():
    [table] = read("X = [[1, 2], [3, 4]]").tables
    assert corrected(table, "1  2\n3  5,5").rows == (("1", "2"), ("3", "5.5"))
    for wrong in ("", "1 2\n3", "1 2\n3 x"):
        with pytest.raises(SettingsError):
            corrected(table, wrong)


def test_names_of_bytes_are_texts():
    file = io.BytesIO()
    np.savez(file, x=np.ones((2, 4)), tokens=np.array([b"the", "猫".encode()]))
    brought = files.read("a.npz", file.getvalue(), "x")
    assert files.with_matrices(Settings(), brought.matrices).tokens == ("the", "猫")


NOTE = """# 完整计算过程

- 序列长度：2个词 ["我", "爱"]

X = [[ 1.0,  0.5],    # "我"的嵌入向量
     [ 0.3,  1.2]]    # "爱"的嵌入向量

**计算Q = X × W_Q (2×2)：**

```
Q[0] = X[0] × W_Q = [1.0, 0.5] × W_Q = [1.14, 0.57]
Q[1] = X[1] × W_Q = [0.3, 1.2] × W_Q = [0.51, 1.58]
```

QK^T[0,0] = Q[0] · K[0] = [1.14,0.57] · [0.93,0.58]
          = 1.14×0.93 + 0.57×0.58 = 2.29
QK^T[0,1] = 2.69
QK^T[1,0] = 2.05，QK^T[1,1] = 3.84

d_k = 4，所以 √d_k = 2

**第1行 (我)：**
输入: [1.15, 1.35]
exp值: [3.16, 3.86]
总和: 3.16 + 3.86 = 7.02
softmax: [3.16/7.02, 3.86/7.02] = [0.45, 0.55]

**第2行 (爱)：**
exp值: [2.80, 6.82]
总和: 9.62
softmax: [0.29, 0.71]

输出: tensor([[-0.2697,  0.2697],
              [-0.1618,  0.3392]])
"""


def test_a_note_gives_the_matrices_that_it_prints_and_says_what_it_leaves_out():
    reading = read(NOTE)
    assert {
        table.step: [" ".join(row) for row in table.rows] for table in reading.tables if table.is_first
    } == {
        "x": ["1.0 0.5", "0.3 1.2"],
        "query": ["1.14 0.57", "0.51 1.58"],
        "scores": ["2.29 2.69", "2.05 3.84"],
        "exponentials": ["3.16 3.86", "2.80 6.82"],
        "sums": ["7.02", "9.62"],
        "weights": ["0.45 0.55", "0.29 0.71"],
        "output": ["-0.2697 0.2697", "-0.1618 0.3392"],
    }
    assert reading.d_k == 4 and ("我", "爱") in reading.tokens
    assert reading.left == ("X: 1.15 1.35",)
