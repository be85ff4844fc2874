"""The exact computation of a worked example for files, from the numbers that it begins with."""

import contextlib

from attention.lab.worked_examples.audit import judged
from attention.lab.worked_examples.document import INPUTS, Document
from pages.draw.page import Page
from pages.hand.export.program import Program, of_variant
from pages.model.entries import Refusal
from pages.model.settings import Settings

from . import documents, notes, opening


def program(page: Page) -> Program | None:
    """The computation of the example; None before the answer, and where an example has none."""
    document, settings = _example(page)
    if document is None or settings is None:
        return None
    begins = all(name in document.inputs for name in INPUTS)
    return of_variant(page, settings, "" if begins else page.t("program.put_together"))


def _example(page: Page) -> tuple[Document | None, Settings | None]:
    """The example on the screen, and its settings."""
    if page.part.name == "notes" and page.answer(page.topic.asks[0].name) is not None:
        document = notes.NOTES[page.topic.name]
        return document, opening.settings_of(document)
    if page.part.name == "own" and page.look.document:
        with contextlib.suppress(Refusal):  # of a link that was changed by hand
            document = documents.read(page.look.document)
            return document, opening.settings_of(document, judged(document).convention)
    return None, None
