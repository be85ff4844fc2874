"""A teacher's link in the browser: opened, locked, unlocked, left and walked; made and copied."""

from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.compute import trace_of
from pages.model.handout import Plan, Stop, parts_of, read, stop_of
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.browser.gestures import (
    bound,
    cell,
    type_into,
    until,
    wait_link,
    wait_narrow,
    wait_output,
    wait_value,
)
from tests.browser.wire import RESTS

STARTED = edits.set_cell(Settings(), "x", 0, 0, 3.0)
PICTURE = to_query(State(core=STARTED), View(), Place(part="picture", step="weights"))
LOCKED = stop_of("one_head", PICTURE, locked=("w_q", "mask"), hidden=("scores",))


def link(plan: Plan, number: int = 1, language: str = "en") -> str:
    return f"/{plan.stop(number).lesson}?{urlencode(parts_of(plan, number, language))}"


def named(page, name: str):
    """The way or the button of that name in the teacher's line."""
    return page.locator(f".st-key-handout_bar :text-is('{name}'):visible")


def open_panel(page) -> None:
    page.locator(".st-key-share button").first.click()
    page.locator(".st-key-handout button:visible").click()
    page.wait_for_selector('[data-testid="stDialog"] [data-testid="stCode"]')


def linked(page) -> str:
    """The link in the panel."""
    return page.locator('[data-testid="stDialog"] [data-testid="stCode"] code').inner_text().strip()


def test_a_locked_link_is_opened_unlocked_and_returned_to(visit):
    page = visit(link(Plan((LOCKED,), "Class 9b")))
    wait_output(page, STARTED)
    expect(page.locator(cell("w_q", 0, 0))).not_to_have_attribute("data-editable", "")
    expect(page.locator(cell("w_k", 0, 0))).to_have_attribute("data-editable", "")
    expect(page.locator(cell("scores", 0, 0))).to_have_attribute("data-value", "")
    expect(page.locator(f"{bound('mask')} input")).to_be_disabled()
    type_into(page, "x", 0, 0, "4")
    wait_output(page, edits.set_cell(STARTED, "x", 0, 0, 4.0))
    wait_link(page, edits.set_cell(STARTED, "x", 0, 0, 4.0))
    page.reload()  # it keeps the numbers and the locks
    wait_output(page, edits.set_cell(STARTED, "x", 0, 0, 4.0))
    expect(page.locator(cell("w_q", 0, 0))).not_to_have_attribute("data-editable", "")
    named(page, "Unlock").click()
    page.wait_for_selector(cell("w_q", 0, 0) + "[data-editable]")
    page.wait_for_selector(cell("scores", 0, 0) + ":not([data-value=''])")
    type_into(page, "w_q", 0, 0, "2")
    wait_output(page, edits.set_cell(edits.set_cell(STARTED, "x", 0, 0, 4.0), "w_q", 0, 0, 2.0))
    named(page, "Return to the start").click()
    wait_output(page, STARTED)
    wait_link(page, STARTED)
    page.wait_for_selector(cell("w_q", 0, 0) + ":not([data-editable])")
    page.keyboard.press("Control+z")  # would change W_Q, which is locked again
    page.get_by_text("The link that opened this page locks").wait_for()
    wait_link(page, STARTED)


def test_a_link_is_made_copied_and_opened(visit, address):
    page = visit("/one_head?lang=en&scaling=none")
    type_into(page, "x", 0, 0, "3")
    changed = edits.with_choice(STARTED, scaling="none")
    wait_link(page, changed)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    open_panel(page)
    before = linked(page)
    page.locator('[data-testid="stDialog"]').get_by_text("W_K", exact=True).first.click()
    page.wait_for_function(
        """(before) => document.querySelector('[data-testid=stDialog] code').innerText.trim() !== before""",
        arg=before,
    )
    page.wait_for_function(  # the code is drawn again with the link
        """() => {
          const code = document.querySelector('[data-testid=stDialog] img');
          code?.scrollIntoView();
          return code?.alt && code.naturalWidth > 100;
        }"""
    )
    page.locator('[data-testid="stDialog"] [data-testid="stCode"]').hover()
    page.locator('[data-testid="stDialog"] [data-testid="stElementToolbarButton"] button').click()
    until(page, lambda: page.evaluate("navigator.clipboard.readText()") == linked(page))
    copied = linked(page)
    assert copied.startswith(f"{address}/one_head?")
    plan = read(parse_qs(urlparse(copied).query)["plan"][0])
    assert plan.stops[0].locked == ("w_k",)
    other = visit(copied.removeprefix(address))
    wait_output(other, changed)
    wait_link(other, State(core=changed))
    expect(other.locator(cell("w_k", 0, 0))).not_to_have_attribute("data-editable", "")


def test_a_phone_shows_the_line_and_the_panel(visit):
    page = visit(link(Plan((LOCKED, LOCKED))), viewport={"width": 390, "height": 844})
    for name in ("Next", "Return to the start", "Unlock", "Leave"):
        box = named(page, name).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    open_panel(page)
    wait_narrow(page)
    wait_value(page, "x", 0, 0, 3.0)


# The cell is where it was at the last look.
STILL = """(selector) => {
  const { top } = document.querySelector(selector).getBoundingClientRect();
  const before = window.topBefore;
  window.topBefore = top;
  return before === top;
}"""


def resting_top(page) -> float:
    """Where the picture's first cell is once all is drawn."""
    page.wait_for_selector(RESTS)
    page.wait_for_function(STILL, arg=cell("x", 0, 0), polling=500)
    return page.locator(cell("x", 0, 0)).bounding_box()["y"]


def test_a_plan_is_walked_while_it_is_presented(visit):
    """The picture has the room that it has without a plan, and the ways cover nothing of the title's line."""
    stops = (stop_of("one_head", PICTURE), Stop("softmax", "example=cats&part=bars"), Stop("masks"))
    size = {"width": 1280, "height": 720}
    page = visit(link(Plan(stops)) + "&present=on", viewport=size)
    top = resting_top(page)
    named(page, "Next").click()
    page.get_by_text("Stop 2 of 3").wait_for()
    page.wait_for_url("**/softmax*present=on*")
    page.wait_for_selector(cell("logits", 0, 0))
    parts = page.locator(".st-key-deeper").bounding_box()
    back, undo = named(page, "Back").bounding_box(), page.locator(".st-key-undo").bounding_box()
    ahead = named(page, "Next").bounding_box()
    assert parts["x"] + parts["width"] <= back["x"] and ahead["x"] + ahead["width"] <= undo["x"]
    plain = visit("/one_head?lang=en&part=picture&step=weights&x=1-1_3&present=on", viewport=size)
    assert resting_top(plain) == pytest.approx(top, abs=1)


def test_a_question_and_hidden_cells_go_all_the_way_from_teacher_to_learner(visit, address):
    """Written with an instruction, opened by link, answered, filled in, and still there after a reload."""
    host = visit("/one_head?lang=en&example=cats&part=picture")
    open_panel(host)
    dialog = host.locator('[data-testid="stDialog"]')
    dialog.locator("[class*='st-key-handout_hidden']").get_by_text("S", exact=True).click()
    dialog.get_by_text("can be filled in, and shown").click()
    dialog.locator("[class*='st-key-handout_own-'] summary").click()
    texts = {
        "instruction": "Fill in S, <b>then</b> answer.",
        "question": "Which product is *S*?",
        "options": "Q times K\nX times $W$",
        "explanation": "Queries times keys.",
    }
    for name, text in texts.items():
        area = dialog.locator(f"[class*='st-key-handout_{name}-'] textarea")
        area.fill(text)
        area.press("Control+Enter")
    dialog.locator("[class*='st-key-handout_right']").get_by_text("A. Q times K").click()
    preview = dialog.locator(".st-key-handout_preview")
    expect(preview).to_contain_text("X times $W$")
    expect(preview).to_contain_text(texts["explanation"])

    def made():
        return read(parse_qs(urlparse(linked(host)).query)["plan"][0]).stops[0]

    until(host, lambda: made().question is not None and made().question.explanation != "")
    assert (made().hidden, made().fill, made().question.right) == (("scores",), "show", (True, False))

    learner = visit(linked(host).removeprefix(address), fresh=True, viewport={"width": 390, "height": 844})
    name = made().question.name
    expect(learner.locator(".st-key-instruction")).to_contain_text(texts["instruction"])
    card = learner.locator(f".st-key-ask-{name}")
    expect(card).to_contain_text(texts["question"])
    card.get_by_text("B. X times $W$").click()
    expect(learner.locator(f".st-key-verdict-{name}")).to_contain_text("A. Q times K")
    expect(card).to_contain_text(texts["explanation"])
    wait_narrow(learner)

    scores = trace_of(edits.example_start("cats")).heads.scores[0]
    blank = learner.locator(cell("scores", 0, 0))
    expect(blank).to_have_attribute("data-blank", "")
    type_into(learner, "scores", 0, 0, "77")
    expect(blank).to_have_attribute("data-ringed", "")
    type_into(learner, "scores", 0, 0, f"{scores[0, 0].item():.2f}")
    expect(blank).to_have_attribute("data-right", "")
    expect(blank).not_to_have_attribute("data-ringed", "")
    passages = learner.locator(".pic-passages")
    expect(passages).to_contain_text("S: 1 of 9 cells right.")
    type_into(learner, "scores", 0, 0, "")
    expect(blank).to_have_attribute("data-blank", "")
    type_into(learner, "scores", 1, 2, f"{scores[1, 2].item():.2f}")
    expect(learner.locator(cell("scores", 1, 2))).to_have_attribute("data-right", "")
    kept = "JSON.parse(sessionStorage['attention-tab'] ?? '{}').filled ?? {}"
    learner.wait_for_function(f"Object.keys({kept}).at(-1)?.endsWith('1.2')")
    learner.reload()
    learner.locator(f".st-key-answered-{name}").wait_for()
    expect(learner.locator(cell("scores", 1, 2))).to_have_attribute("data-right", "")
    expect(blank).to_have_attribute("data-blank", "")
    learner.locator(".st-key-handout_show_hidden button").click()
    wait_value(learner, "scores", 2, 1, scores[2, 1].item())
