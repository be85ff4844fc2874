"""One row of attention by hand: blank cells from the scores to the output, in the learner's own numbers."""

import functools
from dataclasses import dataclass, field, replace
from typing import Any

from attention import scaled_dot_product_attention
from attention.lab.mistakes import by_hand
from pages import session
from pages.ask.exercise.fill_exercise import (
    STEPS,
    Answer,
    BlankCell,
    FillExercise,
    Finding,
    judge,
    matrix_of,
    take_entry,
)
from pages.ask.exercise.words import Words
from pages.ask.questions import ask_blanks
from pages.draw import matrix, placing, say
from pages.draw.numbers import counted
from pages.draw.page import Page, distinct
from pages.draw.picture import Arrow, Flow, Matrix
from pages.draw.steps import hidden
from pages.draw.texts import literal
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings

QUESTION = "by_hand"
DONE = "done"  # the answer, once all cells were right
MOST = 4  # tokens, and numbers in a row of Q and of V
LARGEST, LARGEST_SCORE = 9.994, 99.994  # larger numbers do not suit a hand
SPREAD = 0.05  # where all scores or all values differ by less, nothing has to be computed
UNSURE = 0.05  # no weight may be as uncertain as this by what rounding leaves


@functools.lru_cache(maxsize=64)
def exercise_of(now: Settings, head: int) -> FillExercise | None:
    """The last row with several visible keys whose scores differ; None where the numbers do not suit a hand.

    The scores are divided by √d_k, whatever is set: the question says so.
    """
    if len(now.tokens) > MOST or max(now.head_dim, now.value_dim) > MOST:
        return None
    own = trace_of(now).head(head)
    trace = scaled_dot_product_attention(own.query, own.key, own.value, mask=own.mask)
    inputs = (trace.query, trace.key, trace.value)
    if max(one.abs().max() for one in inputs) > LARGEST or trace.scores.abs().max() > LARGEST_SCORE:
        return None
    mask = None if own.mask is None or own.mask.all() else own.mask
    numbers = by_hand.Worked(*inputs, trace.scores, trace.scaled_scores, trace.weights, mask, now.d_model)
    several = [row for row in range(len(now.tokens)) if _has_to_be_computed(numbers, row)]
    if not several or by_hand.rounding("weights", numbers)[several[-1]].max() > UNSURE:
        return None
    n, d_v = len(now.tokens), now.value_dim
    blank = tuple((step, col) for step in STEPS for col in range(d_v if step == "output" else n))
    return FillExercise(
        "3", STEPS, several[-1], blank, numbers, now.tokens, head if now.num_heads > 1 else None
    )


def _has_to_be_computed(numbers: by_hand.Worked, row: int) -> bool:
    """Several keys are visible, and neither their scores nor their values are all alike."""
    visible = numbers.visible[row]
    if visible.sum() < 2:
        return False
    spreads = [one.amax(0) - one.amin(0) for one in (numbers.scores[row][visible], numbers.value[visible])]
    return all(bool(spread.max() > SPREAD) for spread in spreads)


@dataclass
class HandEntries:
    """What the learner has entered in one exercise, and what of it was checked last."""

    entries: dict[BlankCell, float] = field(default_factory=dict)
    checked: dict[BlankCell, float] | None = None

    def answer(self, exercise: FillExercise) -> Answer | None:
        """All numbers that were checked last; None where cells were blank."""
        entered = self.checked or {}
        whole = all(place in entered for place in exercise.blank)
        return tuple(entered[place] for place in exercise.blank) if whole else None


def draw(page: Page) -> None:
    """The row of the learner's own numbers, or where these do not suit a hand, of the lesson's start."""
    page = page.unfollowed()
    exercise = exercise_of(page.now, page.head)
    if exercise is None:
        say.caption(page.t("by_hand.begun", most=MOST))
        page = page.unfollowed(edits.example_start(page.lesson.begins(page.t.language)))
        exercise = exercise_of(page.now, page.head)
    if exercise is not None:  # the start suits a hand
        _Row(page, exercise).draw()


class _Row:
    """The exercise on the screen."""

    def __init__(self, page: Page, exercise: FillExercise):
        self.page, self.exercise = page, exercise
        tried: dict[tuple[Settings, int], HandEntries] = session.memory(QUESTION, dict)
        self.tried = tried.setdefault((page.now, page.head), HandEntries())
        self.query, self.root = page.tokens[exercise.row], f"√{exercise.numbers.d_k}"
        self.words = Words(page.t, exercise, distinct(exercise.tokens), self.tried.entries)

    def draw(self) -> None:
        facts: dict[str, Any] = {"query": literal(self.query), "root": self.root}
        asked: dict[str, Any] = {
            "draw": self.blanks,
            "check": self.check,
            "complaint": self.complaint(),
            "solved": self.solved(),
        }
        if ask_blanks(self.page, QUESTION, **asked, **facts):
            self.picture([self.step(name) for name in STEPS])

    # ---- what the learner does

    def take(self, edit: dict) -> None:
        take_entry(self.tried.entries, self.exercise.blank, edit)

    def check(self) -> None:
        session.take_waiting_edits()  # the last cell may be typed in the same moment
        self.tried.checked = dict(self.tried.entries)
        if self.solved():
            session.answer(QUESTION, DONE)

    def findings(self) -> tuple[Finding, ...]:
        """Of each step, once all cells were checked."""
        answer = self.tried.answer(self.exercise)
        return () if answer is None else judge(self.exercise, answer)

    def solved(self) -> bool:
        findings = self.findings()
        return bool(findings) and all(one.right for one in findings)

    def complaint(self) -> str:
        """What is wrong with the entries that were checked last; nothing once they were changed."""
        checked, findings = self.tried.checked, self.findings()
        if checked is None or checked != self.tried.entries or self.solved():
            return ""
        if findings:
            return self.words.wrong(findings)
        blank = [place for place in self.exercise.blank if place not in checked]
        return self.page.t("fill_in.blank", cells=self.words.cells(blank))

    # ---- the picture

    def blanks(self) -> None:
        """The blank cells with what was entered; ringed: what was wrong and is as it was."""
        if self.exercise.numbers.mask is not None:
            say.caption(self.page.t("fill_in.mask"))
        if self.exercise.head is not None:
            say.caption(self.page.t("by_hand.head", head=self.exercise.head + 1))
        entries, checked = self.tried.entries, self.tried.checked or {}
        wrong = [(one.step, col) for one in self.findings() for col in one.wrong]
        wrong = [place for place in wrong if entries.get(place) == checked.get(place)]
        matrices = []
        for step in STEPS:
            cols = self.exercise.columns(step)
            ringed = [(0, col) for name, col in wrong if name == step]
            values = [[entries.get((step, col)) for col in cols]]
            matrices.append(
                replace(self.step(step), values=values, recipe=None, masked=None)
                .looking(ringed=ringed)
                .to_edit(open=[(0, col) for col in cols])
            )
        also = self.page.is_offered(QUESTION)  # next to the solved picture
        self.picture(matrices, "-blank" * also, on_edit=self.take, note=self.page.t("fill_in.typing"))

    def picture(self, row: list[Matrix], suffix: str = "", **how: Any) -> None:
        """What is given in the first line, the row below it."""
        numbers, own, tokens = self.exercise.numbers, self.exercise.row, list(self.page.tokens)
        d_k, d_v = counted(numbers.d_k), counted(numbers.value.shape[-1])
        matrices = [
            matrix.of("query", "Q", numbers.query[own : own + 1], [self.query], d_k),
            matrix.of("key", "K", numbers.key, tokens, d_k),
            matrix.of("value", "V", numbers.value, tokens, d_v),
        ]
        if numbers.mask is not None:
            matrices.append(matrix.of("mask", "M", numbers.mask[own : own + 1], [self.query], tokens))
        arrows = (f"÷ {self.root}", "softmax", "· V")
        way = [item for arrow, name in zip(arrows, STEPS[1:], strict=True) for item in (Arrow(arrow), name)]
        flows = [Flow([one.id for one in matrices]), Flow([STEPS[0], *way])]
        # Another picture for other numbers, so that nothing half typed is left in them.
        name = f"{QUESTION}-{self.page.now.example}-{self.page.head}{suffix}"
        placing.draw(self.page, name, [*matrices, *row], flows, **how)

    def step(self, name: str) -> Matrix:
        """The row of one step, and how it was made."""
        numbers, row, names = self.exercise.numbers, self.exercise.row, list(self.page.tokens)
        return matrix.of(
            name,
            self.words.symbol(name),
            matrix_of(numbers, name)[row : row + 1],
            [self.query],
            counted(numbers.value.shape[-1]) if name == "output" else names,
            kind="weights" if name == "weights" else "signed",
            recipe=self.words.recipe(name, [row]),
            masked=hidden(numbers.visible[row : row + 1]) if name == "weights" else None,
            alt=self.page.t(f"title.{name}"),
        )
