"""Linear attention: both orders of the products, and the recurrent form, are equal."""

import pytest
import torch

from attention import causal_mask
from attention.lab.newer import linear as lab
from tests.support.tolerance import close

N, HEAD_DIM, VALUE_DIM = 7, 3, 5


def scores_first(query, key, value):
    return (query @ key.mT) @ value


def state_first(query, key, value):
    return query @ (key.mT @ value)


@pytest.fixture
def qkv(normal):
    return normal(N, HEAD_DIM), normal(N, HEAD_DIM), normal(N, VALUE_DIM)


def test_both_orders_give_the_same_numbers(qkv):
    close(state_first(*qkv), scores_first(*qkv))


def test_with_softmax_they_do_not(qkv):
    query, key, value = qkv
    weights = torch.softmax(query @ key.mT, dim=-1)
    assert not torch.allclose(weights @ value, state_first(*qkv), atol=0.1)


def test_one_token_after_another_is_causal_linear_attention(qkv):
    query, key, value = qkv
    states, output = lab.recurrent(*qkv)
    close(output, (query @ key.mT * causal_mask(N)) @ value)
    for t in range(N):
        close(states[t], key[: t + 1].mT @ value[: t + 1])
    close(output[-1], state_first(*qkv)[-1])


def test_a_feature_map_and_a_division_by_the_row_s_sum_do_not_change_the_freedom(qkv):
    """As in Katharopoulos et al.: the sum of a row is the product with the sum of the keys."""
    query, key, value = (torch.nn.functional.elu(qkv[0]) + 1, torch.nn.functional.elu(qkv[1]) + 1, qkv[2])
    scores = query @ key.mT
    by_rows = (scores / scores.sum(-1, keepdim=True)) @ value
    close(by_rows, state_first(query, key, value) / (query @ key.sum(0))[:, None])


def test_the_multiply_adds_are_those_of_the_products():
    scores, state = lab.multiply_adds(N, HEAD_DIM, VALUE_DIM)
    assert scores == N * HEAD_DIM * N + N * N * VALUE_DIM
    assert state == HEAD_DIM * N * VALUE_DIM + N * HEAD_DIM * VALUE_DIM
    assert len(set(lab.multiply_adds(64, 64, 64))) == 1  # of equal widths d they are equal at n = d
