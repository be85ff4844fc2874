"""A winner is named only where one value reads larger than all others."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.draw.numbers import apart, number_of, short
from pages.draw.texts import Texts
from pages.draw.winners import sentence, ties, winner, winners

numbers = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(lambda number: number / 400)
rows = st.lists(numbers, min_size=1, max_size=12)


@given(rows, st.booleans())
def test_a_winner_s_printed_number_lies_beyond_every_other_one(values, least):
    printed = [number_of(short(value)) for value in values]
    places, one = winners(values, least=least), winner(values, least=least)
    end = (min if least else max)(printed)
    assert places == [place for place, number in enumerate(printed) if number == end]
    assert one == (places[0] if len(places) == 1 else None)
    if one is not None:
        assert values[one] == (min if least else max)(values)


@given(rows, st.randoms())
def test_the_order_does_not_matter(values, random):
    order = random.sample(range(len(values)), len(values))
    assert sorted(order[place] for place in winners([values[i] for i in order])) == winners(values)


@given(rows, st.integers(0, 11))
def test_a_value_that_is_there_twice_never_wins_alone(values, at):
    twice = [*values, values[at % len(values)]]
    assert winner(twice) not in (at % len(values), len(values))
    assert ties([*values, max(values)])


def test_the_texts_that_are_printed_decide():
    values = [0.9999, 0.99991, 0.2]
    assert winner(values) is None
    assert winner(values, [apart(value, 1.0, 5) for value in values]) == 1
    assert not ties(values) and ties([0.1 + 0.2, 0.3])


def test_what_is_no_number_wins_nothing():
    assert winners([math.nan, 1.0, math.nan]) == [1] and winners([math.nan]) == [] and winner([]) is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_tie_has_the_names_of_all_that_lead(language):
    t = Texts(language, "masks")
    text = sentence(t, "gallery.most", ["a", "b", "c"], [0.5, 0.501, 0.4])
    names = {"en": "“a” and “b”", "zh": "“a”和“b”"}[language]
    assert text == t("gallery.most_tie", names=names, value="0.50")
    assert sentence(t, "gallery.most", ["a", "b"], [0.5, 0.4]) == t("gallery.most", name="a", value="0.50")
