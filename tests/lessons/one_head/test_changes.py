"""The edits that the questions offer, on the learner's own numbers."""

import pytest
import torch

from pages.lessons.one_head import changes
from pages.model.compute import trace_of
from pages.model.edits import example_start, resize, set_biases, set_block, with_choice
from pages.model.settings import Settings

BIASED = set_block(set_biases(Settings(), True), "b_q", 0, 0, [[0.5, -1.0, 0.3, 2.0]])
CASES = {
    "start": Settings(),
    "biases": BIASED,
    "two heads": example_start("two_jobs"),
    "shared keys": resize(resize(Settings(), num_heads=4), num_kv_heads=2),
    "own divisor": with_choice(Settings(), scaling="own", own_divisor=-2.0),
    "padding": with_choice(Settings(), mask="padding", padding=1),
}
each = pytest.mark.parametrize("now", CASES.values(), ids=CASES.keys())


@each
def test_with_the_same_matrix_for_queries_and_keys_the_scores_are_symmetric(now):
    scores = trace_of(changes.same_keys(now)).heads.scores
    torch.testing.assert_close(scores, scores.mT)


@each
def test_without_a_mask_two_rows_of_the_output_change_places(now):
    now = changes.unmasked(now)
    before, after = trace_of(now).output, trace_of(changes.first_and_last_swapped(now)).output
    order = [len(now.tokens) - 1, *range(1, len(now.tokens) - 1), 0]
    torch.testing.assert_close(after, before[order])


@each
def test_one_vector_added_to_all_keys_changes_no_weight(now):
    after = changes.keys_shifted(now)
    assert after != now
    torch.testing.assert_close(trace_of(after).heads.weights, trace_of(now).heads.weights)


def test_an_edit_of_the_last_input_changes_one_number():
    now = Settings()
    after = changes.last_input_raised(now)
    assert after.x[-1][0] == now.x[-1][0] + 1
    assert after.x[:-1] == now.x[:-1] and after.x[-1][1:] == now.x[-1][1:]
