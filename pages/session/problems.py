"""Messages about problems, until the page shows them."""

from pages.model.entries import SettingsError, first_problems

from .visit import visit


def take_problems(*, of_votes: bool = False) -> list[SettingsError]:
    """The problems that were not shown yet, of votes or all others. The last of many counts the rest."""
    problems, current = visit().problems, visit()
    current.problems = [problem for problem in problems if _is_of_votes(problem) != of_votes]
    current.last_problems[of_votes] = first_problems(
        [problem for problem in problems if _is_of_votes(problem) == of_votes], "more_problems"
    )
    return current.last_problems[of_votes]


def say_again() -> None:
    """Keeps the messages of the last run on the page in the next run, which the learner has not asked for."""
    current = visit()
    last = current.last_problems
    current.problems = [*last.pop(False, ()), *last.pop(True, ()), *current.problems]


def has_to_say() -> bool:
    """Whether the page shows or will show a problem or a replacement."""
    current = visit()
    return bool(current.problems or any(current.last_problems.values()) or current.replacement)


def has_problems_of_votes() -> bool:
    return any(map(_is_of_votes, visit().problems))


def _is_of_votes(problem: SettingsError) -> bool:
    return problem.code.startswith("vote")
