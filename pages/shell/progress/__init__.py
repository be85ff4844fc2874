"""Coming back: what the learner has done is kept in the browser, and nowhere else.

It is in no link, and the server has it for the visit alone. A teacher's plan, a vote and a presentation
record nothing.
"""

import json
from pathlib import Path

import streamlit as st

from pages import session
from pages.draw import saving, say
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.model import progress
from pages.model.course import Lesson

KEY = "progress"
_component = st.components.v2.component(
    "attention_progress", js=(Path(__file__).parent / "progress.js").read_text("utf-8")
)


def keep(page: Page) -> None:
    """Records that the part is seen, and brings the record to the browser."""
    session.note_part(page.lesson.name, page.part.name)
    visit = session.visit()
    done, deleted = visit.record.progress.to_json(), visit.record.deleted
    who = {"lesson": page.lesson.name, "visit": visit.name}
    keys = sorted(visit.course.keys_of_places)
    data = who | {"records": session.records(), "deleted": deleted, "done": done, "keys": keys}
    # In a tuple: to look into other data, Streamlit imports pandas.
    _component(key=KEY, data=(data,), height=1, on_kept_change=_take)


def _take() -> None:
    record, course = session.visit().record, session.visit().course
    kept = (session.widget_value(KEY) or {}).get("kept")
    if not record.deleted:
        record.progress = record.progress.joined(progress.read(kept, course))
        record.recalled = True
    session.say_again()


def _left(page: Page) -> Lesson | None:
    """The lesson to go on with: the last one; after the first page of a visit the page's own lesson.

    Its own lesson is offered where it was left in another part, and until it is left again.
    """
    visit = session.visit()
    if not visit.lessons_left:
        return visit.course.pages.get(visit.record.progress.last)
    lesson, query = page.lesson, visit.record.progress.query(page.lesson.name)
    elsewhere = bool(query) and lesson.part(query.get("part")) != page.part
    return lesson if elsewhere and session.is_first_visit(lesson.name) else None


def offer(page: Page) -> None:
    """Who comes back to the app's own address can go on where the last visit ended.

    In each other lesson the learner can go on where an earlier visit left it.
    """
    visit, t = session.visit(), page.t
    last = _left(page)
    if not visit.bare or last is None or visit.record.stayed:
        return
    query = visit.record.progress.query(last.name)
    texts = Texts(t.language, last.name)
    names = [texts("lesson.title"), texts(f"part.{last.part(query.get('part')).name}")]
    place = t.listed(names[: len(last.parts)])
    with st.container(key="continue"):
        say.sentence(t("progress.left" if visit.lessons_left else "progress.back"))
        st.page_link(f"pages/{last.name}.py", label=t("progress.continue", place=place), query_params=query)
        st.button(t("progress.stay"), key="stay", type="tertiary", on_click=session.stay)


def about() -> None:
    """What is kept, to save and to delete."""
    visit = session.visit()
    t = Texts(session.view().language)
    say.markdown(f"**{t('progress.title')}**")
    if visit.record.deleted:
        say.markdown(t("progress.deleted"))
        return
    say.markdown(t("progress.kept"))
    with st.container(horizontal=True, gap="small"):
        name = "attention-progress.json"
        saving.button("save_progress", t("progress.save"), name, "application/json", _file)
        st.button(t("progress.delete"), key="delete_progress", on_click=session.forget)


def _file() -> str:
    kept = session.visit().record.progress
    whole = kept.to_json() | {"places": dict(kept.places), "last": kept.last}
    return json.dumps(whole, ensure_ascii=False, indent=1)
