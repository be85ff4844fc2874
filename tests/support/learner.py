"""Visitors who know what must be shown."""

import asyncio
import itertools
import random
import time
from dataclasses import replace
from urllib.parse import parse_qs

from streamlit.proto.Common_pb2 import StringArray

from pages.model import edits
from pages.model.compute import trace_of
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import COURSE, TAUGHT, from_query, lesson
from tests.support.recipe import alike, faults_in, number
from tests.support.visitor import Fault, Visitor

IN_FLIGHT = 2  # messages of a drag ahead of the answers, as in the browser
SWITCHES = (("set_num_heads", 2), ("set_num_heads", 1), ("set_d_k", 3), ("set_d_k", 4))
FIRST = ("one_head", "picture")


class Learner(Visitor):
    """A visitor who knows what must be shown: the numbers entered, and what the core makes of them."""

    def __init__(self, address: str, name: int):
        super().__init__(address)
        self.random = random.Random(name)
        self.x = [[round(self.random.uniform(-2, 2), 3) for _ in range(4)] for _ in range(3)]

    async def arrive(self) -> float:
        now = Settings()
        for row, values in enumerate(self.x):
            for col, value in enumerate(values):
                now = edits.set_cell(now, "x", row, col, value)
        took = await self.open(to_query(State(core=now), View(language="en"), Place()))
        self.check()
        return took

    async def do(self, gesture: str) -> float:
        """Does it, and checks the answer; returns the seconds until it was there."""
        if gesture in ("alter", "switch"):
            await self.home()
        took = await getattr(self, gesture)()
        self.check()
        return took

    async def home(self) -> None:
        """To where X can be edited."""
        if self.shown != FIRST:
            await self.go(FIRST[0])
        if self.shown != FIRST:  # the lesson is open where it was left
            await self.deeper(FIRST[1])
        if self.shown != FIRST:
            raise Fault(f"{self.shown} is on the page in place of {FIRST}")

    async def alter(self) -> float:
        return await self.edit("x", *self.draw())

    def draw(self) -> tuple[int, int, float]:
        """A cell of X and its new value, which is entered from now on."""
        row, col, value = self.random.randrange(3), self.random.randrange(4), self.random.uniform(-2, 2)
        self.x[row][col] = round(value, 3)
        return row, col, self.x[row][col]

    async def switch(self) -> float:
        key, value = self.random.choice(SWITCHES)
        return await self.set(key, int_value=value)

    async def part(self) -> float:
        """Any part that is in front; where there is no choice, one that is behind Deeper."""
        try:
            _, element, _ = self.widget("set_part")
        except LookupError:
            parts = [part.name for part in lesson(self.here).parts]
            behind = [part for part in parts if COURSE.stop_at(self.here, part) is None]
            return await self.deeper(self.random.choice(behind))
        # The picture is the last part in front while it is open: away from it.
        front = element.options[: -1 if self.shown == FIRST else None]
        text = self.random.choice(front).content
        return await self.set("set_part", string_array_value=StringArray(data=[text]))

    async def deeper(self, part: str) -> float:
        listed = await self.set("deeper", bool_value=True)
        return listed + await self.set(f"deeper_{part}", trigger_value=True)

    async def lesson(self) -> float:
        return await self.go(self.random.choice(TAUGHT))

    # ---- a drag

    async def begin_drag(self) -> None:
        await self.home()
        self.dragged = self.draw()[:2]

    async def drag(self, seconds: float) -> list[float]:
        """The seconds from each question to its answer; IN_FLIGHT questions are under way at a time."""
        lags, values = [], itertools.cycle(n / 10 for n in range(40))
        row, col = self.dragged
        ends = time.perf_counter() + seconds

        async def ask() -> None:
            while (start := time.perf_counter()) < ends:
                self.x[row][col] = value = next(values)
                data = await self.hold("x", row, col, value)
                lags.append(time.perf_counter() - start)
                view = {one["id"]: one["values"] for one in data["matrices"]}
                if view["x"][row][col] != value:
                    raise Fault(f"{value} is held, and answered is {view['x'][row][col]}")

        await asyncio.gather(*(ask() for _ in range(IN_FLIGHT)))
        now = replace(self.entered(), x=tuple(map(tuple, self.x)))
        self.check_picture(await self.hold("x", row, col, self.x[row][col]), now)
        return lags

    async def end_drag(self) -> None:
        row, col = self.dragged
        await self.edit("x", row, col, self.x[row][col])
        self.check()

    # ---- what must be on the screen

    @property
    def shown(self) -> tuple[str, ...]:
        """Lesson and part of the first picture."""
        return next((tuple(data["key"].split("-")[1:3]) for _, _, data in self.pictures()), ())

    @property
    def here(self) -> str:
        """The lesson."""
        return next((name for name, page in self.pages.items() if page == self.page), "") or FIRST[0]

    def check(self) -> None:
        """X as entered, every computed cell from its sources, and the output from the core.

        A place that begins with an example of its own has other numbers.
        """
        state, _, place, _ = from_query(parse_qs(self.query))
        now = state.core
        if not lesson(self.here).owner(place) and [list(row) for row in now.x] != self.x:
            raise Fault(f"the link has {now.x}, entered was {self.x}")
        for _, _, data in self.pictures():
            self.check_picture(data, now)

    def entered(self) -> Settings:
        """What the link says."""
        return from_query(parse_qs(self.query))[0].core

    def check_picture(self, data: dict, now: Settings) -> None:
        name, part = data["key"].split("-")[1:3]
        if faults := faults_in(data, name, part):
            raise Fault(f"{data['key']}: {faults[0]}")
        if (name, part) != FIRST:
            return
        view = {one["id"]: one["values"] for one in data["matrices"]}
        for name, wanted in (("x", self.x), ("output", trace_of(now).output.tolist())):
            pairs = zip(itertools.chain(*view[name]), itertools.chain(*wanted), strict=True)
            if not all(alike(number(value), right) for value, right in pairs):
                raise Fault(f"{name} is {view[name]}, it should be {wanted}")
