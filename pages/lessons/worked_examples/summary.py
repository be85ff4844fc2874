"""The end of the lesson: what the audits found, and a question that needs all of it."""

from typing import Any

from attention.lab.worked_examples.audit import WRONG, audit
from pages import picture
from pages.ask import questions
from pages.draw import placing
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.picture import Matrix

from .notes import NOTES


def lines(page: Page) -> list[str]:
    """The totals of the notes, and what a check without recomputing finds."""
    audits = [audit(document) for document in NOTES.values()]
    facts = {
        "off": sum(note.off_count for note in audits),
        "total": sum(len(note.lines) for note in audits),
        "wrong": sum(note.count(WRONG) for note in audits),
    }
    return [page.t(f"summary.{line}", **facts) for line in ("one", "two", "three")]


def question(page: Page) -> None:
    """A worked example whose outputs lie outside V although every row of weights sums to 1."""
    look: dict[str, Any] = {"rows": [""], "kind": "text"}
    printed = [
        Matrix("printed_weights", "A", cols=counted(2), values=[["0.30", "0.70"]], **look),
        Matrix("printed_values", "V", ["", ""], [""], [["1.00"], ["2.00"]], kind="text"),
        Matrix("printed_output", "A · V", cols=[""], values=[["2.60"]], **look),
    ]
    if questions.ask(page, "worked_end", lambda: placing.draw(page, "end", printed)):
        line = picture.written([["0.30 · 1.00 + 0.70 · 2.00 = 1.70"]], ["printed_weights", "printed_values"])
        mean = Matrix("mean", page.t("panel.mean"), cols=[""], values=[["1.70"]], recipe=line, **look)
        printed[2] = printed[2].looking(ringed=[(0, 0)])
        placing.draw(page, "end_answered", [*printed, mean])
