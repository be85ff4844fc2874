"""The four layers of the paper's table: counts by hand and by PyTorch's FLOP counter, paths by searching."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from attention import AttentionError, multi_head_attention
from attention.lab.cost import layers

sizes = st.integers(1, 60)
windows = st.integers(2, 9)


def found(n, d, **options):
    return {layer.name: layer for layer in layers.layers(n, d, **options)}


def test_counts_by_hand():
    by_name = found(10, 4, kernel=3, window=5)
    counted = {name: (layer.mixing, layer.projections) for name, layer in by_name.items()}
    assert counted == {
        "self_attention": (800, 640),
        "recurrent": (160, 160),
        "convolutional": (480, 0),
        "restricted": (400, 640),
    }
    assert [layer.sequential for layer in by_name.values()] == [1, 10, 1, 1]
    assert [layer.scores for layer in by_name.values()] == [100, 0, 0, 50]


def test_the_table_s_entries():
    by_name = found(64, 16, kernel=4, window=8)
    entries = {name: (layer.table_operations, layer.table_path) for name, layer in by_name.items()}
    assert entries == {
        "self_attention": (64 * 64 * 16, 1),
        "recurrent": (64 * 16 * 16, 64),
        "convolutional": (4 * 64 * 16 * 16, pytest.approx(3)),
        "restricted": (8 * 64 * 16, 8),
    }
    assert found(64, 16, kernel=4, window=8, dilated=False)["convolutional"].table_path == 16


def flops(run):
    """What PyTorch's counter says, in multiply–adds: it counts each as two operations."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        run()
    return counter.get_total_flops() // 2


@pytest.mark.parametrize(("n", "d", "heads"), [(10, 4, 1), (7, 12, 3)])
def test_self_attention_is_what_pytorch_counts(n, d, heads):
    x, w = torch.ones(n, d), torch.ones(d, d)
    counted = flops(lambda: multi_head_attention(x, w_q=w, w_k=w, w_v=w, w_o=w, num_heads=heads))
    layer = found(n, d, kernel=3, window=3)["self_attention"]
    assert layer.mixing + layer.projections == counted


def test_a_convolution_is_what_pytorch_counts():
    conv, x = nn.Conv1d(4, 4, 3, bias=False), torch.ones(1, 4, 12)  # two positions of padding before ten
    assert found(10, 4, kernel=3, window=3)["convolutional"].mixing == flops(lambda: conv(x))


def test_a_recurrent_layer_is_what_pytorch_counts():
    n, d = 10, 4
    x, w, u = torch.ones(n, d), torch.ones(d, d), torch.ones(d, d)

    def run():
        state = torch.zeros(1, d)
        for t in range(n):
            state = torch.tanh(x[t : t + 1] @ w + state @ u)

    layer = found(n, d, kernel=3, window=3)["recurrent"]
    assert layer.mixing + layer.projections == flops(run)


# ---- paths


def fewest_layers(n, reach):
    """Layers until token 0 has got to token n − 1, each token passing on to `reach(layer)` later ones."""
    there, count = {0}, 0
    while n - 1 not in there or count == 0:
        there = {later for token in there for later in reach(token, count) if later < n}
        count += 1
    return count


@given(sizes, windows, windows)
def test_no_way_is_shorter(n, kernel, window):
    options = {"kernel": kernel, "window": window}
    assert layers.path("self_attention", n, **options) == 1
    assert layers.path("recurrent", n, **options) == n
    restricted = fewest_layers(n, lambda token, layer: range(token, token + window))
    assert layers.path("restricted", n, **options) == restricted
    plain = fewest_layers(n, lambda token, layer: range(token, token + kernel))
    assert layers.path("convolutional", n, **options, dilated=False) == plain
    dilated = fewest_layers(n, lambda token, layer: [token + i * kernel**layer for i in range(kernel)])
    assert layers.path("convolutional", n, **options) == dilated


@given(sizes, windows)
def test_the_table_s_path_is_the_count_but_for_rounding(n, k):
    layer = found(n, 4, kernel=k, window=k)["convolutional"]
    assert layer.path == max(1, math.ceil(layer.table_path - 1e-9))


@given(sizes, windows, windows, st.sampled_from(layers.LAYERS), st.booleans())
def test_a_route_starts_at_the_first_token_and_ends_at_the_last(n, kernel, window, name, dilated):
    route = layers.route(name, n, kernel=kernel, window=window, dilated=dilated)
    assert route[0] == 0 and route[-1] == n - 1 and list(route) == sorted(route)
    hops = [b - a for a, b in pairwise(route)]
    if name == "restricted":
        assert max(hops) < window
    if name == "recurrent":
        assert hops == [0] + [1] * (n - 1)
    if name == "convolutional" and dilated:
        allowed = [{i * kernel**layer for i in range(kernel)} for layer in range(len(hops))]
        assert all(hop in steps for hop, steps in zip(hops, allowed, strict=True))


def test_routes_by_hand():
    options = {"kernel": 3, "window": 4}
    assert layers.route("self_attention", 9, **options) == (0, 8)
    assert layers.route("restricted", 9, **options) == (0, 3, 6, 8)
    assert layers.route("convolutional", 9, **options) == (0, 2, 8)
    assert layers.route("convolutional", 9, **options, dilated=False) == (0, 2, 4, 6, 8)
    assert layers.route("recurrent", 3, **options) == (0, 0, 1, 2)


@pytest.mark.parametrize("d", [8, 64])
def test_where_the_mixing_crosses(d):
    for lstm, factor in ((False, 1), (True, 4)):
        n = int(layers.crossing(d, lstm=lstm))
        at = found(n, d, kernel=3, window=3)
        assert at["self_attention"].mixing == factor * at["recurrent"].mixing
    at = found(d, d, kernel=3, window=3)
    assert at["self_attention"].table_operations == at["recurrent"].table_operations


@pytest.mark.parametrize("change", [{"kernel": 1}, {"window": 1}])
def test_a_window_of_one_position_carries_nothing(change):
    with pytest.raises(AttentionError) as caught:
        layers.layers(5, 4, **{"kernel": 3, "window": 3} | change)
    assert (caught.value.code, caught.value.argument) == ("out_of_range", next(iter(change)))


@given(sizes, sizes)
def test_with_the_projections_self_attention_always_takes_more_than_the_simplest_recurrent_layer(n, d):
    attention, recurrent = layers.layers(n, d, kernel=3, window=3)[:2]
    assert attention.mixing + attention.projections > recurrent.mixing + recurrent.projections


@pytest.mark.parametrize("d", [1, 8, 64])
def test_an_lstm_crosses_at_the_same_length_with_and_without_projections(d):
    attention, recurrent = layers.layers(2 * d, d, kernel=3, window=3)[:2]
    assert attention.mixing == 4 * recurrent.mixing
    both = attention.mixing + attention.projections
    assert both == 4 * (recurrent.mixing + recurrent.projections)
