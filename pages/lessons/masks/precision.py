"""−10⁹ in half precision: what PyTorch refuses, what overflows silently, and what to write instead."""

import functools

import streamlit as st
import torch
from torch import Tensor

from attention.lab.masks import masking
from attention.lab.mistakes import forms
from attention.lab.softmax import precision
from pages.ask import blocks
from pages.draw import say
from pages.draw.page import Page
from pages.picture import Flow, Matrix, softmax_of

from .scene import MaskScene, choose_head, choose_row, literal_names, mask_or_causal, say_stand_in

QUESTION = "half"
DTYPES = (torch.float8_e4m3fn, torch.float16, torch.bfloat16, torch.float32, torch.float64)
LINE = "scores.half().masked_fill(~mask, -1e9)"
INSTEAD = 'scores.masked_fill(~mask, float("-inf"))\nscores.masked_fill(~mask, torch.finfo(scores.dtype).min)'
ASKED = "scores.half() + (1 - mask.half()) * torch.tensor(-1e9).half()"
ARITHMETIC = "scores + (1 - mask.half()) * -1e9\nscores + (1 - mask.half()) * torch.tensor(-1e9).half()"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(say_stand_in)
    yield blocks.ask(QUESTION, _draw_before)
    yield blocks.aside(_refused)
    yield blocks.control(choose_row)
    yield blocks.control(choose_head)
    yield blocks.picture(_picture)
    yield blocks.text("precision.ways", query=literal_names(page)[page.row or 0])
    yield blocks.aside(_overflow, follows="released")
    yield blocks.aside(_instead)


def _refused(page: Page) -> None:
    say.markdown(page.t("precision.refused"))
    reason = precision.half_precision_error()
    st.code(f"{LINE}\n# {reason or page.t('precision.no_error')}", language="python")


def _instead(page: Page) -> None:
    """What to write instead, and what each dtype holds."""
    t, (left, right) = page.t, st.columns(2, gap="large")
    with left:
        say.markdown(t("precision.instead"))
        st.code(INSTEAD, language="python", wrap_lines=True)
        say.markdown(t("precision.arithmetic"))
        st.code(ARITHMETIC, language="python", wrap_lines=True)
    with right:
        say.table([t(f"column.{name}") for name in ("dtype", "fits", "infinity", "lowest")], limits(page))


def _picture(page: Page) -> None:
    """The mask written in four ways."""
    scene = MaskScene(page)
    versions = ways(scene, masking.with_fully_masked_row(mask_or_causal(page), page.row or 0))
    scene.draw("half", [scene.numbers(), *versions], [Flow(["x", *(version.id for version in versions)])])


def _overflow(page: Page) -> None:
    """Says so where the scores themselves are too large."""
    if MaskScene(page).head.unmasked_scores.half().isinf().any():
        say.caption(page.t("precision.overflow"))


def _draw_before(page: Page) -> None:
    """The line of code, the scores and the mask that it is about."""
    st.code(ASKED, language="python", wrap_lines=True)
    scene = MaskScene(page)
    scene.draw("asked", [scene.scaled(), scene.mask(mask_or_causal(page))])


def ways(scene: MaskScene, mask: Tensor) -> list[Matrix]:
    """The learner's scores in float16 under a mask written in four ways; one row is fully masked."""
    scores = scene.head.unmasked_scores.half()
    written = {
        "half_infinity": scores.masked_fill(~mask, -torch.inf),
        "half_lowest": scores.masked_fill(~mask, torch.finfo(torch.float16).min),
        "half_arithmetic": precision.arithmetic_mask(scores, mask),
        "half_factor": precision.arithmetic_mask(scores, mask, factor_in_dtype=True),
    }
    result = {name: forms.plain_softmax(scores) for name, scores in written.items()}
    return [
        scene.weights(name, weights, mask, recipe=softmax_of(written[name].tolist(), near=True))
        for name, weights in result.items()
    ]


@functools.cache
def facts() -> list[tuple[str, bool, bool, str]]:
    """For each dtype: its name, whether −10⁹ fits, whether it has −∞, and its most negative finite number."""
    return [
        (
            str(dtype).removeprefix("torch."),
            torch.finfo(dtype).min <= -1e9,
            precision.holds_infinity(dtype),
            f"{torch.finfo(dtype).min:.5g}".replace("-", "−", 1),
        )
        for dtype in DTYPES
    ]


def limits(page: Page) -> list[tuple[str, ...]]:
    def word(yes: bool) -> str:
        return page.t("word.yes") if yes else page.t("word.no")

    return [(f"`{name}`", word(fits), word(infinite), lowest) for name, fits, infinite, lowest in facts()]
