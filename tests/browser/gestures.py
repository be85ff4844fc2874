"""What a hand does in a picture, and what the screen then shows. Every wait is for what is expected."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlparse

from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.model.state import State
from tests.support.course import COURSE, from_query, lesson
from tests.support.states import as_state


def cell(matrix: str, row: int, col: int) -> str:
    """The selector of a cell."""
    return f'[data-matrix="{matrix}"][data-row="{row}"][data-col="{col}"]'


def bound(field: str) -> str:
    """Playwright's selector of what holds the widget of a field, made again or not (see session.bind).

    While one that was made again takes the place of the old one, the old one is in the page too, and hidden.
    """
    return f":is(.st-key-set_{field}, [class*='st-key-set_{field}-']):visible"


def wait_value(page, matrix: str, row: int, col: int, value: float | str) -> None:
    """Waits until the cell holds the value: text as it is, numbers to nine digits."""
    page.wait_for_function(
        """([selector, value]) => {
          const shown = document.querySelector(selector)?.dataset.value;
          if (shown === undefined) return false;
          return typeof value === 'string' ? shown === value
            : Math.abs(Number(shown) - value) <= 1e-9 * Math.max(1, Math.abs(value));
        }""",
        arg=[cell(matrix, row, col), value],
        timeout=60_000,
    )


def wait_output(page, settings: Settings) -> None:
    """Waits until the output on the screen is that of these settings, in its first and its last cell."""
    output = trace_of(settings).output
    rows, cols = output.shape
    wait_value(page, "output", 0, 0, output[0, 0].item())
    wait_value(page, "output", rows - 1, cols - 1, output[-1, -1].item())


def type_into(page, matrix: str, row: int, col: int, text: str) -> None:
    place = page.locator(cell(matrix, row, col))
    place.fill(text)
    place.press("Enter")


def press_and_move(page, matrix: str, row: int, col: int, dx: int, steps: int = 12):
    """Presses a cell and moves sideways; the mouse is still down afterwards."""
    page.wait_for_function("document.fonts.status === 'loaded'")
    page.locator(cell(matrix, row, col)).hover()  # waits until it rests
    box = page.locator(cell(matrix, row, col)).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, steps + 1):
        page.mouse.move(x + dx * i / steps, y)
    return page.mouse


def open_lessons(page, group: str = "lessons"):
    """Unfolds a group of lessons in the sidebar, and waits until its links are there, at rest."""
    lessons = page.locator(f"[data-testid=stSidebar] .st-key-{group}")
    folded = lessons.locator("details:not([open]) summary")
    if folded.count():
        folded.click()
    page.wait_for_function(
        """(group) => {
          const list = document.querySelector(`.st-key-${group} details[open]`);
          return list && list.querySelector('a[href]') && !list.getAnimations({ subtree: true }).length;
        }""",
        arg=group,
    )
    return lessons


def lesson_link(page, name: str):
    """The link of the sidebar to the lesson of that name, which may have a mark behind it."""
    link = open_lessons(page).get_by_role("link", name=re.compile(re.escape(name)))
    link.scroll_into_view_if_needed()
    return link


def choose_part(page, name: str, part: str) -> None:
    """Chooses a part of the lesson of that name: in front, or behind *Deeper*."""
    front = [stop.part for stop in COURSE.hour if stop.lesson == name]
    front = front or [part.name for part in lesson(name).parts]
    if part in front:
        page.locator(f"{bound('part')} button").nth(front.index(part)).click()
    else:
        page.locator(".st-key-deeper button").first.click()
        page.locator(f".st-key-deeper_{part} button").click()
        page.locator(".st-key-deeper_list").wait_for(state="detached")


def wait_said(page, text: str) -> None:
    """Waits until a sentence that follows the numbers says so."""
    page.locator(".said", has_text=text).first.wait_for(timeout=60_000)


def figure_item(page, figure: str, item: str) -> None:
    """Chooses an item of the menu of a figure: `enlarge`, `svg`, `png`, `csv`."""
    page.locator(f".st-key-menu-{figure} button").first.click()
    page.locator(f".st-key-menu-{figure} [data-item={item}]").click()


def answered(name: str) -> dict[str, str]:
    """Answers to all questions of the lesson."""
    return dict.fromkeys(lesson(name).questions, "shown")


def keep_answers(page, address: str, answers: Mapping[str, str]) -> None:
    """The browser and its tab keep these answers, and nothing else of the app."""
    page.goto(f"{address}/_stcore/health")
    page.evaluate(
        """(answers) => {
          localStorage.setItem('attention-progress', JSON.stringify({ options: answers }));
          sessionStorage.setItem('attention-tab', JSON.stringify({ answers, sitting: 0 }));
        }""",
        dict(answers),
    )


def settings_of(page) -> Settings:
    """The core settings that the address bar's link represents."""
    return state_of(page).core


def state_of(page) -> State:
    """The state that the address bar's link represents."""
    return from_query(parse_qs(urlparse(page.url).query, keep_blank_values=True))[0]


def until(page, holds: Callable[[], object], seen: Callable[[], str] = str) -> None:
    """Waits until something holds that the page does not know. seen: what there is instead, for the error."""
    for _ in range(300):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"waited in vain: {seen()}")


def wait_narrow(page) -> None:
    """Waits until nothing is wider than the window."""
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")


def wait_link(page, wanted: Settings | State) -> None:
    """Waits until the link represents this state."""
    until(page, lambda: state_of(page) == as_state(wanted), lambda: f"{state_of(page)} instead of {wanted}")
