"""Query-key normalization: by hand, against PyTorch's rms_norm, and what it makes true of every score."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from attention import (
    MultiHeadAttention,
    SelfAttention,
    multi_head_attention,
    rotary_embedding,
    scaled_dot_product_attention,
)
from attention.multi_head import rms_norm
from tests.support.tolerance import close

HEADS, KV_HEADS, Q_LEN, KV_LEN, HEAD_DIM, VALUE_DIM = 6, 2, 5, 7, 11, 13


@pytest.fixture
def weights(normal):
    return {
        "w_q": normal(17, HEADS * HEAD_DIM),
        "w_k": normal(19, KV_HEADS * HEAD_DIM),
        "w_v": normal(19, KV_HEADS * VALUE_DIM),
        "b_q": normal(HEADS * HEAD_DIM),
        "num_heads": HEADS,
        "num_kv_heads": KV_HEADS,
    }


@pytest.fixture
def inputs(normal):
    return normal(3, Q_LEN, 17), normal(3, KV_LEN, 19)


def by_head(projection, heads):
    """(..., length, heads * dim) -> (..., heads, length, dim), one head after the other."""
    return torch.stack(projection.chunk(heads, dim=-1), dim=-3)


def test_by_hand():
    """Each row gets the norm √2, so a scaled score is √2 times the cosine: 1, and 4/5 of different rows."""
    x, one = torch.tensor([[3.0, 4.0], [0.0, 5.0]], dtype=torch.float64), torch.eye(2, dtype=torch.float64)
    trace = multi_head_attention(x, w_q=one, w_k=one, w_v=one, qk_norm=True)
    root = math.sqrt(2)
    rows = torch.tensor([[[0.6 * root, 0.8 * root], [0.0, root]]], dtype=torch.float64)
    close(trace.normalized_query, rows, 1e-6)
    close(trace.normalized_key, rows, 1e-6)
    cosines = torch.tensor([[[1.0, 0.8], [0.8, 1.0]]], dtype=torch.float64)
    close(trace.heads.scaled_scores, root * cosines, 1e-6)


@pytest.mark.parametrize("gains", [False, True])
def test_against_pytorch(inputs, weights, normal, gains):
    g_q, g_k = (normal(HEAD_DIM), normal(HEAD_DIM)) if gains else (None, None)
    trace = multi_head_attention(*inputs, **weights, qk_norm=True, g_q=g_q, g_k=g_k)
    query = F.rms_norm(by_head(trace.query, HEADS), (HEAD_DIM,), g_q, eps=1e-6)
    key = F.rms_norm(by_head(trace.key, KV_HEADS), (HEAD_DIM,), g_k, eps=1e-6)
    close(trace.normalized_query, query)
    close(trace.normalized_key, key)
    value = by_head(trace.value, KV_HEADS)
    expected = F.scaled_dot_product_attention(query, key, value, enable_gqa=True)
    close(trace.heads.output, expected)


def test_the_projections_are_kept_and_heads_have_the_normalized_rows(inputs, weights):
    plain, trace = (multi_head_attention(*inputs, **weights, qk_norm=on) for on in (False, True))
    assert trace.query.equal(plain.query) and trace.key.equal(plain.key)
    assert plain.normalized_query is plain.normalized_key is None
    assert trace.heads.query is trace.normalized_query
    assert trace.heads.key.equal(trace.normalized_key.repeat_interleave(HEADS // KV_HEADS, dim=-3))
    assert trace.heads.value.equal(plain.heads.value)


def test_normalization_is_before_rotation(inputs, weights):
    def rotate(x):
        return rotary_embedding(x, rotary_dim=10)

    trace = multi_head_attention(*inputs, **weights, qk_norm=True, rotate=rotate)
    assert [step.name for step in trace.steps()][3:8] == [
        "normalized_query",
        "normalized_key",
        "rotated_query",
        "rotated_key",
        "scores",
    ]
    assert trace.rotated_query.equal(rotate(trace.normalized_query))
    assert trace.rotated_key.equal(rotate(trace.normalized_key))
    assert trace.heads.query is trace.rotated_query


@given(
    numbers=st.lists(st.floats(-1e6, 1e6), min_size=14, max_size=14),
    head_dim=st.sampled_from([1, 7]),
)
def test_no_scaled_score_is_above_the_root_of_head_dim(numbers, head_dim):
    rows = torch.tensor(numbers, dtype=torch.float64).view(-1, head_dim)
    normalized = rms_norm(rows)
    norms = normalized.norm(dim=-1)
    assert (norms <= math.sqrt(head_dim) * (1 + 1e-12)).all()
    large = rows.square().mean(dim=-1) > 1
    close(norms[large], torch.full_like(norms[large], math.sqrt(head_dim)), 1e-6)
    scores = scaled_dot_product_attention(normalized, normalized, normalized).scaled_scores
    assert scores.abs().max() <= math.sqrt(head_dim) * (1 + 1e-12)


def test_the_length_of_a_row_no_longer_counts(inputs, weights):
    long = weights | {"w_q": 1000 * weights["w_q"], "b_q": 1000 * weights["b_q"]}
    one, other = (multi_head_attention(*inputs, **w, qk_norm=True) for w in (weights, long))
    close(one.heads.weights, other.heads.weights, 1e-5)


def test_a_row_of_zeros_stays_zero_and_has_a_finite_gradient():
    x = torch.zeros(3, 4, dtype=torch.float64, requires_grad=True)
    normalized = rms_norm(x)
    normalized.sum().backward()
    assert normalized.count_nonzero() == 0
    assert x.grad.isfinite().all()


def test_float16_squares_do_not_overflow():
    """300² is above the largest number of float16."""
    x = torch.full((2, 4), 300.0, dtype=torch.float16)
    assert rms_norm(x).dtype == torch.float16
    close(rms_norm(x), torch.ones(2, 4, dtype=torch.float16))


def test_gradients_are_right(normal):
    x, w = normal(3, 4), [normal(4, 4).requires_grad_() for _ in range(3)]
    gains = [normal(2).requires_grad_() for _ in range(2)]

    def output(w_q, w_k, w_v, g_q, g_k):
        weights = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "g_q": g_q, "g_k": g_k}
        return multi_head_attention(x, **weights, num_heads=2, qk_norm=True).output

    assert torch.autograd.gradcheck(output, (*w, *gains))


# ---- modules


@pytest.mark.parametrize(
    "make", [lambda **on: SelfAttention(6, **on), lambda **on: MultiHeadAttention(6, 2, **on)]
)
def test_a_module_learns_its_gains_and_starts_at_one(make):
    assert "g_q" not in dict(make().named_parameters()) and "qk_norm" not in repr(make())
    own = make(qk_norm=True)
    assert own.g_q.equal(torch.ones(own.w_q.shape[-1] // own.num_heads)) and own.g_k.equal(own.g_q)
    assert "g_k=" in repr(own) and "qk_norm=True" in repr(own)
    torch.nn.init.zeros_(own.g_q)
    own.reset_parameters()
    assert own.g_q.equal(own.g_k)
    own(torch.randn(3, 6, generator=torch.Generator().manual_seed(1))).output.square().sum().backward()
    assert own.g_q.grad.count_nonzero() > 0 and own.g_k.grad.count_nonzero() > 0


def test_modules_from_matrices(normal):
    x, w = normal(Q_LEN, 6), {name: normal(6, 6) for name in ("w_q", "w_k", "w_v")}
    for make, heads in ((SelfAttention, {}), (MultiHeadAttention, {"num_heads": 2})):
        dim = 6 // heads.get("num_heads", 1)
        gains = {"g_q": normal(dim), "g_k": normal(dim)}
        for held in ({}, gains):
            own = make.from_matrices(**w, **held, **heads, qk_norm=True)
            assert list(own.state_dict()) == [*w, *held]
            expected = multi_head_attention(x, **w, **held, **heads, qk_norm=True)
            assert own(x).normalized_key.equal(expected.normalized_key)
            assert own(x).output.equal(expected.output)
