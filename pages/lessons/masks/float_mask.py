"""A boolean mask is read, a float mask is added: the same meaning in two forms, and the trap of 1 and 0."""

from dataclasses import replace

from torch import Tensor

from attention.lab.masks import libraries, masking
from pages import picture
from pages.ask import blocks, questions
from pages.draw import arithmetic, results
from pages.draw.numbers import apart, short
from pages.draw.page import Page
from pages.picture import Arrow, Flow, Items, Matrix

from .scene import MaskScene, choose_head, mask_or_causal, say_stand_in

QUESTION = "ones"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(say_stand_in)
    yield blocks.control(choose_head)
    yield blocks.picture(_both_forms)
    yield blocks.text("float_mask.two_forms")
    if mask_or_causal(page).all():
        yield blocks.caption("scene.masks_nothing")
        return
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_trap)
    yield blocks.said(_largest, when="released")


def _both_forms(page: Page) -> None:
    scene, mask = MaskScene(page), mask_or_causal(page)
    difference = results.size(libraries.forms_difference(scene.head, mask))
    said = [page.t("float_mask.same", difference=difference)]
    scene.draw("two_forms", *two_forms(scene, mask), said=said)


def _ones(scene: MaskScene, mask: Tensor) -> Matrix:
    """The mask as 1 and 0."""
    return scene.square("ones", mask.double(), kind="plain", recipe=_of_mask(mask, mask.double()))


def _ask(page: Page) -> bool:
    scene = MaskScene(page)
    ones = _ones(scene, mask_or_causal(page))
    return questions.ask(page, QUESTION, matrices=[ones], sources=[scene.steps.find])


def _trap(page: Page) -> None:
    """The weights with 1 and 0 added to the scores."""
    scene, mask = MaskScene(page), mask_or_causal(page)
    wrong = masking.ones_added(scene.head.unmasked_scores, mask)
    scene.draw("ones", *trap_picture(scene, mask, _ones(scene, mask), wrong))


def _largest(page: Page) -> str:
    """The largest weight of a key that should be masked."""
    mask = mask_or_causal(page)
    wrong = masking.ones_added(MaskScene(page).head.unmasked_scores, mask)
    return page.t("float_mask.trap", weight=apart(masking.largest_masked_weight(wrong, mask) or 0.0))


def two_forms(scene: MaskScene, mask: Tensor) -> tuple[list[Matrix], list[Flow]]:
    """The mask, the float mask that means the same, and what both give."""
    masked, added = scene.masked(mask), masking.additive(mask)
    matrices = [
        scene.numbers(),
        scene.mask(mask),
        scene.scaled(),
        scene.square("float_mask", added, mask, kind="plain", recipe=_of_mask(mask, added)),
        replace(masked, recipe=picture.add("scaled_scores", "float_mask")),
        scene.weights(
            "weights_both",
            masking.attend(scene.head, mask).weights,
            mask,
            recipe=picture.softmax("masked_scores"),
        ),
    ]
    flow: Items = ["scaled_scores", Arrow("+"), "float_mask", Arrow("="), "masked_scores", Arrow("softmax")]
    return matrices, [Flow(["x", "mask"]), Flow([*flow, "weights_both"])]


def _of_mask(mask: Tensor, values: Tensor) -> dict:
    """What is in the place of a visible and of a masked cell."""
    return arithmetic.cells(
        values, lambda r, c: f"{'✓' if mask[r, c] else '×'} → {short(values[r, c].item(), 0)}"
    )


def trap_picture(
    scene: MaskScene, mask: Tensor, ones: Matrix, wrong: Tensor
) -> tuple[list[Matrix], list[Flow]]:
    """The scores with 1 and 0 added, their weights and the right ones; ringed is what should be masked."""
    scores, (right, weights) = scene.head.unmasked_scores, trap(scene, mask, wrong)
    total = scene.square("ones_added", scores + mask.double(), recipe=picture.add("scaled_scores", "ones"))
    kept = [(row, col) for row, col in (~mask).nonzero().tolist()]
    weights = replace(weights, recipe=picture.softmax("ones_added")).looking(ringed=kept)
    flow: Items = ["scaled_scores", Arrow("+"), "ones", Arrow("="), "ones_added", Arrow("softmax")]
    return [scene.scaled(), ones, total, weights, right], [Flow([*flow, weights.id]), Flow([right.id])]


def trap(scene: MaskScene, mask: Tensor, wrong: Tensor) -> list[Matrix]:
    """The right weights next to the weights with 1 and 0 added to the scores."""
    right = masking.attend(scene.head, mask).weights
    return [scene.weights("weights_right", right, mask), scene.weights("weights_ones", wrong)]
