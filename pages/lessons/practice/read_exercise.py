"""The exercises in reading weights, without a screen: a scene and four statements."""

import functools
import itertools
from dataclasses import dataclass

from pages.ask.exercise.chance import Chance
from pages.model.languages import START

from . import claims, claims_beyond
from .bank import Claim
from .scene import WeightsScene, scene

COUNT = 4
BANK = {claim.name: claim for claim in (*claims.CLAIMS, *claims_beyond.CLAIMS)}


@dataclass(frozen=True)
class Statement:
    """A claim about the scene. facts: tokens and heads by number, and what the texts print."""

    claim: Claim
    follows: bool
    facts: tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class ReadExercise:
    scene: WeightsScene
    statements: tuple[Statement, ...]

    @property
    def right(self) -> tuple[bool, ...]:
        return tuple(statement.follows for statement in self.statements)


@functools.lru_cache(maxsize=256)
def exercise(level: str, number: int, language: str = START) -> ReadExercise:
    """The exercise of that level and number: drawn until there are enough statements of both kinds.

    language: of its tokens.
    """
    drawn = (_draw(level, Chance("read_it", level, number, again), language) for again in itertools.count())
    return next(filter(None, drawn))


def _draw(level: str, chance: Chance, language: str) -> ReadExercise | None:
    setting = scene(level, chance, language)
    statements = _statements(setting, level, chance)
    return None if statements is None else ReadExercise(setting, statements)


def _statements(setting: WeightsScene, level: str, chance: Chance) -> tuple[Statement, ...] | None:
    """One that never follows, some that follow, and the rest; None where there are too few."""
    follow = chance.number(1, COUNT - 1)
    wanted = [("never", False), *[("any", True)] * follow, *[("any", False)] * (COUNT - 1 - follow)]
    taken: list[Statement] = []
    for kind, follows in wanted:
        kins = {statement.claim.kin for statement in taken}
        left = [
            c for c in BANK.values() if level in c.levels and c.kin not in kins and (c.never or kind == "any")
        ]
        for claim in chance.some(left, len(left)):
            cases = [facts for truth, facts in claim.cases(setting) if truth == follows]
            if cases:
                taken.append(Statement(claim, follows, tuple(chance.pick(cases).items())))
                break
        else:
            return None
    return tuple(chance.some(taken, COUNT))
