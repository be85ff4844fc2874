"""Heads switched off: what each adds to the output, and what is lost without it."""

import functools
from dataclasses import replace
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention.lab.heads.parts import contributions, losses, without_heads
from pages import session
from pages.ask import blocks, questions
from pages.ask.stand_in import fitting
from pages.draw import arithmetic, inputs, matrix, placing, say, steps, winners
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model.compute import tensors_of
from pages.picture import Arrow, Flow, Items, Matrix, Passage, difference, nice_bound, product

from . import scene
from .scene import percent, percents

SEVERAL = "several"


def draw(page: Page) -> blocks.Blocks:
    if page.settings.num_heads == 1:
        yield blocks.control(scene.alone)
        return
    yield blocks.asking("ablation", _ask)
    yield blocks.picture(_answer)
    yield blocks.control(switches)
    yield blocks.picture(_picture)
    yield blocks.aside(_why)


def _why(page: Page) -> None:
    say.markdown(page.t.joined(page.t(f"ablation.{name}") for name in ("why", "parts", "not_useless")))


def _answer(page: Page) -> None:
    placing.draw(page, "without_each", _without_each(page), sources=[steps.of(page).find])


def _without_each(page: Page) -> list[Matrix]:
    """The answer: Z, and Z without each head; ringed is what changes most."""
    computation, shares = steps.of(page), loss_shares(page)
    most, w_o = largest_losses(shares), tensors_of(page.settings).get("w_o")
    output = replace(computation["output"], id="whole", step_name=None).looking(subtitle="")
    cells = [(row, col) for row in range(len(output.rows)) for col in range(len(output.cols))]
    others = [
        replace(
            output,
            id=f"without_{head + 1}",
            title=page.t("ablation.without_head", head=head + 1, share=share),
            values=(values := without_heads(computation.trace, w_o, frozenset((head,)))).tolist(),
            recipe=_parts_sum(page, computation, frozenset((head,)), values),
        ).looking(ringed=cells if head in most and max(shares) else ())
        for head, share in enumerate(percents(shares))
    ]
    return [output, *others]


def _parts_sum(page: Page, computation: Steps, off: frozenset[int], values: Tensor) -> dict:
    """The parts of the other heads, and the bias, added up."""
    each = contributions(computation.trace, tensors_of(page.settings).get("w_o"))
    terms = [part for head, part in enumerate(each) if head not in off]
    bias = tensors_of(page.settings).get("b_o")
    return arithmetic.sums([*terms, *([] if bias is None else [bias])], values)


def loss_shares(page: Page) -> list[float]:
    """What the output loses without each head, relative to its own norm."""
    return losses(steps.of(page).trace, tensors_of(page.settings).get("w_o"))


def _ask(page: Page) -> bool:
    """Which head's absence changes the output most? The heads' parts are on the screen."""
    page = fitting(page, lambda page: _right(loss_shares(page)) is not None)
    t, shares = page.t, loss_shares(page)
    most = largest_losses(shares)
    options = {str(head + 1): t("ablation.head", head=head + 1) for head in range(page.settings.num_heads)}
    options[SEVERAL] = t("ablation.several")
    text = percents(shares)
    reasons = {
        str(head): t("because.ablation", head=head, share=share) for head, share in enumerate(text, start=1)
    }
    key = "because.ablation_several" if len(most) > 1 else "because.ablation_one"
    reasons[SEVERAL] = t(key, heads=scene.index_list(t, most), share=text[most[0]])
    return questions.ask(
        page, "ablation", lambda: _parts_alone(page), answer=_right(shares), words=options, reasons=reasons
    )


def _right(shares: list[float]) -> str | None:
    """The right option; None where Z is 0, so that nothing can be lost, or where the digits do not tell."""
    return questions.only(holds(shares)) if max(shares) else None


def largest_losses(shares: list[float]) -> list[int]:
    """The heads without which most is lost, in the digits that are shown."""
    return winners.winners(shares, percents(shares))


def holds(shares: list[float]) -> dict[str, bool]:
    """For each head whether more is lost without it than without any other, and whether several tie."""
    most = largest_losses(shares)
    return {str(head + 1): most == [head] for head in range(len(shares))} | {SEVERAL: winners.ties(shares)}


def _parts_alone(page: Page) -> None:
    computation = steps.of(page)
    parts = _parts(page, computation)
    placing.draw(page, "before", parts, [_sum(page, parts)], sources=[computation.find])


def switches(page: Page) -> None:
    """Which heads are on."""
    t, settings = page.t, page.settings
    on = [head for head in range(settings.num_heads) if head not in heads_off(page)]
    st.pills(
        t("setting.off"),
        range(settings.num_heads),
        selection_mode="multi",
        format_func=lambda head: t("ablation.head", head=head + 1),
        help=t("help.off"),
        **session.bind("off", on, functools.partial(_set_on, settings.num_heads)),
    )


def _picture(page: Page) -> None:
    """The output with and without the heads that are off, and what that takes away."""
    computation = steps.of(page)
    parts, joined, outputs = _parts(page, computation), _join(page, computation), _outputs(page, computation)
    line: Items = [joined[0].id, Arrow("· W_O"), *(matrix.id for matrix in (*joined[1:], *outputs))]
    bands, matrices = [Flow(line), _sum(page, parts)], [*joined, *outputs, *parts]
    said = [Passage("", [_loss_sentence(page, computation)])]
    placing.draw(page, "parts", matrices, bands, fit=True, sources=[computation.find], passages=said)


def _set_on(num_heads: int, heads: list[int]) -> None:
    session.set_own(off=frozenset(range(num_heads)) - set(heads))


def heads_off(page: Page) -> frozenset[int]:
    """The heads of the present setup that are switched off."""
    return frozenset(head for head in page.own.off if head < page.settings.num_heads)


def _loss_sentence(page: Page, computation: Steps) -> str:
    if not heads_off(page):
        return page.t("ablation.all_on")
    whole = computation.trace.output.norm().item()
    lost = (computation.trace.output - _output_without(page, computation)).norm().item()
    share = percent(lost / whole if whole else 0.0)
    return page.t("ablation.lost", share=share, heads=scene.index_list(page.t, sorted(heads_off(page))))


def _output_without(page: Page, computation: Steps) -> Tensor:
    return without_heads(computation.trace, tensors_of(page.settings).get("w_o"), heads_off(page))


def _join(page: Page, computation: Steps) -> list[Matrix]:
    """The concatenated heads and W_O: the columns and the rows of heads that are off look masked."""
    settings = page.settings
    labels = scene.columns(settings.num_heads, settings.value_dim)
    lines = [line for line in range(len(labels)) if line // settings.value_dim in heads_off(page)]
    off = [(row, line) for row in range(len(settings.tokens)) for line in lines]
    concatenated = replace(
        computation["concatenated"], cols=labels, step_name=None, masked=off or None
    ).looking(marked=None)
    off = [(line, col) for line in lines for col in range(settings.d_model)]
    w_o = replace(inputs.matrix(page, "w_o"), rows=labels, masked=off or None).looking(marked_rows=None)
    return [concatenated, w_o, *([inputs.matrix(page, "b_o")] if settings.b_o is not None else [])]


def _parts(page: Page, computation: Steps) -> list[Matrix]:
    """Each head's part of the output and, last, their sum."""
    settings = page.settings
    each = contributions(computation.trace, tensors_of(settings).get("w_o"))
    bound = nice_bound(torch.cat([*each, computation.trace.output]).tolist())
    output = replace(computation["output"], step_name=None, bound=bound)
    parts = []
    for head, part in enumerate(each):
        start, title = head * settings.value_dim, f"O_{head + 1} · W_{{O,{head + 1}}}"
        recipe = product("concatenated", "w_o", settings.value_dim, left_start=start, right_start=start)
        look: dict[str, Any] = {"bound": bound, "recipe": recipe, "query_rows": True}
        sides = (computation.queries, list(output.cols))
        parts.append(matrix.of(f"part_{head + 1}", title, part, *sides, **look))
    bias = tensors_of(settings).get("b_o")
    terms = [*each, *([] if bias is None else [bias])]
    sums = arithmetic.sums(terms, computation.trace.output, [part.id for part in parts], least=4)
    return [*parts, replace(output, recipe=sums)]


def _sum(page: Page, parts: list[Matrix]) -> Flow:
    """The parts side by side, an arrow, and their sum."""
    return Flow([*(part.id for part in parts[:-1]), Arrow(page.t("ablation.sum")), parts[-1].id])


def _outputs(page: Page, computation: Steps) -> list[Matrix]:
    """The output without the heads that are off, and what is lost."""
    kept = _output_without(page, computation)
    look: dict[str, Any] = {"bound": nice_bound(computation.trace.output.tolist()), "query_rows": True}
    sides, lost = (computation.queries, counted(kept.shape[-1])), computation.trace.output - kept
    look["recipe"] = _parts_sum(page, computation, heads_off(page), kept)
    rest = matrix.of("kept", page.t("ablation.without"), kept, *sides, **look)
    look["recipe"] = difference("output", "kept")
    return [rest, matrix.of("lost", page.t("ablation.difference"), lost, *sides, **look)]
