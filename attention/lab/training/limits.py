"""How far attention in one layer can get on a task in theory.

Two arguments, each of which holds for any matrices.

What a token can know. Without positions its output is Σ n_l ρ_l v_l / Σ n_l ρ_l over the letters l, where
n_l counts the visible tokens of that letter, v_l is the letter's value and ρ_l = exp(score) depends on l
and on the token's own letter. So it depends on the own letter and on the shares n_l / Σ n_l alone: not on
the order, and not on how many tokens there are (“a” and “aa” give the same). That is why “count”, where all
sequences are equally long, needs no positions, and why “count_so_far” cannot do without them. With
positions a token knows what it may attend to, in order. Of all functions of what a token knows, the best
says the most frequent answer.

What one head can combine. In “both” the last token, “?”, has the same query in all sequences. With one head
its logit for “yes” minus that for “no” has the sign of Σ_j exp(s_j) · d_j, each term of which depends on
token j alone. Take four sequences that differ in two tokens only: aa, bb, ab, ba. The sum over aa and bb is
the sum over ab and ba, so it cannot be below 0 for the first two and above 0 for the last two: one of the
four is wrong, and the accuracy at most 3/4. So a perceptron cannot compute XOR (Minsky & Papert 1969). The
argument holds for any d_k and d_v, with positions or without. Two heads can: one finds a, the other b, and
W_O adds up.

“count” can be done because logit_k = k · c − k² / 2 is largest where k is the count c, and linear in c,
which is n times the share of the letter when every token attends to all alike. In “count_so_far” the same
logits are divided by the number of visible tokens: c is in the mean of the letters, −k² / 2 in that of the
positions.
"""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from math import gcd

from attention.lab.training.options import Options
from attention.lab.training.tasks import TASKS

LEARNED = 0.99
ONE_HEAD = 0.75  # of “both”


@dataclass(frozen=True)
class Limit:
    """The highest accuracy, over all sequences of the task, that any matrices can reach, and why.

    It is an upper bound: without a reason it is 1, and then neither argument says that less is possible.
    Which restrictions are the reasons is found by lifting each of them and all of them together: they are the
    fewest without which the bound is 1. trials: the bound without each restriction, and without all reasons.
    chance is the accuracy of the best answer that is always the same.
    """

    accuracy: float
    chance: float
    reasons: tuple[str, ...] = ()  # of RESTRICTIONS
    trials: tuple[tuple[tuple[str, ...], float], ...] = ()  # what is lifted, and the bound then

    @property
    def solvable(self) -> bool:
        return not self.reasons


# What keeps a head from knowing or combining more: that it has no positions, a causal mask, no other head.
RESTRICTIONS = ("positions", "mask", "one_head")


@functools.lru_cache(maxsize=64)
def limit(options: Options) -> Limit:
    """What theory says of these options."""
    holding = {"positions": not options.positions, "mask": options.causal, "one_head": options.num_heads == 1}
    kept = tuple(name for name in RESTRICTIONS if holding[name])
    chance = best(options.task, False, False, True)
    if (here := bound(options.task, kept)) == 1:
        return Limit(1.0, chance)
    lifted = [some for count in range(1, len(kept) + 1) for some in itertools.combinations(kept, count)]
    trials = {some: bound(options.task, tuple(name for name in kept if name not in some)) for some in lifted}
    reasons = next(some for some, accuracy in trials.items() if accuracy == 1)
    reasons_left = [some for some in trials if len(some) == 1 or some == reasons]
    return Limit(
        here, chance, reasons, tuple((some, trials[some]) for some in reasons_left if trials[some] > here)
    )


def bound(task: str, kept: tuple[str, ...]) -> float:
    """The highest accuracy that the two arguments allow under these restrictions."""
    known = best(task, "mask" in kept, "positions" not in kept)
    return min(known, ONE_HEAD) if task == "both" and "one_head" in kept else known


@functools.lru_cache(maxsize=64)
def best(task: str, causal: bool, positions: bool, nothing: bool = False) -> float:
    """The accuracy of the best function of what a token knows: of nothing, or of what it can attend to."""
    of = TASKS[task]
    answers: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    for sequence in of.every():
        whole = shares(tuple(sorted(sequence)))
        for place, answer in enumerate(of.right(sequence)):
            if answer is not None:
                seen = sequence[: place + 1] if causal else sequence
                if nothing:
                    key: Hashable = None
                elif positions:
                    key = (place, seen)
                else:
                    key = (sequence[place], shares(tuple(sorted(seen))) if causal else whole)
                answers[key][answer] += 1
    right = sum(max(counts.values()) for counts in answers.values())
    return right / sum(counts.total() for counts in answers.values())


@functools.lru_cache(maxsize=4096)
def shares(seen: tuple[int, ...]) -> frozenset[tuple[int, int]]:
    """Each letter with how often it occurs, in lowest terms: the same for a sequence and its double."""
    counts = Counter(seen)
    common = gcd(*counts.values())
    return frozenset((letter, count // common) for letter, count in counts.items())
