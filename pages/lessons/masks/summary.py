"""What the lesson on masks has shown, with the learner's numbers, and the question that needs all of it."""

import functools

from torch import Tensor

from attention import causal_mask
from attention.lab.masks import masking
from attention.lab.mistakes import forms, mask_checks
from pages.ask import questions
from pages.draw import live, say
from pages.draw.numbers import apart, share
from pages.draw.page import Page
from pages.draw.texts import quoted
from pages.model.compute import mask_of, trace_of
from pages.model.settings import Settings

from .scene import MaskScene

QUESTION = "masks_end"
OPTIONS = mask_checks.CHECKS
LEAST_SEEN = 5e-7  # a sum differs from 1 by so much in the decimals that are shown


def lines(page: Page) -> list[str]:
    """Three sentences on the learner's scores under the chosen mask; a causal one where none is set."""
    t, n = page.t, len(page.tokens)
    head = MaskScene(page).head
    mask = mask_of(page.settings)
    named = "summary.one_none" if mask is None else "summary.one"
    mask = causal_mask(n) if mask is None else mask
    return [
        t(named, mask=_mask_names(page), masked=int((~mask).sum()), cells=n * n),
        t("summary.two", share=share(1 / n, 4)),
        _too_late(page, head.unmasked_scores, mask),
    ]


def _too_late(page: Page, scores: Tensor, mask: Tensor) -> str:
    """What becomes of masking after the softmax, and of scores times 0, on these scores."""
    t, kept = page.t, masking.largest_masked_weight(forms.times_zero(scores, mask), mask)
    if kept is None:
        return t("summary.three_none")
    lowest = forms.after_softmax(scores, mask).sum(-1).min().item()
    after = t("summary.three", sum=apart(lowest, 1.0)) if lowest < 1 - LEAST_SEEN else t("summary.three_full")
    return t.joined([after, t("summary.zeroed", weight=apart(kept)) if kept else t("summary.zeroed_far")])


def _mask_names(page: Page) -> str:
    """The one or two masks that are set, in quotation marks."""
    t, settings = page.t, page.settings
    names = [t(f"mask.{kind}") for kind in (settings.mask, settings.mask_2) if kind != "none"]
    if len(names) < 2:
        return "".join(quoted(names))
    combine = t(f"combine.{settings.combine}")
    return t("summary.two_masks", first=names[0], second=names[1], combine=combine)


def question(page: Page) -> None:
    """Which one check finds all mistakes of the lesson; then what each of them finds, on these numbers."""
    t, words = page.t, {name: page.t(f"check.{name}") for name in OPTIONS}

    def blank() -> None:
        say.table(_header(page), [(t(f"way.{way}"), *"?" * len(OPTIONS)) for way in mask_checks.WAYS])

    if questions.ask(page, QUESTION, blank, words=words) and len(page.tokens) > 1:
        live.draw(page, _checks, when="released")


def _header(page: Page) -> list[str]:
    return [page.t("way.title"), *(page.t(f"check.{name}") for name in OPTIONS)]


def _checks(page: Page) -> None:
    """What each check finds of each mistake, on these numbers or, where all pass alike, on the start's."""
    t, result = page.t, finds(page.settings, page.head)
    if not tells_apart(result):
        say.caption(t("way.other_numbers"))
        result = finds(Settings(), 0)
    rows = [
        (t(f"way.{way}"), *(t("word.passes") if result[way][check] else t("word.fails") for check in OPTIONS))
        for way in mask_checks.WAYS
    ]
    say.table(_header(page), rows)


@functools.lru_cache(maxsize=32)
def finds(settings: Settings, shown: int) -> dict[str, dict[str, bool]]:
    """way → check → whether the way passes it, on the queries, keys and values of the shown head."""
    head = trace_of(settings).head(shown)
    return mask_checks.found_by(head.query, head.key, head.value, len(settings.tokens) - 1)


def tells_apart(results: dict[str, dict[str, bool]]) -> bool:
    """Whether the table shows what the answer claims: one check finds the four mistakes and no more."""
    wrong = {way: way not in ("right", "renormalised") for way in mask_checks.WAYS}
    exact = [check for check in OPTIONS if all(results[way][check] != wrong[way] for way in wrong)]
    return exact == ["change"]
