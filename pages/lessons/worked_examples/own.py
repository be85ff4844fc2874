"""A worked example of the learner's: pasted or uploaded, and audited like the examples of the notes."""

import contextlib
import zlib

import streamlit as st

from attention.lab.worked_examples.audit import judged
from attention.lab.worked_examples.document import Block, Document, of_notes
from pages import session
from pages.ask import blocks
from pages.draw import messages, readings, say
from pages.draw.page import Page
from pages.draw.texts import literal
from pages.model import files
from pages.model.entries import Refusal, SettingsError
from pages.model.matrices import MAX_TOKENS, MAX_WIDTH
from pages.model.reading import TextReading

from . import opening, view
from .documents import MAX_DOCUMENT, SHAPES, document_of, is_step, read, skipped, tables_of, written

FILE = "own_file"
SHOWN = 3  # of the skipped lines
PLACEHOLDER = "Q = [[1.0, 0.0], [0.5, 0.5]]\nK = [[1.0, 0.5], [0.5, 1.0]]\nS = [[1.0, 0.5], [0.75, 0.7]]"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("own.why")
    yield blocks.aside(_entry)
    if page.look.document:
        yield blocks.figure(_audit)


def _entry(page: Page) -> None:
    """The field for a text, and the one for a file, with what could not be read."""
    t, key = page.t, text_key(page.look.document)
    text, file = st.columns([3, 2])
    with text, st.form("own_form", border=False):
        st.text_area(
            t("setting.document"),
            _checked().get(page.look.document, page.look.document),
            key=key,
            height=170,
            help=t("help.document"),
            placeholder=PLACEHOLDER,
        )
        st.form_submit_button(t("own.check"), type="primary", on_click=_take, args=(page, key))
    with file:
        st.file_uploader(
            t("own.file"),
            key=FILE,
            help=t("own.file_help"),
            max_upload_size=1,
            on_change=_take,
            args=(page, FILE),
        )
        st.button(t("own.sample"), help=t("own.sample_help"), on_click=_show, args=(page, sample()))
    _say(page, FILE if _newest() == FILE else key)
    about = session.expander(t("own.grammar_title"), "own_grammar")
    if about is not None:
        limits = {"length": MAX_DOCUMENT, "rows": MAX_TOKENS, "columns": MAX_WIDTH}
        say.markdown(t("own.grammar", **limits), about)


def _audit(page: Page) -> None:
    """The last document that could be read; the link brings it back."""
    with contextlib.suppress(Refusal):  # of a link that was changed by hand: said of the text
        document = read(page.look.document)
        outcome = judged(document)
        convention = outcome.convention
        if outcome.document != document:
            say.markdown(page.t("follows.scaled"))
        if not outcome.follows and document.masked:
            say.markdown(page.t("follows.masked"))
        elif convention.name:
            say.markdown(page.t(f"follows.{convention.name}", divisor=f"{convention.divisor or 1:.4g}"))
        elif _is_unused(document):
            say.caption(page.t("follows.unused", d_k=f"{document.d_k:g}", width=document["query"].shape[1]))
        view.draw(page, outcome)
        say.caption(page.t("own.not"))
        opening.link(page, opening.settings_of(document, convention))


def _is_unused(document: Document) -> bool:
    """Whether the text names a dₖ that differs from the width of its Q."""
    query = document.block("query")
    return document.d_k is not None and query is not None and query.shape[1] != document.d_k


# ---- the learner's text


def text_key(document: str) -> str:
    """Of the text: another one for each document, so that the browser shows the text that belongs to it."""
    return f"own_text-{zlib.crc32(document.encode(errors='replace'))}"


def _checked() -> dict[str, str]:
    """The last document that was read, and its text as it was typed."""
    return session.memory("own_text", dict)


def _newest() -> str:
    """The key of the text or the file that was read last; the other one is forgotten with its problems."""
    return "".join(session.memory("own_newest", list[str]))


def _source(key: str) -> str:
    """The text, or the file's text. Raises SettingsError if the file is no text."""
    if key != FILE:
        return str(session.widget_value(key) or "")
    file = session.uploaded_file(FILE)
    return "" if file is None else files.text_of(file.getvalue())


def _take(page: Page, key: str) -> None:
    """A document that can be read takes the place of the last one; any other changes nothing."""
    session.memory("own_newest", list[str])[:] = [key]
    with contextlib.suppress(Refusal):
        text = _source(key)
        if text.strip():
            document = written(_document(text))
            _checked().clear()
            _checked()[document] = text
            _show(page, document, key)


def _document(text: str) -> Document:
    """The document without what the learner left out, and with the learner's corrections."""
    reading = tables_of(text)
    used = list(map(is_step, reading.tables))
    tables = readings.chosen(text, reading.tables, used)
    if list(tables) == [i for i, use in enumerate(used) if use] and all(
        table is reading.tables[i] for i, table in tables.items()
    ):
        return read(text)
    return document_of(reading, tuple(tables.values()))


def _show(page: Page, document: str, key: str = "") -> None:
    """Opens at the first wrong step."""
    session.memory("own_newest", list[str])[:] = [key]
    session.set_view(document=document)
    page.go(step=None)


def _say(page: Page, key: str) -> None:
    """What was read as what, or why it could not be read; and what was left out."""
    left: tuple[str, ...] = ()
    try:
        text = _source(key)
        if not text.strip():
            return
        reading = tables_of(text)
        left = skipped(reading)
        document = _document(text)
    except Refusal as problem:
        say.warning(sentence(page, problem))
    else:
        say.caption(page.t("own.read", steps=page.t.listed(_named(page, block) for block in document.blocks)))
        notes = {str(note): note for table in filter(is_step, reading.tables) for note in table.notes}
        for note in list(notes.values())[:SHOWN]:
            say.caption(messages.sentence(page.t, note))
        _correct(page, key, text, reading)
    if left:
        first = page.t.listed((literal(line) for line in left[:SHOWN]), apart=True)
        say.caption(page.t("own.skipped", count=len(left), lines=first))
    if len(left) > SHOWN:
        rest = session.expander(page.t("own.all_skipped", count=len(left)), "own_skipped")
        if rest is not None:
            rest.code("\n".join(left), language=None)


def _correct(page: Page, key: str, text: str, reading: TextReading) -> None:
    """All that was read, to correct it or to leave it out."""
    box = session.expander(page.t("own.tables"), "own_tables")
    if box is not None:
        with box:
            titles = [
                page.t(f"step.{table.step}")
                if table.step in SHAPES
                else table.name or page.t("share.unnamed")
                for table in reading.tables
            ]
            used = list(map(is_step, reading.tables))
            readings.draw(page, text, reading.tables, titles, used, lambda: _take(page, key))


def _named(page: Page, block: Block) -> str:
    """A step and its size: Q (3 × 2)."""
    rows, columns = block.shape
    return literal(f"{page.t(f'step.{block.step}')} ({rows} × {columns})")


def sentence(page: Page, problem: Refusal) -> str:
    """The sentence for a Refusal; steps are named as on the screen, and the text is shown as typed."""
    if isinstance(problem, SettingsError):
        return messages.sentence(page.t, problem)
    facts = {name: literal(str(value)) for name, value in problem.facts.items()}
    steps = problem.facts.get("steps")
    if isinstance(steps, tuple):
        facts["steps"] = literal(page.t.listed(steps))
    if "step" in problem.facts:
        facts["step"] = page.t(f"step.{problem.facts['step']}")
    return page.t(f"bad.{problem.code}", **facts)


def sample() -> str:
    """The long example of a lecture note, as text."""
    note = of_notes()["cats"]
    blocks = tuple(Block(block.step, block.rows) for block in note.blocks if block.step != "parts")
    return written(Document(blocks, note.tokens))
