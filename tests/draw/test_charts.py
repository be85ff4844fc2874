"""Charts: a specification is kept for its words and axes, axes have readable ticks, legends fit."""

import itertools
import math
import re

import pytest

from pages.draw.charts import Axis, Plot, bars, groups, heat, log_reach, plane, ranges, reach, rows, theme

UNIT = Axis("p", (0.0, 1.0))


def drawn(number: float) -> list:
    """A chart of each sort with that number in it."""
    plot = Plot(UNIT, UNIT, ("a", "b"))
    plot.curve("line", (0, 1), (0, number))
    plot.state(number, number)
    return [
        plot.chart(),
        bars(UNIT, ["a"], [number]),
        groups(UNIT, ["a"], {"x": [number], "y": [1.0]}),
        ranges(UNIT, {"a": (0.0, number)}, at=0.5),
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


def test_labels_of_near_points_are_apart():
    plot = Plot(Axis("x", (0.0, 4.0)), Axis("y", (0.0, 4.0)), height=150)
    for x, y, text in ((3, 3, "V[animal]"), (2.8, 3.1, "O[it]"), (0.2, 3, "V[street]"), (3, 3, "")):
        plot.mark("label", x, y, text=text)
    first, second, far, empty = plot.chart()[0]["y"]
    assert second - first >= plane.GAP * 4 / 150 * 0.999 and (far, empty) == (3, 3)


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
    view = Axis("", ends, log=True).channel()["axis"]["values"]
    assert view == pytest.approx(ticks)


def test_an_axis_ends_where_the_numbers_end():
    """At most a tenth of it is empty; and it holds still while a number moves a little."""
    for top in (1.0, 1.01, 0.0379, 7.39, 96.0, 3e40):
        assert reach([0.3 * top, top]) == (0.0, pytest.approx(top, rel=0.1)) and reach([top])[1] >= top
        low, high = log_reach([top, 1000 * top, 0])
        assert top / 1.1 < low <= top and 1000 * top <= high < 1100 * top
    assert reach([-2.0, 0.5, math.inf, math.nan]) == (-2.0, 0.5) and reach([-1e-17, 2.0]) == (0.0, 2.0)
    assert reach([7.1, 2]) == reach([7.3, 1]) and log_reach([3, 41]) == log_reach([3, 41.5])
    assert reach([0.0]) == (0.0, 1.0) and log_reach([1.0])[1] > 1  # an axis has a length


def test_the_numbers_of_an_axis_have_one_form():
    def form(ends: tuple[float, float], **look) -> str:
        return Axis("", ends, **look).channel()["axis"].get("labelExpr", "")

    for ends in ((2.0, 131072.0), (1e-6, 10.0), (3e40, 9e40)):
        assert form(ends, log=True) == theme.POWERS
    assert form((0.0, 5e9)) == theme.POWERS and form((1.0, 1024.0), log=True) != theme.POWERS
    assert form((0.0, 1.0)) == "" and form((1.0, 1e9), log=True, label="'B'") == "'B'"


def test_a_legend_has_as_many_columns_as_fit():
    columns = theme.legend(("short", "a name that is rather long", "注意力权重")).to_dict()["columns"]["expr"]
    needed = [(int(width), int(count)) for width, count in re.findall(r">= (\d+) \? (\d)", columns)]
    assert [count for _, count in needed] == [3, 2]
    (three, _), (two, _) = needed
    assert three > two > theme.ENTRY * 2 and columns.endswith(": 1")


def names_of(plot: Plot) -> dict[str, float]:
    data, spec = plot.chart()
    assert spec["layer"][0]["encoding"]["color"]["legend"] is None
    return {
        text: y for kind, text, y in zip(data["kind"], data["text"], data["y"], strict=True) if kind == "name"
    }


@pytest.mark.parametrize("log", [False, True])
def test_a_few_lines_have_their_names_at_their_ends(log):
    """Not one over another, and inside the axis; many lines have a legend, a chart without rows nothing."""
    up = Axis("y", (0.1, 100.0), log=log)
    plot = Plot(UNIT, up, ("a", "b", "c"), height=180)
    for series, end in enumerate((99.0, 100.0, 500.0)):
        plot.curve("line", (0, 1), (1.0, end), series)
    names = names_of(plot)
    heights = sorted((math.log10(y) + 1) / 3 if log else (y - 0.1) / 99.9 for y in names.values())
    assert list(names) == ["a", "b", "c"] and names["a"] < names["b"] < names["c"]
    assert min(b - a for a, b in itertools.pairwise(heights)) >= plane.GAP / 180 - 1e-9
    assert heights[0] >= 0 and heights[-1] <= 1 + 1e-9
    many = Plot(UNIT, up, "abcdef")
    for series in range(6):
        many.curve("line", (0, 1), (1.0, 2.0), series)
    data, spec = many.chart()
    assert "name" not in data["kind"] and spec["layer"][0]["encoding"]["color"]["legend"]
    assert "name" not in Plot(UNIT, up, ("a", "b")).chart()[0]["kind"]


def test_a_long_name_has_two_lines():
    assert theme.in_lines("restricted self-attention") == ["restricted", "self-attention"]
    assert theme.in_lines("72 fair coins, one throw") == ["72 fair coins, one", "throw"]
    assert theme.in_lines("one head") == ["one head"] and theme.in_lines("x" * 40) == ["x" * 40]
    plot = Plot(UNIT, UNIT, ("restricted self-attention", "b"), height=180)
    for series in (0, 1):
        plot.curve("line", (0, 1), (0.5, 0.5), series)
    low, high = sorted(names_of(plot).values())
    assert high - low >= 2 * plane.GAP / 180 - 1e-9


def test_a_chart_of_few_rows_is_high_enough_to_read():
    for data, spec in (bars(UNIT, ["a"], [0.5]), ranges(UNIT, {"a": (0.0, 0.5)}, at=0.2)):
        assert data and spec["height"] == theme.SUPPORT
    many = [str(i) for i in range(20)]
    assert bars(UNIT, many, [0.5] * 20)[1]["height"] > theme.SUPPORT


def test_a_heat_map_has_the_shade_of_each_number():
    data, spec = heat("x", "y", [[-1.0, 0.0, 1.0]])
    assert data["shade"] == [0, rows.SHADES // 2, rows.SHADES - 1]
    assert len(spec["encoding"]["color"]["scale"]["range"]) == rows.SHADES
