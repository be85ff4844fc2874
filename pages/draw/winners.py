"""The largest value in printed digits, for all sentences that name a winner.

A text with one winner has a variant, `<key>_tie`, for several values that read alike.
"""

from collections.abc import Sequence

from .numbers import fixed, short
from .texts import Texts, quoted

EXACT_DIGITS = 9  # values that agree in these digits differ by rounding alone


def winners(values: Sequence[float], texts: Sequence[str] | None = None, *, least: bool = False) -> list[int]:
    """The places of the values that read like the largest value, or like the smallest.

    texts: the printed values, default in the short format. NaN never wins.
    """
    texts = [short(value) for value in values] if texts is None else texts
    known = [place for place, value in enumerate(values) if value == value]
    if not known:
        return []
    top = texts[(min if least else max)(known, key=values.__getitem__)]
    return [place for place in known if texts[place] == top]


def winner(values: Sequence[float], texts: Sequence[str] | None = None, *, least: bool = False) -> int | None:
    """The place of the value that reads larger, or smaller, than all others; None for a tie."""
    places = winners(values, texts, least=least)
    return places[0] if len(places) == 1 else None


def ties(values: Sequence[float]) -> bool:
    """Whether the largest value is there several times, but for rounding: not in the printed digits alone."""
    return len(winners(values, [fixed(value, EXACT_DIGITS) for value in values])) > 1


def sentence(
    t: Texts,
    key: str,
    names: Sequence[str],
    values: Sequence[float],
    texts: Sequence[str] | None = None,
    *,
    least: bool = False,
    **facts: object,
) -> str:
    """The text `key` with the winner's {name} and {value}, or `<key>_tie` with the {names} of several."""
    texts = [short(value) for value in values] if texts is None else texts
    places = winners(values, texts, least=least)
    facts |= {"value": texts[places[0]]}
    if len(places) == 1:
        return t(key, name=names[places[0]], **facts)
    return t(f"{key}_tie", names=t.all_of(quoted(names[place] for place in places)), **facts)
