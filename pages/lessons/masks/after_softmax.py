"""The mask after the softmax: rows that no longer sum to 1, and what leaks until they are renormalised."""

import math

import torch
from torch import Tensor

from attention.lab.masks import masking
from attention.lab.mistakes import forms
from pages.ask import blocks, questions
from pages.ask.stand_in import fitting
from pages.draw import arithmetic, say, winners
from pages.draw.numbers import bracketed, confirmed, share, short
from pages.draw.page import Page
from pages.picture import Grid, Matrix

from .scene import MaskScene, choose_head, mask_or_causal, say_stand_in

QUESTION = "renormalise"
# Of the influence of one masked score: p·(1 − p) is at most this.
MOST = 0.25


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(say_stand_in)
    yield blocks.control(choose_head)
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_picture)
    yield blocks.text("after_softmax.why")
    yield blocks.text("after_softmax.leak")


def _ask(page: Page) -> bool:
    """What do the rows become once they are renormalised?"""
    page = fitting(page, lambda page: bool(mask_or_causal(page).any(-1).all()))
    mask, scene = mask_or_causal(page), MaskScene(page)
    wrong = forms.after_softmax(scene.head.unmasked_scores, mask)

    def think() -> None:
        scene.draw("question", [scene.numbers(), *beside(scene, mask, wrong)])
        say.markdown(page.t("after_softmax.why"))
        say.result(worst(page, wrong))

    return questions.ask(page, QUESTION, think, answer=questions.only(holds(scene, mask, wrong)))


def _picture(page: Page) -> None:
    """Weights masked too late, what renormalising does to them, and what leaks until then."""
    t, mask, scene = page.t, mask_or_causal(page), MaskScene(page)
    wrong = forms.after_softmax(scene.head.unmasked_scores, mask)
    matrices = [scene.numbers(), *beside(scene, mask, wrong)]
    leak, corrected = (influence(scene, mask, renormalise=on) for on in (False, True))
    more = [scene.scaled(), *leaks(scene, mask, wrong, leak, corrected)]
    grid = Grid([[matrix.id for matrix in matrices], [matrix.id for matrix in more]])
    largest = [share(version.nan_to_num().max().item(), 4) for version in (leak, corrected)]
    influence_of = t("after_softmax.largest", without=largest[0], renormalised=largest[1])
    scene.draw("after_softmax", [*matrices, *more], [grid], said=[worst(page, wrong), influence_of])


def beside(scene: MaskScene, mask: Tensor, wrong: Tensor) -> list[Matrix]:
    """The right weights, the weights that are masked too late, and the sums of their rows."""
    return [
        scene.weights("weights_right", masking.attend(scene.head, mask).weights, mask),
        scene.weights("weights_after", wrong, mask, recipe=_too_late(scene, mask, wrong)),
        scene.sums("sums_after", "weights_after", wrong),
    ]


def _too_late(scene: MaskScene, mask: Tensor, wrong: Tensor) -> dict:
    """The softmax over all keys, whose masked weights are set to 0."""
    scores = scene.head.unmasked_scores
    free, tops = scores.softmax(-1).tolist(), scores.amax(-1, keepdim=True)
    totals, lines, top = (scores - tops).exp().sum(-1).tolist(), scores.tolist(), tops.flatten().tolist()

    def text(row: int, col: int) -> str:
        weight = free[row][col]
        if not mask[row, col]:
            return f"{short(weight, 4)} · 0 = 0"
        numbers = (lines[row][col], top[row], totals[row])
        score, less, total = confirmed(lambda s, most, total: math.exp(s - most) / total, numbers, weight)
        return f"exp({score} − {bracketed(less)}) / {total} = {short(weight, 4)}"

    return arithmetic.cells(wrong, text)


def influence(scene: MaskScene, mask: Tensor, *, renormalise: bool) -> Tensor:
    """How far the visible weights of a row depend on each masked score."""
    return masking.masked_score_influence(scene.head.unmasked_scores, mask, renormalise=renormalise)


def leaks(scene: MaskScene, mask: Tensor, wrong: Tensor, leak: Tensor, corrected: Tensor) -> list[Matrix]:
    """The renormalised weights, and the influence of the masked scores without that and with it."""
    corrected_weights = masking.renormalised(wrong)
    sums, free = wrong.sum(-1, keepdim=True), scene.head.unmasked_scores.softmax(-1)
    recipe = arithmetic.quotients(wrong, sums, corrected_weights, ["weights_after"])
    none = _influences(mask, free, sums, corrected, by_sum=True)
    return [
        scene.weights("weights_renormalised", corrected_weights, mask, recipe=recipe),
        scene.square("leak", leak, bound=MOST, recipe=_influences(mask, free, sums, leak)),
        scene.square("leak_renormalised", corrected, bound=MOST, recipe=none),
    ]


def _influences(mask: Tensor, free: Tensor, sums: Tensor, values: Tensor, *, by_sum: bool = False) -> dict:
    """A masked score's weight times the sum of the visible ones; by_sum: renormalised."""
    weights, totals = free.tolist(), sums.flatten().tolist()

    def compute(weight: float, total: float) -> float:
        return weight * total / total - weight if by_sum else weight * total

    def text(row: int, col: int) -> str:
        if mask[row, col]:
            return "0"
        value = values[row, col].item()
        weight, total = confirmed(compute, (weights[row][col], totals[row]), value)
        less = f" / {total} − {weight}" if by_sum else ""
        return f"{weight} · {total}{less} = {short(value, 4)}"

    return arithmetic.cells(values, text)


def worst(page: Page, wrong: Tensor) -> str:
    """The row whose sum is furthest from 1, or the rows."""
    sums = wrong.sum(-1)
    if sums.min() >= 1 - 5e-3:
        return page.t("after_softmax.none")
    return winners.sentence(page.t, "after_softmax.worst", page.tokens, sums.tolist(), least=True)


def holds(scene: MaskScene, mask: Tensor, wrong: Tensor) -> dict[str, bool]:
    """What renormalised rows are, found by comparing them with rows masked before the softmax.

    A fully masked row becomes NaN while the others are right: then two options hold.
    """
    rows = mask.any(-1)
    corrected, right = masking.renormalised(wrong), masking.attend(scene.head, mask).weights
    equal = torch.allclose(corrected[rows], right[rows])
    nan = bool(corrected.isnan().any())
    return {"right": equal, "leaks": not equal and not nan, "nan": nan}
