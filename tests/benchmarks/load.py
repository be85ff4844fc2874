"""A class opens the link at once and works: times, server CPU and memory, with every answer checked.

    python -m tests.benchmarks.load --visitors 100 --seconds 60

Each visitor is a session of Streamlit's protocol with numbers of its own. One wrong number, one number of
another visitor or one exception ends the run. All of it stays on this machine, whose cores the visitors share
with the server.
"""

import argparse
import asyncio
import itertools
import json
import statistics
import time
from collections import defaultdict
from pathlib import Path

from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.benchmarks.speed import BARE_DRAG, cpu_seconds
from tests.support.learner import IN_FLIGHT, Learner
from tests.support.programs import ROOT, serving
from tests.support.visitor import Visitor

MOST, LONGEST = 300, 600  # visitors, seconds
ARRIVE = 5.0  # seconds in which all come
PAUSE = 2.0  # mean seconds between two gestures of one visitor
DRAG = 10.0  # seconds of a drag by all
ALONE = 30  # visitors who come one after the other
DRAWERS = 10  # visitors who ask for long work, and as many who edit meanwhile
# What visitors do, how often in proportion.
GESTURES = {"alter": 14, "switch": 2, "part": 2, "lesson": 2}


class Echo(Visitor):
    """A visitor of the bare page, whose component sends a number and gets it back."""

    async def arrive(self) -> float:
        return await self.open()

    async def begin_drag(self) -> None:
        """It is there already."""

    end_drag = begin_drag

    def next_message(self, turn: int) -> tuple[WidgetState, str]:
        [(element, fragment)] = self.components()
        sent = {"number": {"seq": turn, "value": turn}}
        return WidgetState(id=element.id, json_value=json.dumps(sent)), fragment

    def taken(self) -> int:
        """The newest message that the server has read."""
        [(element, _)] = self.components()
        return json.loads(element.json)["seq"]

    async def drag(self, seconds: float) -> list[float]:
        """The seconds from each message to its answer, with IN_FLIGHT messages ahead of the answers."""
        sent, lags, turn, before = {}, [], 0, self.taken()
        ends = time.perf_counter() + seconds
        while sent or time.perf_counter() < ends:
            while len(sent) < IN_FLIGHT and time.perf_counter() < ends:
                turn += 1
                sent[turn] = time.perf_counter()
                change, fragment = self.next_message(turn)
                await self.ask(change, fragment=fragment)
            await self.answer()
            now = time.perf_counter()  # one run may answer two messages
            for one in [one for one in sent if one <= self.taken() - before]:
                lags.append(now - sent.pop(one))
        return lags


# ---------------------------------------------------------------- the phases


def memory(pid: int) -> float:
    """MB of RAM that the process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def show(what: str, times: list[float]) -> None:
    late = sorted(times)[int(len(times) * 0.95)] * 1000
    print(f"{what:44} median {statistics.median(times) * 1000:7.1f} ms   95 % {late:7.1f} ms", flush=True)


async def all_come(visitors: list[Learner]) -> list[float]:
    """All open the first lesson, spread evenly over a few seconds."""

    async def come(number: int, visitor: Learner) -> float:
        await asyncio.sleep(ARRIVE * number / len(visitors))
        return await visitor.arrive()

    return await asyncio.gather(*(come(*one) for one in enumerate(visitors)))


async def come_singly(address: str, pid: int, count: int) -> float:
    """Milliseconds of the server's CPU for a visit: one visitor comes after the other, and leaves again."""
    before = cpu_seconds(pid)
    for name in range(count):
        async with Learner(address, name) as one:
            await one.arrive()
    return (cpu_seconds(pid) - before) * 1000 / count


async def all_work(
    visitors: list[Learner], seconds: float, gestures: dict[str, int] = GESTURES
) -> dict[str, list[float]]:
    """Each does one thing or more at a human pace; gesture → seconds until the answers.

    Their first gestures differ, so that two visitors already change the lesson and the part.
    """
    results, ends = defaultdict(list), time.perf_counter() + seconds

    async def work(gesture: str, visitor: Learner) -> None:
        while True:
            await asyncio.sleep(visitor.random.expovariate(1 / PAUSE))
            results[gesture].append(await visitor.do(gesture))
            if time.perf_counter() > ends:
                return
            [gesture] = visitor.random.choices(list(gestures), gestures.values())

    await asyncio.gather(*map(work, itertools.cycle(reversed(gestures)), visitors))
    return results


async def all_drag(visitors: list, seconds: float) -> str:
    """All drag at once: updates a second of all together, and how far they are behind."""
    for one in visitors:
        await one.begin_drag()
    lags = list(itertools.chain(*await asyncio.gather(*(one.drag(seconds) for one in visitors))))
    for one in visitors:
        await one.end_drag()
    late = sorted(lags)[int(len(lags) * 0.95)]
    return f"{len(lags) / seconds:.0f} updates/s, {statistics.median(lags):.2f} s behind (95 %: {late:.2f} s)"


async def all_leave(visitors: list[Visitor]) -> None:
    await asyncio.gather(*(one.close() for one in visitors))


async def beside_long_draws(address: str, learners: list[Learner], seconds: float) -> dict[str, list[float]]:
    """The first learners work while others have the server draw as many pairs of q and k as it offers."""
    drawers = [Visitor(address) for _ in learners[:DRAWERS]]
    link = {"lang": "en", "part": "assumptions", "pairs": "50000"}
    answers = {"factor": "shown", "same": "shown"}
    draws = (
        one.open(link | {"seed": str(n)}, page="why_scale", answers=answers) for n, one in enumerate(drawers)
    )
    drawing = asyncio.gather(*draws)
    result = await all_work(learners[:DRAWERS], seconds)
    print(f"{len(drawers)} long draws ended after {max(await drawing):.0f} s", flush=True)
    await all_leave(drawers)
    return result


async def echo(count: int, seconds: float) -> None:
    with serving(BARE_DRAG) as (address, _):
        visitors = [Echo(address) for _ in range(count)]
        await all_come(visitors)
        print(f"{count} drag a bare component: {await all_drag(visitors, seconds)}", flush=True)
        await all_leave(visitors)


async def fresh(count: int) -> None:
    """The first comes as soon as the server answers, while PyTorch is still being imported."""
    with serving(ROOT / "app.py") as (address, _):
        learners = [Learner(address, name) for name in range(count)]
        show(f"{count} come within {ARRIVE:.0f} s to a fresh server", await all_come(learners))
        await all_leave(learners)


async def app(count: int, seconds: float, dragged: float, rounds: int) -> None:
    with serving(ROOT / "app.py") as (address, pid):
        async with Learner(address, 0) as first:
            await first.arrive()
        held = [memory(pid)]
        alone = await come_singly(address, pid, min(count, ALONE))
        print(f"one after the other: {alone:.1f} ms of the server's CPU for a visit", flush=True)
        learners = [Learner(address, name) for name in range(1, count + 1)]
        show(f"{count} come within {ARRIVE:.0f} s after a first visit", await all_come(learners))
        held.append(memory(pid))
        edits_alone = await all_work(learners, seconds, gestures={"alter": 1})
        show(f"an edit by each every {PAUSE:.0f} s", edits_alone["alter"])
        cpu = cpu_seconds(pid)
        result = await all_work(learners, seconds)
        used, gestures = cpu_seconds(pid) - cpu, sum(map(len, result.values()))
        for gesture, times in result.items():
            show(f"{gesture}, {len(times)} times", times)
        print(f"server CPU: {used / gestures * 1000:.1f} ms a gesture, {used / seconds:.0%} of a core")
        print(f"{count} drag X: {await all_drag(learners, dragged)}", flush=True)
        for gesture, times in (await beside_long_draws(address, learners, dragged)).items():
            show(f"{gesture} beside long draws, {len(times)} times", times)
        held.append(memory(pid))
        await all_leave(learners)
        print("memory: {:.0f} MB with one visit, {:.0f} with all, {:.0f} after their work".format(*held))
        came = []
        for turn in range(rounds):
            learners = [Learner(address, name) for name in range(count)]
            came += await all_come(learners)
            await all_leave(learners)
            print(f"memory after {turn + 1} times {count} more visits: {memory(pid):.0f} MB", flush=True)
        show(f"{count} come within {ARRIVE:.0f} s to a server that has been running", came)


async def main(count: int, seconds: float, rounds: int) -> None:
    dragged = min(DRAG, seconds)
    await echo(count, dragged)
    await fresh(count)
    await app(count, seconds, dragged, rounds)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="A class opens the link at once and works.")
    options.add_argument("--visitors", type=int, default=100, help=f"1 to {MOST}")
    options.add_argument("--seconds", type=int, default=60, help=f"of work, 1 to {LONGEST}")
    options.add_argument("--rounds", type=int, default=10, help="of all coming and going, for the memory")
    given = options.parse_args()
    count, seconds = min(max(1, given.visitors), MOST), min(max(1, given.seconds), LONGEST)
    asyncio.run(main(count, seconds, max(1, given.rounds)))
