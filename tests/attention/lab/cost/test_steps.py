"""Costs of every step by hand, against the trace's own shapes, and against PyTorch's FLOP counter."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from attention import causal_mask, multi_head_attention
from attention.lab.cost import steps as cost
from attention.lab.cost.steps import MODELS, Sizes

small = st.integers(1, 5)


def run(sizes: Sizes):
    """The core on ones of these sizes."""
    s, kv_heads = sizes, sizes.num_kv_heads or sizes.num_heads
    keys = None if s.kv_len is None else torch.ones(s.kv_len, s.embed_dim)
    mask = causal_mask(s.n, s.kv_len) if s.masked else None
    return multi_head_attention(
        torch.ones(s.n, s.embed_dim),
        keys,
        w_q=torch.ones(s.embed_dim, s.num_heads * s.head_dim),
        w_k=torch.ones(s.embed_dim, kv_heads * s.head_dim),
        w_v=torch.ones(s.embed_dim, kv_heads * s.value_dim),
        w_o=torch.ones(s.num_heads * s.value_dim, s.embed_dim) if s.w_o else None,
        num_heads=s.num_heads,
        num_kv_heads=kv_heads,
        mask=mask,
    )


@st.composite
def any_sizes(draw):
    heads = draw(small)
    kv_heads = draw(st.sampled_from([count for count in range(1, heads + 1) if heads % count == 0]))
    n, embed_dim, head_dim, value_dim, kv_len = (draw(small) for _ in range(5))
    w_o, masked = draw(st.booleans()), draw(st.booleans())
    return Sizes(n, embed_dim, heads, head_dim, value_dim, kv_heads, kv_len, w_o, masked, 4)


@given(any_sizes())
@settings(deadline=None, max_examples=60)
def test_what_is_written_is_the_size_of_the_trace_s_own_steps(sizes):
    trace = run(sizes)
    shapes = {name: value.numel() for name, value in trace.steps()}
    if sizes.w_o:
        shapes["output"] = trace.output.numel()
    for step in cost.step_costs(sizes):
        assert step.written == 4 * shapes[step.name], step.name


@given(any_sizes())
@settings(deadline=None, max_examples=60)
def test_multiply_adds_are_what_pytorch_counts(sizes):
    with FlopCounterMode(display=False) as counter:
        run(sizes)
    counted = counter.get_total_flops() // 2  # it counts a multiply–add as two
    assert sum(step.multiply_adds for step in cost.step_costs(sizes)) == counted
    assert sum(cost.projections_and_mixing(sizes)) == counted


def test_every_step_by_hand():
    # 3 tokens, width 4, 2 heads of d_k = 2 and d_v = 1, shared by one key/value head
    sizes = Sizes(3, 4, 2, 2, 1, num_kv_heads=1, masked=True, bytes_per_number=1)
    steps = {s.name: (s.multiply_adds, s.other, s.read, s.written) for s in cost.step_costs(sizes)}
    assert steps == {
        "query": (48, 0, 12 + 16, 12),
        "key": (24, 0, 12 + 8, 6),
        "value": (12, 0, 12 + 4, 3),
        "scores": (36, 0, 12 + 6, 18),
        "scaled_scores": (0, 18, 18, 18),
        "masked_scores": (0, 18, 18 + 9, 18),
        "weights": (0, 90, 18, 18),
        "head_output": (18, 0, 18 + 3, 6),
        "output": (24, 0, 6 + 8, 12),
    }


def test_bytes_grow_with_the_number_s_width():
    narrow, wide = (Sizes(3, 4, 1, 4, 4, bytes_per_number=size) for size in (2, 8))
    for a, b in zip(cost.step_costs(narrow), cost.step_costs(wide), strict=True):
        assert (4 * a.read, 4 * a.written) == (b.read, b.written)


@pytest.mark.parametrize(("d", "heads"), [(16, 1), (64, 8)])
def test_mixing_leads_from_twice_the_width_on(d, heads):
    at = Sizes(2 * d, d, heads, d // heads, d // heads)
    projections, mixing = cost.projections_and_mixing(at)
    assert projections == mixing == 8 * d**3
    longer = cost.projections_and_mixing(replace(at, n=2 * d + 1))
    assert longer[1] > longer[0]


def test_the_step_that_dominates_changes_with_n():
    at = Sizes(4, 64, 8, 8, 8)
    for n, most in ((4, "query"), (1000, "scores")):
        assert max(cost.step_costs(replace(at, n=n)), key=lambda step: step.multiply_adds).name == most


# ---- KV cache


def test_a_cache_by_hand():
    assert cost.kv_cache_bytes(10, layers=2, num_kv_heads=3, head_dim=4) == 10 * 2 * 3 * 8 * 2
    sizes = {"layers": 2, "num_kv_heads": 3, "head_dim": 4}
    assert (
        cost.kv_cache_bytes(10, **sizes, value_dim=1, bytes_per_number=4, batch=5) == 5 * 10 * 2 * 3 * 5 * 4
    )


def cached(model, tokens):
    shape = {"layers": model.layers, "num_kv_heads": model.num_kv_heads, "head_dim": model.head_dim}
    return cost.kv_cache_bytes(tokens, **shape)


def test_known_caches_of_a_token_in_16_bits():
    by_name = {model.name: cached(model, 1) for model in MODELS}
    assert by_name["Llama 2 7B"] == 512 * 1024  # half a mebibyte
    assert by_name["Llama 2 70B"] == 320 * 1024  # ten times the parameters, a smaller cache
    assert by_name["Mistral 7B"] == 128 * 1024
    assert by_name["GPT-3 175B"] == 4.5 * 1024 * 1024


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_models_shapes_are_possible_and_have_a_source(model):
    assert model.num_heads % model.num_kv_heads == 0
    assert any(part.strip(",").isdigit() and len(part.strip(",")) == 4 for part in model.source.split())
