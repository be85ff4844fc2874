"""The lesson's own numbers: the curve that is drawn, the length of training, the order to compare with."""

from collections.abc import Collection
from dataclasses import dataclass

from pages.model.entries import SettingsError, parse_whole, short_text, whole
from pages.model.fields import count, custom, flag
from pages.model.matrices import MAX_TOKENS


def _order(name: str, order: Collection[int], record: object) -> tuple[int, ...]:
    """Each token once, or nothing for the order they have."""
    places = tuple(whole(name, index, 0, MAX_TOKENS - 1) for index in order)
    if sorted(places) != list(range(len(places))):
        raise SettingsError("unknown_choice", name=name, got=short_text(_write_order(places)))
    return places


def _write_order(order: tuple[int, ...]) -> str:
    return ",".join(str(index + 1) for index in order)


def _read_order(text: str) -> tuple[int, ...]:
    return tuple(parse_whole(index) - 1 for index in text.split(",") if index)


@dataclass(frozen=True)
class OrderNumbers:
    """What only this lesson changes."""

    wave: int = count(0, "wave", 0, 15, from_one=True)  # the dimension drawn as a curve
    trained: int = count(2048, "trained", 16, 131_072, step=0.1, log=True)  # tokens
    with_positions: bool = flag(False, "withpos")  # in the part in which words change places
    # To compare with. One that is not as long as the tokens are represents none.
    order: tuple[int, ...] = custom((), "order", _write_order, _read_order, _order)
