"""What is said of a bug hunt: the task, hints, why an answer is wrong, and what the mistake was."""

import math

from torch import Tensor

from attention.checking.mistakes import MISTAKES
from attention.lab.mistakes.checks import check
from pages.draw.numbers import short
from pages.draw.page import Page, distinct, small
from pages.draw.texts import literal

from .bug_exercise import BugExercise, differ
from .bug_picture import ALL_HEADS, LETTERS, SQUARE, telling_cell


def name_of(page: Page, exercise: BugExercise, step: str, head: int | None = None) -> str:
    """A step's matrix in a sentence: of one head with its number, of any head with an i."""
    if step not in LETTERS:
        return page.t(f"short.{step}")
    if exercise.inputs.num_heads == 1:
        return LETTERS[step]
    return LETTERS[step] + ("ᵢ" if head is None else small(head + 1))


def task(page: Page, exercise: BugExercise) -> str:
    """What to find out, and what the computation starts from."""
    t, inputs = page.t, exercise.inputs
    sentences = [t("bug_hunt.task")]
    if exercise.from_scores:
        sentences.append(t("bug_hunt.given", d_k=inputs.d_k))
    if exercise.mask in ("causal", "padding", "left_padding"):
        sentences.append(t(f"bug_hunt.mask_{exercise.mask}", real=inputs.real, n=inputs.n))
    if inputs.visible is not None and not inputs.visible.any(-1).all():
        sentences.append(t("bug_hunt.empty_row"))
    if inputs.beside is not None:
        sentences.append(t("bug_hunt.second", real=int(inputs.beside[-1].sum())))
    return t.joined(sentences)


def place(page: Page, exercise: BugExercise, step: str, cell: tuple[int, ...]) -> str:
    """A cell's name: A₂[我, 爱]. cell: row and column, after the head where the step is of one head."""
    tokens = distinct(exercise.tokens)
    head = cell[0] if len(cell) == 3 else None
    row, col = cell[-2:]
    column = tokens[col] if step in SQUARE else str(col + 1)
    return literal(f"{name_of(page, exercise, step, head)}[{tokens[row]}, {column}]")


def _number(tensor: Tensor, cell: tuple[int, ...]) -> str:
    return short(tensor[cell].item())


# ---- why an answer is wrong


def why_not(page: Page, exercise: BugExercise, step: str, bug: str) -> str:
    """What speaks against the chosen step and the chosen mistake."""
    t = page.t
    sentences = [_of_step(page, exercise, step)]
    if bug == exercise.bug:
        sentences.append(t("bug_hunt.bug_found", bug=t(f"bug.{bug}")))
    else:
        where, would, seen = against(page, exercise, bug)
        sentences.append(t("bug_hunt.would", bug=t(f"bug.{bug}"), place=where, would=would, seen=seen))
    return t.joined(sentences)


def _of_step(page: Page, exercise: BugExercise, step: str) -> str:
    t, matrix = page.t, name_of(page, exercise, step)
    if step == exercise.step:
        return t("bug_hunt.step_found", matrix=matrix)
    if differ(getattr(exercise.run, step), getattr(exercise.right, step)):
        return t("bug_hunt.step_follows", matrix=matrix)
    return t("bug_hunt.step_right", matrix=matrix, how=t(f"bug_how.{step}"))


def against(page: Page, exercise: BugExercise, bug: str) -> tuple[str, str, str]:
    """A cell that speaks against the mistake: its name, what would be there, and what is there."""
    other = MISTAKES[bug].run(exercise.inputs)
    for step in exercise.steps:
        seen, would = getattr(exercise.run, step), getattr(other, step)
        if differ(seen, would):
            cell = telling_cell(seen, would)
            return place(page, exercise, step, cell), _number(would, cell), _number(seen, cell)
    raise LookupError(f"{bug} looks as {exercise.bug} does")


# ---- hints


def hints(page: Page, exercise: BugExercise) -> list[str]:
    """Two matrices to look at; what to check; a cell to compute."""
    t, steps, step = page.t, exercise.steps, exercise.step
    at = steps.index(step)
    near = at - 1 if at and (page.look.exercise % 2 or at == len(steps) - 1) else at + 1
    first, other = (name_of(page, exercise, steps[i]) for i in sorted((at, near)))
    cell = telling_cell(getattr(exercise.run, step), getattr(exercise.right, step))
    return [
        t("bug_hunt.hint_where", one=first, other=other),
        t(f"bug_ask.{MISTAKES[exercise.bug].check}"),
        t("bug_hunt.hint_cell", place=place(page, exercise, step, cell), how=t(f"bug_how.{step}")),
    ]


# ---- what was wrong


def reason(page: Page, exercise: BugExercise) -> str:
    """The mistake, told by the cell in which it shows most."""
    t, inputs, step = page.t, exercise.inputs, exercise.step
    wrong, good = getattr(exercise.run, step), getattr(exercise.right, step)
    cell = telling_cell(wrong, good)
    return t(
        f"bug_reason.{exercise.bug}",
        matrix=name_of(page, exercise, step, cell[0] if step not in ALL_HEADS else None),
        place=place(page, exercise, step, cell),
        wrong=_number(wrong, cell),
        right=_number(good, cell),
        row=literal(distinct(exercise.tokens)[cell[-2]]),
        d_k=inputs.d_k,
        d_model=inputs.d_model,
        n=inputs.n,
    )


def check_sentence(page: Page, exercise: BugExercise) -> str:
    """The check that would have caught it, with what it finds in the wrong run and in the right one."""
    name = MISTAKES[exercise.bug].check
    wrong, good = (check(name, exercise.inputs, run) for run in (exercise.run, exercise.right))
    values = {"wrong": short(wrong.value), "right": short(good.value)}
    return page.t(f"bug_check.{name}", **values, root=short(math.sqrt(exercise.inputs.d_k)))
