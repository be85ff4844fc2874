"""The panel in which a teacher makes a link of the present page, with locked, hidden and skipped parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages import session
from pages.draw import inputs, say
from pages.draw import qr_code as code
from pages.draw.page import Page
from pages.draw.texts import Texts, literal
from pages.model.handout import (
    CONTROLS,
    FILLS,
    MAX_MINUTES,
    MAX_NOTE,
    MAX_PACKED,
    MAX_STOPS,
    MAX_TITLE,
    Plan,
    Stop,
    fields_of,
    parts_of,
    stop_of,
    write,
)
from pages.model.view import Place

from . import own_question, target_form

MARKS = ("locked", "hidden", "fill", "skipped", "withheld", "shows")
Marks = dict[str, Any]
Notes = tuple[int, str]


@dataclass
class Draft:
    """The plan that a teacher makes in this visit. No server keeps it: the link is the plan.

    marks, notes, words: by lesson and part, what is ticked, the minutes with the note, and what is asked for.
    """

    stops: list[Stop] = field(default_factory=list)
    title: str = ""
    unlocks: bool = True
    turn: int = 0  # grows when a plan sets title and unlocks: new keys, so that their widgets show these
    marks: dict[tuple[str, str], Marks] = field(default_factory=dict)
    notes: dict[tuple[str, str], Notes] = field(default_factory=dict)
    words: dict[tuple[str, str], own_question.TypedWords] = field(default_factory=dict)


def draw(page: Page) -> None:
    """The button that opens the panel, for any place of a lesson."""
    if st.button(
        page.t("handout.make"),
        key="handout",
        icon=":material/qr_code_2:",
        help=page.t("handout.make_help"),
        on_click=session.close,
        args=("share",),
    ):
        place = page.lesson.name, page.part.name
        marks = _draft().marks.get(place) or {name: getattr(page.stop, name) for name in MARKS}
        notes = _draft().notes.get(place) or (page.stop.minutes, page.stop.note)
        words = _draft().words.get(place) or own_question.words_of(*page.asked_by_teacher)
        st.dialog(page.t("handout.make"), width="large")(_panel)(
            page, marks, notes, words, target_form.word_of(page)
        )


def _draft() -> Draft:
    return session.memory("handout", Draft)


def _panel(page: Page, before: Marks, notes: Notes, words: own_question.TypedWords, target: str) -> None:
    """before, notes, words, target: at the opening of the panel."""
    draft, t = _draft(), page.t
    say.markdown(f"{t('handout.about')}\n\n{t('handout.guides')}")
    marks = _ticked(page, before)
    draft.marks[page.lesson.name, page.part.name] = marks
    words = draft.words[page.lesson.name, page.part.name] = own_question.draw(page, words)
    minutes, note = draft.notes[page.lesson.name, page.part.name] = _noted(page, notes)
    query = target_form.with_target(page, session.link_of(page.lesson.name, typed=True), target)
    title = st.text_input(
        t("handout.title"),
        draft.title,
        max_chars=MAX_TITLE,
        key=f"handout_title-{draft.turn}",
        help=t("handout.title_help"),
    )
    draft.title = own_question.line(title)[:MAX_TITLE]
    draft.unlocks = st.toggle(
        t("handout.unlocks"),
        draft.unlocks,
        key=f"handout_unlocks-{draft.turn}",
        help=t("handout.unlocks_help"),
    )
    stop = stop_of(page.lesson.name, query, **marks | words.marks())
    stop = replace(stop, minutes=minutes, note=note)
    _stops(page, draft, stop)
    _link(page, draft, stop)


# ---- the ticks


def _ticked(page: Page, before: Marks) -> Marks:
    """The ticks for locked controls and matrices, hidden ones, skipped questions, and all shown at once."""
    controls = _controls(page)
    matrices = session.drawn_matrices(page.lesson.name, page.part.name)
    pieces = {name: literal(title) for name, (title, _) in matrices.items()}
    changed = {matrix.id: literal(matrix.title) for matrix in inputs.of_part(page)}
    changed |= {name: pieces[name] for name, (_, editable) in matrices.items() if editable}
    marks: Marks = {
        "locked": _alike(page, "locked", controls | _own(page), changed, before),
        "hidden": _alike(page, "hidden", controls, pieces, before),
    }
    marks["fill"] = _fill(page, before) if matrices.keys() & set(marks["hidden"]) else ""
    return marks | _unasked(page, before) | {"shows": _shows(page, before)}


def _alike(
    page: Page, name: str, controls: dict[str, str], matrices: dict[str, str], before: Marks
) -> tuple[str, ...]:
    """The ticked controls and matrices. Matrices of the same title are one entry."""
    ids: dict[str, list[str]] = {}
    for matrix, title in matrices.items():
        ids.setdefault(title, []).append(matrix)
    first = {alike[0]: title for title, alike in ids.items()}
    ticked = _pills(page, name, controls | first, before[name])
    return tuple(alike for word in ticked for alike in ids.get(first.get(word, ""), [word]))


def _fill(page: Page, before: Marks) -> str:
    """Whether learners fill in the cells of hidden matrices."""
    ways = ("", *FILLS)
    chosen = st.segmented_control(
        page.t("handout.fill"),
        ways,
        default=before["fill"],
        required=True,
        format_func=lambda way: page.t(f"handout.fill_{way}"),
        key=f"handout_fill-{page.lesson.name}-{page.part.name}",
        help=page.t("handout.fill_help"),
    )
    return chosen or ""


def _shows(page: Page, before: Marks) -> bool:
    """Whether the stop shows everything at once, in parts with questions."""
    about, key = page.t("handout.show_me_help"), f"handout_show_me-{page.lesson.name}-{page.part.name}"
    return bool(page.questions) and st.checkbox(
        page.t("handout.show_me"), before["shows"], key=key, help=about
    )


def _unasked(page: Page, before: Marks) -> Marks:
    """The skipped questions, whose answers are shown or withheld."""
    words = {name: page.t(f"short.{name}") for name in page.questions}
    unasked = (*before["skipped"], *before["withheld"])
    asked = _pills(page, "asked", words, [name for name in words if name not in unasked])
    others = tuple(name for name in words if name not in asked)
    shows = bool(others) and st.toggle(
        page.t("handout.shows"),
        bool(before["skipped"]),
        key=f"handout_shows-{page.lesson.name}-{page.part.name}",
        help=page.t("handout.shows_help"),
    )
    return {"skipped": others if shows else (), "withheld": () if shows else others}


def _noted(page: Page, before: Notes) -> Notes:
    """The minutes that the stop takes, and the teacher's note."""
    t, where = page.t, f"{page.lesson.name}-{page.part.name}"
    with st.container(horizontal=True):
        minutes = st.number_input(
            t("handout.minutes"), 0, MAX_MINUTES, before[0], key=f"handout_minutes-{where}", width=140
        )
        note = st.text_input(
            t("handout.note"),
            before[1],
            max_chars=MAX_NOTE,
            key=f"handout_note-{where}",
            help=t("handout.note_help"),
        )
    return int(minutes), own_question.line(note)[:MAX_NOTE]


def _pills(page: Page, name: str, words: dict[str, str], before: Sequence[str]) -> tuple[str, ...]:
    if not words:
        return ()
    chosen = st.pills(
        page.t(f"handout.{name}"),
        list(words),
        selection_mode="multi",
        default=[word for word in before if word in words],
        format_func=words.__getitem__,
        key=f"handout_{name}-{page.lesson.name}-{page.part.name}",
        help=page.t(f"handout.{name}_help"),
    )
    return tuple(word for word in words if word in chosen)


def _controls(page: Page) -> dict[str, str]:
    """The switches of the toolbar and the choice of the part, with their names on the screen."""
    t, keys = page.t, {"heads": "setting.num_heads", "more": "toolbar.more", "sentence": "own_sentence.title"}
    parts = {"part": t("frame.part")} if len(page.lesson.parts) > 1 else {}
    return parts | {name: t(keys.get(name, f"setting.{name}")) for name in page.part.switches}


def _own(page: Page) -> dict[str, str]:
    """The part's own switches, which are below the toolbar."""
    labels = page.t.section("setting")
    of_toolbar = {field_name for name in CONTROLS for field_name in fields_of(name)}
    others = {"language", *of_toolbar, *page.part.switches}
    own = (name for name in session.bound_in(page.lesson.name) if name not in others)
    return {name: labels[name] for name in own if name in labels}


# ---- the stops, and the link


def _stops(page: Page, draft: Draft, stop: Stop) -> None:
    """The stops so far, in order, and the button that appends the present state."""
    t = page.t
    for number, listed in enumerate(draft.stops):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            say.markdown(f"{number + 1}. {title_of(t.language, listed)}")
            for name, icon in (("renew", "sync"), ("earlier", "arrow_upward"), ("remove", "close")):
                if name == "renew" and not _is_here(page, listed):
                    continue
                st.button(
                    t(f"handout.{name}"),
                    key=f"handout_{name}-{number}",
                    icon=f":material/{icon}:",
                    type="tertiary",
                    disabled=(name == "earlier" and number == 0) or (name == "renew" and listed == stop),
                    help=t("handout.renew_help") if name == "renew" else None,
                    on_click=_change,
                    args=(draft, number, name, stop),
                )
    with st.container(horizontal=True, gap="small"):
        st.button(
            t("handout.add"),
            key="handout_add",
            icon=":material/add:",
            disabled=len(draft.stops) >= MAX_STOPS,
            help=t("handout.add_help"),
            on_click=draft.stops.append,
            args=(stop,),
        )
        plan = page.view.plan
        if plan is not None and tuple(draft.stops) != plan.stops:
            st.button(t("handout.edit"), key="handout_edit", on_click=_take_over, args=(draft, plan))


def title_of(language: str, stop: Stop) -> str:
    texts = Texts(language, stop.lesson)
    place = session.visit().course.pages[stop.lesson].resolved(Place(part=stop.parts.get("part")))
    part = texts.section("part").get(place.part or "", "")
    return literal(" · ".join(filter(None, (texts("lesson.title"), part))))


def _is_here(page: Page, stop: Stop) -> bool:
    """Whether the stop is in this part, whose state and words may replace it."""
    there = page.course.pages[stop.lesson].part(stop.parts.get("part"))
    return stop.lesson == page.lesson.name and there == page.part


def _change(draft: Draft, number: int, name: str, present: Stop) -> None:
    """Removes the stop, moves it up, or puts the present one in its place."""
    stop = draft.stops.pop(number)
    if name == "earlier":
        draft.stops.insert(number - 1, stop)
    elif name == "renew":
        draft.stops.insert(number, present)


def _take_over(draft: Draft, plan: Plan) -> None:
    draft.stops, draft.title, draft.unlocks = list(plan.stops), plan.title, plan.unlocks
    draft.turn += 1


def _link(page: Page, draft: Draft, stop: Stop) -> None:
    """The link to copy, with its QR code: to the stops, or to the present state if there are no stops.

    The link for the class has no notes; a plan with notes has a second link for the teacher.
    """
    t, stops = page.t, draft.stops or [stop]
    noted = Plan(tuple(stops), draft.title, draft.unlocks)
    plan = noted.without_notes()
    if len(write(noted)) > MAX_PACKED:
        say.warning(t("handout.too_long", limit=MAX_PACKED))
        return
    text = t("handout.link_plan", count=len(stops)) if draft.stops else t("handout.link")
    link = _link_of(page, plan)
    say.markdown(text)
    st.code(link, language=None, wrap_lines=True)
    if noted != plan:
        say.markdown(t("handout.link_noted"))
        st.code(_link_of(page, noted), language=None, wrap_lines=True)
    if len(link) > code.MOST:
        say.caption(t("handout.no_code", length=len(link), limit=code.MOST))
    else:
        code.draw(link, t("handout.code"), t("handout.enlarge"), name="handout")
        say.caption(t("handout.length", length=len(link)))


def _link_of(page: Page, plan: Plan) -> str:
    address = session.address_of(plan.stops[0].lesson)
    return f"{address}?{urlencode(parts_of(plan, 1, page.t.language))}"
