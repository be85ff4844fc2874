"""The worked examples of the lecture notes: a question each, then every number next to the exact one."""

from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import of_notes
from pages.ask import blocks, topics
from pages.draw import placing
from pages.draw.page import Page
from pages.picture import Matrix

from . import opening, view

NOTES = of_notes()
# What is on the screen with each question.
SHOWN = {
    "cats": ("x", "w_q"),
    "five_tokens": ("value",),
    "three_scores": ("scaled_scores", "weights"),
    "it": ("weights",),
}


def draw(page: Page) -> blocks.Blocks:
    """One of the four examples at a time: what comes of it, and what does not follow."""
    yield blocks.aside(topics.choose)
    yield blocks.ask(page.topic.asks[0].name, _printed)
    yield blocks.figure(_audit)
    yield blocks.text(f"not.{page.topic.name}")
    yield blocks.aside(_link)


def _audit(page: Page) -> None:
    view.draw(page, audit(NOTES[page.topic.name]), page.topic.name)


def _link(page: Page) -> None:
    opening.link(page, opening.settings_of(NOTES[page.topic.name]))


def _printed(page: Page) -> None:
    """What the question is about, as the note prints it."""
    document, matrices = NOTES[page.topic.name], []
    for step in SHOWN[page.topic.name]:
        block = document[step]
        rows, columns = view.labels(audit(document), block)
        values = [list(row) for row in block.rows]
        matrices.append(Matrix(step, page.t(f"step.{step}"), rows, columns, values, kind="text"))
    placing.draw(page, "given", matrices)
