"""The lecture notes' code examples: what their comments and prints say, and what comes out."""

import functools
from collections.abc import Callable

import streamlit as st

from attention.lab.worked_examples import code as lab
from pages.ask import blocks, links
from pages.draw import say
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model.edits import example_start
from pages.model.view import Place

COUNTS = (1, 2, 3)
SPLIT = "Q_i = Q_i.view(1, num_heads, -1, d_k)\nQ_i = Q_i.transpose(0, 1)"
DROPOUT = """\
attention_weights = F.softmax(scores, dim=-1)
attention_weights = self.dropout(attention_weights)
return attention_weights @ V, attention_weights"""
split, dropout = functools.cache(lab.split), functools.cache(lab.dropout)
shapes = functools.cache(lab.shapes)


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(
        page, {"split": _split, "dropout": _dropout, "mask": _mask, "shapes": _with_shapes}
    )


def _draw_before(page: Page, claims: tuple[lab.ShapeClaim, ...]) -> None:
    """The printed shapes; what the code gives is asked for."""
    _shape_table(page, [(claim, "?", "?") for claim in claims])


def _shape_table(page: Page, rows: list[tuple[lab.ShapeClaim, str, str]]) -> None:
    t = page.t
    header = [t(f"code.{name}") for name in ("what", "said", "comes", "off")]
    say.table(header, [(t(f"code.{claim.name}"), str(claim.printed), *cells) for claim, *cells in rows])


def _table(page: Page, claims: tuple[lab.ShapeClaim, ...]) -> None:
    """Each printed shape next to the shape that the code gives."""
    t = page.t
    _shape_table(page, [(claim, str(claim.comes), str(claim.off_count)) for claim in claims])
    off, total = sum(claim.off_count for claim in claims), sum(len(claim.printed) for claim in claims)
    say.result(t("code.total", off=off, total=total))


def _more(page: Page, name: str, part: str, topic: str | None = None) -> None:
    """The lesson that treats the mistake, with the example that it begins with."""
    start = example_start(page.course.pages[name].begins(page.t.language))
    links.to_lesson(name, page.t(f"code.more_{name}"), Place(part=part, topic=topic), start)


def _split(page: Page) -> blocks.Blocks:
    yield blocks.text("code.split")
    yield blocks.figure(_code, SPLIT)
    yield blocks.ask("worked_shape", lambda page: _draw_before(page, split().shapes))
    yield blocks.figure(_split_shapes)
    yield blocks.said(_split_found)
    yield blocks.aside(_more, "many_heads", "view", "note")


def _code(page: Page, lines: str) -> None:
    st.code(lines, language="python")


def _split_shapes(page: Page) -> None:
    _table(page, split().shapes)


def _split_found(page: Page) -> str:
    return page.t("code.split_found", output=short(split().output))


def _dropout(page: Page) -> blocks.Blocks:
    yield blocks.text("code.dropout")
    yield blocks.figure(_code, DROPOUT)
    yield blocks.ask("worked_dropout", lambda page: _draw_before(page, dropout().shapes))
    yield blocks.figure(_dropout_shapes)
    yield blocks.said(_dropout_found)
    yield blocks.aside(_more, "softmax", "dropout")


def _dropout_shapes(page: Page) -> None:
    _table(page, dropout().shapes)


def _dropout_found(page: Page) -> str:
    least, most = (short(value, 3) for value in dropout().returned_sums)
    return page.t("code.dropout_found", least=least, most=most)


def _mask(page: Page) -> blocks.Blocks:
    yield blocks.text("code.mask")
    yield blocks.ask("worked_batch", _unknown)
    yield blocks.figure(_outcomes)
    yield blocks.text("code.mask_found")
    yield blocks.aside(_more, "many_heads", "view", "accident")


def _mask_table(page: Page, cell: Callable[[int, int], str]) -> None:
    header = [page.t("code.batch"), *(page.t("code.heads", heads=heads) for heads in COUNTS)]
    say.table(header, [(str(batch), *(cell(batch, heads) for heads in COUNTS)) for batch in COUNTS])


def _unknown(page: Page) -> None:
    _mask_table(page, lambda batch, heads: "?")


def _outcomes(page: Page) -> None:
    _mask_table(page, functools.partial(_outcome, page))


def _outcome(page: Page, batch: int, heads: int) -> str:
    """What torch does, in words; where the output has another shape, both shapes."""
    outcomes = lab.mask_outcome(batch, heads)
    return page.t(f"code.outcome_{outcomes.kind}", comes=outcomes.comes, meant=outcomes.meant)


def _with_shapes(page: Page) -> blocks.Blocks:
    yield blocks.text("code.shapes")
    yield blocks.figure(_shapes)


def _shapes(page: Page) -> None:
    _table(page, shapes())
