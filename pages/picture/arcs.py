"""Above the matrices of a picture: words with arcs between them, and what the first page says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Arcs:
    """Words in large type; arcs from the chosen word to all words, each as wide as its attention weight.

    row: the chosen word. weights: a row for each word; None where they are not known yet. sentences: for each
    word, what its row of weights says. choose: the label of the choice of a word; empty: none can be chosen.
    """

    words: Sequence[str]
    row: int
    weights: Sequence[Sequence[float]] | None
    sentences: Sequence[str]
    choose: str

    def reworded(self, reword: Callable[[str], str]) -> "Arcs":
        return replace(self, sentences=[*map(reword, self.sentences)])


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a word: whose colour it has, "query", "key" or "value"; `text` may have {word} in it."""

    look: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class FormulaPart:
    """A part of the formula. symbols: each with the role whose colour it has, or ""; may have markup.

    place: which step of the computation it is; label: the step in an everyday word.
    """

    symbols: Sequence[tuple[str, str]]
    place: int
    label: str


@dataclass(frozen=True, slots=True)
class Front:
    """What the first page says: above the words its title and what it is, next to the matrices the roles.

    formula: its terms from left to right; spoken: the formula as a screen reader says it. note: a small line
    below the sentence about the weights.
    """

    title: str
    lead: str
    note: str
    roles: Sequence[Role]
    formula: Sequence[FormulaPart]
    spoken: str
