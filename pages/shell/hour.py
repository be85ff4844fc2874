"""A stop of the hour: a part that leads on its own, with its task above it, and a sentence to keep below it.

The part draws neither. A plan and a vote have their own way: there a stop is a part like any other, except in
a presentation, which shows a class the task and the sentence. The file of the part may have, besides `draw`:

    task(page) -> bool    whether the page fulfils `stop.<part>_task`; False at the start of its lesson
    keep(page) -> str     the sentence `stop.<part>_keep` with the learner's numbers
    is_whole(page) -> bool    whether the part has shown all that the sentence is about
"""

import importlib
from collections.abc import Set
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

import streamlit as st

from pages import session
from pages.draw import live, say
from pages.draw.page import Page, StopSummary, in_task
from pages.draw.texts import Texts
from pages.lessons.one_head import sentence
from pages.model.course import HourStop
from pages.model.fields import specs
from pages.model.link import to_query
from pages.model.view import View

# Images in the label, for Streamlit's icons have no name in the learner's language. The files set width and
# height: Streamlit's style would scale an image without them down to nothing.
MARKS = {
    name: "data:image/svg+xml," + quote((Path(__file__).parent / f"{name}.svg").read_text("utf-8"))
    for name in ("open", "begun", "finished")
}


def mark(name: str, text: str) -> str:
    """A mark for Markdown. text: its meaning in the learner's language."""
    return f'![{text}]({MARKS[name]} "{text}")'


def leads(view: View) -> bool:
    """Whether stops are more than parts: not in a plan or a vote, unless it is presented."""
    return view.presenting or not (view.plan or view.vote)


def stop_of(page: Page) -> HourStop | None:
    """The stop of the hour that is on the page."""
    return page.course.stop_at(page.lesson.name, page.part.name) if leads(page.view) else None


def meaning_of(stop: HourStop, language: str, full: Set[HourStop]) -> str:
    """What the mark of the stop means. full: the stops with a full mark."""
    visit, t = session.visit(), Texts(language, stop.lesson)
    progress, view = visit.record.progress, visit.view
    states = {}  # of its task and question: whether they are done
    if f"stop.{stop.part}_task" in t:
        states["task"] = stop.name in progress.tasks
    if stop.question is not None:
        states["question"] = progress.has_answer(stop, view)
    if stop.ends:
        states["stops"] = stop in full
    if all(states.values()):
        return t("hour.full")
    return t.listed(t(f"hour.{name}_{'done' if done else 'open'}") for name, done in states.items())


def going_on(view: View) -> dict[str, str]:
    """What a link to a stop says of a presentation and a vote of the class, which go on."""
    present = {name: getattr(view, name) for name in ("presenting", "vote")}
    return {specs(View)[name].key: specs(View)[name].write(value) for name, value in present.items() if value}


def link(stop: HourStop, language: str, label: str, icon: str | None = None, **more: str) -> None:
    """A link to the stop that leaves the learner's numbers as they are. more: see `going_on`."""
    query = {"lang": language, "part": stop.part} | more
    st.page_link(session.script(stop.lesson), label=label, icon=icon, query_params=query)


def head(page: Page, stop: HourStop) -> None:
    """Where in the hour the learner is, why the stop matters, and its task with its mark."""
    t, key = page.t, f"stop.{page.part.name}"
    if page.view.presenting:
        if f"stop.{stop.part}_task" in t:
            with st.container(key="stop"):
                say.markdown(f"**{task_of(page, stop)}**")
        return
    _left().clear()
    number = page.course.stop_numbers.get(stop)
    with st.container(key="stop"):
        minutes = t("hour.minutes", minutes=stop.minutes)
        if number is not None:
            place = t("hour.stop", i=number, n=len(page.course.stop_numbers))
            full = session.visit().record.progress.full(page.course, page.view)
            minutes = f"{place} · {minutes} · {meaning_of(stop, t.language, full)}"
        with st.container(horizontal=True, key="stop_line", vertical_alignment="center"):
            say.caption(minutes, width="content")
            whole = page.course.whole
            if whole and stop.whole and st.button(t("hour.whole"), key="whole", type="tertiary"):
                _left().append(stop)
                _open(whole.lesson, whole.part)
        say.markdown(t(f"{key}_why"))
        if f"stop.{stop.part}_task" in t:
            done = stop.name in session.visit().record.progress.tasks
            how = ("finished", "hour.task_done") if done else ("open", "hour.task_open")
            after = f"{t('hour.after_question')} " if stop.asks_first and not page.shows else ""
            say.markdown(f"{mark(how[0], t(how[1]))} {after}**{task_of(page, stop)}**")


def task_of(page: Page, stop: HourStop) -> str:
    """The task of the stop, on its page."""
    return page.t(f"stop.{stop.part}_task", **tokens_of(page, stop))


def tokens_of(page: Page, stop: HourStop) -> dict[str, Any]:
    """The tokens that the task may name, without the module of the part, which imports PyTorch."""
    if stop.sentence:
        page = sentence.told(page)
    return in_task(page.t, page.settings.tokens)


def judge(page: Page) -> None:
    """Records that the task of the stop is done; while a hand holds a number, it is not."""
    stop, visit = stop_of(page), session.visit()
    if stop is None or stop.name in visit.record.progress.tasks or visit.inbox.rest is not None:
        return
    task = getattr(_module(stop), "task", None)
    if task is not None and task(page):
        session.note_task(stop.lesson, stop.part)


def keep(page: Page) -> None:
    """The sentence to keep, once the task is done; it may be what the task is to find out.

    Where there is no task, once the question is answered, which it may give away. Before a class, while the
    page shows what it says: all steps, or numbers that fulfil the task.
    """
    stop = stop_of(page)
    if stop is None or stop.ends or page.is_open or not _is_done(page, stop):
        return
    is_left = stop.name not in session.visit().record.progress.tasks and f"stop.{stop.part}_task" in page.t
    if is_left and not page.view.presenting:
        return
    if is_whole(page, stop):
        with st.container(key="keep"):
            live.draw(page, _keep, when="released")


def is_whole(page: Page, stop: HourStop) -> bool:
    """Whether all steps of the stop are on the page."""
    whole = getattr(_module(stop), "is_whole", None)
    return whole is None or whole(page)


def _keep(page: Page) -> None:
    stop = page.course.stop_at(page.lesson.name, page.part.name)
    if stop is None:
        return
    module = _module(stop)
    tells = getattr(module, "is_whole", None) or getattr(module, "task", None)
    if not page.view.presenting or tells is None or tells(page):
        say.sentence(_sentence(page, stop))


def _sentence(page: Page, stop: HourStop) -> str:
    """The sentence to keep, on the page of the stop."""
    own = getattr(_module(stop), "keep", None)
    return page.t(f"stop.{stop.part}_keep") if own is None else own(page)


def look_back(page: Page) -> list[StopSummary]:
    """The stops with the sentence of each that is done; of the others the task, or why they matter."""
    full, results = session.visit().record.progress.full(page.course, page.view), []
    for stop in page.course.stop_numbers:
        lesson, place = page.course.pages[stop.lesson], replace(session.place(stop.lesson), part=stop.part)
        t = Texts(page.t.language, stop.lesson)
        there = replace(page, lesson=lesson, part=lesson.part(stop.part), t=t, place=place)
        there = there.with_numbers(session.numbers_at(lesson, place))
        done = stop in full
        has_task = f"stop.{stop.part}_task" in t
        still = task_of(there, stop) if has_task else t(f"stop.{stop.part}_why")
        sentence = _sentence(there, stop) if done else still
        results.append(StopSummary(stop, sentence, done))
    return results


def onward(page: Page, stop: HourStop) -> None:
    """The way to the next stop, with its reason once the task or the question is done, lit once both are."""
    after, t = page.course.stop_after(stop), page.t
    if after is None:
        return
    if done := _is_done(page, stop):
        say.markdown(t(f"stop.{stop.part}_next"))
    progress = session.visit().record.progress
    is_left = f"stop.{stop.part}_task" in t and stop.name not in progress.tasks
    is_full = done and not is_left and (stop.question is None or page.answer(stop.question) is not None)
    with st.container(key="next_stop" if is_full and is_whole(page, stop) else "later_stop"):
        _next(after, t.language)


def _next(stop: HourStop, language: str) -> None:
    t = Texts(language, stop.lesson)
    link(stop, language, t("hour.next", name=t(f"stop.{stop.part}")))


def back(page: Page) -> None:
    """The ways from the whole picture: back to the stop from which it was opened, and to the next stop."""
    whole, here = page.course.whole, (page.lesson.name, page.part.name)
    if whole is None or whole[:2] != here or not _left() or not leads(page.view) or page.view.presenting:
        return
    [stop], t = _left(), page.t
    name, number = Texts(t.language, stop.lesson)(f"stop.{stop.part}"), page.course.stop_numbers[stop]
    label = t("hour.back", i=number, name=name)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(label, key="back_to_stop", icon=":material/arrow_back:"):
            _open(stop.lesson, stop.part)
        if after := page.course.stop_after(stop):
            _next(after, t.language)


def _left() -> list[HourStop]:
    """The stop from which the whole picture was opened."""
    return session.memory("stop_left", list)


def _open(lesson: str, part: str) -> None:
    """Opens a part with the present numbers."""
    place = replace(session.place(lesson), part=part, topic=None, step=None, cell=None)
    session.leave_for(lesson, to_query(session.state(), session.view(), place))


def _is_done(page: Page, stop: HourStop) -> bool:
    answered = stop.question is not None and page.answer(stop.question) is not None
    if page.view.presenting:  # the record is the teacher's own, and the class has not done the task
        return answered or stop.question is None
    return answered or stop.name in session.visit().record.progress.tasks


def _module(stop: HourStop) -> ModuleType:
    return importlib.import_module(f"pages.lessons.{stop.lesson}.{stop.part}")
