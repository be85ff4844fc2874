"""The lesson's end: what was seen, with the learner's own numbers, and a question that needs all of it."""

from pages.model import edits
from pages.ui import questions
from pages.ui.numbers import apart
from pages.ui.page import Page
from pages.ui.results import size

from . import alibi, limits, scene, swap

OPTIONS = ("learned", "sinusoidal", "rotary", "heads", "constant")


def lines(page: Page) -> list[str]:
    t = page.t
    plain = edits.with_choice(page.now, position="none", mask="none", mask_2="none")
    difference, _ = swap.not_moved_along(plain, swap.order_of(page))
    moved = limits.moved_on(page.now)
    changes = limits.shifts(moved)
    slope = alibi.slopes(scene.with_position(page, "alibi"))[0]
    return [
        t("summary.one", difference=size(difference.abs().max().item())),
        t(
            "summary.two",
            first=moved.first_position,
            sinusoidal=apart(changes["sinusoidal"], decimals=3),
            rotary=size(changes["rotary"]),
        ),
        t("summary.three", slope=f"{slope:.3g}", base=f"{page.now.position_base:g}"),
    ]


def question(page: Page) -> None:
    questions.ask(page, "order_end", OPTIONS, "rotary")
