"""Browser tests of the app wait for what they expect: with one look only, they would fail by chance."""

import re

from tests.support.programs import ROOT

BROWSER = ROOT / "tests" / "browser"
ONE_LOOK = re.compile(
    r"assert .*(\.(count|input_value|inner_text|all_inner_texts)\(\) ==|\.get_attribute\([^)]*\) (==|!=|is)"
    r"|\.is_\w+\(\)$|scrollWidth|\b(settings|state)_of\(\w+\) ==|bounding_box\(\)\[[^]]+\] [<>])"
)
# Their pages have no server: what a gesture does is done when the gesture ends.
WITHOUT_SERVER = (
    "test_picture_gestures",
    "test_picture_blank",
    "test_picture_layout",
    "test_picture_units",
    "test_saved_pictures",
)
# What waits in steps until something holds, and what nothing on the page shows.
STEPS = ("gestures.py", "wire.py", "watched_page.py", "every_control.py")
UNSEEN = {"FORGOTTEN", "600"}


def lines_of(files) -> list[tuple[str, str]]:
    return [(path.stem, line.strip()) for path in files for line in path.read_text("utf-8").splitlines()]


def one_looks(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, line) for name, line in lines if ONE_LOOK.search(line) and name not in WITHOUT_SERVER]


def test_what_is_expected_is_waited_for():
    assert one_looks(lines_of(BROWSER.glob("test_*.py"))) == []
    for look in (
        'page.locator("h1").count() == 1',
        "state_of(page) == MINE",
        'page.evaluate("scrollWidth") < 9',
    ):
        assert one_looks([("test_x", f"assert {look}")])


def test_no_test_waits_for_a_time():
    files = [path for path in BROWSER.glob("*.py") if path.name not in STEPS]
    waits = [line for _, line in lines_of(files) if "wait_for_timeout" in line]
    assert [line for line in waits if not any(f"({one})" in line for one in UNSEEN)] == []
