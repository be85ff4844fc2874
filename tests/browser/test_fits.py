"""Every place of the course, asked and answered, on a laptop and a phone: everything fits.

Nothing is cut, covered, crossed by a line, outside of the window or over something else, the rows of matrices
are high enough for their digits, charts take the width that they have, and no part opens with an empty half.
The first page and the hour fit long words of one's own as well. What is looked at is in fits.js.
"""

from pathlib import Path
from urllib.parse import urlencode

import pytest

from pages.model import edits, words
from pages.model.languages import LANGUAGES
from pages.model.link import to_query
from pages.model.view import Place, View
from tests.browser.gestures import answered, bound, choose_part, figure_item, keep_answers
from tests.browser.wire import Wire
from tests.support.course import COURSE, LESSONS, PLACES, REFERENCE, lesson
from tests.support.states import as_state

SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
# Open questions are looked at in English, whose words are the longest.
CASES = [
    (place.lesson, place.part, place.topic, language, state)
    for language in LANGUAGES
    for state in ("asked", "answered")
    for place in PLACES
    if (place.lesson in REFERENCE or language == "en" if state == "asked" else place.lesson in LESSONS)
]
# As many and as long words as the hour takes.
LONG = {
    "en": "Grandmother quickly photographed several butterflies because everything shimmered",
    "zh": "祖母 昨天 认真 拍摄 许多 漂亮的 蝴蝶标本 照片",
}
CASES += [
    (place.lesson, place.part, place.topic, language, "long")
    for language in LONG
    for place in PLACES
    if lesson(place.lesson).front or COURSE.stop_at(place.lesson, place.part)
]
LOW = {"low": {"width": 1366, "height": 768}}  # where the first page is higher than the window
ICONS = ("undo", "redo", "reset")
TRIES = 20  # what comes late is no fault
# The charts are drawn, the sidebar has left a phone, and everything is where it was at the last look.
RESTS = """() => {
  const sidebar = document.querySelector('[data-testid=stSidebarContent]');
  const away = innerWidth > 768 || !sidebar || sidebar.getBoundingClientRect().right <= 0;
  const charts = [...document.querySelectorAll('.stVegaLiteChart')];
  const boxes = [...document.querySelectorAll('.pic-box, svg.marks, .stMain .stElementContainer')]
    .map((node) => node.getBoundingClientRect());
  const before = window.boxes;
  window.boxes = String(boxes.flatMap(({ x, y, width, height }) => [x, y, width, height].map(Math.round)));
  return away && charts.every((chart) => chart.querySelector('svg.marks text')) && window.boxes === before;
}"""


class Walk:
    """A page that goes from place to place."""

    def __init__(self, page, address: str):
        self.page, self.address = page, address
        self.wire = Wire(page)
        self.before = None, None, None, None, None
        self.icons: list[dict] = []
        page.add_init_script(path=Path(__file__).parent / "fits.js")

    def go(self, name: str, part: str, topic: str | None, language: str, state: str) -> None:
        """Goes there, in the page that is open if the lesson, the language and the answers are the same."""
        lesson_before, part_before, *_, language_before, state_before = self.before
        goes_on = (lesson_before, language_before, state_before) == (name, language, state)
        tabs = self.page.locator(f"{bound('part')} button")
        goes_on = goes_on and (part == part_before or tabs.count() > 0)  # a stop has none
        self.before = name, part, topic, language, state
        self.page.set_viewport_size(SIZES["laptop"])
        if goes_on and part != part_before:
            choose_part(self.page, name, part)
            self.wire.rest()
        names = [each.name for each in lesson(name).part(part).topics]
        choices = self.page.locator(f"{bound('topic')} button")
        if not goes_on or (topic and not choices.count()):  # some topics come after a question
            keep_answers(self.page, self.address, {} if state == "asked" else answered(name))
            more = f"&topic={topic}" if topic else ""
            own = f"&{_long(language)}" if state == "long" else ""
            self.page.goto(f"{self.address}/{name}?lang={language}&part={part}{more}{own}")
            self.page.wait_for_selector("h1", timeout=60_000)
        elif topic:
            choices.nth(names.index(topic)).click()
        self.wire.rest()

    def faults(self, size: str) -> list[str]:
        self.page.set_viewport_size((SIZES | LOW)[size])
        self.wire.rest()
        self.page.mouse.move(0, 0)
        self.page.evaluate("document.fonts.ready")
        self.page.evaluate("document.querySelector('.stMain').scrollTop = 0")
        name, part, _, _, state = self.before
        looks = ["fits()", "inSight()"] if state == "long" or name in REFERENCE else ["fits()"]
        if state != "asked" or name in REFERENCE:
            looks.append("charts()")
        elif size == "laptop" and part != "again":  # it has nothing to repeat yet
            looks.append("opened()")
        for _ in range(TRIES):
            self.page.wait_for_function(RESTS, polling=100, timeout=60_000)
            faults = self.page.evaluate(f"[{', '.join(looks)}].flat()")
            if "opened()" in looks and lesson(name).parts[0].name == part and lesson(name).parts[0].edits:
                faults += self._moved_icons()
            if not faults:
                break
        return faults

    def _moved_icons(self) -> list[str]:
        """Undo, redo and reset are at the same place in every lesson, in the line of the title."""
        boxes = [self.page.locator(f".st-key-{key} button").first.bounding_box() for key in ICONS]
        self.icons = self.icons or boxes
        title, middle = self.page.locator("h1").bounding_box(), boxes[-1]["y"] + boxes[-1]["height"] / 2
        in_line = title["y"] < middle < title["y"] + title["height"]
        return [] if in_line and boxes == self.icons else [f"moved: {boxes}"]


def _long(language: str) -> str:
    """The numbers of a link to a sentence of long words."""
    core = edits.example_start(LANGUAGES[language].example)
    state = as_state(words.with_sentence(core, LONG[language], language))
    query = to_query(state, View(), Place(""))
    return urlencode({key: text for key, text in query.items() if key not in ("lang", "part")})


@pytest.fixture(scope="module")
def walk(chromium, address):
    context = chromium.new_context(viewport=SIZES["laptop"], locale="en-US")
    yield Walk(context.new_page(), address)
    context.close()


# Where a link opens the plane with long words, the line of the query crosses the name of its own word.
LEFT = {("arrows", "en", "long"): "crossed"}


@pytest.mark.exhaustive("name")
@pytest.mark.parametrize(("name", "part", "topic", "language", "state"), CASES)
def test_everything_on_a_place_fits(walk, name, part, topic, language, state):
    walk.go(name, part, topic, language, state)
    sizes = SIZES | LOW if lesson(name).front else SIZES
    left = LEFT.get((part, language, state), "no fault")
    found = {size: [fault for fault in walk.faults(size) if not fault.startswith(left)] for size in sizes}
    assert {size: faults for size, faults in found.items() if faults} == {}


# A fault of each kind.
SPOILED = """() => {
  const spoil = (matrix, part, style) => {
    document.querySelector(`[data-matrix-box=${matrix}] ${part}`).style.cssText = style;
  };
  spoil('x', '.pic-row', 'height: 12px; overflow: hidden');
  spoil('scores', '.pic-label', 'width: 9px');
  spoil('output', '.pic-title', 'position: fixed; left: -8px');
  spoil('scaled_scores', '.pic-title', 'position: relative; top: 20px; left: 40px');
  document.querySelector('h1').insertAdjacentHTML('afterend', '<i style="position: fixed; inset: 0 0 95%">');
  document.querySelector('h1').style.width = '200vw';
  document.querySelector('[data-matrix=w_q][data-row="1"]').style.fontSize = '9px';
  document.querySelectorAll('.pic-key-name').forEach((name) => name.remove());
  document.querySelector('.pic-step .pic-formula').style.display = 'flex';
}"""
SPOILED_ARCS = """() => {
  document.querySelector('.pic-arcs-shares span').style.translate = '0 -90px';
  document.querySelector('.stMain').style.paddingTop = '400px';
  document.querySelector('.st-key-ways').parentElement.style.position = 'static';
}"""
SPOILED_HEADS = """() => {
  document.querySelector('[data-size=thumbnail]').style.setProperty('--w', '3px');
  const matrix = document.querySelector('.pic-box:not([data-size=thumbnail])');
  matrix.querySelector('.pic-scroll').style.cssText = 'width: 99px; overflow: auto';
}"""
SPOILED_CHART = """() => {
  const svg = document.querySelector('.stVegaLiteChart svg.marks');
  svg.style.width = '60%';
  svg.closest('[aria-label]').removeAttribute('aria-label');
  svg.querySelector('[class*=role-axis-label] text').textContent = '2.5e-7';
}"""
EMPTY = """document.querySelectorAll('[data-testid=stMain] .stElementContainer')
  .forEach((node, i) => i > 3 && node.remove())"""


def test_a_fault_of_each_kind_is_found(walk):
    def found(name: str, part: str, state: str, spoil: str) -> set[str]:
        walk.go(name, part, None, "en", state)
        assert walk.faults("laptop") == []
        walk.page.evaluate(spoil)
        faults = walk.page.evaluate("[fits(), inSight(), charts(), opened()].flat()")
        walk.before = None, None, None, None, None  # the next place has a page of its own
        return {fault.partition(":")[0] for fault in faults}

    assert found("one_head", "picture", "answered", SPOILED) >= {
        *("low", "cut", "outside", "over", "covered", "wide", "unlike", "unsaid", "raised")
    }
    assert found("start", "sentence", "answered", SPOILED_ARCS) >= {"crossed", "below"}
    assert found("real_heads", "a_model", "answered", SPOILED_HEADS) >= {"small", "scrolled"}
    assert found("softmax", "bars", "answered", SPOILED_CHART) >= {"width", "unnamed", "unread"}
    assert "empty" in found("masks", "gallery", "asked", EMPTY)


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
