"""The conventions of this course and of libraries: the order of dimensions, (in, out), True, a window."""

from pages.ask import links
from pages.draw import say
from pages.draw.page import Page
from pages.model.view import Place

ROWS = (
    *("dimensions", "weight", "true", "causal", "window"),
    *("empty_row", "scale", "softcap", "rotary"),
)
LIVE = {
    "masks": Place("libraries", topic="polarity"),
    "order": Place("rotary"),
    "practice": Place("your_code"),
}


def draw(page: Page) -> None:
    t = page.t
    say.markdown(t("conventions.intro"))
    header = [t("conventions.what"), t("conventions.here"), t("conventions.elsewhere")]
    say.table(header, [[t(f"what.{row}"), t(f"here.{row}"), t(f"elsewhere.{row}")] for row in ROWS])
    for lesson, place in LIVE.items():
        links.to_lesson(lesson, t(f"conventions.{lesson}"), place)
