"""No place among the options is right more often than the others, so that none is a good guess."""

from collections import defaultdict
from collections.abc import Iterable
from math import sqrt

import pytest

from pages.ask.questions import only
from pages.lessons.train_a_head import patterns
from pages.model.course import Question
from tests.support.questions import ASKED

LETTERS = "ABCDEFG"
MOVE = """\
Of {count} options the right one is {places} times. Change the order of the options of a new question, in its
declaration, so that the right one is {least}, and not {most}, as of: {names}."""

Order = tuple[str, tuple[str, ...], str]  # question, options, the right one


def uneven(orders: Iterable[Order]) -> list[str]:
    """A problem for each number of options where some place is right far from its share.

    By chance a count differs from its share by about the square root of it.
    """
    names: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, options, right in orders:
        names[len(options)][LETTERS[options.index(right)]].append(name)
    problems = []
    for count, by_letter in names.items():
        times = {letter: len(by_letter[letter]) for letter in LETTERS[:count]}
        share = sum(times.values()) / count
        if any(abs(number - share) > round(sqrt(share)) for number in times.values()):
            least, most = min(times, key=times.__getitem__), max(times, key=times.__getitem__)
            places = ", ".join(f"{letter} {number}" for letter, number in times.items())
            facts = {"least": least, "most": most, "names": ", ".join(by_letter[most])}
            problems.append(MOVE.format(count=count, places=places, **facts))
    return problems


# Numbers come from the smallest on, wherever the right one is then.
FREE = [
    (asked.name, asked.question.options, asked.right)
    for asked in ASKED
    if asked.question.options and not asked.question.numeric
]


def test_each_place_is_right_about_equally_often():
    assert not (problems := uneven(FREE)), "\n".join(problems)


def test_each_place_is_right_about_equally_often_in_the_tasks_of_a_training():
    orders = [(task, offered, only(patterns.holds(task))) for task, offered in patterns.OFFERED.items()]
    assert not (problems := uneven(orders)), "\n".join(problems)


@pytest.mark.parametrize(("place", "count"), [(0, 3), (2, 3), (0, 4), (1, 4)])
def test_an_author_is_told_which_options_to_move(place, count):
    options = tuple("abcd"[:count])
    new = [(f"new_{i}", options, options[place]) for i in range(10)]
    (problem,) = uneven([*FREE, *new])
    assert f"Of {count} options" in problem and f"not {LETTERS[place]}, as of" in problem
    assert problem.endswith("new_9.")


def test_the_right_option_at_the_start_is_one_of_the_options():
    with pytest.raises(ValueError, match="'c' is not one of"):
        Question("sample", ("a", "b"), at_start="c")
    with pytest.raises(ValueError, match="'a' is not one of"):
        Question("sample", right="a")
