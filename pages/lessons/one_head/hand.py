"""Cause and effect: a number of X decides which word attends to which."""

from typing import Any

from pages import session
from pages.ask import blocks
from pages.draw import inputs, matrix, placing, say, steps, winners
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model.progress import Takeaway
from pages.picture import Arcs, Arrow, Flow, Passage, softmax_of

from . import sentence
from .sentence import IT, STREET

TRIES = (3, 6)  # without success: after so many a hint, and after so many more the cell


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("hand.intro", **_names(sentence.told(page)))
    yield blocks.control(sentence.loading)
    yield blocks.picture(_picture)
    yield blocks.control(_hints, follows="released")
    yield blocks.control(sentence.way_back, follows="released")


def _names(told: Page) -> dict[str, Any]:
    return {"query": told.tokens[IT], "key": told.tokens[STREET]}


def _weights(told: Page) -> list[float]:
    return steps.of(told).head.weights[IT].tolist()


def task(page: Page) -> bool:
    """Whether “it” attends most to “street”."""
    return sentence.is_own(page) and winners.winner(_weights(sentence.told(page))) == STREET


def keep(page: Page) -> Takeaway:
    told = sentence.told(page)
    weight = short(_weights(told)[STREET])
    return Takeaway({"query": told.words[IT], "key": told.words[STREET], "weight": weight})


def _picture(page: Page) -> None:
    """The words with the weights of “it” as arcs, X, and the row of weights."""
    told = sentence.told(page)
    head = steps.of(told).head
    x = inputs.matrix(told, "x")
    weights = matrix.of(
        "weights",
        page.t("hand.weights", **_names(told)),
        head.weights[IT : IT + 1],
        [told.tokens[IT]],
        list(told.tokens),
        kind="weights",
        recipe=softmax_of(head.scaled_scores[IT : IT + 1].tolist()),
        alt=page.t("title.weights"),
    )
    placing.draw(
        page,
        "hand",
        [x.to_edit(grow=None) if sentence.may_edit(page, "x") else x.to_read(), weights],
        [Flow(["x", Arrow(page.t("hand.computed")), "weights"])],
        arcs=_arcs(told, head.weights.tolist()),
        passages=[Passage("", _sentences(told))],
    )


def _arcs(told: Page, weights: list[list[float]]) -> Arcs:
    """The arcs of “it”; no other word can be chosen."""
    return Arcs(told.tokens, IT, weights, [""] * len(weights), "")


def _sentences(told: Page) -> list[str]:
    """Which word gets most, what “street” gets, and where “it” has made itself the best key."""
    t, weights, facts = told.t, _weights(told), _names(told)
    best, share = winners.winner(weights), short(weights[STREET])
    if best == STREET:
        return [t("hand.done", weight=share, **facts)]
    gets = {"query": facts["query"], "wanted": facts["key"], "weight": share}
    lines = [winners.sentence(t, "hand.most", told.tokens, weights, **gets)]
    return [*lines, t("hand.itself", **facts)] if best == IT else lines


def _hints(page: Page) -> None:
    """After some tries a hint, after some more the cell. A try: a change of X that does not do it."""
    told = sentence.told(page)
    tries: dict[str, Any] = session.memory("hand", lambda: {"x": sentence.start(page).x, "count": 0})
    if tries["x"] != told.settings.x:
        tries.update(x=told.settings.x, count=tries["count"] + 1)
    if not sentence.is_own(page) or task(page):
        return
    hint, cell = TRIES
    if tries["count"] >= hint:
        say.markdown(page.t("hand.cell" if tries["count"] >= cell else "hand.hint", **_names(told)))
