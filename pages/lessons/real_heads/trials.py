"""What sixteen sentences show: heads and coins, the same noun in both of a pair, and two controls."""

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention.lab.real_heads import pronouns
from attention.lab.real_heads.texts import ANECDOTE, PAIRS, TRIALS, Trial
from pages import session
from pages.draw import charts, placing, plots, say
from pages.draw.charts import Axis, Chart, Plot
from pages.draw.numbers import apart, short
from pages.draw.page import Page
from pages.draw.texts import Name, literal

from . import scene, texts
from .settings import HEADS, LAYERS, TOSSES

ALL, MOST = LAYERS * HEADS, len(TRIALS)
Head = tuple[int, int]
TINY = 0.0005  # a weight below it is written with its power of ten
OUTSIDE = 0.05  # of means that are 0 in truth, the share that seems not to be
COLUMNS = ("sentence", "right_noun", "right_weight", "wrong_noun", "wrong_weight", "found")


def draw_table(page: Page, name: str, trials: Sequence[Trial], head: Head) -> None:
    rows = [_row(page, trial, head) for trial in trials]
    say.table([page.t(f"column.{column}") for column in COLUMNS], rows)
    plots.csv(page, name, plots.columns(page, COLUMNS, rows))


def histogram(values: Tensor) -> list[int]:
    """How many of the heads have 0, 1, … of all sentences."""
    return torch.bincount(values.flatten(), minlength=MOST + 1).tolist()


# ---- one head and one coin; the best of all heads and the luckiest of as many coins


def against_a_coin(page: Page, head: Head) -> str:
    """The head was chosen by another sentence: so it is compared with one coin."""
    right = int(pronouns.verdicts().right[head])
    mean, spread = MOST / 2, math.sqrt(MOST) / 2
    facts = {"right": right, "sentences": MOST, "mean": f"{mean:g}", "spread": f"{spread:g}"}
    chance = f"{pronouns.as_far(right, MOST):.1%}"
    return page.t("anecdote.coin", head=scene.head_name(page, *head), chance=chance, **facts)


def luck(page: Page, head: Head) -> list[int]:
    """Of how many sentences all heads are right, with this one marked, next to as many coins; the coins."""
    coins = pronouns.toss(ALL, MOST, page.look.toss)
    heads = histogram(pronouns.verdicts().right)
    series = {page.t("anecdote.heads", all=ALL): heads, page.t("anecdote.coins", all=ALL): coins}
    numbers = {page.t("axis.right"): list(range(MOST + 1))} | series
    plots.draw(page, "luck", [_chart(page, series, head)], numbers)
    return coins


def _heads_and_coins(page: Page, head: Head) -> None:
    coins = luck(page, head)
    turn = (page.look.toss + 1) % TOSSES
    look: dict[str, Any] = {
        "help": page.t("anecdote.toss_help"),
        "on_click": session.set_view,
        "kwargs": {"toss": turn},
    }
    st.button(page.t("anecdote.toss"), key="toss", **look)
    for line in of_all(page, coins):
        say.sentence(line)


def _chart(page: Page, series: dict[str, list[int]], head: Head) -> Chart:
    ends = charts.reach([max(counts) for counts in series.values()])
    right, count = Axis(page.t("axis.right"), (0, MOST), whole=True), Axis(page.t("axis.count"), ends)
    plot = Plot(right, count, tuple(series))
    for number, counts in enumerate(series.values()):
        plot.curve("measured", range(MOST + 1), counts, number)
    plot.mark("cursor", int(pronouns.verdicts().right[head]))
    return plot.chart()


def of_all(page: Page, coins: list[int]) -> list[str]:
    """The best head and the luckiest coin; how far heads spread, and coins."""
    t, right = page.t, pronouns.verdicts().right
    best, counts = int(right.max()), histogram(right)
    luckiest = short(pronouns.mean_of(pronouns.luckiest_of(ALL, MOST)), 1)
    most = max(number for number, count in enumerate(coins) if count)
    facts: dict[str, Any] = {"all": ALL, "sentences": MOST}
    lines = [t("anecdote.best", best=best, several=counts[best], mean=luckiest, now=most, **facts)]
    facts |= {"half": MOST // 2, "count": counts[MOST // 2], "low": int(right.min()), "high": best}
    spread = short(right.double().std(correction=0).item())
    return [*lines, t("anecdote.spread", spread=spread, coin=f"{math.sqrt(MOST) / 2:g}", **facts)]


# ---- the same noun in both sentences of a pair


def _same_noun(page: Page, head: Head) -> None:
    say.markdown(f"##### {page.t('anecdote.same_title')}")
    same = pronouns.verdicts().same_noun / len(PAIRS)
    title = page.t("anecdote.same_matrix", pairs=len(PAIRS))
    matrix = scene.of_heads(page, title, same, len(PAIRS), ringed=[head], id="same_noun", clickable=False)
    placing.draw(page, "same_noun", [matrix])
    say.sentence(same_noun(page, head))


def same_noun(page: Page, head: Head) -> str:
    verdicts, pairs = pronouns.verdicts(), len(PAIRS)
    facts: dict[str, Any] = {"all": ALL, "pairs": pairs, "count": int((verdicts.same_noun == pairs).sum())}
    facts |= {"low": int(verdicts.same_noun.min()), "chance": f"{2**-pairs:.1%}"}
    own = {"head": scene.head_name(page, *head), "same": int(verdicts.same_noun[head])}
    return page.t("anecdote.same_noun", **own, **facts)


# ---- the other rows of the same column


def draw_other_rows(page: Page, head: Head, trial: Trial = ANECDOTE[0], name: str = "column") -> None:
    say.markdown(f"##### {page.t('anecdote.others_title', noun=Name(trial.right))}")
    placing.draw(page, name, [scene.large(page, trial.name, head)], fit=True)
    say.sentence(other_rows(page, head, trial))


def other_rows(page: Page, head: Head, trial: Trial = ANECDOTE[0]) -> str:
    """How much the other tokens attend to the right noun in that head, and where the pronoun is most unlike
    them."""
    control = pronouns.control(texts.load(trial.name), trial.pronoun, trial.right)
    special = divmod(int((control.own - control.mean).argmax()), HEADS)
    words = {"pronoun": Name(trial.pronoun), "noun": Name(trial.right)}

    def text(key: str, head: Head) -> str:
        weights = {"own": short(control.own[head].item()), "mean": short(control.mean[head].item())}
        counts = {"others": control.others, "tops": int(control.tops[head])}
        return page.t(key, head=scene.head_name(page, *head), **words, **counts, **weights)

    other = page.t("anecdote.special_own", **words) if head == special else text("anecdote.special", special)
    return page.t.joined([text("anecdote.control", head), other])


# ---- by how much the right noun gets more


def _selectivity(page: Page, head: Head) -> None:
    selectivity = pronouns.selectivity()
    ends = (selectivity.mean - selectivity.error, selectivity.mean + selectivity.error)
    right = Axis(page.t("axis.selectivity"), charts.reach(torch.cat(ends).flatten().tolist()))
    plot = Plot(Axis(page.t("axis.any_head"), (0, ALL + 1), whole=True), right)
    numbers = [part.flatten().tolist() for part in (selectivity.mean, *ends)]
    for number, (mean, low, high) in enumerate(zip(*numbers, strict=True), 1):
        plot.mark("span", number, mean, low=low, high=high, sentence=f"{number}: {short(mean, 3)}")
    plot.mark("cursor", head[0] * HEADS + head[1] + 1)
    file = dict(zip((page.t(f"column.{name}") for name in ("mean", "low", "high")), numbers, strict=True))
    plots.draw(page, "selectivity", [plot.chart()], file)
    say.sentence(selectivity_sentence(page, head))


def selectivity_sentence(page: Page, head: Head) -> str:
    """Of the head, and how many heads are further from 0 than chance explains, and how many that would be."""
    selectivity = pronouns.selectivity()
    facts: dict[str, Any] = {
        "mean": short(selectivity.mean[head].item(), 4),
        "error": short(selectivity.error[head].item(), 4),
    }
    facts |= {"beyond": int(selectivity.beyond.sum()), "expected": short(OUTSIDE * ALL, 1), "all": ALL}
    facts |= {"head": scene.head_name(page, *head), "pairs": len(PAIRS), "share": f"{1 - OUTSIDE:.0%}"}
    return page.t("anecdote.selected", **facts)


# ---- sentence by sentence


def _row(page: Page, trial: Trial, head: Head) -> tuple[str, ...]:
    """A sentence, the right noun and its weight, the other noun and its weight, and whether it is found."""
    sentence = texts.load(trial.name)
    right, wrong = (weight[head].item() for weight in pronouns.on_nouns(sentence, trial))
    verdict = page.t("checks.holds" if right > wrong else "checks.fails")
    first, second = (texts.with_meaning(page.t, literal(noun)) for noun in (trial.right, trial.wrong))
    nouns = (first, _weight_text(right), second, _weight_text(wrong))
    return (texts.with_meaning(page.t, literal(sentence.text)), *nouns, verdict)


def _weight_text(weight: float) -> str:
    return short(weight, 3) if weight >= TINY else apart(weight)


FIGURES = (_heads_and_coins, _same_noun, draw_other_rows, _selectivity)
