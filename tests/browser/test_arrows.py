"""Arrows: a query is dragged and turned by its end, with the mouse, a finger and the keyboard."""

import math
from dataclasses import replace
from urllib.parse import urlencode

import pytest
import torch
from playwright.sync_api import expect

from pages.lessons.one_head import library
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.link import to_query
from pages.model.settings import Settings, normalised
from pages.model.state import State
from pages.model.view import Place, View
from tests.browser.gestures import cell, until, wait_value
from tests.browser.wire import RESTS

TIRED = edits.example_start("tired")
LINK = "/one_head?lang=en&part=arrows&example=tired"
IT = 2
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def end(look: str, row: int) -> str:
    return f'.pic-end[data-look="{look}"] >> nth={row}'


def middle(page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def shown(page, matrix: str, row: int, col: int) -> float:
    return float(page.locator(cell(matrix, row, col)).get_attribute("data-value"))


def moved(settings: Settings, name: str, row: int, numbers) -> Settings:
    for col, number in enumerate(numbers):
        settings = edits.set_cell(settings, name, row, col, number)
    return settings


def wait_for_weights(page, row: int = IT) -> None:
    """Waits until A is what the core makes of the query that is on the screen."""

    def follow() -> bool:
        query = [shown(page, "query", row, col) for col in (0, 1)]
        weights = trace_of(moved(TIRED, "query", row, query)).heads.weights[0, row].tolist()
        view = [shown(page, "weights", row, col) for col in range(len(weights))]
        return view == pytest.approx(weights, abs=1e-6)

    page.wait_for_selector(RESTS)
    until(page, follow)


def test_a_query_is_dragged_the_weights_follow_and_one_undo_takes_it_back(visit):
    page = visit(LINK, '[data-matrix="query"]')
    before = page.locator("[data-matrix=weights][data-row='2'][data-col='0']").get_attribute("data-value")
    x, y = middle(page, end("query", 0))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y - 40, steps=8)
    held = page.locator(cell("weights", IT, 0))
    expect(held).not_to_have_attribute("data-value", before)  # while the hand still holds it
    page.mouse.up()
    wait_for_weights(page)
    assert shown(page, "query", IT, 0) < 3 and shown(page, "query", IT, 1) > 1
    until(page, lambda: middle(page, end("query", 0)) == pytest.approx((x - 60, y - 40), abs=2))
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_value(page, "query", IT, 0, 3.0)
    wait_value(page, "query", IT, 1, 1.0)


def test_escape_gives_the_arrow_back(visit):
    page = visit(LINK, '[data-matrix="query"]')
    x, y = middle(page, end("key", 1))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y + 30, steps=5)
    expect(page.locator(cell("key", 1, 0))).not_to_have_attribute("data-value", "0")
    page.keyboard.press("Escape")
    page.mouse.up()
    wait_value(page, "key", 1, 0, 0.0)
    wait_value(page, "key", 1, 1, 2.0)


def test_a_press_without_a_move_changes_nothing(visit):
    page = visit(LINK, '[data-matrix="query"]')
    page.mouse.click(*middle(page, end("query", 0)))
    assert [shown(page, "query", IT, col) for col in (0, 1)] == [3, 1]
    page.wait_for_selector(RESTS)
    assert "wq=" not in page.url


def test_the_keyboard_turns_a_query_and_keeps_its_norm(visit):
    page = visit(LINK, '[data-matrix="query"]')
    arrow = page.locator(end("query", 0))
    arrow.focus()
    angle = math.degrees(math.atan2(1, 3))
    text = f"queries: it: (3.00, 1.00), norm 3.16, direction {angle:.0f}°"
    expect(arrow).to_have_attribute("aria-valuetext", text)
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"document.querySelector('{cell('query', IT, 0)}').dataset.value < 1.7")
    wait_for_weights(page)
    query = [shown(page, "query", IT, col) for col in (0, 1)]
    assert math.hypot(*query) == pytest.approx(math.sqrt(10), abs=1e-6)
    assert math.degrees(math.atan2(query[1], query[0])) == pytest.approx(angle + 45, abs=1e-5)


def test_the_slider_turns_the_query_and_one_undo_takes_it_back(visit):
    page = visit(LINK, "[data-slider=direction]")
    slider = page.locator("[data-slider=direction]")
    slider.press("Home")
    page.wait_for_function(f"document.querySelector('{cell('query', IT, 0)}').dataset.value < -3")  # at −180°
    wait_for_weights(page)
    query = [shown(page, "query", IT, col) for col in (0, 1)]
    assert query == pytest.approx([-math.sqrt(10), 0], abs=1e-6)
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_value(page, "query", IT, 0, 3.0)


def test_a_row_of_w_q_is_an_arrow_too(visit):
    page = visit(LINK, '[data-matrix="query"]')
    page.get_by_text("as a map").click()
    page.locator(end("weight", 2)).scroll_into_view_if_needed()
    x, y = middle(page, end("weight", 2))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 40, steps=6)
    page.mouse.up()
    page.wait_for_function(f"document.querySelector('{cell('w_q', 2, 1)}').dataset.value < 0.9")
    row = [shown(page, "w_q", 2, col) for col in (0, 1)]
    expected = edits.set_block(TIRED, "w_q", 2, 0, [row])
    number = trace_of(expected).query[IT, 1].item()
    first = page.locator(cell("query", IT, 1)).first
    page.wait_for_function(
        "([node, to]) => Math.abs(node.dataset.value - to) < 1e-6", arg=[first.element_handle(), number]
    )


def test_a_finger_drags_an_arrow(visit):
    page = visit(LINK, '[data-matrix="query"]', **PHONE)
    page.locator(end("query", 0)).scroll_into_view_if_needed()
    x, y = middle(page, end("query", 0))
    client = page.context.new_cdp_session(page)
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 9):
        point = {"x": x - 5 * step, "y": y - 4 * step}
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(f"document.querySelector('{cell('query', IT, 0)}').dataset.value < 2.9")
    wait_for_weights(page)


def test_a_plot_is_saved_as_svg(visit):
    page = visit(LINK, '[data-matrix="query"]')
    with page.expect_download() as download:
        page.locator(".pic-plot-save").first.click()
    with open(download.value.path(), encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("<svg") and "animal 0.79" in text and "var(" not in text


# The pairs of names that lie over one another.
OVER = """() => {
  const names = [...document.querySelectorAll('.pic-plot text')];
  const isOver = (node, other) => {
    const [a, b] = [node, other].map((name) => name.getBoundingClientRect());
    return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5;
  };
  return names.flatMap((node, i) => names.slice(i + 1).filter((other) => isOver(node, other))
    .map((other) => `${node.textContent}, ${other.textContent}`));
}"""


def test_names_of_vectors_near_0_do_not_lie_over_one_another(visit):
    near = normalised(replace(TIRED, tokens=tuple(f"animal{i}" for i in range(10))))
    near = edits.set_block(near, "w_k", 0, 0, [[0.01, 0.0], [0.0, 0.01], [0.01, 0.01], [0.01, -0.01]])
    page = visit(f"/one_head?{urlencode(to_query(State(core=near), View(), Place('arrows')))}", ".pic-plot")
    expect(page.locator(".pic-plot text").filter(has_text="animal9")).to_be_visible()
    assert page.evaluate(OVER) == []


def test_with_more_numbers_the_plane_says_what_it_shows_and_leads_to_two(visit):
    page = visit("/one_head?lang=en&part=arrows&example=cats", '[data-matrix="query"]')
    page.get_by_text("97 % of their squared norms").wait_for()
    expect(page.locator(".pic-end")).to_have_count(0)
    page.get_by_role("button", name="Set dₖ = dᵥ = 2").click()
    expect(page.locator('.pic-end[data-look="key"]')).to_have_count(3)


def test_the_request_of_the_library_is_dragged_and_the_mixture_follows(visit):
    page = visit("/one_head?lang=en&part=library", ".pic-end")
    share = page.locator(cell("shares", 0, 0))
    before = share.get_attribute("data-value")
    x, y = middle(page, ".pic-end")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 150, steps=8)
    expect(share).not_to_have_attribute("data-value", before)  # while the hand still holds it
    page.mouse.up()
    page.wait_for_function("location.search.includes('request=')")
    request = torch.tensor([[shown(page, "request", 0, col) for col in (0, 1)]], dtype=torch.float64)
    labels = torch.tensor(library.LABELS, dtype=torch.float64)
    wait_value(page, "shares", 0, 0, torch.softmax(request @ labels.mT, -1)[0, 0].item())
    assert request.min() >= 0 and "x=" not in page.url
