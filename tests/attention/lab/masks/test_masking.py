"""What a mask does, rightly and wrongly, by hand and by autograd."""

import functools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import causal_mask, padding_mask, scaled_dot_product_attention
from attention.lab.masks import masking
from attention.lab.mistakes.forms import after_softmax
from tests.attention.numbers import head, normal

close = functools.partial(torch.testing.assert_close, check_dtype=False)
OPEN = torch.ones(3, 3, dtype=torch.bool)


def test_the_same_attention_under_another_mask():
    result = masking.attend(head(), causal_mask(3))
    assert result.weights.equal(head(mask=causal_mask(3)).weights)
    assert masking.attend(head(mask=causal_mask(3)), None).weights.equal(head().weights)


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("mask", [OPEN, causal_mask(3)], ids=["open", "causal"])
def test_the_three_outcomes_of_a_fully_masked_row(mask, row):
    one, mask = head(), masking.with_fully_masked_row(mask, row)
    assert not mask[row].any()
    result = masking.fully_masked_weights(one, mask)
    assert result["nan"][row].isnan().all()
    close(result["alike"][row], torch.full((3,), 1 / 3))
    assert (result["zero"][row] == 0).all()
    rest = [i for i in range(3) if i != row]
    for weights in result.values():
        close(weights[rest], result["zero"][rest])
    outcomes = {
        name: masking.outcome(weights[row] @ one.value, one.value) for name, weights in result.items()
    }
    assert outcomes == {name: name for name in result}


def test_a_row_of_its_own_weights_is_no_outcome_of_masking():
    one = head()
    assert masking.outcome(one.output[0], one.value) == "other"


def test_closing_a_row_leaves_the_given_mask_alone():
    mask = OPEN.clone()
    masking.with_fully_masked_row(mask, 1)
    assert mask.all()


def test_lost_weight_by_hand():
    before, after = torch.tensor([[0.5, 0.3, 0.2]]), torch.tensor([[1.0, 0.0, 0.0]])
    close(masking.lost_weight(before, after), torch.tensor([0.5]))
    close(masking.lost_weight(before, torch.zeros(1, 3)), torch.tensor([1.0]))


def test_the_largest_masked_weight():
    weights = torch.tensor([[[0.5, 0.5], [0.9, 0.1]], [[0.7, 0.3], [0.2, 0.8]]])
    assert masking.largest_masked_weight(weights, causal_mask(2)) == 0.5
    assert masking.largest_masked_weight(weights, torch.ones(2, 2, dtype=torch.bool)) is None


# ---- a mask as numbers


def test_a_float_mask_added_means_the_same():
    one, mask = head(), causal_mask(3)
    added = one.scaled_scores + masking.additive(mask)
    assert added.equal(masking.attend(one, mask).masked_scores)
    assert masking.additive(mask, torch.float16).dtype == torch.float16


def test_ones_added_mask_nothing():
    scores, mask = normal(3, 3), causal_mask(3)
    wrong = masking.ones_added(scores, mask)
    close(wrong, torch.softmax(scores + torch.ones(3, 3).tril(), -1))
    assert (wrong > 0).all()
    # compared with a masked key, a visible one weighs e times as much as it would
    plain = torch.softmax(scores, -1)
    close(wrong[0, 0] / wrong[0, 1], math.e * plain[0, 0] / plain[0, 1])


# ---- a mask after the softmax


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 6), st.integers(0, 9999))
def test_without_renormalising_visible_weights_depend_on_masked_scores(n, seed):
    scores, mask = normal(n, n, seed=seed), causal_mask(n)
    result = masking.masked_score_influence(scores, mask, renormalise=False)
    weights = torch.softmax(scores, -1)
    visible = (weights * mask).sum(-1, keepdim=True)
    close(result, (weights * visible).masked_fill(mask, 0.0))  # Σ over visible i of p_i·p_h
    assert (result[~mask] > 0).all() and not result[mask].any()


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 6), st.integers(0, 9999))
def test_with_renormalising_they_do_not(n, seed):
    scores, mask = normal(n, n, seed=seed), causal_mask(n)
    result = masking.masked_score_influence(scores, mask, renormalise=True)
    assert result.max() < 1e-15
    right = torch.softmax(scores.masked_fill(~mask, -math.inf), -1)
    close(masking.renormalised(after_softmax(scores, mask)), right)


def test_a_far_larger_masked_score_still_breaks_renormalising():
    scores, mask = torch.tensor([[0.0, 200.0]]), torch.tensor([[True, False]])
    assert masking.renormalised(after_softmax(scores, mask)).isnan().any()
    close(torch.softmax(scores.masked_fill(~mask, -math.inf), -1), torch.tensor([[1.0, 0.0]]))


# ---- padding on the left


def test_left_padding_by_hand():
    assert masking.left_padding_mask([1, 3, 0], 3).int().tolist() == [[0, 0, 1], [1, 1, 1], [0, 0, 0]]
    assert masking.left_padded_causal(2, 4).int().tolist() == [
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 1, 1],
    ]


def test_with_padding_on_the_left_the_padded_queries_are_fully_masked_and_on_the_right_they_are_not():
    left, right = masking.left_padded_causal(2, 4), causal_mask(4) & padding_mask([2], 4)
    assert left.any(-1).tolist() == [False, False, True, True]
    assert right.any(-1).all()


def test_a_padded_query_that_sees_itself_leaves_the_real_rows_alone():
    query, key, value = normal(3, 4, 3)
    bare, corrected = (
        scaled_dot_product_attention(
            query, key, value, mask=masking.left_padded_causal(2, 4, attend_to_self=attend_to_self)
        )
        for attend_to_self in (False, True)
    )
    assert corrected.weights[2:].equal(bare.weights[2:])
    close(corrected.weights[:2], torch.eye(4)[:2])
    plain = torch.softmax(bare.scaled_scores.masked_fill(~bare.mask, -math.inf), -1)
    assert plain.isnan().any(-1).tolist() == [True, True, False, False]
