"""Two words change places: their rows and columns of A move along, and with positions numbers change."""

import functools
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
import torch
from torch import Tensor

from pages import session
from pages.ask import blocks
from pages.draw import arithmetic, inputs, own_sentence, placing, steps
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.examples import row_of_it
from pages.model.languages import LANGUAGES
from pages.model.progress import Takeaway
from pages.picture import Arrow, Flow, Matrix, renamed

BEFORE, AFTER = "_before", "_after"  # the ends of the ids
SEEN = 5e-3  # a weight that changes by less reads the same, or nearly


def draw(page: Page) -> blocks.Blocks:
    if len(page.tokens) == 1:
        yield blocks.info("swap.one_token")
        return
    yield blocks.control(own_sentence.offer)
    yield blocks.control(_controls)
    yield blocks.picture(_swapped)
    yield blocks.said(reading)
    yield blocks.text("swap.about")
    if page.own.with_positions:
        yield blocks.text("swap.made_up")
    yield blocks.ask("order_reversed")
    yield blocks.picture(_reversed)


def _swapped(page: Page) -> None:
    page = page.unfollowed()
    matrices, layout, sources = figure(page)
    pick = functools.partial(_moved_up, page)
    placing.draw(page, "swap", matrices, layout, on_pick=pick, sources=sources)


def _reversed(page: Page) -> None:
    """The answer."""
    page = page.unfollowed()
    matrices, sources = reversed_outputs(page)
    placing.draw(page, "reversed", matrices, sources=sources)


def task(page: Page) -> bool:
    """Whether words have changed places and positions are on."""
    return page.own.with_positions and order_of(page) != _own_order(page)


def keep(page: Page) -> Takeaway:
    """A weight in both orders, without positions and with them; of the sentence, where there is no order."""
    if len(page.tokens) == 1:
        page = replace(page, settings=edits.example_start(LANGUAGES[page.t.language].example))
    order = order_of(page)
    order = order if order != _own_order(page) else order[::-1]
    row, col = cell_of(page, order, positions=True)
    before, after = weights_in_both(page, order, positions=True)
    plain, _ = weights_in_both(page, order, positions=False)
    numbers = {"plain": plain, "before": before, "after": after}
    weights = {name: short(values[row, col].item()) for name, values in numbers.items()}
    facts = {"query": page.words[row], "key": page.words[col], **weights}
    if weights["before"] != weights["after"]:
        return Takeaway(facts)
    del facts["after"]
    return Takeaway(facts, "keep_same")


def order_of(page: Page) -> list[int]:
    """The order of the tokens; their own until the learner makes another one for as many."""
    order = page.own.order
    return list(order) if len(order) == len(page.tokens) else _own_order(page)


def _own_order(page: Page) -> list[int]:
    return list(range(len(page.tokens)))


def in_order(page: Page, order: Sequence[int], *, positions: bool) -> Page:
    """The page with its tokens in that order, without a mask, with sinusoidal positions or none."""
    kind = "sinusoidal" if positions else "none"
    settings = edits.with_choice(page.settings, position=kind, mask="none", mask_2="none")
    return replace(page, settings=edits.reordered(settings, order))


def weights_in_both(page: Page, order: list[int], *, positions: bool) -> tuple[Tensor, Tensor]:
    """The attention weights in the tokens' own order and in the other one, both with rows as in the first."""
    before, after = (
        trace_of(in_order(page, each, positions=positions).settings).head(page.head).weights
        for each in (_own_order(page), order)
    )
    back = torch.tensor(order).argsort()
    return before, after[back][:, back]


def cell_of(page: Page, order: list[int], *, positions: bool) -> tuple[int, int]:
    """The weight that changed most, if possible of “it”; else the largest weight of “it”."""
    before, after = weights_in_both(page, order, positions=positions)
    off, row = (after - before).abs(), row_of_it(page.settings.tokens)
    if off[row].max() >= SEEN:
        return row, int(off[row].argmax())
    if off.max() >= SEEN:
        return divmod(int(off.argmax()), off.shape[1])
    return row, int(before[row].argmax())


def _controls(page: Page) -> None:
    """Two words exchanged, the words' own order, and positions."""
    n = len(page.tokens)
    with st.container(horizontal=True, vertical_alignment="center"):
        orders = {"pair": (1, 0, *range(2, n)), "own": ()}
        for name, order in orders.items():
            about = page.t(f"swap.{name}_help")
            page.set_button(page.t(f"swap.{name}"), f"order_{name}", {"order": order}, help=about)
        page.toggle("with_positions")


def figure(page: Page) -> tuple[list[Matrix], list[Flow], list[placing.Find]]:
    """X in the order of the learner, and the weights before and after; with positions P and X + P as well."""
    order, on, t = order_of(page), page.own.with_positions, page.t
    ends = {BEFORE: _own_order(page), AFTER: order}
    pages = {end: in_order(page, each, positions=on) for end, each in ends.items()}
    computed = {end: steps.of(page) for end, page in pages.items()}
    row, col = cell_of(page, order, positions=on)
    weights = []
    for end, each in ends.items():
        names = [page.tokens[i] for i in each]
        ringed = [(each.index(row), each.index(col))]
        look = {"rows": names, "cols": names, "subtitle": "", "ringed": ringed}
        title = t(f"swap.weights{end}", symbol=computed[end].symbol("A"))
        weights.append(computed[end].second("weights", end, title=title, **look))
    x, pair = _x(page), [matrix.id for matrix in weights]
    added = _with_positions(page, computed[AFTER]) if on else []
    layout = [Flow([x.id, *pair])]
    if added:
        p, x_p = (matrix.id for matrix in added)
        layout = [Flow([x.id, Arrow("+"), p, Arrow("="), x_p]), Flow(pair)]
    return [x, *added, *weights], layout, [computed[end].sources(end) for end in ends]


def reversed_outputs(page: Page) -> tuple[list[Matrix], list[placing.Find]]:
    """The answer: the output in the tokens' own order and in the reversed one, without positions."""
    orders = {"_own": _own_order(page), "_reversed": _own_order(page)[::-1]}
    computed = {end: steps.of(in_order(page, order, positions=False)) for end, order in orders.items()}
    matrices = [
        computed[end].second(
            "output",
            end,
            title=page.t(f"swap.output{end}"),
            rows=[page.tokens[i] for i in order],
            subtitle="",
        )
        for end, order in orders.items()
    ]
    return matrices, [computed[end].sources(end) for end in orders]


def _x(page: Page) -> Matrix:
    """X in the order of the learner; a click moves a row up."""
    order, click = order_of(page), page.t("swap.click")
    matrix = inputs.matrix(page, "x").to_read()
    values = torch.tensor(page.settings.x, dtype=torch.float64)[order]
    recipe = arithmetic.copies("X", page.tokens, matrix.cols, values, lambda row, col: (order[row], col))
    look = {"rows": [page.tokens[i] for i in order], "subtitle": click, "clickable": True, "alt": click}
    return matrix.having(id=f"x{AFTER}", values=values.tolist(), recipe=recipe, **look)


def _with_positions(page: Page, computation: steps.Steps) -> list[Matrix]:
    """P, a row for each place, and X + P, whose columns are still those of X."""
    look = {"cols": inputs.dimensions(page.settings), "subtitle": ""}
    places = [page.t("swap.place", place=place) for place in range(len(page.tokens))]
    p = renamed(computation.positions(), AFTER).having(rows=places, **look)
    names = [page.tokens[i] for i in order_of(page)]
    return [p, computation.second("x_p", AFTER, rows=names, **look)]


def _moved_up(page: Page, picked: dict) -> None:
    """The row that was clicked changes places with the one above it; the first one with the last."""
    if picked.get("matrix") != f"x{AFTER}":
        return
    order, row = order_of(page), int(picked["row"])
    order[row], order[row - 1] = order[row - 1], order[row]
    session.set_own(order=tuple(order) if order != _own_order(page) else ())


def reading(page: Page) -> str:
    """The ringed weight before and after."""
    order, on = order_of(page), page.own.with_positions
    if order == _own_order(page):
        return page.t("swap.own_order")
    row, col = cell_of(page, order, positions=on)
    before, after = (
        short(weights[row, col].item()) for weights in weights_in_both(page, order, positions=on)
    )
    key = "swap.changed" if before != after else "swap.unchanged" if on else "swap.same"
    return page.t(key, query=page.tokens[row], key=page.tokens[col], before=before, after=after)
