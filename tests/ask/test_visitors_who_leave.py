"""Long work of visitors who leave, over Streamlit's own protocol."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.support.programs import ROOT, serving
from tests.support.visitor import Visitor, apart

VISITORS = 12
PATIENCE = 120.0  # seconds until a state is there
MEASURED, ANSWERED = {"lang": "en", "part": "measured"}, {"cost_fused": "less"}


def threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


async def until(true) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "waited too long"
        await asyncio.sleep(0.1)


async def started(address: str) -> Visitor:
    """A visitor who has pressed the button that measures."""
    visitor = Visitor(address)
    await visitor.open(MEASURED, page="cost", answers=ANSWERED)
    await visitor.set("start_run", trigger_value=True)
    return visitor


def shows(visitor: Visitor, key: str) -> bool:
    try:
        return bool(visitor.widget(key))
    except LookupError:
        return False


@pytest.mark.slow
def test_visitors_who_measure_and_leave_hold_nobody_back():
    async def come_and_go(address: str, pid: int) -> None:
        async with Visitor(address) as first:
            await first.open(MEASURED, page="cost", answers=ANSWERED)
        before = threads(pid)
        visitors = [await started(address) for _ in range(VISITORS)]
        assert all(shows(one, "stop-run") for one in visitors[-3:])  # they wait
        assert threads(pid) <= before + VISITORS // 2  # not one for each who waits
        for one in visitors:
            await one.close()
        late = await started(address)
        await until_measured(late)
        await late.close()
        await until(lambda: threads(pid) <= before + 1)

    async def until_measured(visitor: Visitor) -> None:
        """Looks again and again, as the browser does."""
        end = time.monotonic() + PATIENCE
        while shows(visitor, "stop-run"):
            assert time.monotonic() < end, "waited too long"
            await visitor.run(fragment=visitor.widget("stop-run")[2])
            await asyncio.sleep(0.2)
        texts = [one.body for kind, one, _ in visitor.elements.values() if kind == "markdown"]
        assert any("Measured now on the machine" in text for text in texts)

    with serving(ROOT / "app.py") as (address, pid), apart() as wait_for:
        wait_for(come_and_go(address, pid))
