"""The learner's own sentence and numbers: the entry, where the vectors are from, and the way to them."""

from collections.abc import Collection

import streamlit as st

from pages import session
from pages.model import words
from pages.model.edits import example_start
from pages.model.matrices import MAX_TOKENS

from . import say
from .page import Page
from .texts import Name, quoted

KEY, FIELD = "own_sentence", "own_sentence_text"
SWITCH = "sentence"  # of the toolbar


def popover(page: Page) -> None:
    """A button that opens the entry."""
    box = session.popover(page.t("own_sentence.title"), KEY, help=page.t("own_sentence.help"))
    if box is not None:
        with box:
            entry(page)
            say.caption(page.t("own_sentence.about"))


def entry(page: Page) -> None:
    """The entry, in one line."""
    t = page.t
    with (
        st.form("own_sentence_form", border=False, width="content"),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        label = t("own_sentence.label", most=_most(page))
        st.text_input(
            label,
            key=FIELD,
            max_chars=words.MAX_SENTENCE,
            placeholder=label,
            label_visibility="collapsed",
            width=320,
        )
        fixed = not page.stop.fixed.isdisjoint((SWITCH, "x"))
        st.form_submit_button(t("own_sentence.take"), on_click=_take, args=(page,), disabled=fixed)


def _most(page: Page) -> int:
    """Words: fewer in the hour, whose stops show this sentence."""
    in_hour = page.lesson.front or page.course.stop_at(page.lesson.name, page.part.name)
    return words.HOUR_WORDS if in_hour else MAX_TOKENS


def _take(page: Page) -> None:
    """Loads the sentence as one step of undo. What is refused is said on the page, which a popover covers."""
    text, language = session.widget_value(FIELD), page.t.language
    if isinstance(text, str) and SWITCH not in page.stop.fixed:
        session.edit(lambda core: words.with_sentence(core, text, language, _most(page)))
        page.go(row=None)
    if KEY in st.session_state:
        session.close(KEY)


def offer(page: Page) -> None:
    """Where a place has numbers for itself, the way to the learner's own. It stays, so that nothing moves."""
    if session.mine() is not None:
        with st.container(key="whose", horizontal=True, vertical_alignment="center", gap="small"):
            mine = session.is_mine()
            say.caption(page.t("frame.of_mine" if mine else "frame.of_place"), width="content")
            say.button(page.t, "frame.mine", "person", session.take_mine, done=mine)


def told(page: Page) -> str:
    """Where the vectors of the words are from; nothing where no word is new with a vector of its own."""
    t, tokens, example = page.t, page.settings.tokens, example_start(page.settings.example).tokens
    known, drawn = words.sources(page.settings)
    if all(tokens[row] in example for row in (*known, *drawn)):
        return ""
    sentences = [
        t(f"own_sentence.{kind}", words=_all(page, rows))
        for kind, rows in (("known", known), ("drawn", drawn))
        if rows
    ]
    return t.joined([*sentences, t("own_sentence.name_alone")])


def _all(page: Page, rows: Collection[int]) -> str:
    return page.t.all_of(quoted(dict.fromkeys(Name(page.settings.tokens[row]) for row in rows)))
