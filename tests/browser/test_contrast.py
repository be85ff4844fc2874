"""The contrast of every text with its ground, as a browser shows it, on pages of every kind, in both themes.

WCAG 2: at least 4.5 to 1, for large type 3 to 1. What cannot be pressed now, and the axes of a chart that an
answer will bring, are quieter.
"""

import pytest

from tests.browser.gestures import until
from tests.support.colours import luminance

PAGES = {
    "one_head": ("/one_head?lang=en", "[data-matrix=weights]"),
    "question": ("/softmax?lang=en&part=bars", "[class*=st-key-ask-]"),
    "charts": (
        "/why_scale?lang=en&part=spread",
        ".st-key-plot-concentration svg.marks text",
    ),
    "named lines": (
        "/cost?lang=zh&part=compare",
        ".st-key-plot-layers svg.marks text",
    ),
    "masks": ("/masks?lang=zh&part=gallery", "[data-matrix=weights]"),
    "practice": ("/practice?lang=en&part=shapes", "h1"),
    "terms": ("/terms?lang=en", "h1"),
}
ANSWERS = {"divided": "shown", "cost_crossing": "shown", "causal": "shown"}
PALE = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (lower, upper) => lower.map((part, i) => upper[i] * upper[3] + part * (1 - upper[3]));
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const around = (node) => {
    const found = [];
    for (let one = node; one; one = one.parentElement) found.push(getComputedStyle(one));
    return found;
  };
  const page = parts(getComputedStyle(document.querySelector('.stApp')).backgroundColor).slice(0, 3);
  const IDLE = ':disabled, [data-idle~=undo] .st-key-undo *, [data-idle~=redo] .st-key-redo *, '
    + '[class*=st-key-ghost-], [aria-disabled=true]';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const faults = [];
  let count = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || node.closest(`style, script, noscript, .katex-mathml, ${IDLE}`)) continue;
    if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const { width, height } = range.getBoundingClientRect();
    if (width < 3 || height < 3) continue;
    const style = getComputedStyle(node);
    const svg = node.closest('svg');
    const styles = around(svg ? svg.parentElement : node);
    const ground = styles.map((one) => parts(one.backgroundColor)).reverse().reduce(over, page);
    const [r, g, b, a] = parts(svg ? style.fill : style.color);
    const shown = around(node).reduce((share, one) => share * Number(one.opacity), a);
    const [low, high] = [light(over(ground, [r, g, b, shown])), light(ground)].sort((x, y) => x - y);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    count += 1;
    if (ratio < (large ? 3 : 4.5)) faults.push(`${text.slice(0, 30)} ${style.fontSize} ${ratio.toFixed(2)}`);
  }
  return { count, faults };
}"""


def in_themes(page):
    """Each theme, once the page has it."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(
            "(theme) => getComputedStyle(document.querySelector('.stApp')).colorScheme === theme", arg=theme
        )
        yield theme


def wait_readable(page) -> None:
    """Colours may take a moment to change."""
    until(page, lambda: not page.evaluate(PALE)["faults"], lambda: page.evaluate(PALE)["faults"])


# Of a chart's axes, whose lines were black on black.
AXES = """() => [...document.querySelectorAll('.stVegaLiteChart [class*=role-axis] line')]
  .map((node) => getComputedStyle(node).stroke.match(/[0-9]+/g).map(Number))"""


@pytest.mark.parametrize("name", PAGES)
def test_every_text_is_read_on_its_ground(visit, name):
    link, ready = PAGES[name]
    page = visit(link, ready, answers=ANSWERS, color_scheme="dark")
    page.evaluate("document.fonts.ready")
    wait_readable(page)
    if name == "charts":
        lines = page.evaluate(AXES)
        assert len(lines) > 10 and min(sum(colour[:3]) for colour in lines) > 100
    for _ in in_themes(page):
        wait_readable(page)
        assert page.evaluate(PALE)["count"] > 20
    page.evaluate("document.querySelector('h1').style.opacity = 0.3")
    assert page.evaluate(PALE)["faults"], "a pale title is found"


SHADES_OF_MASKS = """() => [...document.querySelectorAll('[data-matrix-box] [data-matrix]')].map((cell) => [
  cell.textContent, getComputedStyle(cell).backgroundColor.match(/[0-9]+/g).map(Number)])"""


def test_a_legend_names_what_is_written_in_a_mask_and_masked_cells_are_the_darker_ones(visit):
    page = visit("/terms?lang=en&search=causal", "[data-matrix-box] [data-matrix]")
    page.get_by_text("✓: visible, ×: masked").first.wait_for()

    def shades(sign: str) -> list[float]:
        cells = page.evaluate(SHADES_OF_MASKS)
        assert {sign for sign, _ in cells} == {"✓", "×"}
        return [luminance(colour) for one, colour in cells if sign == one]

    for _ in in_themes(page):
        until(page, lambda: max(shades("×")) < min(shades("✓")))


def test_what_lies_over_the_page_has_its_theme(visit):
    page = visit("/masks?lang=en", "h1", color_scheme="dark")
    page.locator(".st-key-about button").click()
    page.locator("[data-testid=stPopoverBody] [data-testid=stCaptionContainer]").wait_for()
    wait_readable(page)
    for _ in in_themes(page):
        wait_readable(page)
