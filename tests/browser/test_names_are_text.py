"""What a visitor has typed makes no element, no link and no request in the browser: it is shown as typed."""

from urllib.parse import urlencode, urlsplit

import pytest

from pages.model.link import to_query
from pages.model.state import State
from pages.model.view import Place
from tests.browser.gestures import keep_answers
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
# Where names are in a question, its buttons, a verdict, a sentence, a chart, and in a picture.
SAMPLE = (
    ("one_head", "predict", "swap"),
    ("one_head", "misconceptions", "transposed"),
    ("why_scale", "yours", "moved"),
    ("order", "swap", None),
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
