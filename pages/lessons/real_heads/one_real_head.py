"""One head of the model, from its Q, K and V to its output, under switches that act on its real numbers."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention import AttentionTrace
from attention.lab.real_heads import store
from attention.lab.scaling.variance import total_variation
from pages import picture, session
from pages.ask import questions, topics
from pages.draw import inputs, matrix, placing, say, steps, winners
from pages.draw.numbers import apart, counted
from pages.draw.page import Page
from pages.draw.results import EXACT, reading, size
from pages.picture import Arrow, Flow, Items, Matrix, nice_bound

from . import scene, texts
from .settings import SENTENCES

MASKS = ("none", "causal", "window")
SCALINGS = {"sqrt_d_k": "√{d_k}", "none": "1", "d_k": "{d_k}"}


def draw(page: Page) -> None:
    """One of two questions, its switches, the picture, and what the numbers say."""
    topic = topics.choose(page)
    before = [scene.large(page, texts.sentence_name(page.own))]
    picture = functools.partial(placing.draw, page, "before", before, fit=True)
    if not questions.ask(page, page.topic.asks[0].name, picture):
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        texts.choose(page)
        texts.type_in(page)
        scene.choose_head(page)
    texts.explain_unread(page)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        (_switches if topic == "switches" else _exchange)(page)
    trace = scene.trace_of(*scene.head(page), page.own)
    placing.draw(page, "head", *figure_of(page, trace), on_pick=read_row, fit=True)
    for line in sentences(page, trace):
        say.sentence(line)


def read_row(picked: dict) -> None:
    """A click on a cell of A reads its row."""
    if picked.get("matrix") == "weights":
        session.set_view(query=int(picked["row"]))


# ---- the switches


def _switches(page: Page) -> None:
    scene.select(page, "real_scaling", tuple(SCALINGS), lambda name: f"÷ {divided_by(name)}", 160)
    scene.select(page, "real_mask", MASKS, lambda name: page.t(f"masked.{name}"), 130)
    page.toggle("no_special")
    with st.container(width=300):
        inputs.draw_sliders(page, "real_temperature")


def divided_by(scaling: str) -> str:
    return SCALINGS[scaling].format(d_k=store.HEAD_DIM)


def _exchange(page: Page) -> None:
    """The two tokens that change places, and how to get the order back."""
    names = texts.tokens_of(texts.sentence_name(page.own))
    places = scene.places(page.own, len(names))
    for field, place in zip(("one_place", "other_place"), places, strict=True):
        st.selectbox(
            page.t(f"setting.{field}"),
            range(len(names)),
            format_func=names.__getitem__,
            help=page.t(f"help.{field}"),
            width=150,
            **session.bind(field, place, functools.partial(_set_place, field)),
        )
    nouns = nouns_of(texts.sentence_name(page.own))
    if nouns is not None:
        words = dict(zip(("first", "second"), (names[place] for place in nouns), strict=True))
        fields = dict(zip(("one_place", "other_place"), nouns, strict=True))
        page.set_button(page.t("head.nouns", **words), "nouns", fields, help=page.t("head.nouns_help"))


def _set_place(field: str, place: Any) -> None:
    session.set_own(**{field: int(place)})


def nouns_of(name: str) -> tuple[int, int] | None:
    """Where “animal” and “street” are, in a sentence that has both."""
    tokens = texts.load(name).tokens
    nouns = ("animal", "street")
    return (tokens.index(nouns[0]), tokens.index(nouns[1])) if set(nouns) <= set(tokens) else None


# ---- the picture


def figure_of(page: Page, trace: AttentionTrace) -> tuple[list[Matrix], list[Flow]]:
    by = divided_by(page.own.real_scaling) + ("" if page.own.real_temperature == 1 else " T")
    return figure(page, trace, scene.tokens(page), by)


def figure(
    page: Page, trace: AttentionTrace, names: Sequence[str], by: str
) -> tuple[list[Matrix], list[Flow]]:
    """Q and K; from the scores, which are divided `by` a number, to A; V and the output."""
    t, cols = page.t, counted(trace.query.shape[-1])
    wide = {"query_rows": True}
    scored = picture.product("query", "key", len(cols), right_transposed=True)
    mixed = picture.product("weights", "value", len(names))
    hidden = steps.hidden(trace.mask)
    source = "scaled_scores" if trace.mask is None else "masked_scores"
    weights = {"kind": "weights", "recipe": picture.softmax(source), "masked": hidden, "clickable": True}
    matrices = [
        matrix.of("query", "Q", trace.query, names, cols, **wide),
        matrix.of("key", "K", trace.key, names, cols),
        matrix.of("scores", "S", trace.scores, names, names, recipe=scored, **page.axes, **wide),
        _scaled_matrix(page, trace, names, by),
        matrix.of("weights", "A", trace.weights, names, names, **weights, **wide),
        matrix.of("value", "V", trace.value, names, cols),
        matrix.of("output", "O", trace.output, names, cols, subtitle="A · V", recipe=mixed, **wide),
    ]
    way: Items = ["scores", Arrow(f"÷ {by}"), "scaled_scores"]
    if trace.mask is not None:
        way += [Arrow(t("steps.mask")), "masked_scores"]
        matrices.append(_masked_matrix(page, trace, names))
    return matrices, [
        Flow(["query", "key"]),
        Flow([*way, Arrow("softmax"), "weights"]),
        Flow(["value", Arrow("A · V"), "output"]),
    ]


def _scaled_matrix(page: Page, trace: AttentionTrace, names: Sequence[str], by: str) -> Matrix:
    recipe = picture.divide("scores", 1 / trace.scale, by)
    title = page.t("short.scaled_scores")
    return matrix.of(
        "scaled_scores", title, trace.scaled_scores, names, names, recipe=recipe, query_rows=True
    )


def _masked_matrix(page: Page, trace: AttentionTrace, names: Sequence[str]) -> Matrix:
    visible = trace.masked_scores[trace.masked_scores.isfinite()]
    return matrix.of(
        "masked_scores",
        page.t("short.masked_scores"),
        trace.masked_scores,
        names,
        names,
        recipe=picture.masked_from("scaled_scores"),
        masked=steps.hidden(trace.mask),
        bound=nice_bound([visible.tolist()]),
        query_rows=True,
    )


# ---- what the numbers say


def sentences(page: Page, trace: AttentionTrace) -> list[str]:
    """The row that is read, and what the switches change."""
    t, names = page.t, tuple(scene.tokens(page))
    row = min(page.look.query, len(names) - 1)
    lines = [t.joined([reading(t, trace, names, row), t("head.row")])]
    own, (first, other) = page.own, scene.places(page.own, len(names))
    switched = not scene.is_plain(replace(own, one_place=0, other_place=0))
    if first == other and not switched:
        model = texts.load(texts.sentence_name(own)).model_weights[scene.head(page)]
        off = (trace.weights - model).abs().max().item()  # in the files both are rounded
        key = "head.model" if texts.sentence_name(own) in SENTENCES else "head.model_read"
        return [*lines, t(key, difference=size(off))]
    if first != other:
        lines += _exchange_sentences(page, trace)
    return [*lines, _move_sentence(page, trace, names)] if switched else lines


def _move_sentence(page: Page, trace: AttentionTrace, names: tuple[str, ...]) -> str:
    """The query of whose weight the switches move most to other keys, compared with the model's own head."""
    own = page.own
    before = scene.trace_of(
        *scene.head(page),
        replace(scene.without_switches(own), one_place=own.one_place, other_place=own.other_place),
    )
    moved = total_variation(trace.weights, before.weights)
    moved[~trace.weights.any(-1)] = 0.0  # the weight of a fully masked row goes nowhere
    if moved.max() < EXACT:
        return page.t("head.not_moved")
    shares = [f"{apart(100 * share, decimals=0)}%" for share in moved.tolist()]
    return winners.sentence(page.t, "head.moved", names, moved.tolist(), shares)


def _exchange_sentences(page: Page, trace: AttentionTrace) -> list[str]:
    """Whether the weights only moved along with the rows, and what the model makes of the exchanged text."""
    own, t = page.own, page.t
    before = scene.trace_of(*scene.head(page), replace(own, one_place=0, other_place=0))
    count = len(before.weights)
    first, other = scene.places(own, count)
    order = list(range(count))
    order[first], order[other] = other, first
    off = (trace.weights - before.weights[order][:, order]).abs().max().item()
    lines = [
        t("head.along", difference=size(off))
        if off < EXACT
        else t("head.mask_stays", difference=f"{off:.2f}")
    ]
    if texts.sentence_name(own) == "tired" and sorted((first, other)) == sorted(nouns_of("tired") or ()):
        lines.append(_by_the_model(page))
    return lines


def _by_the_model(page: Page) -> str:
    """The same head on the text whose words were exchanged before the model read it."""
    results = []
    for name in ("tired", "exchanged"):
        sentence = store.load(name)
        place = sentence.tokens.index("it")
        results.append(
            sentence.model_weights[scene.head(page)][place, sentence.tokens.index("animal")].item()
        )
    return page.t("head.by_the_model", before=f"{results[0]:.2f}", after=f"{results[1]:.2f}")
