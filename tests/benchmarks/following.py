"""A class of 100 that follows a dragging teacher: how old are the numbers on their pages?

    python -m tests.benchmarks.following --people 100 --seconds 10

Each follower is a session of Streamlit's protocol that listens to the room's events, half of them in each
language. The teacher drags a number for some seconds, 20 values a second: first in a part whose pictures are
sent with the events, then in a part with charts, whose pages are drawn again once the hand rests. The age of
a number on a page is the time since the hand was there, looked at ten times a second. A page that does not
get the last value makes the exit code 1. All of it stays on this machine, whose cores they share.
"""

import argparse
import asyncio
import statistics
import sys
import time

from tests.benchmarks.speed import cpu_seconds
from tests.support.classroom import Person, together
from tests.support.programs import ROOT, serving

RATE = 20  # values a second
LOOKS = 0.1  # seconds between two looks at the pages
PATIENCE = 60
# name → lesson, the number that is dragged, whether its pictures are sent with the events
PARTS = {
    "pictures alone": ("one_head", ("x", 0, 0), True),
    "charts too": ("softmax", ("logits", 0, 0), False),
}


class Follower(Person):
    """Notes which number is shown."""

    cell = ("x", 0, 0)
    number: float | None = None

    async def _hear(self, kind: str, data: object) -> None:
        await super()._hear(kind, data)
        pictures = [data for _, _, data in self.pictures()]
        if kind == "moved" and self.moved:
            pictures = [self.moved]
        for part in (part for picture in pictures for part in picture["matrices"]):
            if part["id"] == self.cell[0]:
                self.number = part["values"][self.cell[1]][self.cell[2]]


async def drag(host: Person, people: list[Follower], seconds: float, *, direct: bool) -> list[float]:
    """Drags a number; returns the ages of what the pages show meanwhile."""
    hand = {}  # value → when the hand was there
    ages: list[float] = []
    begin = time.perf_counter()

    async def look() -> None:
        while True:
            await asyncio.sleep(LOOKS)
            moment = time.perf_counter()
            ages.extend(moment - hand.get(person.number, begin) for person in people)

    looking = asyncio.create_task(look())
    steps = 0
    while time.perf_counter() - begin < seconds:
        steps += 1
        value = round(1 + steps / 100, 2)  # as the pages have it
        hand[value] = time.perf_counter()
        await (host.hold(*people[0].cell, value) if direct else host.edit(*people[0].cell, value, held=True))
        await asyncio.sleep(max(0.0, hand[value] + 1 / RATE - time.perf_counter()))
    looking.cancel()
    print(f"  {steps / seconds:.0f} values a second")
    return ages


async def follow(address: str, server: int, start: argparse.Namespace, name: str) -> int:
    """Prints how old the numbers are; how many pages do not show the last one."""
    host, people = Person(address), [Follower(address) for _ in range(start.people)]
    lesson, cell, direct = PARTS[name]
    for person in people:
        person.cell = cell
    code = await host.lead(page=lesson)
    await together(
        [
            person.enter(code, lang=("en", "zh")[number % 2], page=lesson)
            for number, person in enumerate(people)
        ]
    )
    for person in people:
        await person.until(lambda person=person: person.led.get("follows") and person.heard)
    used, own = cpu_seconds(server), time.process_time()
    ages = await drag(host, people, start.seconds, direct=direct)
    if direct:
        cuts = statistics.quantiles(ages, n=100)
        print(f"  age of the numbers: half are {cuts[49]:.2f} s old, 95 of 100 at most {cuts[94]:.2f} s")
    begin, last, took = time.perf_counter(), 9.0, []
    await host.edit(*cell, last)

    async def wait(person: Follower) -> None:
        await person.until(lambda: person.number == last)
        took.append(time.perf_counter() - begin)

    await asyncio.wait([asyncio.create_task(wait(person)) for person in people], timeout=PATIENCE)
    if took:
        late = sorted(took)[int(0.95 * (len(took) - 1))]
        print(f"  the last value is on 95 of 100 pages after {late:.1f} s, on all after {max(took):.1f} s")
    used, own = cpu_seconds(server) - used, time.process_time() - own
    print(f"  the server used {used:.1f} s of CPU, the people themselves {own:.1f} s")
    await together([person.close() for person in (host, *people)])
    return len(people) - len(took)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=100, choices=range(1, 501), metavar="1–500")
    parser.add_argument("--seconds", type=float, default=10.0)
    start = parser.parse_args()
    lost = 0
    with serving(ROOT / "app.py") as (address, process):
        for name in PARTS:
            print(name)
            lost += asyncio.run(follow(address, process, start, name))
    if lost:
        print(f"{lost} pages do not show the last value")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
