"""The end of the lesson: what the audits found, and a question that needs all of it."""

from attention.lab.worked_examples.audit import WRONG, audit
from pages.ask import questions
from pages.draw.page import Page

from .notes import NOTES


def lines(page: Page) -> list[str]:
    """The totals of the notes, and what a check without recomputing finds."""
    audits = [audit(document) for document in NOTES.values()]
    facts = {
        "off": sum(one.off_count for one in audits),
        "total": sum(len(one.lines) for one in audits),
        "wrong": sum(one.count(WRONG) for one in audits),
    }
    return [page.t(f"summary.{line}", **facts) for line in ("one", "two", "three")]


def question(page: Page) -> None:
    """A worked example whose outputs lie outside V although every row of weights sums to 1."""
    questions.ask(page, "worked_end")
