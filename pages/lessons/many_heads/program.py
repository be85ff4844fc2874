"""The computation of each part for files: attention with the numbers that the part draws."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from attention.lab.heads.sharing import pooled
from pages.draw import positions
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.hand.export.program import Program, of_variant
from pages.model.compute import tensors_of
from pages.model.settings import Settings

from . import ablation, scene, sharing, two

Variant = tuple[Settings, list[str]]  # the settings, and what they have in place of the learner's


def program(page: Page) -> Program | None:
    """The computation of the page's part; None where it is that of the settings."""
    make = VARIANTS.get(page.part.name)
    if make is None or (page.settings.num_heads == 1 and make is not _two):
        return None
    settings, about = make(page)
    return of_variant(page, settings, page.t.joined(about))


def _two(page: Page) -> Variant:
    """After the answer with W_Q of head 1 times the learner's number."""
    if page.answer(two.QUESTION) is None:
        return two.shown(page, factor=False).settings, []
    settings, about = _without_heads(two.shown(page))
    return settings, [page.t("program.factor", factor=short(page.own.query_factor)), *about]


def _ablation(page: Page) -> Variant:
    return (page.settings, []) if page.answer("ablation") is None else _without_heads(page)


def _without_heads(page: Page) -> Variant:
    """With zeros in the rows of W_O that belong to heads that are off."""
    settings, off = page.settings, ablation.heads_off(page)
    if not off:
        return settings, []
    zeros, width = (0.0,) * settings.d_model, settings.value_dim
    w_o = tuple(zeros if row // width in off else kept for row, kept in enumerate(settings.w_o))
    return replace(settings, w_o=w_o), [page.t("program.off", heads=scene.index_list(page.t, sorted(off)))]


def _plain(page: Page) -> Variant:
    plain = positions.set_aside(page.settings)
    return plain, [page.t("position.set_aside")] if plain != page.settings else []


def _sharing(page: Page) -> Variant:
    """After the answer with pooled key/value heads."""
    (plain, about), heads, groups = _plain(page), page.settings.num_heads, sharing.group_count(page)
    if page.answer("shared") is None or page.settings.kv_heads < heads or groups == heads:
        return plain, about
    fields: dict[str, Any] = {"num_kv_heads": groups}
    for name, tensor in tensors_of(plain).items():
        if name[2] in "kv" and tensor is not None:
            rows = pooled(tensor, heads, groups).tolist()
            fields[name] = tuple(rows) if name[0] == "b" else tuple(map(tuple, rows))
    return replace(plain, **fields), [*about, page.t("program.shared")]


VARIANTS: Mapping[str, Callable[[Page], Variant]] = {
    "two": _two,
    "split": _plain,
    "ablation": _ablation,
    "view": _plain,
    "sharing": _sharing,
}
