"""Does attention explain what the model makes of a sentence? Over all sentences and layers, then in one.

And on the learner's own numbers.
"""

import functools
import math
from collections.abc import Mapping
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.real_heads import explain as lab
from attention.lab.real_heads import store
from pages.ask import blocks, questions
from pages.draw import placing, plots, say, winners
from pages.draw.charts import HERO, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.texts import literal
from pages.picture import Flow

from . import explain_yours, sizes, texts, without_a_head

MEASURES = (*lab.NEAR, "left_out")
COLUMNS = ("measure", "mean", "lowest", "highest", "nearest", "without_special")
BESIDE = 0.15  # of a layer, between the points of two measures


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(
        page, {"model": _model, "without": without_a_head.draw, "yours": explain_yours.draw}
    )


def _model(page: Page) -> blocks.Blocks:
    """What the measures are; the question; how well they agree on the whole; then one sentence."""
    yield blocks.aside(_measures)
    yield blocks.asking("real_agree", _ask)
    yield blocks.work(_nearness)
    yield blocks.aside(_table)
    yield blocks.said(_little)
    yield blocks.control(_sentence)
    yield blocks.work(_one)
    yield blocks.aside(_claims)


def _measures(page: Page) -> None:
    say.markdown(page.t("explain.what", **_comparison(page, sentence_name(page))))
    say.markdown(
        "\n".join(f"- **{page.t(f'measure.{name}')}**: {page.t(f'define.{name}')}" for name in MEASURES)
    )


def _ask(page: Page) -> bool:
    picture = functools.partial(_left_out, page, sentence_name(page))
    facts: dict[str, Any] = counts() | means()
    return questions.ask(page, "real_agree", picture, answer=nearest(), **facts)


def _comparison(page: Page, name: str) -> dict[str, str]:
    target = explained(page, name)
    sentences = {
        name: texts.with_meaning(page.t, literal(text), "“”")
        for name, text in (("sentence", target.text), ("other", target.other))
    }
    return sentences | {"similarity": short(target.similarity)}


def shipped_name(page: Page) -> str:
    """The chosen sentence; where it was not explained, the first explained sentence."""
    known = tuple(store.explained())
    return page.own.sentence if page.own.sentence in known else known[0]


def sentence_name(page: Page) -> str:
    """The typed text where it and the text that it is compared with can be read, else a shipped sentence."""
    shipped = shipped_name(page)
    return shipped if texts.read(_other(page)) is None else texts.sentence_name(page.own, shipped)


def _other(page: Page) -> str:
    """The text with which a typed text is compared."""
    return page.own.typed_other or store.explained()[shipped_name(page)].other


def explained(page: Page, name: str) -> store.Explained:
    """What each token of the sentence counts for; the page waits for it where the text is typed."""
    if name in store.explained():
        return store.explained()[name]
    text, other = texts.load(name).text, _other(page)
    work = functools.partial(texts.MINILM.keep().explain, text, other)
    return texts.computed(page, "explain", work, texts.count(text), text, other)


def _left_out(page: Page, name: str) -> None:
    """What is to be predicted: how much each token of the sentence counts when it is left out."""
    measures = {"left_out": explained(page, name).leave_one_out}
    placing.draw(page, "asked", sizes.matrices_of(page, measures, tuple(texts.tokens_of(name)))[:1])
    plots.ghost(page, "nearness", [_chart(page, {})])


# ---- over all sentences and layers


def counts() -> dict[str, int]:
    sentences = len(lab.nearness().sentences)
    return {"sentences": sentences, "layers": store.LAYERS, "count": sentences * store.LAYERS}


def means() -> dict[str, str]:
    """The mean rank correlation of each measure with leaving out."""
    return {name: short(values.mean().item()) for name, values in lab.nearness().correlations.items()}


def nearest() -> str | None:
    """The measure with the largest mean; None where two read alike."""
    first = winners.winner([values.mean().item() for values in lab.nearness().correlations.values()])
    return None if first is None else lab.NEAR[first]


def _nearness(page: Page) -> None:
    correlations = lab.nearness().correlations
    file = {page.t(f"measure.{name}"): values.flatten().tolist() for name, values in correlations.items()}
    facts: dict[str, Any] = counts()
    plots.draw(page, "nearness", [_chart(page, correlations)], file, **facts)


def _table(page: Page) -> None:
    rows = [_row(page, name) for name in lab.NEAR]
    say.table([page.t(f"column.{name}", count=counts()["count"]) for name in COLUMNS], rows)


def _little(page: Page) -> str:
    return page.t("explain.little", **spread(), **counts())


def spread() -> dict[str, Any]:
    """How many tokens the sentences have, and the standard errors of a rank correlation of so many."""
    few, many = min(lab.nearness().tokens), max(lab.nearness().tokens)
    errors = {name: short(1 / math.sqrt(n - 1)) for name, n in (("small", many), ("large", few))}
    return {"few": few, "many": many} | errors


def _chart(page: Page, correlations: Mapping[str, Tensor]) -> Chart:
    """For each layer and measure the mean over the sentences, from the lowest to the highest."""
    layers = Axis(page.t("axis.layer"), (0.5, store.LAYERS + 0.5), ticks=tuple(range(1, store.LAYERS + 1)))
    names = [page.t(f"measure.{name}") for name in correlations]
    plot = Plot(layers, Axis(page.t("axis.correlation"), (-1.0, 1.0)), names, height=HERO)
    for series, values in enumerate(correlations.values()):
        ends = [part.tolist() for part in (values.mean(0), values.amin(0), values.amax(0))]
        for layer, (mean, low, high) in enumerate(zip(*ends, strict=True), 1):
            at = layer + BESIDE * (series - 1)
            plot.mark(
                "span", at, mean, series, low=low, high=high, sentence=f"{names[series]}: {short(mean)}"
            )
    return plot.chart()


def _row(page: Page, name: str) -> tuple[str, ...]:
    """A measure: mean, lowest and highest rank correlation, how often it is nearest, and without specials."""
    values, words = lab.nearness().correlations[name], lab.nearness(special=False).correlations[name]
    numbers = (values.mean(), values.min(), values.max())
    ends = (*numbers, words.mean())
    mean, low, high, without = (short(end.item()) for end in ends)
    return (page.t(f"measure.{name}"), mean, low, high, str(lab.nearness().nearest()[name]), without)


# ---- one sentence


def _sentence(page: Page) -> None:
    """The sentence, and the layer in which it is measured."""
    say.markdown(f"##### {page.t('explain.one')}")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        texts.choose(page, tuple(store.explained()), shipped_name(page))
        texts.type_in(page)
        texts.type_in(page, "typed_other", store.explained()[shipped_name(page)].other)
        page.choose("layer", range(store.LAYERS), lambda layer: str(layer + 1))
    texts.explain_unread(page, "typed", "typed_other")


def _one(page: Page) -> None:
    measures, tokens = measures_of(page), tuple(texts.tokens_of(sentence_name(page)))
    layout = [Flow(["measures"]), Flow(["agreement"])]
    placing.draw(page, "explained", sizes.matrices_of(page, measures, tokens), layout)
    for line in sizes.sentences(page, measures, tokens):
        say.sentence(line)


def _claims(page: Page) -> None:
    say.caption(page.t("explain.sizes", layer=page.look.layer + 1))
    sizes.claims(page, *measures_of(page))


def measures_of(page: Page) -> sizes.TokenMeasures:
    """What each token of the sentence counts for in the chosen layer, by four measures."""
    name = sentence_name(page)
    return lab.layer_measures(texts.load(name), explained(page, name), page.look.layer)
