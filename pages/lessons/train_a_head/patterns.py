"""Which cells of A will be dark: the patterns that a learner may expect, and which of them solves a task."""

from dataclasses import replace

import torch
from torch import Tensor

from attention.lab.training import TASKS, Options, limit
from pages.ask import questions
from pages.draw import placing
from pages.draw.page import Page
from pages.model.view import SHOWN, with_answer
from pages.picture import Flow

from . import scene
from .settings import TASKS as TASK_NAMES

AttendedPlaces = list[list[int]]  # for each token, the places that share its attention
QUESTION = "train_dark"
# What is offered for a task, in the order in which it is shown: one of them solves it.
OFFERED = {
    "previous": ("own", "first", "before", "mean"),
    "same": ("twin", "mean", "before", "own"),
    "first": ("own", "mean", "first", "mirror"),
    "bracket": ("opening", "first", "before", "mirror"),
    "reverse": ("own", "mean", "before", "mirror"),
    "count": ("own", "letter_a", "first", "mean"),
    "count_so_far": ("own", "first", "before", "mean_so_far"),
    "both": ("mean", "letters_apart", "last", "letters_together"),
}


def heads_of(pattern: str, words: scene.Letters) -> list[AttendedPlaces]:
    """The places for each token, in each head; one head where all are alike."""
    n = len(words)
    every = range(n)

    def of(letter: str) -> list[int]:
        return [i for i in every if words[i] == letter] or [n - 1]

    results = {
        "own": lambda: [[i] for i in every],
        "before": lambda: [[max(i - 1, 0)] for i in every],
        "first": lambda: [[0]] * n,
        "last": lambda: [[n - 1]] * n,
        "mirror": lambda: [[n - 1 - i] for i in every],
        "mean": lambda: [list(every)] * n,
        "mean_so_far": lambda: [list(range(i + 1)) for i in every],
        "twin": lambda: [[j for j in every if words[j] == words[i] and j != i] or [i] for i in every],
        "opening": lambda: [[opening(words, i)] for i in every],
        "letter_a": lambda: [of("a")] * n,
        "letters_together": lambda: [sorted({*of("a"), *of("b")})] * n,
    }
    if pattern == "letters_apart":
        return [[of(letter)] * n for letter in ("a", "b")]
    return [results[pattern]()]


def opening(words: scene.Letters, place: int) -> int:
    """Where the bracket was opened that closes here; the place itself where none closes."""
    depth = 0
    for earlier in range(place, -1, -1):
        depth += 1 if words[earlier] in ")]}" else -1
        if depth == 0:
            return earlier
    return place


def weights(pattern: str, words: scene.Letters, heads: int) -> Tensor:
    """Those attention weights (heads, n, n)."""
    n, results = len(words), heads_of(pattern, words)
    result = torch.zeros(heads, n, n, dtype=torch.float64)
    for head in range(heads):
        for row, places in enumerate(results[head % len(results)]):
            result[head, row, places] = 1 / len(places)
    return result


def holds(task: str) -> dict[str, bool]:
    """Which of the offered patterns solve the task, judged by the rows that are asked in five sequences."""
    words = scene.sequences(task)
    return {pattern: all(_solves(pattern, task, word) for word in words) for pattern in OFFERED[task]}


def _solves(pattern: str, task: str, words: scene.Letters) -> bool:
    wanted = TASKS[task].expected_weights(words)
    asked = wanted.sum(-1) > 0
    return torch.allclose(weights(pattern, words, len(wanted))[asked], wanted[asked])


def can_solve(options: Options) -> bool:
    """Whether a pattern of attention can solve the task with these options; with its own it can."""
    own = Options(options.task)
    names = ("num_heads", "positions", "causal")
    return all(getattr(options, name) == getattr(own, name) for name in names) or limit(options).solvable


def right_pattern(page: Page) -> str | None:
    """The pattern that solves the task; None if no pattern can."""
    return questions.only(holds(page.own.task)) if can_solve(scene.options_of(page.own)) else None


def right_cells(page: Page) -> list[tuple[int, int]]:
    """The cells of A that solve the task, in the head shown, once the question about them is answered.

    None if no pattern solves it, and if all cells of a row are alike.
    """
    task, options, pattern = page.own.task, scene.options_of(page.own), right_pattern(page)
    if of_task(page).answer(QUESTION) is None or pattern is None or "mean" in pattern:
        return []
    heads = heads_of(pattern, scene.sequence_of(page.own))
    places = heads[min(page.view.head, options.num_heads - 1) % len(heads)]
    asked = TASKS[task].right_answers(scene.sequence_of(page.own))
    return [(row, col) for row, cols in enumerate(places) for col in cols if asked[row] is not None]


def option(task: str, pattern: str) -> str:
    """The option's name in an answer, which says of which task it was."""
    return f"{pattern}_{1 + TASK_NAMES.index(task)}"


def of_task(page: Page) -> Page:
    """The page as if nothing were answered, where the answer was given for another task."""
    answer, task = page.view.answer(QUESTION), page.own.task
    if answer in (None, SHOWN) or answer.endswith(option(task, "")):
        return page
    return replace(page, view=with_answer(page.view, QUESTION, None))


def ask(page: Page) -> bool:
    """The question before the training; one that was answered for another task is asked again.

    It is withheld where no pattern can be right, because of a mask, of a head too few or without positions.
    """
    page, t, task = of_task(page), page.t, page.own.task
    texts = {pattern: option(task, pattern) for pattern in OFFERED[task]}
    options = {name: t(f"option.{QUESTION}_{pattern}") for pattern, name in texts.items()}
    reasons = {name: t(f"because.{QUESTION}_{pattern}") for pattern, name in texts.items()}
    right = right_pattern(page)

    def picture() -> None:
        matrices, layout = scene.examples(page)
        asked = scene.unknown(page)
        placing.draw(page, "examples", [*matrices, asked], [*layout, Flow([asked.id])])

    answer = None if right is None else texts[right]
    return questions.ask(
        page, QUESTION, picture, answer=answer, words=options, reasons=reasons, asks=t(f"asks.{task}")
    )
