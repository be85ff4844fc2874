"""The whole model: every number from words to probabilities, and one word after another."""

import inspect
from dataclasses import replace
from typing import Any

import streamlit as st
import torch

from attention.lab.transformer import continued, shaped
from attention.lab.transformer.plain import plain_model
from pages import picture, session
from pages.ask import blocks
from pages.draw import matrix, placing, say, winners
from pages.draw.numbers import share
from pages.draw.page import Page
from pages.draw.results import difference
from pages.picture import Matrix, Passage

from . import scene
from .settings import LENGTH, NORMS, STAGES, ModelNumbers

BEGINNING = (0,)  # the point that begins a sentence


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("model.intro")
    yield blocks.control(_controls)
    yield blocks.picture(_picture)
    yield blocks.control(_next_word, follows="released")
    yield blocks.picture(_drawn_from)
    yield blocks.text("model.terms")
    yield blocks.aside(_code)
    yield blocks.ask("model_earliest")
    yield blocks.aside(_first_change, follows="released")


def _code(page: Page) -> None:
    code = session.expander(page.t("model.code"), "model_code", type="compact")
    if code is not None:
        with code:
            say.markdown(page.t("model.code_why" if scene.is_plain(page.own) else "model.code_other"))
            st.code(inspect.getsource(plain_model), language="python")
            say.markdown(page.t("model.code_gpt"))


# ---- what is computed


def _controls(page: Page) -> None:
    """The sentence, the numbers, the stage, and the switches behind one button."""
    t, own = page.t, page.own
    known = scene.sentences(page)
    with st.container(key="model_controls", horizontal=True, vertical_alignment="bottom"):
        sentences = known if own.words in known else {own.words: scene.sentence(page, own.words), **known}
        look: dict[str, Any] = {"format_func": sentences.__getitem__, "width": 190, "help": t("help.words")}
        st.selectbox(t("setting.words"), [*sentences], **look, **session.bind("words"))
        st.segmented_control(
            t("setting.from_training"),
            (True, False),
            required=True,
            format_func=lambda on: t(f"model.{'trained' if on else 'random'}"),
            help=t("help.from_training"),
            **session.bind("from_training", own.from_training, _start_with),
        )
        if own.blocks > 1:
            page.choose("block", range(1, own.blocks + 1), str, value=scene.standing(own).block)
        page.choose("stage", STAGES, lambda name: t(f"stage.{name}"))
        box = session.popover(t("model.switches"), "model_switches", keep=True)
        if box is not None:
            with box:
                switches(page)
                page.set_button(t("model.reset"), "model_reset", {"changed": ()}, help=t("model.reset_help"))


def _start_with(trained: object) -> None:
    """Other numbers: those that the learner has changed are left."""
    session.set_own(from_training=bool(trained), changed=())


def switches(page: Page) -> None:
    """Norm, residual connections, feed-forward layer, heads: the same matrices, used in another way."""
    page.choose("norm", NORMS, lambda name: page.t(f"norm.{name}"))
    page.toggle("residual")
    page.toggle("forward")
    page.choose("blocks", (1, 2, 3), str)
    page.choose("model_heads", (1, 2), str)
    if page.own.model_heads > 1:
        page.choose("head_shown", (1, 2), str)


def drawn(page: Page, **more: Any) -> scene.ModelPicture:
    """The learner's model. more: other arguments of a ModelPicture."""
    own = page.own
    return scene.ModelPicture(page, own, scene.matrices_of(own), scene.trace_of(own), **more)


def _picture(page: Page) -> None:
    model = drawn(page)
    matrices, bands = model.shown()
    placing.draw(
        page,
        "model",
        matrices,
        bands,
        steps=model.steps(),
        on_edit=scene.take,
        fit=True,
        passages=[Passage("", [reading(page)])],
        sources=[model.find],
    )


def reading(page: Page) -> str:
    """Which word the model expects after the words of the sentence."""
    own = page.own
    probabilities = scene.trace_of(own).probabilities[-1].tolist()
    names = [scene.word(page, number) for number in range(len(probabilities))]
    texts = [share(value, 3) for value in probabilities]
    words = scene.sentence(page, own.words)
    return winners.sentence(page.t, "model.reading", names, probabilities, texts, words=words)


# ---- what another first word changes

BOTH = ((0, 1, 3), (0, 2, 3))  # two beginnings with the same last word


def changes(own: ModelNumbers) -> dict[str, float]:
    """Step → the norm by which another first word changes the row of the last word."""
    pictures = [replace(own, words=words, block=1) for words in BOTH]
    first, second = (scene.trace_of(each) for each in pictures)
    heads = [trace.blocks[0].attention for trace in (first, second)]
    pairs = {
        "x": (first.x, second.x),
        "query": (heads[0].query, heads[1].query),
        "scores": (heads[0].heads.scores, heads[1].heads.scores),
        "attention": (heads[0].output, heads[1].output),
        "logits": (first.logits, second.logits),
    }
    return {name: (a - b)[..., -1, :].norm().item() for name, (a, b) in pairs.items()}


def _first_change(page: Page) -> None:
    """The change of the row, from the first step to the last."""
    t = page.t
    rows = [(t(f"title.{name}"), difference(value)) for name, value in changes(page.own).items()]
    words = [scene.sentence(page, words) for words in BOTH]
    say.markdown(t("model.changes", first=words[0], second=words[1], last=scene.word(page, BOTH[0][-1])))
    say.table([t("column.computed"), t("column.change")], rows)


# ---- one word after another


def _next_word(page: Page) -> None:
    """The buttons that append the next word, and what its probabilities are shaped by."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        page.number("model_temperature", where="_page", width=150)
        page.number("top_k", where="_page", width=150)
        full = len(page.own.words) == LENGTH
        look: dict[str, Any] = {"disabled": full, "on_click": _append}
        st.button(
            page.t("model.draw"), key="model_draw", help=page.t("model.draw_help"), args=(page, False), **look
        )
        st.button(
            page.t("model.most"), key="model_most", help=page.t("model.most_help"), args=(page, True), **look
        )
        again = {"words": BEGINNING, "chance": (page.own.chance + 1) % 10_000}
        page.set_button(page.t("model.again"), "model_again", again, help=page.t("model.again_help"))
    if full:
        say.caption(page.t("model.full"))


def next_probabilities(own: ModelNumbers) -> torch.Tensor:
    """What the next word is drawn from."""
    return shaped(scene.trace_of(own).logits[-1], own.model_temperature, own.top_k)


def _append(page: Page, argmax: bool) -> None:
    own = page.own
    if argmax:
        own = replace(own, model_temperature=0.0)
    word = continued(next_probabilities(own), own.chance, len(own.words))
    session.set_own(words=(*own.words, word))


def _drawn_from(page: Page) -> None:
    placing.draw(page, "next", [next_matrix(page)])


def next_matrix(page: Page) -> Matrix:
    """The probabilities of the next word: softmax of the last row of the logits by the temperature, top k."""
    own = page.own
    probabilities = next_probabilities(own)
    logits = scene.trace_of(own).logits[-1].masked_fill(probabilities == 0, float("-inf"))
    names = [scene.word(page, number) for number in range(len(logits))]
    return matrix.of(
        "next",
        page.t("model.next"),
        probabilities[None],
        [scene.sentence(page, own.words)],
        names,
        kind="weights",
        recipe=picture.softmax_of([logits.tolist()], own.model_temperature or 1.0),
        alt=page.t("model.next"),
    )
