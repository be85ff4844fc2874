"""A task is judged by the number on the screen."""

from dataclasses import replace

import pytest

from pages.draw.numbers import number_of, short
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.model.shown import is_at_least, shown
from pages.model.targets import Condition

VALUES = (0.5512, 0.5549, 0.555, 1.4951, -0.004, 0.004, 99.996, 512.34, 12_345.6, 100_000.0, -1e-9)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("decimals", [0, 2, 3])
def test_the_number_is_the_one_of_the_short_format(value, decimals):
    text = short(value, decimals)
    assert shown(value, decimals) == (float(text) if "e" in text else number_of(text))


def test_what_reads_like_the_bound_has_reached_it_but_only_0_is_0():
    weight = trace_of(Settings()).heads.weights[0, 0, 0].item()
    read = float(f"{weight:.2f}")
    assert read != weight
    for relation in ("ge", "le"):
        measured = Condition("weights", 0, 0, relation, read).measured(trace_of(Settings()))
        assert measured.reached and measured.left == 0
        sign = 1 if relation == "ge" else -1
        beyond = Condition("weights", 0, 0, relation, read + 0.01 * sign).measured(trace_of(Settings()))
        assert not beyond.reached and beyond.left > 0
    assert is_at_least(1.4951, 1.5) and not is_at_least(1.4949, 1.5) and is_at_least(1.5, 1.5)
    assert is_at_least(0.0, 0.0) and not is_at_least(-0.004, 0.0)


def test_a_largest_number_reads_larger_than_the_others():
    for second, is_largest in ((4.0001, False), (5.0, True)):
        x = ((4.0, 0.0, 0.0, 0.0), (second, 0.0, 0.0, 0.0), (1.0,) * 4)
        trace = trace_of(replace(Settings(), x=x, w_q=((1.0,) * 4,) * 4, w_k=((1.0,) * 4,) * 4))
        first, largest, _ = trace.heads.weights[0, 2].tolist()
        assert largest > first
        assert Condition("weights", 2, 1, "top").measured(trace).reached == is_largest
