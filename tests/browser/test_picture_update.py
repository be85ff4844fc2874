"""A tab that stays open while the server is updated gets the new code and loses nothing that was entered."""

import shutil

import pytest

from tests.browser.test_picture_app import RESULT, shows, taken, type_into
from tests.browser_support import ROOT, free_port, serving

HERE = "tests/browser"


@pytest.fixture
def copy(tmp_path):
    """The page with the picture, in files of its own that a test may change."""
    shutil.copytree(ROOT / "pages", tmp_path / "pages", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / HERE, tmp_path / HERE, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def change(copy):
    """Another version of the code: its arithmetic is written with another arrow."""
    file = copy / "pages" / "ui" / "picture" / "arithmetic.js"
    source = file.read_text("utf-8")
    assert source.count("' → '") == 1
    file.write_text(source.replace("' → '", "' ⇒ '"), "utf-8")


@pytest.mark.parametrize("entered", ["while the server runs", "while it is away"])
def test_an_open_tab_gets_the_new_code(chromium, copy, entered):
    script, port = copy / HERE / "picture_demo.py", free_port()
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    first = '[data-matrix="x"][data-row="0"][data-col="0"]'
    with serving(script, port=port) as (address, _):
        page.goto(address)
        page.wait_for_selector(first)
        page.locator(first).hover()
        assert " → " in page.locator(".pic-line").inner_text()
        page.evaluate("window.opened = document.querySelector('.pic')")
    if entered == "while it is away":
        type_into(page, first, "2")
    change(copy)
    with serving(script, port=port):
        page.wait_for_function("!window.opened.isConnected && document.querySelectorAll('.pic').length === 1")
        if entered == "while the server runs":
            type_into(page, first, "2")
        shows(page, RESULT, 2.09)
        assert [e["value"] for m in taken(page, "log.length") for e in m["edits"]] == [2]
        page.locator(first).hover()
        assert " ⇒ " in page.locator(".pic-line").inner_text()
    page.close()


def test_the_same_code_is_kept_across_a_restart(chromium, copy):
    script, port = copy / HERE / "picture_demo.py", free_port()
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    first = '[data-matrix="x"][data-row="0"][data-col="0"]'
    with serving(script, port=port) as (address, _):
        page.goto(address)
        page.wait_for_selector(first)
        page.evaluate("window.code = globalThis.attentionPicture")
    with serving(script, port=port):
        type_into(page, first, "2")
        shows(page, RESULT, 2.09)
        assert page.evaluate("window.code === globalThis.attentionPicture")
    page.close()
