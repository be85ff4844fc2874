"""The audit: exact values from the core, rounding, and whose mistake a difference is."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import multi_head_attention
from attention.lab.worked_examples.audit import CARRIED, RIGHT, ROUNDED, UNKNOWN, WRONG, audit
from attention.lab.worked_examples.document import Block, Document, half_unit, number, of_notes

NOTES = of_notes()
VERDICTS = (RIGHT, WRONG, CARRIED, ROUNDED, UNKNOWN)
few = settings(max_examples=60, deadline=None, derandomize=True)


def block(step, *rows, query=0):
    return Block(step, tuple(tuple(row.split()) for row in rows), query=query)


def tensor(document, step):
    return torch.tensor([[number(e) for e in row] for row in document.block(step).rows], dtype=torch.float64)


def verdicts(result, step):
    return [line.verdict for line in result.of(step)]


# ---- what one printed number can be


def test_half_a_unit_of_the_last_digit_is_rounding():
    assert [half_unit(entry) for entry in ("1.14", "3", "0.5", "-2.0000")] == pytest.approx(
        [0.005, 0.5, 0.05, 0.00005]
    )
    assert half_unit("25%") == pytest.approx(0.005) and number("25%") == 0.25


@pytest.mark.parametrize(
    ("printed", "verdict"), [("0.12", RIGHT), ("0.13", RIGHT), ("0.11", WRONG), ("0.14", WRONG)]
)
def test_a_tie_may_be_rounded_either_way(printed, verdict):
    """0.25 · 0.5 = 0.125: both neighbours are at half a unit."""
    outcome = audit(Document((block("query", "0.25"), block("key", "0.5"), block("scores", printed))))
    assert verdicts(outcome, "scores") == [verdict]


def test_a_mistake_is_carried_on_by_right_steps():
    """Q·K = 2, printed 4; 4 / √1 = 4 follows from it, 5 does not."""
    blocks = [block("query", "1"), block("key", "2"), block("scores", "4")]
    assert verdicts(audit(Document((*blocks, block("scaled_scores", "4")))), "scaled_scores") == [CARRIED]
    assert verdicts(audit(Document((*blocks, block("scaled_scores", "5")))), "scaled_scores") == [WRONG]
    assert verdicts(audit(Document((*blocks, block("scaled_scores", "2")))), "scaled_scores") == [RIGHT]


def test_rounding_that_is_carried_on_is_no_mistake():
    """0.4 is printed for 0.36: right. exp(0.4) = 1.492 follows from it, exp(0.36) = 1.433 is exact."""
    blocks = (block("query", "0.6"), block("key", "0.6"), block("scores", "0.4"))
    outcome = audit(Document((*blocks, block("scaled_scores", "0.4"), block("exponentials", "1.49"))))
    assert [line.verdict for line in outcome.lines] == [RIGHT, RIGHT, ROUNDED]
    assert outcome.off_count == 1


def test_a_mistake_taints_only_what_rests_on_it():
    """The first query is wrong, the second right: so is the second row of scores, however it was rounded."""
    document = Document(
        (
            block("x", "1", "3"),
            block("w_q", "1"),
            block("w_k", "1"),
            block("query", "2", "3"),
            block("scores", "2 6", "3 9"),
        )
    )
    outcome = audit(document)
    assert verdicts(outcome, "query") == [WRONG, RIGHT]
    assert verdicts(outcome, "scores") == [CARRIED, CARRIED, RIGHT, RIGHT]


def test_a_blank_is_neither_counted_nor_wrong():
    outcome = audit(
        Document((block("query", "1", "2"), block("key", "1", "1"), block("scores", "1 -", "- 3")))
    )
    assert [(line.row, line.col, line.verdict) for line in outcome.lines] == [(0, 0, RIGHT), (1, 1, WRONG)]


def test_the_parts_of_an_output_are_its_previous_step():
    """0.25 · 1.23 and its neighbours, rounded and then added, give 1.15; unrounded they give 1.14."""
    outcome = audit(NOTES["cats"])
    first = outcome.of("output")[0]
    assert (first.printed, first.verdict, round(first.own, 9)) == ("1.15", CARRIED, 1.15)


def test_scores_alone_are_enough():
    outcome = audit(Document((block("scores", "2 0"), block("weights", "0.73 0.27")), d_k=4))
    assert outcome.exact["weights"][0, 0].item() == pytest.approx(1 / (1 + math.exp(-1)))
    assert verdicts(outcome, "weights") == [RIGHT, RIGHT]


def test_where_nothing_can_be_recomputed_nothing_is_judged():
    outcome = audit(NOTES["it"])
    assert outcome.off_count == 0 and [line.verdict for line in outcome.lines] == [UNKNOWN] * 3


@st.composite
def heads(draw):
    """X and three weight matrices with one decimal."""
    n, d, k, v = (draw(st.integers(1, 4)) for _ in range(4))
    tenths = st.integers(-15, 15).map(lambda i: f"{i / 10:.1f}")

    def matrix(name, rows, columns):
        lines = draw(
            st.lists(st.lists(tenths, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
        )
        return Block(name, tuple(map(tuple, lines)))

    return matrix("x", n, d), matrix("w_q", d, k), matrix("w_k", d, k), matrix("w_v", d, v)


def printed(name, values, digits=6):
    return Block(name, tuple(tuple(f"{v:.{digits}f}" for v in row) for row in values.tolist()))


@given(heads())
@few
def test_exact_values_are_those_of_multi_head_attention_and_a_right_document_has_no_mistake(blocks):
    given_ = Document(blocks)
    x, w_q, w_k, w_v = (tensor(given_, name) for name in ("x", "w_q", "w_k", "w_v"))
    trace = multi_head_attention(x, w_q=w_q, w_k=w_k, w_v=w_v)
    head = trace.head(0)
    steps = ("query", "key", "value", "scores", "scaled_scores", "weights", "output")
    outcome = audit(Document((*blocks, *(printed(name, getattr(head, name)) for name in steps))))
    for name in steps:
        torch.testing.assert_close(outcome.exact[name], getattr(head, name), rtol=1e-12, atol=1e-12)
    assert outcome.off_count == 0 and len(outcome.lines) == sum(getattr(head, name).numel() for name in steps)
    assert all(outcome.rows_sum_to_one) and all(outcome.within_values) and all(outcome.order_kept)


@given(heads(), st.data())
@few
def test_one_wrong_number_is_found_where_it_is(blocks, data):
    """A unit is added to one score of an otherwise exact document: only what follows from it can be off."""
    outcome = audit(Document((*blocks, printed("output", torch.zeros(1, 1)))))
    scores = outcome.exact["scores"].clone()
    row, col = (data.draw(st.integers(0, size - 1)) for size in scores.shape)
    scores[row, col] += 1
    scaled = scores / math.sqrt(outcome.exact["query"].shape[-1])
    outcome = audit(Document((*blocks, printed("scores", scores, 9), printed("scaled_scores", scaled, 6))))
    off = [(line.step, line.row, line.col, line.verdict) for line in outcome.lines if line.off]
    assert off == [("scores", row, col, WRONG), ("scaled_scores", row, col, CARRIED)]


# ---- the notes


@pytest.mark.parametrize(
    ("name", "off", "total"),
    [("cats", 98, 99), ("five_tokens", 37, 37), ("three_scores", 2, 3), ("it", 0, 3)],
)
def test_the_notes_examples(name, off, total):
    outcome = audit(NOTES[name])
    assert (outcome.off_count, len(outcome.lines)) == (off, total)
    assert sum(outcome.count(verdict) for verdict in VERDICTS) == total


def test_the_only_right_number_of_the_long_example():
    right = [line for line in audit(NOTES["cats"]).lines if line.verdict == RIGHT]
    assert [(line.step, line.row, line.col, line.printed) for line in right] == [("value", 0, 0, "1.23")]


def test_what_follows_a_mistake_is_not_blamed_twice():
    """Scaling, sums and weights of the long example are worked rightly from wrong numbers."""
    outcome = audit(NOTES["cats"])
    for step in ("scaled_scores", "sums", "weights", "parts"):
        assert set(verdicts(outcome, step)) == {CARRIED}
    wrong = [line.printed for line in outcome.of("exponentials") if line.verdict == WRONG]
    assert wrong == ["10.48", "22.81"]


def test_by_hand_the_first_product():
    """1.0·1.0 + 0.5·0.1 + 0.2·0.2 + 0.1·0.0 = 1.09, where 1.14 is printed."""
    first = audit(NOTES["cats"]).first
    assert (first.step, first.row, first.col, first.printed) == ("query", 0, 0, "1.14")
    assert first.exact == pytest.approx(1.09) and first.difference == pytest.approx(0.05)


def test_what_still_holds():
    cats, five = audit(NOTES["cats"]), audit(NOTES["five_tokens"])
    assert cats.order_kept == (True,) * 3 and cats.rows_sum_to_one == (True,) * 3
    assert five.rows_sum_to_one == (True,) * 5 and five.order_kept == (False,) * 5
    assert cats.within_values == (True,) * 3
    assert five.within_values == (False, False, True, False, False)


def test_the_two_quoted_weights():
    """0.25 is the table's 0.2514, rounded; 0.20 is not its 0.2175."""
    assert verdicts(audit(NOTES["five_tokens"]), "quoted_weights") == [CARRIED, WRONG]


def test_every_printed_matrix_has_rows_of_one_length():
    for document in NOTES.values():
        for one in document.blocks:
            assert len({len(row) for row in one.rows}) == 1 and one.place
