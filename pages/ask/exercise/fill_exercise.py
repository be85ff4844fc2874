"""Exercises with blank cells, and the verdicts on answers. Without Streamlit.

Level 1: the last cell of a worked row. Level 2: a row of one step, below a worked row. Level 3: a row of
every step, alone. Level HOUR: one cell of each step, and a masked weight, without a calculator: √d_k is 2,
and the first of two weights is given. The core computes the right numbers; attention.lab.mistakes has
rounding and slips.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attention import AttentionTrace, causal_mask, scaled_dot_product_attention
from attention.lab.mistakes import by_hand
from attention.lab.mistakes.by_hand import SLIPS
from pages.draw.positions import set_aside
from pages.model.compute import trace_of
from pages.model.languages import START
from pages.model.settings import Settings

from .chance import Chance, are_plain

STEPS = tuple(by_hand.COMPUTED)
HOUR = "0"
MOST_TOKENS, MOST_WIDTH = 6, 8  # in the learner's own numbers
MOST_SIZE = 99.994  # larger numbers are shown with fewer decimals
TRIES, OWN_TRIES = 600, 100
NEAR = 0.05
APART = 0.1  # smallest difference between the largest and the smallest number of a row
# Slips of a moment, which say nothing of the other cells of a row; any other slip is made in all of them.
OF_A_CELL = frozenset(("score_signs", "score_term", "scaled_sign", "output_signs", "output_term"))
LEAST_WEIGHT, MOST_WEIGHT = 0.03, 0.9  # for the visible keys of a seeded row

BlankCell = tuple[str, int]  # step, column
Answer = tuple[float, ...]  # of all blank cells, in order


@dataclass(frozen=True, eq=False)
class FillExercise:
    """One row with blank cells."""

    level: str
    steps: tuple[str, ...]  # the steps with blank cells, in order
    row: int
    blank: tuple[BlankCell, ...]
    numbers: by_hand.Worked
    tokens: tuple[str, ...]
    head: int | None = None  # of the learner's own numbers, where there are several

    @property
    def own_rows(self) -> bool:
        """Only this row of the steps is drawn."""
        return len(self.steps) > 1

    def columns(self, step: str) -> tuple[int, ...]:
        """The blank cells of a step."""
        return tuple(col for name, col in self.blank if name == step)

    @property
    def given(self) -> tuple[int, ...]:
        """The visible keys whose weights are given in the row."""
        if self.level != HOUR:
            return ()
        visible = self.numbers.visible[self.row].nonzero().flatten().tolist()
        return tuple(key for key in visible if ("weights", key) not in self.blank)

    def right(self, place: BlankCell) -> float:
        step, col = place
        return matrix_of(self.numbers, step)[self.row, col].item()


@dataclass(frozen=True)
class Finding:
    """The verdict on the entries of one step."""

    step: str
    cells: tuple[tuple[int, str], ...]  # each blank column: "right", "low" or "high"
    slips: tuple[str, ...] = ()  # slips that give these numbers, the most plausible first
    query: int | None = None  # another query that has these numbers
    near: bool = False  # no wrong cell is off by more than NEAR

    @property
    def right(self) -> bool:
        return all(verdict == "right" for _, verdict in self.cells)

    @property
    def wrong(self) -> tuple[int, ...]:
        return tuple(col for col, verdict in self.cells if verdict != "right")


def matrix_of(numbers: by_hand.Worked, step: str) -> Tensor:
    """The matrix of a step; the output is not stored but computed."""
    return by_hand.computed("output", numbers) if step == "output" else getattr(numbers, step)


# ---- drawing


@functools.lru_cache(maxsize=64)
def make(
    level: str, number: int, settings: Settings | None = None, *, language: str = START
) -> FillExercise | str:
    """The exercise of that level and number, from a seed or from the learner's `settings`.

    language: of the tokens. Or the reason for no exercise: "one_token", "too_large" (MOST_TOKENS,
    MOST_WIDTH), "large_numbers" (above MOST_SIZE), "same" (the common slips give the right numbers in every
    row).
    """
    reason = None if settings is None else refusal(settings)
    if reason:
        return reason
    for attempt in range(TRIES if settings is None else OWN_TRIES):
        # The step and the mask are the same in all attempts, so that masks that seldom fit are as frequent.
        once, chance = Chance("fill_in", level, number), Chance("fill_in", level, number, attempt)
        step, masked = once.pick(STEPS), once.number(0, 1) == 1
        if settings is None:
            result = _from_seed(chance, level, step, masked, language)
        else:
            result = _own(chance, level, step if attempt < OWN_TRIES // 2 else chance.pick(STEPS), settings)
        strict = settings is None or attempt < OWN_TRIES // 2
        if result is not None and fits(result, seeded=settings is None, strict=strict):
            return result
    return "same"


def refusal(settings: Settings) -> str | None:
    """The reason why the learner's own numbers do not suit this exercise, if there is one."""
    if len(settings.tokens) < 2:
        return "one_token"
    if len(settings.tokens) > MOST_TOKENS or max(settings.head_dim, settings.value_dim) > MOST_WIDTH:
        return "too_large"
    trace = trace_of(set_aside(settings))
    sizes = (trace.heads.query, trace.heads.key, trace.heads.value, trace.heads.scores)
    return "large_numbers" if any(numbers.abs().max() > MOST_SIZE for numbers in sizes) else None


def _worked(trace: AttentionTrace, d_model: int | None = None) -> by_hand.Worked:
    mask = trace.mask
    if mask is not None and mask.all():
        mask = None
    steps = (trace.query, trace.key, trace.value, trace.scores, trace.scaled_scores, trace.weights)
    return by_hand.Worked(*steps, None if mask is None else mask.expand_as(trace.scores), d_model)


def _from_seed(chance: Chance, level: str, step: str, masked: bool, language: str) -> FillExercise | None:
    n, d_k, d_v = chance.number(3, 4), chance.number(2, 4), chance.number(2, 3)
    if level == HOUR:
        n, d_k, d_v, masked = 3, 4, 2, True
    query, key, value = (
        torch.tensor([[chance.number(-2, 2) for _ in range(width)] for _ in range(n)], dtype=torch.float64)
        for width in (d_k, d_k, d_v)
    )
    mask = causal_mask(n) if masked else None
    tokens = chance.sentence(language, n)
    numbers = _worked(scaled_dot_product_attention(query, key, value, mask=mask))
    return _with_blanks(chance, level, step, numbers, tokens, None)


def _own(chance: Chance, level: str, step: str, settings: Settings) -> FillExercise | None:
    """An exercise with Q, K, V and the mask of one of the learner's heads, always divided by √d_k."""
    head = chance.number(0, settings.num_heads - 1)
    theirs = trace_of(set_aside(settings)).head(head)
    trace = scaled_dot_product_attention(theirs.query, theirs.key, theirs.value, mask=theirs.mask)
    numbers = _worked(trace, settings.d_model)
    return _with_blanks(
        chance, level, step, numbers, settings.tokens, head if settings.num_heads > 1 else None
    )


def _with_blanks(
    chance: Chance, level: str, step: str, numbers: by_hand.Worked, tokens: tuple[str, ...], head: int | None
) -> FillExercise | None:
    """An exercise with these numbers; None if the drawn row has fewer than two visible keys."""
    n = len(tokens)
    # In the row of the hour one key is masked.
    row = n - 2 if level == HOUR else chance.number(0 if level == "1" else 1, n - 1)
    visible = numbers.visible[row].nonzero().flatten().tolist()
    if len(visible) < 2:
        return None
    of_all = level in ("3", HOUR)
    if not of_all and step in ("scores", "scaled_scores"):
        numbers = replace(numbers, mask=None)  # the mask comes after this step
    steps = STEPS if of_all else (step,)
    blank: list[BlankCell] = []
    for name in steps:
        columns: Sequence[int] = range(numbers.value.shape[-1] if name == "output" else n)
        if level == "1":
            columns = visible[-1:] if name == "weights" else columns[-1:]
        if level == HOUR:
            columns = columns[1:] if name == "weights" else columns[1:2]
        blank += [(name, col) for col in columns]
    return FillExercise(level, steps, row, tuple(blank), numbers, tokens, head)


def fits(exercise: FillExercise, *, seeded: bool = False, strict: bool = True) -> bool:
    """Whether every possible slip shows: some blank cell is off by more than twice the tolerance.

    Twice, because a learner who slips rounds as well. Not strict: one visible slip per step is enough. The
    numbers of a row have to differ, also from a row above that is filled in, and a single cell is not 0.
    Seeded rows of Q, K and V are plain.
    """
    problem, row = exercise.numbers, exercise.row
    rows = [matrix_of(problem, step)[row, list(exercise.columns(step))] for step in exercise.steps]
    if any(
        numbers.max() - numbers.min() < APART if len(numbers) > 1 else numbers.abs() < APART / 2
        for numbers in rows
    ):
        return False
    if exercise.level == "2":
        computed = matrix_of(problem, exercise.steps[0])
        if (computed[row] - computed[row - 1]).abs().max() < APART:
            return False
    if seeded:
        if not are_plain(*(numbers.tolist() for numbers in (problem.query, problem.key, problem.value))):
            return False
        weights = problem.weights[row][problem.visible[row]]
        if weights.max() > MOST_WEIGHT or weights.min() < LEAST_WEIGHT:
            return False
        if (
            {"weights", "output"} & set(exercise.steps)
            and problem.mask is not None
            and problem.mask[row].all()
        ):
            return False  # a mask that masks nothing here
        if exercise.level == "2" and problem.visible[row - 1].sum() < 2:
            return False  # the row above is a poor example
    enough = all if strict else any
    return all(enough(_slips_shown(exercise, step)) for step in exercise.steps)


def _slips_shown(exercise: FillExercise, step: str) -> list[bool]:
    """Whether each possible slip shows; where weights are given there is no softmax to slip in."""
    if step == "weights" and exercise.given:
        return [True]
    result = (_shows(exercise, step, name) for name in SLIPS[step])
    return [shows for shows in result if shows is not None]


def _shows(exercise: FillExercise, step: str, name: str) -> bool | None:
    """Whether the slip shows; None if it is not possible here."""
    columns = list(exercise.columns(step))
    wrong = SLIPS[step][name](exercise.numbers)[exercise.row, columns]
    present = ~wrong.isnan()
    if not present.any():
        return None
    off = (wrong - by_hand.computed(step, exercise.numbers)[exercise.row, columns]).abs()
    most = by_hand.tolerance(step, exercise.numbers)[exercise.row, columns]
    return bool((off > 2 * most)[present].any())


# ---- judging


@functools.lru_cache(maxsize=64)
def judge(exercise: FillExercise, answer: Answer) -> tuple[Finding, ...]:
    """The verdict on each step, in order.

    Each step is judged by the learner's own numbers for the step before, so that a mistake counts once, where
    it was made.
    """
    findings = []
    for step in exercise.steps:
        numbers = with_answer(exercise, dict(zip(exercise.blank, answer, strict=True)), step)
        # The learner may have gone on with the numbers as entered, or with more digits.
        exact = by_hand.tolerance(step, exercise.numbers)
        most = by_hand.tolerance(step, numbers).clamp(min=exact, max=2 * exact)
        findings.append(_Judge(exercise, step, numbers, most, answer).finding())
    return tuple(findings)


def with_answer(exercise: FillExercise, entries: Mapping[BlankCell, float], before: str) -> by_hand.Worked:
    """The exercise's numbers with the learner's entries for all steps before the step `before`.

    Weights of which some are given follow from those, and not from the scores.
    """
    numbers = exercise.numbers
    if before == "weights" and exercise.given:
        return numbers
    for step in exercise.steps[: exercise.steps.index(before)]:
        matrix = matrix_of(numbers, step).clone()
        for col in exercise.columns(step):
            matrix[exercise.row, col] = entries.get((step, col), matrix[exercise.row, col].item())
        fields: dict[str, Any] = {step: matrix}
        numbers = replace(numbers, **fields)
    return numbers


def take_entry(entries: dict[BlankCell, float], blank: Sequence[BlankCell], edit: dict) -> None:
    """Applies an edit in the picture: a number in a blank cell, or None if the cell becomes blank again."""
    place = edit["matrix"], int(edit["col"])
    if place not in blank:
        return
    if edit["value"] is None:
        entries.pop(place, None)
    else:
        entries[place] = float(edit["value"])


class _Judge:
    """One step's entries next to the right numbers and next to the numbers of every slip."""

    def __init__(
        self, exercise: FillExercise, step: str, numbers: by_hand.Worked, most: Tensor, answer: Answer
    ):
        self.exercise, self.step, self.numbers = exercise, step, numbers
        self.columns = list(exercise.columns(step))
        entries = dict(zip(exercise.blank, answer, strict=True))
        self.entered = torch.tensor([entries[step, col] for col in self.columns], dtype=torch.float64)
        self.most = most[exercise.row, self.columns]
        self.computed = by_hand.computed(step, numbers)
        self.wrong = ~self.same(self.computed)

    def same(self, numbers: Tensor, row: int | None = None) -> Tensor:
        """Where the entries equal a row of `numbers`, by default this row. NaN equals no entry."""
        line = numbers[self.exercise.row if row is None else row, self.columns]
        return (self.entered - line).abs() <= self.most

    def finding(self) -> Finding:
        off = self.entered - self.computed[self.exercise.row, self.columns]
        words = [
            ("low" if size < 0 else "high") if wrong else "right"
            for size, wrong in zip(off.tolist(), self.wrong.tolist(), strict=True)
        ]
        finding = Finding(self.step, tuple(zip(self.columns, words, strict=True)))
        if finding.right:
            return finding
        if self.step == "weights" and self.exercise.given:
            return finding
        near = bool((off.abs() <= self.most + NEAR)[self.wrong].all())
        return replace(finding, slips=self.causes(), near=near, query=self.other_query())

    def causes(self) -> tuple[str, ...]:
        """The slips that give all wrong entries, or else the first one; the most plausible comes first.

        A slip that would have changed a right cell too comes last. Of the others, one wrong cell speaks for
        a slip of a cell, and several for a slip of the row.
        """
        explained = {}
        for name, slip in SLIPS[self.step].items():
            wrong = slip(self.numbers)  # cells in which the slip is not possible are right
            explained[name] = self.same(torch.where(wrong.isnan(), self.computed, wrong))
        first = torch.arange(len(self.wrong)) == self.wrong.nonzero()[0, 0]
        several = self.wrong.sum() > 1

        def rank(name: str) -> tuple[bool, bool]:
            of_a_cell = name in OF_A_CELL
            return not (of_a_cell or explained[name].all()), of_a_cell == several

        for counted in (self.wrong, first):
            names = [name for name, cells in explained.items() if cells[counted].all()]
            if names:
                return tuple(sorted(names, key=rank))
        return ()

    def other_query(self) -> int | None:
        """The query whose right numbers are in the wrong cells, if there is exactly one such query."""
        rows = [
            row
            for row in range(len(self.computed))
            if row != self.exercise.row and self.same(self.computed, row)[self.wrong].all()
        ]
        return rows[0] if len(rows) == 1 else None


# ---- sources


def sources(exercise: FillExercise, place: BlankCell) -> list[tuple[str, int, int]]:
    """The cells (matrix, row, column) that a blank cell is computed from, in whole matrices."""
    step, col = place
    numbers, row = exercise.numbers, exercise.row
    n, d_k = numbers.key.shape
    if step == "scores":
        return [("query", row, i) for i in range(d_k)] + [("key", col, i) for i in range(d_k)]
    if step == "scaled_scores":
        return [("scores", row, col)]
    if step == "weights" and exercise.given and numbers.visible[row, col]:
        return [("weights", row, j) for j in exercise.given]
    if step == "weights":
        masks = [] if numbers.mask is None else [("mask", row, j) for j in range(n)]
        return [("scaled_scores", row, j) for j in range(n)] + masks
    return [("weights", row, j) for j in range(n)] + [("value", j, col) for j in range(n)]
