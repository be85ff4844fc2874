"""One and two layers: the task, training, cut paths, circuits, one layer's limit, and the model by hand."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from attention import AttentionError
from attention.lab.two_layers import (
    CUTS,
    TwoLayersOptions,
    accuracy_of,
    answers_of,
    by_hand,
    circuit_ov,
    circuit_qk,
    composed_qk,
    composition_scores,
    draw,
    every,
    four_sequences,
    fresh,
    hand_made,
    held_out,
    induction_score,
    loss_of,
    one_layer_limit,
    previous_token_score,
    sources_of,
    trace_of,
    train,
    unrelated,
)
from attention.lab.two_layers.limits import contradictions
from attention.lab.two_layers.measures import w_ov, w_qk
from attention.lab.two_layers.model import HEAD_DIM, WIDTH, accuracy_by_place
from attention.lab.two_layers.run import kept_steps
from tests.support.tolerance import close

SEED = 41  # no text mentions it


@pytest.fixture(scope="module")
def runs():
    """Each number of layers trained, once."""
    trained = {}

    def of(layers):
        if layers not in trained:
            trained[layers] = train(TwoLayersOptions(layers, SEED, steps=300))
        return trained[layers]

    return of


# ---- the task


def test_the_second_half_repeats_the_first_from_another_place_on():
    sequences = every().tolist()
    assert len({tuple(sequence) for sequence in sequences}) == len(sequences) == 6 * 5 * 4 * 3 * 4
    for sequence in sequences:
        first, second = sequence[:4], sequence[4:]
        assert len(set(first)) == 4
        assert second in [first[start:] + first[:start] for start in range(4)]


def test_an_answer_comes_after_the_earlier_occurrence_of_its_letter():
    tokens = torch.tensor([[1, 4, 0, 2, 0, 2, 1, 4]])  # b e a c a c b e
    assert sources_of(tokens).tolist() == [[3, 0, 1]] and answers_of(tokens).tolist() == [[2, 1, 4]]
    assert torch.equal(every().gather(1, sources_of(every())), answers_of(every()))


def test_no_run_is_trained_on_a_test_sequence():
    drawn = draw(5000, torch.Generator().manual_seed(SEED)).tolist()
    tests = {tuple(sequence) for sequence in held_out().tolist()}
    assert len(tests) == 360 and tests.isdisjoint(map(tuple, drawn))


# ---- the model


def test_the_model_is_that_of_pytorch():
    matrices, tokens = fresh(TwoLayersOptions(2, SEED)), held_out()[:5]
    x = matrices["embedding"][tokens] + matrices["positions"]
    mask = torch.ones(8, 8, dtype=torch.bool).triu(1)
    for layer in (1, 2):
        attention = nn.functional.scaled_dot_product_attention(
            *(x @ matrices[f"{name}_{layer}"] for name in ("w_q", "w_k", "w_v")), attn_mask=~mask
        )
        x = x + attention @ matrices[f"w_o_{layer}"]
    trace = trace_of(matrices, tokens)
    close(trace.streams[-1], x)
    close(trace.logits, x @ matrices["unembedding"])
    assert {trace.layers[0].query.shape[-1], trace.layers[1].value.shape[-1]} == {HEAD_DIM}


def test_a_cut_leaves_layer_2_without_what_layer_1_adds():
    matrices, tokens = fresh(TwoLayersOptions(2, SEED)), held_out()[:5]
    whole = trace_of(matrices, tokens)
    for name in CUTS:
        trace = trace_of(matrices, tokens, {name})
        second = trace.layers[1]
        for other in CUTS:
            stream = whole.streams[0] if other == name else whole.streams[1]
            close(getattr(second, other), stream @ matrices[f"w_{other[0]}_2"])
        close(trace.streams[2], whole.streams[1] + second.output)
    with pytest.raises(AttentionError):
        trace_of(matrices, tokens, {"output"})


@pytest.mark.parametrize(
    "fields", [{"layers": 3}, {"layers": 0}, {"seed": -1}, {"steps": 0}, {"learning_rate": 0.0}]
)
def test_options_outside_their_range_are_refused(fields):
    with pytest.raises(AttentionError):
        replace(TwoLayersOptions(), **fields)


# ---- what training finds


def test_two_layers_solve_the_task_and_one_layer_does_not(runs):
    two, single = runs(2).last, runs(1).last
    assert two.accuracy >= 0.97 and two.loss < 0.2
    assert single.accuracy < 0.5 and single.loss > 1
    assert accuracy_of(two.matrices, held_out()) == two.accuracy


def test_the_same_options_give_the_same_run_whatever_the_global_generator():
    torch.manual_seed(1)
    first = train(TwoLayersOptions(2, SEED, steps=10)).last
    torch.manual_seed(2)
    kept = []
    again = train(TwoLayersOptions(2, SEED, steps=10), kept.append).last
    assert [snapshot.step for snapshot in kept] == kept_steps(10) == list(range(11))
    assert first.loss == again.loss
    assert all(torch.equal(first.matrices[name], again.matrices[name]) for name in first.matrices)


def test_the_loss_is_the_mean_of_minus_log_p():
    matrices, tokens = fresh(TwoLayersOptions(2, SEED)), held_out()[:7]
    p = trace_of(matrices, tokens).logits.softmax(-1)[:, 4:7]
    close(loss_of(matrices, tokens), -p.gather(-1, answers_of(tokens)[..., None]).log().mean())


@pytest.mark.slow
@pytest.mark.parametrize("seed", (50, 51))
def test_from_any_of_some_seeds_two_layers_solve_the_task(seed):
    run = train(TwoLayersOptions(2, seed))
    assert run.last.accuracy >= 0.99
    assert next(snapshot.step for snapshot in run.snapshots if snapshot.accuracy >= 0.97) <= 400
    assert train(TwoLayersOptions(1, seed)).last.accuracy < 0.5


# ---- what the heads do


def test_scores_of_heads_that_do_it_exactly():
    tokens = held_out()[:9]
    before = torch.eye(8).roll(-1, 1).expand(9, 8, 8)
    assert previous_token_score(before) == 1.0
    assert previous_token_score(before.mT) == 0.0
    uniform = torch.ones(8, 8).tril() / torch.arange(1, 9)[:, None]
    assert previous_token_score(uniform) == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    exact = torch.zeros(9, 8, 8)
    exact[:, 4:7].scatter_(-1, sources_of(tokens)[..., None], 1.0)
    assert induction_score(exact, tokens) == 1.0
    assert induction_score(uniform.expand(9, 8, 8), tokens) == pytest.approx((1 / 5 + 1 / 6 + 1 / 7) / 3)


def test_the_score_is_split_where_the_answer_is_the_first_letter():
    """There the token after the letter, in the second half, is not the answer."""
    tokens = held_out()
    share = (sources_of(tokens) == 0).double().mean().item()
    assert share == pytest.approx(1 / 4, abs=0.02)
    first = torch.zeros(len(tokens), 8, 8)
    first[..., 0] = 1.0
    assert (
        induction_score(first, tokens, wrapped=True) == 1
        and induction_score(first, tokens, wrapped=False) == 0
    )
    assert induction_score(first, tokens) == pytest.approx(share)


def test_composition_scores_follow_their_formula_and_an_unrelated_score_is_1_over_root_d():
    matrices = fresh(TwoLayersOptions(2, SEED))
    scores = composition_scores(matrices)
    w_1 = matrices["w_v_1"] @ matrices["w_o_1"]
    w_2 = matrices["w_q_2"] @ matrices["w_k_2"].T
    expected = (w_2 @ w_1.T).pow(2).sum() / (w_1.pow(2).sum() * w_2.pow(2).sum())
    assert scores["key"] == pytest.approx(expected.sqrt().item())
    generator = torch.Generator().manual_seed(SEED)
    rotations = torch.linalg.qr(torch.randn(4000, WIDTH, WIDTH, generator=generator, dtype=torch.float64))[0]
    norms = (w_1 @ rotations @ w_2).pow(2).sum((-1, -2)) / (w_1.norm() * w_2.norm()).pow(2)
    assert math.sqrt(norms.mean().item()) == pytest.approx(unrelated(), rel=0.02)
    with pytest.raises(AttentionError):
        composition_scores(fresh(TwoLayersOptions(1, SEED)))


def test_the_scores_of_layer_1_are_sums_of_the_cells_of_its_qk_circuit():
    matrices, tokens = fresh(TwoLayersOptions(2, SEED)), held_out()[3]
    table, scaled = circuit_qk(matrices, 1), trace_of(matrices, tokens).layers[0].heads.scaled_scores[0]
    for i, j in ((0, 0), (5, 2), (7, 7)):
        query, key = [int(tokens[i]), 6 + i], [int(tokens[j]), 6 + j]
        close(sum(table[row, col] for row in query for col in key), scaled[i, j])


def test_the_scores_of_layer_2_are_those_of_both_ways_to_the_key():
    """With the way to its queries cut: what the key has of its own, and what layer 1 has added to it."""
    matrices, tokens = fresh(TwoLayersOptions(2, SEED)), held_out()[4]
    trace = trace_of(matrices, tokens, {"query"})
    direct, through = circuit_qk(matrices, 2), composed_qk(matrices)
    members = [[int(tokens[i]), 6 + i] for i in range(8)]
    weights, i, j = trace.layers[0].heads.weights[0], 6, 3
    score = sum(direct[row, col] for row in members[i] for col in members[j])
    for k in range(j + 1):
        score += weights[j, k] * sum(through[row, col] for row in members[i] for col in members[k])
    close(score, trace.layers[1].heads.scaled_scores[0, i, j])


def test_the_logits_of_one_layer_are_those_of_its_ov_circuit_and_of_the_token_itself():
    matrices, tokens = fresh(TwoLayersOptions(1, SEED)), held_out()[5]
    trace, table = trace_of(matrices, tokens), circuit_ov(matrices, 1)
    members = torch.stack([table[int(tokens[i])] + table[6 + i] for i in range(8)])
    close(
        trace.layers[0].heads.weights[0] @ members + trace.streams[0] @ matrices["unembedding"], trace.logits
    )
    for circuit in (w_qk, w_ov):
        with pytest.raises(AttentionError):
            circuit(matrices, 2)


# ---- the limit of one layer


def test_the_limit_of_one_layer():
    limit = one_layer_limit()
    assert limit.places == (3 / 4, 7 / 8, 1) and limit.accuracy == 7 / 8


@pytest.mark.parametrize("place", [4, 5])
def test_no_two_contradictions_share_a_sequence_and_each_place_is_balanced(place):
    pairs = contradictions(place)
    sequences = [sequence for pair in pairs for side in pair for sequence in side]
    assert len(set(sequences)) == len(sequences)
    right = {tuple(sequence[: place + 1]): sequence[place + 1] for sequence in every().tolist()}
    for pair in pairs:
        by_place = [list(map(sorted, zip(*side, strict=True))) for side in pair]
        assert by_place[0] == by_place[1]
        answers = [{right[sequence] for sequence in side} for side in pair]
        assert [len(side) for side in answers] == [1, 1] and answers[0] != answers[1]


def test_no_single_head_answers_all_four_sequences(runs):
    """At random, and trained: the signed sum of the argument is 0, so the answers contradict each other."""
    first, second = four_sequences()
    tokens = torch.tensor([*first, *second])
    right = {tuple(sequence[:5]): sequence[5] for sequence in every().tolist()}
    y, z = right[first[0]], right[second[0]]
    trained = runs(1).last.matrices
    for matrices in [trained, *(fresh(TwoLayersOptions(1, seed)) for seed in range(60, 70))]:
        trace = trace_of(matrices, tokens)
        sums = trace.layers[0].heads.scaled_scores[:, 0, 4].exp().sum(-1)
        difference = (trace.logits[:, 4, y] - trace.logits[:, 4, z]) * sums
        close(difference[:2].sum(), difference[2:].sum(), 1e-9)
        assert not (difference[:2].min() > 0 > difference[2:].max())


def test_one_layer_stays_below_its_limit(runs):
    limit, matrices = one_layer_limit(), runs(1).last.matrices
    reached = accuracy_by_place(matrices, every())
    assert all(share <= most for share, most in zip(reached, limit.places, strict=True))


# ---- by hand


def test_the_model_by_hand_is_right_for_all_sequences_with_whole_numbers():
    model = hand_made()
    assert all(torch.equal(w, w.round()) for layer in model.layers for w in layer.values())
    assert len(by_hand.sequences()) == 36
    for words in by_hand.sequences():
        assert model.answer(words) == by_hand.right_answer(words), words


def test_the_layers_by_hand_are_a_previous_token_head_and_an_induction_head():
    model, words = hand_made(), ("F", "D", "E", "D")
    first, second, _ = model.run(by_hand.inputs(words))
    assert all(first.heads.weights[0, i, i - 1] > 0.99 for i in range(1, 4))
    assert second.heads.weights[0, 3, 2] > 0.99 and model.answer(words) == "E"


def test_by_hand_layer_2_needs_what_layer_1_has_copied():
    model, x = hand_made(), by_hand.inputs(("F", "D", "E", "D"))
    alone = by_hand.attend(x, model.layers[1]).heads.weights[0, 3]
    close(alone[1:], torch.full((3,), 1 / 3, dtype=torch.float64), 1e-3)


@pytest.mark.parametrize("words", [("D", "E", "F"), ("D", "E", "d", "D")])
def test_other_letters_and_lengths_are_refused(words):
    with pytest.raises(AttentionError):
        by_hand.inputs(words)
