"""Every function that makes a tensor makes it on the device it is given, with the same shape and dtype."""

import pytest
import torch

from attention import (
    alibi_bias,
    block_diagonal_mask,
    causal_mask,
    padding_mask,
    prefix_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    sliding_window_mask,
)

LENGTHS = torch.tensor([2, 3])
MAKERS = {
    "causal": lambda **device: causal_mask(3, 5, **device),
    "causal lower right": lambda **device: causal_mask(3, 5, alignment="lower_right", **device),
    "prefix": lambda **device: prefix_mask(3, 5, prefix=2, **device),
    "window": lambda **device: sliding_window_mask(3, 5, left=1, right=None, **device),
    "padding": lambda **device: padding_mask([2, 3], 5, **device),
    "padding, a tensor": lambda **device: padding_mask(LENGTHS, 5, **device),
    "blocks": lambda **device: block_diagonal_mask([2, 3], [1, 4], **device),
    "blocks, a tensor": lambda **device: block_diagonal_mask(LENGTHS, LENGTHS, **device),
    "sinusoidal": lambda **device: sinusoidal_encoding(3, 5, **device),
    "sinusoidal float64": lambda **device: sinusoidal_encoding(3, 5, dtype=torch.float64, **device),
    "alibi": lambda **device: alibi_bias(6, 3, 5, alignment="lower_right", **device),
    "alibi float64": lambda **device: alibi_bias(6, 3, 3, dtype=torch.float64, **device),
}
every_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@every_maker
@pytest.mark.parametrize("device", ["meta", torch.device("meta")])
def test_it_is_made_where_it_is_asked_for(make, device):
    here, there = make(), make(device=device)
    assert (here.device.type, there.device.type) == ("cpu", "meta")
    assert (there.shape, there.dtype) == (here.shape, here.dtype)


@every_maker
def test_a_named_cpu_gives_the_same_numbers(make):
    assert make(device="cpu").equal(make())


@pytest.mark.parametrize("name", [name for name in MAKERS if "a tensor" not in name])
def test_the_default_device_is_torch_s_own(name):
    with torch.device("meta"):
        assert MAKERS[name]().device.type == "meta"


def test_a_mask_is_made_where_the_lengths_are():
    with torch.device("meta"):
        assert padding_mask(LENGTHS, 5).device.type == "cpu"
        assert block_diagonal_mask(LENGTHS).device.type == "cpu"


def test_what_is_made_on_a_device_goes_into_attention_there():
    x = torch.empty(6, 5, 4, device="meta")
    query = rotary_embedding(x + sinusoidal_encoding(5, 4, device="meta"))
    bias, mask = alibi_bias(6, 5, 5, device="meta"), causal_mask(5, device="meta")
    trace = scaled_dot_product_attention(query, query, x, mask=mask, bias=bias)
    assert trace.output.device.type == "meta"
    assert trace.output.shape == (6, 5, 4)
