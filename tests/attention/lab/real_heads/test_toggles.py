import math

import pytest
import torch

from attention import AttentionError, causal_mask
from attention.lab.real_heads.store import load
from attention.lab.real_heads.toggles import (
    exchanged,
    is_special,
    mask_without,
    trace_of,
    traces_of,
)

TIRED = load("tired")


def test_one_head_is_the_same_alone_as_among_all():
    trace, all_of_them = trace_of(TIRED, 5, 11), traces_of(TIRED)
    torch.testing.assert_close(trace.weights, all_of_them.weights[5, 11])
    torch.testing.assert_close(trace.output, all_of_them.output[5, 11])
    assert trace.query.shape == (15, 32)


def test_a_head_that_is_not_there_is_said():
    for layer, head, argument in ((6, 0, "layer"), (0, 12, "head"), (-1, 0, "layer")):
        with pytest.raises(AttentionError) as caught:
            trace_of(TIRED, layer, head)
        assert (caught.value.code, caught.value.argument) == ("out_of_range", argument)


def test_a_mask_acts_on_the_real_numbers():
    trace = trace_of(TIRED, 5, 11, mask=causal_mask(15))
    assert (trace.weights.triu(1) == 0).all()
    assert trace.weights[0, 0] == 1


def test_a_larger_scale_sharpens():
    as_it_is, sharp = trace_of(TIRED, 5, 11), trace_of(TIRED, 5, 11, scale=10 / math.sqrt(32))
    torch.testing.assert_close(sharp.scaled_scores, 10 * as_it_is.scaled_scores)
    assert (sharp.weights.amax(-1) >= as_it_is.weights.amax(-1)).all()


def test_without_special_tokens_the_others_share_their_weight():
    special = is_special(TIRED)
    assert special.nonzero().flatten().tolist() == [0, 14]
    before = trace_of(TIRED, 2, 7).weights
    after = trace_of(TIRED, 2, 7, mask=mask_without(special)).weights
    assert (after[:, special] == 0).all()
    rest = before[:, ~special]
    torch.testing.assert_close(after[:, ~special], rest / rest.sum(-1, keepdim=True))


def test_exchanged_rows_only_move_the_weights():
    one, other = TIRED.tokens.index("animal"), TIRED.tokens.index("street")
    moved = exchanged(TIRED, one, other)
    assert (moved.tokens[one], moved.tokens[other]) == ("street", "animal")
    order = list(range(15))
    order[one], order[other] = other, one
    before, after = traces_of(TIRED), traces_of(moved)
    torch.testing.assert_close(after.weights, before.weights[..., order, :][..., order])
    torch.testing.assert_close(after.output, before.output[..., order, :])
    assert torch.equal(moved.model_weights[..., 10, one], TIRED.model_weights[..., 10, other])


def test_the_model_gives_other_numbers_for_the_exchanged_words():
    """Where the rows are only exchanged, “it” puts the same weight on “animal” as before."""
    model = load("exchanged")
    one, other = TIRED.tokens.index("animal"), TIRED.tokens.index("street")
    moved = exchanged(TIRED, one, other)
    assert moved.tokens == model.tokens
    assert (moved.model_weights - model.model_weights).abs().max() > 0.1


def test_a_place_that_is_not_there_is_said():
    with pytest.raises(AttentionError, match="other: expected 0 to 14, got 15"):
        exchanged(TIRED, 0, 15)
