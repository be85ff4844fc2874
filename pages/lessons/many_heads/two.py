"""What one word needs twice: the weights of each head, and how W_O joins the outputs of the heads."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from torch import Tensor

from attention.lab.heads.parts import contributions
from pages import picture
from pages.ask import blocks, questions
from pages.draw import arithmetic, inputs, matrix, own_sentence, placing, steps
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model import edits
from pages.model.compute import needed, tensors_of
from pages.model.examples import in_language, row_of_it
from pages.model.progress import Takeaway
from pages.model.settings import Settings
from pages.picture import Arrow, Flow, Matrix

from . import ablation, scene

QUESTION = "head_doubled"


def draw(page: Page) -> blocks.Blocks:
    yield blocks.control(own_sentence.offer)
    yield blocks.said(_joining)
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_picture)
    yield blocks.control(_switches)  # next to Z, from which they take parts
    yield blocks.said(reading)


def _switches(page: Page) -> None:
    ablation.switches(replace(page, settings=two_heads(page)))


def task(page: Page) -> bool:
    """Whether a head is off."""
    return any(head < two_heads(page).num_heads for head in page.own.off)


def keep(page: Page) -> Takeaway:
    """Whom “it” attends to in the first two heads."""
    here = shown(page)
    return Takeaway(_attended(here, here.words))


def two_heads(page: Page) -> Settings:
    """The learner's heads; in place of a single one, the sentence's two, on the learner's X where X fits."""
    settings = page.settings
    if settings.num_heads > 1:
        return settings
    start = edits.example_start(in_language("tired_heads", page.t.language))
    fits = settings.d_model == start.d_model
    return (
        replace(start, tokens=settings.tokens, x=settings.x, dimensions=settings.dimensions)
        if fits
        else start
    )


def shown(page: Page, *, factor: bool = True) -> Page:
    """The page with these heads, W_Q of the first one times the learner's number, and the row of “it” lit."""
    settings = two_heads(page)
    if factor:
        width, by = settings.head_dim, page.own.query_factor
        settings = replace(
            settings, w_q=tuple((*(by * v for v in row[:width]), *row[width:]) for row in settings.w_q)
        )
    return replace(page, settings=settings, place=replace(page.place, row=row_of_it(settings.tokens)))


def _weights(page: Page, computation: Steps) -> list[Matrix]:
    """The attention weights of each head."""
    heads = computation.trace.heads
    scores = needed(heads.masked_scores)
    return [
        scene.weights(
            computation,
            f"weights_{head + 1}",
            f"A_{head + 1}",
            weights,
            recipe=picture.softmax_of(scores[head].tolist()),
            **page.axes,
        )
        for head, weights in enumerate(heads.weights)
    ]


def parts_of(page: Page) -> tuple[list[Tensor], Tensor, Tensor | None]:
    """What each head adds to the output of “it” (1, d_model), the output, and the bias, if there is one."""
    computation, tensors = steps.of(page), tensors_of(page.settings)
    row = slice(page.row, (page.row or 0) + 1)
    each = contributions(computation.trace, tensors.get("w_o"))
    return [part[row] for part in each], computation.trace.output[row], tensors.get("b_o")


def _output(page: Page, *, parts: bool) -> Matrix:
    """The output of “it”, and above it what each head adds; heads that are off look masked."""
    each, output, bias = parts_of(page)
    off = {head for head in page.own.off if head < len(each)} if parts else set()
    kept = output - sum(each[head] for head in off)
    terms = [part for head, part in enumerate(each) if head not in off]
    texts = arithmetic.sums([*terms, *([] if bias is None else [bias])] or [kept], kept)["texts"]
    rows, values = ["Z"], kept.tolist()
    if parts:
        rows = [page.t("ablation.head", head=head + 1) for head in range(len(each))] + rows
        values = [part.tolist()[0] for part in each] + values
        texts = [*_products(page, each), *texts]
    look: dict[str, Any] = {"recipe": picture.written(texts)}
    look |= {"subtitle": page.t("two.rounded") if parts else ""}
    look["masked"] = [(head, col) for head in off for col in range(output.shape[-1])] or None
    title = page.t("two.adds" if parts else "two.output")
    return Matrix("parts", title, rows, inputs.dimensions(page.settings), values).having(**look)


def _products(page: Page, parts: list[Tensor]) -> list[list[str]]:
    """The arithmetic of each part: the head's output times its rows of W_O."""
    outputs, w_o = steps.of(page).trace.heads.output, tensors_of(page.settings)["w_o"]
    row, width = page.row or 0, page.settings.value_dim
    blocks = [w_o[head * width : (head + 1) * width] for head in range(len(parts))]
    return [
        arithmetic.products(outputs[head, row : row + 1], block, part)["texts"][0]
        for head, (block, part) in enumerate(zip(blocks, parts, strict=True))
    ]


def _joined(page: Page, heads_off: Collection[int]) -> tuple[Matrix, Matrix]:
    """The row of “it” in O, which has each head's output next to each other, and W_O.

    Of heads that are off both look masked.
    """
    heads, row, width = steps.of(page).trace.heads, page.row or 0, page.settings.value_dim
    texts = [
        text
        for shares, value, output in zip(heads.weights, heads.value, heads.output, strict=True)
        for text in arithmetic.products(shares[row][None], value, output[row][None])["texts"][0]
    ]
    values = heads.output[:, row].flatten()[None]
    names = scene.columns(page.settings.num_heads, width)
    off = [col for col in range(len(names)) if col // width in heads_off]
    look: dict[str, Any] = {
        "recipe": picture.written([texts]),
        "masked": [(0, col) for col in off] or None,
        "subtitle": page.t("two.joined"),
    }
    joined = matrix.of("joined", "O", values, [page.tokens[row]], names, **look)
    w_o = replace(inputs.matrix(page, "w_o"), rows=names, cols=inputs.dimensions(page.settings)).to_read()
    cells = [(row, col) for row in off for col in range(page.settings.d_model)]
    return joined, w_o.looking(marked_rows=None).having(masked=cells or None)


def _joining(page: Page) -> str:
    """How the outputs of the heads become the output of “it”."""
    page = shown(page)
    settings = page.settings
    facts = {"each": settings.value_dim, "heads": settings.num_heads, "width": settings.d_model}
    return page.t("two.joining", query=page.tokens[page.row or 0], **facts)


def _picture(page: Page) -> None:
    """All heads and the number that only head 1 has; their outputs, W_O, and what each adds."""
    here = shown(page)
    weights, parts = _weights(here, steps.of(here)), _output(here, parts=True)
    joined, w_o = _joined(here, page.own.off)
    factor = inputs.slider(page, "query_factor")
    bands = [
        Flow([*(weight.id for weight in weights), factor.id]),
        Flow([joined.id, Arrow("·"), w_o.id, Arrow("="), parts.id]),
    ]
    placing.draw(
        here,
        "heads",
        [*weights, factor, joined, w_o, parts],
        bands,
        note=page.t("two.drag"),
    )


def _attended(page: Page, names: tuple[str, ...]) -> dict[str, str]:
    """For the first two heads: the key of the largest weight of “it”, and this weight."""
    weights = steps.of(page).trace.heads.weights[:2, page.row]
    keys = weights.argmax(-1).tolist()
    first, second = (short(row[key].item()) for row, key in zip(weights, keys, strict=True))
    facts = {"query": names[page.row or 0], "first": first, "second": second}
    return facts | {"first_key": names[keys[0]], "second_key": names[keys[1]]}


def reading(page: Page) -> str:
    """What the heads attend to; and what stays where one is off."""
    here = shown(page)
    weights = steps.of(here).trace.heads.weights[:2, here.row]
    apart = weights.argmax(-1).unique().numel() > 1 and weights.amax(-1).sum() > 1
    text = page.t("two.apart" if apart else "two.each", **_attended(here, here.tokens))
    off = [head for head in page.own.off if head < here.settings.num_heads]
    if not off:
        return text
    heads = page.t.all_of(page.t("ablation.head", head=head + 1) for head in sorted(off))
    return page.t.joined([text, page.t("two.off", heads=heads)])


def _ask(page: Page) -> bool:
    """W_Q of head 1 is doubled: which numbers stay?"""
    here = shown(page, factor=False)
    weights, (joined, w_o) = _weights(here, steps.of(here)), _joined(here, ())
    output = _output(here, parts=False)
    bands = [
        Flow([weight.id for weight in weights]),
        Flow([joined.id, Arrow("·"), w_o.id, Arrow("="), output.id]),
    ]
    matrices = [*weights, joined, w_o, output]
    return questions.ask(page, QUESTION, lambda: placing.draw(here, "asked", matrices, bands))
