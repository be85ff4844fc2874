"""How fast the first lesson answers, beside a bare Streamlit page with one widget, in one run.

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

BARE = Path(__file__).parent / "bare_page.py"
SMALL = ""
LARGE = "/?" + urlencode(
    {"lang": "en", "tokens": ",".join(f"t{i}" for i in range(12)), "dmodel": "16", "heads": "8"}
)
EDITS = 15

# Resolves with the milliseconds from `act` until the frame after the last visible change inside `where`.
SETTLED = """
async ([where, act]) => {
  let last = 0;
  const text = (nodes) => [...nodes].map((n) => n.textContent).join();
  const real = (m) => m.type === 'childList'
    ? text(m.removedNodes) !== text(m.addedNodes)
    : m.oldValue !== (m.type === 'attributes' ? m.target.getAttribute(m.attributeName) : m.target.data);
  const watch = new MutationObserver((all) => {
    if (all.some(real)) requestAnimationFrame(() => setTimeout(() => { last = performance.now(); }));
  });
  document.querySelectorAll(where).forEach((node) => watch.observe(node, {
    subtree: true, childList: true, characterData: true, characterDataOldValue: true,
    attributes: true, attributeFilter: ['fill'], attributeOldValue: true,
  }));
  const start = performance.now();
  new Function(act)();
  await new Promise((done) => setTimeout(done, 1500));
  watch.disconnect();
  return last - start;
}
"""
EDIT = """
const cell = document.querySelector('[data-matrix="x"][data-row="0"][data-col="0"]');
cell.focus(); cell.value = '%s'; cell.dispatchEvent(new InputEvent('input', {bubbles: true}));
cell.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
"""
CHARTS = ".stVegaLiteChart"
# Counts how often each heatmap shows new numbers or colours.
COUNT = """
() => {
  window.counts = {};
  for (const chart of document.querySelectorAll('[class*="st-key-step-"]')) {
    const name = [...chart.classList].find((c) => c.startsWith('st-key-step-'));
    const look = () => [...chart.querySelectorAll('svg.marks path')].map((n) => n.getAttribute('fill')).join()
      + chart.querySelector('svg.marks')?.textContent;
    let before = look();
    window.counts[name] = 0;
    new MutationObserver(() => {
      const now = look();
      if (now !== before) { before = now; window.counts[name] += 1; }
    }).observe(chart, {subtree: true, childList: true, characterData: true, attributeFilter: ['fill']});
  }
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


def edits(browser, address: str, pid: int, link: str) -> tuple[float, float]:
    """Median milliseconds and CPU milliseconds of one cell edit."""
    page, _ = open_page(browser, address + link, ".st-key-step-output svg.marks")
    page.wait_for_timeout(3000)
    settle_times(page, CHARTS, [EDIT % 0.31])
    before = cpu_seconds(pid)
    times = settle_times(page, CHARTS, [EDIT % (1.5 + i / 4) for i in range(EDITS)])
    cpu = (cpu_seconds(pid) - before) * 1000 / EDITS
    page.context.close()
    return statistics.median(times), cpu


def drag(browser, address: str, link: str, seconds: float = 4.0) -> tuple[float, float]:
    """Updates a second of the heatmap that got fewest and of the one that got most."""
    page, _ = open_page(browser, address + link, ".st-key-step-output svg.marks")
    page.wait_for_timeout(3000)
    box = page.locator('[data-matrix="x"][data-row="0"][data-col="0"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(COUNT)
    page.mouse.move(x, y)
    page.mouse.down()
    start, moved = time.perf_counter(), 0
    while (passed := time.perf_counter() - start) < seconds:
        moved = int(passed * 200)  # a steady hand: the number rises all the time
        page.mouse.move(x + moved, y)
        time.sleep(0.008)
    counts = page.evaluate("window.counts")
    page.mouse.up()
    page.context.close()
    return min(counts.values()) / seconds, max(counts.values()) / seconds


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
    ratio = f"   {beside:.2f} times the bare page" if beside else ""
    print(f"{name:46} {value:7.1f} {unit}{ratio}{f'   (aim: {aim})' if aim else ''}", flush=True)


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        with serving(BARE) as (bare, bare_pid), serving(ROOT / "app.py") as (app, pid):
            bare_time, bare_cpu = bare_edits(browser, bare, bare_pid)
            show("bare page: click to painted", bare_time, "ms")
            show("bare page: server CPU a click", bare_cpu, "ms")
            for name, link, aim in (("3 tokens, 1 head", SMALL, 2), ("12 tokens, 8 heads", LARGE, 4)):
                took, cpu = edits(browser, app, pid, link)
                show(f"{name}: edit to painted", took, "ms", took / bare_time, f"at most {aim} times")
                show(f"{name}: server CPU an edit", cpu, "ms", cpu / bare_cpu, "15 ms or less")
                fewest, most = drag(browser, app, link)
                show(f"{name}: updates while dragging, slowest", fewest, "/s", aim="20 or more")
                show(f"{name}: updates while dragging, fastest", most, "/s")
            bare_first = first_paints(browser, bare, "text=it is")
            show("bare page: first paint", bare_first, "ms")
            paints = {"X, to edit": "[data-matrix=x]", "Q, a chart": ".st-key-step-query svg.marks text"}
            for name, ready in paints.items():
                first = first_paints(browser, app, ready)
                show(f"first heatmap painted: {name}", first, "ms", first / bare_first, "at most 1.5 times")
        browser.close()


if __name__ == "__main__":
    main()
