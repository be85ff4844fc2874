"""The sentence on the screen: a shipped one, or where the model is installed any that is typed."""

import functools

import streamlit as st

from attention import AttentionError
from attention.lab import capture
from attention.lab.real_heads import store
from pages import session
from pages.draw import say
from pages.draw.page import Page, distinct
from pages.draw.texts import literal

from .settings import MOST_LETTERS, SENTENCES, RealHeadsNumbers


def sentence_name(own: RealHeadsNumbers) -> str:
    """The name of a shipped sentence, or a typed text that can be read here."""
    return own.typed if own.typed and read(own.typed) is not None else own.sentence


def load(name: str) -> store.ModelSentence:
    """The sentence of that name; a name that is not in SENTENCES is a text itself."""
    sentence = store.load(name) if name in SENTENCES else read(name)
    if sentence is None:
        raise ValueError(f"the text {name!r} cannot be read")
    return sentence


@functools.lru_cache(maxsize=8)
def read(text: str) -> store.ModelSentence | None:
    """What the model makes of a text; None where it is not installed, or the text has too many tokens."""
    if capture.missing():
        return None
    try:
        return capture.capture(text)
    except AttentionError:
        return None


def tokens_of(name: str) -> list[str]:
    """The tokens of a sentence in their order, repeats counted."""
    return list(distinct(load(name).tokens))


def choose(page: Page, names: tuple[str, ...] = SENTENCES, text: str | None = None) -> None:
    """The choice of a sentence. text: shown in place of the choice, where it has no name."""
    t, shipped = page.t, store.sentences()
    st.selectbox(
        t("setting.sentence"),
        names,
        format_func=shipped.__getitem__,
        help=t("help.sentence"),
        width=440,
        **session.bind("sentence", text),
    )


def type_in(page: Page) -> None:
    """A text of the learner's own, where the model is installed; else why a link's text cannot be read."""
    t, typed = page.t, page.own.typed
    if not capture.missing():
        label, help_text = t("setting.typed"), t("help.typed")
        st.text_input(label, max_chars=MOST_LETTERS, help=help_text, width=300, **session.bind("typed"))
    if typed and read(typed) is None:
        say.caption(t("scene.unread", text=literal(typed)))
