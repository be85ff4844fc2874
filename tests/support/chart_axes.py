"""How much of a chart's axes its numbers leave empty, read from its specification and its rows."""

import math
from collections.abc import Iterator

MOST = 0.1
# Marks that are at no number of the lesson: a rule at the present state, a name, room for a name.
ASIDE = {"rule", "cursor", "name", "room", "label", "ring"}
BETWEEN = {"band", "area", "span", "steps"}


def unfilled(spec: dict, rows: list[dict]) -> list[str]:
    """The axes of which more than a tenth is empty at one of their ends, each with its name and its ends."""
    return [
        f"{channel}: {axis.get('title')} {ends}"
        for channel, axis in _axes(spec).items()
        for ends in [axis.get("scale", {}).get("domain")]
        if not _is_natural(channel, ends, rows) and not _is_filled(channel, axis, ends, rows)
    ]


def _axes(spec: dict) -> dict[str, dict]:
    """The encoding of either axis that has numbers."""
    results: dict[str, dict] = {}
    for layer in _layers(spec):
        for channel in "xy":
            encoding = layer.get("encoding", {}).get(channel, {})
            if encoding.get("type") == "quantitative":
                results.setdefault(channel, encoding)
    return results


def _layers(spec: dict) -> Iterator[dict]:
    yield spec
    for layer in spec.get("layer", ()):
        yield from _layers(layer)


def _is_natural(channel: str, ends: list | None, rows: list[dict]) -> bool:
    """A circle, all correlations, bars of weights, or bars with room for numbers at both of their ends."""
    level = bool(ends) and (isinstance(ends[0], dict) or -ends[0] == ends[1])
    return level or "low_text" in rows[0] or (ends == [0.0, 1.0] and "kind" not in rows[0])


def _is_filled(channel: str, axis: dict, ends: list | None, rows: list[dict]) -> bool:
    log = axis.get("scale", {}).get("type") == "log"
    at = math.log if log else float
    numbers = [at(value) for value in _numbers(channel, rows) if not log or value > 0]
    if ends is None or not numbers:
        return not numbers
    low, high = map(at, ends)
    from_zero = not log and low == 0  # the lengths of bars, and what is compared with nothing
    below = 0.0 if from_zero else min(numbers) - low
    return max(below, high - max(numbers)) <= MOST * (high - low) * (1 + 1e-9)


def _numbers(channel: str, rows: list[dict]) -> Iterator[float]:
    for row in rows:
        kind = row.get("kind")
        if kind in ASIDE:
            continue
        columns = ("high", "low", "now") if kind is None else (channel,)
        columns += ("low", "high") if channel == "y" and kind in BETWEEN else ()
        values = (row.get(column) for column in columns)
        yield from (value for value in values if value is not None and math.isfinite(value))
