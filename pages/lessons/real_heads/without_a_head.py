"""Every head switched off by itself: how far the embedding of a sentence turns."""

import functools
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.real_heads import store
from pages.ask import blocks, questions
from pages.draw import placing, say, winners
from pages.draw.numbers import counted, short
from pages.draw.page import Page
from pages.picture import Flow, Matrix, nice_bound, written

from . import scene, texts
from .settings import HEADS, LAYERS

ALL = LAYERS * HEADS
SHOWN = 100.0  # times the value, which is small, in the picture
DECIMALS = 4


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("without.what", all=ALL)
    yield blocks.asking("real_without", _ask)
    yield blocks.control(_sentence)
    yield blocks.work(_switched_off)
    yield blocks.caption("without.not")


def _ask(page: Page) -> bool:
    picture = functools.partial(_whole, page)
    return questions.ask(page, "real_without", picture, answer=questions.only(holds()), **facts())


def _sentence(page: Page) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        texts.choose(page)
        texts.type_in(page)
    texts.explain_unread(page)


def _switched_off(page: Page) -> None:
    """What every head does, and the head that is looked at; a typed text is computed first."""
    name = texts.sentence_name(page.own)
    turned = of_sentence(page, name)
    large = scene.large(page, name)
    matrices = [_matrix(page, turned), large]
    placing.draw(
        page, "switched_off", matrices, [Flow(["heads", large.id])], on_pick=scene.pick_head, fit=True
    )
    for line in sentences(page, turned):
        say.sentence(line)


def _whole(page: Page) -> None:
    """What is to be predicted about: the weights of the head that is looked at."""
    placing.draw(page, "whole", [scene.large(page, texts.sentence_name(page.own))], fit=True)


def of_sentence(page: Page, name: str) -> Tensor:
    """1 − the cosine similarity of the embeddings with and without each head, (layers, heads)."""
    shipped = store.switched_off()
    if name in shipped:
        return shipped[name]
    text = texts.load(name).text
    work = functools.partial(texts.MINILM.keep().switched_off, text)
    return texts.computed(page, "switched_off", work, ALL, text)


# ---- over the shipped sentences


@functools.lru_cache(maxsize=1)
def by_layer() -> list[float]:
    """The mean over the heads of each layer and the shipped sentences."""
    turned = [*store.switched_off().values()]
    return (sum(turned[1:], turned[0]) / len(turned)).mean(-1).tolist()


def holds() -> dict[str, bool]:
    """In which layer heads turn the embedding most; alike: no layer has twice the mean of the next."""
    *_, second, largest = sorted(by_layer())
    top = by_layer().index(largest) if largest > 2 * second else None
    return {
        "first": top == 0,
        "middle": top is not None and 0 < top < LAYERS - 1,
        "last": top == LAYERS - 1,
        "alike": top is None,
    }


def facts() -> dict[str, Any]:
    """The mean of the first and the last layer, the largest between, and the ends of all but the last."""
    *others, last = by_layer()
    ends = {
        "first": others[0],
        "between": max(others[1:]),
        "last": last,
        "low": min(others),
        "high": max(others),
    }
    return {name: short(mean, DECIMALS) for name, mean in ends.items()} | {
        "sentences": len(store.switched_off())
    }


# ---- in one sentence


def _matrix(page: Page, turned: Tensor) -> Matrix:
    """100 · (1 − cosine similarity) for each head; a click looks at the head."""
    values = (SHOWN * turned).tolist()
    lines = [[_line(cell) for cell in row] for row in turned.tolist()]
    look: dict[str, Any] = {
        "row_axis": page.t("axis.layer"),
        "col_axis": page.t("axis.head"),
        "clickable": True,
    }
    look |= {"recipe": written(lines), "bound": nice_bound(values), "ringed": [scene.head(page)]}
    return Matrix("heads", page.t("without.title"), counted(LAYERS), counted(HEADS), values).having(**look)


def _line(turned: float) -> str:
    return f"{SHOWN:g} · (1 − {short(1 - turned, 6)}) = {short(SHOWN * turned, DECIMALS)}"


def sentences(page: Page, turned: Tensor) -> list[str]:
    """The head whose absence turns the embedding most, and the head that is looked at."""
    t, values = page.t, turned.flatten()
    names = [scene.head_name(page, *divmod(number, HEADS)) for number in range(ALL)]
    numbers = [short(value, DECIMALS) for value in values.tolist()]
    own = scene.head(page)[0] * HEADS + scene.head(page)[1]
    rank = 1 + int((values > values[own]).sum())
    lines = [winners.sentence(t, "without.most", names, values.tolist(), numbers)]
    return [*lines, t("without.own", head=names[own], value=numbers[own], rank=rank, all=ALL)]
