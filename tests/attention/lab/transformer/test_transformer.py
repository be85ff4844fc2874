"""The small model: against plain PyTorch, its sentences, its training, the next word, and its depth."""

import inspect
import math

import pytest
import torch

from attention import AttentionError
from attention.lab.transformer import (
    SENTENCES,
    ModelOptions,
    best_loss,
    continued,
    evaluate_model,
    fresh_model,
    model_trace,
    shaped,
    spread,
    spread_by_depth,
    train_model,
    trained_model,
)
from attention.lab.transformer.model import IN_BLOCK, shapes_of
from attention.lab.transformer.plain import plain_model
from attention.lab.transformer.trained import SEED
from tests.support.tolerance import close

TOKENS = torch.tensor(SENTENCES[4][:-1])
ELSEWHERE = (11, 23, 58)  # seeds that no text names


@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("blocks", [1, 3])
def test_the_model_is_the_one_in_plain_pytorch(blocks, heads):
    options = ModelOptions(blocks=blocks, heads=heads, seed=7)
    matrices = fresh_model(options)
    for length in (1, 4):
        ours = model_trace(matrices, TOKENS[:length], options).probabilities
        close(ours, plain_model(matrices, TOKENS[:length], heads), 1e-10)


def test_the_plain_model_is_short():
    assert len(inspect.getsource(plain_model).splitlines()) <= 25


def test_a_switch_leaves_out_what_it_names():
    matrices = fresh_model(ModelOptions(seed=3))
    trace = model_trace(matrices, TOKENS, ModelOptions(norm="none", residual=False, feed_forward=False))
    [block] = trace.blocks
    assert block.norm_1 is block.feed_forward is None
    close(trace.logits, block.attention.output @ matrices["w_u"])
    assert torch.equal(trace.x, trace.embedded + matrices["p"])


def test_the_third_word_follows_from_the_first_and_from_no_other():
    """The losses are ln 2 for the first word, ln 3 for the second, and ln 2 for a blind third."""
    assert len({sentence[3] for sentence in SENTENCES if sentence[1] == 1}) == 1
    assert best_loss() == pytest.approx((math.log(2) + math.log(3)) / 4)
    assert best_loss(1) == pytest.approx((2 * math.log(2) + math.log(3)) / 4)
    assert best_loss(2) == best_loss(3) == best_loss()


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", ELSEWHERE)
def test_training_reaches_the_best_loss_and_gives_the_same_again(seed):
    steps: list = []
    run = train_model(ModelOptions(seed=seed), steps.append)
    assert run[0].loss > 1 and run[-1].right == 1 and best_loss() < run[-1].loss < best_loss() + 0.01
    assert list(run) == steps and run[0].step == 0
    again = train_model(ModelOptions(seed=seed), steps=8)
    early = train_model(ModelOptions(seed=seed), steps=8)
    assert all(torch.equal(again[-1].matrices[name], matrix) for name, matrix in early[-1].matrices.items())


@pytest.mark.exhaustive
@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_the_trained_numbers_are_those_of_a_training(blocks):
    options = ModelOptions(blocks=blocks, seed=SEED)
    run, numbers = train_model(options), trained_model(blocks)
    assert {name: tuple(matrix.shape) for name, matrix in numbers.items()} == shapes_of(blocks)
    for name, matrix in numbers.items():
        close(matrix, run[-1].matrices[name], 0, absolute=0.02)
    loss, right = evaluate_model(numbers, options)
    assert right == 1 and abs(loss - run[-1].loss) < 1e-3


def test_in_the_trained_model_the_second_word_attends_to_the_first():
    numbers = trained_model()
    for sentence in SENTENCES:
        weights = model_trace(numbers, torch.tensor(sentence[:-1]), ModelOptions()).blocks[0].attention.heads
        assert weights.weights[0, 2, 1] > 0.95


def test_without_attention_to_the_first_word_the_third_is_a_guess():
    """The same model on the second word alone, at its place."""
    matrices = trained_model()
    options = ModelOptions()
    both = [model_trace(matrices, torch.tensor(sentence[:-1]), options) for sentence in SENTENCES[::3]]
    first, second = (trace.blocks[0] for trace in both)
    assert torch.equal(both[0].x[2], both[1].x[2])  # the same word at the same place
    assert not torch.allclose(first.attention.output[2], second.attention.output[2])


def test_the_next_word_by_hand():
    logits = torch.tensor([0.0, math.log(2), math.log(4), math.log(1)], dtype=torch.float64)
    close(shaped(logits), [1 / 8, 2 / 8, 4 / 8, 1 / 8])
    close(shaped(logits, 0.5), [1 / 22, 4 / 22, 16 / 22, 1 / 22])
    close(shaped(logits, top_k=2), [0, 1 / 3, 2 / 3, 0])
    close(shaped(logits, 0), [0.0, 0.0, 1.0, 0.0])
    close(shaped(torch.zeros(3).double(), 0), [1.0, 0.0, 0.0])
    draws = [continued(shaped(logits, top_k=2), 5, draw) for draw in range(300)]
    assert set(draws) == {1, 2} and 170 < draws.count(2) < 230
    assert draws[:9] == [continued(shaped(logits, top_k=2), 5, draw) for draw in range(9)]


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("out_of_range", lambda: shaped(torch.zeros(3), -1)),
        ("out_of_range", lambda: shaped(torch.zeros(3), math.nan)),
        ("out_of_range", lambda: shaped(torch.zeros(3), top_k=4)),
        ("out_of_range", lambda: ModelOptions(blocks=4)),
        ("unknown_choice", lambda: ModelOptions(heads=3)),
        ("unknown_choice", lambda: ModelOptions(norm="first")),
    ],
)
def test_what_is_refused(code, call):
    with pytest.raises(AttentionError) as caught:
        call()
    assert caught.value.code == code


def test_spread_by_hand():
    assert spread(torch.tensor([[1.0, 2.0], [1.0, 2.0]])) == spread(torch.zeros(2, 2)) == 0
    assert spread(torch.tensor([[1.0, 0.0], [-1.0, 0.0]])) == 1
    assert spread(torch.tensor([[2.0, 0.0], [0.0, 0.0]])) == pytest.approx(math.sqrt(1 / 2))


@pytest.mark.parametrize("seed", ELSEWHERE)
def test_pure_attention_makes_all_rows_equal_and_a_residual_stream_does_not(seed):
    pure, streams = spread_by_depth(seed), spread_by_depth(seed, residual=True)
    assert len(pure) == 13 and pure[0] == streams[0] > 0.3
    assert pure[12] < 1e-6 and streams[12] > 1e-3
    assert spread_by_depth(seed, feed_forward=True)[12] < 1e-6  # a feed-forward layer alone does not help
    assert spread_by_depth(seed, residual=True, feed_forward=True)[12] > 1e-3


def test_every_matrix_of_a_block_has_a_row_in_the_list():
    assert set(IN_BLOCK) == {"w_q", "w_k", "w_v", "w_o", "w_1", "w_2"}
