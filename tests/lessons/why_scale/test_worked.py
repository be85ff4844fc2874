"""Long work goes on when it is its turn."""

import threading
import time

from pages.lessons.why_scale import shared
from pages.ui.turns import Turn
from tests.apps import opened


def until(true) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def test_a_long_draw_waits_for_the_one_before(monkeypatch):
    monkeypatch.setattr(shared, "SHOW_AFTER", -1.0)
    monkeypatch.setattr(shared, "TICK", 0.0)
    before, shown = Turn(shared._turns), []
    page = threading.Thread(target=lambda: shown.append(opened("why_scale", "experiment", sample_seed=4711)))
    page.start()
    until(lambda: len(shared._turns.queue) == 2)
    assert page.is_alive() and not shown
    before.end()
    page.join(60)
    assert shown and not shared._turns.queue
