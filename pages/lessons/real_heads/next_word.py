"""The next word of a causal model: its probabilities, its heads layer by layer, and one head switched off."""

import operator
from collections.abc import Sequence
from typing import Any

import streamlit as st
from torch import Tensor

from attention import causal_mask
from attention.lab.real_heads import causal_store
from attention.lab.real_heads.causal import Head
from attention.lab.real_heads.causal_store import ModelReading, WithoutHeads
from pages import picture, session
from pages.ask import blocks, questions
from pages.draw import charts, matrix, placing, plots, say, steps, winners
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import apart, confirmed, counted, short
from pages.draw.page import Page, distinct
from pages.draw.results import reading as row_of
from pages.draw.texts import Name
from pages.picture import Flow, Group, Matrix

from . import next_text, one_real_head, scene, texts
from .settings import CAUSAL_HEADS, CAUSAL_LAYERS, RealHeadsNumbers

ALL = CAUSAL_LAYERS * CAUSAL_HEADS
GROUP = 3  # heads that share keys and values
PART = "\N{REPLACEMENT CHARACTER}"


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(page, {"off": _off, "grouped": _grouped})


def head(page: Page) -> Head:
    """Layer and head that are looked at, counted from 0."""
    return page.look.causal_layer, page.look.causal_head


def _choose_head(page: Page, layers: Sequence[int], layer: int) -> None:
    """layers: those that can be chosen; layer: the chosen one."""
    for field, options, value in (
        ("causal_layer", layers, layer),
        ("causal_head", range(CAUSAL_HEADS), page.look.causal_head),
    ):
        st.selectbox(
            page.t(f"setting.{field}"),
            options,
            format_func=lambda number: str(number + 1),
            help=page.t(f"help.{field}"),
            width=80,
            **session.bind(field, value),
        )


# ---- the next word, with all heads and without one of them


def _off(page: Page) -> blocks.Blocks:
    """The question; then any text, its next word, every head, and one of them switched off."""
    yield blocks.asking("real_off", _ask)
    yield blocks.control(_text)
    yield blocks.work(_words)
    yield blocks.work(_heads)
    yield blocks.caption("next.not_shown")
    yield blocks.caption("next.model", layers=CAUSAL_LAYERS, heads=CAUSAL_HEADS, group=GROUP)


def _text(page: Page) -> None:
    """The text, and the head that is looked at."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        next_text.type_in(page)
        _choose_head(page, range(CAUSAL_LAYERS), page.look.causal_layer)
    next_text.explain_unread(page)


def _heads(page: Page) -> None:
    """What the next word loses without each head, and the weights of one."""
    reading = next_text.shown(page)
    rest = next_text.without_each(reading)
    effects = [] if rest is None else [effects_matrix(page, reading, rest)]
    small, large = thumbnails(page, reading), weights_matrix(page, reading)
    title = page.t("next.heads", layer=page.look.causal_layer + 1)
    group = Group([each.id for each in small], title, page.t("steps.click_one"), columns=GROUP)
    bands = [*(Flow([each.id]) for each in effects), Flow([group, large.id])]
    placing.draw(page, "next_word", [*effects, *small, large], bands, on_pick=pick, fit=True)
    if rest is None:
        next_text.compute_without_each(page, reading)
    _explain_parts(page, *reading.tokens, *reading.words)


def pick(picked: dict) -> None:
    """A click on a thumbnail, or on a cell with a row for each head and a column for each layer."""
    if "choose" in picked:
        session.set_view(causal_head=int(picked["choose"]))
    elif picked.get("matrix") == "effects":
        session.set_view(causal_head=int(picked["row"]), causal_layer=int(picked["col"]))


def _explain_parts(page: Page, *tokens: str) -> None:
    """What is drawn for a token that is no whole character, where there is such a token."""
    if any(PART in token for token in tokens):
        say.sentence(page.t("next.parts"))


# ---- the question


def others_first(reading: ModelReading, rest: WithoutHeads) -> int:
    """Without how many heads, each switched off alone, another token is the most probable."""
    return sum(first != reading.words[0] for layer in rest.first for first in layer)


def facts(page: Page) -> dict[str, Any]:
    """What the question and its reasons say: of the shipped text, and of the head that counts most there."""
    reading, rest = causal_store.shipped(), causal_store.shipped_without()
    changes = rest.probabilities[..., 0] - reading.probabilities[0]
    top = divmod(int(changes.argmin()), CAUSAL_HEADS)
    row = reading.weights[top][-1]
    return {
        "all": ALL,
        "text": texts.with_meaning(page.t, reading.text, "“”"),
        "word": Name(reading.words[0]),
        "count": others_first(reading, rest),
        "small": int((changes.abs() < reading.probabilities[0] / 10).sum()),
        "head": scene.head_name(page, *top),
        "before": short(reading.probabilities[0].item()),
        "after": short(rest.probabilities[top][0].item()),
        "last": Name(reading.tokens[-1]),
        "key": Name(reading.tokens[int(row.argmax())]),
        "weight": short(row.max().item()),
    }


def _ask(page: Page) -> bool:
    def open_figure() -> None:
        plots.draw_before(page, "next_asked", [chart(page, causal_store.shipped())])

    return questions.ask(page, "real_off", open_figure, **facts(page))


# ---- the probabilities


def _words(page: Page) -> None:
    """The most probable next words, with all heads and without one."""
    reading = next_text.shown(page)
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="center")
    rest = next_text.without(reading, head(page))
    with left:
        shown = chart(page, reading, rest[0])
        plots.draw(page, "next_word", [shown], _file(page, reading, rest), count=causal_store.TOP)
    with right:
        first, *more = sentences(page, reading, rest)
        say.result(first)
        for line in more:
            say.sentence(line)


def chart(page: Page, reading: ModelReading, without: Tensor | None = None) -> Chart:
    """A bar for each of the most probable tokens; a second one for its probability without the head."""
    names, values = distinct(reading.words), reading.probabilities.tolist()
    every = values + ([] if without is None else without.tolist())
    axis = Axis(page.t("axis.probability"), charts.reach(every))
    if without is None:
        return charts.bars(axis, names, values, weights=True)
    return charts.groups(axis, names, _series(page, reading, without))


def _series(page: Page, reading: ModelReading, without: Tensor) -> dict[str, list[float]]:
    name = page.t("next.without", head=scene.head_name(page, *head(page)))
    return {page.t("next.every_head"): reading.probabilities.tolist(), name: without.tolist()}


def _file(page: Page, reading: ModelReading, rest: tuple[Tensor, str]) -> dict[str, list]:
    return {page.t("column.token"): list(distinct(reading.words)), **_series(page, reading, rest[0])}


def sentences(page: Page, reading: ModelReading, rest: tuple[Tensor, str]) -> list[str]:
    """The most probable token; what it has without the head, and which token is the first then."""
    t, names = page.t, distinct(reading.words)
    values = reading.probabilities.tolist()
    lines = [winners.sentence(t, "next.most", names, values, [apart(value) for value in values])]
    before, after = values[0], rest[0][0].item()
    numbers = {"before": apart(before, after), "after": apart(after, before)}
    lines.append(t("next.off", head=scene.head_name(page, *head(page)), word=names[0], **numbers))
    other = rest[1] != reading.words[0]
    lines.append(t("next.other", word=Name(rest[1])) if other else t("next.same"))
    return lines


# ---- the heads


def effects_matrix(page: Page, reading: ModelReading, rest: WithoutHeads) -> Matrix:
    """By how much the probability of the first token changes without each head."""
    before, after = reading.probabilities[0].item(), rest.probabilities[..., 0].T  # (heads, layers)
    changes = after - before

    def text(value: float, change: float) -> str:
        texts = confirmed(operator.sub, (value, before), change)
        return f"{texts[0]} − {texts[1]} = {short(change, 4)}"

    pairs = zip(after.tolist(), changes.tolist(), strict=True)
    texts = [[text(*pair) for pair in zip(*rows, strict=True)] for rows in pairs]
    word = distinct(reading.words)[0]
    return matrix.of(
        "effects",
        page.t("next.effects"),
        changes,
        counted(CAUSAL_HEADS),
        counted(CAUSAL_LAYERS),
        recipe=picture.written(texts),
        subtitle=page.t("next.effects_of", word=word),
        row_axis=page.t("axis.head"),
        col_axis=page.t("axis.layer"),
        ringed=[head(page)[::-1]],
        clickable=True,
    )


def thumbnails(page: Page, reading: ModelReading) -> list[Matrix]:
    """The weights of the heads of the layer, small; a click looks at one."""
    layer, chosen = head(page)
    names = distinct(reading.tokens)
    return [
        scene.thumbnail(page, names, (layer, number), weights, choose=number, chosen=number == chosen)
        for number, weights in enumerate(scene.rounded(reading.weights[layer]))
    ]


def weights_matrix(page: Page, reading: ModelReading) -> Matrix:
    """The weights of the head that is looked at."""
    (layer, number), names = head(page), distinct(reading.tokens)
    recipe = None
    if layer in reading.layers:
        recipe = picture.softmax_of(reading.trace(layer, number).masked_scores.tolist(), near=True)
    look: dict[str, Any] = {"kind": "weights", "recipe": recipe, **page.axes}
    masked = steps.hidden(causal_mask(len(names)))
    title = scene.head_name(page, layer, number)
    values = reading.weights[layer, number]
    return matrix.of("model_weights", "A", values, names, names, subtitle=title, masked=masked, **look)


# ---- one head, from its Q, K and V


def _grouped(page: Page) -> blocks.Blocks:
    """One head with its own queries, and the keys and values that its group shares."""
    yield blocks.text("grouped.intro", heads=CAUSAL_HEADS, groups=CAUSAL_HEADS // GROUP, group=GROUP)
    yield blocks.work(_of_group)


def _of_group(page: Page) -> None:
    reading, layer = next_text.opened(page, page.look.causal_layer)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        next_text.type_in(page)
        _choose_head(page, next_text.layers(page), layer)
    next_text.explain_unread(page)
    trace, names = reading.trace(layer, page.look.causal_head), distinct(reading.tokens)
    figure = one_real_head.figure(page, trace, names, one_real_head.divisor_of(trace, RealHeadsNumbers()))
    placing.draw(page, "grouped", *figure, on_pick=one_real_head.read_row, fit=True)
    _explain_parts(page, *names)
    with blocks.for_readers("sentences"):
        for line in grouped_sentences(page, reading, layer):
            say.sentence(line)


def grouped_sentences(page: Page, reading: ModelReading, layer: int) -> list[str]:
    """The row that is read; and which heads share the keys and values."""
    t, number = page.t, page.look.causal_head
    trace, names = reading.trace(layer, number), distinct(reading.tokens)
    row = min(page.look.query, len(names) - 1)
    group = reading.group(layer, number)
    heads = t.all_of(str(each + 1) for each in range(CAUSAL_HEADS) if reading.group(layer, each) == group)
    return [
        t.joined([row_of(t, trace, names, row), t("head.row")]),
        t("grouped.shared", layer=layer + 1, heads=heads),
    ]
