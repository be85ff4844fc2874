"""Encodings against plain loops, and the properties that make them useful."""

import math

import pytest
import torch

from attention import (
    alibi_bias,
    rotary_embedding,
    scaled_dot_product_attention,
    sinusoidal_encoding,
)
from tests.support.tolerance import close


def rows(values):
    return torch.tensor(values, dtype=torch.float64)


# Sinusoidal


@pytest.mark.parametrize("dim", [1, 2, 5, 8])
@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_sinusoidal_is_the_loop(dim, base):
    wave = (math.sin, math.cos)
    expected = [
        [wave[column % 2](position / base ** ((column - column % 2) / dim)) for column in range(dim)]
        for position in range(7)
    ]
    close(sinusoidal_encoding(7, dim, base=base, dtype=torch.float64), rows(expected))


def test_without_a_base_it_is_that_of_the_paper():
    assert sinusoidal_encoding(7, 8).equal(sinusoidal_encoding(7, 8, base=10000.0))


def test_position_zero_is_sine_and_cosine_of_zero():
    assert sinusoidal_encoding(1, 5).tolist() == [[0.0, 1.0, 0.0, 1.0, 0.0]]


def test_sinusoidal_rows_turn_by_the_same_angle_a_step():
    # the dot product of two rows depends on their distance only
    encoding = sinusoidal_encoding(11, 6, dtype=torch.float64)
    products = encoding @ encoding.T
    close(products.diagonal(3), products[0, 3].expand(8))


def test_sinusoidal_is_computed_in_float64():
    expected = sinusoidal_encoding(100_000, 4, dtype=torch.float64)[-1].to(torch.float32)
    assert sinusoidal_encoding(100_000, 4)[-1].equal(expected)


def test_sinusoidal_dtype_defaults_to_the_default_dtype():
    assert sinusoidal_encoding(3, 4).dtype == torch.get_default_dtype()
    assert sinusoidal_encoding(3, 4, dtype=torch.bfloat16).dtype == torch.bfloat16


def test_sinusoidal_of_no_positions():
    assert sinusoidal_encoding(0, 5).shape == (0, 5)


# Rotary


def rotated(row, position, base, pairs):
    """One row by the definition: each pair of dimensions is a point of the plane, turned by its angle."""
    result = list(row)
    for k, (first, second) in enumerate(pairs):
        angle = position * base ** (-2 * k / (2 * len(pairs)))
        a, b = row[first], row[second]
        result[first] = a * math.cos(angle) - b * math.sin(angle)
        result[second] = a * math.sin(angle) + b * math.cos(angle)
    return result


HALVES = [(0, 3), (1, 4), (2, 5)]
PAIRS = [(0, 1), (2, 3), (4, 5)]


def test_a_quarter_turn_by_hand():
    # position π/2 of base^0 = 1: (1, 0) becomes (0, 1) and (0, 1) becomes (-1, 0)
    x = rows([[1, 0], [0, 1]])
    turned = rotary_embedding(x, positions=rows([math.pi / 2, math.pi / 2]))
    close(turned, rows([[0, 1], [-1, 0]]))


@pytest.mark.parametrize(("interleaved", "pairs"), [(False, HALVES), (True, PAIRS)])
@pytest.mark.parametrize("base", [10000.0, 50])
def test_rotary_is_the_loop(normal, interleaved, pairs, base):
    x = normal(5, 6)
    expected = [rotated(row, position, base, pairs) for position, row in enumerate(x.tolist())]
    close(rotary_embedding(x, base=base, interleaved=interleaved), rows(expected))


def test_halves_are_pairs_in_another_order(normal):
    x, order = normal(2, 5, 6), [0, 3, 1, 4, 2, 5]
    close(rotary_embedding(x)[..., order], rotary_embedding(x[..., order], interleaved=True))


@pytest.mark.parametrize("interleaved", [False, True])
def test_scores_depend_on_the_distance_only(normal, interleaved):
    query, key = normal(1, 6).expand(11, 6), normal(1, 6).expand(11, 6)
    query, key = (rotary_embedding(x, interleaved=interleaved) for x in (query, key))
    scores = scaled_dot_product_attention(query, key, key).scores
    for distance in (-4, 0, 3):
        diagonal = scores.diagonal(distance)
        close(diagonal, diagonal[0].expand_as(diagonal))
    assert (scores[0, 0] - scores[0, 5]).abs() > 1e-3


def test_rotation_keeps_the_norm(normal):
    x = normal(2, 3, 5, 8)
    close(rotary_embedding(x).norm(dim=-1), x.norm(dim=-1))


def test_position_zero_is_not_turned(normal):
    x = normal(1, 6)
    assert rotary_embedding(x).equal(x)


def test_dimensions_past_rotary_dim_stay(normal):
    x = normal(5, 7)
    turned = rotary_embedding(x, rotary_dim=4)
    assert turned[:, 4:].equal(x[:, 4:])
    close(turned[:, :4], rotary_embedding(x[:, :4]))


def test_positions_may_start_later(normal):
    x = normal(7, 6)
    later = rotary_embedding(x[3:], positions=torch.arange(3, 7))
    close(later, rotary_embedding(x)[3:])


def test_positions_of_each_batch_entry(normal):
    x, positions = normal(2, 3, 5, 6), torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 7, 8]])
    turned = rotary_embedding(x, positions=positions[:, None, :])
    for entry in range(2):
        close(turned[entry], rotary_embedding(x[entry], positions=positions[entry]))


def test_rotary_angles_are_computed_in_float64(normal):
    x, far = normal(1, 4), torch.tensor([1_000_003])
    expected = rotary_embedding(x, positions=far)
    actual = rotary_embedding(x.float(), positions=far)
    assert actual.dtype == torch.float32
    torch.testing.assert_close(actual.double(), expected, rtol=0, atol=1e-6)


def test_rotary_does_not_modify_its_input(normal):
    x = normal(5, 6)
    before = x.clone()
    turned = rotary_embedding(x, rotary_dim=0)
    assert turned.equal(before)
    assert turned.data_ptr() != x.data_ptr()


def test_gradients_turn_back(normal):
    # the gradient of a rotation is the rotation the other way round
    x = normal(5, 6).requires_grad_()
    out = normal(5, 6)
    rotary_embedding(x).backward(out)
    close(x.grad, rotary_embedding(out, positions=-torch.arange(5)))


# ALiBi

POWER_OF_TWO = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
BETWEEN = [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]


@pytest.mark.parametrize(
    ("num_heads", "slopes"),
    [
        (1, [1 / 256]),
        (2, [1 / 16, 1 / 256]),
        (3, [1 / 16, 1 / 256, 1 / 4]),
        (8, POWER_OF_TWO),
        (12, POWER_OF_TWO + BETWEEN),
    ],
)
def test_alibi_slopes(num_heads, slopes):
    # one step away the bias is minus the slope
    close(-alibi_bias(num_heads, 2, 2, dtype=torch.float64)[:, 0, 1], rows(slopes))


@pytest.mark.parametrize("alignment", ["upper_left", "lower_right"])
@pytest.mark.parametrize(("q_len", "kv_len"), [(5, 5), (3, 7), (7, 3)])
def test_alibi_is_the_loop(alignment, q_len, kv_len):
    shift = {"upper_left": 0, "lower_right": kv_len - q_len}[alignment]
    expected = [
        [[-slope * abs(i + shift - j) for j in range(kv_len)] for i in range(q_len)] for slope in POWER_OF_TWO
    ]
    bias = alibi_bias(8, q_len, kv_len, alignment=alignment, dtype=torch.float64)
    close(bias, rows(expected))


def test_on_a_square_the_alignment_need_not_be_named():
    for alignment in ("upper_left", "lower_right"):
        assert alibi_bias(3, 5, 5).equal(alibi_bias(3, 5, 5, alignment=alignment))


def test_with_a_cache_the_wrong_alignment_penalises_the_newest_key_most():
    # one new query after four cached keys
    assert alibi_bias(1, 1, 5, alignment="upper_left").argmin() == 4
    assert alibi_bias(1, 1, 5, alignment="lower_right").argmax() == 4


def test_alibi_dtype_defaults_to_the_default_dtype():
    assert alibi_bias(2, 3, 3).dtype == torch.get_default_dtype()
    assert alibi_bias(2, 3, 3, dtype=torch.float16).dtype == torch.float16


def test_alibi_goes_straight_into_attention(normal):
    query, key = normal(4, 5, 11), normal(4, 7, 11)
    bias = alibi_bias(4, 5, 7, alignment="lower_right", dtype=torch.float64)
    trace = scaled_dot_product_attention(query, key, key, bias=bias)
    assert trace.biased_scores.equal(trace.scaled_scores + bias)
