"""Every kind of mask on the learner's tokens, and what the chosen one does to the weights and the output."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch

from attention import AttentionTrace, causal_mask, scaled_dot_product_attention

from . import edits, lesson, state, step_view
from . import settings as s
from .compute import mask_of, one_mask
from .figures import StepView, mask_panel, signed, weights
from .heatmaps import Axis, Panel
from .masks_scene import Contents, attend, by_name, escaped, figure, open_mask, say, show, steps_of
from .numbers import short
from .results import CHECKS
from .sidebar import bound, mask_numbers
from .steps import StepBuilder
from .texts import Texts

QUESTION = "causal"


def thumbnail(t: Texts, now: s.Settings, steps: StepBuilder, kind: str) -> StepView:
    mask = open_mask(now, one_mask(now, kind))
    return figure(f"mask_{kind}", mask_panel("", mask, steps.queries, steps.keys_across, small=True))


def two_masks(t: Texts, now: s.Settings, steps: StepBuilder) -> StepView:
    """The first mask, the second, and the two together."""
    masks = (one_mask(now, now.mask), one_mask(now, now.mask_2), mask_of(now))
    titles = (t(f"kind.{now.mask}"), t(f"kind.{now.mask_2}"), t("panel.together"))
    panels = [
        mask_panel(title, mask, steps.queries, steps.keys_across, "cell" if i < 2 else "")
        for i, (title, mask) in enumerate(zip(titles, masks, strict=True))
    ]
    return figure("two_masks", *panels)


def question(t: Texts, now: s.Settings, steps: StepBuilder) -> StepView:
    """The scores to click on; after the guess the weights under the causal mask, in their place."""
    head, axes = steps.head, (steps.queries, steps.keys_across)
    if lesson.guess_of(now, QUESTION) is None:
        return figure(f"guess_{QUESTION}", signed(t("panel.scaled"), head.scaled_scores, *axes))
    mask = causal_mask(len(now.tokens))
    return figure(
        f"answer_{QUESTION}",
        weights(t("panel.weights"), attend(head, mask).weights, *axes, masked=(~mask).tolist()),
    )


def masked_scores(t: Texts, now: s.Settings, steps: StepBuilder) -> StepView:
    """The mask and the scores, and what comes of them."""
    view = steps.masked_scores()
    mask = mask_panel(t("panel.mask"), open_mask(now, mask_of(now)), steps.queries, steps.keys_across, "cell")
    return replace(view, panels=[mask, *view.panels])


def _tensor(panel: Panel) -> torch.Tensor:
    return torch.tensor(panel.values, dtype=torch.float64)


def difference(name: str, before: Panel, after: Panel) -> StepView:
    """Without a mask, with it, and what changed."""
    result = signed("Δ", _tensor(after) - _tensor(before), before.rows, before.cols)

    def arithmetic(row: int, col: int) -> str:
        new, old = after.values[row][col], before.values[row][col]
        minus = f"({short(old, 4)})" if old < 0 else short(old, 4)
        return f"{short(new, 4)} − {minus} = {short(result.values[row][col], 4)}"

    return figure(name, before, after, result, arithmetic=arithmetic)


def weights_change(t: Texts, steps: StepBuilder, free: AttentionTrace) -> StepView:
    axes = (steps.queries, steps.keys_across, "cell")
    before = weights(t("panel.without"), free.weights, *axes)
    after = weights(t("panel.with"), steps.head.weights, *axes, masked=steps.masked)
    return difference("weights_change", before, after)


def output_change(t: Texts, steps: StepBuilder, free: AttentionTrace) -> StepView:
    axes = (steps.queries, steps.value_dims, "cell")
    before = signed(t("panel.without"), free.output, *axes)
    after = signed(t("panel.with"), steps.head.output, *axes)
    return difference("output_change", before, after)


def aligned(t: Texts, now: s.Settings, steps: StepBuilder) -> StepView:
    """The last queries against all keys, the causal mask counted from either corner."""
    head, n = steps.head, len(now.tokens)
    first = n - (n + 1) // 2
    queries = Axis(steps.queries.title, steps.labels.tokens[first:])
    panels = []
    for alignment in s.ALIGNMENTS:
        mask = causal_mask(n - first, n, alignment=alignment)
        trace = scaled_dot_product_attention(
            head.query[first:], head.key, head.value, mask=mask, scale=head.scale
        )
        title = t(f"alignment.{alignment}")
        panels.append(weights(title, trace.weights, queries, steps.keys_across, "cell", (~mask).tolist()))
    return figure("aligned", panels[0], replace(panels[1], lit=""))


def changed_most(t: Texts, steps: StepBuilder, free: AttentionTrace) -> str:
    """The row that lost most weight to the mask, in a sentence."""
    lost = (free.weights - steps.head.weights).clamp(min=0).sum(-1)
    row = int(lost.argmax())
    if lost[row] < 5e-3:
        return t("change.nothing")
    return t("change.most", query=steps.labels.tokens[row], share=short(lost[row].item()))


def contents(t: Texts, now: s.Settings) -> Contents:
    steps = steps_of(t, now)
    free = attend(steps.head, None)
    views = [masked_scores(t, now, steps), steps.weights()]
    views.append(steps.head_output() if steps.several else steps.output())
    if now.mask != "none":
        views += [weights_change(t, steps, free), output_change(t, steps, free)]
    if len(now.tokens) > 1:
        views += [question(t, now, steps), aligned(t, now, steps)]
    texts = {name: check(t, steps.head) for name, check in CHECKS.items()}
    return Contents(by_name(*views), texts | {"changed": changed_most(t, steps, free)})


def draw(t: Texts, now: s.Settings) -> None:
    steps, shown = steps_of(t, now), contents(t, now)
    now = replace(now, row=None)
    _choose(t, now, steps)
    if state.is_first_run():
        return
    if len(now.tokens) > 1:
        _ask(t, now, steps, shown.views)
    for name in ("masked_scores", "weights", "head_output", "output"):
        if name in shown.views:
            step_view.draw_step(t, now, shown.views[name])
    if now.mask != "none":
        show(t, now, shown.views["weights_change"], t("page.weights_change"), traced=True)
        say(shown, "changed")
        show(t, now, shown.views["output_change"], t("page.output_change"), traced=True)
    if "aligned" in shown.views:
        show(t, now, shown.views["aligned"], t("page.aligned"))
    st.markdown(f"#### {t('checks.title')}")
    for name in CHECKS:
        say(shown, name)


def _take_mask(kind: str) -> None:
    state.edit(lambda now: edits.with_choice(now, mask=kind))


def _choose(t: Texts, now: s.Settings, steps: StepBuilder) -> None:
    """A thumbnail a kind, with a button; the numbers the chosen ones need; a second mask."""
    st.markdown(f"#### {t('page.gallery')}\n\n{t('page.gallery_why')}")
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="masks"):
        for kind in s.MASKS:
            with st.container(width="content", gap="small"):
                step_view.draw_figure(t, now, thumbnail(t, now, steps, kind), traced=False)
                style = "primary" if kind == now.mask else "secondary"
                st.button(
                    t(f"kind.{kind}"), key=f"take-{kind}", type=style, on_click=_take_mask, args=(kind,)
                )
    if now.mask == "none":
        st.caption(t("page.no_mask"))
        return
    if "custom" in (now.mask, now.mask_2):
        st.caption(t("page.custom"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        mask_numbers(t, now, {now.mask, now.mask_2}, where="_here")
        _second(t, now)
    if now.mask_2 != "none":
        show(t, now, two_masks(t, now, steps), t(f"page.two_{now.combine}"))


def _second(t: Texts, now: s.Settings) -> None:
    st.selectbox(
        t("sidebar.mask_2"),
        s.MASKS,
        format_func=lambda kind: t(f"kind.{kind}"),
        width=220,
        **bound("mask_2", now.mask_2, where="_here"),
    )
    if now.mask_2 != "none":
        st.segmented_control(
            t("sidebar.combine"),
            s.COMBINATIONS,
            required=True,
            format_func=lambda name: t(f"combine.{name}"),
            **bound("combine", now.combine, where="_here"),
        )


def _ask(t: Texts, now: s.Settings, steps: StepBuilder, views: dict[str, StepView]) -> None:
    n, names = len(now.tokens), escaped(steps.labels.tokens)
    mask = causal_mask(n)
    shares = attend(steps.head, mask).weights

    def verdict(row: int, col: int) -> tuple[bool, str]:
        count = int(mask[row].sum())
        facts = {
            "query": names[row],
            "key": names[col],
            "count": count,
            "weight": short(shares[row, col].item()),
        }
        if not mask[row, col]:
            return False, t("causal.hidden", **facts)
        return (True, t("causal.alone", **facts)) if count == 1 else (False, t("causal.shared", **facts))

    def board() -> None:
        step_view.draw_figure(t, now, views[f"guess_{QUESTION}"], traced=False)

    if lesson.ask_cell(t, now, QUESTION, board, verdict, (n, n)):
        view = views[f"answer_{QUESTION}"]
        chosen = replace(now, cell=(view.name, *_guessed(now, n))) if _guessed(now, n) else now
        step_view.draw_figure(t, chosen, view, traced=False)


def _guessed(now: s.Settings, n: int) -> tuple[int, int] | None:
    """The clicked cell, to be ringed in the answer."""
    row, _, col = (lesson.guess_of(now, QUESTION) or "").partition("_")
    cell = (int(row), int(col)) if row.isdecimal() and col.isdecimal() else None
    return cell if cell and max(cell) < n else None
