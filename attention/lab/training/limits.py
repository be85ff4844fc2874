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

    It is an upper bound. reason: "none" where neither argument forbids an accuracy of 1; "positions" where
    the places are not known; "mask" where the answer stands behind the causal mask; "one_head" where one head
    cannot combine what it finds. chance is the accuracy of the best answer that is always the same.
    """

    accuracy: float
    reason: str
    chance: float

    @property
    def solvable(self) -> bool:
        return self.reason == "none"


def limit(options: Options) -> Limit:
    """What theory says of these options."""
    task, causal = options.task, options.causal
    chance = best(task, False, False, True)
    known = best(task, causal, options.positions)
    if task == "both" and options.num_heads == 1:
        return Limit(min(known, ONE_HEAD), "one_head", chance)
    if known == 1:
        return Limit(1.0, "none", chance)
    return Limit(known, "mask" if known == best(task, causal, True) else "positions", chance)


@functools.lru_cache(maxsize=64)
def best(task: str, causal: bool, positions: bool, nothing: bool = False) -> float:
    """The accuracy of the best function of what a token knows: of nothing, or of what it can attend to."""
    of = TASKS[task]
    answers: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    for sequence in of.every():
        for place, answer in enumerate(of.right(sequence)):
            if answer is not None:
                seen = sequence[: place + 1] if causal else sequence
                key = None if nothing else (place, seen) if positions else (sequence[place], shares(seen))
                answers[key][answer] += 1
    right = sum(max(counts.values()) for counts in answers.values())
    return right / sum(counts.total() for counts in answers.values())


def shares(seen: tuple[int, ...]) -> frozenset[tuple[int, int]]:
    """Each letter with how often it occurs, in lowest terms: the same for a sequence and its double."""
    counts = Counter(seen)
    common = gcd(*counts.values())
    return frozenset((letter, count // common) for letter, count in counts.items())
