"""The end of the hour: a sentence for each stop, with the learner's numbers, and the ways on.

Of a stop that is done there is a question; its sentence is covered until it is opened.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import streamlit as st

from pages import session
from pages.ask import links
from pages.draw import say
from pages.draw.page import Page, StopSummary
from pages.draw.texts import Texts
from pages.model.course import Location
from pages.model.link import LONGEST, to_query, whole

# Why somebody would read on, and where.
ONWARD = {
    "after": (Location("transformer", "the_model"),),
    "explain": (Location("real_heads", "explain"),),
    "code": (Location("masks", "libraries"), Location("practice", "your_code")),
    "theory": (Location("why_scale", "limits"),),
    "teaching": (Location("for_teachers", "lessons"),),
    "cost": (Location("cost", ""), Location("flash_attention", "")),
}


def draw(page: Page) -> None:
    """The sentences; a link to them; what comes next."""
    with st.container(key="recalling-you_can") if session.is_recalling() else nullcontext():
        _sentences(page)
    _copy_link(page)
    say.markdown(f"##### {page.t('you_can.next')}")
    for name, places in ONWARD.items():
        _way(page, name, places)
    if page.course.inside:
        _way(page, "inside", (Location(page.course.inside[0].name, ""),))


def _sentences(page: Page) -> None:
    """What is done, once the browser has sent its record."""
    kept = page.look_back(page)
    done = sum(sentence.done for sentence in kept)
    text = "all" if done == len(kept) else "some" if done else "none"
    say.markdown(page.t(f"you_can.{text}", done=done, all=len(kept)))
    uncovered = bool(done) and st.toggle(page.t("you_can.uncover"), key="uncover")
    for number, sentence in enumerate(kept, 1):
        _sentence(page, number, sentence, uncovered=uncovered)


def _sentence(page: Page, number: int, kept: StopSummary, *, uncovered: bool) -> None:
    """The sentence of a stop below its question; of a stop that is still to do, pale, its task."""
    cue = rf"{number}\. {page.t(f'cue.{kept.stop.part}')}"
    row: dict[str, Any] = {"horizontal": True, "gap": "small", "vertical_alignment": "center"}
    box: AbstractContextManager[Any] = nullcontext()
    if kept.done:
        box = st.expander(say.with_formulas(cue), uncovered, key=f"sentence_{number}_{uncovered}")
    with box, st.container(key=f"kept_{number}", **row):
        if kept.done:
            say.markdown(kept.sentence)
        else:
            say.caption(f"{number}. {page.t('you_can.open', task=kept.sentence)}")
        lesson, part = kept.stop.lesson, kept.stop.part
        _link(page, Location(lesson, part), Texts(page.t.language, lesson)(f"stop.{part}"))


def _copy_link(page: Page) -> None:
    """The link to this page with the learner's numbers, which has a button that copies it."""
    link = whole(session.address_of(page.lesson.name), to_query(page.numbers, page.view, page.place))
    say.caption(page.t("you_can.link") if link else page.t("share.too_long", limit=LONGEST))
    if link:
        st.code(link, language=None)


def _way(page: Page, name: str, places: tuple[Location, ...]) -> None:
    with st.container(key=f"onward_{name}", horizontal=True, gap="small", vertical_alignment="center"):
        say.markdown(page.t(f"you_can.{name}"), width="content")
        for place in places:
            t = Texts(page.t.language, place.lesson)
            title = t("lesson.title")
            title += f" · {t(f'part.{place.part}')}" if place.part else ""
            _link(page, place, title)


def _link(page: Page, place: Location, title: str) -> None:
    """A link to a place; in this lesson a button that looks the same, for Streamlit would mark the link."""
    if place.lesson != page.lesson.name:
        links.to_place(place, title, page.t.language)
        return
    look: dict[str, Any] = {"type": "tertiary", "icon": links.ARROW}
    st.button(title, key=f"go_{place.part}", on_click=page.go, kwargs={"part": place.part}, **look)
