"""Softmax of one row in one pass: a running maximum, a running sum, and the factor that corrects the sum."""

import functools
import math
import operator
from typing import Any

import streamlit as st
import torch

from attention import OnlineSoftmax, online_softmax
from pages import picture
from pages.ask import blocks
from pages.draw import inputs, placing
from pages.draw.numbers import bracketed, confirmed, counted, short
from pages.draw.page import Page, small
from pages.draw.results import size
from pages.model.scores import MAX_LOGITS
from pages.picture import Grid, Matrix

QUESTION_SCORES = (1.0, 3.0)  # the scores of the question
LINES = ("running_maximum", "rescale_factor", "running_sum", "weights")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.ask("flash_mend", matrices=_first_score)
    yield blocks.text("row.intro")
    yield blocks.control(_buttons, follows="moved")
    yield blocks.picture(_picture)
    yield blocks.result(reading)


@functools.lru_cache(maxsize=64)
def one_pass(logits: tuple[float, ...]) -> OnlineSoftmax:
    return online_softmax(torch.tensor(logits, dtype=torch.float64))


def difference(page: Page) -> float:
    """How far the weights are from the weights of a softmax that knows the largest score from the start."""
    logits = torch.tensor(page.scores.logits, dtype=torch.float64)
    return (one_pass(page.scores.logits).weights - torch.softmax(logits, -1)).abs().max().item()


def rises(one_pass: OnlineSoftmax) -> int:
    """How often a score was larger than all before it, the first one left out."""
    return int((one_pass.running_maximum.diff() > 0).sum())


def _first_score(page: Page) -> list[Matrix]:
    """The two scores of the question, with maximum and sum after the first."""
    rows = [""]
    scores = Matrix("logits", page.t("setting.logits"), rows, ["1", "2"], [list(QUESTION_SCORES)])
    score = short(QUESTION_SCORES[0])
    largest, added = (
        [[f"m₁ = max(−∞, {score}) = {score}"]],
        [[f"ℓ₁ = exp({score} − {bracketed(score)}) = 1"]],
    )
    look: dict[str, Any] = {"kind": "plain", "rows": rows, "cols": ["1"]}
    maximum = Matrix(
        "running_maximum", "m", values=[[QUESTION_SCORES[0]]], recipe=picture.written(largest), **look
    )
    total = Matrix("running_sum", "ℓ", values=[[1.0]], recipe=picture.written(added), **look)
    return [scores, maximum, total]


def _picture(page: Page) -> None:
    online = one_pass(page.scores.logits)
    texts = arithmetic(page.scores.logits, online)
    kinds = dict.fromkeys(LINES, "plain") | {"weights": "weights"}
    cols = counted(len(page.scores.logits))
    of = {"rescale_factor": ["running_maximum"], "running_sum": ["rescale_factor"], "weights": []}
    lines = [
        Matrix(
            name,
            page.t(f"row.{name}"),
            [""],
            cols,
            [getattr(online, name).tolist()],
            kind=kinds[name],
            recipe=picture.written([texts[name]], ["logits", *of.get(name, [])]),
        )
        for name in LINES
    ]
    grid = Grid([["logits"], *([name] for name in LINES)])
    placing.draw(page, "row", [inputs.number(page, "logits"), *lines], [grid])


def arithmetic(logits: tuple[float, ...], one_pass: OnlineSoftmax) -> dict[str, list[str]]:
    """How each number is computed, score by score."""
    texts: dict[str, list[str]] = {name: [] for name in LINES}
    before, total = "−∞", 0.0
    top, whole = one_pass.running_maximum[-1].item(), one_pass.running_sum[-1].item()
    last = short(top, 4)
    for i, score in enumerate(logits):
        maximum, factor, after, weight = (getattr(one_pass, name)[i].item() for name in LINES)
        m, s, at = short(maximum, 4), short(score, 4), small(i + 1)
        f, sum_after = short(factor, 4), short(after, 4)
        texts["running_maximum"].append(f"m{at} = max({before}, {s}) = {m}")
        texts["rescale_factor"].append(f"exp({before} − {bracketed(m)}) = {f}")
        added = math.exp(score - maximum)
        sums = functools.partial(_rescale, added)
        f, sum_before = confirmed(sums, (factor, total), after, least=4)
        texts["running_sum"].append(f"ℓ{at} = {f} · {sum_before} + exp({s} − {bracketed(m)}) = {sum_after}")
        above = math.exp(score - top)
        (below,) = confirmed(functools.partial(operator.truediv, above), (whole,), weight, least=4)
        texts["weights"].append(f"p{at} = exp({s} − {bracketed(last)}) / {below} = {short(weight, 4)}")
        before, total = m, after
    return texts


def _rescale(added: float, factor: float, before: float) -> float:
    return factor * before + added


def reading(page: Page) -> str:
    online = one_pass(page.scores.logits)
    count = rises(online)
    return page.t(
        "row.rose" if count else "row.never",
        count=count,
        total=short(online.running_sum[-1].item(), 4),
        logsumexp=short(online.logsumexp.item(), 4),
        difference=size(difference(page)),
    )


def _buttons(page: Page) -> None:
    logits = page.scores.logits
    choices = {
        "ascending": (tuple(sorted(logits)), False),
        "descending": (tuple(sorted(logits, reverse=True)), False),
        "add": ((*logits, max(logits) + 1.0), len(logits) == MAX_LOGITS),
        "remove": (logits[:-1], len(logits) == 1),
    }
    with st.container(horizontal=True, gap="small"):
        for name, (changed, useless) in choices.items():
            page.set_button(
                page.t(f"row.{name}"),
                f"row-{name}",
                {"logits": changed},
                disabled=useless or changed == logits,
                help=page.t(f"row.{name}_help"),
            )
