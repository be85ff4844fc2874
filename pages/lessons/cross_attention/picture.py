"""The whole computation on one screen: queries from X, keys and values from Y."""

from __future__ import annotations

import streamlit as st

from pages.model.examples import EXAMPLES
from pages.model.settings import Settings
from pages.ui import choices, figure, inputs, results
from pages.ui.page import Page
from pages.ui.picture import Arrow, Flow, Grid, Matrix, Passage
from pages.ui.walk import walk

from . import scene


def draw(page: Page) -> None:
    t = page.t
    with st.container(key="second", horizontal=True, vertical_alignment="bottom", gap="small"):
        scene.source(page)
        scene.mask(page)
    found = scene.of(page)
    reading = results.reading(t, found.head, page.tokens, page.row, page.source)
    figure.draw(
        page,
        "cross",
        matrices(page, found),
        layout(page, found),
        steps=walk(found),
        on_pick=choices.choose_head,
        fit=True,
        follow=True,
        passages=[results.checks(t, found.head), Passage(t("reading.title"), [reading])],
    )
    st.markdown(about(page))


def about(page: Page) -> str:
    """Where X and Y come from, and what the mask between them means."""
    t, now = page.t, page.now
    texts = [t("cross.about")]
    if _by_hand(now):
        texts.append(t(f"by_hand.{now.example}"))
    if now.cross_mask != "none":
        texts.append(t(f"cross.{now.cross_mask}"))
    return t.joined(texts)


def _by_hand(now: Settings) -> bool:
    """The two sequences are still those of an example that was made for this lesson."""
    start = Settings(**EXAMPLES[now.example])
    same = (now.tokens, now.x, now.source, now.y) == (start.tokens, start.x, start.source, start.y)
    return now.example in ("cats", "translation") and same


def matrices(page: Page, found: scene.CrossSteps) -> list[Matrix]:
    names = inputs.names(page.now)
    shown = [inputs.matrix(page, name) for name in (names[0], "y", *names[1:])]
    shown += [found.matrix(name) for name in found.names()]
    return shown + (found.thumbnails() if found.several else [])


def layout(page: Page, found: scene.CrossSteps) -> list[Grid | Flow]:
    """Q stands where X and W_Q cross, K and V where Y crosses theirs; then the way to the output."""
    rows = [[None, "w_q", None, "w_k", "w_v"]]
    if page.now.b_q is not None:
        rows.append([None, "b_q", None, "b_k", "b_v"])
    rows.append(["x", "query", "y", "key", "value"])
    flow = [
        "scores",
        Arrow(f"÷ {found.divisor()}"),
        "scaled_scores",
        Arrow(page.t("cross.mask_arrow")),
        "masked_scores",
        Arrow("softmax"),
        "weights",
        Arrow(f"· {found.symbol('V')}"),
        "head_output" if found.several else "output",
    ]
    bands: list[Grid | Flow] = [Grid(rows), Flow(flow)]
    if found.several:
        bands.append(choices.heads_band(page))
    return bands
