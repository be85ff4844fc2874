"""Right numbers are never accused: without scaling, with a named divisor, with a causal mask."""

import math

import pytest
import torch

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.worked_examples.audit import USUAL, Convention, audit, judged
from attention.lab.worked_examples.document import number
from pages.draw.texts import Texts
from pages.lessons.worked_examples.documents import DocumentError, read, written
from pages.lessons.worked_examples.opening import settings_of
from pages.model.compute import trace_of
from tests.support.screen import LANGUAGES, opened, said

QUERY = torch.tensor([[2.0, -1.5], [0.25, 1.0], [-1.0, 0.5]], dtype=torch.float64)
KEY = torch.tensor([[1.0, 0.5], [-2.0, 1.25], [0.5, -0.75]], dtype=torch.float64)
VALUE = torch.tensor([[1.0, 10.0], [2.0, 0.0], [3.0, 5.0]], dtype=torch.float64)
CASES = {
    "usual": ("", math.sqrt(2), False, USUAL),
    "a named width that is not used": ("d_k = 64", math.sqrt(2), False, USUAL),
    "unscaled": ("", 1, False, Convention(1.0)),
    "unscaled, as the text says": ("d_k = 1", 1, False, Convention(1.0)),
    "a named width": ("d_k = 64", 8, False, Convention(8.0)),
    "a named divisor": ("divisor = 3", 3, False, Convention(3.0)),
    "a named decimal": ("divisor: 1.5", 1.5, False, Convention(1.5)),
    "a named decimal with a comma": ("除数 = 1,5", 1.5, False, Convention(1.5)),
    "a root that was rounded": ("√d_k = 1.73", math.sqrt(3), False, Convention(math.sqrt(3))),
    "a named root": ("√d_k = 8", 8, False, Convention(8.0)),
    "causal": ("", math.sqrt(2), True, Convention(None, True)),
    "causal, unscaled": ("", 1, True, Convention(1.0, True)),
    "causal, with a named width": ("d_k = 64", 8, True, Convention(8.0, True)),
}


def printed(named: str, divisor: float, causal: bool, *steps: str) -> str:
    """An example as notes print it, with three decimals."""
    mask = causal_mask(3) if causal else None
    trace = scaled_dot_product_attention(QUERY, KEY, VALUE, scale=1 / divisor, mask=mask)
    matrices = {"Q": QUERY, "K": KEY, "V": VALUE, "S": trace.scores, "scaled": trace.scaled_scores}
    matrices |= {"A": trace.weights, "O": trace.output}
    lines = [
        f"{name} = {[[round(entry, 3) for entry in row] for row in matrices[name].tolist()]}"
        for name in steps or matrices
    ]
    return "\n".join([named, *lines])


@pytest.mark.parametrize("steps", [(), ("Q", "K", "V", "A", "O"), ("Q", "K", "S", "A")], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_right_numbers_are_right_and_how_they_follow_is_found(case, steps):
    named, divisor, causal, convention = CASES[case]
    document = read(printed(named, divisor, causal, *steps))
    outcome = judged(document)
    assert outcome.convention == convention and outcome.off_count == 0 and outcome.lines
    assert convention == USUAL or audit(document).off_count
    settings = settings_of(document, outcome.convention)
    trace = trace_of(settings).heads
    expected = torch.tensor([[float(entry) for entry in row] for row in document["weights"].rows])
    torch.testing.assert_close(trace.weights[0].float(), expected, rtol=0, atol=6e-4)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", ["usual", "a named decimal", "causal"])
def test_scores_may_be_printed_after_scaling(case, language):
    named, divisor, causal, convention = CASES[case]
    text = printed(named, divisor, causal, "Q", "K", "V", "scaled", "A").replace("scaled =", "scores =")
    outcome = judged(read(text))
    assert outcome.convention == convention and outcome.off_count == 0 and outcome.of("scaled_scores")
    app = opened("worked_examples", "own", language=language, document=text)
    assert Texts(language, "worked_examples")("follows.scaled") in said(app) and not app.exception
    wrong = judged(read(text.replace("scores = [[", "scores = [[9")))
    assert wrong.of("scores") and wrong.count("wrong")


def test_a_wrong_number_is_still_wrong():
    text = printed("", 1, False).replace("A = [[0.", "A = [[0.9")
    outcome = judged(read(text))
    assert outcome.convention == USUAL and outcome.off_count


def test_only_square_weights_follow_with_a_causal_mask():
    document = read("Q = 1 0; 0 1\nK = 1 0; 0 1; 1 1\nA = 1.0 0.0 0.0; 0.330 0.670 0.0")
    assert judged(document).convention == USUAL and not judged(document).follows


# ---- scores that are printed as masked

SIGNS = ("-inf", "−∞", "float('-inf')", "-np.inf", "-1e9", "-1.0000e+09", "-10000")
A = {1: [[1, 0], [0.378, 0.622]], math.sqrt(2): [[1, 0], [0.413, 0.587]]}
MASKED = {
    "scores": ("S = [[0.5, {}], [1, 1.5]]", "Q = [[0.5, 1.0], [1, 1.5]]\nK = [[1, 0], [0, 1]]", None),
    "masked scores": ("Masked scores:\n[[0.5, {}], [1, 1.5]]\n", "", None),
    "掩码后": ("掩码后的分数 = [[0.5, {}], [1, 1.5]]", "", None),
    "scaled scores": ("scaled = [[0.5, {}], [1, 1.5]]", "", None),
    "scores that are not scaled": ("S = [[0.5, {}], [1, 1.5]]", "", None),
    "unscaled": ("S = [[0.5, {}], [1, 1.5]]", "Q = [[0.5, 1.0], [1, 1.5]]\nK = [[1, 0], [0, 1]]", 1.0),
}


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("case", MASKED)
def test_scores_that_are_printed_as_masked_follow_with_a_causal_mask(case, sign):
    scores, others, divisor = MASKED[case]
    weights = A[math.sqrt(2) if others and divisor is None else 1]
    document = read(f"{others}\n{scores.format(sign)}\nA = {weights}\nV = [[1, 2], [3, 4]]")
    outcome = judged(document)
    assert outcome.convention == Convention(divisor, True) and outcome.off_count == 0
    assert outcome.count("right") == len(outcome.lines) >= 4
    assert judged(read(written(document))) == outcome
    expected = torch.tensor(weights, dtype=torch.float64)
    shown = trace_of(settings_of(document, outcome.convention)).heads.weights[0]
    torch.testing.assert_close(shown.double(), expected, rtol=0, atol=6e-4)


def test_numbers_that_follow_from_rounded_scores_follow_with_the_mask():
    query = "Q = 0.9 0 0; 1.2 1.8 0.7; 0 0 0\nK = 1 0 0; 0 1 0; 0 0 1\n"
    weights = "scaled = 0.5 0 0; 0.7 1.0 0.4; 0 0 0\nA = 1.0 0.0 0.0; 0.426 0.574 0.0; 0.333 0.333 0.333"
    document = read(query + weights)
    outcome = judged(document)
    assert outcome.convention == Convention(causal=True) and outcome.count("rounded") == 2
    assert outcome.off_count == 2


def test_masked_scores_of_latex_and_tables_are_read():
    rows = [("0.5", "-inf"), ("1", "1.5")]
    for text in (
        r"S = \begin{bmatrix} 0.5 & -\infty \\ 1 & 1.5 \end{bmatrix}",
        "Scores\n\n| | a | b |\n|---|---|---|\n| a | 0.5 | −∞ |\n| b | 1 | 1.5 |",
        "S = tensor([[ 5.0000e-01,        -inf],\n        [ 1.0000e+00,  1.5000e+00]])",
        '{"S": [[0.5, -Infinity], [1, 1.5]], "A": [[1, 0], [0.378, 0.622]]}',
    ):
        document = read(text if text.startswith("{") else text + "\n\nA = [[1, 0], [0.378, 0.622]]")
        block = document["scaled_scores"].rows
        assert [[number(entry) for entry in row] for row in block] == [list(map(float, row)) for row in rows]


@pytest.mark.parametrize(
    "scores", ["[[-inf, 1], [1, 2]]", "[[1, 2], [-inf, 1]]", "[[1, -inf, 2], [1, 1, -inf]]"]
)
def test_another_mask_is_refused_with_its_reason(scores):
    with pytest.raises(DocumentError) as refused:
        read(f"S = {scores}\nA = [[0.5, 0.5]]")
    assert refused.value.code == "not_causal"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_number_next_to_a_mask_is_judged_with_it(language):
    document = "scaled = [[0.5, -inf], [1, 1.5]]\nA = [[1, 0], [0.5, 0.622]]"
    app = opened("worked_examples", "own", language=language, document=document)
    t = Texts(language, "worked_examples")
    assert t("follows.masked") in said(app) and t("follows.causal") not in said(app)
    assert judged(read(document)).count("wrong") == 1 and not app.exception


def test_scores_alone_say_that_they_are_masked():
    document = read("Q = [[1, 2], [1, 1]]\nK = [[1, 0], [0, 1]]\nS = [[1, -inf], [1, 1]]")
    assert judged(document).convention == Convention(causal=True) and judged(document).off_count == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_the_page_says_how_the_numbers_follow(case, language):
    named, divisor, causal, convention = CASES[case]
    app = opened("worked_examples", "own", language=language, document=printed(named, divisor, causal))
    t = Texts(language, "worked_examples")
    facts = {"divisor": f"{convention.divisor or 1:.4g}", "d_k": 64, "width": 2}
    shown = {name for name in t.section("follows") if t(f"follows.{name}", **facts) in said(app)}
    unused = {"unused"} if case == "a named width that is not used" else set()
    assert shown == {convention.name} - {""} | unused
    assert not app.exception
