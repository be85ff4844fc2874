"""The first minute for somebody who knows only the texts on the screen: what they name is in view."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.wire import RESTS

TITLE, WHY = ".pic-step[data-chosen] strong", ".pic-step[data-chosen] .pic-why"
LAPTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SYMBOL = re.compile(r"(?<![A-Za-z_])(?:W[QKVO]|[XQKVSAO])(?![A-Za-z_])")
DONE = {"en": "Done", "zh": "完成"}

# Those of the names that nothing in the window has: no matrix whole with its title, and no label or button.
OUT_OF_VIEW = """(names) => {
  const inWindow = (node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    if (right <= left || getComputedStyle(node).visibility === 'hidden') return false;
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const place = node.closest('.pic-label') ?? node; // a name and what takes its row away lie in one place
    return Boolean(on) && (place.contains(on) || place.parentElement === on);
  };
  const textOf = (node) => (node.value || node.textContent).replace(/[▶◀]/g, '').trim();
  const isMatrix = (box, name) => {
    if (textOf(box.querySelector('.pic-title')) !== name) return false;
    const cells = [...box.querySelectorAll(".pic-cell")].filter((cell) => cell.offsetParent
      && getComputedStyle(cell).visibility !== 'hidden');
    const ends = [box.querySelector('.pic-title'), cells[0], cells[cells.length - 1]];
    return cells.length && ends.every(inWindow);
  };
  const boxes = [...document.querySelectorAll('[data-matrix-box]')];
  const labels = [...document.querySelectorAll('[data-matrix-box] *, .pic-walks button')]
    .filter((node) => !node.children.length);
  return names.filter((name) => !boxes.some((box) => isMatrix(box, name))
    && !labels.some((node) => textOf(node) === name && inWindow(node)));
}"""


def names_in(text: str) -> list[str]:
    """The symbols and the quoted words, without quoted sentences."""
    quoted = [word for word in re.findall("“([^”]+)”", text) if not re.search(r"[\s，。]", word)]
    return sorted({*SYMBOL.findall(text), *quoted})


def read(page) -> str:
    return page.locator(TITLE).inner_text() + "\n" + page.locator(WHY).inner_text()


def drag(page, row: int, col: int, seen: Callable[[], None]) -> None:
    """The number of X to the left, with the mouse or with a finger, which rests until the effect was seen."""
    place = page.locator(f'[data-matrix="x"][data-row="{row}"][data-col="{col}"]')
    box = place.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    path = [{"x": max(1, x - 12 * i), "y": y} for i in range(10)]
    if not page.evaluate("matchMedia('(pointer: coarse)').matches"):
        page.mouse.move(x, y)
        page.mouse.down()
        for point in path:
            page.mouse.move(**point)
        seen()
        return page.mouse.up()
    client = page.context.new_cdp_session(page)
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": path[:1]})
    for point in path[1:]:
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    seen()
    # A finger that leaves at full speed flings, and Chromium takes the next tap as a stop of the fling.
    path.append({"x": path[-1]["x"], "y": y + 1})
    client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": path[-1:]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("language, locale", [("en", "en-US"), ("zh", "zh-CN")])
def test_what_the_texts_name_is_in_view(visit, language, locale, size):
    page = visit("/", ready=f"{TITLE}:visible", fresh=True, newcomer=True, locale=locale, **size)
    count = page.locator(".pic-count").inner_text()
    first, last = map(int, re.findall(r"\d+", count))
    assert first == 1 and 6 <= last <= 8
    onward = page.locator(".pic-walks button:visible").last
    assert ("→" in read(page)) == (size is LAPTOP)
    for stop in range(first, last + 1):
        expect(page.locator(".pic-count")).to_contain_text(str(stop))
        names = names_in(read(page))
        page.wait_for_function(f"(names) => !({OUT_OF_VIEW})(names).length", arg=names)
        if stop < last:
            (onward.tap if size is PHONE else onward.click)()
    query = re.findall("“([^”]+)”", page.locator(TITLE).inner_text())[0]
    labels = page.locator('[data-matrix-box="x"] .pic-label .pic-name').evaluate_all(
        "all => all.map(n => n.value)"
    )
    drag(page, labels.index(query), 3, lambda: expect(page.locator(TITLE)).to_contain_text(DONE[language]))
    page.wait_for_function(f"(names) => !({OUT_OF_VIEW})(names).length", arg=names_in(read(page)))
    page.wait_for_selector(RESTS)  # a tap while the answer is drawn hits where the button was
    (onward.tap if size is PHONE else onward.click)()
    expect(page.locator(".pic-step[data-chosen][data-stop]")).to_have_count(0)
