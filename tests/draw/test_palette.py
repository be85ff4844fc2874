"""The colours of charts are seen on their ground, and are not taken for each other by colour-blind eyes."""

import itertools
import json
import math
import re

import pytest

from pages.draw import palette
from pages.draw.charts import Axis, Plot, bars, groups, ranges
from tests.support.colours import contrast, luminance

GROUNDS = {"light": "#ffffff", "dark": "#171614"}  # of the page, as a browser measures it
NAMED_AT_ENDS = 5
APART = 10  # CIE 1976, of which 2.3 is just noticed
# Machado, Oliveira, Fernandes 2009, A Physiologically-based Model for Simulation of Color Vision Deficiency,
# with severity 1.
EYES = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def seen(colour: str, eyes: str) -> tuple[float, float, float]:
    """Lightness and both opponent colours (CIELAB, D65), as these eyes see the colour."""
    shares = [channel / 255 for channel in channels(colour)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    r, g, b = (min(max(sum(map(math.prod, zip(row, linear, strict=True))), 0.0), 1.0) for row in EYES[eyes])
    white = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in white)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def of_theme(theme: str) -> list[str]:
    """The colours of marks and of lines on this ground."""
    at = 0 if theme == "light" else -1
    return [colours[at] for colours in (*palette.MARKS.values(), *palette.LINES)]


def ratio(colour: str, theme: str) -> float:
    return contrast(luminance(channels(colour)), luminance(channels(GROUNDS[theme])))


@pytest.mark.parametrize("theme", GROUNDS)
def test_every_mark_is_seen_and_every_word_is_read_on_its_ground(theme):
    words = [colours[1 if theme == "light" else -1] for colours in palette.LINES]
    assert [colour for colour in of_theme(theme) if ratio(colour, theme) < 3] == []
    assert [colour for colour in words if ratio(colour, theme) < 4.5] == []
    assert ratio("#f1a340", "light") < 3  # such a colour would be found


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", GROUNDS)
def test_lines_that_are_named_at_their_ends_are_far_apart(theme, eyes):
    lines = of_theme(theme)[len(palette.MARKS) :][:NAMED_AT_ENDS]
    pairs = itertools.combinations(lines, 2)
    near = [pair for pair in pairs if math.dist(*(seen(colour, eyes) for colour in pair)) < APART]
    assert near == []
    assert math.dist(seen("#0080c0", "deutan"), seen("#8a74c9", "deutan")) < APART  # would be found


def test_charts_have_a_colour_for_either_ground_and_magenta_only_at_a_cursor():
    unit = Axis("p", (0.0, 1.0))
    plot = Plot(unit, unit, ("a", "b"))
    for kind in ("rule", "ring", "line", "dot", "band", "label"):
        plot.mark(kind, 0.5, 0.5)
    bar = [bars(unit, ["a"], [0.5], weights=weights) for weights in (False, True)]
    two = groups(unit, ["a"], {"x": [0.5], "y": [1.0]})
    text = json.dumps([spec for _, spec in (plot.chart(), *bar, two, ranges(unit, {"a": (0.0, 1.0)}, 0.5))])
    assert palette.FOLLOWED not in text and palette.SERIES[0] in text
    assert re.findall("#[0-9a-f]{6}", re.sub(r"light-dark\([^)]*\)", "", text)) == []
    plot.mark("cursor", 0.5)
    assert palette.FOLLOWED in json.dumps(plot.chart()[1])


def test_a_heat_map_has_the_colours_of_a_picture():
    shades = palette.signed_shades(7)
    assert shades == tuple(map(palette.themed, palette.DIVERGING, palette.DARK_DIVERGING))
    assert [palette.signed_share(value) for value in (-1, 0, 1)] == [-1, 0, 1]
    assert 0.5 < palette.signed_share(0.3) < 0.6  # a small number is seen next to a large one
