"""Does attention explain what the model makes of a sentence? Four measures, token by token."""

import streamlit as st

from attention.lab.real_heads import explain as lab
from attention.lab.real_heads import store
from pages.ui import figure, questions, say
from pages.ui.numbers import short
from pages.ui.page import Page
from pages.ui.picture import Flow

from . import sizes, texts


def draw(page: Page) -> None:
    name = shown(page)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        texts.choose(page, tuple(store.explained()), name)
        page.choose("layer", range(store.LAYERS), lambda layer: str(layer + 1))
    given, found = store.explained()[name], measured(page)
    facts = {"sentence": store.sentences()[name], "other": given.other}
    st.markdown(page.t("explain.what", similarity=short(given.similarity), **facts))
    answer = questions.only(sizes.nearest(found))
    if not questions.ask(page, "real_agree", sizes.MEASURES[:3], answer, **correlations(page)):
        return
    tokens = tuple(texts.tokens_of(name))
    figure.draw(
        page, "explained", sizes.pictured(page, found, tokens), [Flow(["measures"]), Flow(["agreement"])]
    )
    for line in sizes.said(page, found, tokens):
        say.sentence(line)
    st.caption(page.t("explain.sizes", layer=page.look.layer + 1))
    sizes.claims(page)


def shown(page: Page) -> str:
    """The sentence; where it is none of those that were explained, the first of them."""
    known = tuple(store.explained())
    return page.own.sentence if page.own.sentence in known else known[0]


def measured(page: Page) -> sizes.Measured:
    """The mean weight that each token gets in the layer, with and without the norms of values; and what it
    does to the model's similarity to another sentence."""
    name, layer = shown(page), page.look.layer
    sentence, given = store.load(name), store.explained()[name]
    return {
        "weight": lab.received(sentence.model_weights[layer]).mean(0),
        "norm": lab.received_norms(sentence)[layer].mean(0),
        "gradient": given.gradient_times_input,
        "left_out": given.leave_one_out,
    }


def correlations(page: Page) -> dict[str, str]:
    """How much each measure agrees with leaving a token out, in the chosen layer."""
    found = measured(page)
    values = {name: sizes.correlation(found[name], found["left_out"]) for name in sizes.MEASURES[:3]}
    return {name: "–" if value is None else short(value) for name, value in values.items()}
