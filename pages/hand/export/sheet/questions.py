"""Questions in words about the present numbers, each with its answer."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from pages.draw import results, steps
from pages.draw.numbers import short
from pages.draw.steps import Steps
from pages.draw.texts import quoted

from .tables import as_html, element, markup, tables


@dataclass(frozen=True)
class SheetQuestion:
    """The question and its answer, as HTML."""

    text: str
    answer: str


def questions_of(computation: Steps) -> list[SheetQuestion]:
    """Questions on the largest weight, on the effect of a mask, and on scaling or on a weighted mean."""
    return [_largest(computation), *_masks(computation), *(list(_scaling(computation)) or _mean(computation))]


def _largest(computation: Steps) -> SheetQuestion:
    t, names = computation.t, tuple(computation.queries)
    answer = results.reading(t, computation.head, names, None, tuple(computation.keys))
    return SheetQuestion(escape(t("sheet.ask_largest")), element("p", as_html(answer)))


def _other(computation: Steps, **settings: Any) -> Steps:
    """The same computation with other settings."""
    page = replace(computation.page, settings=replace(computation.settings, **settings))
    return steps.capped(page, computation.cap) if computation.capped else steps.of_lesson(page)


def _weights(computation: Steps) -> str:
    return tables(replace(computation["weights"], id="other_weights"), sums=True)


def _masks(computation: Steps) -> Iterator[SheetQuestion]:
    """The effect of the mask; without a mask, the effect of a causal or padding mask."""
    t, mask = computation.t, computation.head.mask
    name = "cross_mask" if computation.cross else "mask"
    if mask is not None:
        rows = [computation.queries[i] for i, visible in enumerate(mask.all(-1).tolist()) if not visible]
        key = "sheet.answer_unmasked" if rows else "sheet.answer_none"
        answer = element("p", as_html(t(key, rows=t.all_of(quoted(rows)))))
        without = _weights(_other(computation, **{name: "none"})) if rows else ""
        yield SheetQuestion(escape(t("sheet.ask_unmasked")), answer + without)
    elif computation.cross:
        last = computation.keys[-1]
        other = _other(computation, cross_mask="padding", source_padding=len(computation.keys) - 1)
        answer = element("p", as_html(t("sheet.answer_padding", key=last)))
        yield SheetQuestion(as_html(t("sheet.ask_padding", key=last)), answer + _weights(other))
    elif len(computation.keys) > 1:
        answer = element("p", escape(t("sheet.answer_causal")))
        other = _other(computation, mask="causal", mask_2="none")
        yield SheetQuestion(escape(t("sheet.ask_causal")), answer + _weights(other))


def _scaling(computation: Steps) -> Iterator[SheetQuestion]:
    """The effect of the division by √d_k. None with a bias or a cap, which follows the division."""
    t, settings = computation.t, computation.settings
    if settings.scaling != "sqrt_d_k" or settings.head_dim == 1 or computation.unmasked != "scaled_scores":
        return
    before, after = computation.head.weights, _other(computation, scaling="none").head.weights
    pairs = zip(computation.queries, before.amax(-1).tolist(), after.amax(-1).tolist(), strict=True)
    rows = t.listed((f"“{name}”: {short(old)} → {short(new)}" for name, old, new in pairs), apart=True)
    answer = markup(t("sheet.answer_scaling", d_k=settings.head_dim)) + " " + escape(rows)
    yield SheetQuestion(markup(t("sheet.ask_scaling")), element("p", answer))


def _mean(computation: Steps) -> Iterator[SheetQuestion]:
    """The bounds of an output. None with a fully masked row, whose output is 0."""
    t = computation.t
    if not (computation.head.weights != 0).any(-1).all():
        return
    column = computation.head.value[:, 0].tolist()
    facts = {"v": computation.symbol("V"), "o": computation.symbol("O"), "a": computation.symbol("A")}
    facts |= {"low": short(min(column)), "high": short(max(column))}
    answer = element("p", markup(t("sheet.answer_mean", **facts)))
    yield SheetQuestion(markup(t("sheet.ask_mean", **facts)), answer)
