"""The first visit to a fresh server: what is there before PyTorch, and what becomes of it."""

import pytest
from playwright.sync_api import expect

from pages.draw.texts import Texts
from pages.model import edits
from pages.model.languages import LANGUAGES
from tests.browser.gestures import cell, type_into, wait_link, wait_output
from tests.browser.wire import RESTS
from tests.support.programs import ROOT, serving

# In the server: the import of PyTorch waits until a file is there.
WAITS = """
import importlib, os, time

import_module = importlib.import_module

def import_later(name, package=None):
    while name == "torch" and not os.path.exists({file!r}):
        time.sleep(0.01)
    return import_module(name, package)

importlib.import_module = import_later
"""
EDIT_WAITS = ".pic-offline:not(:empty)"


@pytest.fixture
def fresh(tmp_path):
    """The address of a server that has not imported PyTorch, and a function that lets it."""
    file = tmp_path / "come"
    (tmp_path / "sitecustomize.py").write_text(WAITS.format(file=str(file)))
    log = tmp_path / "log"
    with serving(ROOT / "app.py", log=log, environment={"PYTHONPATH": str(tmp_path)}) as (address, _):
        yield address, file.touch
        assert "Traceback" not in log.read_text()


def beginning(language: str):
    return edits.example_start(LANGUAGES[language].example)


def test_the_inputs_are_there_before_pytorch_and_then_the_results(fresh, blank_page):
    """A number that is typed meanwhile, and not confirmed, is kept."""
    address, let_come = fresh
    page = blank_page(fresh=True)
    page.goto(f"{address}/one_head?lang=zh")
    note = page.get_by_text(Texts("zh")("frame.starting"))
    expect(note).to_be_visible()
    for name in ("x", "w_q", "w_k", "w_v"):
        expect(page.locator(cell(name, 0, 0))).to_be_visible()
    expect(page.locator("[data-testid=stWidgetLabel]:visible").first).to_be_visible()
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)
    number = page.locator(cell("x", 0, 3))
    number.click()
    page.keyboard.type("9")
    let_come()
    expect(note).to_have_count(0)
    page.wait_for_selector(RESTS)
    wait_output(page, beginning("zh"))
    expect(page.locator(".pic-passages section")).to_have_count(3)
    expect(number).to_have_value("9")
    page.keyboard.press("Enter")
    wait_link(page, edits.set_cell(beginning("zh"), "x", 0, 3, 9.0))


def test_an_edit_before_pytorch_says_that_it_waits_and_is_answered(fresh, blank_page):
    address, let_come = fresh
    page = blank_page(fresh=True)
    page.goto(f"{address}/?lang=en&example=tired&mask=causal")
    start = edits.with_choice(beginning("en"), mask="causal")
    expect(page.get_by_text(Texts("en")("frame.starting"))).to_be_visible()
    expect(page.locator('[data-matrix="output"]')).to_have_count(0)
    expect(page.locator(EDIT_WAITS)).to_have_count(0)
    type_into(page, "x", 0, 3, "9")
    expect(page.locator(EDIT_WAITS)).to_have_text(Texts("en")("frame.starting_edit"))
    expect(page.locator('[data-matrix-box="x"][data-old]')).to_have_count(0)
    type_into(page, "x", 1, 1, "-2")
    let_come()
    wanted = edits.set_cell(edits.set_cell(start, "x", 0, 3, 9.0), "x", 1, 1, -2.0)
    wait_link(page, wanted)
    wait_output(page, wanted)
    expect(page.locator(EDIT_WAITS)).to_have_count(0)
    expect(page.locator("[data-old]")).to_have_count(0)
    expect(page.locator(cell("x", 0, 3))).to_have_value("9.0")
    type_into(page, "x", 0, 3, "1")
    wait_output(page, edits.set_cell(wanted, "x", 0, 3, 1.0))


def test_the_first_page_is_there_before_pytorch_and_its_weights_follow(fresh, blank_page):
    address, let_come = fresh
    page = blank_page(fresh=True)
    page.goto(address)
    expect(page.get_by_text(Texts("en")("frame.starting"))).to_be_visible()
    for place in (".pic-front-title", ".pic-words", ".pic-terms", cell("x", 0, 0)):
        expect(page.locator(place)).to_be_visible()
    expect(page.locator(".pic-arcs-above path")).to_have_count(0)
    type_into(page, "x", 2, 3, "-1")
    let_come()
    expect(page.locator(".pic-arcs-above path")).to_have_count(3)
    wait_link(page, edits.set_cell(beginning("en"), "x", 2, 3, -1.0))
    expect(page.locator(".pic-arcs-sentence")).to_contain_text("% “street”, ")
