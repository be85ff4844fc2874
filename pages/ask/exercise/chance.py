"""Small whole random numbers from a seed, for exercises.

All draws use `random.Random.random`, the only method with the same results in every version of Python.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pages.model.languages import LANGUAGES
from pages.model.settings import Settings, normalised

Option = TypeVar("Option")

LARGEST = 2  # of the numbers in X and the weight matrices


class Chance:
    """Random draws with names as their seed: of the part, the level, the exercise …"""

    def __init__(self, *names: object):
        self._next = random.Random("/".join(map(str, names))).random

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._next() * (high - low + 1))

    def pick(self, options: Sequence[Option]) -> Option:
        return options[self.number(0, len(options) - 1)]

    def some(self, options: Sequence[Option], count: int) -> list[Option]:
        """`count` different options in a random order, or all of them if there are fewer."""
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(count, len(left)))]

    def sentence(self, language: str, count: int) -> tuple[str, ...]:
        """A short sentence of `count` tokens. It takes `count` draws, as older links expect."""
        sentences = [tuple(sentence.split()) for sentence in LANGUAGES[language].sentences]
        fit = [sentence for sentence in sentences if len(sentence) == count]
        drawn, *_ = [self.number(0, len(fit) - 1) for _ in range(count)]
        return fit[drawn]


def are_plain(*matrices: Sequence[Sequence[float]]) -> bool:
    """Whether no row consists of zeros, and no two rows of a matrix are equal."""
    return all(any(row) for rows in matrices for row in rows) and all(
        len(set(map(tuple, rows))) == len(rows) for rows in matrices
    )


def seeded(
    chance: Chance,
    *,
    language: str,
    tokens: int = 3,
    d_model: int = 4,
    d_k: int = 2,
    d_v: int = 2,
    heads: int = 1,
) -> Settings:
    """Settings with whole numbers from −2 to 2, of these sizes; the scores are divided by √d_k."""
    sizes: dict[str, Any] = {"d_k": d_k, "d_v": d_v, "num_heads": heads, "padding": tokens}
    blank = replace(Settings(), tokens=chance.sentence(language, tokens), **sizes)
    shapes = {
        "x": (tokens, d_model),
        "w_q": (d_model, heads * d_k),
        "w_k": (d_model, heads * d_k),
        "w_v": (d_model, heads * d_v),
        "w_o": (heads * d_v, d_model),
    }
    drawn: dict[str, Any] = {
        name: tuple(tuple(float(chance.number(-LARGEST, LARGEST)) for _ in range(cols)) for _ in range(rows))
        for name, (rows, cols) in shapes.items()
    }
    return normalised(replace(blank, **drawn))
