"""What the lesson says of a run, recomputed with plain loops: accuracy, limits, patterns, and its start."""

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from attention.lab.training import LEARNED, TASKS, Options, fresh, limit, trace_of, train
from attention.lab.training import run as core
from attention.lab.training.model import sequences, telling
from pages.ask.runs import at
from pages.lessons.train_a_head import patterns, reading, runs, scene, settings, two_runs
from pages.lessons.train_a_head.settings import TrainingNumbers

from .conftest import page_of, trained


def said(own: TrainingNumbers, language: str = "en") -> str:
    options = scene.options_of(own)
    fields = {name: getattr(own, name) for name in TrainingNumbers.__dataclass_fields__}
    run = trained(options)
    return "\n".join(reading.lines(page_of("train", language, **fields), options, run.snapshots, run.last))


def right_on(options: Options, matrices, every) -> float:
    """The share of right answers, answer by answer."""
    output, right = trace_of(matrices, torch.tensor(every), options).output.tolist(), []
    for sequence, rows in zip(every, output, strict=True):
        answers = zip(rows, options.of.right(sequence), strict=True)
        right += [row.index(max(row)) == answer for row, answer in answers if answer is not None]
    return sum(right) / len(right)


# ---- how far a run goes


@pytest.mark.exhaustive
@pytest.mark.parametrize(("task", "seed"), [("previous", 0), ("reverse", 1002)])
def test_a_limit_is_compared_with_the_accuracy_on_all_sequences(task, seed):
    own = TrainingNumbers(task=task, train_seed=seed, positions_other=True)
    options, last = scene.options_of(own), trained(scene.options_of(own)).last
    whole = right_on(options, last.matrices, options.of.every())
    assert whole <= limit(options).accuracy
    assert f"{whole:.1%} on all 15,625 sequences" in said(own)
    assert f"{last.accuracy:.1%} of the answers on the test sequences" in said(own)


def known(task: str, *, causal: bool, positions: bool) -> float:
    """The best accuracy of a token that knows its letter and shares of letters, or its place and letters."""
    answers = defaultdict(Counter)
    for sequence in TASKS[task].every():
        for place, answer in enumerate(TASKS[task].right(sequence)):
            seen = sequence[: place + 1] if causal else sequence
            counts = frozenset((one, Fraction(seen.count(one), len(seen))) for one in seen)
            answers[(place, seen) if positions else (sequence[place], counts)][answer] += answer is not None
    return sum(max(each.values()) for each in answers.values()) / sum(
        each.total() for each in answers.values()
    )


@pytest.mark.slow
def test_what_removes_a_limit_is_found_by_trying():
    """“count” under a causal mask: positional encoding hardly helps, and without the mask nothing is lost."""
    here, placed = (known("count", causal=True, positions=positions) for positions in (False, True))
    assert (known("count", causal=False, positions=False), placed < 0.6, here < placed) == (1, True, True)
    best = limit(Options("count", causal=True))
    assert (best.accuracy, best.reasons) == (pytest.approx(here), ("mask",))
    assert dict(best.trials) == {("positions",): pytest.approx(placed), ("mask",): 1}
    text = said(TrainingNumbers(task="count", causal_other=True))
    assert f"can reach an accuracy above {here:.1%}" in text
    assert f"with positional encoding {placed:.1%}; with no causal mask 100.0%" in text
    assert "part of what the answer needs is masked" in text and "Without positional encoding" not in text
    assert "can count without positional encoding" not in text


def test_two_restrictions_that_both_have_to_go_are_named_together():
    options = Options("reverse", positions=False, causal=True)
    best = limit(options)
    assert best.reasons == ("positions", "mask")
    trials = dict(best.trials)
    assert trials["positions", "mask"] == 1 and trials[("positions",)] < 1 and trials[("mask",)] < 1
    assert trials[("mask",)] == pytest.approx(known("reverse", causal=False, positions=False))


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_seed_with_which_a_task_is_not_learned_is_named_and_its_run_is_explained(language):
    task, seed, accuracy = settings.STUCK
    last = trained(Options(task, seed)).last
    assert last.accuracy == accuracy and limit(Options(task)).solvable
    assert max(last.gradient_norms.values()) < reading.FLAT
    text = said(TrainingNumbers(task=task, train_seed=seed), language)
    assert page_of("train", language).t("train.stuck").split("{")[0] in text
    assert page_of("train", language).t("train.stuck").split("{")[0] not in said(
        TrainingNumbers(task=task), language
    )


# ---- the pattern


def in_pattern(options: Options, matrices) -> float:
    """The share of the weight where the pattern has it, row by row; heads as they are, for one head."""
    shares, task = [], options.of
    for sequence in [tuple(one) for one in runs_tested(options)]:
        words = task.words(sequence)
        a = trace_of(matrices, torch.tensor(sequence), options).heads.weights[0].tolist()
        for row, wanted in zip(a, task.expected_weights(words)[0].tolist(), strict=True):
            if sum(wanted):
                shares.append(sum(min(pair) for pair in zip(row, wanted, strict=True)))
    return sum(shares) / len(shares)


def runs_tested(options: Options):
    return sequences(options.task, options.seed, True).tokens.tolist()


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", [name for name, task in TASKS.items() if task.heads == 1])
def test_a_pattern_is_found_only_where_the_training_brought_the_weight_there(task):
    run = trained(Options(task))
    before, last = (in_pattern(run.options, run.snapshots[at].matrices) for at in (0, -1))
    text, t = said(TrainingNumbers(task=task)), page_of("train").t
    assert f"put {last:.1%} of their weight" in text and f"the training the share is {before:.1%}" in text
    result = last > 0.95 and last > before and run.last.accuracy >= LEARNED
    assert (t("train.pattern_found") in text) == result == (task not in ("count", "count_so_far"))
    assert (t("train.pattern_begun") in text) == (before > 0.95) == (not result)


@pytest.mark.parametrize(
    ("before", "last", "accuracy", "verdict"),
    [
        (0.2, 0.99, 0.99, "pattern_found"),
        (0.2, 0.94, 0.99, "pattern_other"),
        (0.2, 0.99, 0.98, None),
        (0.95, 0.99, 1.0, "pattern_begun"),
        (0.96, 0.99, 0.5, "pattern_begun"),
    ],
)
def test_what_a_run_has_made_of_its_pattern(before, last, accuracy, verdict):
    assert reading.of_pattern(before, last, accuracy) == verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "verdict"),
    [
        (TrainingNumbers(task="count", causal_other=True), None),  # 45% elsewhere, 46% of the answers right
        (TrainingNumbers(task="both", train_seed=1013), None),  # half elsewhere, three quarters right
        (TrainingNumbers(task="both", train_seed=1000), "pattern_other"),  # a third elsewhere, all right
        (TrainingNumbers(task="count_so_far", positions_other=True), "pattern_begun"),
    ],
)
def test_no_run_is_said_to_have_found_what_it_has_not(own, verdict):
    text, t = said(own), page_of("train").t
    verdicts = {
        name for name in ("pattern_found", "pattern_begun", "pattern_other") if t(f"train.{name}") in text
    }
    assert verdicts == ({verdict} if verdict else set())
    assert t("train.values_alone") not in text


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("task", ["count", "count_so_far"])
@pytest.mark.parametrize("seed", [0, 1])
def test_w_v_alone_can_learn_to_count(task, seed, monkeypatch):
    monkeypatch.setattr(
        core, "learning_rates", lambda options: {"w_q": 0.0, "w_k": 0.0, "w_v": options.learning_rate}
    )
    run = train(Options(task, seed))
    assert torch.equal(run.last.matrices["w_q"], run.snapshots[0].matrices["w_q"])
    assert run.last.accuracy >= LEARNED
    assert page_of("train").t("train.values_alone") in said(TrainingNumbers(task=task))


# ---- the question before the training


def test_the_question_is_withheld_where_no_pattern_can_be_right():
    """Under a mask on the cells that are needed, with one head for two, and without places."""
    for own in (
        TrainingNumbers(task="both", heads_other=True),
        TrainingNumbers(task="reverse", causal_other=True),
        TrainingNumbers(task="count", causal_other=True),
        TrainingNumbers(task="previous", positions_other=True),
    ):
        assert not patterns.can_solve(scene.options_of(own))
    for own in (
        TrainingNumbers(task="first", causal_other=True),
        TrainingNumbers(task="both", positions_other=True),
        TrainingNumbers(task="same"),
    ):
        assert patterns.can_solve(scene.options_of(own))
        task = TASKS[own.task]
        for words in scene.sequences(own.task):
            wanted = task.expected_weights(words)
            assert not own.causal_other or not wanted.triu(1).any()


# ---- how a head begins


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", TASKS)
def test_how_much_of_the_solution_a_head_begins_with(task):
    options = Options(task)
    of, begun = options.of, fresh(options)
    part = telling(options)
    plain = begun["w_v"] - part.repeat(1, options.num_heads)
    name = reading.beginning(options)
    assert (name == "nothing") == (not part.any())
    assert plain.std().item() == pytest.approx((2 / sum(plain.shape)) ** 0.5, rel=0.4)  # Xavier, not small
    if name in ("letter", "place"):  # this part and the right A give all answers
        for sequence in of.every()[:: len(of.every()) // 50]:
            words = of.words(sequence)
            values = of.inputs(torch.tensor(sequence), options.positions) @ part
            output = (of.expected_weights(words)[0] @ values).argmax(-1).tolist()
            for answer, right in zip(output, of.right_answers(words), strict=True):
                assert right is None or of.answers[answer] == right
    terms = reading.terms(page_of("train", task=task), options)
    assert "In 6 of the 8 tasks" in terms and page_of("train").t(f"terms.start_{name}") in terms
    assert (page_of("train").t("terms.mask") in terms) == options.causal


def test_places_cannot_be_put_in_without_positional_encoding():
    options = Options("same", positions=False)
    assert reading.beginning(options) == "nothing" and not telling(options).any()


# ---- two runs


@pytest.mark.slow
def test_two_right_runs_that_do_not_agree_are_said_not_to(monkeypatch):
    lines = []
    monkeypatch.setattr(two_runs.say, "sentence", lines.append)
    monkeypatch.setattr(two_runs.say, "table", lambda header, rows: lines.append(rows))
    page = page_of("two_runs", task="both", train_seed=1000)
    both = two_runs.pair(page)
    at = tuple(trained(options).last for options in both)
    assert min(one.accuracy for one in at) == 1
    two_runs.compare(page, both, at)
    assert page.t("two.differ") in lines[-1] and "In 50.0% of the rows" in lines[-1]
    lines.clear()
    both = tuple(Options("previous", seed) for seed in (0, 1))
    two_runs.compare(page, both, tuple(trained(options).last for options in both))
    (table,) = [one for one in lines if isinstance(one, list)]
    assert page.t("two.differ") not in lines[-1] and "In 100.0% of the rows" in lines[-1]
    product = [trained(one).last.matrices for one in both]
    q, k = ([one[name] for one in product] for name in ("w_q", "w_k"))
    cosine = torch.cosine_similarity((q[0] @ k[0].mT).flatten(), (q[1] @ k[1].mT).flatten(), dim=0).item()
    assert table[2][1] == f"{cosine:.2f}" and cosine < 0.5  # so it is not the product that makes A agree


def test_a_measure_of_a_step_is_taken_once(monkeypatch):
    monkeypatch.setattr(runs, "_measured", {})
    options, calls = Options("first"), []

    def measure(matrices, of):
        calls.append(of)
        return 0.5

    view = runs.start(options)
    assert [runs.measure_of(measure, options, view) for _ in range(2)] == [0.5, 0.5] and calls == [options]
    assert at((view, replace(view, step=4), replace(view, step=8)), 7).step == 4
