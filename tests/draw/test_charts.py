"""Charts: a specification is kept for its words and axes, axes have readable ticks, legends fit."""

import re

import pytest

from pages.draw.charts import Axis, Plot, bars, decades, groups, heat, plane, ranges, rows, theme

UNIT = Axis("p", (0.0, 1.0))


def drawn(number: float) -> list:
    """A chart of each sort with that number in it."""
    plot = Plot(UNIT, UNIT, ("a", "b"))
    plot.curve("line", (0, 1), (0, number))
    plot.now(number, number)
    return [
        plot.chart(),
        bars(UNIT, ["a"], [number]),
        groups(UNIT, ["a"], {"x": [number], "y": [1.0]}),
        ranges(UNIT, {"a": (0.0, number)}, now=0.5),
        heat("x", "y", [[number]]),
    ]


def test_a_number_that_moves_builds_no_specification():
    before = drawn(0.2)
    built = [cache.cache_info().misses for cache in (plane._spec, rows._spec, rows._heat)]
    after = drawn(0.3)
    assert built == [cache.cache_info().misses for cache in (plane._spec, rows._spec, rows._heat)]
    for (data, spec), (moved, same) in zip(before, after, strict=True):
        assert spec == same and data != moved


def test_a_caller_may_change_what_it_was_given():
    drawn(0.2)[0][1].clear()
    assert drawn(0.2)[0][1]["config"] == theme.CONFIG


def test_a_mark_that_does_not_exist_is_refused():
    with pytest.raises(LookupError, match="dashes is none of area, band"):
        Plot(UNIT, UNIT).mark("dashes", 0)


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.01, 100.0), [0.01, 0.1, 1.0, 10.0, 100.0]),
        ((1e-9, 10.0), [1e-9, 1e-7, 1e-5, 1e-3, 0.1, 10.0]),
        ((1.0, 32.0), [1, 2, 5, 10, 20]),
        ((0.3, 3.0), [0.5, 1, 2]),
    ],
)
def test_a_log_axis_has_few_round_ticks(ends, ticks):
    shown = Axis("", ends, log=True).channel()["axis"].to_dict()["values"]
    assert shown == pytest.approx(ticks)


def test_the_ends_of_a_log_axis_are_whole_powers_of_ten():
    assert decades([3, 40, 0]) == (1.0, 100.0)
    assert decades([3, 41]) == decades([2, 99])
    assert decades([1.0])[1] > 1  # an axis has a length


def test_a_legend_has_as_many_columns_as_fit():
    columns = theme.legend(("short", "a name that is rather long", "注意力权重")).to_dict()["columns"]["expr"]
    needed = [(int(width), int(count)) for width, count in re.findall(r">= (\d+) \? (\d)", columns)]
    assert [count for _, count in needed] == [3, 2]
    (three, _), (two, _) = needed
    assert three > two > theme.ENTRY * 2 and columns.endswith(": 1")
