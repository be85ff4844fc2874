"""How fast the first lesson answers, beside bare Streamlit pages, in one run.

    python -m tests.benchmarks.speed

Everything is measured in a real browser: from a key or a pointer until what is shown no longer changes and
the frame is painted. Read the ratios, not the milliseconds: machines differ and are shared.
"""

import os
import statistics
import time
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

from tests.browser_support import FLAGS, ROOT, find_browser, serving

HERE = Path(__file__).parent
BARE, BARE_DRAG = HERE / "bare_page.py", HERE / "bare_drag.py"
SMALL = ""
LARGE = "/?" + urlencode(
    {"lang": "en", "tokens": ",".join(f"t{i}" for i in range(12)), "dmodel": "16", "heads": "8"}
)
EDITS = 15
OUTPUT = '[data-matrix="output"]'
FIRST = '[data-matrix="x"][data-row="0"][data-col="0"]'

# Resolves with the milliseconds from `act` until the frame after the last visible change inside `where`.
SETTLED = """
async ([where, act]) => {
  let last = 0;
  const watch = new MutationObserver(() => {
    requestAnimationFrame(() => setTimeout(() => { last = performance.now(); }));
  });
  document.querySelectorAll(where).forEach((node) => watch.observe(node, {
    subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['data-value'],
  }));
  const start = performance.now();
  new Function(act)();
  await new Promise((done) => setTimeout(done, 1200));
  watch.disconnect();
  return last - start;
}
"""
EDIT = """
const cell = document.querySelector('[data-matrix="x"][data-row="0"][data-col="0"]');
cell.focus(); cell.value = '%s'; cell.dispatchEvent(new InputEvent('input', {bubbles: true}));
cell.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
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
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settle_times(page, where: str, acts: list[str]) -> list[float]:
    times = [page.evaluate(SETTLED, [where, act]) for act in acts]
    if min(times) <= 0:
        raise RuntimeError(f"an edit changed nothing on the screen: {times}")
    return times


def open_page(browser, address: str, ready: str):
    """The page, and the milliseconds until `ready` is there."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US").new_page()
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(ready)
    return page, (time.perf_counter() - start) * 1000


def first_paints(browser, address: str, ready: str, count: int = 5) -> float:
    times = []
    for _ in range(count):
        page, took = open_page(browser, address, ready)
        times.append(took)
        page.context.close()
    return statistics.median(times[1:])


def fresh_server(browser, script: Path, ready: str, count: int = 3) -> float:
    """Milliseconds of the first visit to a server that was just started."""
    times = []
    for _ in range(count):
        with serving(script) as (address, _):
            page, took = open_page(browser, address, ready)
            times.append(took)
            page.context.close()
    return statistics.median(times)


def edits(browser, address: str, pid: int, link: str) -> tuple[float, float]:
    """Median milliseconds and CPU milliseconds of one cell edit, with all the runs it causes."""
    page, _ = open_page(browser, address + link, OUTPUT)
    page.wait_for_timeout(3000)
    settle_times(page, OUTPUT, [EDIT % 0.31])
    before = cpu_seconds(pid)
    times = settle_times(page, OUTPUT, [EDIT % (1.5 + i / 4) for i in range(EDITS)])
    cpu = (cpu_seconds(pid) - before) * 1000 / EDITS
    page.context.close()
    return statistics.median(times), cpu


def drag(page, handle: str, watched: list[str], seconds: float = 4.0) -> list[float]:
    """Updates a second of each watched node while a steady hand drags `handle`."""
    box = page.locator(handle).first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(COUNT, watched)
    page.mouse.move(x, y)
    page.mouse.down()
    start = time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        page.mouse.move(x + int(passed * 200), y)  # the number rises all the time
        time.sleep(0.008)
    counts = page.evaluate("window.counts")
    page.mouse.up()
    page.context.close()
    return [count / seconds for count in counts]


def app_drag(browser, address: str, link: str) -> float:
    """Updates a second of the output while X's first cell is dragged."""
    page, _ = open_page(browser, address + link, OUTPUT)
    page.wait_for_timeout(3000)
    return min(drag(page, FIRST, [OUTPUT]))


def bare_drag(browser, address: str) -> float:
    page, _ = open_page(browser, address, "#number")
    page.wait_for_timeout(2000)
    return drag(page, "#number", ["#number"])[0]


def bare_edits(browser, address: str, pid: int) -> tuple[float, float]:
    page, _ = open_page(browser, address, "text=it is")
    page.wait_for_timeout(2000)
    act = "document.querySelector('.stCheckbox input').click()"
    settle_times(page, "[data-testid=stMain]", [act])
    before = cpu_seconds(pid)
    times = settle_times(page, "[data-testid=stMain]", [act] * EDITS)
    cpu = (cpu_seconds(pid) - before) * 1000 / EDITS
    page.context.close()
    return statistics.median(times), cpu


def show(name: str, value: float, unit: str, beside: float | None = None, aim: str = "") -> None:
    ratio = f"   {beside:.2f} of the bare page" if beside else ""
    print(f"{name:46} {value:7.1f} {unit}{ratio}{f'   (aim: {aim})' if aim else ''}", flush=True)


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        with serving(BARE) as (bare, bare_pid), serving(ROOT / "app.py") as (app, pid):
            open_page(browser, app, OUTPUT)[0].context.close()
            bare_time, bare_cpu = bare_edits(browser, bare, bare_pid)
            show("bare page: click to painted", bare_time, "ms")
            show("bare page: server CPU a click", bare_cpu, "ms")
            with serving(BARE_DRAG) as (drag_page, _):
                most = bare_drag(browser, drag_page)
            show("bare component: updates while dragging", most, "/s")
            cases = (("3 tokens, 1 head", SMALL, 1.2, 0.7, 0.85), ("12 tokens, 8 heads", LARGE, 2, 1, 0.6))
            for name, link, edit_aim, cpu_aim, drag_aim in cases:
                took, cpu = edits(browser, app, pid, link)
                show(f"{name}: edit to painted", took, "ms", took / bare_time, f"at most {edit_aim}")
                show(f"{name}: server CPU an edit", cpu, "ms", cpu / bare_cpu, f"at most {cpu_aim}")
                rate = app_drag(browser, app, link)
                show(f"{name}: updates while dragging", rate, "/s", rate / most, f"at least {drag_aim}")
            bare_first = first_paints(browser, bare, "text=it is")
            first = first_paints(browser, app, OUTPUT)
            show("bare page: first paint, warm server", bare_first, "ms")
            show("matrices painted, warm server", first, "ms", first / bare_first, "at most 1.3")
        bare_first = fresh_server(browser, BARE, "text=it is")
        first = fresh_server(browser, ROOT / "app.py", FIRST)
        show("bare page: first visit, fresh server", bare_first, "ms")
        show("input matrices, fresh server", first, "ms", first / bare_first, "at most 1.5")
        browser.close()


if __name__ == "__main__":
    main()
