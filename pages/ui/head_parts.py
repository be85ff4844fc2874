"""The parts of the lesson on many heads: what each shows, and what of it follows a dragged number."""

from __future__ import annotations

import streamlit as st
import torch

from . import choices, edits, head_facts, heatmaps, lesson, mistakes, state, step_view
from . import settings as s
from .compute import options_of, tensors_of, trace_of
from .figures import StepView, numbers
from .head_code import code
from .head_figures import COORDINATES, HeadFigures, origin_table, path_table
from .numbers import short
from .results import size
from .sidebar import bound
from .steps import axis_labels, token_names
from .texts import Texts, literal

PARTS = ("overview", "split", "ablation", "view", "sharing", "code")


class HeadsLesson:
    """The lesson for the present settings. draw(part) and live(part) go together."""

    def __init__(self, t: Texts):
        self.t, self.now = t, state.settings()
        self.trace = trace_of(self.now)
        self.weights, self.options = tensors_of(self.now), options_of(self.now)
        self.figures = HeadFigures(self.now, self.trace, axis_labels(t, self.now))
        self.names = token_names(t, self.now)

    def draw(self, part: str) -> None:
        getattr(self, f"_{part}")()

    def live(self, part: str) -> dict:
        """The new numbers of the part's charts and sentences."""
        views = getattr(self, f"_{part}_views", list)()
        charts = {view.name: step_view.live_table(self.now, view) for view in views}
        if part == "overview":
            charts["heads"] = numbers(StepView("heads", self.figures.head_weights(), lambda r, c: ""))
        if part == "split":
            view = self.figures.wide_query()
            charts[view.name] = step_view.live_table(self.now, view)
            rows, _ = self.figures.path()
            panels = [panel for row in rows for panel in row]
            charts["path"] = numbers(StepView("path", panels, lambda r, c: ""))
        texts = {"same": self._same()} if part == "split" else {}
        return {"charts": charts, "texts": texts}

    def _figures(self, views: list[StepView], *, traced: bool = True) -> None:
        for view in views:
            text = f"#### {self.t(f'title.{view.name}')}\n\n{self.t(f'why.{view.name}')}"
            step_view.draw_figure(self.t, self.now, view, text, traced=traced)

    # ---- all heads

    def _overview_views(self) -> list[StepView]:
        t = self.t
        if self.now.num_heads == 1:
            return []
        return [self.figures.compare(), self.figures.summary(t("panel.mean"), t("panel.maximum"))]

    def _overview(self) -> None:
        t, now = self.t, self.now
        panels = self.figures.head_weights()
        data = step_view.table(now, StepView("heads", panels, lambda r, c: ""))
        with st.container(key="step-heads"):
            st.markdown(f"#### {t('title.heads')}\n\n{t('why.heads')}")
            step_view.chart(data, heatmaps.peek_spec(panels, now.head), t("title.heads"))
        if now.num_heads == 1:
            return
        if now.example == "two_jobs":
            st.markdown(t("page.jobs"))
        with st.container(horizontal=True):
            choices.shown_head(t, now)
            st.segmented_control(
                t("page.other"),
                range(now.num_heads),
                required=True,
                format_func=lambda h: str(h + 1),
                **bound("other", min(now.other, now.num_heads - 1)),
            )
        self._figures(self._overview_views())

    # ---- split and join

    def _split(self) -> None:
        t, now = self.t, self.now
        if now.num_heads > 1 and not self._ask_columns():
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for field, choices in (("projection", s.PROJECTIONS), ("writing", s.WRITINGS)):
                st.segmented_control(
                    t(f"page.{field}"),
                    choices,
                    required=True,
                    format_func=lambda name: t(f"choice.{name}"),
                    **bound(field, getattr(now, field)),
                )
        rows, at = self.figures.path()
        with st.container(key="step-path"):
            st.markdown(f"#### {t('title.path')}\n\n{t('why.path')}")
            data = path_table(rows, at)
            step_view.chart(data, heatmaps.path_spec(rows, COORDINATES), t("title.path"))
        lesson.say("same", self._same())

    def _ask_columns(self) -> bool:
        """Which columns of Q are the second head's?"""
        width, heads = self.now.head_dim, self.now.num_heads
        options = {
            "block": _range(width, 2 * width, 1),
            "every": _range(1, width * heads, heads),
            "rows": self.t("option.rows"),
        }
        if options["block"] == options["every"]:  # two heads of width 1
            del options["every"]
        facts = {"heads": heads, "width": width, "columns": heads * width}
        guessed = lesson.ask(self.t, self.now, "columns", options, "block", **facts)
        if not guessed:
            self._figures([self.figures.wide_query()])
        return guessed

    def _same(self) -> str:
        """The two ways of writing give the same numbers."""
        queries, output = head_facts.one_projection_a_head(self.trace, self.weights, self.options)
        difference = max(
            (queries - self.trace.heads.query).abs().max().item(),
            (output - self.trace.output).abs().max().item(),
        )
        return self.t("page.same", difference=size(difference))

    # ---- heads switched off

    def _ablation_views(self) -> list[StepView]:
        t = self.t
        titles = (t("panel.all_heads"), t("panel.without"), t("panel.lost"))
        views = [self.figures.ablation(titles), self.figures.parts()]
        return views + ([self.figures.output_rows()] if self.now.num_heads > 1 else [])

    def _ablation(self) -> None:
        t, now = self.t, self.now
        losses = head_facts.losses(self.trace, self.weights.get("w_o"))
        if now.num_heads > 1:
            answer = str(max(range(now.num_heads), key=losses.__getitem__) + 1)
            names = {str(h + 1): t("option.head", head=h + 1) for h in range(now.num_heads)}
            reasons = {
                str(h + 1): t("because.ablation", share=f"{share:.0%}") for h, share in enumerate(losses)
            }
            if not lesson.ask(t, now, "ablation", names, answer, reasons):
                return
        st.pills(
            t("page.heads_on"),
            range(now.num_heads),
            selection_mode="multi",
            format_func=lambda h: t("option.head", head=h + 1),
            **bound("off", [h for h in range(now.num_heads) if h not in now.off], _switch),
        )
        lost = head_facts.without_heads(self.trace, self.weights.get("w_o"), now.off) - self.trace.output
        whole = self.trace.output.norm().item()
        share = lost.norm().item() / whole if whole else 0.0
        st.markdown(t("page.lost" if now.off else "page.all_on", share=f"{share:.0%}"))
        views = self._ablation_views()
        self._figures(views[:2])
        self._figures(views[2:], traced=False)

    # ---- view without transpose

    def _view_views(self) -> list[StepView]:
        if self.now.kv_heads != self.now.num_heads:
            return []
        t = self.t
        return [self.figures.wrong_split((t("panel.right"), t("panel.view"), t("panel.difference")))]

    def _view(self) -> None:
        t, now = self.t, self.now
        if now.num_heads > 1 and len(now.tokens) > 1 and not self._ask_view():
            return
        st.code(t("code.split"), language="python")
        for name, transpose in (("origins_right", True), ("origins_view", False)):
            self._origins(name, now.tokens, now.num_heads, now.head_dim, transpose=transpose)
        views = self._view_views()
        if views:
            self._figures(views)
            off = max(abs(value) for row in views[0].result.values for value in row)
            st.markdown(t("page.view_off", difference=short(off)))
        else:
            st.info(t("page.view_grouped"))
        self._note()

    def _ask_view(self) -> bool:
        """Whose numbers stand in the first row of the second head?"""
        now = self.now
        shape = (len(now.tokens), now.num_heads, now.head_dim)
        there = mistakes.origins(*shape, transpose=False)[1, 0, 0, 0].item()
        options = {str(i + 1): literal(self.names[i]) for i in dict.fromkeys([0, there, len(now.tokens) - 1])}
        reasons = {
            str(i + 1): self.t("because.view_there" if i == there else "because.view_other")
            for i in range(len(now.tokens))
        }
        facts = {"token": literal(self.names[0])}
        return lesson.ask(self.t, now, "view", options, str(there + 1), reasons, **facts)

    def _origins(self, name: str, tokens: tuple[str, ...], heads: int, width: int, *, transpose: bool):
        t = self.t
        axes = (t("axis.row"), t("axis.heads"))
        panels, data = origin_table(tokens, heads, width, transpose=transpose, axes=axes)
        with st.container(key=f"step-{name}"):
            st.markdown(f"#### {t(f'title.{name}')}\n\n{t(f'why.{name}')}")
            spec = heatmaps.spec(panels, stacked=step_view.is_narrow())
            step_view.chart(data, spec, t(f"title.{name}"))

    def _note(self) -> None:
        """The worked case of note 002, with seeded numbers of its sizes: what it says, and what comes."""
        t = self.t
        generator = torch.Generator().manual_seed(0)
        x, *weights = (
            torch.randn(*shape, dtype=torch.float64, generator=generator)
            for shape in ((4, 8), *((8, 8),) * 4)
        )
        note = mistakes.note_multi_head(x, *weights, 2)
        same = (note.heads[0] - note.heads[1]).abs().max().item()
        st.markdown(f"### {t('title.note')}\n\n{t('why.note')}")
        rows = [
            ("heads", t("note.heads_said"), t("note.heads_is", difference=size(same))),
            ("tokens", t("note.tokens_said"), t("note.tokens_is")),
            ("output", "(1, 4, 8)", str(tuple(note.output.shape))),
        ]
        lesson.table(
            [t("note.what"), t("note.said"), t("note.is")], [(t(f"note.{a}"), b, c) for a, b, c in rows]
        )
        tokens = tuple(t("note.token", i=i + 1) for i in range(4))
        self._origins("note_origins", tokens, 2, 4, transpose=False)

    # ---- shared keys and values

    def _sharing(self) -> None:
        t, now = self.t, self.now
        if now.num_heads == 1:
            st.markdown(t("page.sharing_one"))
            return
        facts = {"d_k": now.head_dim, "d_v": now.value_dim, "heads": now.num_heads}
        answer = now.head_dim + now.value_dim
        full = head_facts.cost(now, now.num_heads)
        facts |= {"kept": answer, "full": full.cache}
        if not lesson.ask_number(t, now, "cache", answer, **facts):
            return
        st.markdown(f"#### {t('title.sharing')}\n\n{t('why.sharing')}")
        rows = [self._cost_row(cost, full) for cost in head_facts.costs(now)]
        lesson.table(
            [t(f"cost.{name}") for name in ("kv_heads", "serves", "parameters", "cache", "share")], rows
        )
        st.caption(t("cost.caption", n=len(now.tokens)))

    def _cost_row(self, cost: head_facts.Cost, full: head_facts.Cost) -> tuple[str, ...]:
        t, now = self.t, self.now
        kind = {now.num_heads: "mha", 1: "mqa"}.get(cost.kv_heads, "gqa")
        marked = "**" if cost.kv_heads == now.kv_heads else ""
        each = now.num_heads // cost.kv_heads
        serves = "; ".join(
            ", ".join(str(h + 1) for h in range(group * each, (group + 1) * each))
            for group in range(cost.kv_heads)
        )
        return (
            f"{marked}{cost.kv_heads} {t(f'cost.{kind}')}{marked}",
            serves,
            f"{marked}{cost.parameters}{marked}",
            f"{marked}{cost.cache}{marked}",
            f"{cost.cache / full.cache:.0%}",
        )

    # ---- in code

    def _code(self) -> None:
        code(self.t, self.now, self.trace, self.weights, self.figures)


def _switch(now: s.Settings, on: list[int]) -> s.Settings:
    return edits.with_choice(now, off=frozenset(range(now.num_heads)) - set(on))


def _range(start: int, stop: int, step: int) -> str:
    """Columns as people count them: 3, 4 for _range(2, 4, 1)."""
    return ", ".join(str(column + 1) for column in range(start, stop, step))
