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
import statistics
import sys
from contextlib import ExitStack
from urllib.parse import urlsplit

from tests.support.crowd import Crowd
from tests.support.nginx import find_nginx, nginx
from tests.support.programs import ROOT, serving

ROUNDS = 3  # of one process and several in turn: what else the machine does meanwhile falls on both


async def compare(one: str, several: str, start: argparse.Namespace, process: int) -> list[str]:
    """Prints what crowds find at both addresses; what went wrong. The process is behind `several` only."""
    visitors = start.visitors
    async with Crowd(one, range(visitors)) as few, Crowd(several, range(visitors, 2 * visitors)) as many:
        for _ in range(ROUNDS):
            await few.edit(start.edits)
            await many.edit(start.edits)
        for name, crowd in (("one process", few), ("several", many)):
            rates = f"{statistics.median(crowd.rates):.0f} ({min(crowd.rates):.0f}–{max(crowd.rates):.0f})"
            edit, own = statistics.median(crowd.edits), statistics.median(crowd.own)
            print(f"{name:12} {rates} updates/s of all, an edit's median {edit:.1f} s")
            print(f"             the sessions themselves used {own:.2f} of {os.cpu_count()} cores")
        ratios = [after / before for before, after in zip(few.rates, many.rates, strict=True)]
        print(
            f"ratio        {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})", flush=True
        )
        back = await many.lose(process, start.seconds)
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
    parser.add_argument("--seconds", type=float, default=9.0, help="of edits while a process is killed")
    start = parser.parse_args()
    if find_nginx() is None:
        parser.error("no nginx found (Debian: apt-get install nginx)")
    with ExitStack() as stack:
        servers = [stack.enter_context(serving(ROOT / "app.py")) for _ in range(start.processes)]
        ports = [urlsplit(address).port for address, _ in servers]
        one, several = (stack.enter_context(nginx(some)) for some in (ports[:1], ports))
        faults = asyncio.run(compare(one, several, start, servers[-1][1]))
    for fault in faults[:10]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
