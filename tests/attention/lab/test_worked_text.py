"""Reading what people paste: three forms, one document; what does not fit is refused with its reason."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.lab.worked_audit import audit
from attention.lab.worked_document import Block, Document, of_notes
from attention.lab.worked_reader import CODES, MAX_LENGTH, NAMES, SYMBOLS, DocumentError
from attention.lab.worked_text import decoded, read, written

FORMS = {
    "matrix": "Q = [[1.14, 0.57], [0.51, 1.58]]\nK = [[1, 0], [0, 1]]\nS = [[1.14, 0.57], [0.51, 1.58]]",
    "lines": """
        Q = [[1.14, 0.57],   # first token
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
    "marks": "\ufeff**Q** = [[1.14，0.57]，[0.51，1.58]]\n$K$ = [[1, 0], [0, 1]]\n"
    "S = [[1.14, 0.57], [0.51, 1.58]]",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_document(form):
    document, _ = read(FORMS[form])
    numbers = (("1.14", "0.57"), ("0.51", "1.58"))
    assert [one.rows for one in document.blocks] == [numbers, (("1", "0"), ("0", "1")), numbers]
    assert audit(document).off == 0


def test_digits_are_kept_as_printed():
    for text in ("scaled = 2.0 1.50\nA = .60 0.4", '{"scaled": [2.0, 1.50], "A": [[".60", 0.4]]}'):
        document, _ = read(text)
        assert [one.rows for one in document.blocks] == [(("2.0", "1.50"),), ((".60", "0.4"),)]


def test_formulas_and_prose_are_skipped_and_prose_with_numbers_is_told():
    text = "Q = X @ W_Q\nAttention(Q, K, V) = softmax(QK^T/√d_k)V\nscaled = 1 0\nA = 0.73 0.27\nα_11 is 0.25"
    document, skipped = read(text)
    assert [one.step for one in document.blocks] == ["scaled_scores", "weights"] and skipped == (
        "α_11 is 0.25",
    )


def test_tokens_percent_minus_and_blanks():
    text = "tokens: 我 爱\nd_k = 4\nS = −2.0 0.0; 1 1\nA = 27% 73%; - ?"
    document, _ = read(text)
    assert document.tokens == ("我", "爱") and document.d_k == 4
    assert document.block("scores").rows[0] == ("-2.0", "0.0")
    assert document.block("weights").rows[1] == ("-", "-")
    assert audit(document).off == 0 and len(audit(document).lines) == 2


def test_sums_may_stand_in_one_row():
    document, _ = read("exp = 3 1; 2 2\nsum = 4, 4")
    assert document.block("sums").rows == (("4",), ("4",))


REFUSED = {
    "too_long": "Q = 1\n" * MAX_LENGTH,
    "not_json": '{"Q": [[1, 2]',
    "json_shape": '{"Q": "many"}',
    "unknown_name": "Q,1,2\nfoo,1,2",
    "nothing_found": "Attention is all you need.",
    "not_a_number": "Q = [[1.0, 2,0x]]",
    "too_large": "Q = [[1e9]]",
    "too_big": "Q = " + " ".join(["1"] * 17),
    "ragged": "Q = [[1, 2], [3]]",
    "index": "Q[0] = [[1, 2], [3, 4]]",
    "twice": "Q[0] = [1, 2]\nQ = [[1, 3]]",
    "shape": "Q = [[1, 2]]\nK = [[1, 2]]\nS = [[1, 2]]",
    "incomplete": "Q = 1 -\nK = 1 1\nS = 2",
    "not_positive": "exp = 1 -1\nA = 0.5 0.5",
    "d_k": "d_k = none\nQ = 1",
    "d_k_missing": "S = 1 2\nA = 0.3 0.7",
    "d_k_differs": "d_k = 3\nQ = 1 2\nK = 1 2\nS = 5",
    "tokens": "tokens: a b c\nQ = 1\nK = 1\nS = 1",
    "nothing_to_check": "Q = 1 2\nV = 3 4",
}


def test_every_refusal_has_a_case():
    assert set(REFUSED) == set(CODES) - {"not_text"}


@pytest.mark.parametrize("code", REFUSED)
def test_what_does_not_fit_is_refused_with_its_reason(code):
    with pytest.raises(DocumentError) as refused:
        read(REFUSED[code])
    assert refused.value.code == code and set(refused.value.facts) == set(CODES[code])


@pytest.mark.parametrize(("data", "code"), [(b"\xff\xfe\x00", "not_text"), (b"Q" * 100_000, "too_long")])
def test_a_file_that_is_no_text_is_refused(data, code):
    with pytest.raises(DocumentError) as refused:
        decoded(data)
    assert refused.value.code == code
    assert decoded("\ufeffQ = 1".encode()) == "Q = 1"


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
    with pytest.raises(DocumentError):
        read(text)


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_is_read_or_refused(text):
    for one in (text, "Q = " + text, "{" + text, "Q," + text, json.dumps({"Q": text})):
        with contextlib.suppress(DocumentError):
            read(one)


@pytest.mark.parametrize("name", ["cats", "three_scores"])
def test_what_is_written_is_read_back(name):
    note = of_notes()[name]
    blocks = tuple(Block(one.step, one.rows) for one in note.blocks if one.step != "parts")
    document = Document(blocks, note.tokens, 4 if name == "cats" else None)
    assert read(written(document))[0] == document


def test_every_name_means_one_step():
    names = [name for several in NAMES.values() for name in several]
    assert len(names) == len(set(names)) and set(SYMBOLS) == set(NAMES)
