"""The lesson's end: what was seen, with the learner's own numbers, and a question that needs all of it."""

from dataclasses import replace
from typing import Any

from pages.ask import questions
from pages.draw import plots
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.results import size

from . import moves, row, run

QUESTION_SIZES = (4096, 64, 49_152)  # n, d and M of the last question


def lines(page: Page) -> list[str]:
    t, own = page.t, page.own
    single, tiles = row.one_pass(page.scores.logits), run.of(page)
    counts = moves.counts(own.flash_n, own.flash_d, own.flash_memory)
    plain, keys = counts["plain"], counts["keys"]
    return [
        t(
            "summary.one",
            count=row.rises(single),
            total=short(single.running_sum[-1].item(), 4),
            difference=size(row.difference(page)),
        ),
        t(
            "summary.two",
            tiles=len(tiles.trace.tiles),
            skipped=tiles.skipped,
            held=tiles.held,
            difference=size(tiles.difference),
        ),
        t(
            "summary.three",
            n=f"{own.flash_n:,}",
            plain=f"{plain.moved:,}",
            keys=f"{keys.moved:,}",
            more=moves.extra_share(counts, "keys"),
        ),
    ]


def question(page: Page) -> None:
    n, d, memory = QUESTION_SIZES
    counts = moves.counts(n, d, memory)
    plain, keys = counts["plain"], counts["keys"]
    facts: dict[str, Any] = {
        "share": f"{keys.moved / plain.moved:.0%}",
        "more": f"{keys.multiplications / plain.multiplications - 1:.1%}",
        "held": f"{keys.held:,}",
        "all": f"{plain.held:,}",
    }
    facts |= {"n": f"{n:,}", "d": d}
    own = replace(page.own, flash_n=n, flash_d=d, flash_memory=memory)
    asked = replace(page, numbers=page.numbers.having(own))
    chart = moves.chart(asked)
    if questions.ask(page, "flash_end", lambda: plots.ghost(page, "flash_end", [chart]), **facts):
        plots.draw(page, "end_moved", [chart], moves.file(asked), heading=False)
