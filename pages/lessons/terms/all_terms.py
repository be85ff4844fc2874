"""All terms, to search: with symbol, shape, a sentence, a formula or a picture, and where to see it live."""

from dataclasses import replace

import streamlit as st

from pages import session
from pages.ask import links
from pages.draw import glossary, matrix, placing, say
from pages.draw.glossary import Term
from pages.draw.numbers import counted
from pages.draw.page import Page
from pages.draw.texts import Texts, literal
from pages.model.compute import needed, one_mask
from pages.model.edits import example_start


def draw(page: Page) -> None:
    """The search, and what it finds."""
    t = page.t
    st.text_input(t("setting.search"), help=t("help.search"), width=420, **session.bind("search"))
    terms = glossary.matching(page.look.search) or _similar(page)
    say.caption(t("terms.count", count=len(terms), all=len(glossary.TERMS)))
    for term in terms:
        with st.container(key=f"row-{term.key}", border=True, horizontal=True, gap="medium"):
            _row(page, term)


def _similar(page: Page) -> list[Term]:
    """The terms that a mistake in the spelling may have meant; says so, or how to go on without any."""
    t, terms = page.t, glossary.similar(page.look.search)
    say.info(t("terms.similar" if terms else "terms.nothing", entry=literal(page.look.search)))
    st.button(t("terms.all"), key="all_terms", on_click=session.set_view, kwargs={"search": ""})
    return terms


def _row(page: Page, term: Term) -> None:
    """One term, and next to it its formula or the mask's picture."""
    with st.container(width="stretch"):
        glossary.entry(term, page.t.language)
        lesson, part, _ = place = page.course.place_of("terms", term.key)
        texts = Texts(page.t.language, lesson)
        label = f"{texts('lesson.title')} · {texts(f'part.{part}')}"
        links.to_lesson(lesson, page.t("terms.live", place=label), replace(place.place, step=term.step))
    with st.container(width=260):
        glossary.formula(term)
        if term.mask:
            _mask(page, term.mask)


def _mask(page: Page, kind: str) -> None:
    """A mask of that kind over five tokens."""
    settings = example_start("masks")
    tokens = counted(len(settings.tokens))
    mask = matrix.of(kind, "M", needed(one_mask(settings, kind)), tokens, tokens, alt=page.t(f"mask.{kind}"))
    placing.draw(page, f"mask_{kind}", [mask], note=page.t("terms.mask"))
