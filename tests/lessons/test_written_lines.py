"""A line of arithmetic that a part writes gives its printed result on a calculator, to the last digit.

That its result is the cell's number, tests/support/recipe.py checks.
"""

import math
import re

import pytest

from pages.model import edits
from tests.support import course
from tests.support.example_states import CATS
from tests.support.recipe import unexplained
from tests.support.screen import opened, pictures, said
from tests.support.states import with_own

NAMES = {"exp": math.exp, "sqrt": math.sqrt, "max": max, "__builtins__": {}}
EXPRESSION = re.compile(r"(?:[0-9.+\-*/(), ]|e-?[0-9]|exp|sqrt|max)+")
# Computed in a short format, whose rounding no decimals show.
ROUNDED = {("softmax", "stable")}
# Two heads with biases, scores of both signs, and a temperature.
OTHER = edits.set_biases(edits.resize(CATS, num_heads=2, d_k=3, d_v=2), True)
OTHER = edits.set_block(OTHER, "b_o", 0, 0, [[0.25, -0.5, 0.75, -1.0]])
OTHER = with_own(OTHER, logits=(0.5, -2.0, -1.0), temperature=0.5)


def calculated(line: str) -> tuple[float, str] | None:
    """What a calculator gives, and what is printed; None where the line has no arithmetic."""
    words, equals, printed = line.rpartition(" = ")
    text = words.rpartition(" = ")[2].replace("·", "*").replace("−", "-")
    text = re.sub(r"√([0-9.]+)", r"sqrt(\1)", text)
    if not equals or not re.search(r"[*/+]|exp", text) or not EXPRESSION.fullmatch(text):
        return None
    try:
        return eval(text, NAMES), printed.replace("−", "-").strip("()")
    except (ArithmeticError, SyntaxError):
        return None


def lines(location, now=None) -> list[str]:
    """The written lines; no computed cell has no line."""
    app = opened(location.lesson, location.part, now, topic=location.topic)
    assert unexplained(app, *location) == []
    recipes = [matrix["recipe"] for picture in pictures(app) for matrix in picture["matrices"]]
    by_row = [row for one in recipes if one and one["op"] == "written" for row in one["texts"]]
    written = [text for row in by_row for text in row]
    # A sentence has its arithmetic between words and after colons.
    said_lines = [part for line in said(app).splitlines() for part in re.split("[:;,：；，] ?", line)]
    return written + [part.rstrip(".。") for part in said_lines]


def off(written: list[str]) -> list[str]:
    results = []
    for line in written:
        value = calculated(line)
        if value is None or not re.fullmatch(r"-?[0-9]+\.[0-9]+", value[1]):
            continue
        decimals = len(value[1].partition(".")[2])
        if abs(value[0] - float(value[1])) > 0.5000001 * 10.0**-decimals:
            results.append(line)
    return results


PLACES = [place for place in course.PLACES if place.lesson != "practice"]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(filter(None, place)))
def test_a_calculator_confirms_every_written_line(place):
    if (place.lesson, place.part) not in ROUNDED:
        assert off(lines(place) + lines(place, OTHER)) == []


def test_a_line_that_is_off_in_the_last_digit_is_found():
    assert off(["p₁ = 0.17 · 0.45 + 0.25 · 1.27 = 0.3950"]) != []
    assert off(["p₁ = 0.17 · 0.45 + 0.25 · 1.27 = 0.3940", "A = 0.5"]) == []
