"""All heads of a sentence: the learner looks for the one that does something, then a table names it."""

import functools
from collections.abc import Callable

import streamlit as st
from torch import Tensor

from attention.lab.real_heads import pronouns, store
from attention.lab.real_heads.measure import measured
from pages.ui import figure, plots, questions, say, topics
from pages.ui.numbers import short
from pages.ui.page import Page
from pages.ui.picture import Flow, Group, Matrix

from . import scene
from .settings import HEADS, LAYERS

KINDS = ("previous", "next", "first", "same_word", "animal")
HALF = 0.5  # a head does something where it gives at least half of its weight to it
DECIMALS = 3  # of a weight that is drawn as a colour alone
COLUMNS = ("pattern", "best", "mean_weight", "half", "queries", "sentences")


def draw(page: Page) -> None:
    kind = topics.choose(page, KINDS)
    asked, verdict = functools.partial(_asked, page), functools.partial(_verdict, page, kind)
    facts = {"layers": LAYERS, "heads": HEADS, "all": LAYERS * HEADS}
    shape = (LAYERS, HEADS)
    if questions.ask_cell(page, f"real_{kind}", asked, verdict, shape, how="which.how", **facts):
        _found(page, kind)


def _asked(page: Page, commit: Callable[[dict], None]) -> None:
    """All heads to look at, and the button that answers with the one that is looked at."""
    layer, head = scene.head(page)
    st.button(
        page.t("which.answer", head=scene.named(page, layer, head)),
        key="answer_head",
        on_click=commit,
        args=({"row": layer, "col": head},),
        type="primary",
    )
    _heads(page)


def _heads(page: Page) -> None:
    """The thumbnails, a line for each layer, and the head that is looked at."""
    small = thumbnails(page)
    group = Group([one.id for one in small], page.t("which.all"), columns=HEADS)
    figure.draw(
        page, "thumbnails", [*small, scene.large(page)], [Flow([group, "model_weights"])], on_pick=scene.pick_head
    )


def thumbnails(page: Page) -> list[Matrix]:
    """The weights of every head, small, as the model computed them; a click looks at one."""
    names = scene.tokens_of(page.own.sentence)
    return [
        Matrix(
            id=f"weights_{layer + 1}_{head + 1}",
            title=f"{layer + 1}.{head + 1}",
            rows=names,
            cols=names,
            kind="weights",
            values=[[round(weight, DECIMALS) for weight in row] for row in weights.tolist()],
            size="thumbnail",
            choose=layer * HEADS + head,
            chosen=(layer, head) == scene.head(page),
            alt=scene.named(page, layer, head),
        )
        for layer, of_layer in enumerate(scene.sentence(page).model_weights)
        for head, weights in enumerate(of_layer)
    ]


# ---- what is measured


def weight_on(kind: str) -> Tensor:
    """The mean weight of every head (layers, heads) on what it is asked for."""
    if kind == "animal":
        return pronouns.on(store.load("tired"), "it", "animal")
    return measured().means[kind]


def queries(kind: str) -> int:
    return 1 if kind == "animal" else measured().queries[kind]


def sentences(kind: str) -> int:
    return 1 if kind == "animal" else measured().sentences


def best(kind: str) -> tuple[int, int]:
    return divmod(int(weight_on(kind).argmax()), HEADS)


def does(kind: str, layer: int, head: int) -> bool:
    """At least half of its weight goes there; where no head gives so much, it gives the most."""
    weight = weight_on(kind)
    return weight[layer, head].item() >= min(HALF, weight.max().item())


def _verdict(page: Page, kind: str, layer: int, head: int) -> tuple[bool, str]:
    given = short(weight_on(kind)[layer, head].item())
    facts = {"head": scene.named(page, layer, head), "weight": given, "queries": queries(kind)}
    return does(kind, layer, head), page.t("which.given", what=page.t(f"pattern.{kind}"), **facts)


# ---- the answer


def _found(page: Page, kind: str) -> None:
    """What every head gives, beside the head that is looked at; and the heads that the table names."""
    title = page.t(f"pattern.{kind}")
    matrix = scene.of_heads(page, title, weight_on(kind), ringed=[best(kind)], alt=page.t("which.measured"))
    figure.draw(page, "measured", [matrix, scene.large(page)], on_pick=scene.pick_head)
    say.sentence(said(page, kind))
    rows = [_row(page, one) for one in KINDS if page.answer(f"real_{one}") is not None]
    say.table([page.t(f"column.{name}") for name in COLUMNS], rows)
    plots.csv(page, "real_heads", plots.columns(page, COLUMNS, rows))


def said(page: Page, kind: str) -> str:
    """Which head gives most, how much, and how many give at least half."""
    weight, top = weight_on(kind), best(kind)
    facts = {"head": scene.named(page, *top), "weight": short(weight[top].item())}
    count = int((weight >= HALF).sum())
    facts |= {"what": page.t(f"pattern.{kind}"), "queries": queries(kind), "sentences": sentences(kind)}
    return page.t(f"said.{kind}", count=count, all=LAYERS * HEADS, **facts)


def _row(page: Page, kind: str) -> tuple[str, ...]:
    """What is measured, who does it, how much, how many do it, over how many queries and sentences."""
    weight = weight_on(kind)
    numbers = (int((weight >= HALF).sum()), queries(kind), sentences(kind))
    name = scene.named(page, *best(kind))
    return (page.t(f"pattern.{kind}"), name, short(weight.max().item()), *map(str, numbers))
