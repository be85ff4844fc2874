"""The worked examples of the lecture notes: a question each, then every number next to the exact one."""

from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import Document, of_notes
from pages.ask import questions, topics
from pages.draw import placing, say
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


def draw(page: Page) -> None:
    """One of the four examples at a time."""
    name = topics.choose(page)
    document = NOTES[name]
    if questions.ask(page, page.topic.asks[0].name, lambda: _draw_printed(page, document, SHOWN[name])):
        _audit(page, name, document)


def _audit(page: Page, name: str, document: Document) -> None:
    """What comes of it, and what does not follow."""
    view.draw(page, audit(document), name)
    say.markdown(page.t(f"not.{name}"))
    opening.link(page, opening.settings_of(document))


def _draw_printed(page: Page, document: Document, steps: tuple[str, ...]) -> None:
    """What the question is about, as the note prints it."""
    matrices = []
    for step in steps:
        block = document[step]
        rows, columns = view.labels(audit(document), block)
        values = [list(row) for row in block.rows]
        matrices.append(Matrix(step, page.t(f"step.{step}"), rows, columns, values, kind="text"))
    placing.draw(page, "given", matrices)
