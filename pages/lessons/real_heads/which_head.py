"""All heads of a sentence: the learner looks for a head that does something, then a table names it."""

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.real_heads import pronouns, store
from attention.lab.real_heads.measure import first_norms, pattern_means, repeats
from pages import session
from pages.ask import blocks, questions, topics
from pages.draw import placing, plots, say
from pages.draw.numbers import apart, counted, short
from pages.draw.page import Page
from pages.model.ballots import CellForm
from pages.picture import Flow, Group, Matrix

from . import scene, texts
from .settings import HEADS, LAYERS

HALF = 0.5  # a head does something where it gives at least half of its weight to it
COLUMNS = ("pattern", "best", "mean_weight", "half", "queries", "sentences")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(topics.choose)
    yield blocks.asking(f"real_{page.topic.name}", _ask)
    yield blocks.work(_answer)
    yield blocks.aside(_table)
    yield blocks.always(blocks.aside(_model))


def _ask(page: Page) -> bool:
    kind = page.topic.name
    asked, verdict = functools.partial(_draw_heads, page, kind), functools.partial(_verdict, page, kind)
    names = counted(LAYERS), counted(HEADS)
    how: dict[str, Any] = {"how": "which.how", "cell_name": functools.partial(scene.head_name, page)}
    return questions.ask_cell(page, f"real_{kind}", asked, verdict, names, **how, **facts(page, kind))


def _model(page: Page) -> None:
    facts_of = {"layers": LAYERS, "heads": HEADS, "d_k": store.HEAD_DIM}
    say.caption(page.t("scene.model", tired=texts.shipped(page.t, "tired", "“”"), **facts_of))


def _draw_heads(page: Page, kind: str, suffix: str, commit: Callable[[dict], None]) -> None:
    """All heads to look at, and the button that answers with the head that is looked at."""
    if page.look.after == kind and not session.is_recalling():  # the question is asked again
        session.set_view(after="")
    layer, head = scene.head(page)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if kind != "animal":
            texts.choose(page)
            texts.type_in(page)
        st.button(
            page.t("which.answer", head=scene.head_name(page, layer, head)),
            key=f"answer_head{suffix}",
            on_click=commit,
            args=({"row": layer, "col": head},),
            type="primary",
        )
    if kind != "animal":
        texts.explain_unread(page)
    draw_all(page, _name(page, kind))


def draw_all(page: Page, name: str, said: str = "") -> None:
    """All heads, small, and the head that is looked at; a click looks at another one.

    said: about this head, next to its title, which stays in sight on a phone.
    """
    small, large = thumbnails(page, name), scene.large(page, name)
    if said:
        large = large.looking(subtitle=said)
    halves = 1 if page.view.presenting else 2  # the lines of a layer: its heads are next to the large one
    group = Group(
        [matrix.id for matrix in small],
        page.t("which.all", all=LAYERS * HEADS),
        page.t("steps.click_one"),
        columns=HEADS // halves,
    )
    placing.draw(
        page, "thumbnails", [*small, large], [Flow([group, large.id])], on_pick=scene.pick_head, fit=True
    )


def _name(page: Page, kind: str) -> str:
    """The sentence to look at."""
    return "tired" if kind == "animal" else texts.sentence_name(page.own)


def thumbnails(page: Page, name: str) -> list[Matrix]:
    """The weights of every head, small, as the model computed them; a click looks at one."""
    names, (layer, head) = texts.tokens_of(name), scene.head(page)
    chosen = layer * HEADS + head
    return [
        scene.thumbnail(page, names, divmod(number, HEADS), weights, choose=number, chosen=number == chosen)
        for number, weights in enumerate(_rounded_weights(name))
    ]


@functools.lru_cache(maxsize=8)
def _rounded_weights(name: str) -> list[list[list[float]]]:
    return scene.rounded(texts.load(name).model_weights.flatten(0, 1))


# ---- what is measured


def weight_on(kind: str) -> Tensor:
    """The mean weight of every head (layers, heads) on what it is asked for."""
    if kind == "animal":
        return pronouns.on(store.load("tired"), "it", "animal")
    return pattern_means().means[kind]


def queries(kind: str) -> int:
    return 1 if kind == "animal" else pattern_means().queries[kind]


def sentences(kind: str) -> int:
    return 1 if kind == "animal" else pattern_means().sentences


def best(kind: str) -> tuple[int, int]:
    return divmod(int(weight_on(kind).argmax()), HEADS)


def over_half(kind: str) -> int:
    """How many heads give more than half."""
    return int((weight_on(kind) > HALF).sum())


def does(kind: str, layer: int, head: int) -> bool:
    """More than half of its weight goes there; where no head gives so much, it gives the most."""
    weight = weight_on(kind)
    return weight[layer, head].item() > HALF or (layer, head) == best(kind)


def facts(page: Page, kind: str) -> dict[str, Any]:
    """What the question and its reason say."""
    counts = {"queries": queries(kind), "sentences": sentences(kind), "count": over_half(kind)}
    top = scene.head_name(page, *best(kind))
    weight = share_text(weight_on(kind).max().item())
    return {"all": LAYERS * HEADS, "best": top, "weight": weight, **counts, **MORE.get(kind, dict)()}


def share_text(weight: float) -> str:
    """A weight that does not read as 1 where it is less."""
    return apart(weight, 1.0)


@functools.lru_cache(maxsize=1)
def of_first() -> dict[str, Any]:
    """How large the value of [CLS] is in the heads that give it more than half, compared with words."""
    shares = first_norms(map(store.load, store.sentences()))[weight_on("first") > HALF]
    ends = {"low": shares.min(), "high": shares.max(), "mean": shares.mean()}
    return {name: f"{share.item():.0%}" for name, share in ends.items()} | {"texts": len(store.sentences())}


@functools.lru_cache(maxsize=1)
def of_same_word() -> dict[str, Any]:
    """The word that most of the queries have, and what the best head gives to the query's own token."""
    ((word, times),) = repeats(store.ordinary()).most_common(1)
    itself = pattern_means().means["itself"]
    own = best("same_word")
    rank = 1 + int((itself > itself[own]).sum())
    return {"word": word, "times": times, "itself": short(itself[own].item()), "rank": rank}


MORE = {"first": of_first, "same_word": of_same_word}  # what the reason says besides


def _verdict(page: Page, kind: str, layer: int, head: int) -> tuple[bool, str]:
    results = {
        "head": scene.head_name(page, layer, head),
        "weight": share_text(weight_on(kind)[layer, head].item()),
    }
    what = page.t(f"pattern.{kind}")
    return does(kind, layer, head), page.t("which.given", what=what, queries=queries(kind), **results)


# ---- the answer


def shown_head(page: Page, kind: str) -> tuple[int, int]:
    """The head that the answer names, until another one is chosen: the learner's own if it is right."""
    if page.look.after == kind:
        return scene.head(page)
    own = CellForm(LAYERS, HEADS).read(page.answer(f"real_{kind}") or "")
    return own if own is not None and does(kind, *own) else best(kind)


def _answer(page: Page) -> None:
    """What every head gives, next to the head of the answer."""
    kind = page.topic.name
    title, weights = page.t(f"pattern.{kind}"), weight_on(kind)
    matrix = scene.of_heads(page, title, weights, queries(kind), ringed=[best(kind)])
    with blocks.for_readers("measured"):
        say.caption(page.t("which.measured"))
    name = _name(page, kind)
    large = scene.large(page, name, shown_head(page, kind))
    pick = functools.partial(scene.pick_head, after=kind)
    placing.draw(page, "measured", [matrix, large], on_pick=pick, fit=True)


def _table(page: Page) -> None:
    """The heads that do each thing that has been asked for so far."""
    kinds = [topic.name for topic in page.part.topics]
    rows = [_row(page, kind) for kind in kinds if page.answer(f"real_{kind}") is not None]
    say.table([page.t(f"column.{name}") for name in COLUMNS], rows)
    plots.csv(page, "real_heads", plots.columns(page, COLUMNS, rows))


def _row(page: Page, kind: str) -> tuple[str, ...]:
    """What is measured, who does it, how much, how many do it, over how many queries and sentences."""
    result = facts(page, kind)
    names = ("best", "weight", "count", "queries", "sentences")
    return (page.t(f"pattern.{kind}"), *(str(result[name]) for name in names))
