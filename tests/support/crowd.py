"""Visitors of one address who work at the same time, and what they find."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.support.course import from_query
from tests.support.learner import Learner
from tests.support.visitor import Fault

AT_ONCE = 20  # visitors who open their link at the same time
TRIES = 20  # to come back, a second apart


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
        ends, is_killed = time.perf_counter() + seconds, asyncio.Event()

        def kill() -> None:
            os.kill(process, signal.SIGKILL)
            is_killed.set()

        async def alter(one: Person) -> None:
            try:
                await one.alter()
            except ConnectionClosed:
                await one.come_back()
            one.check()

        async def edit_on(one: Person) -> None:
            while time.perf_counter() < ends or not is_killed.is_set():
                await alter(one)
            await alter(one)  # once more, whether or not the connection was cut

        asyncio.get_running_loop().call_later(seconds / 3, kill)
        await self.all(edit_on)
        return [one.back for one in self.people if one.back is not None]
