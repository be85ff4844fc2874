"""Right numbers are never accused: without scaling, with a named divisor, with a causal mask."""

import math

import pytest
import torch

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.worked_examples.audit import audit
from pages.draw.texts import Texts
from pages.lessons.worked_examples.conventions import USUAL, Convention, judged
from pages.lessons.worked_examples.documents import read
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
    outcome, found = judged(document)
    assert found == convention and outcome.off_count == 0 and outcome.lines
    assert convention == USUAL or audit(document).off_count
    settings = settings_of(document, found)
    trace = trace_of(settings).heads
    expected = torch.tensor([[float(entry) for entry in row] for row in document["weights"].rows])
    torch.testing.assert_close(trace.weights[0].float(), expected, rtol=0, atol=6e-4)


def test_a_wrong_number_is_still_wrong():
    text = printed("", 1, False).replace("A = [[0.", "A = [[0.9")
    outcome, convention = judged(read(text))
    assert convention == USUAL and outcome.off_count


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
