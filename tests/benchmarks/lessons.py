"""How long the server takes for every gesture in every part of every lesson, and which are the slowest.

    python -m tests.benchmarks.lessons [lesson [part]]
    python -m tests.benchmarks.lessons ratios [lesson [part]]

A visitor without a browser opens each part, at the lesson's start and with 12 tokens of width 8, edits and
drags a cell of each matrix that can be edited, and changes each control. A time goes from the message to the
end of the server's answer, both on this machine. Next to it are the times of a component that only sends
a number and gets it back, on a page with Streamlit's own configuration, in the same run.

With `ratios`: what a cell's edit and a step of its drag cost the server's CPU, compared in turn with X in
the first lesson, with numbers that were not entered before.
"""

import argparse
import asyncio
import itertools
import json
import statistics
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from streamlit.proto.Common_pb2 import DoubleArray, StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.benchmarks.speed import IMPORTED, cpu_seconds
from tests.support.course import PLACES, link_of
from tests.support.fresh_numbers import Fresh
from tests.support.programs import ROOT, serving
from tests.support.screen import shown
from tests.support.visitor import Visitor

BARE_DRAG = Path(__file__).parent / "bare_drag.py"
SIZES = {
    "at the start": {},
    "12 × 8": {"tokens": ",".join(f"t{i}" for i in range(12)), "dmodel": "8", "example": "cats"},
}
SLOWEST = 10
LEAVING = ("-set_part", "-set_language", "-set_topic")  # controls that lead away from the part
Gesture = Callable[[int], Awaitable[float]]
FIRST, EDITS = PLACES[0], 10  # what the others are compared with, in rounds of so many edits


@dataclass(frozen=True)
class Timed:
    place: str
    gesture: str
    ms: float

    def __str__(self) -> str:
        return f"{self.ms:6.1f}  {self.place}: {self.gesture}"


def gestures(visitor: Visitor) -> Iterator[tuple[str, Gesture]]:
    """What can be done in the part: the name, and what does it for the n-th time."""
    seen = set()
    for _, _, data in visitor.pictures():
        for matrix in data["matrices"]:
            if matrix["editable"] and matrix["kind"] != "text" and matrix["id"] not in seen:
                seen.add(matrix["id"])
                yield f"edit {matrix['id']}", partial(_edit, visitor, matrix, False)
                yield f"drag {matrix['id']}", partial(_edit, visitor, matrix, True)
    for kind, element, _ in list(visitor.elements.values()):
        values = _values(kind, element)
        if values and not element.disabled and not element.id.endswith(LEAVING):
            yield f"{kind} {element.id.split('-', 2)[-1]}", partial(_change, visitor, element.id, values)


async def _edit(visitor: Visitor, matrix: dict, held: bool, turn: int) -> float:
    low, high = matrix.get("low"), matrix.get("high")
    low, high = 0.1 if low is None else low, 0.9 if high is None else high
    value = low + (high - low) * (0.1 + turn % 8 / 10)
    if matrix["kind"] == "mask":
        value = turn % 2 == 0
    row, col = (matrix.get("open") or [(0, matrix["offset"])])[0]
    value = round(value) if matrix.get("integer") else value
    return await visitor.edit(matrix["id"], row, col, value, held=held)


def _values(kind: str, element: object) -> list[dict]:
    """Two states that the control can have, as the browser sends them; none for what is no control."""
    if kind == "checkbox":
        return [{"bool_value": not element.default}, {"bool_value": element.default}]
    if kind == "number_input" and element.has_max and element.max > element.min:
        whole = element.data_type == element.INT
        both = (element.min, element.min + element.step)
        return [{"int_value": int(value)} if whole else {"double_value": value} for value in both]
    if kind == "slider" and element.max > element.min:
        both = (element.min, element.min + element.step)
        return [{"double_array_value": DoubleArray(data=[value])} for value in both]
    if kind == "selectbox" and len(element.options) > 1:
        return [{"string_value": option} for option in element.options[:2]]
    if kind == "button_group" and len(element.options) > 1:
        return [{"string_array_value": StringArray(data=[one.content])} for one in element.options[:2]]
    return []


async def _change(visitor: Visitor, widget: str, values: list[dict], turn: int) -> float:
    fragment = visitor.fragment(widget)
    return await visitor.run(WidgetState(id=widget, **values[turn % 2]), fragment=fragment)


async def timed(address: str, place: tuple, size: str, times: int) -> list[Timed]:
    """All gestures of a part. Each is made in a visit of its own, so that none changes what another finds."""
    lesson, part, topic = place
    where = " · ".join(filter(None, (lesson, part, topic, size)))
    link, results = link_of(place) | SIZES[size], []
    for number in itertools.count():
        async with Visitor(address) as visitor:
            await visitor.open(link, page=lesson, answers=dict(shown(lesson)))
            names = list(gestures(visitor))
            if number == len(names):
                return results
            name, gesture = names[number]
            took = [await gesture(turn) for turn in range(1 + times)]
            results.append(
                Timed(where, name, statistics.median(took[1:]) * 1000)
            )  # the first fills what is kept


async def bare(address: str, times: int) -> float:
    """Median milliseconds of a component's message until its answer."""
    async with Visitor(address) as visitor:
        await visitor.open()
        [(element, fragment)] = visitor.components()
        took = []
        for seq in range(1, 10 * times):
            sent = json.dumps({"number": {"seq": seq, "value": seq}})
            took.append(await visitor.run(WidgetState(id=element.id, json_value=sent), fragment=fragment))
        return statistics.median(took) * 1000


class Ratio(Timed):
    """Of milliseconds to those of the first lesson."""

    def __str__(self) -> str:
        return f"{self.ms:6.2f}  {self.place}: {self.gesture}"


async def cpu(visitor: Visitor, pid: int, fresh: Fresh, matrix: dict, held: bool) -> float:
    """Milliseconds of the server's CPU for an edit of a matrix's first cell."""
    row, col = (matrix["open"] or [(0, matrix["offset"])])[0]
    start = matrix["values"][row][col - matrix["offset"]]
    numbers = [fresh.number(matrix, start) for _ in range(EDITS)]
    before = cpu_seconds(pid)
    for number in numbers:
        await visitor.edit(matrix["id"], row, col, number, held=held)
    return (cpu_seconds(pid) - before) * 1000 / EDITS


async def compared(address: str, pid: int, place: tuple, fresh: Fresh, times: int) -> list[Timed]:
    """The CPU of each matrix's edits and drags in a part, in X's edits and drags."""
    results = []
    async with Visitor(address) as first, Visitor(address) as visitor:
        await first.open(link_of(FIRST), page=FIRST[0], answers=dict(shown(FIRST[0])))
        await visitor.open(link_of(place), page=place[0], answers=dict(shown(place[0])))
        there = [one for _, _, data in visitor.pictures() for one in data["matrices"] if one["editable"]]
        x = next(one for one in first.picture_with("x")[2]["matrices"] if one["id"] == "x")
        for matrix, held in itertools.product(there, (False, True)):
            if matrix["kind"] in ("text", "mask"):
                continue
            pairs = ((visitor, matrix), (first, x))
            rounds = [[await cpu(one, pid, fresh, at, held) for one, at in pairs] for _ in range(1 + times)]
            own, other = map(sum, zip(*rounds[1:], strict=True))
            name, ms = f"{'drag' if held else 'edit'} {matrix['id']}", f"{own / times:.1f} ms"
            results.append(Ratio(" · ".join(filter(None, place)), f"{name} ({ms})", own / other))
    return results


async def ratios(places: list[tuple], times: int) -> None:
    fresh = Fresh()
    with serving(ROOT / "app.py") as (app, pid):
        await asyncio.sleep(IMPORTED)
        result = [one for place in places for one in await compared(app, pid, place, fresh, times)]
    result.sort(key=lambda one: -one.ms)
    print(f"{len(result)} gestures; an edit's server CPU in edits of X in the first lesson (aim: at most 2):")
    print(*result, sep="\n")


async def main(places: list[tuple], times: int) -> None:
    with serving(ROOT / "app.py") as (app, _), serving(BARE_DRAG) as (echo, _):
        for size in SIZES:
            floor, result = await bare(echo, times), []
            for place in places:
                result += await timed(app, place, size, times)
            result.sort(key=lambda one: -one.ms)
            median = statistics.median(one.ms for one in result)
            print(f"{size}: {len(result)} gestures, median {median:.1f} ms; a bare component's answer")
            print(f"{floor:.1f} before and {await bare(echo, times):.1f} after; the slowest:")
            print(*result[:SLOWEST], sep="\n", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("where", nargs="*", metavar="[ratios] [lesson [part]]")
    parser.add_argument("--times", type=int, default=5, help="of each gesture, and rounds of edits")
    start = parser.parse_args()
    compares = start.where[:1] == ["ratios"]
    only = tuple(start.where[compares:])
    wanted = [place for place in PLACES if place[: len(only)] == only]
    if not wanted:
        parser.error(f"no place of the course begins with {only}")
    asyncio.run((ratios if compares else main)(wanted, start.times))
