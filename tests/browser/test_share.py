"""What is taken out of the app by a click, and brought back: compared with the numbers on the screen."""

import io
import json

import numpy as np

from pages.model import edits
from pages.model.settings import Settings
from tests.browser.gestures import type_into, wait_link, wait_output
from tests.hand.test_export import run

NINE = edits.set_cell(Settings(), "x", 0, 3, 9.0)
STEPS = ("query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "output")


def opened(page, tab: str = "Export"):
    page.locator(".st-key-share button").first.click()
    page.get_by_role("tab", name=tab, exact=True).click()
    return page


def download(page, name: str) -> bytes:
    with page.expect_download() as download:
        page.locator(f".st-key-export_{name} button").click()
    with open(download.value.path(), "rb") as file:
        return file.read()


def shown(page, name: str) -> np.ndarray:
    """The numbers of a matrix on the screen."""
    cells = page.locator(f'[data-matrix="{name}"][data-row]').evaluate_all(
        "nodes => nodes.map((node) => [node.dataset.row, node.dataset.col, node.dataset.value].map(Number))"
    )
    tensor = np.zeros([int(max(index)) + 1 for index in list(zip(*cells, strict=True))[:2]])
    for row, col, value in cells:
        tensor[int(row), int(col)] = value
    return tensor


def test_what_is_taken_out_has_the_numbers_of_the_screen(visit):
    """Also after an edit, which does not draw the popover again."""
    page = visit("/one_head?lang=en")
    type_into(page, "x", 0, 3, "9")
    wait_link(page, NINE)
    wait_output(page, NINE)
    opened(page)
    wanted = {name: shown(page, name) for name in STEPS}
    for name in ("pytorch", "numpy"):
        known, printed = run(download(page, name).decode())
        for step, numbers in wanted.items():
            np.testing.assert_allclose(np.asarray(known[step]), numbers, rtol=1e-9)
        assert "weights (3, 3)" in printed and page.url in download(page, name).decode()
    with np.load(io.BytesIO(download(page, "npz"))) as file:
        for step, numbers in wanted.items():
            np.testing.assert_allclose(file[step], numbers, rtol=1e-9)
    assert json.loads(download(page, "json"))["state"]["x"][0][3] == 9.0
    assert len(json.loads(download(page, "notebook"))["cells"]) > 20


def test_a_state_is_taken_out_and_brought_back(visit, tmp_path):
    page = visit("/one_head?lang=zh&heads=2&mask=causal")
    two = edits.with_choice(edits.resize(Settings(), num_heads=2), mask="causal")
    wait_link(page, two)
    page.locator(".st-key-share button").first.click()
    file = tmp_path / "state.json"
    file.write_bytes(download(page, "json"))
    page.keyboard.press("Escape")
    page.locator(".st-key-reset button").first.click()
    wait_link(page, Settings())
    opened(page, "导入")
    page.locator(".st-key-import_file input[type=file]").set_input_files(file)
    page.locator(".st-key-import_take button:enabled").click()
    wait_link(page, two)
    page.keyboard.press("Escape")
    page.locator(".st-key-undo button").first.click()
    wait_link(page, Settings())
    wait_output(page, Settings())
