"""Every chart of every lesson takes the width that it has, with type as large as the text beside it."""

import importlib

import pytest

from pages.lessons import LESSONS, lesson
from pages.ui import plots

PHONE = {"width": 390, "height": 844}
MODULES = {
    (name, part.name): importlib.import_module(f"pages.lessons.{name}.{part.name}")
    for name in LESSONS
    for part in lesson(name).parts
}
WITHOUT = {("softmax", "temperature", "constant"), ("order", "limits", "cost")}
# The parts that draw charts, each with its topics.
PLACES = [
    (name, part, topic)
    for (name, part), module in MODULES.items()
    if plots in vars(module).values()
    for topic in getattr(module, "TOPICS", ("",))
    if (name, part, topic) not in WITHOUT
]
# English words are the longest; a lesson's first part in Chinese shows that its letters are measured as well.
FIRST = {place[0]: place for place in reversed(PLACES)}.values()
CASES = [(*place, "en") for place in PLACES] + [(*place, "zh") for place in FIRST]
# Of every chart: its share of the room, whether it and its axes have names, and the type that is not read.
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
          || text.textContent.includes('…')
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
DRAWN = """() => {
  const charts = [...document.querySelectorAll('.stVegaLiteChart')];
  return document.querySelector('[data-test-script-state=notRunning]')
    && charts.every((chart) => chart.querySelector('svg.marks text'));
}"""


def looked_at(page):
    page.wait_for_selector(".stVegaLiteChart svg.marks")
    page.wait_for_function(DRAWN, timeout=60_000)
    page.evaluate("document.fonts.ready")
    page.wait_for_function(
        f"({LOOK})().every(({{ width, row }}) => width >= 0.85 && width < 1.01 && row >= 0.85)"
    )
    found = page.evaluate(LOOK)
    assert [fault for chart in found for fault in chart["faults"]] == []
    assert all(chart["named"] for chart in found)
    return len(found)


def test_there_are_parts_with_charts():
    assert len({(name, part) for name, part, _ in PLACES}) > 10


@pytest.mark.parametrize(("name", "part", "topic", "language"), CASES)
def test_charts_take_their_width_and_their_type_is_read(visit, name, part, topic, language):
    answers = ",".join(f"{question}:shown" for question in lesson(name).questions)
    link = f"/{name}?lang={language}&part={part}&guess={answers}" + (f"&topic={topic}" if topic else "")
    page = visit(link, "[data-test-script-state=notRunning]")
    on_a_laptop = looked_at(page)
    page.set_viewport_size(PHONE)
    assert looked_at(page) == on_a_laptop
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")


def test_a_chart_that_fills_the_screen_is_seen_with_its_axis(visit):
    page = visit("/cost?lang=en&part=compare&guess=cost_crossing:shown", ".stVegaLiteChart svg.marks")
    page.locator(".stVegaLiteChart").first.hover()
    page.get_by_role("button", name="Fullscreen").first.click()
    page.wait_for_function(
        """() => {
          const chart = document.querySelector('.stVegaLiteChart svg.marks');
          const { width, bottom } = chart.getBoundingClientRect();
          return width > 0.9 * innerWidth && bottom <= innerHeight;
        }"""
    )
