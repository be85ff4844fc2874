"""A tab that stays open while the server is updated gets the new code and loses nothing that was entered."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.settings import Settings
from tests.browser.gestures import cell, lesson_link, type_into, wait_link, wait_output
from tests.browser.wire import RESTS
from tests.support.programs import ROOT, free_port, serving

TWO = edits.set_cell(Settings(), "x", 0, 0, 2.0)


@pytest.fixture
def copy(tmp_path):
    """The app in files that a test may change."""
    for name in ("attention", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Path(shutil.copy(ROOT / "app.py", tmp_path))


def change(app):
    """Another version of the code: the arithmetic has another arrow."""
    file = app.parent / "pages" / "picture" / "arithmetic.js"
    source = file.read_text("utf-8")
    assert source.count("' → '") == 1
    file.write_text(source.replace("' → '", "' ⇒ '"), "utf-8")


def wait_arrow(page, sign: str) -> None:
    """Waits until this is the sign between an entry and what is made from it."""
    page.mouse.move(0, 0)
    page.locator(cell("x", 0, 0)).hover()
    expect(page.locator(".pic-line")).to_contain_text(sign)


@pytest.fixture
def page(chromium):
    page = chromium.new_page(viewport={"width": 1280, "height": 800}, locale="en-US")
    yield page
    page.close()


def test_an_open_tab_keeps_its_code_over_a_restart_and_gets_the_new_code(page, copy):
    port = free_port()
    with serving(copy, port=port) as (address, _):
        page.goto(f"{address}/one_head?lang=en&example=cats")
        wait_output(page, Settings())
        page.evaluate("window.code = globalThis.attentionPicture")
    with page.expect_websocket(timeout=120_000) as again, serving(copy, port=port) as (_, process):
        again.value.wait_for_event("framereceived", timeout=60_000)
        page.wait_for_selector(RESTS, timeout=60_000)
        type_into(page, "x", 0, 0, "2")
        wait_output(page, TWO)
        wait_link(page, TWO)
        assert page.evaluate("window.code === globalThis.attentionPicture")
        wait_arrow(page, "→")
        os.kill(process, signal.SIGSTOP)
        type_into(page, "x", 0, 1, "3")
        os.kill(process, signal.SIGKILL)  # without having heard of that
    change(copy)
    with serving(copy, port=port):
        wait_output(page, edits.set_cell(TWO, "x", 0, 1, 3.0))
        wait_arrow(page, "⇒")
        expect(page.locator(".pic")).to_have_count(1)
        lesson_link(page, "2. Softmax").click()
        page.wait_for_url("**/softmax?**")
