import math
from fractions import Fraction

import pytest
import torch

from attention.lab.real_heads.pronouns import (
    Verdicts,
    coin,
    control,
    finds,
    luckiest_of,
    mean_of,
    on,
    selectivity,
    verdicts,
    weights_on_nouns,
)
from attention.lab.real_heads.store import HeadPattern, load
from attention.lab.real_heads.texts import ANECDOTE, PAIRS, TEXTS, TRIALS


def test_right_answers_and_whole_pairs_are_counted():
    result = torch.zeros(3, 2, 2, 2, dtype=torch.bool)  # pairs, sentences, layers, heads
    result[:, 0, 0, 0] = True  # the first noun always
    result[:2, :, 0, 1] = True  # two pairs wholly
    result[0, 0, 1, 0] = result[1, 1, 1, 0] = True  # one of each of two pairs
    counts = Verdicts(result)
    assert counts.right.tolist() == [[3, 4], [2, 0]]
    assert counts.pairs.tolist() == [[0, 2], [0, 0]]
    assert counts.same_noun.tolist() == [[3, 0], [2, 0]]


def test_the_pairs_differ_in_one_word_which_exchanges_right_and_wrong():
    assert len(PAIRS) == 8
    assert len({trial.name for trial in TRIALS}) == 16
    for first, second in PAIRS:
        words = [TEXTS[trial.name].split() for trial in (first, second)]
        changed = [a for a, b in zip(*words, strict=True) if a != b]
        assert changed == [first.name]
        assert (first.pronoun, first.right, first.wrong) == (second.pronoun, second.wrong, second.right)
        tokens = load(first.name).tokens
        assert tokens.index(first.right) < tokens.index(first.wrong) < tokens.index(first.pronoun)


def test_a_head_that_always_takes_the_first_noun_is_right_in_half():
    always_first = torch.tensor([[True, False]] * 8)[..., None, None]
    assert Verdicts(always_first).right.item() == 8
    assert Verdicts(always_first).same_noun.item() == 8


def test_verdicts_come_from_the_scores_of_the_pronoun():
    """The larger score is the larger weight; half precision agrees where it distinguishes them."""
    result = verdicts().right_noun
    assert result.shape == (8, 2, 6, 12)
    for i, pair in enumerate(PAIRS):
        for j, trial in enumerate(pair):
            sentence = load(trial.name)
            query, right, wrong = (sentence.tokens.index(word) for word in trial[1:])
            scores = (sentence.query[:, :, query, None] * sentence.key).sum(-1)
            assert torch.equal(result[i, j], scores[..., right] > scores[..., wrong])
            row = sentence.model_weights[:, :, query]
            differ = (row[..., right] - row[..., wrong]).abs() > 2.0**-11 * (
                row[..., right] + row[..., wrong]
            )
            assert torch.equal(result[i, j][differ], (row[..., right] > row[..., wrong])[differ])
            assert differ.sum() >= 70


def test_weights_that_are_0_in_half_precision_are_still_compared():
    """Layer 1, head 3, “given”: both are 0 in the file, and from Q and K the right one is larger."""
    trial = PAIRS[7][1]
    sentence = load(trial.name)
    assert on(sentence, "she", "maria")[0, 2] == on(sentence, "she", "anna")[0, 2] == 0
    right, wrong = (weight[0, 2].item() for weight in weights_on_nouns(trial))
    assert right > 1e4 * wrong > 0 and finds(trial)[0, 2]


def test_right_answers_of_all_heads():
    right, same = verdicts().right.flatten(), verdicts().same_noun.flatten()
    assert torch.bincount(right, minlength=17).tolist() == [0] * 7 + [8, 57, 7] + [0] * 7
    assert int((same == 8).sum()) == 55


def test_the_anecdote():
    """“it” on “animal” and on “street” in layer 6, head 12, which puts most on “animal” where it is right."""
    tired, wide = (load(trial.name) for trial in ANECDOTE)
    best = divmod(int(on(tired, "it", "animal").argmax()), 12)
    assert best == (5, 11)
    assert on(tired, "it", "animal")[best].item() == pytest.approx(0.65, abs=0.005)
    assert on(wide, "it", "animal")[best].item() == pytest.approx(0.50, abs=0.005)
    assert on(wide, "it", "street")[best].item() == pytest.approx(0.04, abs=0.005)
    assert [finds(trial)[best].item() for trial in ANECDOTE] == [True, False]


def test_no_head_does_as_well_as_the_luckiest_coin():
    best = verdicts().right.max().item()
    assert best < mean_of(luckiest_of(72, 16))


@pytest.mark.parametrize("heads, n", [(1, 5), (3, 4), (72, 16)])
def test_the_luckiest_coin_by_exact_fractions(heads, n):
    one = [Fraction(math.comb(n, k), 2**n) for k in range(n + 1)]
    exact = [sum(one[: k + 1]) ** heads - sum(one[:k]) ** heads for k in range(n + 1)]
    assert luckiest_of(heads, n) == pytest.approx([float(chance) for chance in exact])
    assert sum(luckiest_of(heads, n)) == pytest.approx(1)


def test_two_coins_by_hand():
    """Of two coins thrown once each, none shows heads in a quarter of the cases."""
    assert luckiest_of(2, 1) == [0.25, 0.75]
    assert mean_of([0.25, 0.75]) == 0.75


def test_the_luckiest_of_72_gets_about_13():
    assert mean_of(luckiest_of(72, 16)) == pytest.approx(12.636, abs=0.001)


def test_the_control_by_hand():
    """Tokens a b c d: how c and d, and b, attend to a."""
    rows = [[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.5, 0.2, 0.2, 0.1], [0.3, 0.4, 0.2, 0.1]]
    whole = torch.tensor(rows, dtype=torch.float64).expand(6, 12, -1, -1)
    result = control(HeadPattern("a b c d", ("a", "b", "c", "d"), whole), "b", "a")
    numbers = (result.others, result.own[0, 0].item(), result.mean[0, 0].item(), int(result.tops[0, 0]))
    assert numbers == (2, 0.7, pytest.approx((0.5 + 0.3) / 2), 1)


def test_a_head_that_ignores_the_deciding_word_has_no_selectivity():
    trial = PAIRS[0][0]
    assert selectivity(((trial, trial._replace(right=trial.wrong, wrong=trial.right)),)).mean.abs().max() == 0


def test_one_coin_by_hand():
    assert coin(2) == [0.25, 0.5, 0.25] and sum(coin(16)) == pytest.approx(1)
