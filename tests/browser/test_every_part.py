"""Every part of every lesson. All answered: charts take the width that they have, nothing is too wide.

As it opens: no half of a laptop's window is empty, and a picture with a panel is in sight with it.
"""

import pytest
from playwright.sync_api import expect

from tests.browser.gestures import answered, bound, choose_part, figure_item, keep_answers
from tests.browser.wire import Wire
from tests.support.course import LESSONS, REFERENCE, lesson
from tests.support.programs import ROOT

LAPTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
NOT_WIDER = """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
  .every((one) => one.scrollWidth <= innerWidth)"""
# Of every chart: its share of the room, whether it and its axes have names, and the texts that are not read.
LOOK = """() => {
  const body = parseFloat(getComputedStyle(document.querySelector('[data-testid=stMain]')).fontSize);
  const box = (node) => node.getBoundingClientRect();
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const NAMES = '[class*=role-title] text, [class*=role-axis-title] text, [class*=role-legend-label] text';
  return [...document.querySelectorAll('[class*=st-key-plot-]')].flatMap((plot) => {
    const charts = [...plot.querySelectorAll('.stVegaLiteChart svg.marks')];
    const reach = Math.max(...charts.map((svg) => box(svg).right)) - box(plot).left;
    return charts.map((svg) => {
      const own = box(svg);
      const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent && box(text).width);
      const names = [...svg.querySelectorAll(NAMES)];
      const faults = texts.filter((text) => {
        const { left, right, top, bottom } = box(text);
        return left < own.left - 1 || right > own.right + 1 || top < own.top - 2 || bottom > own.bottom + 2
          || text.textContent.includes('…') || /\\d(?:\\.\\d+)?e[+−-]?\\d/.test(text.textContent)
          || Math.abs(parseFloat(getComputedStyle(text).fontSize) - body) > 2
          || names.some((name) => name !== text && names.includes(text) && overlap(box(name), box(text)));
      });
      return {
        width: own.width / box(svg.closest('[data-testid=stVerticalBlock]')).width,
        row: reach / box(plot).width,
        named: !!svg.closest('[aria-label]') && !!svg.querySelector('[class*=role-axis-title] text'),
        faults: faults.map((text) => `${text.textContent} ${getComputedStyle(text).fontSize}`),
      };
    });
  });
}"""
WITH_CHARTS = {
    file.parent.name for file in (ROOT / "pages/lessons").glob("*/*.py") if "plots.draw" in file.read_text()
}
DRAWN = """() => {
  const charts = [...document.querySelectorAll('.stVegaLiteChart')];
  return charts.length && document.querySelector('[data-test-script-state=notRunning]')
    && charts.every((chart) => chart.querySelector('svg.marks text'));
}"""


def look(page) -> int:
    """How many charts there are, once they are as they should be."""
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    if not page.locator("[class*=st-key-plot-]").count():
        return 0
    page.wait_for_function(DRAWN, timeout=60_000)
    page.evaluate("document.fonts.ready")
    page.wait_for_function(
        f"({LOOK})().every(({{ width, row }}) => width >= 0.85 && width < 1.01 && row >= 0.85)"
    )
    elements = page.evaluate(LOOK)
    assert [fault for chart in elements for fault in chart["faults"]] == []
    assert all(chart["named"] for chart in elements)
    return len(elements)


def look_at_a_part(page, wire: Wire, *, charts: bool) -> int:
    """On a phone, and where there may be charts before on a laptop."""
    wire.rest()
    on_a_laptop = look(page) if charts else 0
    if charts:
        page.set_viewport_size(PHONE)
    assert look(page) == on_a_laptop
    page.wait_for_function(NOT_WIDER)
    if charts:
        page.set_viewport_size(LAPTOP)
    return on_a_laptop


# How far down the page has content, and by how much a panel covers the last row of its picture.
OPENED = """() => {
  const bottom = (node) => node.getBoundingClientRect().bottom;
  const blocks = [...document.querySelectorAll('[data-testid=stMain] .stElementContainer')];
  const panels = [...document.querySelectorAll('.pic-panel:not([data-bare])')];
  const cells = (panel) => [...panel.closest('.pic').querySelectorAll('.pic-figure [data-matrix]')];
  return {
    filled: Math.max(...blocks.filter((one) => one.clientHeight).map(bottom)) / innerHeight,
    covered: panels.map((panel) => Math.max(...cells(panel).map(bottom)) - panel.getBoundingClientRect().top),
  };
}"""


@pytest.mark.parametrize("name", LESSONS)
def test_a_part_opens_without_an_empty_half(new_page, address, name):
    page = new_page(fresh=True)
    page.set_viewport_size(LAPTOP)
    wire = Wire(page)
    page.goto(f"{address}/{name}?lang=en")
    page.wait_for_selector("h1", timeout=60_000)
    for place, part in enumerate(lesson(name).parts):
        if place:
            choose_part(page, name, part.name)
        wire.rest()
        opened = page.evaluate(OPENED)
        assert opened["filled"] > 0.5 or part.name == "again", part.name  # it has nothing to repeat yet
        assert all(one <= 0 for one in opened["covered"]), (part.name, opened)


@pytest.mark.parametrize("name", [*LESSONS, *REFERENCE])
def test_every_part_takes_its_width_and_its_type_is_read(new_page, address, name):
    """In English, whose words are the longest; each lesson's last part in Chinese as well."""
    page, may = new_page(fresh=True), name in WITH_CHARTS
    page.set_viewport_size(LAPTOP if may else PHONE)
    wire = Wire(page)
    if name in LESSONS:
        keep_answers(page, address, answered(name))
    page.goto(f"{address}/{name}?lang=en")
    page.wait_for_selector("h1", timeout=60_000)
    charts = 0
    for place, part in enumerate(lesson(name).parts):
        if place:
            choose_part(page, name, part.name)
        wire.rest()
        topics = page.locator(f"{bound('topic')} button")
        for topic in range(max(1, topics.count())):
            if topic:
                topics.nth(topic).click()
                page.wait_for_url(f"**topic={part.topics[topic].name}*")  # the server has drawn it
            charts += look_at_a_part(page, wire, charts=may)
    assert bool(charts) == may
    page.goto(page.url.replace("lang=en", "lang=zh"))
    page.wait_for_selector("h1:not(:empty)")
    look_at_a_part(page, wire, charts=may)


def test_a_chart_that_fills_the_screen_is_seen_with_its_axis(visit):
    page = visit("/cost?lang=en&part=compare", ".stVegaLiteChart svg.marks", answers=answered("cost"))
    figure_item(page, "layers", "enlarge")
    page.wait_for_function(
        """() => {
          const figure = document.fullscreenElement;
          const charts = figure ? [...figure.querySelectorAll('svg.marks')] : [];
          const boxes = charts.map((svg) => svg.getBoundingClientRect());
          const right = Math.max(...boxes.map((box) => box.right));
          return right > 0.9 * innerWidth && right <= innerWidth
            && boxes.every((box) => box.height > 400 && box.bottom <= innerHeight);
        }"""
    )
