"""How fast the first lesson answers, compared with bare Streamlit pages, in one run.

    python -m tests.benchmarks.speed

Everything is measured in a real browser: from a key or a pointer until what is shown no longer changes and
the frame is painted. Read the ratios, not the milliseconds: machines differ and are shared.
"""

import argparse
import ctypes
import itertools
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.support.programs import FLAGS, ROOT, find_browser, serving

HERE = Path(__file__).parent
BARE, BARE_DRAG = HERE / "bare_page.py", HERE / "bare_drag.py"
SMALL = "/one_head?lang=en"  # the first page has no output
LARGE = "/one_head?" + urlencode(
    {"lang": "en", "tokens": ",".join(f"t{i}" for i in range(12)), "dmodel": "16", "heads": "8"}
)
SPEED = 1600  # px a second, of a hand that drags: 200 steps of the number, which is more than is answered
PATIENCE = 120_000  # milliseconds without an answer, then it is a fault
IMPORTED = 15  # seconds after which a server has imported all
CLICKED = "[data-testid=stMarkdown]"  # what the bare page shows
# What is measured, its name, the aims for an edit's paint and CPU, for its bytes, for a drag's updates.
CASES = (
    ("small", "3 tokens, 1 head", ("at most 1.2", "at most 0.7"), "at most 0.35", "at least 2"),
    ("large", "12 tokens, 8 heads", ("at most 2", "at most 1"), "at most 0.4", "at least 1.3"),
)
NEW = itertools.count()  # numbers that were not entered before, for which the server has kept nothing
INPUTS = '[data-matrix="x"]'
OUTPUT = '[data-matrix="output"]'  # first in the early picture (see pages/shell/early.py)
ON_THE_PAGE = f".st-key-numbers {OUTPUT}"
FIRST = '[data-matrix="x"][data-row="0"][data-col="0"]'

# Resolves with the milliseconds from `act` until the frame after the last visible change inside `where`: then
# nothing changes for a while. They are negative if nothing changes at all.
SETTLED = """
async ([where, act, patience]) => {
  let last = 0;
  const watch = new MutationObserver(() => {
    requestAnimationFrame(() => setTimeout(() => { last = performance.now(); }));
  });
  document.querySelectorAll(where).forEach((node) => watch.observe(node, {
    subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['data-value'],
  }));
  const start = performance.now();
  new Function(act)();
  while (performance.now() < (last ? last + 1200 : start + patience)) {
    await new Promise((done) => setTimeout(done, 50));
  }
  watch.disconnect();
  return last - start;
}
"""
EDIT = """
const cell = document.querySelector('[data-matrix="x"][data-row="0"][data-col="0"]');
cell.focus(); cell.value = '%s'; cell.dispatchEvent(new InputEvent('input', {bubbles: true}));
cell.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
"""
# Keeps the milliseconds from the navigation until the frame with a visible `%s` is painted. Playwright itself
# looks only every 0.5 s after a while.
WATCH = """
const look = () => {
  const node = document.querySelector('%s');
  const visible = node?.checkVisibility() && node.getBoundingClientRect().width;
  requestAnimationFrame(visible ? () => setTimeout(() => { window.painted = performance.now(); }) : look);
};
look();
"""
# Whether the output is another one.
CHANGED = """(before) => document.querySelector('[data-matrix="output"]').dataset.value !== before"""
# A hand that holds the mouse and moves it by so many pixels a second, faster than Playwright moves one.
MOVE = """
(speed) => {
  const start = performance.now(), { x, y, id } = window.pressed;
  window.hand = setInterval(() => {
    const clientX = x + Math.trunc((performance.now() - start) / 1000 * speed);
    const at = { clientX, clientY: y, pointerId: id, isPrimary: true, buttons: 1, bubbles: true };
    document.dispatchEvent(new PointerEvent('pointermove', at));
  }, 4);
}
"""
PRESSED = """
() => document.addEventListener('pointerdown', ({ clientX, clientY, pointerId }) => {
  window.pressed = { x: clientX, y: clientY, id: pointerId };
}, { capture: true })
"""
# Counts how often each watched node shows something new.
COUNT = """
(selectors) => {
  window.counts = selectors.map(() => 0);
  selectors.forEach((selector, i) => {
    const node = document.querySelector(selector);
    const look = () => node.dataset.value ?? node.textContent;
    let before = look();
    new MutationObserver(() => {
      const now = look();
      if (now !== before) { before = now; window.counts[i] += 1; }
    }).observe(node, {subtree: true, childList: true, characterData: true, attributes: true});
  });
}
"""


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processor. /proc counts in hundredths of a second: a turn takes less."""
    clock = ctypes.c_int()
    if error := ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise OSError(error, f"process {pid} has no clock")
    return time.clock_gettime(clock.value)


def settle_times(page, where: str, acts: list[str]) -> list[float]:
    times = [page.evaluate(SETTLED, [where, act, PATIENCE]) for act in acts]
    if min(times) <= 0:
        raise RuntimeError(f"an edit changed nothing on the screen: {times}")
    return times


def open_page(browser, address: str, ready: str, frames: list[bytes] | None = None):
    """The page, and the milliseconds until `ready` is painted. frames: gets what the page receives."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US").new_page()
    page.set_default_timeout(PATIENCE)
    if frames is not None:
        page.on("websocket", lambda socket: socket.on("framereceived", lambda data: frames.append(data)))
    page.add_init_script(WATCH % ready)
    page.goto(address)
    return page, page.wait_for_function("window.painted").json_value()


def opening(browser, address: str, ready: str) -> float:
    """Milliseconds until `ready` is painted, on a server that has served before."""
    page, took = open_page(browser, address, ready)
    page.context.close()
    return took


def first_visit_to_bare(browser, after: float) -> float:
    """Milliseconds of the first visit to a server, so many seconds after its start."""
    with serving(BARE) as (address, _):
        time.sleep(after)
        return opening(browser, address, CLICKED)


def first_visit(browser, after: float) -> tuple[float, float, float]:
    """Likewise: until the inputs are there, until the output is, and until an edit made then is answered."""
    with serving(ROOT / "app.py") as (address, _):
        time.sleep(after)
        page, inputs = open_page(browser, address + SMALL, INPUTS)
        start = time.perf_counter()
        page.wait_for_selector(OUTPUT)
        output = inputs + (time.perf_counter() - start) * 1000
        before = page.locator(OUTPUT).first.get_attribute("data-value")
        page.evaluate(EDIT % 3.75)
        page.wait_for_function(CHANGED, arg=before)
        edit = inputs + (time.perf_counter() - start) * 1000
        page.context.close()
        return inputs, output, edit


def edits(browser, address: str, pid: int, link: str, count: int) -> tuple[float, float, float, float]:
    """Of one cell edit, with all the runs it causes: median milliseconds, CPU milliseconds, and received kB.

    The last is how many there are with all of the picture's data, as when it is opened.
    """
    frames: list[bytes] = []
    page, _ = open_page(browser, address + link, ON_THE_PAGE, frames)
    page.wait_for_timeout(2000)
    whole = max(map(data_size, frames))
    settle_times(page, OUTPUT, [EDIT % 0.31])
    frames.clear()
    before = cpu_seconds(pid)
    times = settle_times(page, OUTPUT, [EDIT % f"{i % 9}.{1000 + next(NEW)}" for i in range(count)])
    cpu = (cpu_seconds(pid) - before) * 1000 / count
    page.context.close()
    received = sum(map(len, frames)) / count
    rest = received - sum(map(data_size, frames)) / count
    return statistics.median(times), cpu, received / 1000, (whole + rest) / 1000


def data_size(frame: bytes) -> int:
    """How many bytes of a message are a picture's data."""
    return len(ForwardMsg.FromString(frame).delta.new_element.bidi_component.bytes)


def busy_seconds(session) -> float:
    """How long the page's main thread has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


def drag(page, handle: str, watched: str, seconds: float) -> tuple[float, float]:
    """While a hand drags `handle`: a node's updates a second, and the main thread's CPU ms for each."""
    box = page.locator(handle).first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(COUNT, [watched])
    session = page.context.new_cdp_session(page)
    # CPU time: else what waits for a core while the machine does other work would count too.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(PRESSED)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 10, y)
    before, start = busy_seconds(session), time.perf_counter()
    page.evaluate(MOVE, SPEED)  # the number rises all the time
    page.wait_for_timeout(seconds * 1000)
    page.wait_for_function("window.counts[0]")
    page.evaluate("clearInterval(window.hand)")
    took = time.perf_counter() - start
    [count] = page.evaluate("window.counts")
    busy = busy_seconds(session) - before
    page.mouse.up()
    page.context.close()
    return count / took, busy * 1000 / count


def app_drag(browser, address: str, link: str, seconds: float) -> tuple[float, float]:
    """Of the output while X's first cell is dragged."""
    page, _ = open_page(browser, address + link, ON_THE_PAGE)
    page.wait_for_timeout(2000)
    return drag(page, FIRST, OUTPUT, seconds)


def bare_drag(browser, address: str, seconds: float) -> tuple[float, float]:
    page, _ = open_page(browser, address, "#number")
    page.wait_for_timeout(2000)
    return drag(page, "#number", "#number", seconds)


def bare_edits(browser, address: str, pid: int, count: int) -> tuple[float, float]:
    page, _ = open_page(browser, address, CLICKED)
    page.wait_for_timeout(2000)
    act = "document.querySelector('.stCheckbox input').click()"
    settle_times(page, "[data-testid=stMain]", [act])
    before = cpu_seconds(pid)
    times = settle_times(page, "[data-testid=stMain]", [act] * count)
    cpu = (cpu_seconds(pid) - before) * 1000 / count
    page.context.close()
    return statistics.median(times), cpu


def in_turn(measures: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list]:
    """Each measure once a round: what else the machine does meanwhile falls on all of them."""
    results: dict[str, list] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            results[name].append(measure())
    return results


def show(
    name: str,
    values: list[float],
    unit: str,
    beside: list[float] | None = None,
    aim: str = "",
    what: str = "the bare page",
) -> None:
    """The median, and the median of the ratios to `beside`, which is `what`, with their range."""
    text = ""
    if beside:
        ratios = [value / bare for value, bare in zip(values, beside, strict=True)]
        text = f"   {statistics.median(ratios):.2f} of {what}"
        text += f" ({min(ratios):.2f} to {max(ratios):.2f}; aim: {aim})"
    print(f"{name:44} {statistics.median(values):7.1f} {unit}{text}", flush=True)


def show_edits(name: str, values: list, beside: list | None, aims: tuple[str, str]) -> None:
    for i, (what, aim) in enumerate(zip(("painted", "server CPU"), aims, strict=True)):
        bare = beside and [value[i] for value in beside]
        show(f"{name}: {what}", [value[i] for value in values], "ms", bare, aim)


def warm(browser, start: argparse.Namespace) -> None:
    """Edits, drags and openings, on servers that have served before."""
    with (
        serving(BARE) as (bare, bare_pid),
        serving(BARE_DRAG) as (component, _),
        serving(ROOT / "app.py") as (app, pid),
    ):
        for address, ready in ((bare, CLICKED), (component, "#number"), (app + SMALL, OUTPUT)):
            opening(browser, address, ready)
        result = in_turn(
            {
                "click": lambda: bare_edits(browser, bare, bare_pid, start.edits),
                "small": lambda: edits(browser, app, pid, SMALL, start.edits),
                "large": lambda: edits(browser, app, pid, LARGE, start.edits),
                "component": lambda: bare_drag(browser, component, start.seconds),
                "small drag": lambda: app_drag(browser, app, SMALL, start.seconds),
                "large drag": lambda: app_drag(browser, app, LARGE, start.seconds),
            },
            start.rounds,
        )
        show_edits("bare page, a click", result["click"], None, ("", ""))
        bare_rates, bare_busy = map(list, zip(*result["component"], strict=True))
        show("bare component, updates of a drag", bare_rates, "/s")
        show("bare component, main thread of an update", bare_busy, "ms")
        for name, says, aims, sent_aim, drag_aim in CASES:
            show_edits(f"{says}, an edit", result[name], result["click"], aims)
            sent, whole = ([value[i] for value in result[name]] for i in (2, 3))
            show(f"{says}, an edit: received", sent, "kB", whole, sent_aim, "an answer with all data")
            rates, busy = map(list, zip(*result[f"{name} drag"], strict=True))
            other = "the bare component"
            show(f"{says}, updates of a drag", rates, "/s", bare_rates, drag_aim, other)
            show(f"{says}, main thread of an update", busy, "ms", bare_busy, "the less, the better", other)
        pages = {"bare": (bare, CLICKED), "app": (app + SMALL, OUTPUT), "page": (app + SMALL, ON_THE_PAGE)}
        openings = {name: partial(opening, browser, *page) for name, page in pages.items()}
        result = in_turn(openings, start.openings)
    show("bare page, opened", result["bare"], "ms")
    show("output, a link opened", result["app"], "ms", result["bare"], "at most 1.2")
    show("output on the whole page, a link opened", result["page"], "ms", result["bare"], "none")


def fresh(browser, start: argparse.Namespace) -> None:
    """First visits, each to a server of its own: at its start, and when it has imported what visits need."""
    for after in start.after:
        when = f", {after} s after the start" if after else ""
        measures = {
            "bare": lambda after=after: first_visit_to_bare(browser, after),
            "app": lambda after=after: first_visit(browser, after),
        }
        result = in_turn(measures, start.openings)
        inputs, outputs, answers = zip(*result["app"], strict=True)
        show(f"bare page, first visit{when}", result["bare"], "ms")
        show(f"inputs, first visit{when}", [*inputs], "ms", result["bare"], "at most 1.6")
        show(f"output, first visit{when}", [*outputs], "ms", result["bare"], "within 4 s")
        show(f"edit answered, first visit{when}", [*answers], "ms", result["bare"], "none")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, usual, of in (
        ("rounds", 3, "of edits and drags"),
        ("edits", 10, "in a round"),
        ("openings", 5, "of each page, and of each page on a fresh server"),
    ):
        parser.add_argument(f"--{name}", type=int, default=usual, help=of)
    parser.add_argument("--seconds", type=float, default=4.0, help="of a drag")
    waits = {
        "nargs": "+",
        "default": [0, IMPORTED],
        "help": "seconds from a server's start to its first visit",
    }
    parser.add_argument("--after", type=int, **waits)
    start = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        warm(browser, start)
        fresh(browser, start)
        browser.close()


if __name__ == "__main__":
    main()
