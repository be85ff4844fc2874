import math

import pytest
import torch

from attention.lab.real_heads.measure import MEASURES, equals, measure, pattern_means
from attention.lab.real_heads.store import HeadPattern, load, ordinary

TOKENS = ("[CLS]", "a", "b", "a", "[SEP]")
# Every number is a different one, so that no two measures can be confused.
WEIGHTS = torch.tensor(
    [
        [0.50, 0.20, 0.15, 0.10, 0.05],
        [0.30, 0.06, 0.14, 0.40, 0.10],
        [0.12, 0.48, 0.16, 0.02, 0.22],
        [0.01, 0.33, 0.26, 0.31, 0.09],
        [0.04, 0.07, 0.08, 0.70, 0.11],
    ],
    dtype=torch.float64,
)


def pattern(weights=WEIGHTS, tokens=TOKENS):
    """The same weights in every head but one, which attends to each token itself."""
    whole = weights.expand(6, 12, -1, -1).clone()
    whole[3, 7] = torch.eye(len(tokens))
    return HeadPattern("a b a", tokens, whole)


def test_each_measure_by_hand():
    measurement = measure([pattern()])
    expected = {
        "previous": (0.30 + 0.48 + 0.26 + 0.70) / 4,
        "next": (0.20 + 0.14 + 0.02 + 0.09) / 4,
        "first": (0.50 + 0.30 + 0.12 + 0.01 + 0.04) / 5,
        "last": (0.05 + 0.10 + 0.22 + 0.09 + 0.11) / 5,
        "itself": (0.50 + 0.06 + 0.16 + 0.31 + 0.11) / 5,
        "same_word": (0.40 + 0.33) / 2,
        "entropy": -sum(w * math.log2(w) for w in WEIGHTS.flatten().tolist()) / 5,
    }
    assert tuple(measurement.means) == MEASURES
    for name, mean in expected.items():
        assert measurement.means[name].shape == (6, 12)
        assert measurement.means[name][0, 0].item() == pytest.approx(mean), name
    assert measurement.sentences == 1
    assert list(measurement.queries.values()) == [4, 4, 5, 5, 5, 2, 5]


def test_the_head_that_stands_out_is_named():
    measurement = measure([pattern()])
    assert measurement.best("itself") == (3, 7)
    assert measurement.means["itself"][3, 7] == 1
    assert measurement.means["entropy"][3, 7] == 0
    assert (measurement.means["previous"] > 0.4).sum() == 71


def test_several_sentences_are_weighed_by_their_queries():
    short = pattern(torch.eye(2, dtype=torch.float64), ("[CLS]", "[SEP]"))
    measurement = measure([pattern(), short])
    assert measurement.queries["first"] == 7
    assert measurement.means["first"][0, 0].item() == pytest.approx((0.97 + 1) / 7)
    assert measurement.queries["same_word"] == 2


def test_equal_tokens_in_other_places():
    equal = equals(("a", "b", "a", "a"))
    assert equal.nonzero().tolist() == [[0, 2], [0, 3], [2, 0], [2, 3], [3, 0], [3, 2]]


def test_the_real_heads():
    measurement = pattern_means()
    assert measurement.sentences == len(ordinary()) >= 40
    assert measurement.best("previous") == (0, 2)  # layer 1, head 3: wholly
    assert measurement.means["previous"][0, 2] > 0.999
    assert (measurement.means["previous"] > 0.9).sum() == 1
    assert (measurement.means["first"] > 0.5).sum() > 72 / 3
    mean_of_first = load("tired").model_weights[..., 0].mean(-1)
    assert int((mean_of_first > 0.5).sum()) == 32
