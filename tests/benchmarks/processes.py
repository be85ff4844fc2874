"""Several processes behind nginx, and what becomes of the sessions when one of the processes is killed.

    python -m tests.benchmarks.processes --visitors 300 --processes 2

Each visitor is a session of Streamlit's protocol with numbers of its own, and edits as fast as the answers
come: those of the first process and those of all processes in turn. Then one process is killed, its visitors
come back by their links, and all go on. A wrong number, an exception or a visitor who cannot go on makes the
exit code 1. All of it stays on this machine, whose cores the visitors share with the processes.
"""

import argparse
import asyncio
import os
import signal
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.benchmarks.load import Learner
from tests.support.course import from_query
from tests.support.nginx import find_nginx, nginx
from tests.support.programs import ROOT, serving
from tests.support.visitor import Fault

AT_ONCE = 20  # visitors who open their link at the same time
TRIES = 20  # to come back, a second apart
WHILE_KILLED = 9.0  # seconds of edits while a process is killed
ROUNDS = 3  # of one process and several in turn: what else the machine does meanwhile falls on both


class Person(Learner):
    """A visitor who comes back when the connection is cut, as the browser does."""

    back: float | None = None  # seconds until the page was there again

    async def alter(self) -> float:
        self.before = [list(row) for row in self.x]
        self.cell = self.draw()
        return await self.edit("x", *self.cell)

    async def come_back(self) -> None:
        """Opens the link again, finds the numbers there, and sends the edit again that had no answer."""
        start = time.perf_counter()
        await self.reach()
        self.back = time.perf_counter() - start
        edited, link = self.x, from_query(parse_qs(self.query))[0].core
        if link.x != tuple(map(tuple, edited)):  # it had not come before the connection was cut
            self.x = self.before
        self.check()
        self.x = edited
        await self.edit("x", *self.cell)

    async def reach(self) -> None:
        for _ in range(TRIES):
            try:
                await self.open_again()
                return
            except (OSError, ConnectionClosed, InvalidHandshake):
                await asyncio.sleep(1)
        raise ConnectionError(f"not back after {TRIES} tries")


class Crowd:
    """Visitors of one address, and what they find."""

    def __init__(self, address: str, names: range):
        self.people = self.here = [Person(address, name) for name in names]
        self.edits: list[float] = []  # seconds until the answer
        self.rates: list[float] = []  # edits a second of all, in each round
        self.own: list[float] = []  # cores that the sessions themselves used, in each round
        self.wrong: list[str] = []  # numbers, and exceptions on the page
        self.lost: list[str] = []  # visitors who cannot go on

    async def __aenter__(self) -> "Crowd":
        gate = asyncio.Semaphore(AT_ONCE)

        async def arrive(one: Person) -> None:
            async with gate:
                await one.arrive()

        await self.all(arrive)
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.gather(*(one.close() for one in self.people), return_exceptions=True)

    async def all(self, act: Callable[[Person], Awaitable[None]]) -> None:
        """Everybody who is still here does it at the same time."""
        result = await asyncio.gather(*map(act, self.here), return_exceptions=True)
        for error in filter(None, result):
            (self.wrong if isinstance(error, Fault) else self.lost).append(f"{type(error).__name__}: {error}")
        self.here = [one for one, error in zip(self.here, result, strict=True) if error is None]

    async def edit(self, times: int) -> None:
        """A round: so many edits of each. Not so many seconds, for the answers come in waves."""
        start, busy = time.perf_counter(), time.process_time()

        async def edit(one: Person) -> None:
            for _ in range(times):
                self.edits.append(await one.alter())
                one.check()

        await self.all(edit)
        took = time.perf_counter() - start
        self.rates.append(len(self.here) * times / took)
        self.own.append((time.process_time() - busy) / took)

    async def lose(self, process: int, seconds: float) -> list[float]:
        """All edit, and the process is killed. Seconds until each page that was cut off was there again."""
        ends = time.perf_counter() + seconds

        async def edit_on(one: Person) -> None:
            while time.perf_counter() < ends:
                try:
                    await one.alter()
                except ConnectionClosed:
                    await one.come_back()
                one.check()
            await one.alter()  # once more, whether or not the connection was cut
            one.check()

        asyncio.get_running_loop().call_later(seconds / 3, os.kill, process, signal.SIGKILL)
        await self.all(edit_on)
        return [one.back for one in self.people if one.back is not None]


async def compare(one: str, several: str, visitors: int, edits: int, process: int) -> list[str]:
    """Prints what crowds find at both addresses; what went wrong. The process is behind `several` only."""
    async with Crowd(one, range(visitors)) as few, Crowd(several, range(visitors, 2 * visitors)) as many:
        for _ in range(ROUNDS):
            await few.edit(edits)
            await many.edit(edits)
        for name, crowd in (("one process", few), ("several", many)):
            rates = f"{statistics.median(crowd.rates):.0f} ({min(crowd.rates):.0f}–{max(crowd.rates):.0f})"
            edit, own = statistics.median(crowd.edits), statistics.median(crowd.own)
            print(f"{name:12} {rates} updates/s of all, an edit's median {edit:.1f} s")
            print(f"             the sessions themselves used {own:.2f} of {os.cpu_count()} cores")
        ratios = [after / before for before, after in zip(few.rates, many.rates, strict=True)]
        print(
            f"ratio        {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})", flush=True
        )
        back = await many.lose(process, WHILE_KILLED)
    wrong, lost = few.wrong + many.wrong, few.lost + many.lost
    took = f"after {statistics.median(back):.1f} s (median)" if back else ""
    print(f"one killed   {len(back)} sessions cut off and back {took}")
    print(f"             {len(wrong)} wrong numbers, {len(lost)} sessions lost, {len(many.here)} went on")
    return wrong + lost + ([] if back else ["the process was killed under nobody"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    limits = {"visitors": (300, 1, 300), "processes": (2, 2, 8), "edits": (4, 1, 20)}
    for name, (usual, least, most) in limits.items():
        allowed = {"choices": range(least, most + 1), "metavar": f"{least}–{most}"}
        parser.add_argument(f"--{name}", type=int, default=usual, **allowed)
    start = parser.parse_args()
    if find_nginx() is None:
        parser.error("no nginx found (Debian: apt-get install nginx)")
    with ExitStack() as stack:
        servers = [stack.enter_context(serving(ROOT / "app.py")) for _ in range(start.processes)]
        ports = [urlsplit(address).port for address, _ in servers]
        one, several = (stack.enter_context(nginx(some)) for some in (ports[:1], ports))
        faults = asyncio.run(compare(one, several, start.visitors, start.edits, servers[-1][1]))
    for fault in faults[:10]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
