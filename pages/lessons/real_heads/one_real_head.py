"""One head of the model, from its Q, K and V to its output, under switches that act on its real numbers."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention import AttentionTrace
from attention.lab.real_heads import store
from attention.lab.scaling.variance import total_variation
from pages import session
from pages.ask import blocks, topics
from pages.draw import inputs, matrix, placing, say, steps, winners
from pages.draw.numbers import apart, counted
from pages.draw.page import Page
from pages.draw.results import EXACT, reading, size
from pages.draw.steps.computation import DIVISORS
from pages.picture import Arrow, Flow, Items, Matrix, nice_bound
from pages.picture.traced import AxisNames, Scalar, Traced, as_input, by_name, inputs_of

from . import scene, texts
from .settings import SENTENCES, RealHeadsNumbers

MASKS = ("none", "causal", "window")
SCALINGS = ("sqrt_d_k", "none", "d_k")


def draw(page: Page) -> blocks.Blocks:
    """One of two questions, its switches, the picture, and what the numbers say."""
    yield blocks.aside(topics.choose)
    yield blocks.ask(page.topic.asks[0].name, _before)
    yield blocks.control(_controls)
    yield blocks.work(_head)


def _before(page: Page) -> None:
    placing.draw(page, "before", [scene.large(page, texts.sentence_name(page.own))], fit=True)


def _controls(page: Page) -> None:
    """The sentence, the head, and the switches of the topic."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        texts.choose(page)
        texts.type_in(page)
        scene.choose_head(page)
    texts.explain_unread(page)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        (_switches if page.topic.name == "switches" else _exchange)(page)


def _head(page: Page) -> None:
    trace = scene.trace_of(*scene.head(page), page.own)
    drawn = figure(page, trace, scene.tokens(page), divisor_of(trace, page.own))
    placing.draw(page, "head", *drawn, on_pick=read_row, fit=True)
    for line in sentences(page, trace):
        say.sentence(line)


def read_row(picked: dict) -> None:
    """A click on a cell of A reads its row."""
    if picked.get("matrix") == "weights":
        session.set_view(query=int(picked["row"]))


# ---- the switches


def _switches(page: Page) -> None:
    scene.select(page, "real_scaling", SCALINGS, _divided_by, 160)
    scene.select(page, "real_mask", MASKS, lambda name: page.t(f"masked.{name}"), 130)
    page.toggle("no_special")
    with st.container(width=300):
        inputs.draw_sliders(page, "real_temperature")


def _divided_by(scaling: str) -> str:
    return f"÷ {DIVISORS[scaling][1].format(d_k=store.HEAD_DIM)}"


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


def divisor_of(trace: AttentionTrace, own: RealHeadsNumbers) -> Scalar:
    """What the scores are divided by."""
    letter, symbol, code = DIVISORS[own.real_scaling]
    width, temperature = trace.query.shape[-1], own.real_temperature
    symbol, code = symbol.format(d_k=width), code.replace("d_k", str(width))
    if temperature != 1:
        symbol, letter, code = f"{symbol} T", f"{letter} T", f"({code or 1} * {temperature!r})"
    return Scalar(1 / trace.scale, code, symbol, letter)


def numbers_of(page: Page, trace: AttentionTrace, names: Sequence[str], by: Scalar) -> dict[str, Traced]:
    """The steps from Q, K and V to the output; the scores are divided by a number."""
    t, keys, cols = page.t, AxisNames(names), AxisNames(counted(trace.query.shape[-1]))
    query = as_input("query", "Q", trace.query, keys, cols).by("query")
    key, value = as_input("key", "K", trace.key, keys, cols), as_input("value", "V", trace.value, keys, cols)
    scores = (query @ key.T).called("scores", "S", known=trace.scores)
    title = t("short.scaled_scores")
    last = scaled = (scores / by).called("scaled_scores", "S", title=title, known=trace.scaled_scores)
    if trace.mask is not None:
        cells = trace.mask.expand_as(trace.scores)
        mask = as_input("mask", "M", cells, query.rows, keys, title=t("sheet.mask"))
        title = t("short.masked_scores")
        last = scaled.masked(mask).called("masked_scores", "S", title=title, known=trace.masked_scores)
    weights = last.softmax().called("weights", "A", known=trace.weights)
    output = (weights @ value).called("output", "O", known=trace.output)
    return by_name(scores, scaled, last, weights, output)


def figure(
    page: Page, trace: AttentionTrace, names: Sequence[str], by: Scalar
) -> tuple[list[Matrix], list[Flow]]:
    """Q and K; from the scores to A; V and the output."""
    numbers, hidden = numbers_of(page, trace, names, by), steps.hidden(trace.mask)
    numbers |= inputs_of(numbers.values())
    looks: dict[str, dict[str, Any]] = {
        "scores": page.axes,
        "weights": {"masked": hidden, "clickable": True},
        "output": {"subtitle": "A · V"},
    }
    drawn = ["query", "key", "scores", "scaled_scores", "weights", "value", "output"]
    way: Items = ["scores", Arrow(f"÷ {by.symbol}"), "scaled_scores"]
    if trace.mask is not None:
        way += [Arrow(page.t("steps.mask")), "masked_scores"]
        drawn.append("masked_scores")
        visible = trace.masked_scores[trace.masked_scores.isfinite()]
        looks["masked_scores"] = {"masked": hidden, "bound": nice_bound([visible.tolist()])}
    matrices = [matrix.number(page, numbers[name], **looks.get(name, {})) for name in drawn]
    return matrices, [
        Flow(["query", "key"]),
        Flow([*way, Arrow("softmax"), "weights"]),
        Flow(["value", Arrow("A · V"), "output"]),
    ]


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
