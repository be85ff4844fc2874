"""A worked example of the learner's: pasted or uploaded, and audited like the examples of the notes."""

import contextlib
import zlib
from collections.abc import Callable
from functools import partial

import streamlit as st

from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import Block, Document, of_notes
from pages import session
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import literal
from pages.model.matrices import MAX_TOKENS, MAX_WIDTH

from . import opening, view
from .documents.reader import DocumentError
from .documents.statements import MOST
from .documents.text import decoded, read, written
from .settings import MAX_DOCUMENT

FILE = "own_file"
SHOWN = 3  # of the skipped lines
PLACEHOLDER = "Q = [[1.0, 0.0], [0.5, 0.5]]\nK = [[1.0, 0.5], [0.5, 1.0]]\nS = [[1.0, 0.5], [0.75, 0.7]]"


def draw(page: Page) -> None:
    t, key = page.t, text_key(page.look.document)
    typed = partial(_text, key)
    say.markdown(t("own.why"))
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
        st.form_submit_button(t("own.check"), type="primary", on_click=_take, args=(page, typed))
    with file:
        st.file_uploader(
            t("own.file"),
            ("txt", "md", "csv", "json"),
            key=FILE,
            help=t("own.file_help"),
            max_upload_size=1,
            on_change=_take,
            args=(page, _file),
        )
        st.button(t("own.sample"), help=t("own.sample_help"), on_click=_show, args=(page, sample()))
    _say(page, typed)
    _say(page, _file, only_refusals=True)  # what was read of it is in the text now
    grammar = session.expander(t("own.grammar_title"), "own_grammar")
    if grammar is not None:
        limits = {"length": MAX_DOCUMENT, "lines": MOST, "rows": MAX_TOKENS, "columns": MAX_WIDTH}
        say.markdown(t("own.grammar", **limits), grammar)
    if page.look.document:
        _audit(page)


def _audit(page: Page) -> None:
    """The last document that could be read; the link brings it back."""
    with contextlib.suppress(DocumentError):  # of a link that was changed by hand: said of the text
        document, _ = read(page.look.document)
        view.draw(page, audit(document))
        say.caption(page.t("own.not"))
        opening.link(page, opening.settings_of(document))


# ---- the learner's text


def text_key(document: str) -> str:
    """Of the text: another one for each document, so that the browser shows the text that belongs to it."""
    return f"own_text-{zlib.crc32(document.encode(errors='replace'))}"


def _checked() -> dict[str, str]:
    """The last document that was read, and its text as it was typed."""
    return session.memory("own_text", dict)


def _text(key: str) -> str:
    return str(session.widget_value(key) or "")


def _file() -> str:
    """The uploaded file's text. Raises DocumentError where the file is no text."""
    file = session.uploaded_file(FILE)
    return "" if file is None else decoded(file.getvalue())


def _take(page: Page, source: Callable[[], str]) -> None:
    """A document that can be read takes the place of the last one; any other changes nothing."""
    with contextlib.suppress(DocumentError):
        text = source()
        if text.strip():
            document = written(read(text)[0])
            _checked().clear()
            _checked()[document] = text
            _show(page, document)


def _show(page: Page, document: str) -> None:
    """Opens at the first wrong step."""
    session.set_view(document=document)
    page.go(step=None)


def _say(page: Page, source: Callable[[], str], *, only_refusals: bool = False) -> None:
    """What was read as what, or why it could not be read; and which lines were left out."""
    try:
        text = source()
        if not text.strip():
            return
        document, skipped = read(text)
    except DocumentError as problem:
        say.warning(sentence(page, problem))
        skipped = problem.skipped
    else:
        if only_refusals:
            return
        say.caption(page.t("own.read", steps=page.t.listed(_named(page, block) for block in document.blocks)))
    if skipped:
        first = page.t.listed((literal(line) for line in skipped[:SHOWN]), apart=True)
        say.caption(page.t("own.skipped", count=len(skipped), lines=first))
    if len(skipped) > SHOWN:
        key = "own_skipped_file" if only_refusals else "own_skipped"
        rest = session.expander(page.t("own.all_skipped", count=len(skipped)), key)
        if rest is not None:
            rest.code("\n".join(skipped), language=None)


def _named(page: Page, block: Block) -> str:
    """A step and its size: Q (3 × 2)."""
    rows, columns = block.shape
    return literal(f"{page.t(f'step.{block.step}')} ({rows} × {columns})")


def sentence(page: Page, problem: DocumentError) -> str:
    """The sentence for a DocumentError; steps are named as on the screen, and the text is shown as typed."""
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
    blocks = tuple(Block(one.step, one.rows) for one in note.blocks if one.step != "parts")
    return written(Document(blocks, note.tokens))
