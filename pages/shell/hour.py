"""A stop of the hour: a part that leads on its own, with its task above it, and a sentence to keep below it.

That a stop is done is an event: this person has done its task here, or, where it has none, answered all of
its questions. Numbers that a link, a reload or a class brings may fulfil a task, and are no event. An event
has the facts of its moment, which make the sentence to keep in any language; nothing later changes them.

The part draws neither. A plan and a vote have their own way: there a stop is a part like any other, except in
a presentation, which shows a class the task and the sentence. The file of the part may have, besides `draw`:

    task(page) -> bool    whether the page fulfils `stop.<part>_task`; False at the start of its lesson
    keep(page) -> Takeaway    the learner's numbers for the sentence `stop.<part>_keep`
    is_whole(page) -> bool    whether the part has shown all that the sentence is about
    in_whole(page) -> Settings    what the whole picture shows, where the part has more than the settings
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
from pages.draw.page import Page, StopSummary, in_task, with_meaning
from pages.draw.texts import NAMED, Texts, quoted
from pages.lessons.one_head import sentence
from pages.model.course import HourStop
from pages.model.fields import specs
from pages.model.link import to_query
from pages.model.progress import Fact, Takeaway
from pages.model.settings import Settings
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
    progress, questions = visit.record.progress, visit.course.questions_of(stop)
    states = {}  # of its task and questions: whether they are done
    if has_task(t, stop):
        states["task"] = stop.name in progress.events
    if questions:
        states["question"] = len(progress.answered(questions)) == len(questions)
    if stop.ends:
        states["stops"] = stop in full
    if all(states.values()):
        return t("hour.full")
    return t.listed(t(f"hour.{name}_{'done' if done else 'open'}") for name, done in states.items())


def has_task(t: Texts, stop: HourStop) -> bool:
    return f"stop.{stop.part}_task" in t


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
        if has_task(t, stop):
            with st.container(key="stop"):
                say.markdown(f"**{task_of(page, stop)}**")
        return
    number = page.course.stop_numbers.get(stop)
    with st.container(key="stop"):
        minutes = t("hour.minutes", minutes=stop.minutes)
        if number is not None:
            place = t("hour.stop", i=number, n=len(page.course.stop_numbers))
            full = session.visit().record.progress.full(page.course)
            minutes = f"{place} · {minutes} · {meaning_of(stop, t.language, full)}"
        with st.container(horizontal=True, key="stop_line", vertical_alignment="center"):
            say.caption(minutes, width="content")
            whole = page.course.whole
            if whole and stop.whole and st.button(t("hour.whole"), key="whole", type="tertiary"):
                session.stop_left().append(stop)
                shown = getattr(_module(stop), "in_whole", None)
                _open(whole.lesson, whole.part, page.settings if shown is None else shown(page))
        say.markdown(t(f"{key}_why"))
        if has_task(t, stop):
            done = _has_event(stop)
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
    """Records that this person has done the stop; while a hand holds a number, its task is not done."""
    stop, visit, questions = stop_of(page), session.visit(), page.part.questions
    if stop is None or _has_event(stop) or page.view.presenting or visit.inbox.rest is not None:
        return
    if has_task(page.t, stop):
        fulfilled = _module(stop).task(page)
        if visit.acted != stop.name or not fulfilled:
            visit.brought = fulfilled
        done = fulfilled and not visit.brought
    else:
        done = bool(questions) and len(visit.record.progress.answered(questions)) == len(questions)
    if done:
        session.note_event(stop.name, _takeaway(page, stop))


def keep(page: Page) -> None:
    """The sentence to keep, once the task is done; it may be what the task is to find out.

    Where there is no task, once the questions are answered, which it may give away. Before a class, while the
    page shows what it says: all steps, or numbers that fulfil the task.
    """
    stop = stop_of(page)
    if stop is None or stop.ends or page.is_open or not _is_done(page, stop):
        return
    if has_task(page.t, stop) and not (_has_event(stop) or page.view.presenting):
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
        say.sentence(tell(page.t, stop.part, _takeaway(page, stop)))


def _takeaway(page: Page, stop: HourStop) -> Takeaway:
    """The sentence to keep, with the numbers of the page."""
    own = getattr(_module(stop), "keep", None)
    return Takeaway({}) if own is None else own(page)


def tell(t: Texts, part: str, takeaway: Takeaway | None) -> str:
    """The sentence to keep of a stop; one without numbers where the facts do not fit its text.

    They may come from an earlier course, or from a record that anybody has written.
    """
    key = f"stop.{part}_{takeaway.key}" if takeaway else ""
    if takeaway is None or key not in t or set(NAMED.findall(t(key))) != takeaway.facts.keys():
        return t(f"stop.{part}_kept")
    return t(key, **{name: _told(t, fact) for name, fact in takeaway.facts.items()})


def _told(t: Texts, fact: Fact) -> str:
    if isinstance(fact, str):
        return with_meaning(t, fact)
    return t.all_of(quoted(with_meaning(t, name) for name in fact))


def look_back(page: Page) -> list[StopSummary]:
    """The stops with the sentence of each that is done; of the others the task, or why they matter."""
    events, results = session.visit().record.progress.events, []
    for stop in page.course.stop_numbers:
        t, event = Texts(page.t.language, stop.lesson), events.get(stop.name)
        text = tell(t, stop.part, event.takeaway) if event else _still(page, stop, t)
        results.append(StopSummary(stop, text, event is not None))
    return results


def _still(page: Page, stop: HourStop, t: Texts) -> str:
    """What is to be done at the stop, with the tokens that are there."""
    if not has_task(t, stop):
        return t(f"stop.{stop.part}_why")
    lesson, place = page.course.pages[stop.lesson], replace(session.place(stop.lesson), part=stop.part)
    there = replace(page, lesson=lesson, part=lesson.part(stop.part), t=t, place=place)
    return task_of(there.with_numbers(session.numbers_at(lesson, place)), stop)


def onward(page: Page, stop: HourStop) -> None:
    """The way to the next stop, with its reason once the task or the question is done, lit once both are."""
    after, t = page.course.stop_after(stop), page.t
    if after is None:
        return
    if done := _is_done(page, stop):
        say.markdown(t(f"stop.{stop.part}_next"))
    is_full = done and _is_answered(page) and (_has_event(stop) or not has_task(t, stop))
    with st.container(key="next_stop" if is_full and is_whole(page, stop) else "later_stop"):
        _next(after, t.language)


def _next(stop: HourStop, language: str) -> None:
    t = Texts(language, stop.lesson)
    link(stop, language, t("hour.next", name=t(f"stop.{stop.part}")))


def back(page: Page) -> None:
    """The ways from the whole picture: back to the stop from which it was opened, and to the next stop."""
    whole, left, here = page.course.whole, session.stop_left(), (page.lesson.name, page.part.name)
    if whole is None or whole[:2] != here:
        left.clear()
    if not left or not leads(page.view) or page.view.presenting:
        return
    [stop], t = left, page.t
    name, number = Texts(t.language, stop.lesson)(f"stop.{stop.part}"), page.course.stop_numbers[stop]
    label = t("hour.back", i=number, name=name)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(label, key="back_to_stop", icon=":material/arrow_back:"):
            _open(stop.lesson, stop.part, page.settings)
        say.caption(t("hour.of_stop", i=number), width="content")
        if after := page.course.stop_after(stop):
            _next(after, t.language)


def _open(lesson: str, part: str, core: Settings) -> None:
    """Opens a part with these settings."""
    place = replace(session.place(lesson), part=part, topic=None, step=None, cell=None)
    session.leave_for(lesson, to_query(replace(session.state(), core=core), session.view(), place))


def _is_done(page: Page, stop: HourStop) -> bool:
    if page.view.presenting:  # the record is the teacher's own, and the class has not done the task
        return _is_answered(page)
    return (bool(page.part.questions) and _is_answered(page)) or _has_event(stop)


def _is_answered(page: Page) -> bool:
    return all(page.answer(question) is not None for question in page.part.questions)


def _has_event(stop: HourStop) -> bool:
    return stop.name in session.visit().record.progress.events


def _module(stop: HourStop) -> ModuleType:
    return importlib.import_module(f"pages.lessons.{stop.lesson}.{stop.part}")
