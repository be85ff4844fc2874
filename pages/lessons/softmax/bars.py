"""From scores to weights: the exponentials, their sum, the weights; a lecture note's example, recomputed."""

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attention.lab.softmax import scores as softmax
from pages import picture
from pages.ask import questions
from pages.draw import charts, live, placing, plots, say
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import confirmed, short
from pages.draw.page import Page, small
from pages.model.scores import Scores
from pages.picture import Arrow, Flow, Items, Matrix

from . import scores

QUESTION_SCORES = softmax.NOTE_SCORES  # by the question, where the learner's scores do not suit it
MOST = 5  # scores that an option can list
# What people take for the softmax: only the first is.
GUESSES: dict[str, Callable[[tuple[float, ...]], list[float]]] = {
    "exps": softmax.softmax,
    "shares": lambda logits: [score / sum(logits) for score in logits],
    "largest": softmax.hard_maximum,
    "equal": lambda logits: [1 / len(logits)] * len(logits),
}


@live.places
def draw(page: Page) -> None:
    """The question; then the learner's scores, and the lecture note's."""
    if not questions.judged(page, "soft_three", _asked):
        return
    say.markdown(page.t("bars.intro"))
    live.draw(page, scores.buttons)
    live.draw(page, _own)
    plots.draw(page, "bars", _charts, _file)
    _note(page)


def _asked(page: Page) -> bool:
    """The question; then the softmax of its scores, where these are not the learner's."""
    if not _ask_weights(page):
        return False
    if asked_scores(page) == page.scores.logits:
        return True
    asked = replace(page, numbers=page.numbers.having(Scores(QUESTION_SCORES)))
    worked_out = matrices(asked, softmax.written_out(QUESTION_SCORES), "asked_")
    placing.draw(page, "three", [matrix.to_read() for matrix in worked_out], [_flow("asked_")])
    return True


def _own(page: Page) -> None:
    """The softmax of the learner's scores, step by step."""
    distribution = softmax.written_out(page.scores.logits)
    placing.draw(page, "scores", matrices(page, distribution), [_flow()])
    scores.origin(page)
    say.result(_sum(page, distribution))


def asked_scores(page: Page) -> tuple[float, ...]:
    """The learner's scores, if there are few and what people take for their softmax reads differently."""
    logits = page.scores.logits
    if not 1 < len(logits) <= MOST or min(logits) < 0 or not sum(logits):
        return QUESTION_SCORES
    read = {tuple(map(short, guess(logits))) for guess in GUESSES.values()}
    return logits if len(read) == len(GUESSES) else QUESTION_SCORES


def _ask_weights(page: Page) -> bool:
    """The weights of a few scores, before any are shown."""
    asked = asked_scores(page)
    t, distribution = page.t, softmax.written_out(asked)
    options = {name: t.listed(map(short, guess(asked))) for name, guess in GUESSES.items()}
    facts: dict[str, Any] = {
        "scores": t.listed(map(scores.entry, asked)),
        "exps": t.listed(map(short, distribution.exps)),
        "total": short(distribution.total),
    }

    def picture() -> None:
        asks = replace(page, numbers=page.numbers.having(Scores(asked)))
        placing.draw(page, "three_asked", [scores.to_read(asks)])
        scores.origin(asks)
        plots.ghost(page, "bars", _charts(asks))

    return questions.ask(page, "soft_three", picture, words=options, **facts)


def _fits(distribution: softmax.Softmax) -> bool:
    """Whether the sum of the exponentials is a number that float64 holds."""
    return 0 < distribution.total < math.inf


def _flow(prefix: str = "") -> Flow:
    way: Items = ["logits", Arrow("exp"), "exps", Arrow("Σ"), "total", Arrow("÷ Σ"), "weights"]
    return Flow([prefix + snapshot if isinstance(snapshot, str) else snapshot for snapshot in way])


def matrices(page: Page, distribution: softmax.Softmax, prefix: str = "") -> list[Matrix]:
    """The scores, their exponentials, the sum and the weights. prefix: of their names."""
    t, logits = page.t, page.scores.logits
    start, raised, total = (f"{prefix}{name}" for name in ("logits", "exps", "total"))
    exps = [f"exp({scores.entry(s)}) = {short(e, 4)}" for s, e in zip(logits, distribution.exps, strict=True)]
    divided = picture.written([_divisions(page, distribution)], [raised, total])
    look: dict[str, Any] = {"cols": scores.names(page), "recipe": divided, "kind": "weights"}
    return [
        replace(scores.to_edit(page), id=start),
        scores.row(
            raised, "exp(s)", distribution.exps, recipe=picture.written([exps], [start]), cols=look["cols"]
        ),
        Matrix(total, "Σ", [""], ["Σ"], [[distribution.total]], kind="plain", recipe=picture.total(raised)),
        scores.row(f"{prefix}weights", t("panel.weights"), distribution.weights, **look),
    ]


def _divisions(page: Page, distribution: softmax.Softmax) -> list[str]:
    """How each weight is computed; the largest score is subtracted where float64 cannot hold the sum."""
    logits, top = page.scores.logits, max(page.scores.logits)
    if _fits(distribution):
        return [
            f"p{small(i)} = {part} / {total} = {weight:.4f}"
            for i, (value, weight) in enumerate(zip(distribution.exps, distribution.weights, strict=True), 1)
            for part, total in [confirmed(operator.truediv, (value, distribution.total), weight, least=4)]
        ]
    moved = softmax.written_out(tuple(score - top for score in logits))
    total = short(moved.total, 4)
    less = scores.bracketed(top)
    above = [f"exp({scores.entry(score)} − {less})" for score in logits]
    added = f"   ({page.t('bars.shifted')})"
    return [
        f"p{small(i)} = {part} / {total} = {weight:.4f}{added}"
        for i, (part, weight) in enumerate(zip(above, distribution.weights, strict=True), 1)
    ]


def _sum(page: Page, distribution: softmax.Softmax) -> str:
    exps = " + ".join(short(value, 3) for value in distribution.exps)
    key = "bars.sum" if _fits(distribution) else "bars.sum_beyond"
    return page.t(
        key, exps=exps, total=short(distribution.total, 3), weights=short(sum(distribution.weights), 0)
    )


def _charts(page: Page) -> list[Chart]:
    t, logits, distribution = page.t, page.scores.logits, softmax.written_out(page.scores.logits)
    panels = [
        (t("panel.scores"), "s", logits, charts.reach(logits, still=True)),
        (t("panel.exps"), "exp(s)", distribution.exps, charts.reach(distribution.exps, still=True)),
        (t("panel.weights"), "p", distribution.weights, (0.0, 1.0)),
    ]
    side, names = t("axis.key_number"), scores.names(page)
    return [
        charts.bars(Axis(axis, ends), names, values, side=side, title=title, weights=axis == "p")
        for title, axis, values, ends in panels
    ]


def _file(page: Page) -> plots.Columns:
    distribution = softmax.written_out(page.scores.logits)
    columns = (scores.names(page), list(page.scores.logits), distribution.exps, distribution.weights)
    return dict(zip((page.t("axis.key_number"), "s", "exp(s)", "p"), columns, strict=True))


# ---- the lecture note's example


def note_matrices(page: Page) -> list[Matrix]:
    """What a lecture note prints and what is right, with two decimals; the cells that differ are ringed."""
    t, exact = page.t, softmax.softmax(softmax.NOTE_SCORES)
    rounded = [round(weight, 2) for weight in exact]
    wrong = [
        (0, i)
        for i, (a, b) in enumerate(zip(rounded, softmax.NOTE_WEIGHTS, strict=True))
        if abs(a - b) > 1e-9
    ]
    off = [printed - weight for printed, weight in zip(softmax.NOTE_WEIGHTS, exact, strict=True)]
    return [
        scores.row("note_scores", t("setting.logits"), softmax.NOTE_SCORES),
        scores.weights("note_exact", t("note.exact"), exact, "note_scores", ringed=wrong),
        scores.row("note_printed", t("note.printed"), softmax.NOTE_WEIGHTS, kind="weights", ringed=wrong),
        scores.row("note_off", t("note.off"), off, recipe=picture.difference("note_printed", "note_exact")),
    ]


def _note(page: Page) -> None:
    exact = softmax.softmax(softmax.NOTE_SCORES)
    say.markdown(f"##### {page.t('note.title')}\n\n{page.t('note.why')}")
    placing.draw(page, "note", note_matrices(page))
    facts = {name: f"{weight:.4f}" for name, weight in zip(("first", "second", "third"), exact, strict=True)}
    total, rounded = sum(softmax.NOTE_WEIGHTS), sum(round(weight, 2) for weight in exact)
    say.markdown(page.t("note.verdict", **facts, total=f"{total:.2f}", rounded=f"{rounded:.2f}"))
