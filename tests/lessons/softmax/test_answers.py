"""After an answer the picture shows what was asked."""

from functools import partial

import pytest

from pages.lessons.softmax import bars
from pages.model import edits
from tests.support.screen import matrix, matrix_ids, opened, said

of = partial(opened, "softmax")


def test_the_first_question_is_about_the_learner_s_scores_where_they_suit_it_or_about_its_own():
    app = of("bars", logits=(3.0, 3.0))
    assert matrix(app, "asked_logits")["values"] == [list(bars.QUESTION_SCORES)]
    (weights,) = matrix(app, "asked_weights")["values"]
    assert [round(one, 2) for one in weights] == [0.66, 0.24, 0.1]
    assert not matrix(app, "asked_logits")["editable"]
    app = of("bars", logits=(4.0, 1.0))
    assert "asked_logits" not in matrix_ids(app) and "0.95" in said(app)


@pytest.mark.parametrize(("logits", "keys"), [((4.7, 1.41, 1.06, 3.18), True), ((1.0, 2.0), False)])
def test_keys_are_tokens_as_long_as_a_score_is_the_sentence_s(logits, keys):
    app = of("bars", edits.example_start("tired"), logits=logits)
    names = ["animal", "street", "it", "tired"] if keys else ["1", "2"]
    assert matrix(app, "weights")["cols"] == matrix(app, "logits")["cols"] == names
    assert ("come from “One head”" in said(app)) is keys


def test_what_was_asked_about_is_ringed():
    app = of("temperature", topic="cooling", logits=(1.0, 2.0, 2.0))
    assert matrix(app, "scores_after")["values"] == [[2.0, 4.0, 4.0]]
    assert matrix(app, "weights_after")["ringed"] == [[0, 1], [0, 2]]
    tiny = matrix(of("stable"), "tiny_weights")
    assert (tiny["values"], tiny["ringed"]) == ([[1.0, 0.0]], [[0, 1]])
    app = of("axes")
    columns = matrix(app, "asked_column_sums")
    assert columns["values"][0] == pytest.approx([1.0] * 3) and len(columns["ringed"]) == 3
    assert matrix(app, "asked_row_sums")["ringed"] == []
