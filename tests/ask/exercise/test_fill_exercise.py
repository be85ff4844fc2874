"""Exercises with blank cells: that they can be solved by hand, and that no slip passes for right."""

import functools
from dataclasses import replace

import pytest
import torch

from attention import scaled_dot_product_attention
from attention.lab.mistakes import by_hand
from attention.lab.mistakes.by_hand import SLIPS
from pages.ask.exercise import fill_exercise
from pages.ask.exercise.fill_exercise import (
    OF_A_CELL,
    STEPS,
    FillExercise,
    fits,
    judge,
    make,
    matrix_of,
    sources,
)
from pages.ask.exercise.look import LEVELS
from pages.model import edits
from pages.model.compute import trace_of
from tests.support.random_settings import drawn
from tests.support.states import SWITCHED

SEEDS = range(1, 31)
CATS = edits.example_start("cats")


def shown(value):
    return round(value, by_hand.DECIMALS)


def answer(exercise: FillExercise, numbers: torch.Tensor | None = None) -> tuple[float, ...]:
    """The right answer as it is typed; for one step, a row of other numbers."""
    if numbers is None:
        return tuple(shown(exercise.right(place)) for place in exercise.blank)
    return tuple(shown(numbers[exercise.row, col].item()) for _, col in exercise.blank)


@functools.cache
def exercises(level, numbers=SEEDS):
    exercises = [make(level, number) for number in numbers]
    assert all(isinstance(one, FillExercise) for one in exercises)
    return exercises


@pytest.mark.parametrize("level", LEVELS)
def test_every_number_makes_an_exercise_and_the_same_one_again(level):
    attempts = exercises(level)
    make.cache_clear()
    for number, before in list(zip(SEEDS, attempts, strict=True))[:10]:
        again = make(level, number)
        assert (again.blank, again.row, again.tokens) == (before.blank, before.row, before.tokens)
        assert torch.equal(again.numbers.query, before.numbers.query)


@pytest.mark.parametrize("level", LEVELS)
def test_the_numbers_are_those_of_the_core_and_small(level):
    for one in exercises(level):
        numbers = one.numbers
        trace = scaled_dot_product_attention(numbers.query, numbers.key, numbers.value, mask=numbers.mask)
        assert numbers.query.abs().max() <= 2
        for step in one.steps:
            torch.testing.assert_close(matrix_of(numbers, step), getattr(trace, step))


def test_the_blank_cells_are_the_last_of_a_row_a_row_and_a_row_of_every_step():
    for one in exercises("1"):
        ((step, col),) = one.blank
        last = matrix_of(one.numbers, step).shape[-1] - 1
        if step == "weights":
            last = one.numbers.visible[one.row].nonzero().max().item()
        assert col == last and col > 0
    for one in exercises("2"):
        assert one.row > 0 and len(one.steps) == 1
        assert len(one.blank) == matrix_of(one.numbers, one.steps[0]).shape[-1]
    for one in exercises("3"):
        assert one.steps == STEPS
        assert len(one.blank) == 3 * len(one.tokens) + one.numbers.value.shape[-1]


def guesses(exercise: FillExercise) -> list[tuple[float, ...]]:
    """Answers for which nobody has to compute: zeros, one number throughout, the row above."""
    right = answer(exercise)
    results = [(0.0,) * len(right)]
    if len(right) > 1:
        numbers = {1.0, shown(1 / len(right)), *(right if len(exercise.steps) == 1 else ())}
        results += [(number,) * len(right) for number in numbers]
    if exercise.row and len(exercise.steps) == 1:
        line = matrix_of(exercise.numbers, exercise.steps[0])[exercise.row - 1]
        results.append(tuple(shown(line[col].item()) for _, col in exercise.blank))
    return results


def is_right(exercise: FillExercise, entries: tuple[float, ...]) -> bool:
    return all(finding.right for finding in judge(exercise, entries))


@pytest.mark.parametrize("numbers", [SEEDS, pytest.param(range(31, 91), marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize("level", LEVELS)
def test_no_exercise_is_solved_without_computing(level, numbers):
    """Zeros, equal rows, or a copied row: neither in the seeded numbers nor in anybody's own."""
    own = [make(level, seed, drawn(seed)) for seed in numbers[:10]]
    exercises_of_all = [*exercises(level, numbers), *(one for one in own if isinstance(one, FillExercise))]
    assert len(exercises_of_all) > len(numbers)
    for one in exercises_of_all:
        copies = guesses(one) if one.level != "1" else guesses(one)[:1]
        assert not any(is_right(one, entries) for entries in copies)


@pytest.mark.parametrize("level", LEVELS)
def test_the_rows_of_seeded_numbers_differ_and_are_not_zero(level):
    for one in exercises(level):
        for numbers in (one.numbers.query, one.numbers.key, one.numbers.value):
            assert numbers.any(-1).all() and len(numbers.unique(dim=0)) == len(numbers)


@pytest.mark.parametrize("level", ("1", "2"))
def test_every_step_comes_with_and_without_a_mask(level):
    kinds = {(one.steps[0], one.numbers.mask is not None) for one in exercises(level)}
    assert kinds == {
        ("scores", False), ("scaled_scores", False), ("weights", False), ("weights", True),
        ("output", False), ("output", True),
    }  # fmt: skip
    assert {one.numbers.mask is not None for one in exercises("3")} == {True, False}


def test_a_slip_in_one_of_several_steps_is_found_there_and_what_follows_from_it_counts_as_right():
    for one in exercises("3"):
        numbers = one.numbers
        wrong = {"scaled_scores": SLIPS["scaled_scores"]["not_scaled"](numbers)}
        numbers = replace(numbers, **wrong)
        numbers = replace(numbers, weights=by_hand.computed("weights", numbers))
        line = {step: matrix_of(numbers, step)[one.row].tolist() for step in STEPS}
        findings = judge(one, tuple(shown(line[step][col]) for step, col in one.blank))
        assert [finding.right for finding in findings] == [True, False, True, True]
        assert "not_scaled" in findings[1].slips


@pytest.mark.parametrize("level", LEVELS)
def test_every_slip_that_can_be_made_in_a_blank_cell_is_off_by_more_than_the_tolerance(level):
    for one in exercises(level):
        for step in one.steps:
            right, most = by_hand.computed(step, one.numbers), by_hand.tolerance(step, one.numbers)
            for name, slip in SLIPS[step].items():
                off = (slip(one.numbers) - right).abs()[one.row, list(one.columns(step))]
                shows = off > most[one.row, list(one.columns(step))]
                assert off.isnan().all() or shows.any(), (step, name)


def test_other_wrong_numbers_are_told_their_direction_and_whether_they_are_near():
    one = next(one for one in exercises("2") if one.steps == ("scores",))
    right = answer(one)
    (finding,) = judge(one, (right[0] + 0.02, right[1] - 0.03, *right[2:]))
    assert [word for _, word in finding.cells][:2] == ["high", "low"]
    assert finding.near and finding.wrong == (0, 1)
    (finding,) = judge(one, (right[0] + 50.5, *right[1:]))
    assert finding.slips == () and not finding.near and finding.query is None


def test_one_wrong_cell_speaks_for_a_slip_of_that_cell_and_a_wrong_row_for_a_slip_of_the_row():
    """2 in place of −2, with the other cells right, is a lost sign, and not a product with a column of K."""
    both = 0
    for one in exercises("2"):
        (step,) = one.steps
        columns = list(one.columns(step))
        wrong = {name: slip(one.numbers)[one.row, columns].tolist() for name, slip in SLIPS[step].items()}
        for name, numbers in wrong.items():
            if name not in OF_A_CELL:
                entries = [shown(a) if a == a else b for a, b in zip(numbers, answer(one), strict=True)]
                (finding,) = judge(one, tuple(entries))
                assert len(finding.wrong) < 2 or finding.slips[0] not in OF_A_CELL
                continue
            for place, number in enumerate(numbers):
                entries = [*answer(one)]
                entries[place] = shown(number)
                (finding,) = judge(one, tuple(entries))
                if number == number and not finding.right:
                    assert finding.slips[0] in OF_A_CELL
                    both += len(finding.slips) > 1
    assert {name for slips in SLIPS.values() for name in slips} >= OF_A_CELL and both


def test_the_numbers_of_another_query_are_recognised():
    for one in exercises("2"):
        (step,) = one.steps
        other = (one.row + 1) % len(one.tokens)
        numbers = matrix_of(one.numbers, step)
        (finding,) = judge(one, tuple(shown(numbers[other, col].item()) for _, col in one.blank))
        if finding.query is not None:
            assert torch.allclose(numbers[finding.query], numbers[other], atol=0.02)


@pytest.mark.parametrize("level", LEVELS)
def test_a_cell_changes_with_its_sources_and_with_nothing_else(level):
    for one in exercises(level)[:12]:
        for step, col in one.blank:
            named = set(sources(one, (step, col)))
            for matrix in ("query", "key", "value", "scores", "scaled_scores", "weights"):
                tensor = getattr(one.numbers, matrix)
                for row, place in torch.cartesian_prod(*map(torch.arange, tensor.shape)).tolist():
                    moved = tensor.clone()
                    moved[row, place] += 1
                    after = by_hand.computed(step, replace(one.numbers, **{matrix: moved}))
                    if after[one.row, col] != by_hand.computed(step, one.numbers)[one.row, col]:
                        assert (matrix, row, place) in named
    assert judge(one, answer(one))


# ---- the learner's own numbers


@pytest.mark.parametrize("switch", [{}, *SWITCHED.values()], ids=str)
@pytest.mark.parametrize("level", LEVELS)
def test_own_numbers_are_those_of_the_lessons_without_switches(level, switch):
    """Q was normalised and turned, and still called your own Q."""
    for number in range(1, 11 if not switch else 2):
        one = make(level, number, edits.with_choice(CATS, **switch))
        trace = trace_of(CATS).head(0)
        assert torch.equal(one.numbers.query, trace.query) and torch.equal(one.numbers.value, trace.value)
        assert one.tokens == CATS.tokens and one.head is None
        assert all(finding.right for finding in judge(one, answer(one)))


def test_own_numbers_may_hide_some_slips_but_never_all_of_a_step():
    """In numbers made to be read many slips agree with the right number; an exercise is made all the same."""
    one = make("3", 1, edits.example_start("previous"))
    assert not fits(one)
    assert fits(one, strict=False)
    assert isinstance(make("3", 1, edits.example_start("uniform")), str)


def test_own_scores_are_divided_by_root_d_k_whatever_is_set():
    plain = edits.with_choice(CATS, scaling="none")
    one = next(one for n in range(1, 50) if (one := make("3", n, plain)))
    torch.testing.assert_close(one.numbers.scaled_scores, one.numbers.scores / CATS.head_dim**0.5)


def test_of_several_heads_one_is_taken():
    two = edits.example_start("two_heads")
    results = {make("1", number, two).head for number in range(1, 9)}
    assert results == {0, 1}


def test_an_own_mask_masks_and_no_row_with_fewer_than_two_visible_keys_is_asked():
    masked = edits.with_choice(CATS, mask="causal")
    for number in range(1, 21):
        one = make("2", number, masked)
        assert one.numbers.visible[one.row].sum() >= 2


@pytest.mark.parametrize(
    ("reason", "level", "settings"),
    [
        ("one_token", "1", replace(CATS, tokens=CATS.tokens[:1], x=CATS.x[:1])),
        ("same", "3", edits.example_start("uniform")),
        ("large_numbers", "1", edits.set_cell(CATS, "x", 0, 0, 1000.0)),
    ],
)  # fmt: skip
def test_own_numbers_that_are_no_good_are_refused_with_the_reason(reason, level, settings):
    assert make(level, 1, settings) == reason


def test_too_many_tokens_or_too_wide_a_head_are_refused():
    many = CATS
    while len(many.tokens) <= fill_exercise.MOST_TOKENS:
        many = edits.add_token(many)
    assert make("1", 1, many) == "too_large"
    wide = edits.resize(CATS, d_k=fill_exercise.MOST_WIDTH + 1)
    assert make("1", 1, wide) == "too_large"
