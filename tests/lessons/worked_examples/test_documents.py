"""Reading what people paste: three forms, one document; what does not fit is refused with its reason."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import Block, Document, of_notes
from pages.lessons.worked_examples.documents import CODES, DocumentError, read, skipped, tables_of, written
from pages.lessons.worked_examples.settings import MAX_DOCUMENT
from pages.model.entries import Refusal, SettingsError
from pages.model.reading.names import NAMES, SYMBOLS, NamedPlace, place_of

FORMS = {
    "matrix": "Q = [[1.14, 0.57], [0.51, 1.58]]\nK = [[1, 0], [0, 1]]\nS = [[1.14, 0.57], [0.51, 1.58]]",
    "lines": """
        Q = [[1.14, 0.57],   # first token
             # and the second, 9
             [0.51, 1.58]]
        so far the projections
        K:
        1 0
        0 1

        QK^T = Q · K^T = [[1.14, 0.57],
                          [0.51, 1.58]]""",
    "semicolons": "Q = 1.14 0.57; 0.51 1.58\nK = 1 0; 0 1\nscores = 1.14 0.57; 0.51 1.58",
    "rows": """
        Q[0] = X[0] × W_Q = [1.0, 0.5] × W_Q = [1.14, 0.57]
        Q[1] = [0.51, 1.58]
        K = tensor([[1, 0], [0, 1]], dtype=torch.float64)
        S[0,0] = Q[0] · K[0]
               = 1.14×1 + 0.57×0 = 1.14
        S[0,1] = 0.57
        S[1,0] = 0.51
        S[1,1] = 1.58
        Q = [[1.14, 0.57], [0.51, 1.58]]""",
    "csv": "Q,1.14,0.57\nQ,0.51,1.58\nK,1,0\nK,0,1\nS,1.14,0.57\nS,0.51,1.58\n",
    "tabs": "Q\t1.14\t0.57\nQ\t0.51\t1.58\nK\t1\t0\nK\t0\t1\nS\t1.14\t0.57\nS\t0.51\t1.58",
    "json": '{"Q": [[1.14, 0.57], [0.51, 1.58]], "K": [[1, 0], [0, 1]], "S": [[1.14, 0.57], [0.51, 1.58]]}',
    "table": """
        **Query matrix (Q)**

        | Token | d1 | d2 |
        |:------|---:|---:|
        | **The** | **1.14** | 0.57 |
        | cat | 0.51 | 1.58 |

        ### Step 2: Keys

        | | 1 | 2 |
        |---|---|---|
        | The | 1 | 0 |
        | cat | 0 | 1 |

        | QKᵀ | The | cat |
        |---|---|---|
        | The | 1,14 | 0,57 |
        | cat | 0,51 | 1,58 |""",
    "table without headings": """
        Q:
        | 1.14 | 0.57 |
        |------|------|
        | 0.51 | 1.58 |

        K = [[1, 0], [0, 1]], and the raw attention scores are [[1.14, 0.57], [0.51, 1.58]].""",
    "columns": """
        | Token | Query | Key |
        |---|---|---|
        | The | [1.14, 0.57] | [1, 0] |
        | cat | (0.51, 1.58) | (0, 1) |

        **Scores:**
        - The: [1.14, 0.57]
        - cat: [0.51, 1.58]""",
    "named rows": """
        | | 1 | 2 |
        |---|---|---|
        | q₁ | 1.14 | 0.57 |
        | q₂ | 0.51 | 1.58 |
        | k_1 | 1 | 0 |
        | k_2 | 0 | 1 |

        s_11 = q_1 · k_1 = 1.14, s_12 = 0.57, then s_21 = 0.51 and s_22 ≈ 1.58.""",
    "latex": r"""
        1. Queries:
        $$
        Q = X W_Q = \begin{bmatrix}
        1.14 & 0.57 \\
        0.51 & 1.58
        \end{bmatrix}, \quad
        \mathbf{K} = \left(\begin{array}{cc} 1 & 0 \\[4pt] 0 & 1 \end{array}\right)
        $$
        \[ \text{Scores} = QK^\top \approx \begin{pmatrix} 1,14 & 0{,}57 \\ 0.51 & 1.58 \end{pmatrix} \]""",
    "latex as it is copied": r"""
        [
        Q = \begin{bmatrix} 1.14 & 0.57 \ 0.51 & 1.58 \end{bmatrix}
        ]
        [ K^T = \begin{matrix} 1 & 0 \ 0 & 1 \end{matrix} ]
        $s_{1} = \begin{bmatrix} 1.14 \\ 0.57 \end{bmatrix}$, $s_{2} = (0.51, 1.58)$""",
    "counted from 0": "q_0 = [1.14, 0.57], q_1 = [0.51, 1.58]\nk_0 = [1, 0]; k_1 = [0, 1]\n"
    "s_00 = 1.14, s_01 = 0.57, s_10 = 0.51, s_11 = 1.58",
    "prints": """
        ```python
        Queries:
         tensor([[1.14, 0.57],
                [0.51, 1.58]], dtype=torch.float64, grad_fn=<MmBackward0>)
        ```
        Key = array([[1, 0],
               [0, 1]])
        attention scores: tensor([[1.14, 0.57], [0.51, 1.58]], device='cuda:0')""",
    "console": ">>> Q\narray([[1.14, 0.57],\n       [0.51, 1.58]])\n>>> print(keys)\n[[1 0]\n [0 1]]\n"
    ">>> scores\ntensor([[1.14, 0.57],\n        [0.51, 1.58]])",
    "chinese": """
        第一步：查询矩阵 Q

        | 词元 | 1 | 2 |
        |---|---|---|
        | 我 | 1.14 | 0.57 |
        | 爱 | 0.51 | 1.58 |

        键矩阵 K 为 [[1, 0], [0, 1]]。注意力分数（QKᵀ）：[[1.14, 0.57], [0.51, 1.58]]""",
    "fenced json": '```json\n{"Queries": [[1.14, 0.57], [0.51, 1.58]], "K": [[1, 0], [0, 1]], '
    '"attention_scores": [[1.14, 0.57], [0.51, 1.58]]}\n```',
    "marks": "\ufeff**Q** = [[1.14，0.57]，[0.51，1.58]]\n$K$ = [[1, 0], [0, 1]]\n"
    "S = [[1.14, 0.57], [0.51, 1.58]]",
}


def told(text: str) -> tuple[str, ...]:
    """What is left out of a text."""
    return skipped(tables_of(text))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_document(form):
    document = read(FORMS[form])
    numbers = (("1.14", "0.57"), ("0.51", "1.58"))
    assert [one.rows for one in document.blocks] == [numbers, (("1", "0"), ("0", "1")), numbers]
    assert audit(document).off_count == 0


@pytest.mark.parametrize(
    ("step", "names"),
    {
        "x": ("Input embeddings", "输入矩阵 X", "词嵌入"),
        "w_q": ("W_{Q}", "W^Q", "Query weight matrix W_Q", "查询权重矩阵"),
        "query": ("**Queries**", "Query vectors (Q)", "查询 Q", "X W_Q", "Q (3 × 2)"),
        "key": ("Key matrix", "键", "`K`"),
        "value": ("Values (V)", "值向量"),
        "scores": ("Raw attention scores", "Scores (QK^T)", "Q @ K.T", "注意力分数", "原始分数（缩放前）"),
        "scaled_scores": (
            *("Scaled scores", "scores (scaled)", "Scores (QK^T / √d_k)", "QK^T/sqrt(2)", "Scores (÷ √2)"),
            *("缩放后的分数", "缩放后的注意力分数矩阵", "S/√d_k"),
        ),
        "weights": (
            *("Attention Weights (A)", "attention_weights", "softmax output", "softmax(QK^T/√d_k)", "α"),
            *("Attention weights (rows: queries, columns: keys)", "注意力权重", "softmax 的结果", "A:"),
        ),
        "output": ("Context vectors", "A·V", "Attention(Q, K, V)", "softmax(QKᵀ/√d_k) V", "输出（A·V）", "z"),
    }.items(),
)
def test_names_in_words_and_formulas_mean_a_step(step, names):
    assert [place_of(name) for name in names] == [NamedPlace(step)] * len(names)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "masked scores",
            "Scores (before softmax)",
            "weights (head 1)",
            "注意力权重（头 2）",
            "Q_1 and K_1",
        ),
        *("softmax([2.0, 1.0])", "Q and K", "weight matrix", "权重矩阵", "Token 1", "Step 2", "W_1", "V^T"),
    ],
)
def test_a_name_that_may_mean_something_else_means_nothing(name):
    assert place_of(name) is None


def test_blanks_for_what_is_not_named_fractions_and_tokens_from_headings():
    text = """
        | Q | 1 |
        |---|---|
        | a | √2 |
        | b | 1/2 |

        | K | 1 |
        |---|---|
        | the | 1 |
        | cat | -√2/2 |

        A_2 = [70%, 30%]
        s_12 = -1"""
    document = read(text)
    assert document.tokens == ("the", "cat") and not told(text)
    assert document.block("query").rows == (("√2",), ("1/2",))
    assert document.block("weights").rows == (("-", "-"), ("70%", "30%"))
    assert document.block("scores").rows == (("-", "-1"), ("-", "-"))
    assert audit(document).inputs == ("query", "key")
    assert [line.verdict for line in audit(document).lines] == ["right"] * 3


def test_a_column_of_sums_is_the_sums_of_exponentials_and_left_out_elsewhere():
    table = (
        "| {} | a | b | Sum |\n|---|---|---|---|\n| a | 3 | 1 | 4 |\n| b | 2 | 2 | 4 |\n\nA = 0.75 0.25; - -"
    )
    document = read(table.format("exp"))
    assert document.block("sums").rows == (("4",), ("4",)) and not told(table.format("exp"))
    assert document.block("exponentials").rows == (("3", "1"), ("2", "2"))
    scaled = table.format("scaled scores")
    assert read(scaled).block("sums") is None
    assert [note.facts for note in tables_of(scaled).tables[0].notes if note.code == "text_totals"] == [
        {"name": "Sum"}
    ]


# What could be taken for the numbers of the step it names, or of the step before it, and is neither.
NOT_UNDERSTOOD = [
    "S = 1/√2 [[9, 9], [9, 9]]",
    "S = [[9, 9], [9, 9]] [[1, 0], [0, 1]]",
    "S = [[9, 9], [9, 9]] / 2",
    "Q = [[9, 9], [9, 9]]^T",
    "Q_1 = [[9, 9], [9, 9]]",
    "Then the masked scores S = [[9, 9], [9, 9]]",
    "Scores (before softmax): [[9, 9], [9, 9]]",
    "Scores:\nDividing by 3 gives\n[[9, 9], [9, 9]]",
    "Scores\n\n## A heading\n[[9, 9], [9, 9]]",
    "X W_K W_Q = [[9, 9], [9, 9]]",
    "| Key | Score | Weight |\n|---|---|---|\n| k1 | 9 | 9 |\n| k2 | 9 | 9 |",
    "| | a | b |\n|---|---|---|\n| a | 9 | 9 |\n| b | 9 | 9 |",
    "Scores\n| | a | b |\n|---|---|---|\n| a | 9 | nine |",
    "Scores: 9 for each of them",
    "Scores for token 1\n| | a | b |\n|---|---|---|\n| a | 9 | 9 |\n| b | 9 | 9 |",
]


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_told_and_not_read(text):
    text = f"Q = 1 0; 0 1\nK = 1 0; 0 1\n{text}\n\nA = 0.67 0.33; 0.33 0.67"
    document = read(text)
    assert [one.step for one in document.blocks] == ["query", "key", "weights"]
    assert not any("9" in entry for one in document.blocks for row in one.rows for entry in row)
    assert any("9" in line for line in told(text))


def test_numbers_in_a_comment_are_neither_read_nor_told():
    text = "# S = [[9, 9]]\n## Q: 9 9\nQ = 1 0  # was 9 9\n# a note: 9\nK = 1 0\nS = 1"
    document = read(text)
    assert document.block("query").rows == (("1", "0"),) and document.block("scores").rows == (("1",),)
    assert not told(text)


def test_digits_are_kept_as_printed():
    for text in ("scaled = 2.0 1.50\nA = .60 0.4", '{"scaled": [2.0, 1.50], "A": [[".60", 0.4]]}'):
        document = read(text)
        assert [one.rows for one in document.blocks] == [(("2.0", "1.50"),), ((".60", "0.4"),)]


def test_formulas_and_prose_are_ignored_and_printed_numbers_in_prose_are_told():
    text = (
        "Q = X @ W_Q\nAttention(Q, K, V) = softmax(QK^T/√d_k)V\nscaled = 1 0\nA = 0.73 0.27\nsee page 3, 0.25"
    )
    assert [block.step for block in read(text).blocks] == ["scaled_scores", "weights"]
    assert told(text) == ("see page 3, 0.25",)


def test_tokens_percent_minus_and_blanks():
    text = "tokens: 我 爱\nd_k = 4\nS = −2.0 0.0; 1 1\nA = 27% 73%; - ?"
    document = read(text)
    assert document.tokens == ("我", "爱") and document.d_k == 4
    assert document.block("scores").rows[0] == ("-2.0", "0.0")
    assert document.block("weights").rows[1] == ("-", "-")
    assert audit(document).off_count == 0 and len(audit(document).lines) == 2


def test_sums_may_stand_in_one_row():
    document = read("exp = 3 1; 2 2\nsum = 4, 4")
    assert document.block("sums").rows == (("4",), ("4",))


REFUSED = {
    "too_long": "Q = 1\n" * MAX_DOCUMENT,
    "nothing_found": "Attention is all you need.",
    "not_a_number": "Q = [[1.0, nan]]",
    "too_large": "Q = [[1e9]]",
    "too_big": "Q = " + " ".join(["1"] * 17),
    "not_causal": "S = [[-inf, 1], [2, 3]]\nA = 1 1",
    "shape": "Q = [[1, 2]]\nK = [[1, 2]]\nS = [[1, 2]]",
    "incomplete": "Q = 1 -\nK = 1 1\nS = 2",
    "not_positive": "exp = 1 -1\nA = 0.5 0.5",
    "d_k_missing": "S = 1 2\nscaled = 0.5 1",
    "nothing_to_check": "Q = 1 2\nV = 3 4",
}
FAULTS = {
    "not_a_number": "Q = [[1.0, 2,0x]]",
    "file_uneven": "Q = [[1, 2], [3]]",
    "text_shortened": "Q = [[1, ..., 2]]\nK = [[1, 2], [3, 4]]",
    "text_cut": "Q = [[1, 2],\n [3,",
}


def test_every_refusal_has_a_case():
    assert set(REFUSED) == set(CODES)


@pytest.mark.parametrize("code", REFUSED)
def test_what_does_not_fit_is_refused_with_its_reason(code):
    with pytest.raises(DocumentError) as refused:
        read(REFUSED[code])
    assert refused.value.code == code and set(refused.value.facts) == set(CODES[code])


@pytest.mark.parametrize("code", FAULTS)
def test_what_is_damaged_is_refused_only_if_nothing_else_can_be_checked(code):
    with pytest.raises(SettingsError) as refused:
        read(FAULTS[code])
    assert refused.value.code == code
    rest = read(f"{FAULTS[code]}\n\nscaled = 1 0\nA = 0.73 0.27")
    assert {"scaled_scores", "weights"} <= {block.step for block in rest.blocks}


@pytest.mark.parametrize(
    "text",
    [
        "[[[[",
        "Q[99999999999999] = [1]",
        "{}",
        "[]",
        "\x00",
        "Q = [" * 2000,
        '{"Q":[[[1]]]}',
        '{"Q":[[true]]}',
        '{"Q":[]}',
        '{"Q":[[]]}',
        '{"tokens":[{}],"Q":[[1]]}',
        "Q = []",
        "tokens:",
    ],
)
def test_odd_input_is_refused_and_raises_nothing_else(text):
    with pytest.raises(Refusal):
        read(text)


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_text_is_read_or_refused(text):
    for one in (text, "Q = " + text, "{" + text, "Q," + text, json.dumps({"Q": text})):
        with contextlib.suppress(Refusal):
            read(one)


@pytest.mark.parametrize("name", ["cats", "three_scores"])
def test_what_is_written_is_read_back(name):
    note = of_notes()[name]
    blocks = tuple(Block(one.step, one.rows) for one in note.blocks if one.step != "parts")
    document = Document(blocks, note.tokens, 4 if name == "cats" else None)
    assert read(written(document)) == document


def test_every_name_means_one_step():
    names = [name for several in NAMES.values() for name in several]
    assert len(names) == len(set(names)) and set(SYMBOLS) == set(NAMES)
