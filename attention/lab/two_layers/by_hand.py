"""Two layers with whole numbers that say which letter followed the last letter's earlier occurrence.

The residual stream has ten columns: the token's own letter (D, E, F), its place (1 to 4), and the letter
before it, which is empty until layer 1 fills it. Layer 1 is a previous-token head: it finds its key by the
place and copies the letter. Layer 2 is an induction head: it finds the key whose letter before is the query's
own letter, and copies that token's letter. The answer is the largest of the first three columns at the end.
Scores are not scaled.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attention import MultiHeadTrace, causal_mask, multi_head_attention
from attention.checks import check_choice, check_size

LETTERS = ("D", "E", "F")  # A is the attention weights
LENGTH = 4
OWN, PLACE, BEFORE = slice(0, 3), slice(3, 7), slice(7, 10)  # columns of the residual stream
COLUMNS = 10
SHARP = 8.0  # the score of the key that is looked for; that of most others is 0
COPIES = 4.0  # times a letter that layer 2 adds


@dataclass(frozen=True, eq=False)
class HandModel:
    """The weight matrices of both layers: w_q and w_k (10, ·), w_v (10, 10)."""

    layers: tuple[dict[str, Tensor], dict[str, Tensor]]

    def run(self, x: Tensor) -> tuple[MultiHeadTrace, MultiHeadTrace, Tensor]:
        """Both layers' attention on x (4, 10), and the residual stream after them."""
        first = attend(x, self.layers[0])
        second = attend(x + first.output, self.layers[1])
        return first, second, x + first.output + second.output

    def answer(self, words: tuple[str, ...]) -> str:
        """The letter that the last token answers with. Errors as for inputs."""
        return LETTERS[int(self.run(inputs(words))[2][-1, OWN].argmax())]


def attend(x: Tensor, weights: dict[str, Any]) -> MultiHeadTrace:
    """One causal head on x (n, 10), its scores not scaled."""
    return multi_head_attention(x, **weights, mask=causal_mask(len(x)), scale=1.0)


def inputs(words: tuple[str, ...]) -> Tensor:
    """X (4, 10) of four letters. Raises AttentionError for another number of them and for another letter."""
    check_size("words", (len(words),), 0, LENGTH, "length")
    x = torch.zeros(LENGTH, COLUMNS, dtype=torch.float64)
    for place, word in enumerate(words):
        check_choice(f"words[{place}]", word, LETTERS)
        x[place, LETTERS.index(word)] = 1.0
    x[:, PLACE] = torch.eye(LENGTH)
    return x


def hand_made() -> HandModel:
    """The weight matrices, by hand."""
    letters, places = (torch.eye(size, dtype=torch.float64) for size in (len(LETTERS), LENGTH))
    before = torch.cat([places[:1], places[:-1]])  # of each place the place before it; the first has none
    first = {name: torch.zeros(COLUMNS, size, dtype=torch.float64) for name, size in _SIZES[0].items()}
    second = {name: torch.zeros(COLUMNS, size, dtype=torch.float64) for name, size in _SIZES[1].items()}
    first["w_q"][PLACE] = SHARP * before
    first["w_k"][PLACE] = places
    first["w_v"][OWN, BEFORE] = letters
    second["w_q"][OWN] = SHARP * letters
    second["w_k"][BEFORE] = letters
    # The first token has none before it and copies its own letter; here that is taken back.
    second["w_k"][PLACE.start] = -1.0
    second["w_v"][OWN, OWN] = COPIES * letters
    return HandModel((first, second))


_SIZES = (
    {"w_q": LENGTH, "w_k": LENGTH, "w_v": COLUMNS},
    {"w_q": len(LETTERS), "w_k": len(LETTERS), "w_v": COLUMNS},
)


def sequences() -> list[tuple[str, ...]]:
    """All sequences whose last letter occurs exactly once before."""
    every = itertools.product(LETTERS, repeat=LENGTH)
    return [words for words in every if words[:-1].count(words[-1]) == 1]


def right_answer(words: tuple[str, ...]) -> str:
    """The letter after the earlier occurrence of the last letter."""
    return words[words.index(words[-1]) + 1]
