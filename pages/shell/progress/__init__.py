"""The learner's progress is kept in the browser, and nowhere else.

No link has it, and the server forgets it after the visit. A teacher's plan, a vote and a presentation record
nothing: their answers, and pasted or searched texts, last as long as the tab.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages import session
from pages.ask import vote
from pages.draw import saving, say
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.model.course import Course, Lesson
from pages.model.fields import to_json
from pages.model.progress import LARGEST, LARGEST_EVENT, LARGEST_OF_TAB, LONGEST, MOST_EXERCISES
from pages.picture.modules import joined

KEY = "progress"
_component = st.components.v2.component(
    "attention_progress", js=joined(Path(__file__).parent / "progress.js")
)


@dataclass
class _Deletion:
    """How far it has come."""

    asks_browser: bool = False  # in which votes it takes part: one may have been opened in another tab
    asks: bool = False  # the learner, while a vote is open
    voices: object = None  # what the browser has said, which may be anything


def _deletion() -> _Deletion:
    return session.memory("deletion", _Deletion)


def save(page: Page) -> None:
    """Records that the part is seen, and sends the record to the browser.

    The first page is no place to continue.
    """
    if not page.lesson.front:
        session.note_part(page.lesson.name, page.part.name)
    visit = session.visit()
    record, tab, places = visit.record, session.of_tab(), sorted(visit.course.keys_of_places)
    limits = {
        "record": LARGEST,
        "tab": LARGEST_OF_TAB,
        "place": LONGEST,
        "event": LARGEST_EVENT,
        "exercises": MOST_EXERCISES,
        "keys": places,
    }
    data = {
        "lesson": "" if page.lesson.front else page.lesson.name,
        "visit": visit.name,
        "records": session.records(),
        "recalled": record.recalled,
        "deleted": record.deleted,
        "done": record.progress.to_json(),
        "tab": tab and tab.to_json(),
        "asks_voices": _deletion().asks_browser,
        "limits": limits,
    }
    # In a tuple: Streamlit imports pandas to inspect other data.
    _component(
        key=KEY,
        data=(data,),
        height=1,
        on_kept_change=_take,
        on_gone_change=session.forget,
        on_voices_change=_hear,
    )


def _take() -> None:
    session.recall((session.widget_value(KEY) or {}).get("kept"))
    session.say_again()


def _left(page: Page) -> Lesson | None:
    """The lesson to continue: on the first page of a visit the last lesson, later the page's own lesson.

    The own lesson counts if it was left in another part or with other numbers, until it is left again.
    """
    visit = session.visit()
    if not visit.lessons_left:
        return visit.course.pages.get(visit.record.progress.last)
    lesson, query = page.lesson, visit.record.progress.query(page.lesson.name)
    elsewhere = bool(query) and lesson.part(query.get("part")) != page.part
    left, here = (_numbers(link, visit.course) for link in (query, session.link_of(lesson.name)))
    other = bool(query) and left != here
    return lesson if (elsewhere or other) and session.is_first_visit(lesson.name) else None


def _numbers(query: dict[str, str], course: Course) -> dict[str, str]:
    """The parts of a link that are numbers."""
    return {key: text for key, text in query.items() if key in course.keys_of_numbers}


def offer(page: Page) -> None:
    """Offers to continue where the last visit ended; in other lessons, where an earlier visit left them.

    Only in a visit to the app's own address, without a link.
    """
    visit, t = session.visit(), page.t
    last = _left(page)
    if not visit.bare or last is None or visit.record.stayed:
        return
    query = visit.record.progress.query(last.name)
    place = _place(t, last, query, visit.course)
    with st.container(key="continue"):
        say.sentence(t("progress.left" if visit.lessons_left else "progress.back"))
        st.page_link(session.script(last.name), label=t("progress.continue", place=place), query_params=query)
        st.button(t("progress.stay"), key="stay", type="tertiary", on_click=session.stay)


def offer_on_front(page: Page) -> None:
    """Offers, below the ways on from the first page, to continue where the learner was.

    In the course of a visit this is the first stop of the hour whose mark is not full.
    """
    visit, t = session.visit(), page.t
    progress, course = visit.record.progress, visit.course
    last, query = course.pages.get(progress.last), progress.query(progress.last)
    full = progress.full(course)
    stop = next((stop for stop in course.hour if full and stop not in full), None)
    if visit.lessons_left or last is None:
        last, query = (course.pages[stop.lesson], {"part": stop.part}) if stop else (None, {})
    if last is None:
        return
    left = progress.minutes_left(course)
    label = t("progress.continue", place=_place(t, last, query, course))
    with st.container(key="continue_hour", horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(session.script(last.name), label=label, query_params=query)
        say.caption(t("hour.left", minutes=left) if left else t("hour.over"), width="content")


def _place(t: Texts, lesson: Lesson, query: dict[str, str], course: Course) -> str:
    """The name of a place: of the stop of the hour, or else of the lesson and its part."""
    texts, part = Texts(t.language, lesson.name), lesson.part(query.get("part")).name
    if course.stop_at(lesson.name, part) is not None:
        return texts(f"stop.{part}")
    names = [texts("lesson.title"), *([texts(f"part.{part}")] if len(lesson.parts) > 1 else [])]
    return t.listed(names)


def about() -> None:
    """The learner's record, to save and to delete."""
    visit = session.visit()
    t = Texts(session.view().language)
    say.markdown(f"**{t('progress.title')}**")
    if visit.record.deleted:
        say.markdown(t("progress.deleted"))
        return
    if _deletion().asks and _is_voting():  # in place of all the rest, so that it is in sight
        say.warning(t("progress.vote_open"))
        with st.container(horizontal=True, gap="small"):
            st.button(t("progress.delete_all_the_same"), key="delete_all_the_same", on_click=session.forget)
            st.button(t("progress.keep"), key="keep_progress", on_click=_ask, args=(False,))
        return
    say.markdown(t("progress.kept"))
    with st.container(horizontal=True, gap="small"):
        name = "attention-progress.json"
        saving.button("save_progress", t("progress.save"), name, "application/json", _file)
        st.button(t("progress.delete"), key="delete_progress", on_click=_delete)


def _is_voting() -> bool:
    """A vote is open in which this page or this browser takes part."""
    return vote.is_open() or vote.takes_part(_deletion().voices)


def _delete() -> None:
    """Deletes what is kept, once the browser has said in which votes it takes part."""
    _deletion().asks_browser = True


def _hear() -> None:
    deletion = _deletion()
    if deletion.asks_browser:
        deletion.asks_browser = False
        deletion.voices = (session.widget_value(KEY) or {}).get("voices")
        if _is_voting():
            _ask(True)
        else:
            session.forget()
        session.say_again()


def _ask(on: bool) -> None:
    _deletion().asks = on


def _file() -> str:
    return json.dumps(to_json(session.visit().record.progress), ensure_ascii=False, indent=1)
