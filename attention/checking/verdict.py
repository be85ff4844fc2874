"""Whether a result is right for a case, and which mistakes explain what a function returned."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from attention.checking.cases import Case, close
from attention.checking.layers import LayerCase
from attention.checking.suspects import RAISES, Suspect, further, pair, pairs, rows_of, shown, singles

FEWEST = 3  # wrong results of a function that two mistakes together must explain


@dataclass(frozen=True, eq=False)
class Observation:
    """A case, and what a function made of it."""

    case: Case
    got: Tensor | None  # None where it returned no numbers
    tolerance: float
    raised: bool = False  # an exception, as shapes that do not match cause it


class Verdict(NamedTuple):
    """What is wrong with a result."""

    kind: str  # "shape", "not_finite" or "numbers"
    suspects: tuple[str, ...] = ()  # the mistakes that give these numbers, as a rule one
    together: bool = False  # two that give them together


class Explanation(NamedTuple):
    """The mistakes of each observation, and how many wrong results they do not explain."""

    names: tuple[tuple[str, ...], ...]
    unexplained: int


def kind_of(case: Case, got: Tensor, tolerance: float | None = None) -> str | None:
    """What is wrong with a result; None where it is right. tolerance: how far a right one may be off."""
    if got.shape != case.output.shape:
        return "shape"
    if close(got.double(), case.output, case.tolerance if tolerance is None else tolerance):
        return None
    return "numbers" if bool(got.isfinite().all()) else "not_finite"


def judge(case: Case, got: Tensor, tolerance: float | None = None) -> Verdict | None:
    """None where the result is right; of a single result each mistake is named that gives its numbers."""
    kind = kind_of(case, got, tolerance)
    if kind is None:
        return None
    within = case.tolerance if tolerance is None else tolerance
    explanation = _alone(_parts([Observation(case, got, within)]))
    return Verdict(kind, *explanation)


def _alone(parts: "list[_Part]") -> tuple[tuple[str, ...], bool]:
    """The mistakes that give the numbers of one result, and whether they do so together.

    Rows that may attend to nothing have mistakes of their own, which count where all else is right.
    """
    sound = [evidence.suspect for evidence in (_Evidence(s, parts) for s in singles()) if evidence.sound]
    whole = _names_in(suspect for suspect in sound if not suspect.only_empty_rows)
    if whole or not any(part.wrong and not part.empty for part in parts):
        return whole or _names_in(sound), False
    both = {suspect.names for suspect in pairs() if _Evidence(suspect, parts).sound}
    return (next(iter(both)), True) if len(both) == 1 else ((), False)


def _names_in(suspects: Iterable[Suspect]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for suspect in suspects for name in suspect.names))


def explain(observations: Sequence[Observation], *, together: bool = True) -> Explanation:
    """The mistakes that explain wrong results.

    A mistake is named if it explains every wrong result in which it would show. Where results remain, two
    mistakes together are named if they explain all. together: whether to look for two.
    """
    parts = _parts(observations)
    left = {part for part in parts if part.wrong}
    if not left:
        return Explanation(tuple(() for _ in observations), 0)
    layer = isinstance(observations[0].case, LayerCase)
    suspects = (*singles(layer=layer), *further(layer=layer))
    sound = [evidence for evidence in (_Evidence(s, parts) for s in suspects) if evidence.sound]
    chosen: list[_Evidence] = []
    while sound:
        best = max(sound, key=lambda evidence: (len(evidence.all & left), -evidence.contradictions))
        if not best.all & left:
            break
        chosen.append(best)
        left -= best.all
    numbers = {part for part in parts if part.wrong and part.numbers and not part.empty}
    if any(part.observation.case.visible is not None for part in left & numbers):
        # A finite result in a row without keys proves nothing where a mask is wrong for unknown reasons.
        chosen = [evidence for evidence in chosen if evidence.suspect.names != ("finite_mask",)]
    enough = layer or len(numbers) >= FEWEST
    if together and enough and left & numbers and (both := _together(parts, numbers, layer)):
        chosen = [evidence for evidence in chosen if evidence.suspect.only_empty_rows]
        chosen += both
        left -= numbers
    names = [
        _names_in(evidence.suspect for evidence in chosen if observation in evidence.observations)
        for observation in observations
    ]
    return Explanation(tuple(names), sum(part.numbers for part in left))


def _together(parts: "list[_Part]", numbers: "set[_Part]", layer: bool) -> "list[_Evidence]":
    """Two mistakes in one program, or two of which each explains at least half and both explain all."""
    alone = {
        suspect: _Evidence(suspect, parts, patient=True)
        for suspect in singles(layer=layer)
        if not suspect.only_empty_rows
    }
    ordered = sorted(numbers, key=lambda part: part.observation.case.output.numel())
    for first, second in itertools.combinations(alone.values(), 2):
        may = numbers <= first.shows | second.shows  # where neither shows alone, they do not show together
        both = pair(first.suspect, second.suspect) if may else None
        if both is None or not all(_explains(both, part) for part in ordered):
            continue
        evidence = _Evidence(both, parts)
        if evidence.sound and numbers <= evidence.explained:
            return [evidence]
    halves = [evidence for evidence in alone.values() if evidence.half]
    two = itertools.combinations(halves, 2)
    return next((list(of) for of in two if numbers <= of[0].explained | of[1].explained), [])


def _explains(suspect: Suspect, part: "_Part") -> bool:
    output = shown(suspect, part.observation.case)
    return output is not None and _matches(output, part)


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of a result that may attend to something, or the others: these have mistakes of their own."""

    observation: Observation
    empty: bool
    wrong: bool

    @property
    def numbers(self) -> bool:
        return self.observation.got is not None


def _parts(observations: Sequence[Observation]) -> list[_Part]:
    """Wrong ones first, since these decide most."""
    parts = []
    for observation in observations:
        case, got, tolerance = observation.case, observation.got, observation.tolerance
        whole = got is None or got.shape != case.output.shape
        for empty in (False, True) if case.empty_rows is not None and not whole else (False,):
            rows = rows_of(case, empty=empty)
            wrong = whole or not close(got[rows].double(), case.output[rows], tolerance)  # type: ignore[index]
            parts.append(_Part(observation, empty, wrong))
    return sorted(parts, key=lambda part: not part.wrong)


class _Evidence:
    """What speaks for a suspect and what against it; patient: go on after the first result against it."""

    def __init__(self, suspect: Suspect, parts: list[_Part], *, patient: bool = False) -> None:
        self.suspect = suspect
        self.explained: set[_Part] = set()
        self.shows: set[_Part] = set()
        self.missed = 0  # wrong results in which it would show otherwise
        self.silent = 0  # exceptions in which it would show
        self.contradictions = 0  # right results in which it would show
        self.right = sum(not part.wrong for part in parts)
        self.beside: set[_Part] = set()  # rows that may attend to nothing, which it explains too
        for part in parts:
            output = shown(suspect, part.observation.case)
            if output is None or (suspect.only_empty_rows and not part.empty):
                continue
            self.shows.add(part)
            nothing = not isinstance(output, str) and not output.isfinite().any()  # can come of anything
            if nothing or (part.empty and not suspect.only_empty_rows):
                if part.wrong and _matches(output, part):
                    self.beside.add(part)
            elif not part.wrong:
                self.contradictions += 1
            elif _matches(output, part):
                self.explained.add(part)
            elif part.numbers:
                self.missed += 1
                if not patient:
                    break
            else:
                self.silent += 1

    @property
    def all(self) -> "set[_Part]":
        return self.explained | self.beside

    @property
    def observations(self) -> list[Observation]:
        return [part.observation for part in self.all]

    @property
    def sound(self) -> bool:
        """It explains every wrong result in which it would show; an exception alone proves little."""
        count = len(self.explained)
        if self.missed or not count or self.contradictions or self.silent > count:
            return False
        of_numbers = any(part.numbers for part in self.explained)
        return of_numbers or bool(self.right and not self.contradictions and not self.silent)

    @property
    def half(self) -> bool:
        """It explains at least half of the failed cases in which it would show."""
        of_numbers = sum(part.numbers for part in self.explained)
        return of_numbers > 1 and self.missed + self.silent <= len(self.explained)


def _matches(output: Tensor | str, part: _Part) -> bool:
    case, got = part.observation.case, part.observation.got
    if isinstance(output, str):
        return part.observation.raised and output == RAISES
    if got is None or got.shape != output.shape:
        return False
    rows = rows_of(case, empty=part.empty) if got.shape == case.output.shape else slice(None)
    if part.empty and not got[rows_of(case, empty=False)].isfinite().all():
        return False  # NaN in other rows too comes of something else
    return close(got[rows].double(), output[rows], part.observation.tolerance)
