"""A query that may attend to nothing: NaN, the mean of all values, or 0; and which code does which."""

import functools
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention import causal_mask, padding_mask, scaled_dot_product_attention, sliding_window_mask
from attention.lab.masks import libraries, masking
from pages.ask import blocks, questions
from pages.draw import arithmetic, matrix, numbers, placing, say
from pages.draw.numbers import counted, short
from pages.draw.page import Page
from pages.model.compute import mask_of
from pages.picture import Flow, Grid, Group, Matrix, softmax_of

from .scene import MaskScene, choose_head, choose_row, literal_names, open_mask

QUESTION = "fully_masked"
OUTCOMES = ("nan", "alike", "zero")


def draw(page: Page) -> blocks.Blocks:
    yield blocks.aside(_causes)
    yield blocks.control(choose_row)
    yield blocks.control(choose_head)
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_picture)
    yield blocks.text("fully_masked.outcomes")
    yield blocks.aside(_who)


def drawn_mask(page: Page) -> Tensor:
    """The chosen mask, with the chosen row fully masked."""
    mask = open_mask(page.settings, mask_of(page.settings))
    return masking.with_fully_masked_row(mask, page.row or 0)


def _before(page: Page) -> tuple[MaskScene, int, Tensor, list[Matrix]]:
    """The scene, the chosen row, the mask with that row masked, and what is there before the softmax."""
    scene, mask = MaskScene(page), drawn_mask(page)
    return scene, page.row or 0, mask, [scene.numbers(), scene.scaled(), scene.masked(mask)]


def _ask(page: Page) -> bool:
    """What are the weights of the fully masked row?"""
    scene, row, mask, before = _before(page)
    count = len(page.tokens)
    share = numbers.share(1 / count, 4)
    facts: dict[str, Any] = {"query": literal_names(page)[row], "count": count, "share": share}
    facts |= {"matrices": before, "sources": [scene.steps.find], "answer": answer(scene, mask, row)}
    return questions.ask(page, QUESTION, **facts)


def _picture(page: Page) -> None:
    """The three outcomes."""
    t, (scene, row, mask, before) = page.t, _before(page)
    flow = Flow([matrix.id for matrix in before])
    grid = Grid([[f"{kind}_{name}" for name in OUTCOMES] for kind in ("weights", "output")])
    mean = t.listed(short(v) for v in scene.head.value.mean(0).tolist())
    share = numbers.share(1 / len(page.tokens), 4)
    said = [t("fully_masked.mean", query=page.tokens[row], mean=mean, share=share)]
    scene.draw("outcomes", [*before, *outcomes(scene, mask)], [flow, grid], said=said)


@functools.lru_cache(maxsize=1)
def examples() -> dict[str, Tensor]:
    """A small mask with fully masked rows for each cause that the lead names, in its order."""
    return {
        "combined": sliding_window_mask(4, left=1, right=0) & padding_mask([2], 4),
        "exchanged": ~causal_mask(4),
        "left_padding": masking.left_padded_causal(2, 4),
        "lower_right": causal_mask(4, 2, alignment="lower_right"),
    }


def _causes(page: Page) -> None:
    """The causes as a numbered list, next to it a thumbnail for each."""
    t, matrices = page.t, []
    for number, (name, mask) in enumerate(examples().items(), 1):
        rows, cols = (counted(size) for size in mask.shape)
        look = {"size": "thumbnail", "alt": t(f"fully_masked.{name}")}
        matrices.append(matrix.of(f"cause_{name}", str(number), mask, rows, cols, **look))
    listed = "\n".join(f"{matrix.title}. {matrix.look.alt}" for matrix in matrices)
    text, thumbnails = st.columns((3, 2), vertical_alignment="center")
    say.markdown(t("fully_masked.lead", causes=listed), text)
    with thumbnails:
        group = Group([matrix.id for matrix in matrices], columns=len(matrices))
        placing.draw(page.unfollowed(), "causes", matrices, [Flow([group])])


def answer(scene: MaskScene, mask: Tensor, row: int) -> str:
    """What −10⁹ gives the fully masked row, read off its weights."""
    shares = masking.fully_masked_weights(scene.head, mask)["alike"][row]
    if shares.isnan().any():
        return "nan"
    return "zero" if (shares == 0).all() else "alike"


def outcomes(scene: MaskScene, mask: Tensor) -> list[Matrix]:
    """Weights and outputs in the three ways."""
    result = masking.fully_masked_weights(scene.head, mask)
    low = scene.head.unmasked_scores.masked_fill(~mask, -1e9)
    alike = {"recipe": softmax_of(low.tolist())}
    value, weights, outputs = scene.head.value, [], []
    for name in OUTCOMES:
        look = alike if name == "alike" else {}
        mixed = result[name] @ value
        recipe = arithmetic.products(result[name], value, mixed)
        weights.append(scene.weights(f"weights_{name}", result[name], mask, **look))
        outputs.append(scene.mixture(f"output_{name}", mixed, recipe=recipe))
    return weights + outputs


@functools.lru_cache(maxsize=64)
def calls(count: int, row: int) -> dict[str, list[str]]:
    """outcome → the calls that have it, as Markdown: PyTorch's now, on this machine, the others as recorded.

    Of `count` one-hot tokens, query `row` is fully masked. Such a row does not depend on the scores, so the
    calls are not made again for every number.
    """
    x = torch.eye(count, dtype=torch.float64)
    mask = masking.with_fully_masked_row(torch.ones(count, count, dtype=torch.bool), row)
    results: dict[str, list[str]] = {}
    for name, kind in libraries.torch_outcomes(scaled_dot_product_attention(x, x, x), mask, row):
        results.setdefault(kind, []).append(f"`{name}`")
    ways: dict[str, list[str]] = {}
    for call, kind in libraries.layer_outcomes(x, mask, row):
        ways.setdefault(kind, []).append(f"  - `{call.name}`")
    for kind, named in ways.items():
        results.setdefault(kind, []).append("\n".join(["`nn.MultiheadAttention`", *named]))
    for name, kind, where in libraries.MEASURED:
        results.setdefault(kind, []).append(f"`{name}` ({where})")
    return {kind: results[kind] for kind in (*OUTCOMES, "other") if kind in results}


def _who(page: Page) -> None:
    """Which call does which, side by side as the pictures above."""
    t = page.t
    say.markdown(f"##### {t('who.title')}\n\n{t('who.why')}")
    result = calls(len(page.tokens), page.row or 0)
    for column, (kind, named) in zip(st.columns(len(result)), result.items(), strict=True):
        lines = "\n".join(f"- {line}" for line in named)
        column.markdown(f"**{t(f'outcome.{kind}')}**\n\n{lines}")
    say.caption(t("who.fast_path"))
    say.caption(t("who.measured", version=torch.__version__.partition("+")[0]))
