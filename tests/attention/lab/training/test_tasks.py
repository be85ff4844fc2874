"""The tasks: their sequences, their answers, and the patterns that solve them."""

import pytest
import torch
from torch.nn import functional as F

from attention import AttentionError
from attention.lab.training import TASKS, Options
from attention.lab.training.tasks import brackets, pairs_of, two_among

EXAMPLES = {
    "previous": ("bacad e", "- b a c a d"),
    "same": ("abcbca", "6 4 5 2 3 1"),
    "first": ("bacade", "b b b b b b"),
    "bracket": ("([])()[]", "- - 2 1 - 5 - 7"),
    "reverse": ("bacade", "e d a c a b"),
    "count": ("abacad", "3 3 3 3 3 3"),
    "count_so_far": ("abacab", "1 1 2 2 3 3"),
    "both": ("cadbe?", "- - - - - yes"),
}


@pytest.fixture(params=TASKS.values(), ids=TASKS)
def task(request):
    return request.param


def rows(tokens):
    return {tuple(row) for row in tokens.tolist()}


def test_there_is_an_example_of_every_task():
    assert EXAMPLES.keys() == TASKS.keys()


def test_answers_by_hand(task):
    words, text = EXAMPLES[task.name]
    words = tuple(words.replace(" ", ""))[: task.length]
    expected = tuple(None if answer == "-" else answer for answer in text.split())
    assert task.right_answers(words) == expected


def test_train_and_test_sequences_are_disjoint_and_both_have_every_answer(task):
    training, test = (task.all_sequences(test=test) for test in (False, True))
    assert not rows(training) & rows(test)
    assert len(rows(training)) + len(rows(test)) == len(training) + len(test) == len(task.every())
    assert 0.2 < len(test) / len(task.every()) < 0.3
    answers = [task.labelled(tokens).answers for tokens in (training, test)]
    assert set(answers[0].unique().tolist()) == set(answers[1].unique().tolist())


@pytest.mark.parametrize("name", ["count", "both"])
def test_where_the_order_says_nothing_test_sequences_hold_other_letters(name):
    task = TASKS[name]
    training, test = (task.all_sequences(test=test) for test in (False, True))
    assert not rows(training.sort(dim=-1).values) & rows(test.sort(dim=-1).values)


def test_a_batch_is_drawn_from_its_own_part_and_from_its_seed(task):
    for test in (False, True):
        batch = task.batch(40, 3, test=test)
        assert batch.tokens.shape == batch.answers.shape == batch.asked.shape == (40, task.length)
        assert rows(batch.tokens) <= rows(task.all_sequences(test=test))
        torch.randn(3)  # the global generator has no part in it
        assert torch.equal(batch.tokens, task.batch(40, 3, test=test).tokens)
        assert not torch.equal(batch.tokens, task.batch(40, 4, test=test).tokens)


def test_every_task_fits_the_app_s_settings(task):
    """At most 12 tokens of width 16."""
    options = Options(task.name, positions=True)
    assert task.length <= 12 and options.embed_dim <= 16 and len(task.answers) <= 16


def test_inputs_are_one_hots_of_letter_and_place():
    x = TASKS["previous"].inputs(torch.tensor([1, 0, 2, 0, 3, 4]), positions=True)
    assert x.shape == (6, 11) and x.dtype == torch.float64
    assert x[2].nonzero().flatten().tolist() == [2, 5 + 2]
    assert torch.equal(TASKS["previous"].inputs(torch.tensor([[1, 0]]), positions=False)[0], x[:2, :5])


def test_the_pattern_is_weights_that_the_mask_allows(task):
    batch = task.batch(20, 0)
    for tokens, asked in zip(batch.tokens, batch.asked, strict=True):
        weights = task.expected_weights(task.words(tokens))
        assert weights.shape == (task.heads, task.length, task.length)
        sums = weights.sum(dim=-1)
        torch.testing.assert_close(sums.amax(dim=0), asked.double())  # each asked token finds something
        assert ((sums < 1e-9) | (sums > 1 - 1e-9)).all()
        assert not task.causal or not weights.triu(1).any()


def test_with_the_pattern_as_weights_some_w_v_solves_the_task(task):
    """Heads' means side by side; a linear map to the answers is trained on some sequences only."""
    features, answers = {}, {}
    for test in (False, True):
        batch = task.batch(200, 0, test=test)
        a = torch.stack([task.expected_weights(task.words(one)) for one in batch.tokens])
        a = a + torch.diag_embed(1 - a.sum(dim=-1))  # who has nothing to find attends to itself
        means = a @ task.inputs(batch.tokens, task.positions)[:, None]  # (count, heads, n, d_model)
        features[test] = means.transpose(1, 2).flatten(-2)[batch.asked]
        answers[test] = batch.answers[batch.asked]
    w = torch.zeros(features[False].shape[-1], len(task.answers), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([w], max_iter=200, line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        value = F.cross_entropy(features[False] @ w, answers[False])
        value.backward()
        return value

    optimiser.step(loss)
    assert torch.equal((features[True] @ w).argmax(dim=-1), answers[True])


def test_words_and_numbers(task):
    tokens = task.batch(1, 0).tokens[0]
    assert task.numbers(task.words(tokens)) == tuple(tokens.tolist())


def test_words_that_a_task_does_not_have():
    with pytest.raises(AttentionError, match=r"words\[2\]") as caught:
        TASKS["previous"].numbers("abxabc")
    assert caught.value.code == "unknown_choice"
    with pytest.raises(AttentionError) as caught:
        TASKS["previous"].expected_weights("ab")
    assert caught.value.code == "size_differs"


@pytest.mark.parametrize(("count", "seed", "code"), [(0, 0, "out_of_range"), (1, 0.5, "not_an_integer")])
def test_a_batch_that_cannot_be_drawn(count, seed, code):
    with pytest.raises(AttentionError) as caught:
        TASKS["first"].batch(count, seed)
    assert caught.value.code == code


def test_sequences_counted_by_hand():
    assert len(pairs_of(6, 6)) == 20 * 90  # three of six letters, 6! / 2!³ orders
    assert len(brackets(3, 8)) == 8 * 81  # 2³ shapes at most two deep, three kinds for each of four pairs
    assert len(set(brackets(3, 8))) == 648
    assert len(two_among(4, 6)) == 10 * 4 * 64
