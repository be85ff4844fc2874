"""The overview of a room, in a window of its own for the room's owner: `?teacher=CODE`.

It says how many are here and at which stop, has the notes and the minutes of the plan, and shows how the
class has answered. The code opens it only in the browser that keeps the owner's name (see ask/vote): any
other browser is led to the page of the room, as everybody is.
"""

import functools
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages import session
from pages.ask import answers, vote
from pages.draw import say, targets
from pages.draw.messages import sentence
from pages.draw.page import Page
from pages.draw.texts import Texts, literal, plain
from pages.hand import class_results
from pages.hand.hand_out import title_of
from pages.lessons.for_teachers import plans
from pages.model.entries import SettingsError
from pages.model.handout import Stop
from pages.model.turns import PAGES
from pages.model.view import Place
from pages.room import Away, rules
from pages.room.attendance import Attendance, Presence, Success
from pages.room.rules import OTHERS

from .. import frame
from ..course import COURSE

MOST_SHOWN = 60  # solutions of a target
MINUTE = 60.0  # seconds
STYLE = Path(__file__).parent / "overview.css"


def is_asked_for() -> bool:
    """Whether the address is that of an overview, of a room that exists."""
    return session.OVERVIEW in session.query() and bool(session.view().vote)


def draw() -> None:
    """The overview for the room's owner; anybody else is led to the page of the room."""
    code, page = session.view().vote, frame.page_of(COURSE.front.name)
    try:
        owns = vote.of_class(code) is not None
    except Away:
        say.warning(sentence(page.t, SettingsError("vote_away")))
        vote.watch_class(least=1000)
        return
    if owns:
        if session.view().presenting:  # the leader's link, see session.leader_link
            vote.resume(page)
        _window()
    elif vote.asks_for_name(code):
        say.caption(page.t("overview.asking"))
        vote.introduce(code, owns=False)
    else:
        session.leave_for(COURSE.lessons[0].name, {"lang": page.t.language, "room": code})


@st.fragment
@PAGES.turn()
def _window() -> None:
    page = frame.page_of(COURSE.front.name)
    st.html(STYLE)
    vote.watch_class(least=1000)
    try:
        attendance = vote.of_class(page.view.vote)
    except Away:
        say.warning(sentence(page.t, SettingsError("vote_away")))
        return
    if attendance is None:
        say.info(page.t("overview.ended"))
        return
    stops = _stops(page.t.language, attendance.plan)
    present = _index(stops, attendance.host)
    _head(page, attendance)
    plan, lesson = st.columns([2, 3], gap="large")
    with plan:
        _places(page, attendance, stops, present)
        if attendance.host.cut:
            say.caption(page.t("overview.plan_full"))
        with st.container(horizontal=True, gap="small"):
            class_results.files(page)
    with lesson:
        here = _here(page.t.language, attendance.host) if present is None else stops[present]
        if present is not None:
            _stop(page, attendance, stops, present)
        elif here is not None:
            say.markdown(f"#### {here.title}")
            say.caption(page.t("overview.off_plan"))
        voted = _vote(page, attendance)
        if here is not None:
            _answers(page, attendance, here, voted)
            _targets(page, attendance, here)


# ---- the stops


@dataclass(frozen=True)
class ListedStop:
    """A stop with its title, as Markdown, and its place. topic: "" for all of them."""

    stop: Stop
    title: str
    lesson: str
    part: str
    topic: str

    def has(self, presence: Presence) -> bool:
        lesson, part, topic = presence.place.split("/")
        return (lesson, part) == (self.lesson, self.part) and self.topic in ("", topic)


@functools.lru_cache(maxsize=64)
def _stops(language: str, text: str) -> tuple[ListedStop, ...]:
    """The stops of the plan, or of the hour where there is none."""
    plan = vote.plan_of(text) or plans.of_hour(COURSE, Texts(language))
    return tuple(_listed(language, stop) for stop in plan.stops)


def _listed(language: str, stop: Stop) -> ListedStop:
    lesson = COURSE.pages[stop.lesson]
    place = lesson.resolved(Place(part=stop.parts.get("part"), topic=stop.parts.get("topic")))
    part = lesson.part(place.part)
    topics = [topic.name for topic in part.topics]
    topic = place.topic if place.topic in topics else ""
    title = title_of(language, stop)
    if not topic and COURSE.stop_at(stop.lesson, part.name):
        title = Texts(language, stop.lesson)(f"stop.{part.name}")
    return ListedStop(stop, title, stop.lesson, part.name, topic or "")


def _here(language: str, host: Presence) -> ListedStop | None:
    """The owner's place as a stop, where it is none of the plan."""
    lesson, part, topic = host.place.split("/") if host.place else ("", "", "")
    if lesson not in COURSE.pages:  # of another version
        return None
    return _listed(language, Stop(lesson, urlencode({"part": part, "topic": topic})))


def _index(stops: tuple[ListedStop, ...], presence: Presence) -> int | None:
    """At which stop the person is: of the plan, if the page is a stop of it, or else by its place."""
    if 1 <= presence.stop <= len(stops):
        return presence.stop - 1
    return next((i for i, listed in enumerate(stops) if presence.place and listed.has(presence)), None)


def _head(page: Page, attendance: Attendance) -> None:
    """The code of the room, how many are here, and the way to the page for the class."""
    t, code, host = page.t, page.view.vote, attendance.host
    here = vote.count_of(page, attendance)
    with st.container(key="overview_head", horizontal=True, vertical_alignment="center", gap="medium"):
        st.html(f"<h1>{escape(code)}</h1>", width="content")
        st.html(f"<p class='here'>{escape(here)}</p>", width="content")
        if attendance.idle:
            about, label = t("overview.remove_help"), t("overview.remove", count=attendance.idle)
            act: dict[str, Any] = {"on_click": vote.remove_idle, "args": (code,), "type": "tertiary"}
            st.button(label, key="overview_remove", icon=":material/person_remove:", help=about, **act)
        elif count := vote.removed(code):
            say.caption(t("overview.removed", count=count), width="content")
        if host.place:
            lesson, part, topic = host.place.split("/")
            query = {"lang": t.language, "room": code, "part": part, "topic": topic, "present": "on"}
            address = urlencode({key: value for key, value in query.items() if value})
            label, about = t("overview.class_page"), t("overview.class_page_help")
            st.link_button(label, f"{session.address_of(lesson)}?{address}", help=about, type="tertiary")


def _places(page: Page, attendance: Attendance, stops: tuple[ListedStop, ...], present: int | None) -> None:
    """The stops with their minutes, and how many are at each of them."""
    t = page.t
    counts = Counter(_where(stops, presence, present) for presence in attendance.here)
    rows = [
        (i == present, f"{i + 1}. {plain(listed.title)}", listed.stop.minutes or "", counts[i])
        for i, listed in enumerate(stops)
    ]
    rows.append((False, t("overview.elsewhere"), "", counts[None]))
    names = t("overview.stop"), t("overview.minutes"), t("overview.people")
    heads = "".join(f"<th scope='col'>{escape(name)}</th>" for name in names)
    lines = "".join(
        f"<tr{' aria-current=step' * marked}><th scope='row'>{escape(title)}</th>"
        f"<td>{minutes}</td><td>{count or ''}</td></tr>"
        for marked, title, minutes, count in rows
    )
    st.html(f"<table class='stops'><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>")


def _where(stops: tuple[ListedStop, ...], presence: Presence, present: int | None) -> int | None:
    """At which stop a person of the class is. Where several stops have this place, at the present one."""
    if present is not None and stops[present].has(presence):
        return present
    return next((i for i, listed in enumerate(stops) if listed.has(presence)), None)


def _stop(page: Page, attendance: Attendance, stops: tuple[ListedStop, ...], present: int) -> None:
    """The present stop with its minutes and notes, and the next one."""
    t, stop = page.t, stops[present].stop
    gone = (attendance.moment - attendance.host.since) / MINUTE
    after = sum(listed.stop.minutes for listed in stops[present + 1 :])
    say.markdown(f"#### {present + 1}. {stops[present].title}")
    left = round(after + max(0.0, stop.minutes - gone))
    at_stop = t("overview.gone", gone=int(gone), minutes=stop.minutes) if stop.minutes else ""
    at_all = t("overview.left" if attendance.plan else "hour.left", minutes=left) if left else ""
    say.caption(t.joined(filter(None, (at_stop, at_all))))
    if stop.note:
        say.markdown(t.own(stop.note))
    if present + 1 < len(stops):
        following = stops[present + 1]
        say.markdown(f"**{t('overview.next', title=f'{present + 2}. {following.title}')}**")
        if following.stop.note:
            say.caption(t.own(following.stop.note))


# ---- how the class has answered


def _vote(page: Page, attendance: Attendance) -> str:
    """The last vote with its bars, which nobody else sees before they are shown; returns its question."""
    t = page.t
    try:
        results = vote.results(page.view.vote)
    except Away:
        say.warning(sentence(t, SettingsError("vote_away")))
        return ""
    if not results:
        return ""
    last, counts = results[-1].vote, dict(results[-1].rounds[-1])
    asked = answers.asked(COURSE, t, last.question, vote.plan_of(attendance.plan))
    title = asked.title if asked else last.title
    kind = "vote_open" if vote.is_open() else "vote_closed"
    with st.container(key="overview_vote", gap="small"):
        say.markdown(f"**{t(f'overview.{kind}', title=title)}**")
        say.caption(t("vote.result", count=sum(counts.values())))
        told = {answer: last.told.get(answer) or _text(asked, answer) for answer in counts}
        _bars(counts, {**told, OTHERS: t("vote.others")})
        if kind == "vote_open":
            kept = asked.kept if asked else ()
            about, act = t("vote.close_help"), functools.partial(vote.close, page.view.vote, *kept)
            st.button(t("vote.close"), key="overview_close", help=about, on_click=act)
        elif asked and (advice := rules.advice(last, results[-1].rounds[-1])):
            share, again = advice
            name = "discuss" if again else "show" if last.round == 1 else "show_both"
            say.markdown(t(f"overview.{name}", share=f"{share:.0%}"))
    return last.question


def _text(asked: answers.AskedQuestion | None, answer: str) -> str:
    return asked.text(answer) if asked else literal(answer)


def _bars(counts: Mapping[str, int], told: Mapping[str, str]) -> None:
    total = sum(counts.values())
    for answer, count in counts.items() if total else ():
        share = count / total
        st.progress(share, say.with_formulas(f"**{share:.0%}** ({count}) · {told[answer]}"))


def _answers(page: Page, attendance: Attendance, here: ListedStop, voted: str) -> None:
    """For each question of the stop, apart from the last vote, how many have answered, and how."""
    t, plan = page.t, vote.plan_of(attendance.plan)
    for name in _questions(here):
        asked, replies = answers.asked(COURSE, t, name, plan), attendance.replies(name)
        if asked is None or name == voted:
            continue
        counts = Counter(reply.word for reply in replies)
        with st.container(key=f"overview_question-{name}", gap="small"):
            count = t("results.answered", count=len(replies), right=sum(reply.right for reply in replies))
            say.markdown(f"**{asked.title}** {count}")
            order = asked.in_order(counts)
            _bars({word: counts[word] for word in order}, {word: asked.text(word) for word in order})


def _questions(here: ListedStop) -> tuple[str, ...]:
    """The questions that the stop asks: its own one first, then those of the part and of the topic."""
    part, own = COURSE.pages[here.lesson].part(here.part), here.stop.question
    topics = [topic for topic in part.topics if here.topic in ("", topic.name)]
    names = [question.name for branch in (part, *topics) for question in branch.asks]
    return (*((own.name,) if own else ()), *(name for name in names if name not in here.stop.unasked))


def _targets(page: Page, attendance: Attendance, here: ListedStop) -> None:
    """For each target of the stop how many have reached it, each with a link to the numbers."""
    t, part = page.t, COURSE.pages[here.lesson].part(here.part)
    links = {
        target.name: f"{here.lesson}?{urlencode({'part': part.name, 'target': target.name})}"
        for target in part.targets
        if here.topic in ("", target.topic)
    }
    if "target" in here.stop.parts:
        links[here.stop.parts["target"]] = f"{here.lesson}?{here.stop.query}"
    for name, link in links.items():
        goal, successes = targets.goal_at(page, link), attendance.successes(name)
        if goal:
            with st.container(key=f"overview_target-{zlib.crc32(name.encode())}", gap="small"):
                say.markdown(f"**{t('target.title')}** {goal} {t('results.reached', count=len(successes))}")
                _solutions(page, successes)


def _solutions(page: Page, successes: Sequence[Success]) -> None:
    """A link to each person's numbers, in an order that says nothing."""
    links = sorted(success.link for success in successes if success.link)[:MOST_SHOWN]
    if links:
        count, some = len(successes), len(links) < len(successes)
        name = "overview.solutions_some" if some else "overview.solutions"
        label = page.t(name, **({"shown": len(links), "count": count} if some else {}))
        addresses = (_address(page, link) for link in links)
        numbered = " ".join(f"[{i}]({address})" for i, address in enumerate(addresses, start=1))
        st.markdown(f"{label} {numbered}")


def _address(page: Page, link: str) -> str:
    lesson, _, query = link.partition("?")
    return f"{session.address_of(lesson)}?lang={page.t.language}&{query.replace('_', '%5F')}"
