"""The order in which a question's options are shown: drawn once, the same everywhere, and no place tells."""

from collections import Counter, defaultdict
from itertools import count

from pages.model.course import DRAW, Question
from tests.support.questions import ASKED

DRAWN = [asked for asked in ASKED if asked.right is not None and not asked.question.numeric]
FOUR = Question("sample", ("a", "b", "c", "d"), "a")
PLAIN = ("b", "d", "c", "a")  # of FOUR, where the checksum begins with 0


def places_of_right(draw: int) -> dict[tuple[int, int], list[int]]:
    """(drawn options, options at the end) → for each drawn place in how many questions it is right.

    A right option at the end is counted nowhere: it is not drawn.
    """
    counts: dict[tuple[int, int], Counter] = defaultdict(Counter)
    for asked in DRAWN:
        order, last = asked.question.in_order(asked.options, draw), asked.question.last
        if asked.right not in last:
            counts[len(order) - len(last), bool(last)][order.index(asked.right)] += 1
    return {kind: [places[i] for i in range(kind[0])] for kind, places in counts.items()}


def is_even(places: list[int]) -> bool:
    """Each place has its share of the questions, rounded up or down, or one more or fewer."""
    low, rest = divmod(sum(places), len(places))
    return min(places) >= low - 1 and max(places) <= low + bool(rest) + 1


def test_each_place_is_right_about_equally_often():
    places = places_of_right(DRAW)
    if all(map(is_even, places.values())):
        return
    draw = next(draw for draw in count() if all(map(is_even, places_of_right(draw).values())))
    raise AssertionError(
        f"In which place the right option is, by (drawn options, whether others end the list): {places}. "
        f"In pages/model/course.py write DRAW = {draw}; nothing else is needed."
    )


def test_an_uneven_count_is_noticed():
    assert is_even([3, 4, 4]) and is_even([2, 5, 4]) and is_even([2, 0, 1, 1])
    assert not is_even([1, 5, 5]) and not is_even([6, 3, 2]) and not is_even([35, 13, 7])


def test_the_order_follows_from_the_name_and_the_options_alone():
    """On every server and in every version: a printed letter or a letter said in class stays right."""
    assert FOUR.in_order(FOUR.options, 0) == PLAIN
    assert Question("sample", ("d", "b", "a", "c"), "b").in_order("badc", 0) == PLAIN
    assert FOUR.in_order("dab", 0) == tuple(option for option in PLAIN if option != "c")
    assert Question("sample").in_order("dcba", 0) == PLAIN  # options that follow from the numbers
    assert len({Question(f"sample_{i}").in_order("abcd") for i in range(200)}) == 24


def test_numbers_stay_in_order_and_what_ends_the_list_is_last():
    assert Question("sample", numeric=True).in_order("abcd") == ("a", "b", "c", "d")
    for last in (("b",), ("d", "a"), ("a", "d")):
        order = Question("sample", ("a", "b", "c", "d"), "c", last=last).in_order("abcd")
        assert order[-len(last) :] == last and sorted(order) == ["a", "b", "c", "d"]
