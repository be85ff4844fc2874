"""A room of 300, of whom 100 vote within one second: on one process, and on two with Redis behind nginx.

    python -m tests.benchmarks.rooms --people 300 --voters 100

Each person is a session of Streamlit's protocol that listens to the room's events, as a phone does. The
teacher closes the vote and shows the bars. A vote that is lost or counted twice makes the exit code 1. On two
processes one is killed after the votes: its people come back by the link in their address bars, with the
names that their browsers keep. All of it stays on this machine, whose cores the people share with the server.
"""

import argparse
import asyncio
import os
import signal
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from pages.room.store import ADDRESS
from tests.benchmarks.speed import cpu_seconds
from tests.support.classroom import QUESTION, Person, together
from tests.support.course import lesson
from tests.support.nginx import find_nginx, nginx
from tests.support.programs import ROOT, serving
from tests.support.redis_server import redis_server

OPTIONS = list(lesson("one_head").by_name[QUESTION].options)
SECOND = 1.0  # in which all vote


async def hold_a_vote(address: str, servers: list[int], start: argparse.Namespace) -> list[str]:
    """Prints how long the votes take; what went wrong."""
    host, people = Person(address), [Person(address) for _ in range(start.people)]
    faults = []
    code = await host.start()
    begin = time.perf_counter()
    await together([person.enter(code) for person in people])
    print(f"  {start.people} people are in the room after {time.perf_counter() - begin:.1f} s")
    voters = people[: start.voters]
    used, own, begin = sum(map(cpu_seconds, servers)), time.process_time(), time.perf_counter()
    took = []

    async def vote(number: int, person: Person) -> None:
        await asyncio.sleep(SECOND * number / len(voters))
        sent = time.perf_counter()
        await person.vote(OPTIONS[number % len(OPTIONS)])
        took.append(time.perf_counter() - sent)

    await asyncio.gather(*(vote(number, person) for number, person in enumerate(voters)))
    await host.until(lambda: host.count == len(voters))
    wall = time.perf_counter() - begin
    used, own = sum(map(cpu_seconds, servers)) - used, time.process_time() - own
    print(f"  {len(voters)} votes within {SECOND:.0f} s: the teacher's page counts all after {wall:.1f} s")
    print(f"  a vote is confirmed after {statistics.median(took):.2f} s (median), at most {max(took):.2f} s")
    print(f"  the server used {used:.1f} s of CPU, the people themselves {own:.1f} s")
    unsure = [
        number for number, person in enumerate(voters) if person.choice != OPTIONS[number % len(OPTIONS)]
    ]
    faults += [f"{len(unsure)} people do not see their choice"] if unsure else []
    runs = sum(person.runs for person in people)
    if runs:
        faults.append(f"{runs} runs of pages that were caused by the votes of others")
    if start.kill:
        os.kill(servers[-1], signal.SIGKILL)
        print("  one process is killed")
        people = await come_back(address, host, people, code)
    begin = time.perf_counter()
    await host.press(f"vote_close-{QUESTION}")
    await host.press(f"vote_bars-{QUESTION}")
    print(f"  the teacher's bars are right after {time.perf_counter() - begin:.1f} s")
    expected = sorted(len(voters[number :: len(OPTIONS)]) for number in range(len(OPTIONS)))
    await asyncio.gather(
        *(person.until(lambda person=person: len(person.bars) == len(OPTIONS)) for person in people)
    )
    print(f"  all {len(people)} phones show them after {time.perf_counter() - begin:.1f} s")
    wrong = [person.bars for person in (host, *people) if sorted(person.bars) != expected]
    faults += [f"{len(wrong)} pages with wrong bars, as {wrong[0]}"] if wrong else []
    await together([person.close() for person in (host, *people)])
    return faults


async def come_back(address: str, host: Person, people: list[Person], code: str) -> list[Person]:
    """Those whose process was killed open the link again."""
    begin, lost = time.perf_counter(), [person for person in (host, *people) if await person.is_cut_off()]
    await together([person.come_back() for person in lost])
    print(f"  {len(lost)} people were cut off and are back after {time.perf_counter() - begin:.1f} s")
    return people


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=300, choices=range(1, 501), metavar="1–500")
    parser.add_argument("--voters", type=int, default=100, choices=range(1, 501), metavar="1–500")
    start = parser.parse_args()
    if find_nginx() is None:
        parser.error("no nginx found (Debian: apt-get install nginx)")
    with serving(ROOT / "app.py") as (address, process):
        print("one process")
        start.kill = False
        faults = asyncio.run(hold_a_vote(address, [process], start))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        environment = {ADDRESS: stack.enter_context(redis_server(folder)).address}
        servers = [stack.enter_context(serving(ROOT / "app.py", environment=environment)) for _ in range(2)]
        print("two processes with Redis, behind nginx")
        start.kill = True
        address = stack.enter_context(nginx([urlsplit(address).port for address, _ in servers]))
        faults += asyncio.run(hold_a_vote(address, [process for _, process in servers], start))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
