"""How far one layer with one head can get on the task in theory, whatever its numbers and its width.

The token that answers has a query, and a token of its own to add. So the logit of a letter y minus that of a
letter z has the sign of Σ_j exp(s_j) · d_j, in which the term of token j depends on its letter and its place
alone, and not on its neighbours: the score s_j and d_j = (value + what the answering token adds itself) have
nothing else to depend on. Take two lists of sequences in which the same tokens answer, and each place has the
same letters equally often in both lists. Then this sum, added over the first list, is the same as added over
the second. If the answer is y in all sequences of the first list and z in all sequences of the second, one of
the sequences is wrong.

For the first token of the second half, “a”, four sequences are enough: with a y b z and b z a y the answer is
y, with a z b y and b y a z it is z. No two of these fours of sequences have a sequence in common, so at most
3/4 of the answers at this place are right. For the second token eight sequences do the same: at most 7/8. At
the third token the letters leave a single answer, and the argument says nothing.
"""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from attention.lab.two_layers.task import ASKED, HALF, every

Sequences = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class LayerLimit:
    """An upper bound for the accuracy over all sequences, and for that of each place that answers."""

    accuracy: float
    places: tuple[float, ...]


Visible = tuple[int, ...]
SIZES = (2, 4)  # sequences in each of two lists


def one_layer_limit() -> LayerLimit:
    """The bound that the argument gives, by enumeration of all sequences."""
    wrong = [len(contradictions(place)) for place in ASKED]
    places = tuple(float(1 - Fraction(count, len(every()))) for count in wrong)
    return LayerLimit(sum(places) / len(places), places)


@functools.cache
def contradictions(place: int) -> tuple[tuple[Sequences, Sequences], ...]:
    """Pairs of lists as in the argument, no two of which have a sequence in common.

    Each sequence is what the token at `place` may attend to. In each pair one sequence at least is answered
    wrongly.
    """
    groups: defaultdict[tuple, defaultdict[int, list[Visible]]] = defaultdict(lambda: defaultdict(list))
    for sequence in every().tolist():
        visible = tuple(sequence[: place + 1])
        group = (visible[HALF:], frozenset(visible))
        groups[group][sequence[place + 1]].append(visible)
    return tuple(pair for answers in groups.values() for pair in _disjoint(answers))


def _disjoint(answers: dict[int, list[Visible]]) -> Iterator[tuple[Sequences, Sequences]]:
    """Pairs of lists within sequences that end alike, by their answer; small lists first."""
    used = set[Visible]()
    for size, (y, z) in itertools.product(SIZES, itertools.combinations(sorted(answers), 2)):
        lists = defaultdict[frozenset, list[Sequences]](list)
        left = [[sequence for sequence in answers[answer] if sequence not in used] for answer in (y, z)]
        for some in itertools.combinations(left[0], size):
            lists[_counts(some)].append(some)
        for others in itertools.combinations(left[1], size):
            for some in lists[_counts(others)]:
                if used.isdisjoint((*some, *others)):
                    used.update((*some, *others))
                    yield some, others


def _counts(sequences: Sequences) -> frozenset:
    """How often each place has each letter."""
    return frozenset(Counter(cell for sequence in sequences for cell in enumerate(sequence)).items())


def four_sequences() -> tuple[Sequences, Sequences]:
    """Two sequences and two others that no single head can all answer: with their first five letters."""
    return contradictions(HALF)[0]
