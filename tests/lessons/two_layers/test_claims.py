"""What the texts of the lesson claim, with seeds that they do not mention."""

import pytest
import torch

from attention import multi_head_attention
from attention.lab.two_layers import TwoLayersOptions, by_hand, hand_made, train
from pages.lessons.two_layers.runs import SEEDS
from pages.lessons.two_layers.train import MOST_WEIGHT, SOLVED


@pytest.mark.slow
@pytest.mark.parametrize("seed", [31, 37])
def test_one_layer_guesses_among_the_letters_it_knows(seed):
    assert 1 / 6 + 0.05 < train(TwoLayersOptions(1, seed)).last.accuracy < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [SEEDS, range(60, 66)])
def test_most_seeds_and_not_all_find_an_induction_head(seeds):
    ends = [train(TwoLayersOptions(2, seed)).last for seed in seeds]
    solved = sum(last.accuracy >= SOLVED for last in ends)
    assert solved == len(seeds) if seeds == SEEDS else solved >= len(seeds) - 1  # a run can be slower
    heads = sum(last.induction >= MOST_WEIGHT for last in ends)
    assert len(seeds) / 2 < heads < len(seeds) + (seeds != SEEDS)


def test_the_model_by_hand_needs_the_path_to_the_keys_alone():
    model = hand_made()
    right = dict.fromkeys(("none", "query", "key", "value"), 0)
    for words in by_hand.sequences():
        x = by_hand.inputs(words)
        stream = x + by_hand.attend(x, model.layers[0]).output
        for name in right:
            inputs = [x if side == name else stream for side in ("query", "key", "value")]
            output = multi_head_attention(
                *inputs, **model.layers[1], mask=torch.ones(4, 4).tril().bool(), scale=1.0
            ).output
            answer = by_hand.LETTERS[int((stream + output)[-1, by_hand.OWN].argmax())]
            right[name] += answer == by_hand.right_answer(words)
    count = len(by_hand.sequences())
    assert right["none"] == right["query"] == right["value"] == count
    assert right["key"] <= count / 2


def test_a_head_reads_no_other_head_of_its_layer():
    """Other matrices of head 1 leave what head 2 adds to the stream as it is."""
    generator = torch.Generator().manual_seed(77)
    x, *weights = (
        torch.randn(rows, cols, generator=generator, dtype=torch.float64)
        for rows, cols in ((5, 6), (6, 4), (6, 4), (6, 4))
    )
    names = ("w_q", "w_k", "w_v")
    before = multi_head_attention(x, **dict(zip(names, weights, strict=True)), num_heads=2)
    for matrix in weights:
        matrix[:, :2] += 1.0
    after = multi_head_attention(x, **dict(zip(names, weights, strict=True)), num_heads=2)
    assert torch.equal(before.head(1).output, after.head(1).output)
    assert not torch.equal(before.head(0).output, after.head(0).output)
