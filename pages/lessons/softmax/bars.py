"""From scores to weights: the exponentials, their sum, the weights; a lecture note's example, recomputed."""

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attention.lab.softmax import scores as softmax
from pages import picture
from pages.ask import blocks, questions
from pages.draw import charts, matrix, placing, plots, say
from pages.draw.charts import Axis, Chart
from pages.draw.numbers import short
from pages.draw.page import Page, small
from pages.model.scores import Scores
from pages.picture import Arrow, Flow, Items, Matrix
from pages.picture.traced import Traced, by_name

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


def draw(page: Page) -> blocks.Blocks:
    """The question; then the learner's scores, and the lecture note's."""
    yield blocks.asking("soft_three", _asked)
    yield blocks.text("bars.intro")
    yield blocks.control(scores.buttons, follows="moved")
    yield blocks.picture(_own)
    yield replace(blocks.aside(scores.origin, follows="moved"), kind="said")
    yield blocks.result(_sum)
    yield blocks.chart("bars", _charts, _file)
    yield blocks.aside(_note_title)
    yield blocks.picture(_note)
    yield replace(blocks.aside(_verdict), kind="said")


def _asked(page: Page) -> bool:
    """The question; then the softmax of its scores, where these are not the learner's."""
    if not _ask_weights(page):
        return False
    if asked_scores(page) == page.scores.logits:
        return True
    asked = replace(page, numbers=page.numbers.having(Scores(QUESTION_SCORES)))
    worked_out = [shown.to_read() for shown in matrices(asked, "asked_")]
    placing.draw(page, "three", worked_out, [_flow("asked_")])
    return True


def _own(page: Page) -> None:
    """The softmax of the learner's scores, step by step."""
    placing.draw(page, "scores", matrices(page), [_flow()])


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


def _flow(prefix: str = "") -> Flow:
    way: Items = ["logits", Arrow("exp"), "exps", Arrow("Σ"), "total", Arrow("÷ Σ"), "weights"]
    return Flow([prefix + snapshot if isinstance(snapshot, str) else snapshot for snapshot in way])


def matrices(page: Page, prefix: str = "") -> list[Matrix]:
    """The scores, their exponentials, the sum and the weights. prefix: of their names."""
    steps = steps_of(page, prefix)
    shown = [matrix.number(page, steps[name]) for name in ("exps", "total", "weights")]
    return [replace(scores.to_edit(page), id=f"{prefix}logits"), *shown]


def steps_of(page: Page, prefix: str = "") -> dict[str, Traced]:
    """From the scores to the weights. prefix: of the ids of those that the picture shows.

    Where float64 cannot hold the sum of the exponentials, the largest score is subtracted first.
    """
    t, logits, number = page.t, page.scores.logits, scores.number(page, id=f"{prefix}logits")
    weights = softmax.softmax(logits)

    def raised() -> dict:
        return scores.raised(logits, exps.value[0].tolist(), number.id)

    def divided() -> dict:
        numbers, sums = above.value[0].tolist(), below.value.item()
        if not shifted:
            return scores.divided(numbers, sums, weights, [exps.id, total.id])
        less, added = scores.bracketed(max(logits)), f"   ({t('bars.shifted')})"
        texts = [
            f"p{small(i)} = exp({scores.entry(score)} − {less}) / {short(sums, 4)} = {weight:.4f}{added}"
            for i, (score, weight) in enumerate(zip(logits, weights, strict=True), 1)
        ]
        return picture.written([texts], [exps.id, total.id])

    exps = number.exp().called("exps", id=f"{prefix}exps", how=raised)
    total = exps.sum().called("total", id=f"{prefix}total", title="Σ")
    above, below, shifted = exps, total, list[Traced]()
    if not _is_held(total.value.item()):
        largest = scores.largest(number)
        less = (number - largest).called("shifted")
        above = less.exp().called("shifted_exps")
        below = above.sum().called("shifted_total")
        shifted = [largest, less, above, below]
    look: dict[str, Any] = {"id": f"{prefix}weights", "title": t("panel.weights"), "kind": "weights"}
    last = (above / below).called("weights", "p", known=softmax.tensor([weights]), how=divided, **look)
    return by_name(exps, total, *shifted, last)


def _is_held(total: float) -> bool:
    """Whether float64 holds the number with all its digits."""
    return sys.float_info.min <= total < math.inf


def _sum(page: Page) -> str:
    distribution = softmax.written_out(page.scores.logits)
    exps = " + ".join(short(value, 3) for value in distribution.exps)
    key = "bars.sum" if _is_held(distribution.total) else "bars.sum_beyond"
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


def _note_title(page: Page) -> None:
    say.markdown(f"##### {page.t('note.title')}\n\n{page.t('note.why')}")


def _note(page: Page) -> None:
    placing.draw(page, "note", note_matrices(page))


def _verdict(page: Page) -> None:
    exact = softmax.softmax(softmax.NOTE_SCORES)
    facts = {name: f"{weight:.4f}" for name, weight in zip(("first", "second", "third"), exact, strict=True)}
    total, rounded = sum(softmax.NOTE_WEIGHTS), sum(round(weight, 2) for weight in exact)
    say.markdown(page.t("note.verdict", **facts, total=f"{total:.2f}", rounded=f"{rounded:.2f}"))
