"""What heads cost and contribute, against the core, PyTorch, and numbers counted by hand."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from attention import causal_mask, multi_head_attention
from attention.lab.heads import parts as heads
from attention.lab.heads import sharing
from tests.attention.numbers import normal
from tests.support.tolerance import close


def matrices(num_heads, kv_heads, *, d_model=4, d_k=3, d_v=2, w_o=True, biases=False):
    keys, kv_keys, kv_values = num_heads * d_k, kv_heads * d_k, kv_heads * d_v
    shapes = {"w_q": (d_model, keys), "w_k": (d_model, kv_keys), "w_v": (d_model, kv_values)}
    out = d_model if w_o else num_heads * d_v
    if w_o:
        shapes["w_o"] = (num_heads * d_v, d_model)
    if biases:
        shapes |= {"b_q": (keys,), "b_k": (kv_keys,), "b_v": (kv_values,), "b_o": (out,)}
    return {name: normal(*shape, seed=seed) for seed, (name, shape) in enumerate(shapes.items(), 1)}


FULLY_MASKED = causal_mask(5) & (torch.arange(5) != 1)[:, None]
# name: (num_heads, num_kv_heads, options of matrices, mask)
CASES = {
    "one head": (1, 1, {"w_o": False}, None),
    "two heads": (2, 2, {}, None),
    "shared keys": (4, 2, {}, None),
    "one key for all": (4, 1, {}, None),
    "biases": (4, 2, {"biases": True}, None),
    "biases without w_o": (2, 2, {"w_o": False, "biases": True}, None),
    "masked": (4, 2, {}, causal_mask(5)),
    "fully masked row": (4, 2, {}, FULLY_MASKED),
}


class Case:
    def __init__(self, num_heads, kv_heads, options, mask):
        self.counts = {"num_heads": num_heads, "num_kv_heads": kv_heads}
        self.options = options
        self.weights = matrices(num_heads, kv_heads, **options)
        self.trace = multi_head_attention(normal(5, 4), **self.weights, **self.counts, mask=mask)
        self.w_o, self.b_o = self.weights.get("w_o"), self.weights.get("b_o")


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return Case(*request.param)


def test_the_parameters_are_those_of_the_matrices_and_the_cache_is_keys_and_values(case):
    sizes = {"head_dim": 3, "value_dim": 2, "w_o": True} | case.options
    cost = heads.cost(4, **case.counts, **sizes)
    counted = [matrix for name, matrix in case.weights.items() if case.w_o is not None or name != "b_o"]
    assert cost.parameters == sum(matrix.numel() for matrix in counted)
    assert cost.cache == (case.trace.key.numel() + case.trace.value.numel()) // 5
    assert cost.kv_heads == case.counts["num_kv_heads"]


def test_costs_by_hand():
    costs = heads.costs(4, 4, 1, 1)
    assert [(c.kv_heads, c.parameters, c.cache) for c in costs] == [(4, 64, 8), (2, 48, 4), (1, 40, 2)]


def test_the_heads_parts_and_the_bias_sum_to_the_output(case):
    total = heads.contributions(case.trace, case.w_o).sum(dim=0)
    close(total + (0 if case.b_o is None else case.b_o), case.trace.output)


def test_without_w_o_a_head_s_part_is_its_columns():
    case = Case(*CASES["biases without w_o"])
    first, second = heads.contributions(case.trace, None)
    close(first[:, :2], case.trace.concatenated[:, :2])
    close(second[:, 2:], case.trace.concatenated[:, 2:])
    assert not first[:, 2:].any() and not second[:, :2].any()


def test_a_head_that_is_off_is_a_head_with_rows_of_zeros_in_w_o(case):
    zeroed = torch.eye(case.trace.concatenated.shape[-1]).double() if case.w_o is None else case.w_o.clone()
    zeroed[-2:] = 0
    expected = case.trace.concatenated @ zeroed + (0 if case.b_o is None else case.b_o)
    last = case.counts["num_heads"] - 1
    close(heads.without_heads(case.trace, case.w_o, frozenset({last})), expected)
    close(heads.without_heads(case.trace, case.w_o, frozenset()), case.trace.output)


def test_the_loss_of_a_head_is_measured_on_the_output_without_it(case):
    for head, loss in enumerate(heads.losses(case.trace, case.w_o)):
        without = heads.without_heads(case.trace, case.w_o, frozenset({head}))
        share = (case.trace.output - without).norm() / case.trace.output.norm()
        assert loss == pytest.approx(share.item())


def test_an_output_of_zeros_loses_nothing():
    weights = matrices(2, 2)
    weights["w_o"].zero_()
    trace = multi_head_attention(normal(5, 4), **weights, num_heads=2)
    assert heads.losses(trace, weights["w_o"]) == [0.0, 0.0]


def test_one_projection_a_head_gives_the_same_numbers(case):
    queries, output = heads.one_projection_a_head(case.trace, case.weights, **case.counts)
    close(queries, case.trace.heads.query)
    close(output, case.trace.output)


def test_one_projection_a_head_with_another_masked_score_and_two_inputs():
    weights = matrices(2, 1, biases=True)
    options = {"num_heads": 2, "num_kv_heads": 1, "masked_score": -1e9}
    mask = torch.tensor([[False, False, False], [True, False, True]])
    trace = multi_head_attention(normal(2, 4), normal(3, 4, seed=9), **weights, **options, mask=mask)
    queries, output = heads.one_projection_a_head(trace, weights, **options)
    close(queries, trace.heads.query)
    close(output, trace.output)


# ---- PyTorch's layer


@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize("num_heads", [1, 2])
def test_the_torch_module_gives_the_core_s_output(num_heads, biases):
    weights = matrices(num_heads, num_heads, d_k=4 // num_heads, d_v=4 // num_heads, biases=biases)
    x = normal(5, 4)
    module = heads.torch_module(weights, num_heads)
    close(module(x, x, x)[0], multi_head_attention(x, **weights, num_heads=num_heads).output)


@pytest.mark.parametrize("mask", [None, causal_mask(5)])
def test_output_and_gradient_beside_torch(mask):
    weights = matrices(2, 2, d_k=2, d_v=2, biases=True)
    result = heads.beside_torch(normal(5, 4), weights, 2, mask=mask)
    assert max(result.output, result.gradient) < 1e-12 * max(1, result.largest)
    assert (
        result.largest
        == multi_head_attention(normal(5, 4), **weights, num_heads=2, mask=mask).output.abs().max()
    )


def test_a_difference_is_seen(monkeypatch):
    weights = matrices(2, 2, d_k=2, d_v=2)
    wrong = heads.torch_module(weights | {"w_q": -weights["w_q"]}, 2)
    monkeypatch.setattr(heads, "torch_module", lambda *inputs: wrong)
    result = heads.beside_torch(normal(5, 4), weights, 2)
    assert min(result.output, result.gradient) > 1e-3


@pytest.mark.parametrize(
    "weights",
    [
        matrices(1, 1, d_k=4, d_v=4, w_o=False),
        matrices(2, 2, d_k=3, d_v=2),
        matrices(2, 1, d_k=2, d_v=2),
        {name: m for name, m in matrices(2, 2, d_k=2, d_v=2, biases=True).items() if name != "b_k"},
    ],
    ids=["no w_o", "d_k is not d_v", "shared keys", "some biases"],
)
def test_what_the_torch_module_cannot_hold(weights):
    assert heads.torch_module(weights, 2) is None
    assert heads.beside_torch(normal(5, 4), weights, 2) is None


@limits(deadline=None)
@given(st.integers(1, 16))
def test_the_first_count_that_does_not_divide(d_model):
    result = heads.first_that_does_not_divide(d_model, 8)
    smaller = range(2, 9 if result is None else result)
    assert all(d_model % count == 0 for count in smaller)
    assert result is None or d_model % result


# ---- key/value heads pooled into groups


def test_pooling_by_hand():
    matrix = torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]])  # 4 heads of width 2
    assert sharing.pooled(matrix, 4, 2).tolist() == [[2.0, 3.0, 6.0, 7.0]]
    assert sharing.pooled(matrix, 4, 1).tolist() == [[4.0, 5.0]]
    assert sharing.pooled(matrix, 4, 4).equal(matrix)
    assert sharing.pooled(matrix[0], 4, 1).tolist() == [4.0, 5.0]  # a bias


def test_as_many_groups_as_heads_change_nothing():
    groups = sharing.share(normal(5, 4), matrices(4, 4, biases=True), num_heads=4, groups=4)
    assert not groups.moved.any() and groups.output_change == 0


def test_heads_with_the_same_keys_and_values_lose_nothing_by_sharing():
    weights = matrices(4, 2, biases=True)
    for name, dim in (("w_k", 3), ("w_v", 2), ("b_k", 3), ("b_v", 2)):  # each head twice: 0 0 1 1
        blocks = weights[name].unflatten(-1, (2, dim)).repeat_interleave(2, dim=-2)
        weights[name] = blocks.flatten(-2)
    groups = sharing.share(normal(5, 4), weights, num_heads=4, groups=2, mask=causal_mask(5))
    close(groups.moved, torch.zeros(4, 5, dtype=torch.float64))
    assert groups.output_change < 1e-12


def test_sharing_moves_the_weights_and_leaves_the_queries():
    x, weights = normal(5, 4), matrices(4, 4)
    two, one = (sharing.share(x, weights, num_heads=4, groups=groups) for groups in (2, 1))
    for result in (two, one):
        assert result.shared.query.equal(result.full.query)
        assert result.shared.heads.weights.shape == result.full.heads.weights.shape == (4, 5, 5)
        assert result.moved.shape == (4, 5)
        half = (result.full.heads.weights - result.shared.heads.weights).abs().sum(-1) / 2
        close(result.moved, half)
        assert result.moved.mean() > 0.01 and result.moved.max() <= 1
        change = (result.full.output - result.shared.output).norm() / result.full.output.norm()
        assert math.isclose(result.output_change, change.item())
    assert two.shared.key.shape == (5, 6) and one.shared.key.shape == (5, 3)


def test_the_pooled_key_is_the_mean_of_the_heads_keys():
    """Projection is linear, so pooling the matrices pools the keys."""
    groups = sharing.share(normal(5, 4), matrices(4, 4), num_heads=4, groups=1)
    close(groups.shared.key, groups.full.key.unflatten(-1, (4, 3)).mean(dim=-2))
