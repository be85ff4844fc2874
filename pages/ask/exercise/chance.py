"""The numbers of an exercise: small whole ones that a seed makes.

Only `random.Random.random` promises the same numbers in every version of Python, so that all draws go by it.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pages.model.languages import LANGUAGES
from pages.model.settings import Settings, normalised

One = TypeVar("One")

LARGEST = 2  # of the numbers in X and the weight matrices


class Chance:
    """Draws that are the same for the same names: of the part, the level, the exercise …"""

    def __init__(self, *names: object):
        self._next = random.Random("/".join(map(str, names))).random

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._next() * (high - low + 1))

    def one(self, options: Sequence[One]) -> One:
        return options[self.number(0, len(options) - 1)]

    def some(self, options: Sequence[One], count: int) -> list[One]:
        """So many different options, in a random order; all of them shuffled, where there are no more."""
        left = list(options)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(count, len(left)))]

    def sentence(self, language: str, count: int) -> tuple[str, ...]:
        """A short sentence of so many tokens. As many draws, so that an older link keeps its numbers."""
        sentences = [tuple(one.split()) for one in LANGUAGES[language].sentences]
        fit = [one for one in sentences if len(one) == count]
        drawn, *_ = [self.number(0, len(fit) - 1) for _ in range(count)]
        return fit[drawn]


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
    """A setup with whole numbers from −2 to 2, of these sizes; the scores are divided by √d_k."""
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
