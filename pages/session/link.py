"""The address bar: links are opened from it, and the state is written into it."""

import functools
from dataclasses import replace
from typing import Any, NoReturn
from urllib.parse import urlencode, urlunsplit

import streamlit as st

from pages.model.link import (
    OF_STREAMLIT,
    fitting,
    from_query,
    typed_of,
    with_typed,
)
from pages.model.scores import Scores
from pages.model.state import State
from pages.model.view import Place, View, in_order

from .changes import edit
from .door import KEY, OVERVIEW, with_room
from .following import leave_class
from .record import answers_after
from .visit import (
    LINK,
    Numbers,
    address_query,
    beginning,
    bring_numbers,
    has_numbers,
    is_following,
    is_of_place,
    lesson_here,
    mine,
    numbers_of,
    path,
    query,
    redraw,
    replace_numbers,
    settings,
    start_of,
    url,
    visit,
)

EARLIER = 20  # links that may still come with a gesture


def open_link() -> None:
    """Opens the link in the address bar if the learner went back in the browser or changed it by hand."""
    current, present, address = visit(), query(), visit().address
    moved, address.path = path() != address.path, path()
    if moved or present not in address.queries:
        current.replacement = None
    # Streamlit's way from page to page drops the query: then the state stays.
    if present in address.queries or (moved and not set(present) - set(OF_STREAMLIT)):
        return
    if not moved and _was_on_its_way(present):
        return
    if is_following():
        leave_class(follows=is_plain_link("lang", "room"))  # such a link leads to the vote of the class
    link, refused = with_room(present, current.guesses)
    before, current.acted = current.view, ""
    linked, current.view, current.arrived, problems = from_query(link, current.course, before.language)
    current.view = _went_on(before, current.view, opens="stop" not in link)
    address.queries, address.opened, current.bare, current.unnumbered = (present,), True, False, False
    current.problems += refused + problems
    if has_numbers(link, current.course):  # whose they are is known once the lesson is entered
        current.numbers[LINK] = Numbers(linked)
    else:  # a stop of the hour and a link typed by hand may name a place alone
        looks = functools.reduce(View.having, current.view.own, before).own
        current.view = replace(current.view, own=looks)
        replace_numbers(functools.reduce(State.having, linked.own, current.state))


def _was_on_its_way(present: dict[str, str]) -> bool:
    """Whether a gesture was sent with an earlier link, before the browser had the present one.

    Back brings an earlier link too, but no gesture: then the state is the state of the last link.
    """
    address = visit().address
    link = _of_streamlit(present) | address_query(visit().here)
    return bool(address.queries) and present in address.earlier and link not in address.queries


def _went_on(before: View, after: View, *, opens: bool) -> View:
    """The view of a link together with the answers and typed texts, which no link has.

    opens: the link opens a stop. If the learner is at this stop already, its lesson asks again.
    """
    answers = answers_after(before, after)
    if before.vote == after.vote:
        after = replace(after, follows=before.follows)
    if opens and after.plan is not None and (before.plan, before.stop) == (after.plan, after.stop):
        stop = after.plan.stop(after.stop)
        asked = {*visit().course.pages[stop.lesson].questions, stop.question and stop.question.name}
        answers = {question: option for question, option in answers.items() if question not in asked}
        visit().memory.get("filled", {}).pop(stop, None)  # see pages.draw.filling
        visit().memory.get("unveiled", set()).discard(stop)
    return with_typed(replace(after, answers=in_order(answers)), typed_of(before), visit().course)


def enter(lesson: str) -> None:
    """Puts the lesson on the screen, at the place that the link names, with the numbers of this place.

    These are the learner's, or those that the place has for itself (see Lesson.owner), or the link's.
    """
    current, linked = visit(), LINK in visit().numbers
    if current.here and current.here != lesson:
        current.lessons_left.add(current.here)
    came, current.here = current.here != lesson, lesson
    if came:
        current.acted = ""
        current.screen.unfolded.clear()
        current.screen.expanders.clear()
    if current.arrived is not None:
        current.places[lesson], current.arrived = current.arrived, None
    here = lesson_here()
    bring_numbers(here, current.place(lesson))
    begun = beginning(start_of(here))
    plain = settings() == begun.core and current.state.of(Scores) == Scores()
    if came and not linked and plain and Scores in here.numbers and not is_following():
        current.state = current.state.having(begun.of(Scores))


def take_mine() -> None:
    """Continues here with the learner's own numbers, in place of those that the place has for itself."""
    own = mine()
    if own is not None:
        edit(lambda _: own)


def give_mine() -> None:
    """Makes the numbers of this place the learner's own, in all places that show these."""
    current = visit()
    if is_of_place():
        own = current.numbers[""] = numbers_of(current.course.front, Place())
        own.history.past.append(own.state)
        own.history.future.clear()
        own.state = replace(own.state, core=current.settings)
        redraw()


def is_first_visit(lesson: str) -> bool:
    """The lesson has not been left yet."""
    return lesson not in visit().lessons_left


def address_of(lesson: str) -> str:
    """The address of a lesson's page, as the browser has it."""
    here = url()
    folder, _, page = here.path.rpartition("/")
    if page and page not in visit().course.pages:
        folder = here.path  # the app's own address, without a slash at its end
    return urlunsplit((here.scheme, here.netloc, f"{folder}/{lesson}", "", ""))


def room_link(code: str) -> str:
    """The address of a room, as short as it can be typed: it leads to the place where the class is."""
    return f"{address_of('')}?{KEY}={code}"


def leader_link(code: str, person: str) -> str:
    """The address with which another browser of the room's owner leads it too (see ask/vote/vote.js).

    The owner's name is behind the #, which no browser sends to a server and no log has.
    """
    return f"{address_of('')}?{urlencode({OVERVIEW: code, 'present': 'on'})}#{person}"


def link_to_fill(lesson: str) -> dict[str, str] | None:
    """The link for the browser to fill into an address bar without a link; None if there is a link already.

    A query without `lang` is not a link of the course. Streamlit itself would write the link as a second
    entry in the browser's history (see address).
    """
    present = query()
    if "lang" in present or visit().address.filled:
        return None
    link = address_query(lesson)
    visit().address.queries = (present, _of_streamlit(present) | link)
    return link


def note_filled() -> None:
    """Notes that the browser has replaced a query by the link.

    Streamlit's frontend still has the old query, and would give it to a restarted server. It learns the new
    link from `write_link`, which makes no second entry in the browser's history.
    """
    visit().address.filled = True


def write_link(lesson: str) -> None:
    """Writes the present state into the address bar, unless a number is held or the browser fills it in."""
    if visit().inbox.rest is not None:
        return
    address, present = visit().address, query()
    link = _of_streamlit(present) | address_query(lesson)
    if address.queries == (present, link) and not address.filled:
        return  # the browser fills it in
    opened, address.filled, address.opened = address.opened, False, False
    # A run has the query that the browser had when it asked for the run, without links written since.
    if opened or present != link or address.queries != (link,):
        st.query_params.from_dict(link)
    if address.queries != (link,):
        address.earlier = (*address.earlier, *address.queries)[-EARLIER:]
    address.queries = (link,)


def _of_streamlit(query: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in query.items() if key in OF_STREAMLIT}


def is_plain_link(*keys: str) -> bool:
    """Whether the address bar has no other keys than these."""
    return set(query()) <= {*keys, *OF_STREAMLIT}


def script(name: str, title: str = "", **address: Any) -> st.Page:
    """The page of that name; its address is its script's stem: a fresh server needs that (see entry).

    Streamlit looks for the file whenever a page is made, so the page is kept. `st.navigation` gets copies:
    it marks the page that may run.
    """
    return _script(name, title or name, **address)


@functools.cache
def _script(name: str, title: str, **address: Any) -> st.Page:
    return st.Page(f"pages/{name}.py", title=title, **({"url_path": name} | address))


def leave_for(lesson: str, link: dict[str, str]) -> NoReturn:
    """Opens a link to another lesson, or to this one, in place of the page that is being drawn."""
    visit().address.queries = ()
    st.switch_page(f"pages/{lesson}.py", query_params=fitting(link, visit().course))


def move_to(lesson: str) -> NoReturn:
    """Shows the present state on the page of another lesson, in place of the page that is being drawn."""
    link = _of_streamlit(query()) | address_query(lesson)
    visit().address.queries = (link,)
    st.switch_page(f"pages/{lesson}.py", query_params=link)


def rerun() -> None:
    """Runs the whole page again.

    `st.rerun()` repeats the query of the present run, which may be older than the link. Accept it, or the new
    run would open it in place of the link.
    """
    address = visit().address
    address.queries = (*address.queries, query())
    st.rerun()
