"""What went wrong and has to be said."""

from pages.model.entries import SettingsError, few

from .visit import visit


def take_problems(*, of_votes: bool = False) -> list[SettingsError]:
    """What went wrong and was not said yet, in votes or elsewhere; of many, how many more there are."""
    problems, now = visit().problems, visit()
    now.problems = [one for one in problems if _is_of_votes(one) != of_votes]
    now.last_problems[of_votes] = few(
        [one for one in problems if _is_of_votes(one) == of_votes], "more_problems"
    )
    return now.last_problems[of_votes]


def say_again() -> None:
    """The next run, which the learner has not asked for, says again what the last one said."""
    now = visit()
    now.problems = [*now.last_problems.pop(False, ()), *now.last_problems.pop(True, ()), *now.problems]


def has_to_say() -> bool:
    """Whether something went wrong or was replaced: it is said, or will be."""
    now = visit()
    return bool(now.problems or any(now.last_problems.values()) or now.replacement)


def has_problems_of_votes() -> bool:
    return any(map(_is_of_votes, visit().problems))


def _is_of_votes(problem: SettingsError) -> bool:
    return problem.code.startswith("vote")
