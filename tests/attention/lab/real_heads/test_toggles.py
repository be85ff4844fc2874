import pytest
import torch

from attention import AttentionError
from attention.lab.real_heads.store import load
from attention.lab.real_heads.toggles import (
    exchanged,
    trace_of,
)

TIRED = load("tired")


def test_a_head_that_is_not_there_is_said():
    for layer, head, argument in ((6, 0, "layer"), (0, 12, "head"), (-1, 0, "layer")):
        with pytest.raises(AttentionError) as caught:
            trace_of(TIRED, layer, head)
        assert (caught.value.code, caught.value.argument) == ("out_of_range", argument)


def test_the_model_gives_other_numbers_for_the_exchanged_words():
    """Where the rows are only exchanged, “it” puts the same weight on “animal” as before."""
    model = load("exchanged")
    one, other = TIRED.tokens.index("animal"), TIRED.tokens.index("street")
    moved = exchanged(TIRED, one, other)
    assert moved.tokens == model.tokens
    assert torch.equal(moved.model_weights[..., 10, one], TIRED.model_weights[..., 10, other])
    assert (moved.model_weights - model.model_weights).abs().max() > 0.1


def test_a_place_that_is_not_there_is_said():
    with pytest.raises(AttentionError, match="second: expected 0 to 14, got 15"):
        exchanged(TIRED, 0, 15)
