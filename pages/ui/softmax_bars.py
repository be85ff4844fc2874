"""From scores to weights: the exponentials, their sum, the weights; and the note's example, recomputed."""

from __future__ import annotations

import math

import streamlit as st

from . import lesson, step_view
from . import softmax_facts as facts
from .numbers import short
from .settings import Settings
from .softmax_charts import Bars, bars_spec
from .softmax_scene import Contents, Drawing, change_scores, choose_score, finite, reach
from .texts import Texts

EDITED = ("logits",)


def names_of(now: Settings) -> tuple[str, ...]:
    return tuple(str(i + 1) for i in range(len(now.logits)))


def _chart(t: Texts, now: Settings, found: facts.Softmax) -> Drawing:
    scores, exps, weights = list(now.logits), found.exps, found.weights
    written = [[short(value, 3) for value in column] for column in (scores, exps, weights)]
    names = names_of(now)
    data = {
        "i": list(range(len(names))),
        "s": [int(i == now.score) for i in range(len(names))],
        "score": scores,
        "exp": finite(exps),
        "weight": weights,
        "score_text": written[0],
        "exp_text": written[1],
        "weight_text": written[2],
        "d": [
            t("spoken.bar", index=name, score=a, exp=b, weight=c)
            for name, a, b, c in zip(names, *written, strict=True)
        ],
    }

    def spec() -> dict:
        panels = [
            Bars(t("panel.scores"), "score", "score_text", "s", reach(scores), signed=True),
            Bars(t("panel.exps"), "exp", "exp_text", "exp(s)", reach(exps)),
            Bars(t("panel.weights"), "weight", "weight_text", "p", (0.0, 1.0)),
        ]
        return bars_spec(panels, names, t("axis.score"), stacked=step_view.is_narrow())

    headings = (t("axis.score"), "s", "exp(s)", "p")
    file = dict(zip(headings, (list(names), scores, exps, weights), strict=True))
    return Drawing("bars", data, spec, file)


def _sum(t: Texts, found: facts.Softmax) -> str:
    shown = " + ".join(short(value, 3) for value in found.exps)
    total = sum(found.weights)
    if not 0 < found.total < math.inf:
        return t("bars.sum_beyond", exps=shown, weights=short(total, 4))
    return t("bars.sum", exps=shown, total=short(found.total, 4), weights=short(total, 4))


def _arithmetic(t: Texts, now: Settings, found: facts.Softmax) -> str:
    """How the chosen weight came about; with the largest score taken off where exp overflows."""
    i, scores = now.score, now.logits
    weight = f"{found.weights[i]:.4f}"
    if 0 < found.total < math.inf:
        top, bottom = short(found.exps[i], 4), short(found.total, 4)
        return f"p{i + 1} = exp({short(scores[i], 3)}) / Σ = {top} / {bottom} = {weight}"
    shifted = facts.written_out(tuple(score - max(scores) for score in scores))
    top, bottom = short(shifted.exps[i], 4), short(shifted.total, 4)
    less = f"exp({short(scores[i], 3)} − {short(max(scores), 3)})".replace("− −", "+ ")
    return f"p{i + 1} = {less} / Σ = {top} / {bottom} = {weight}   ({t('bars.shifted')})"


def contents(t: Texts, now: Settings, *, live: bool = False) -> Contents:
    found = facts.written_out(now.logits)
    texts = {"sum": _sum(t, found), "weight": _arithmetic(t, now, found)}
    return Contents(drawings=[_chart(t, now, found)], texts=texts)


def draw(t: Texts, now: Settings) -> None:
    shown = contents(t, now)
    change_scores(t, now)
    shown.draw(t, now, "bars")
    shown.say("sum")
    choose_score(t, now)
    shown.say("weight")
    _note(t)


def _note(t: Texts) -> None:
    """Note 000's example: what it prints, and what comes."""
    exact = facts.softmax(facts.NOTE_SCORES)
    rows = [
        (
            f"{score:g}",
            f"{printed:.2f}",
            f"{weight:.6f}",
            f"{weight:.2f}",
            f"{printed - weight:+.4f}".replace("-", "−"),
        )
        for score, printed, weight in zip(facts.NOTE_SCORES, facts.NOTE_WEIGHTS, exact, strict=True)
    ]
    rows.append(
        (
            "Σ",
            f"{sum(facts.NOTE_WEIGHTS):.2f}",
            f"{sum(exact):.6f}",
            f"{sum(round(w, 2) for w in exact):.2f}",
            "",
        )
    )
    st.markdown(f"#### {t('title.note')}\n\n{t('why.note')}")
    lesson.table([t(f"note.{name}") for name in ("score", "printed", "exact", "rounded", "off")], rows)
    st.markdown(t("note.verdict", last=f"{exact[2]:.4f}", first=f"{exact[0]:.4f}"))
