"""Small tasks on short sequences. What solves each of them is a pattern of attention.

A token's vector is the one-hot of its letter, followed, with positions, by the one-hot of its place. The
output of an asked token has one number (logit) for each possible answer; the largest is what the head says.
"""

import functools
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attention.checks import check_choice, check_size, integer

TEST_SHARE = 0.25  # of all sequences of a task; the rest is for training
SPLIT_SEED = 20170612

RightAnswers = Callable[[tuple[int, ...]], tuple[int | None, ...]]
TaskPattern = Callable[[tuple[int, ...]], list[list[list[int]]]]
Sources = Callable[[tuple[int, ...]], Sequence[int | None]]  # for each token the place it reports of


@dataclass(frozen=True)
class Batch:
    """Sequences of one task with their answers."""

    tokens: Tensor  # (count, n): the number of each token's letter
    answers: Tensor  # (count, n): the number of the right answer; −1 where no answer is asked for
    asked: Tensor  # (count, n), boolean

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class Task:
    """One task, with the options that are its own to begin with.

    letters, answers: how the screen writes them; the answers label the columns of the output.
    """

    name: str
    letters: tuple[str, ...]
    answers: tuple[str, ...]
    length: int
    every: Callable[[], list[tuple[int, ...]]]  # all its sequences, as numbers of letters
    right: RightAnswers  # of one sequence: each token's answer, None where it is not asked
    pattern: (
        TaskPattern  # of one sequence: for each head, for each token, the places that share its attention
    )
    reports: str  # "letter" or "place" of a token, "number" of tokens, or whether some are "found"
    heads: int = 1
    head_dim: int = 4
    positions: bool = True
    causal: bool = False
    # Sequences of one kind are all for training or all for the test.
    kind: Callable[[tuple[int, ...]], tuple[int, ...]] = tuple
    steps: int = 200  # of Adam
    learning_rate: float = 0.05  # of Adam, for W_V and W_O
    attention_rate: float = 1.0  # that of W_Q and W_K, as a share of it

    @functools.cached_property
    def _split(self) -> tuple[list[list[tuple[int, ...]]], list[list[tuple[int, ...]]]]:
        """Training and test sequences by their kind. No kind is in both."""
        kinds: defaultdict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
        for sequence in self.every():
            kinds[self.kind(sequence)].append(sequence)
        order = torch.randperm(len(kinds), generator=torch.Generator().manual_seed(SPLIT_SEED)).tolist()
        shuffled = [kinds[kind] for kind in map(sorted(kinds).__getitem__, order)]
        tests = round(TEST_SHARE * len(kinds))
        return shuffled[tests:], shuffled[:tests]

    def batch(self, count: int, seed: int, *, test: bool = False) -> Batch:
        """`count` sequences drawn with replacement, from the sequences for training or for the test.

        The kinds are equally likely, and so are the sequences of a kind. The same seed draws the same. Raises
        AttentionError for a count or a seed that is no integer, a count below 1, and a seed below 0.
        """
        count, seed = integer("count", count, 1), integer("seed", seed, 0)
        kinds = self._split[test]
        generator = torch.Generator().manual_seed(2 * seed + test)
        drawn = torch.randint(len(kinds), (count,), generator=generator).tolist()
        chosen = [kinds[kind][torch.randint(len(kinds[kind]), (), generator=generator)] for kind in drawn]
        return self.labelled(torch.tensor(chosen))

    def all_sequences(self, *, test: bool) -> Tensor:
        """All training or all test sequences: (count, n)."""
        return torch.tensor([sequence for kind in self._split[test] for sequence in kind])

    def labelled(self, tokens: Tensor) -> Batch:
        """The sequences (count, n) with their answers."""
        right = [[-1 if a is None else a for a in self.right(tuple(s))] for s in tokens.tolist()]
        answers = torch.tensor(right)
        return Batch(tokens, answers, answers >= 0)

    def numbers(self, words: Sequence[str]) -> tuple[int, ...]:
        """The numbers of these letters.

        Raises AttentionError for a letter that the task does not have, and for a sequence of another length.
        """
        check_size("words", (len(words),), 0, self.length, "length")
        for place, word in enumerate(words):
            check_choice(f"words[{place}]", word, self.letters)
        return tuple(self.letters.index(word) for word in words)

    def words(self, tokens: Tensor | Sequence[int]) -> tuple[str, ...]:
        """The letters of one sequence (n,)."""
        return tuple(self.letters[int(token)] for token in tokens)

    def right_answers(self, words: Sequence[str]) -> tuple[str | None, ...]:
        """What each token should answer, None where it is not asked. Errors as for numbers."""
        right = self.right(self.numbers(words))
        return tuple(None if answer is None else self.answers[answer] for answer in right)

    def expected_weights(self, words: Sequence[str]) -> Tensor:
        """Attention weights that solve the task for these letters: (heads, n, n).

        Where a token is asked nothing, or a head has nothing to find, the row is zeros: the token may
        attend to anything else. Errors as for numbers.
        """
        tokens = self.numbers(words)
        asked = [answer is not None for answer in self.right(tokens)]
        heads = self.pattern(tokens)
        weights = torch.zeros(len(heads), self.length, self.length, dtype=torch.float64)
        for head, rows in enumerate(heads):
            for row, places in enumerate(rows):
                if asked[row] and places:
                    weights[head, row, places] = 1 / len(places)
        return weights

    def inputs(self, tokens: Tensor, positions: bool) -> Tensor:
        """X of sequences (..., n): (..., n, letters), or (..., n, letters + n) with positions."""
        letters = torch.eye(len(self.letters), dtype=torch.float64)[tokens]
        if not positions:
            return letters
        places = torch.eye(self.length, dtype=torch.float64).expand(*tokens.shape, self.length)
        return torch.cat((letters, places), dim=-1)


# ---- sequences


def all_of(letters: int, length: int) -> list[tuple[int, ...]]:
    return list(itertools.product(range(letters), repeat=length))


def few(letters: int, length: int, most: int) -> list[tuple[int, ...]]:
    """The sequences in which letter 0 occurs at most so often."""
    return [sequence for sequence in all_of(letters, length) if sequence.count(0) <= most]


def pairs_of(letters: int, length: int) -> list[tuple[int, ...]]:
    """The sequences in which every letter that occurs does so exactly twice."""
    results = []
    for chosen in itertools.combinations(range(letters), length // 2):
        results += sorted(set(itertools.permutations(chosen * 2)))
    return results


def brackets(kinds: int, length: int) -> list[tuple[int, ...]]:
    """Well-formed brackets, at most two deep; letter 2k opens kind k, letter 2k + 1 closes it.

    So the partner of a closing bracket is the nearest opening one at an odd distance before it, which a score
    made of letters and places can tell. In ((())), three deep, it is not.
    """
    results = []

    def grow(sequence: tuple[int, ...], still_open: tuple[int, ...]) -> None:
        if len(sequence) == length:
            results.append(sequence)
        if still_open:
            grow((*sequence, still_open[-1] + 1), still_open[:-1])
        if len(still_open) < 2 and length - len(sequence) - len(still_open) >= 2:
            for opening in range(0, 2 * kinds, 2):
                grow((*sequence, opening), (*still_open, opening))

    grow((), ())
    return results


def two_among(others: int, length: int) -> list[tuple[int, ...]]:
    """Two tokens are of letters 0 and 1, the last is “?”, and the rest of letters 2 … others + 1."""
    result: list[tuple[int, ...]] = []
    for places in itertools.combinations(range(length - 1), 2):
        choices: list[Iterable[int]] = [range(2, others + 2)] * (length - 1) + [[others + 2]]
        for place in places:
            choices[place] = (0, 1)
        result += itertools.product(*choices)
    return result


def without_the_two(sequence: tuple[int, ...]) -> tuple[int, ...]:
    """What is left of the sequence when the two tokens of letters 0 and 1 are taken out, in no order."""
    return tuple(sorted(letter for letter in sequence if letter > 1))


# ---- answers and patterns


def partner(sequence: tuple[int, ...], place: int) -> int:
    """Where the bracket was opened that closes here."""
    depth = 0
    for earlier in range(place, -1, -1):
        depth += 2 * (sequence[earlier] % 2) - 1
        if depth == 0:
            return earlier
    raise ValueError(f"{sequence} has no partner for place {place}")


def other(sequence: tuple[int, ...], place: int) -> int:
    """The other place of the same letter."""
    return next(i for i, letter in enumerate(sequence) if letter == sequence[place] and i != place)


def copied(sources: Sources) -> dict[str, Any]:
    """Answers and pattern of a task where each token reports the letter of one place."""
    right = lambda s: tuple(None if place is None else s[place] for place in sources(s))  # noqa: E731
    return {"reports": "letter", "right": right, "pattern": attended(sources)}


def located(sources: Sources) -> dict[str, Any]:
    """Answers and pattern of a task where each token reports a place."""
    return {"reports": "place", "right": lambda s: tuple(sources(s)), "pattern": attended(sources)}


def attended(sources: Sources) -> TaskPattern:
    """One head, each token of which attends to one place."""
    return lambda s: [[[] if place is None else [place] for place in sources(s)]]


def present(sequence: tuple[int, ...], letter: int) -> list[int]:
    """The places of the letter."""
    return [place for place, symbol in enumerate(sequence) if symbol == letter]


def both(sequence: tuple[int, ...]) -> tuple[int | None, ...]:
    return (*[None] * (len(sequence) - 1), int(0 in sequence and 1 in sequence))


def places(length: int) -> tuple[str, ...]:
    """The places of a sequence as answers: "1" …"""
    return tuple(str(number) for number in range(1, length + 1))


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "previous",
            tuple("abcde"),
            tuple("abcde"),
            6,
            lambda: all_of(5, 6),
            **copied(lambda s: [None, *range(len(s) - 1)]),
        ),
        Task(
            "same",
            tuple("abcdef"),
            places(6),
            6,
            lambda: pairs_of(6, 6),
            **located(lambda s: [other(s, i) for i in range(len(s))]),
            head_dim=8,
        ),
        Task(
            "first",
            tuple("abcde"),
            tuple("abcde"),
            6,
            lambda: all_of(5, 6),
            **copied(lambda s: [0] * len(s)),
        ),
        Task(
            "bracket",
            tuple("()[]{}"),
            places(8),
            8,
            lambda: brackets(3, 8),
            **located(lambda s: [partner(s, i) if s[i] % 2 else None for i in range(len(s))]),
            head_dim=8,
            causal=True,
        ),
        Task(
            "reverse",
            tuple("abcde"),
            tuple("abcde"),
            6,
            lambda: all_of(5, 6),
            **copied(lambda s: list(range(len(s)))[::-1]),
        ),
        Task(
            "count",
            tuple("abcd"),
            tuple("01234"),
            6,
            lambda: few(4, 6, 4),
            reports="number",
            right=lambda s: (s.count(0),) * len(s),
            pattern=lambda s: [[list(range(len(s)))] * len(s)],
            positions=False,
            kind=lambda s: tuple(sorted(s)),
            steps=400,
            learning_rate=1.0,
            attention_rate=0.05,
        ),
        Task(
            "count_so_far",
            tuple("abc"),
            tuple("01234"),
            6,
            lambda: few(3, 6, 4),
            reports="number",
            right=lambda s: tuple(s[: i + 1].count(0) for i in range(len(s))),
            pattern=lambda s: [[list(range(i + 1)) for i in range(len(s))]],
            causal=True,
            steps=400,
            learning_rate=0.5,
            attention_rate=0.1,
        ),
        Task(
            "both",
            tuple("abcdef?"),
            ("no", "yes"),
            6,
            lambda: two_among(4, 6),
            reports="found",
            right=both,
            pattern=lambda s: [[present(s, letter)] * len(s) for letter in (0, 1)],
            heads=2,
            positions=False,
            kind=without_the_two,
            learning_rate=0.2,
            attention_rate=0.3,
        ),
    )
}
