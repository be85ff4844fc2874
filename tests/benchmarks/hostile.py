"""One hostile visitor: a class works while somebody sends the most expensive inputs known, without a pause.

    python -m tests.benchmarks.hostile --visitors 100 --seconds 20

First each input is sent to the idle server, which shows what it costs. Then the class works at a pace that
the server can serve, in rounds without and with the hostile visitor in turn, so that other work of the
machine falls on both. Read the ratio; the aim is below 2 for 95 % of the edits. The class is that of load.py,
and every answer is checked.
"""

import argparse
import asyncio
import itertools
import statistics
import sys
import time
from contextlib import asynccontextmanager

from tests.benchmarks.load import Learner, all_come, all_leave, all_work
from tests.benchmarks.speed import cpu_seconds
from tests.benchmarks.stranger import INPUTS, TIMES, Stranger, nothing, send
from tests.browser_support import ROOT, serving

MOST, LONGEST = 300, 600  # visitors, seconds
ROUNDS = 3  # without and with the hostile visitor in turn
BUSY = 0.4  # of a core, that the class keeps busy by itself
TRIAL = 10.0  # seconds in which the cost of a gesture is measured, at the pace of LEISURE
LEISURE = 10.0  # seconds between two gestures of a visitor
AIM = 2.0


# ---------------------------------------------------------------- the phases


async def costs(address: str, pid: int) -> None:
    """What each input costs when the server has nothing else to do, the most expensive first."""
    rows, count = [], itertools.count()
    stranger = Stranger(address)
    for one in (INPUTS[0], *INPUTS):  # the first visit of all imports much
        cpu, start = cpu_seconds(pid), time.perf_counter()
        problems = {await send(stranger, one, count) for _ in range(2)} - {""}
        sent = 2 * (2 + (one.send is not nothing) * TIMES)
        rows.append(
            ((cpu_seconds(pid) - cpu) / sent, (time.perf_counter() - start) / sent, one.name, problems)
        )
    await stranger.close()
    for used, took, name, problems in sorted(rows[1:], reverse=True):
        print(
            f"{name:32} CPU {used * 1000:7.1f} ms a message   {took * 1000:7.1f} ms   {'; '.join(problems)}"
        )


@asynccontextmanager
async def hostile(address: str):
    """Somebody sends all inputs in turn, from another process. Yields the names of what was sent."""
    command = (sys.executable, "-m", "tests.benchmarks.stranger", address)
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    sent = [await process.stdout.readline()]
    yield sent
    process.terminate()
    sent += (await process.communicate())[0].splitlines()


def late(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def told(name: str, times: list[float]) -> str:
    middle = statistics.median(times) * 1000
    return f"{name:28} {len(times):5} edits   median {middle:7.1f} ms   95 % {late(times) * 1000:7.1f} ms"


async def main(count: int, seconds: float) -> None:
    with serving(ROOT / "app.py") as (address, pid):
        await costs(address, pid)
        learners = [Learner(address, name) for name in range(count)]
        await all_come(learners)
        cpu = cpu_seconds(pid)
        gestures = sum(map(len, (await all_work(learners, TRIAL, LEISURE)).values()))
        pause = max(LEISURE / 5, count * (cpu_seconds(pid) - cpu) / gestures / BUSY)
        print(f"{count} visitors, a gesture of each every {pause:.1f} s", flush=True)
        alone, beside = [], []
        for _ in range(ROUNDS):
            alone += (await all_work(learners, seconds, pause))["alter"]
            async with hostile(address) as sent:
                beside += (await all_work(learners, seconds, pause))["alter"]
            print(f"the hostile visitor sent {len(sent)} inputs", flush=True)
        await all_leave(learners)
        print(told("without a hostile visitor", alone))
        print(told("with one hostile visitor", beside))
        ratios = [measure(beside) / measure(alone) for measure in (statistics.median, late)]
        print(f"ratio: median {ratios[0]:.2f}, 95 % {ratios[1]:.2f} (aim: below {AIM:.0f})")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--visitors", type=int, default=100, help=f"1 to {MOST}")
    options.add_argument("--seconds", type=int, default=20, help=f"of each round, 5 to {LONGEST}")
    given = options.parse_args()
    asyncio.run(main(min(max(1, given.visitors), MOST), min(max(5, given.seconds), LONGEST)))
