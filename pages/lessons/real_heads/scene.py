"""What the parts share: a sentence as the model read it, the head that is looked at, and their choice."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention import AttentionTrace, causal_mask, sliding_window_mask
from attention.lab.real_heads import store, toggles
from pages import session
from pages.draw import arithmetic, matrix
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.picture import Matrix, softmax_of

from . import texts
from .settings import HEADS, LAYERS, RealHeadsNumbers

BESIDE = 1  # tokens on either side that the window leaves visible
DECIMALS = 3  # of a weight that is drawn as a colour alone


def head(page: Page) -> tuple[int, int]:
    """Layer and head that are looked at, counted from 0."""
    return page.look.layer, page.look.head_of_layer


def head_name(page: Page, layer: int, head: int) -> str:
    """A head as people name it: layer 6, head 12."""
    return page.t("scene.head", layer=layer + 1, head=head + 1)


# ---- the head's attention under the lesson's switches


def places(own: RealHeadsNumbers, count: int) -> tuple[int, int]:
    """The two tokens whose rows change places; a shorter sentence has its last one for a later place."""
    return min(own.one_place, count - 1), min(own.other_place, count - 1)


def tokens(page: Page) -> list[str]:
    """The tokens in the order of the rows; each keeps its number where a word occurs twice."""
    tokens = texts.tokens_of(texts.sentence_name(page.own))
    first, other = places(page.own, len(tokens))
    tokens[first], tokens[other] = tokens[other], tokens[first]
    return tokens


def divisor(own: RealHeadsNumbers) -> float:
    width = store.HEAD_DIM
    return {"sqrt_d_k": width**0.5, "none": 1.0, "d_k": float(width)}[own.real_scaling] * own.real_temperature


def mask_of(own: RealHeadsNumbers, sentence: store.ModelSentence) -> Tensor | None:
    """Which keys a query may attend to; None: all of them."""
    count, mask = len(sentence.tokens), None
    if own.real_mask == "causal":
        mask = causal_mask(count)
    elif own.real_mask == "window":
        mask = sliding_window_mask(count, left=BESIDE, right=BESIDE)
    if own.no_special:
        words = toggles.mask_without(toggles.is_special(sentence))
        mask = words if mask is None else mask & words
    return mask


def trace_of(layer: int, head: int, own: RealHeadsNumbers) -> AttentionTrace:
    """The head's attention through the core, with all switches as they are."""
    return _trace_of(layer, head, own, texts.sentence_name(own))


@functools.lru_cache(maxsize=64)
def _trace_of(layer: int, head: int, own: RealHeadsNumbers, name: str) -> AttentionTrace:
    sentence = texts.load(name)
    sentence = toggles.exchanged(sentence, *places(own, len(sentence.tokens)))
    return toggles.trace_of(sentence, layer, head, mask=mask_of(own, sentence), scale=1 / divisor(own))


def without_switches(own: RealHeadsNumbers) -> RealHeadsNumbers:
    """The same sentence as the model computes it."""
    start = RealHeadsNumbers()
    switches = ("real_scaling", "real_mask", "real_temperature", "no_special", "one_place", "other_place")
    return replace(own, **{name: getattr(start, name) for name in switches})


def is_plain(own: RealHeadsNumbers) -> bool:
    """Whether the head computes what it computes in the model."""
    return own == without_switches(own)


# ---- what is chosen


def choose_head(page: Page) -> None:
    select(page, "layer", range(LAYERS), lambda layer: str(layer + 1), 80)
    select(page, "head_of_layer", range(HEADS), lambda head: str(head + 1), 80)


def select(
    page: Page, field: str, options, word: Callable[[Any], str], width: int, value: object = None
) -> None:
    """A choice that takes little room, bound to a field. value: shown in place of the field."""
    help_text = page.t(f"help.{field}")
    st.selectbox(
        page.t(f"setting.{field}"),
        options,
        format_func=word,
        help=help_text,
        width=width,
        **session.bind(field, value),
    )


def pick_head(picked: dict, after: str = "") -> None:
    """A click on a thumbnail, or on a cell with a row for each layer and a column for each head.

    after: the question that was answered before.
    """
    if "choose" in picked:
        layer, head = divmod(int(picked["choose"]), HEADS)
        session.set_view(layer=layer, head_of_layer=head, after=after)
    elif picked.get("matrix") == "heads":
        session.set_view(layer=int(picked["row"]), head_of_layer=int(picked["col"]), after=after)


def thumbnail(
    page: Page, names: Sequence[str], head: tuple[int, int], weights: list[list[float]], **look: Any
) -> Matrix:
    """The weights of a head (layer, number), small; a click looks at it. weights: with few decimals."""
    layer, number = head
    name, title = f"weights_{layer + 1}_{number + 1}", f"{layer + 1}.{number + 1}"
    matrix = Matrix(name, title, names, names, weights, kind="weights")
    return matrix.looking(size="thumbnail", alt=head_name(page, layer, number), **look)


def rounded(weights: Tensor) -> list[list[list[float]]]:
    """The weights of several heads with few decimals: no cell of a thumbnail shows its number."""
    return [[[round(weight, DECIMALS) for weight in row] for row in head] for head in weights.tolist()]


def of_heads(page: Page, title: str, values: Tensor, count: int, **more) -> Matrix:
    """A mean of `count` numbers for each head, a row for each layer; a click looks at the head."""
    recipe = arithmetic.quotients(values * count, torch.full((LAYERS,), float(count)), values)
    look: dict[str, Any] = {"kind": "weights", "clickable": True, "recipe": recipe}
    look |= {"row_axis": page.t("axis.layer"), "col_axis": page.t("axis.head")} | more
    rows, cols = counted(LAYERS), counted(HEADS)
    return Matrix("heads", title, rows, cols, values.tolist()).having(**look)


def large(page: Page, name: str, of: tuple[int, int] | None = None, query: str | None = None) -> Matrix:
    """The weights in the sentence of that name, as the model computed them. of: by default the head that is
    looked at. query: the one token whose row is drawn; by default all."""
    layer, head = of or (page.look.layer, page.look.head_of_layer)
    names, values = texts.tokens_of(name), texts.load(name).model_weights[layer, head]
    rows = range(len(names)) if query is None else (names.index(query),)
    look: dict[str, Any] = {"kind": "weights", "recipe": _shares(name, layer, head, tuple(rows)), **page.axes}
    title, of_rows = head_name(page, layer, head), [names[row] for row in rows]
    return matrix.of("model_weights", "A", values[list(rows)], of_rows, names, subtitle=title, **look)


@functools.lru_cache(maxsize=8)
def _shares(name: str, layer: int, head: int, rows: tuple[int, ...]) -> dict:
    """Each weight from its row of scores; nearly, as Q and K are rounded in the files."""
    trace = toggles.trace_of(texts.load(name), layer, head)
    return softmax_of(trace.scores[list(rows)].tolist(), 1 / trace.scale, near=True)
