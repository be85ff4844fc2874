"""The same tokens in another order: what moves along, and what gets other numbers."""

from dataclasses import replace
from typing import Any

import streamlit as st
import torch

from attention import causal_mask
from attention.lab.order import off_after_reordering
from attention.lab.weights.changes import moved_rows
from pages import session
from pages.ask import blocks, questions
from pages.draw import arithmetic, inputs, matrix, placing, steps
from pages.draw.numbers import apart, counted
from pages.draw.page import Page
from pages.draw.results import size
from pages.draw.texts import quoted
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.picture import Flow, Matrix

CAUSAL = ("none", "pair", "later", "every")


def draw(page: Page) -> blocks.Blocks:
    if len(page.tokens) == 1:
        yield blocks.picture(_one_token)
        yield blocks.info("along.one_token")
        return
    yield blocks.control(_buttons)
    yield blocks.picture(_figure)
    yield blocks.result(reading)
    yield blocks.asking("order_causal", _ask)
    yield blocks.picture(_swapped)


def _one_token(page: Page) -> None:
    placing.draw(page.unfollowed(), "one_token", [inputs.matrix(page, "x")])


def _figure(page: Page) -> None:
    page = page.unfollowed()
    look: dict[str, Any] = {"sources": [steps.of(page).find, steps.of(other_page(page)).sources("_moved")]}
    placing.draw(page, "along", *figure_of(page), on_pick=lambda picked: _moved_up(page, picked), **look)


def order_of(page: Page) -> list[int]:
    """The order to compare with; the reversed one until the learner makes another for as many tokens."""
    n, order = len(page.tokens), page.own.order
    return list(order) if len(order) == n else list(range(n))[::-1]


def other_page(page: Page) -> Page:
    """The page with its tokens in that order; masks and positions stay where they are."""
    order = order_of(page)
    return replace(page, settings=edits.reordered(page.settings, order))


def _tokens(page: Page) -> list[str]:
    """The tokens in the other order; where one occurs twice, each keeps its own number."""
    return [page.tokens[i] for i in order_of(page)]


def _x(page: Page) -> Matrix:
    """X in the other order; a click moves a row up."""
    order = order_of(page)
    return Matrix(
        id="x_moved",
        title="X′",
        rows=_tokens(page),
        cols=counted(page.settings.d_model),
        values=[list(page.settings.x[i]) for i in order],
    ).looking(subtitle=page.t("along.click"), clickable=True, alt=page.t("along.click"))


def figure_of(page: Page) -> tuple[list[Matrix], list[Flow]]:
    """X, A and the output; below them the same for the other order, and what is left of a difference."""
    order, computation, other = order_of(page), steps.of(page), steps.of(other_page(page))
    tokens, output = _tokens(page), computation["output"]
    weights = other.second("weights", "_moved", title="A′", rows=tokens, cols=tokens)
    after = other.second("output", "_moved", title="O′", rows=tokens, subtitle="")
    off = off_after_reordering(computation.trace.output, other.trace.output, order)
    look: dict[str, Any] = {"alt": page.t("along.difference_alt")}
    look["recipe"] = arithmetic.sums([other.trace.output, -computation.trace.output[order]], off, [after.id])
    matrices = [
        inputs.matrix(page, "x"),
        replace(computation["weights"], step_name=None),
        replace(output, title="O", step_name=None).looking(subtitle=""),
        _x(page),
        weights,
        after,
        matrix.of("difference", page.t("along.difference"), off, tokens, list(after.cols), **look),
    ]
    below = Flow(["x_moved", "weights_moved", "output_moved", "difference"])
    return matrices, [Flow(["x", "weights", "output"]), below]


def _moved_up(page: Page, picked: dict) -> None:
    """The row that was clicked changes places with the one above it; the first one with the last."""
    if picked.get("matrix") != "x_moved":
        return
    order, row = order_of(page), int(picked["row"])
    order[row], order[row - 1] = order[row - 1], order[row]
    session.set_own(order=tuple(order))


def _buttons(page: Page) -> None:
    n = len(page.tokens)
    orders = {"reverse": tuple(range(n))[::-1], "on": (n - 1, *range(n - 1)), "pair": (1, 0, *range(2, n))}
    with st.container(horizontal=True):
        for name, order in orders.items():
            help_text = page.t(f"along.{name}_help")
            page.set_button(page.t(f"along.{name}"), f"order_{name}", {"order": order}, help=help_text)


def not_moved_along(settings: Settings, order: list[int]) -> tuple[torch.Tensor, list[int]]:
    """How far each row of the output is from the row that should be there, and which rows differ."""
    before = trace_of(settings).output
    difference = off_after_reordering(before, trace_of(edits.reordered(settings, order)).output, order)
    return difference, moved_rows(before[order], before[order] + difference)


def reading(page: Page) -> str:
    """Which rows of the output moved along, and why others did not."""
    t, settings = page.t, page.settings
    difference, rows = not_moved_along(settings, order_of(page))
    largest = difference.abs().max().item()
    if not rows:
        return t("along.same", difference=size(largest))
    tokens = _tokens(page)
    names = t.all_of(quoted(tokens[row] for row in rows))
    why = t.joined(t(f"along.because_{name}") for name in causes(settings, order_of(page)))
    return t("along.changed", rows=names, difference=apart(largest), why=why)


def causes(settings: Settings, order: list[int]) -> list[str]:
    """The mask, the positions or both, as far as they change a row on their own; else both together."""
    alone = {
        "mask": edits.with_choice(settings, position="none"),
        "position": edits.with_choice(settings, mask="none", mask_2="none"),
    }
    return [name for name, variant in alone.items() if not_moved_along(variant, order)[1]] or ["both"]


# ---- with a causal mask


def _causal(page: Page) -> Page:
    settings = edits.with_choice(page.settings, position="none", mask="causal", mask_2="none")
    return page.unfollowed(settings)


def _ask(page: Page) -> bool:
    """Which rows can change where the first two tokens change places?"""
    page, (first, second, *_) = page.unfollowed(), page.tokens
    mask = matrix.square(page, "mask", page.t("mask.causal"), causal_mask(len(page.tokens)))
    answer = questions.only(causal_holds(len(page.tokens)))
    return questions.ask(page, "order_causal", matrices=[mask], answer=answer, first=first, second=second)


def _swapped(page: Page) -> None:
    """The first two tokens change places under a causal mask."""
    variant = _causal(page)
    after = replace(variant, settings=edits.reordered(variant.settings, _exchange_order(variant)))
    sources = [steps.of(variant).sources("_causal"), steps.of(after).sources("_swapped")]
    placing.draw(variant, "causal", *swap_figure(variant, after), sources=sources)


def _exchange_order(page: Page) -> list[int]:
    """The order in which the first two tokens have changed places."""
    return [1, 0, *range(2, len(page.tokens))]


def swap_figure(variant: Page, after: Page) -> tuple[list[Matrix], list[Flow]]:
    """A and the output, and below them with the first two tokens exchanged; what differs is ringed."""
    order = _exchange_order(variant)
    tokens = [variant.tokens[i] for i in order]
    computation, other = steps.of(variant), steps.of(after)
    _, rows = not_moved_along(variant.settings, order)
    matrices = []
    for end, version, names in (("_causal", computation, list(variant.tokens)), ("_swapped", other, tokens)):
        mark = "′" if version is other else ""
        ringed = [(row, col) for row in rows for col in range(version.trace.output.shape[-1])] if mark else []
        square: dict[str, Any] = {"rows": names, "cols": names, "subtitle": ""}
        matrices += [
            version.second("masked_scores", end, **square),
            version.second("weights", end, title=f"A{mark}", **square),
            version.second("output", end, title=f"O{mark}", rows=names, subtitle="", ringed=ringed),
        ]
    ids = [version.id for version in matrices]
    return matrices, [Flow(ids[:3]), Flow(ids[3:])]


def causal_holds(n: int) -> dict[str, bool]:
    """Which options name just the rows that can change; of two tokens three options name the same rows."""
    rows = {"none": set(), "pair": {0, 1}, "later": set(range(n)), "every": set(range(n))}
    return {option: rows[option] == {0, 1} for option in CAUSAL}
