"""The lesson's end: what was seen, with the learner's own numbers, and a question that needs all of it."""

from dataclasses import replace

from pages.ask import questions
from pages.draw import inputs, live, placing, steps
from pages.draw.numbers import apart
from pages.draw.page import Page
from pages.draw.results import EXACT, size
from pages.model import edits

from . import alibi, along, limits, scene

LATER = 5  # by so many positions all tokens are later


def lines(page: Page) -> list[str]:
    t = page.t
    plain = edits.with_choice(page.settings, position="none", mask="none", mask_2="none")
    difference, _ = along.not_moved_along(plain, along.order_of(page))
    moved = limits.settings_moved(page.settings)
    rotary, sinusoidal = (limits.shift(moved, kind) for kind in ("rotary", "sinusoidal"))
    slope = alibi.slopes(scene.with_position(page, "alibi"))[0]
    facts = {"first": moved.first_position, "rotary": size(rotary)}
    if sinusoidal > EXACT:
        two = t("summary.two", **facts, sinusoidal=apart(sinusoidal, decimals=3))
    else:
        two = t("summary.two_same", **facts)
    if len(page.tokens) > 1:
        opening = t("summary.one", difference=size(difference.abs().max().item()), why=t("summary.why"))
    else:
        opening = t("summary.one_token")
    facts = {"slope": alibi.slope_text(slope), "base": f"{page.settings.position_base:,.7g}"}
    return [opening, two, t("summary.three", **facts)]


def question(page: Page) -> None:
    """Which encoding fits: asked next to X and A without positions, where a token's place says nothing."""
    plain = scene.with_position(page, "none")

    def picture() -> None:
        computation = steps.of(plain)
        matrices = [
            inputs.matrix(plain, "x").to_read(),
            replace(computation["weights"], step_name=None),
        ]
        placing.draw(plain, "end", matrices, sources=[computation.find])

    if questions.ask(page, "order_end", picture):
        live.draw(page, _at_later_positions)


def _at_later_positions(page: Page) -> None:
    """The weights with rotated queries and keys, and the same weights where all positions are larger."""
    settings, later = (
        steps.of(page.unfollowed(edits.with_choice(page.settings, position="rotary", first_position=first)))
        for first in (0, LATER)
    )
    titles = {"_rotary": page.t("scene.with"), "_later": page.t("scene.later", by=LATER)}
    rotary = [
        version.second("weights", end, title=title, subtitle="")
        for version, (end, title) in zip((settings, later), titles.items(), strict=True)
    ]
    matrices = [scene.without(page), *rotary]
    plain = steps.of(scene.with_position(page, "none"))
    sources = [plain.sources(scene.WITHOUT), settings.sources("_rotary"), later.sources("_later")]
    placing.draw(page, "end_answered", matrices, sources=sources)
