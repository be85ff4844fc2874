"""Messages about problems, until the page shows them."""

import secrets

from pages.model.entries import SettingsError, first_problems

from .visit import Visit, visit

LASTING = "vote_gone"  # after a restart, runs that the learner has not asked for would take the message away


def take_problems(*, of_votes: bool = False) -> list[SettingsError]:
    """The problems that were not shown yet, of votes or all others. The last of many counts the rest.

    That a vote is gone is said until the learner changes something.
    """
    current = visit()
    new = [problem for problem in current.problems if _is_of_votes(problem) == of_votes]
    current.problems = [problem for problem in current.problems if _is_of_votes(problem) != of_votes]
    if new and of_votes:
        current.said, current.said_at = secrets.token_hex(4), _moment(current)
    elif of_votes:
        new = _lasting(current)
    current.last_problems[of_votes] = first_problems(new, "more_problems")
    return current.last_problems[of_votes]


def _lasting(current: Visit) -> list[SettingsError]:
    """The messages of the last run that stay: the learner has changed nothing since."""
    said = [problem for problem in current.last_problems.get(True, ()) if problem.code == LASTING]
    return said if said and current.said_at == _moment(current) else []


def _moment(current: Visit) -> tuple[object, ...]:
    """All that the learner can change."""
    return current.state, current.view, current.here, current.place(current.here)


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
    return any(map(_is_of_votes, visit().problems)) or bool(_lasting(visit()))


def _is_of_votes(problem: SettingsError) -> bool:
    return problem.code.startswith("vote")
