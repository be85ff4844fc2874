"""The learner's own entries, and those that a change replaces. Pure functions."""

from collections.abc import Iterator
from dataclasses import replace

from . import edits
from .fields import specs
from .matrices import SIZES, TABLE
from .settings import Settings, as_matrix
from .state import State
from .stories import story_of, with_word

ROWS = ("tokens", "source", "dimensions")
Cell = tuple[str, int, int]  # the matrix or the row of names, its row, its column


def replaced_entries(before: State, after: State) -> tuple[str, ...]:
    """The names of matrices and fields in which a change has replaced the learner's own entries.

    Entries of an example or of a story's word are not the learner's own. Switches and sizes are not
    entries. Of the lessons' own numbers the rows count.
    """
    entries_after = _entries(after.core)
    gone = [place[0] for place, value in own(before.core).items() if entries_after.get(place) != value]
    for record in before.own:
        for name, spec in specs(type(record)).items():
            values = (getattr(version, name) for version in (type(record)(), record, after.of(type(record))))
            start, row, new = values
            gone += [name] if spec.kind == "row" and row not in (start, new) else []
    return tuple(dict.fromkeys(gone))


def own(s: Settings) -> dict[Cell, object]:
    """The entries that differ from the example's, with the word of its story that leaves the fewest."""
    entries, begun = _entries(s), map(_entries, _starts(s))
    others = ({place: v for place, v in entries.items() if start.get(place) != v} for start in begun)
    return min(others, key=len)


def _starts(s: Settings) -> Iterator[Settings]:
    """The example with each word that its story has, in the sizes of s and with as many tokens."""
    first = edits.example_start(s.example)
    yield _sized(first, s)
    if story := story_of(s.example):
        for word in story.words:
            yield _sized(with_word(first, story, word), s)


def _sized(first: Settings, s: Settings) -> Settings:
    missing = ("",) * (len(s.source) - len(first.source))  # the second sequence is typed as a whole
    first = replace(
        first, tokens=first.tokens[: len(s.tokens)], source=(first.source + missing)[: len(s.source)]
    )
    while len(first.tokens) < len(s.tokens):
        first = edits.add_token(first)
    sized = edits.resize(first, **{name: getattr(s, name) for name in SIZES})
    return edits.set_biases(sized, True) if s.b_q is not None else sized


def _entries(s: Settings) -> dict[Cell, object]:
    """All entries that can be typed, by their places."""
    matrices = {name: as_matrix(s, name) or () for name in TABLE}
    matrices |= {name: (getattr(s, name),) for name in ROWS}
    entries: dict[Cell, object] = {
        (name, i, j): value
        for name, matrix in matrices.items()
        for i, row in enumerate(matrix)
        for j, value in enumerate(row)
    }
    return entries | {("blocked", i, j): True for i, j in s.blocked}
