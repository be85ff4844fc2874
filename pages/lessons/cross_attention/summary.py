"""What the lesson on cross-attention has shown, with the learner's numbers, and its last question."""

from __future__ import annotations

from pages.model.compute import cross_trace_of
from pages.ui import questions, results
from pages.ui.page import Page

QUESTION = "cross_end"
OPTIONS = ("right", "turned", "causal")


def lines(page: Page) -> list[str]:
    t, n, m = page.t, len(page.tokens), len(page.source)
    head = cross_trace_of(page.now).head(page.head)
    return [
        t("summary.one", n=n, m=m),
        t("summary.two", reading=results.reading(t, head, page.tokens, 0, page.source)),
        t("summary.three", m=m),
    ]


def question(page: Page) -> None:
    """Shapes, direction and mask of a translator's cross-attention."""
    facts = {"n": len(page.tokens), "m": len(page.source)}
    options = {name: page.t(f"end.{name}", **facts) for name in OPTIONS}
    questions.ask(page, QUESTION, options, "right", **facts)
