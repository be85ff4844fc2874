"""The worked examples of the lecture notes: a question each, then every number next to the exact one."""

import streamlit as st

from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import Document, of_notes
from pages.ask import questions, topics
from pages.draw import figure
from pages.draw.page import Page
from pages.draw.picture import Matrix
from pages.model.edits import load_example
from pages.model.settings import Settings

from . import opening, view

NOTES = of_notes()
QUESTIONS = {
    "cats": ("worked_first", ("1_14", "1_09", "1_12"), "1_09", ("x", "w_q")),
    "five_tokens": ("worked_range", ("yes", "no", "scores"), "no", ("value",)),
    "three_scores": ("worked_sum", ("3", "2", "1"), "1", ("scaled_scores", "weights")),
    "it": ("worked_it", ("sum", "refers", "model"), "sum", ()),
}


def draw(page: Page) -> None:
    """One of the four examples at a time."""
    name = topics.choose(page, tuple(QUESTIONS))
    document = NOTES[name]
    question, options, answer, shown = QUESTIONS[name]
    if questions.ask(page, question, options, answer, picture=lambda: _given(page, document, shown)):
        _audit(page, name, document)


def _audit(page: Page, name: str, document: Document) -> None:
    """What comes of it, and what does not follow."""
    view.draw(page, audit(document), name)
    st.caption(page.t(f"not.{name}"))
    settings = load_example(Settings(), "it") if name == "it" else opening.settings_of(document)
    opening.link(page, settings)


def _given(page: Page, document: Document, steps: tuple[str, ...]) -> None:
    """What the question is about, as the note prints it."""
    matrices = []
    for step in steps:
        block = document.block(step)
        rows, columns = view.labels(audit(document), block)
        values = [list(row) for row in block.rows]
        matrices.append(Matrix(step, page.t(f"step.{step}"), rows, columns, values, kind="text"))
    if matrices:
        figure.draw(page, "given", matrices)
