"""The panel in which a teacher makes a link of the present page, with locked, hidden and skipped parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages import session
from pages.ask import vote
from pages.draw import inputs, say
from pages.draw import qr_code as code
from pages.draw.page import Page
from pages.draw.texts import Texts, literal
from pages.model.handout import (
    CONTROLS,
    FILLS,
    MARK,
    MAX_MINUTES,
    MAX_NOTE,
    MAX_PACKED,
    MAX_STOPS,
    MAX_TITLE,
    OwnQuestion,
    Plan,
    Stop,
    fields_of,
    parts_of,
    stop_of,
    write,
)
from pages.model.view import Place

from . import own_question, target_form

Marks = dict[str, Any]


@dataclass
class Draft:
    """The plan that a teacher makes in this visit. No server keeps it: the link is the plan.

    opened: the plan that was taken over. forms: what the window has had at each place.
    """

    stops: list[Stop] = field(default_factory=list)
    title: str = ""
    unlocks: bool = True
    opened: Plan | None = None
    turn: int = 0  # grows when a plan sets title and unlocks: new keys, so that their widgets show these
    forms: dict[tuple[str, str, Stop | None], Stop] = field(default_factory=dict)


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
        draft, plan = _draft(), page.view.plan
        if plan not in (None, draft.opened) and not draft.stops:
            _take_over(draft, plan)
        before = draft.forms.get(_place(page)) or page.handed_out
        query = session.link_of(page.lesson.name, typed=True)
        st.dialog(page.t("handout.make"), width="large")(_panel)(
            page, before or stop_of(page.lesson.name, query), draft.title
        )


def _draft() -> Draft:
    return session.memory("handout", Draft)


def _place(page: Page) -> tuple[str, str, Stop | None]:
    """The place of the page; each stop of an opened plan is one."""
    return page.lesson.name, page.part.name, page.handed_out


def _panel(page: Page, before: Stop, title: str) -> None:
    """before, title: of the stop and the plan at the opening of the panel."""
    draft, t, where = _draft(), page.t, f"{page.lesson.name}-{page.part.name}"
    say.markdown(f"{t('handout.about')}\n\n{t('handout.guides')}")
    marks = _ticked(page, before)
    both = st.toggle(
        t("handout.both"),
        _has_both(before, title),
        key=f"handout_both-{where}",
        help=t("handout.both_help"),
    )
    fields = own_question.TextFields(page, where, both)
    instruction, question = own_question.draw(fields, before.instruction, before.question)
    with st.container(horizontal=True):
        minutes = st.number_input(
            t("handout.minutes"), 0, MAX_MINUTES, before.minutes, key=f"handout_minutes-{where}", width=140
        )
        note = fields.one("note", before.note, MAX_NOTE, area=False)
    marks |= {"instruction": instruction, "minutes": int(minutes), "note": note}
    query = session.link_of(page.lesson.name, typed=True)
    query = target_form.with_target(page, query, before.parts.get(target_form.KEY, ""))
    of_plan = replace(fields, where=str(draft.turn))
    draft.title = of_plan.one("title", draft.title, MAX_TITLE, area=False)
    draft.unlocks = st.toggle(
        t("handout.unlocks"),
        draft.unlocks,
        key=f"handout_unlocks-{draft.turn}",
        help=t("handout.unlocks_help"),
    )
    typed = draft.forms[_place(page)] = stop_of(page.lesson.name, query, **marks, question=question)
    stop = typed if question is None or question.is_whole() else replace(typed, question=None)
    _stops(page, draft, stop)
    _link(page, draft, stop)


def _has_both(stop: Stop, title: str) -> bool:
    """Whether one of the texts is there in both languages."""
    asked = stop.question or OwnQuestion("", (), ())
    own = (title, stop.note, stop.instruction, asked.text, *asked.options, asked.explanation)
    return any(MARK in text for text in own)


# ---- the ticks


def _ticked(page: Page, before: Stop) -> Marks:
    """The ticks for locked controls and matrices, hidden ones, skipped questions, and all shown at once."""
    controls = _controls(page)
    matrices = session.drawn_matrices(page.lesson.name, page.part.name)
    pieces = {name: literal(title) for name, (title, _) in matrices.items()}
    changed = {matrix.id: literal(matrix.title) for matrix in inputs.of_part(page)}
    changed |= {name: pieces[name] for name, (_, editable) in matrices.items() if editable}
    marks: Marks = {
        "locked": _alike(page, "locked", controls | _own(page), changed, before.locked),
        "hidden": _alike(page, "hidden", controls, pieces, before.hidden),
    }
    marks["fill"] = _fill(page, before) if set(marks["hidden"]) - controls.keys() else ""
    return marks | _unasked(page, before) | {"shows": _shows(page, before)}


def _alike(
    page: Page, name: str, controls: dict[str, str], matrices: dict[str, str], before: Sequence[str]
) -> tuple[str, ...]:
    """The ticked controls and matrices. Matrices of the same title are one entry.

    before: of an entry that was ticked the same matrices stay. Some are drawn only after a question.
    """
    others = {other: _name(page, other) for other in before if other not in (*controls, *matrices)}
    ids: dict[str, list[str]] = {}
    for matrix, title in (matrices | others).items():
        ids.setdefault(title, []).append(matrix)
    groups = {alike[0]: alike for alike in (*([control] for control in controls), *ids.values())}
    words = controls | {alike[0]: title for title, alike in ids.items()}
    known = {word: [entry for entry in alike if entry in before] for word, alike in groups.items()}
    ticked = _pills(page, name, words, [word for word, alike in known.items() if alike])
    chosen = [entry for word in ticked for entry in known[word] or groups[word]]
    return (*(entry for entry in before if entry in chosen), *(new for new in chosen if new not in before))


def _name(page: Page, matrix: str) -> str:
    """The name of a matrix that is not drawn now."""
    keys = (f"{section}.{matrix}" for section in ("title", "setting"))
    known = inputs.SYMBOLS.get(matrix) or next((page.t(key) for key in keys if key in page.t), matrix)
    return literal(known)


def _fill(page: Page, before: Stop) -> str:
    """Whether learners fill in the cells of hidden matrices."""
    ways = ("", *FILLS)
    chosen = st.segmented_control(
        page.t("handout.fill"),
        ways,
        default=before.fill,
        required=True,
        format_func=lambda way: page.t(f"handout.fill_{way}"),
        key=f"handout_fill-{page.lesson.name}-{page.part.name}",
        help=page.t("handout.fill_help"),
    )
    return chosen or ""


def _shows(page: Page, before: Stop) -> bool:
    """Whether the stop shows everything at once, in parts with questions."""
    about, key = page.t("handout.show_me_help"), f"handout_show_me-{page.lesson.name}-{page.part.name}"
    return bool(page.questions) and st.checkbox(page.t("handout.show_me"), before.shows, key=key, help=about)


def _unasked(page: Page, before: Stop) -> Marks:
    """The skipped questions, whose answers are shown or withheld."""
    words = {name: page.t(f"short.{name}") for name in page.questions}
    asked = _pills(page, "asked", words, [name for name in words if name not in before.unasked])
    others = tuple(name for name in words if name not in asked)
    shows = bool(others) and st.toggle(
        page.t("handout.shows"),
        bool(before.skipped),
        key=f"handout_shows-{page.lesson.name}-{page.part.name}",
        help=page.t("handout.shows_help"),
    )
    return {"skipped": others if shows else (), "withheld": () if shows else others}


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
    draft.stops, draft.title, draft.unlocks, draft.opened = [*plan.stops], plan.title, plan.unlocks, plan
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
    if _in_room(page, noted):
        return
    if len(link) <= code.MOST:
        code.draw(link, t("handout.code"), t("handout.enlarge"), name="handout")
        say.caption(t("handout.length", length=len(link)))
        return
    say.caption(t("handout.no_code", length=len(link), limit=code.MOST))
    if not page.view.vote:
        say.markdown(t("handout.short"))
        say.button(t, "class.lead", "cast_for_education", vote.lead, page, where="handout")


def _in_room(page: Page, plan: Plan) -> bool:
    """For the owner of a room, its link and code in place of the long ones, once the room has the plan."""
    seen, t = vote.look(), page.t
    if seen is None or not seen.mine:
        return False
    if seen.document.plan.text == write(plan):
        link = session.room_link(seen.code)
        say.markdown(t("handout.in_room", code=seen.code))
        st.code(link, language=None, wrap_lines=True)
        code.draw(link, t("class.code"), t("handout.enlarge"), name="handout")
        return True
    st.page_link(
        session.script(plan.stops[0].lesson),
        label=t("handout.open", code=seen.code),
        icon=":material/cast_for_education:",
        help=t("handout.open_help"),
        query_params=parts_of(plan, 1, t.language) | {"room": seen.code},
    )
    return False


def _link_of(page: Page, plan: Plan) -> str:
    address = session.address_of(plan.stops[0].lesson)
    return f"{address}?{urlencode(parts_of(plan, 1, page.t.language))}"
