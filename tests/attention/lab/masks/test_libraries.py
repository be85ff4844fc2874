"""What PyTorch does with a mask now; which path its layer takes, watched by its own profiler."""

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.masks import libraries, masking
from tests.attention.numbers import head, normal

X = normal(3, 4, seed=3)
OPEN = torch.ones(3, 3, dtype=torch.bool)


@pytest.mark.parametrize("row", range(3))
def test_what_torch_gives_a_fully_masked_row(row):
    outcomes = libraries.torch_outcomes(head(), masking.with_fully_masked_row(OPEN, row), row)
    assert [kind for _, kind in outcomes] == ["zero", "nan", "alike"]


@pytest.mark.parametrize("row", range(3))
def test_the_layer_gives_nan_on_its_fast_path_and_where_it_returns_weights_and_else_0(row):
    outcomes = libraries.layer_outcomes(X, masking.with_fully_masked_row(OPEN, row), row)
    assert len(outcomes) == len(libraries.LAYER_CALLS)
    for call, kind in outcomes:
        assert kind == ("nan" if call.path == "fast" or call.need_weights else "zero"), call.name


@pytest.mark.parametrize("call", libraries.LAYER_CALLS, ids=lambda call: call.name)
def test_the_path_is_the_one_that_is_named(call):
    with profile(activities=[ProfilerActivity.CPU]) as watched:
        libraries.layer_output(X, causal_mask(3), call)
    fast = any(event.key == "aten::_native_multi_head_attention" for event in watched.key_averages())
    assert fast == (call.path == "fast")


def test_with_the_fast_path_switched_off_the_same_call_gives_0():
    mask = masking.with_fully_masked_row(OPEN, 0)
    fast = next(call for call in libraries.LAYER_CALLS if call.path == "fast" and not call.need_weights)
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        assert (libraries.layer_output(X, mask, fast)[0] == 0).all()
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


@pytest.mark.parametrize("call", libraries.LAYER_CALLS, ids=lambda call: call.name)
def test_the_layer_s_numbers_are_attention_s_where_no_row_is_fully_masked(call):
    x = torch.cat((X, X), -1).float()
    width = x.shape[-1] // call.num_heads
    heads = x.unflatten(-1, (call.num_heads, width)).transpose(0, 1)
    ours = scaled_dot_product_attention(heads, heads, heads, mask=causal_mask(3)).output
    theirs = libraries.layer_output(X, causal_mask(3), call)
    torch.testing.assert_close(theirs, ours.transpose(0, 1).flatten(-2), rtol=1e-4, atol=1e-5)


def test_what_was_measured_elsewhere_names_its_version():
    assert {kind for _, kind, _ in libraries.MEASURED} == {"zero", "nan", "alike"}
    assert all(any(c.isdigit() for c in where) for *_, where in libraries.MEASURED)
    assert len({call for call, *_ in libraries.MEASURED}) == len(libraries.MEASURED)


@pytest.mark.parametrize("seed", range(3))
def test_passing_a_mask_on_to_the_layer_turns_it_round(seed):
    one, mask = head(seed=seed), causal_mask(3)
    theirs = libraries.layer_weights(one, mask)
    torch.testing.assert_close(theirs.nan_to_num(), masking.attend(one, ~mask).weights)
    assert theirs.isnan().any(-1).tolist() == [False, False, True]
    assert libraries.polarity(one, mask) == "turned"


def test_a_mask_that_the_layer_refuses_is_an_error():
    assert libraries.polarity(head(), torch.zeros(3, 4, dtype=torch.bool)) == "error"


def test_both_forms_of_a_mask_give_the_same_output():
    assert libraries.forms_difference(head(), causal_mask(3)) < 1e-12
