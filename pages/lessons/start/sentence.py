"""What attention is, on one screen: words, their attention weights, X to change, the formula, the ways on.

PyTorch is imported with the first weights, for a fresh server shows this page before.
"""

import operator

import streamlit as st

from pages import session
from pages.ask import blocks, vote
from pages.draw import inputs, own_sentence, placing
from pages.draw.messages import show_problems
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.texts import Name
from pages.model import words
from pages.model.edits import example_start
from pages.model.languages import LANGUAGES
from pages.model.link import to_query
from pages.model.view import Place
from pages.picture import Arcs, FormulaPart, Front, Matrix, Role

# Places at which everything is shown at once: way → lesson and part.
SHOWING = {
    "whole": ("one_head", "picture"),
    "numbers": ("worked_examples", "own"),
    "code": ("practice", "your_code"),
}
TRAINED = ("real_heads", "a_model")  # the part about a trained model
ROLES = ("query", "key", "value")
# The terms of the formula from left to right: symbols with the colours of their roles, and which step it is.
FORMULA = (
    ("shares", 3, (("softmax ( ", ""),)),
    ("compare", 1, (("Q", "query"), (" ", ""), ("K^T", "key"))),
    ("size", 2, ((" / √d_k", ""),)),
    ("mix", 4, ((" ) ", ""), ("V", "value"))),
)


def draw(page: Page) -> blocks.Blocks:
    yield blocks.picture(_picture)


def ways(page: Page) -> None:
    """The learner's own sentence, and the ways on, below the picture, which is drawn early without them."""
    t = page.t
    with st.container(key="own", horizontal=True, vertical_alignment="bottom", gap="small"):
        own_sentence.entry(page)
        again, undo = t("sentence.again"), t("toolbar.undo")
        st.button(undo, key="undo", shortcut="Ctrl+Z", on_click=session.undo, help=t("help.undo"))
        st.button(again, key="reset", on_click=session.reset, help=t("sentence.again_help"))
    show_problems(page, st)
    with st.container(key="ways", horizontal=True, vertical_alignment="center", gap="small"):
        [first, *_] = page.course.hour
        st.page_link(
            session.script(first.lesson),
            label=t("way.hour", minutes=page.course.minutes),
            query_params={"part": first.part},
        )
        _way(page, "whole")
        st.page_link(session.script("for_teachers"), label=t("way.teach"))
        _way(page, "numbers")
        _way(page, "code")
        vote.entry(page)


def _way(page: Page, name: str) -> None:
    """The way to a place at which everything is shown at once, with the present numbers."""
    if st.button(page.t(f"way.{name}"), key=f"way_{name}"):
        lesson, part = SHOWING[name]
        session.show_me(True)
        session.leave_for(lesson, to_query(session.state(), session.view(), Place(part)))


def waiting(page: Page) -> None:
    """The page before PyTorch is imported: the words and X, without weights."""
    sentences = [page.t("frame.starting")] * len(page.tokens)
    _draw(page, "waiting", _arcs(page, None, sentences), starting=True)


def _picture(page: Page) -> None:
    from pages.model.compute import trace_of

    weights = trace_of(page.settings).head(page.head).weights.tolist()
    sentences = [_mixture(page, *row) for row in zip(page.tokens, weights, strict=True)]
    _draw(page, "sentence", _arcs(page, weights, sentences))


def _draw(page: Page, name: str, arcs: Arcs, *, starting: bool = False) -> None:
    placing.draw(page, name, [_x(page)], arcs=arcs, front=_front(page), starting=starting)


def _x(page: Page) -> Matrix:
    """X, whose size and names stay: here only its numbers are changed."""
    x = inputs.matrix(page, "x").to_edit(grow=None, names=None, col_names=None)
    return x.looking(subtitle=page.t("sentence.drag"), query_rows=False)


def _arcs(page: Page, weights: list[list[float]] | None, sentences: list[str]) -> Arcs:
    row = words.to_begin_with(page.settings.tokens) if page.row is None else page.row
    return Arcs(page.tokens, row, weights, sentences, page.t("sentence.choose"))


def _mixture(page: Page, word: Name, weights: list[float]) -> str:
    """What a row of weights says, the largest first."""
    t = page.t
    if not any(weights):
        return t("sentence.nothing", word=word)
    mixed = [(_percent(weight), name) for weight, name in zip(weights, page.tokens, strict=True) if weight]
    shares = sorted(filter(operator.itemgetter(0), mixed), key=lambda share: -share[0])
    said = t.all_of(t("sentence.share", share=share, word=name) for share, name in shares)
    small = [name for share, name in mixed if not share]
    is_whole = not small and sum(share for share, _ in shares) == 100
    rounded = "" if is_whole else t("sentence.rounded")
    key = ("sentence.mixture", "sentence.mixture_one", "sentence.mixture_rest")[min(len(small), 2)]
    return t(key, word=word, shares=said, rest=[*small, word][0], n=len(small), rounded=rounded)


def _made(page: Page) -> str:
    """Where the words and the vectors are from, and which stop of the hour is about others."""
    trained = page.course.stop_at(*TRAINED)
    later = [page.t("sentence.trained", stop=page.course.stop_numbers[trained])] if trained else []
    of_course = page.settings.tokens == example_start(LANGUAGES[page.t.language].example).tokens
    return page.t.joined([page.t("sentence.course")] * of_course + [page.t("sentence.made"), *later])


def _percent(weight: float) -> int:
    """The weight in percent, as its arc has it."""
    return round(100 * float(short(weight)))


def _front(page: Page) -> Front:
    t = page.t
    roles = [Role(role, t(f"role.{role}"), t(f"role.{role}_is")) for role in ROLES]
    formula = [FormulaPart(symbols, place, t(f"formula.{name}")) for name, place, symbols in FORMULA]
    return Front(
        t("lesson.title"),
        t("lesson.lead"),
        t.joined([t("sentence.choose_other"), own_sentence.told(page) or _made(page)]),
        roles,
        formula,
        t("formula.spoken"),
    )
