"""What a statement about a picture of weights is: a claim, judged on a scene, with the numbers that show why.

A statement follows if it is true whatever the numbers are that the picture does not show. Of each claim all
cases are judged, one for every choice of queries, keys and columns; a case that rounding or chance could make
ambiguous is not asked for (None).
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from torch import Tensor

from pages.draw.numbers import minus

from .scene import D_V, N, WeightsScene

Judgement = tuple[bool, dict] | None
CHOICES = {"q": N, "k": N, "o": N, "c": D_V, "h": 2, "f": 2}  # query, key, other token, column, head, variant
CLEAR = 0.04  # a difference of weights that cannot be missed
# Claims that also make sense of a token and itself.
OF_ITSELF = ("largest", "own_value", "head_top", "one_hot_half", "one_hot_layer", "top_part", "same_unmasked")


@dataclass(frozen=True)
class Claim:
    """name: of its texts. kin: no two claims of the same kin are in one exercise. about: what it speaks of.

    levels: where it is asked. never: it follows in no case. case: its judge, of a scene and its choices.
    """

    name: str
    kin: str
    about: str
    levels: str
    choices: str
    never: bool
    case: Callable[..., Judgement]

    def cases(self, scene: WeightsScene) -> Iterator[tuple[bool, dict]]:
        """Every case that can be asked for: whether it follows, and its facts, for the texts."""
        for chosen in itertools.product(*(range(CHOICES[choice]) for choice in self.choices)):
            facts = dict(zip(self.choices, chosen, strict=True))
            tokens = [facts[letter] for letter in "qko" if letter in facts]
            if len(set(tokens)) < len(tokens) and self.name not in OF_ITSELF:
                continue
            judged = self.case(scene, **facts)
            if judged is not None:
                yield judged[0], facts | judged[1]


def claim(kin: str, about: str, levels: str, choices: str, *, never: bool = False):
    """Makes a claim of its judge, with the judge's name."""
    return lambda case: Claim(case.__name__, kin, about, levels, choices, never, case)


def claims_of(names: Mapping[str, object]) -> tuple[Claim, ...]:
    """The claims of a module, in the order in which it defines them."""
    return tuple(name for name in names.values() if isinstance(name, Claim))


def number(value: float | Tensor) -> str:
    """With the two digits that the picture shows."""
    return minus(f"{value:.2f}")


def clear(a: float, b: float) -> bool:
    """The two are so far apart that nobody takes them for equal."""
    return abs(a - b) >= CLEAR - 1e-9


def row_sees(s: WeightsScene, q: int) -> int:
    """How many keys the query may attend to."""
    return sum(s.sees(q, k) for k in range(N))
