"""The text before the next word: the shipped one, or any that is typed, where the model is installed."""

import functools
from collections.abc import Sequence
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.real_heads import causal_file, causal_store
from attention.lab.real_heads.causal import MOST_TOKENS, Head
from attention.lab.real_heads.causal_store import ModelReading, WithoutHeads
from pages import session
from pages.ask import long_work
from pages.ask.long_work import Job
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import literal

from . import loading, texts
from .settings import CAUSAL_LAYERS

SMOLLM = loading.LoadableModel(
    "SmolLM2-135M-Instruct", causal_file.PACKAGES, causal_file.load, causal_file.STEPS, memory=600
)


def shown(page: Page) -> ModelReading:
    """The typed text, if it can be read here, else the shipped text."""
    return read(page.own.next_text) or causal_store.shipped()


def read(text: str) -> ModelReading | None:
    """What the model makes of a text; None where it is not loaded, or there is no text, or a longer one."""
    return _read(text) if 0 < count(text) <= MOST_TOKENS else None


def count(text: str) -> int:
    """The number of the text's tokens; 0 where the model is not loaded."""
    reader = SMOLLM.get()
    return 0 if reader is None else len(reader.ids(text))


@functools.lru_cache(maxsize=4)
def _read(text: str) -> ModelReading:
    return SMOLLM.keep().read(text)


# ---- one of its heads


def layers(page: Page) -> Sequence[int]:
    """The layers whose heads can be opened: where the model is not installed, those that are shipped."""
    return causal_store.shipped().layers if SMOLLM.missing() else range(CAUSAL_LAYERS)


def opened(page: Page, layer: int) -> tuple[ModelReading, int]:
    """A reading with the queries, keys and values of this layer; else the shipped text and one of its layers.

    Where only the loaded model can give them, it is loaded; for a typed text explain_unread has it loaded.
    """
    reading = shown(page)
    if layer not in reading.layers and not SMOLLM.missing():
        loaded = SMOLLM.get() if page.own.next_text else loading.needed(page, SMOLLM)
        reading = reading if loaded is None else _read(reading.text)
    return reading, layer if layer in reading.layers else reading.layers[0]


# ---- without a head, and without each of them


def without(reading: ModelReading, head: Head) -> tuple[Tensor, str]:
    """Without this head: the probabilities of the reading's words, and the most probable token."""
    if reading is causal_store.shipped():
        rest = causal_store.shipped_without()
        return rest.probabilities[head], rest.first[head[0]][head[1]]
    return _without(reading.text, head)


@functools.lru_cache(maxsize=64)
def _without(text: str, head: Head) -> tuple[Tensor, str]:
    return SMOLLM.keep().without(_read(text), head)


def without_each(reading: ModelReading) -> WithoutHeads | None:
    """The same for all heads, if it has been computed."""
    if reading is causal_store.shipped():
        return causal_store.shipped_without()
    job = _jobs().get(reading.text)
    if job is None or len(job.results) < CAUSAL_LAYERS:
        return None
    return causal_store.joined(job.results)


def compute_without_each(page: Page, reading: ModelReading) -> None:
    """The button that computes it, or how far the work is, with the button that stops it."""
    job = _jobs().get(reading.text)
    if job is not None:
        if long_work.watch(job, functools.partial(_at_work, page, job)):
            return
        long_work.explain(page, job, page.t("next.failed"))
    begin, help_text = functools.partial(_begin, reading), page.t("next.each_help")
    st.button(page.t("next.each"), key="every_head_off", help=help_text, on_click=begin)


def _jobs() -> dict[str, Job]:
    """The visitor's jobs, by their texts."""
    return session.memory("every head off", dict)


def _begin(reading: ModelReading) -> None:
    _jobs()[reading.text] = long_work.start(
        "every head off", functools.partial(_work, reading), CAUSAL_LAYERS
    )


def _work(reading: ModelReading, take) -> None:
    for result in SMOLLM.keep().without_each(reading):
        take(result)


def _at_work(page: Page, job: Job) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="every-head"):
        st.button(page.t("next.stop"), key="stop_every_head", on_click=long_work.stop, args=(job,))
        long_work.show(page, job)


# ---- what is typed


def type_in(page: Page) -> None:
    """A text of the learner's own, where the model is installed; else how it can be."""
    t = page.t
    if SMOLLM.missing():
        box = session.popover(t("setting.next_text"), "own_next_text")
        if box is not None:
            say.markdown(loading.about(page, SMOLLM), box)
        return
    look: dict[str, Any] = {"help": t("help.next_text"), "width": 440}
    look |= {"placeholder": causal_store.SHIPPED} | session.bind("next_text")
    st.text_input(t("setting.next_text"), **look)


def explain_unread(page: Page) -> None:
    """Why the typed text is not shown, or how far the loading of its model is."""
    text, t = page.own.next_text, page.t
    if not text:
        return
    name = literal(texts.shortened(text))
    if SMOLLM.missing():
        say.caption(t("scene.not_installed", text=name))
    elif loading.needed(page, SMOLLM) is not None and read(text) is None:
        say.caption(t("next.too_long", text=name, count=count(text), most=MOST_TOKENS))
