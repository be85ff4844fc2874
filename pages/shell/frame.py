"""The frame of every lesson: title, parts, toolbar, the part, its end, the link.

Two nested fragments draw the page. A gesture in a picture reruns the inner one: the part, or only its places
that follow the numbers (see live.py). A switch, undo or another part reruns the outer one, with the toolbar.
The whole page runs only if the sidebar changes, when an answer finishes a lesson or opens it again.
"""

import functools
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

import streamlit as st

from pages import session
from pages.ask import blocks, long_work, questions, vote
from pages.draw import filling, inputs, live, own_sentence, say
from pages.draw.messages import show_problems
from pages.draw.page import Page
from pages.draw.texts import Texts, nested
from pages.model import core, turns
from pages.model.link import to_query, typed_of, whole
from pages.model.view import without_answers
from pages.session import address

from . import entry, following, hour, parts, present, progress, share, target, toolbar
from . import plan_bar as bar


def show(name: str) -> None:
    """Draws the lesson of that name."""
    if entry.through_app():
        return
    vote.arrive(name)
    session.enter(name)
    vote.catch_up()
    page = page_of(name)
    if vote.holds():
        vote.hold(page)
        vote.note_place(page)
    else:
        _body(name, _marked(page))


def page_of(name: str, visit: session.Visit | None = None) -> Page:
    """The lesson's page in the present state. visit: needed outside of a run, where Streamlit has none."""
    visit = visit or session.visit()
    lesson, state = visit.course.pages[name], visit.state
    place = visit.place(name)
    texts, withheld = Texts(visit.view.language, name), vote.withheld(visit)
    view = without_answers(visit.view, (withheld,))
    known: dict[str, Any] = {"withheld": withheld, "shows": visit.shows, "look_back": hour.look_back}
    return Page(visit.course, lesson, lesson.part(place.part), texts, state.core, view, place, state, **known)


def _marked(page: Page) -> tuple[object, ...]:
    """The values behind the rest of the page: if one of them changes, more than the part is drawn again.

    The last one is the record that the browser gets. An answer changes it, after it was judged. A vote on
    another question hides the numbers.
    """
    visit = session.visit()
    finished, record = visit.course.finished(visit.view), visit.record
    stop = hour.stop_of(page)
    tokens = stop and hour.tokens_of(page, stop)
    begun = stop and record.progress.answered(page.part.questions)
    path = stop, tokens, begun, record.progress.full(visit.course), record.progress.events
    told = (
        record.progress.answers,
        visit.view.answers,
        set(visit.revealed),
        typed_of(visit.view),
        session.filled(),
        session.entered(),
    )
    asked = page.shows, _is_answered(page), vote.holds(), session.is_mine()
    tried = page.target, page.target and session.has_reached(page.target.word)
    kept = record.recalled, record.deleted
    return finished, path, asked, tried, following.marks(), kept, told


def _to_share(name: str, visit: session.Visit, address: str) -> tuple[Page, str]:
    """The page, and the link to it, without a vote and a presentation: what is shared outlasts these.

    Of a teacher's plan it has the present stop: a link with all of them is too long for a QR code.
    """
    page = page_of(name, visit)
    page = replace(page, view=replace(page.view, vote="", presenting=False).alone(name))
    query = to_query(page.numbers, page.view, page.place, typed=visit.shares_typed)
    return page, whole(address, query)


@st.fragment(key=live.PART)
@turns.PAGES.turn()
def _body(name: str, marked: tuple[object, ...]) -> None:
    """marked: the values behind the rest of the page at its last run."""
    page = page_of(name)
    if _marked(page)[:-1] != marked[:-1]:
        session.rerun()
    address.fill(page.lesson)
    if not page.view.presenting:  # there it is in the line of the title
        bar.draw(page)
    following.draw(page)
    _head(page)
    toolbar.draw(page)
    progress.save(page)
    session.mark_drawn()
    with st.container(key="numbers"), _with_core(page):
        if shape := _shape(page):
            places = live.LivePlaces(shape=shape)
            with st.container():  # as the fragment makes one
                _part(replace(page, canvas=places))
            _numbers(name, marked, places)
        else:
            _numbers(name, marked, None)
    if not page.part.topics:
        _onward(page)


@contextmanager
def _with_core(page: Page) -> Iterator[None]:
    """The place below the toolbar. On a fresh server it shows the inputs until PyTorch is imported."""
    if core.is_ready():
        with st.container():
            yield
        return
    place = st.empty()
    with place.container(), st.container():
        st.container()
        # As deep as the first place of a part, so that the inputs stay until the part replaces them.
        with st.container(), st.container(), st.container():
            waiting(page)(page)
    core.load()
    with turns.PAGES.turn(), place.container():
        yield


def _shape(page: Page) -> tuple[object, ...]:
    """Which blocks the part has: while they stay, an edit draws only those that follow the numbers.

    Empty: an edit draws the whole part. An open question needs that, since its options follow the numbers; so
    does a vote, which is a fragment.
    """
    return () if page.is_open or vote.is_on(page) else blocks.shape(_blocks(page))


@st.fragment(key=live.NUMBERS)
@turns.GESTURES.turn()
def _numbers(name: str, marked: tuple[object, ...], places: live.LivePlaces | None) -> None:
    """Draws what follows the numbers: the places of the part, or the whole part if it has no places."""
    page = page_of(name)
    marks = _marked(page)[:-1] != marked[:-1]
    changed = marks or vote.is_due()
    if not session.is_drawn() or changed or _shape(page) != (() if places is None else places.shape):
        session.rerun()
    if places is None:
        _part(page)
    else:
        live.fill(page, places)
    hour.judge(page)
    target.judge(page)
    vote.note_place(page)
    vote.publish(page)
    following.watch(page)
    session.write_link(name)
    if _marked(page) != marked:  # an answer was judged
        session.say_again()
        session.rerun()


def _part(page: Page) -> None:
    """Everything below the toolbar."""
    # Problems lie over the page, mostly in the free corner above X, so that nothing moves for them.
    box = st.container(key="problems")
    if not page.lesson.front:  # which says them next to the entry of a sentence
        show_problems(page, box)
    with st.container():
        with vote.around(page):
            _, own = page.asked_by_teacher
            blocks.draw(page, _blocks(page), None if own is None else blocks.own_question(own))
            hour.keep(page)
            target.offer(page)
            if page.lesson.front:
                _module(page, page.part.name).ways(page)
                progress.offer_on_front(page)
            if page.part == page.lesson.last:
                _end(page)
        if page.part.topics:  # another topic draws nothing but what is here
            _onward(page)
        _replaced(page)
        session.write_link(page.lesson.name)
        if not page.lesson.front:
            progress.offer(page)  # what the browser keeps can stop nothing


def _blocks(page: Page) -> list[blocks.PartBlock]:
    return blocks.of(_module(page, page.part.name).draw, page)


def first_picture(page: Page) -> live.Draw:
    """The function that draws the picture at the top of the part."""
    return blocks.first_picture(_blocks(page))


def waiting(page: Page) -> live.Draw:
    """The function that draws the part before PyTorch is imported: the part's own, or that of all others."""
    return _module(page, page.part.name).waiting if page.lesson.front else inputs.waiting


def _replaced(page: Page) -> None:
    """Reports replaced entries, or once the meaning of a name, with a button for undo.

    The place is fixed, so that nothing else moves.
    """
    result, t = session.replacement(), page.t
    if result is None:
        return
    names = [inputs.SYMBOLS.get(name) or t(f"replaced.{name}") for name in result.names]
    what = t.all_of(names)
    text = t("replaced.link", what=what) if names else t("replaced.name")
    if result.example is not None:
        text = t("replaced.example", what=what, by=nested(t(f"example.{result.example}")))
    with st.container(key="replaced"):
        say.sentence(text)
        st.button(t("toolbar.undo"), key="undo_replaced", on_click=session.undo)


def _module(page: Page, name: str) -> ModuleType:
    return importlib.import_module(f"pages.lessons.{page.lesson.name}.{name}")


def _head(page: Page) -> None:
    """The title, the parts, and the goals: in sight at the first visit, later one click away."""
    t = page.t
    if page.lesson.front and not page.view.presenting:
        present.button(page)
        return
    with st.container(key="head", horizontal=True, vertical_alignment="center", gap="xsmall"):
        stop = hour.stop_of(page)
        st.title(_title(page), anchor=False, width="content")
        if len(page.lesson.parts) > 1 and "part" not in page.stop.hidden:
            parts.choose(page)
        if page.lesson.ending is not None:
            popover = session.popover(t("frame.about"), "about", icon=":material/info:", type="tertiary")
            if popover is not None:
                with popover:
                    if stop is None:  # which has words of its own
                        _goals(page)
                    questions.clear_button(page)
                    st.divider()
                    progress.about()
        if page.view.presenting:
            present.way(page)
            following.way_in(page)
        name = page.lesson.name
        with st.container(key="history", horizontal=True, width="content", gap="xsmall"):
            if not page.lesson.front:  # which has it below its picture
                toolbar.history(page)
            present.button(page)
            toolbar.sheet(page)
            if page.lesson in page.course.lessons:
                shared = functools.partial(_to_share, name, session.visit(), session.address_of(name))
                share.draw(page, shared)
        present.keys(page)
    hour.back(page)
    _by_teacher(page)
    if page.target is not None:
        target.head(page, page.target)
    elif stop is not None:
        hour.head(page, stop)
    elif line := parts.line(page):
        tell = say.caption if page.part in parts.deeper(page) else say.markdown  # a lead explains
        with st.container(key="lead"):
            tell(line)
    if "example" in page.switches and page.target is None:
        own_sentence.offer(page)
    if _begins(page) and not page.part.tall and stop is None and page.target is None:
        goals = session.expander(t("frame.goals", minutes=t("lesson.minutes")), "goals", type="compact")
        if goals is not None:
            with goals:
                _goals(page)


def _title(page: Page) -> str:
    """The name of the stop, in a presentation that of the part, or the lesson's title."""
    t, lesson = page.t, page.lesson
    if (stop := hour.stop_of(page)) is not None:
        return t(f"stop.{stop.part}")
    if page.view.presenting and len(lesson.parts) > 1:
        return say.with_formulas(t(f"part.{page.part.name}"))
    return t("lesson.title")


def _by_teacher(page: Page) -> None:
    """What a teacher's link says here, and the button that shows the numbers that it hides."""
    instruction, _ = page.asked_by_teacher
    shows = page.stop.fill == "show" and page.hidden_matrices
    if not (instruction or shows):
        return
    with st.container(key="instruction", horizontal=True, vertical_alignment="center"):
        if instruction:
            say.markdown(page.t.own(instruction))
        if shows:
            st.button(
                page.t("handout.show_hidden"),
                key="handout_show_hidden",
                type="tertiary",
                icon=":material/visibility:",
                on_click=filling.show,
                args=(page.stop,),
            )


def _begins(page: Page) -> bool:
    """Whether the learner is at the lesson's first part for the first time.

    It stays true whatever the learner does there: without the goals, everything below them would jump.
    """
    lesson = page.lesson
    first = page.part == lesson.parts[0] and session.is_first_visit(lesson.name)
    return lesson.ending is not None and first


def _goals(page: Page) -> None:
    """The goals of the lesson, its prerequisites, and its duration."""
    t = page.t
    say.markdown(t("lesson.lead"))
    say.markdown(t("lesson.goals"))
    say.caption(t("frame.needs", needs=t("lesson.needs"), minutes=t("lesson.minutes")))


def _end(page: Page) -> None:
    """The summary with the learner's numbers, after the answers that it gives away; the last question."""
    if page.lesson.ending is None:
        return
    summary = _module(page, "summary")
    with st.container(key="end"):
        answered = all(page.answer(question) is not None for question in page.part.questions)
        if answered:
            live.draw(page, _summary, when="released")
        with blocks.unit_of(page, "end"):
            summary.question(page)


def _summary(page: Page) -> None:
    """The summary. Its numbers are expensive, and are computed once for a page, and again after long work."""
    kept, of = session.memory("seen", dict[str, Any]), (page, long_work.ended())
    if kept.get("of") != of:
        kept.update(of=of, lines=_module(page, "summary").lines(page))
    if seen := _sentences_seen(page, kept["lines"]):
        say.markdown(f"##### {page.t('frame.summary')}")
        say.markdown("\n".join(f"1. {line}" for line in seen))


def _sentences_seen(page: Page, lines: list[str]) -> list[str]:
    """The sentences of the summary about parts that the learner has seen or answered.

    All sentences if nothing is recorded, as in a presentation.
    """
    if not session.records():
        return lines
    lesson, seen = page.lesson, session.visit().record.progress.parts

    def has_seen(name: str) -> bool:
        answered = any(page.answer(question) is not None for question in lesson.part(name).questions)
        return answered or f"{lesson.name}/{name}" in seen

    told = [any(map(has_seen, parts)) for parts in lesson.told] or [True] * len(lines)
    return [line for line, tells in zip(lines, told, strict=False) if tells]


def _onward(page: Page) -> None:
    """The way on: the next topic or part with a reason, at the end the next lesson.

    The reason comes after the answers, which it would give away. A teacher's plan has its own way on, and a
    part aside is not on the way.
    """
    t, lesson, part = page.t, page.lesson, page.part
    leads = lesson.ending is not None and not part.aside
    if not (leads or hour.stop_of(page)) or page.view.plan or page.view.presenting:
        return
    names = [topic.name for topic in part.topics]
    way = [stage for stage in parts.deeper(page) or lesson.parts if not stage.aside]
    with st.container(key="onward"):
        if names and page.topic.name != names[-1]:
            topic = names[names.index(page.topic.name) + 1]
            _next(t("frame.next_part", part=t(f"topic.{topic}")), page, topic=topic)
            return
        if page.course.stop_at(lesson.name, part.name) is not None:  # in a vote the hour does not lead on
            if (stop := hour.stop_of(page)) is not None:
                hour.onward(page, stop)
            return
        if _is_answered(page):
            say.markdown(t(f"onward.{part.name}"))
        if part != way[-1]:
            name = way[way.index(part) + 1].name
            _next(t("frame.next_part", part=t(f"part.{name}")), page, part=name)
            return
        after = page.course.after(lesson.name)
        if lesson.name in page.course.finished(page.view):
            say.markdown(f"**{t('frame.lesson_done')}**")
        if after is not None:
            title = Texts(t.language, after.name)("lesson.title")
            st.page_link(session.script(after.name), label=t("frame.next", lesson=title))


def _next(label: str, page: Page, **place: str) -> None:
    done = _is_answered(page)
    extra: dict[str, Any] = {"type": "primary" if done else "secondary", "on_click": page.go, "kwargs": place}
    st.button(say.with_formulas(label), key="onward_button", **extra)


def _is_answered(page: Page) -> bool:
    return all(page.answer(question) is not None for question in page.questions)
