"""What a visitor has typed makes no element, no link and no request in the browser: it is shown as typed."""

from urllib.parse import urlencode, urlsplit

import pytest

from pages.model.handout import Plan, stop_of
from pages.model.link import to_query
from pages.model.state import State
from pages.model.view import Place
from tests.browser.gestures import keep_answers
from tests.browser.test_handout import link
from tests.browser.wire import RESTS
from tests.hostile import markup
from tests.support.programs import ROOT, serving
from tests.support.screen import shown
from tests.support.states import looking, start_of

TEXTS = """() => [...document.querySelectorAll(
  '[data-testid="stMarkdownContainer"], [data-testid="stHtml"], [data-baseweb="select"]')]
  .map((node) => node.textContent)"""
MADE = f"""() => [...document.querySelectorAll('img, a, script, iframe, [onload], [onerror]')]
  .flatMap((node) => [...node.attributes].filter(({{ name }}) => name !== 'alt').map(({{ name, value }}) =>
    [node.tagName, name, value]))
  .filter(([tag, name, value]) => name.startsWith('on')
    || (new URL(value, location).host + new URL(value, location).pathname).includes('{markup.MARK}'))"""
ALL = 12 * len(markup.NAMES)  # texts of the demo
# Where names are in a question, a button, an option, a verdict, a sentence or a chart.
SAMPLE = (
    ("one_head", "predict", "swap"),
    ("one_head", "predict", "value_causal"),
    ("one_head", "misconceptions", "transposed"),
    ("one_head", "misconceptions", "one_projection"),
    ("softmax", "axes", None),
    ("why_scale", "yours", "moved"),
    ("masks", "fully_masked", None),
    ("masks", "libraries", "precision"),
    ("many_heads", "view", "output"),
    ("many_heads", "overview", None),
    ("cross_attention", "alignment", None),
    ("cross_attention", "predict", "order"),
    ("order", "swap", None),
    ("order", "rotary", None),
    ("flash_attention", "tiles", None),
)


def watch(page) -> list[str]:
    """The addresses with a name in them that the page asks for, as long as the test runs."""
    asked = []

    def note(request):
        address = urlsplit(request.url)
        if markup.MARK in address.netloc + address.path:
            asked.append(request.url)

    page.on("request", note)
    return asked


def faults(page) -> list[str]:
    """What a name has become, and texts that do not show it as typed."""
    texts = [text.replace("\u2060", "") for text in page.evaluate(TEXTS)]
    changed = [text for text in texts if markup.MARK in markup.without(text, str)]
    return [*map(str, page.evaluate(MADE)), *changed]


def test_in_every_kind_of_element(blank_page):
    with serving(ROOT / "tests" / "browser" / "names_demo.py") as (address, _):
        page = blank_page(fresh=True)
        asked = watch(page)
        page.goto(address)
        page.get_by_text("The end").wait_for()
        page.wait_for_function(
            f"({TEXTS})().filter((text) => text.includes('{markup.MARK}')).length >= {ALL}"
        )
        assert faults(page) == [] and asked == []


@pytest.mark.parametrize(("name", "part", "topic"), SAMPLE)
def test_on_pages(new_page, name, part, topic):
    page = new_page(fresh=True)
    asked = watch(page)
    for language, answers in (("en", ()), ("zh", shown(name))):
        view = looking(language=language, answers=answers)
        query = to_query(State(core=markup.settings(start_of(name))), view, Place(part, topic=topic))
        address = f"{urlsplit(page.url).scheme}://{urlsplit(page.url).netloc}"
        keep_answers(page, address, dict(answers))
        page.goto(f"{address}/{name}?{urlencode(query)}")
        page.wait_for_selector(RESTS)
        page.wait_for_selector('[data-matrix-box], [class*="st-key-ask-"]')
        assert faults(page) == [] and asked == []


@pytest.mark.parametrize("title", markup.NAMES[:6])
def test_the_title_of_a_plan(new_page, title):
    page = new_page(link(Plan((stop_of("one_head", {"example": "cats"}),), title)), fresh=True)
    asked = watch(page)
    page.wait_for_selector(".st-key-handout_bar")
    page.wait_for_selector(RESTS)
    assert faults(page) == [] and asked == []
