"""The lecture notes' code examples: what their comments and prints say, and what comes out."""

import functools

import streamlit as st

from attention.lab.worked_examples import code as lab
from pages.ask import links, questions, topics
from pages.draw import say
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model.edits import example_start
from pages.model.view import Place

COUNTS = (1, 2, 3)
DROPOUT = """\
attention_weights = F.softmax(scores, dim=-1)
attention_weights = self.dropout(attention_weights)
return attention_weights @ V, attention_weights"""
split, dropout = functools.cache(lab.split), functools.cache(lab.dropout)
shapes = functools.cache(lab.shapes)


def draw(page: Page) -> None:
    topics.draw(page, {"split": _split, "dropout": _dropout, "mask": _mask, "shapes": _shapes})


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


def _split(page: Page) -> None:
    say.markdown(page.t("code.split"))
    st.code("Q_i = Q_i.view(1, num_heads, -1, d_k)\nQ_i = Q_i.transpose(0, 1)", language="python")
    lines = split()
    if questions.ask(page, "worked_shape", lambda: _draw_before(page, lines.shapes)):
        _table(page, lines.shapes)
        say.sentence(page.t("code.split_found", output=short(lines.output)))
        _more(page, "many_heads", "view", "note")


def _dropout(page: Page) -> None:
    say.markdown(page.t("code.dropout"))
    st.code(DROPOUT, language="python")
    result = dropout()
    if questions.ask(page, "worked_dropout", lambda: _draw_before(page, result.shapes)):
        _table(page, result.shapes)
        least, most = (short(value, 3) for value in result.returned_sums)
        say.sentence(page.t("code.dropout_found", least=least, most=most))
        _more(page, "softmax", "dropout")


def _mask(page: Page) -> None:
    t = page.t
    say.markdown(t("code.mask"))
    header = [t("code.batch"), *(t("code.heads", heads=heads) for heads in COUNTS)]
    blank = [(str(batch), *["?"] * len(COUNTS)) for batch in COUNTS]
    if not questions.ask(page, "worked_batch", lambda: say.table(header, blank)):
        return
    outcomes = [(str(batch), *(_outcome(page, batch, heads) for heads in COUNTS)) for batch in COUNTS]
    say.table(header, outcomes)
    say.markdown(t("code.mask_found"))
    _more(page, "many_heads", "view", "accident")


def _outcome(page: Page, batch: int, heads: int) -> str:
    """What torch does, in words; where the output has another shape, both shapes."""
    outcomes = lab.mask_outcome(batch, heads)
    return page.t(f"code.outcome_{outcomes.kind}", comes=outcomes.comes, meant=outcomes.meant)


def _shapes(page: Page) -> None:
    say.markdown(page.t("code.shapes"))
    _table(page, shapes())
