"""Every reader of text takes a time that grows with the text's length, and no faster."""

import functools

import pytest

from tests.expressions import Expression, accepted, expressions
from tests.growth import fault, hostile_texts

SEEDS = 6


def marks_of(pattern: str) -> list[str]:
    """The characters that a pattern names."""
    return [c for c in dict.fromkeys(pattern) if not (c.isascii() and c.isalnum())]


def seeds_of(expression: Expression) -> list[str]:
    """Short texts that it matches, and the longest ones."""
    found = accepted(expression.pattern)
    return found[:SEEDS] + found[-2:]


@pytest.mark.parametrize("expression", expressions(), ids=str)
def test_every_expression_reads_each_character_once(expression):
    seeds, marks = seeds_of(expression), marks_of(expression.pattern.pattern)
    texts = hostile_texts(seeds, marks, pairs=10)
    for use in sorted(expression.uses):
        assert fault(functools.partial(expression.apply, use), texts) is None, (str(expression), use)
