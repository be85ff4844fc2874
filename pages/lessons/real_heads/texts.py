"""The sentence on the screen: a shipped one, or where the model is installed any that is typed."""

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from attention.lab.real_heads import minilm, store
from pages import session
from pages.ask import long_work
from pages.draw import say
from pages.draw.page import Page, distinct
from pages.draw.texts import Texts, literal

from . import loading
from .settings import MOST_TOKENS, SENTENCES, RealHeadsNumbers

Result = TypeVar("Result")
BEGINNING = 60  # letters
TYPED = "text: "  # before a typed text in its name
MINILM = loading.LoadableModel("all-MiniLM-L6-v2", minilm.PACKAGES, minilm.load, minilm.STEPS, memory=190)


def sentence_name(own: RealHeadsNumbers, shipped: str = "") -> str:
    """The name of a typed text that can be read here, else the chosen sentence, or the `shipped` one."""
    return name_of(own.typed) if read(own.typed) is not None else shipped or own.sentence


def name_of(text: str) -> str:
    """The name of a typed text, which is no name of a shipped sentence."""
    return TYPED + text


def load(name: str) -> store.ModelSentence:
    """The sentence of that name, a shipped one or a typed text."""
    sentence = read(name.removeprefix(TYPED)) if name.startswith(TYPED) else store.load(name)
    if sentence is None:
        raise ValueError(f"{name!r} cannot be read")
    return sentence


def read(text: str) -> store.ModelSentence | None:
    """What the model makes of a text; None where it is not loaded, or there is no text, or a longer one."""
    return _read(text) if text and 0 < count(text) <= MOST_TOKENS else None


def count(text: str) -> int:
    """The number of the text's tokens; 0 where the model is not loaded."""
    model = MINILM.get()
    return 0 if model is None else len(model.tokenizer.encode(text).ids)


@functools.lru_cache(maxsize=8)
def _read(text: str) -> store.ModelSentence:
    return MINILM.keep().read(text)


def with_meaning(t: Texts, text: str, marks: str = "") -> str:
    """An English sentence or word, with its meaning where the reader's language has one for it.

    marks: quotation marks around what is English
    """
    key, english = f"meaning.{text}", f"{marks[:1]}{text}{marks[1:]}"
    return t("scene.meaning", text=english, meaning=t(key)) if key in t and t(key) else english


def shipped(t: Texts, name: str, marks: str = "") -> str:
    """The shipped sentence of that name, with its meaning."""
    return with_meaning(t, store.sentences()[name], marks)


def tokens_of(name: str) -> list[str]:
    """The tokens of a sentence in their order, repeats counted."""
    return list(distinct(load(name).tokens))


def choose(page: Page, names: tuple[str, ...] = SENTENCES, text: str | None = None) -> None:
    """The choice of a sentence. text: shown in place of the choice, where it has no name."""
    t = page.t
    st.selectbox(
        t("setting.sentence"),
        names,
        format_func=functools.partial(shipped, t),
        help=t("help.sentence"),
        width=440,
        **session.bind("sentence", text),
    )


def type_in(page: Page, field: str = "typed", example: str = "") -> None:
    """A text of the learner's own, where the model is installed; else how it can be."""
    t = page.t
    if MINILM.missing():
        box = session.popover(t("setting.typed"), "own_text") if field == "typed" else None
        if box is not None:
            say.markdown(loading.about(page, MINILM), box)
        return
    look: dict[str, Any] = {"help": t(f"help.{field}"), "placeholder": example, "width": 300}
    # Without max_chars, with which a longer text that is pasted would be ignored without a word.
    st.text_input(t(f"setting.{field}"), **look, **session.bind(field))


def explain_unread(page: Page, *fields: str) -> bool:
    """Whether the typed texts of these fields can be read; says why not, or shows how far their model is."""
    texts = [text for field in fields or ("typed",) if (text := getattr(page.own, field))]
    if not texts:
        return False
    if not MINILM.missing() and loading.needed(page, MINILM) is None:
        return False
    readable = True
    for text in texts:
        if read(text) is None:
            facts = {"text": literal(shortened(text)), "count": count(text), "most": MOST_TOKENS}
            say.caption(page.t("scene.not_installed" if MINILM.missing() else "scene.too_long", **facts))
            readable = False
    return readable


def shortened(text: str) -> str:
    """The beginning of a typed text, for a sentence about it."""
    return text if len(text) <= BEGINNING else f"{text[:BEGINNING]}…"


# ---- what takes long for a typed text

MOST_KEPT = 16  # results
_lock = threading.Lock()
_results: OrderedDict[tuple[str, ...], Any] = OrderedDict()


def computed(
    page: Page, kind: str, work: Callable[[Callable[[], None]], Result], total: int, *texts: str
) -> Result:
    """What `work` makes of these texts, kept for all who ask for the same; else the page waits for it.

    work(step) calls `step` `total` times.
    """
    key = (kind, *texts)
    with _lock:
        if key in _results:
            _results.move_to_end(key)
            return _results[key]

    def make(take: Callable[[object], None]) -> None:
        result = work(functools.partial(take, None))
        with _lock:
            _results[key] = result
            while len(_results) > MOST_KEPT:
                _results.popitem(last=False)

    long_work.results_of(page, kind, make, total)
    return _results[key]
