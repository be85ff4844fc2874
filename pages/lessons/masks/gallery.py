"""Every kind of mask on the learner's tokens, and what the chosen one does to the weights and the output."""

from dataclasses import replace
from typing import Any

import torch

from attention.lab.masks import masking
from pages import picture, session
from pages.ask import blocks
from pages.draw import inputs, matrix, results, say, winners
from pages.draw.page import Page
from pages.model import edits
from pages.model import settings as s
from pages.model.compute import mask_of, one_mask
from pages.picture import Flow, Grid, GridRows, Group, Matrix

from .scene import MaskScene, choose_head, custom, open_mask


def draw(page: Page) -> blocks.Blocks:
    yield blocks.control(choose_head)
    yield blocks.picture(_picture)
    yield blocks.aside(_notes)


def _picture(page: Page) -> None:
    """All kinds, and what the chosen one does."""
    scene, mask = MaskScene(page), open_mask(page.settings, mask_of(page.settings))
    matrices, bands = kinds(page)
    more, grid = effect(page, scene, mask)
    look: dict[str, Any] = {"fit": True, "said": [changed_most(page, scene)]}
    look["passages"] = [results.checks(page.t, scene.head)]
    scene.draw("gallery", [*matrices, *more], [*bands, grid], on_pick=_take, **look)


def _take(picked: dict) -> None:
    if "choose" in picked:
        session.edit(lambda settings: edits.with_choice(settings, mask=picked["choose"]))


def thumbnail(page: Page, kind: str, name: str = "", **extra) -> Matrix:
    mask = open_mask(page.settings, one_mask(page.settings, kind))
    title, names = page.t(f"mask.{kind}"), list(page.tokens)
    return matrix.of(name or f"kind_{kind}", title, mask, names, names, size="thumbnail", **extra)


def kinds(page: Page) -> tuple[list[Matrix], list[Grid | Flow]]:
    """A thumbnail a kind, to choose from; of two masks together also each of them."""
    settings = page.settings
    matrices = [thumbnail(page, kind, choose=kind, chosen=kind == settings.mask) for kind in s.MASKS]
    items = [Group([table.id for table in matrices], page.t("gallery.kinds"))]
    if "none" not in (settings.mask, settings.mask_2):
        pair = [thumbnail(page, settings.mask, "mask_1"), thumbnail(page, settings.mask_2, "mask_2")]
        items.append(Group([table.id for table in pair], page.t(f"gallery.pair_{settings.combine}")))
        matrices += pair
    return matrices, [Flow(items)]


def effect(page: Page, scene: MaskScene, mask: torch.Tensor) -> tuple[list[Matrix], Grid]:
    """The way with the mask above the way without it, and below what changed."""
    computation, free = scene.steps, masking.attend(scene.head, None)
    custom = page.settings.mask == "custom" and page.settings.mask_2 == "none"
    change = scene.head.weights - free.weights
    matrices = [
        inputs.mask(page) if custom else _fixed(page, scene.mask(mask)),
        computation["masked_scores"],
        computation["weights"],
        scene.mixture("output", scene.head.output, recipe=_mix(page, "weights")),
        scene.numbers(),
        scene.scaled(),
        scene.weights("free_weights", free.weights, recipe=picture.softmax("scaled_scores")),
        scene.mixture("free_output", free.output, recipe=_mix(page, "free_weights")),
        computation["value"],
        scene.square("weights_change", change, recipe=picture.difference("weights", "free_weights")),
        scene.mixture(
            "output_change",
            scene.head.output - free.output,
            recipe=picture.difference("output", "free_output"),
        ),
    ]
    rows: GridRows = [
        ["mask", "masked_scores", "weights", "output"],
        ["x", "scaled_scores", "free_weights", "free_output"],
        ["value", None, "weights_change", "output_change"],
    ]
    if "custom" in (page.settings.mask, page.settings.mask_2) and not custom:
        matrices[0] = _fixed(page, scene.mask(mask, "both"))
        matrices.append(inputs.mask(page))
        rows[0][0], rows[2][1] = "both", "mask"
    return matrices, Grid(rows)


def _fixed(page: Page, mask: Matrix) -> Matrix:
    """The mask, whose cells say how they can be changed."""
    way = page.t("gallery.fixed", button=page.t("gallery.edit"))
    return replace(mask, recipe=picture.written([[way for _ in mask.cols] for _ in mask.rows]))


def _mix(page: Page, weights: str) -> dict:
    start = inputs.block(page.settings, page.head, "v")[0]
    return picture.product(weights, "value", len(page.tokens), col_start=start)


def _notes(page: Page) -> None:
    """What the chosen mask means, and the way to change it cell by cell."""
    settings, t = page.settings, page.t
    mask = open_mask(settings, mask_of(settings))
    texts = [t(f"about.{settings.mask}")]
    if "none" not in (settings.mask, settings.mask_2):
        texts.append(t(f"gallery.two_{settings.combine}"))
    say.markdown(t.joined(texts))
    if settings.mask != "custom" or settings.mask_2 != "none":
        page.button(
            t("gallery.edit"),
            "edit_mask",
            lambda settings: edits.with_choice(settings, **custom(mask)),
            help=t("gallery.edit_help"),
        )


def changed_most(page: Page, scene: MaskScene) -> str:
    """The row that lost most weight to the mask, or the rows, in a sentence."""
    lost = masking.lost_weight(masking.attend(scene.head, None).weights, scene.head.weights)
    if lost.max() < 5e-3:
        return page.t("gallery.nothing")
    return winners.sentence(page.t, "gallery.most", page.tokens, lost.tolist())
