"""The lesson `Many heads` without a browser: where positions count, and a refusal of the core."""

import re

import pytest
import torch

from pages.lessons.many_heads import two
from pages.model import edits
from pages.model.compute import trace_of
from tests.support import course
from tests.support.hour import sentence_to_keep
from tests.support.screen import matrix, matrix_ids, opened, said
from tests.support.states import with_own

from .conftest import CASES, page_of

POSITIONED = ("waves as positions", "rotary positions", "ALiBi")  # of CASES
PLACES = [place[1:] for place in course.PLACES if place[0] == "many_heads"]


@pytest.mark.exhaustive("part", "topic")
@pytest.mark.parametrize("case", POSITIONED)
@pytest.mark.parametrize(("part", "topic"), PLACES)
def test_positions_count_or_the_part_says_that_they_are_set_aside(part, topic, case):
    """What is compared with another way of writing it is computed without positions."""
    app = opened("many_heads", part, CASES[case], topic)
    assert ("This part computes without a positional encoding" in said(app)) == (
        part not in ("overview", "two", "ablation")
    )
    if part == "split":
        assert matrix(app, "output")["values"] == trace_of(CASES["two heads"]).output.tolist()
        difference = re.search(r"queries and the output: (\S+), from rounding", said(app))[1]
        assert difference == "0" or difference.endswith(("⁻¹⁵", "⁻¹⁶", "⁻¹⁷"))
    if part == "ablation":
        assert matrix(app, "output")["values"] == trace_of(CASES[case]).output.tolist()


def test_a_number_of_head_1_leaves_head_2_alone_and_a_head_that_is_off_takes_its_part_away():
    """Also where the learner has a single head: then the sentence's two heads work on the learner's X."""
    sentence = edits.example_start("tired_heads")
    for now in (sentence, edits.example_start("tired")):
        plain, changed = (opened("many_heads", "two", with_own(now, query_factor=by)) for by in (1.0, -1.0))
        for head, same in ((1, False), (2, True)):
            one, other = (matrix(app, f"weights_{head}")["values"] for app in (plain, changed))
            assert one[2][head - 1 and 3] == pytest.approx((0.79, 0.95)[head - 1], abs=5e-3)
            assert (one == other) == same
        first, second, output = matrix(plain, "parts")["values"]
        assert output == pytest.approx(trace_of(sentence).output[2].tolist())
        assert output == pytest.approx([a + b for a, b in zip(first, second, strict=True)])
        (joined,), w_o = (torch.tensor(matrix(plain, name)["values"]) for name in ("joined", "w_o"))
        assert joined.tolist() == pytest.approx(trace_of(sentence).concatenated[2].tolist())
        assert (joined @ w_o).tolist() == pytest.approx(output)
        assert (joined[2:] @ w_o[2:]).tolist() == pytest.approx(second)
        without = opened("many_heads", "two", with_own(now, off=frozenset({0})))
        assert matrix(without, "parts")["values"][2] == pytest.approx(second)
        masked = {"parts": (1, 4), "joined": (1, 2), "w_o": (2, 4)}  # of head 1: rows and columns
        for name, (rows, cols) in masked.items():
            cells = [[row, col] for row in range(rows) for col in range(cols)]
            assert sorted(matrix(without, name)["masked"]) == cells


def test_the_question_of_two_heads_has_o_and_w_o_and_says_how_they_make_z():
    """What each head adds, which is the answer, is not there yet, and no head is off."""
    now = with_own(edits.example_start("tired_heads"), off=frozenset({0}))
    app = opened("many_heads", "two", now, answers=())
    assert "what this head adds to Z" in said(app)
    assert matrix_ids(app) == {"weights_1", "weights_2", "joined", "w_o", "parts"}
    assert len(matrix(app, "parts")["values"]) == 1
    assert not any(matrix(app, name).get("masked") for name in ("joined", "w_o"))


def test_the_task_is_done_once_a_head_is_off():
    now = edits.example_start("tired")
    for off, done in (((), False), ((0,), True), ((5,), False)):
        page = page_of(with_own(now, off=frozenset(off)), "two")
        assert two.task(page) == done
        assert "“animal” with 0.79 in head 1, and to “tired” with 0.95" in sentence_to_keep(page)


def test_the_cost_of_the_heads_is_said_where_each_has_keys_of_its_own():
    """Three tokens of width 4 and two heads: four products of 3 × 4 × 4, two of 3 × 3 × 4."""
    text = said(opened("many_heads", "overview", CASES["two heads"]))
    assert "192 multiply–adds" in text and "and 72 for" in text and "18 exponentials instead of 9" in text
    assert "exponentials" not in said(opened("many_heads", "overview", CASES["shared keys"]))


def test_a_refusal_of_the_core_is_said_in_the_readers_language():
    """Python's message is there in both languages, and in English there is no second sentence."""
    sentence = "expected a size that is divisible by 3"
    for language in ("zh", "en"):
        app = opened("many_heads", "view", CASES["two heads"], "divide", language=language)
        assert any(sentence in block.value for block in app.code)
        assert ("应能被 3 个头整除" in said(app)) == (language == "zh")
        assert sentence not in said(app)
