"""After an answer the picture does what was asked: numbers change, and what is asked about is ringed."""

from dataclasses import replace

import pytest

from pages.model import edits
from pages.model.compute import trace_of
from tests.lessons.checkers import ASKED_ALONE
from tests.support.elements import elements, figures
from tests.support.questions import ASKED
from tests.support.screen import matrix, open_page, opened
from tests.support.states import start_of


def rows(one: dict) -> set[int]:
    return {row for row, _ in one["ringed"]}


def test_the_bank_s_row_changes_with_the_last_word():
    app = opened("one_head", "meaning", topic="bank", answers=())
    app.button(key="guess-bank_rows-shown").click().run()
    river, money = (matrix(app, f"weights_{word}") for word in ("river", "money"))
    moved = {row for row in range(5) if river["values"][row] != pytest.approx(money["values"][row])}
    assert rows(river) == rows(money) == moved == {1}


def test_with_one_projection_the_score_with_itself_is_ringed_and_the_largest_of_its_row():
    scores = matrix(opened("one_head", "misconceptions", topic="one_projection"), "one_scores")
    ((row, col),) = scores["ringed"]
    assert row == col and max(scores["values"][row]) == scores["values"][row][col]


def test_under_a_causal_mask_only_the_two_tokens_that_change_places_get_other_numbers():
    app = opened("order", "along")
    after, before = (matrix(app, f"output{end}") for end in ("_swapped", "_causal"))
    assert rows(after) == {0, 1} and after["values"][2] == pytest.approx(before["values"][2])


def test_of_two_equal_scores_the_nearer_key_gets_e_times_the_weight():
    ((near, far),) = matrix(opened("order", "alibi"), "slope_weights")["values"]
    assert near / far == pytest.approx(2.718281828)


def test_x_and_y_exchanged_give_a_row_for_each_token_of_y():
    app, now = opened("cross_attention", "alignment"), start_of("cross_attention")
    assert len(matrix(app, "output_meant")["values"]) == len(now.tokens) == 4
    assert len(matrix(app, "output_wrong")["values"]) == len(now.source) == 5


def test_y_stays_where_the_rows_of_w_o_are_exchanged_as_well():
    now = start_of("many_heads")
    output = trace_of(now).output.tolist()
    app = opened("many_heads", "sharing", now)
    for name, stays in (("rows", True), ("columns", False)):
        values = matrix(app, f"end_{name}")["values"]
        assert all(row == pytest.approx(mine) for row, mine in zip(values, output, strict=True)) == stays


def test_without_the_head_that_counts_most_y_changes_most():
    app = opened("many_heads", "ablation")
    assert rows(matrix(app, "without_1")) == {0, 1, 2, 3} and not matrix(app, "without_2")["ringed"]


def test_the_numbers_that_view_reads_into_the_last_head_s_first_row_are_ringed():
    now = edits.example_start("two_jobs")
    assert rows(matrix(opened("many_heads", "view", now), "order")) == {2}


OPENED = {"row_raised": "row_output"}  # a step that is open only after the answer
OTHERS = [one for one in ASKED if (one.lesson, one.place.part, one.place.topic) not in ASKED_ALONE]


@pytest.mark.parametrize("asked", OTHERS, ids=str)
def test_each_answer_shows_something_that_was_not_there(asked):
    """Of several questions in a place; for a question alone see checkers.py."""
    place = replace(asked.place, step=OPENED.get(asked.name))
    before, after = (
        figures(elements(open_page(asked.lesson, asked.settings, asked.view(answer), place)))
        for answer in (None, "shown")
    )
    assert after - before
