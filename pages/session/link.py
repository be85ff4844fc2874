"""The address bar: what it brings, and what it says."""

import functools
from dataclasses import replace
from typing import NoReturn
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from pages.model import edits
from pages.model.course import Lesson
from pages.model.link import (
    OF_SETTINGS,
    OF_STREAMLIT,
    expanded,
    from_query,
    to_query,
    typed_of,
    with_typed,
)
from pages.model.scores import Scores
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import View, in_order
from pages.model.votes import VOTES

from .changes import edit
from .door import with_setup, with_vote
from .record import answers_after
from .visit import (
    beginning,
    change_to,
    lesson_here,
    path,
    query,
    redraw,
    say_replaced,
    settings,
    standing,
    start_of,
    view,
    visit,
)


def open_link() -> None:
    """Takes over the address bar's link, if the reader went back in the browser or changed it by hand."""
    now, present, address = visit(), query(), visit().address
    moved, address.path = path() != address.path, path()
    if moved or present not in address.queries:
        now.replacement = None
    # Streamlit's way from page to page drops the query: then the state stays.
    if present in address.queries or (moved and not set(present) - set(OF_STREAMLIT)):
        return
    link, refused = with_vote(present, now.guesses)
    before = now.view
    linked, now.view, now.arrived, problems = from_query(link, now.course, before.language)
    now.view = _went_on(before, now.view, opens="stop" not in link)
    address.queries, address.opened, now.bare = (present,), True, False
    now.problems += refused + problems
    were, state = now.state, linked
    if not _says_numbers():  # it was typed, and says nothing of the core settings
        state = functools.reduce(State.having, linked.own, were)
    change_to(state)
    say_replaced(were, None)


def _went_on(before: View, after: View, *, opens: bool) -> View:
    """The view with what no link says: the answers, and what was typed.

    opens: the link opens a stop. Where the learner is there already, its lesson asks again.
    """
    answers = answers_after(before, after)
    if opens and after.plan is not None and (before.plan, before.stop) == (after.plan, after.stop):
        asked = visit().course.pages[after.plan.stop(after.stop).lesson].questions
        answers = {question: option for question, option in answers.items() if question not in asked}
    return with_typed(replace(after, answers=in_order(answers)), typed_of(before), visit().course)


def _says_numbers() -> bool:
    """The link that was opened last says something of the core settings."""
    link = with_setup(visit().address.queries[-1], VOTES.setup(view().vote))
    return not set(expanded(link, visit().course)).isdisjoint(OF_SETTINGS)


def enter(lesson: str) -> None:
    """The lesson is on the screen. What the link says of a part, a row and a cell is meant for this lesson.

    The example that the lesson begins with is loaded where the core settings are still those with which
    another lesson began. A link's numbers stay. The learner's own numbers stay as well, unless the lesson has
    an example of its own or they are from a lesson apart (see Lesson): then they are one press away (see
    `take_mine`). Undo brings the learner's numbers back.
    """
    now = visit()
    start = start_of(now.course.pages[lesson])
    linked = now.arrived is not None and _says_numbers()
    untouched = is_untouched()
    left = lesson_here()
    if now.here and now.here != lesson:
        now.lessons_left.add(now.here)
    came, now.here = now.here != lesson, lesson
    if came:
        now.screen.unfolded.clear()
        now.screen.expanders.clear()
    if came and not linked and standing() is None:
        _begin(left, start, untouched)
    if now.arrived is not None:
        now.places[lesson], now.arrived = now.arrived, None


def _begin(left: Lesson, start: str, untouched: bool) -> None:
    """The numbers with which the lesson on the screen begins. left: the lesson before it."""
    now, own = visit(), lesson_here().start != Settings().example
    if not untouched:
        if settings() != now.mine:
            now.mine, now.mine_apart = settings(), left.apart
            now.mine_in = {left.name} if left.apart else now.mine_in
    elif left.start == Settings().example and not now.mine_apart:
        now.mine = None  # there the sentence of the course is what the learner has
    begun = edits.example_start(start)
    if now.mine is not None:
        same = not now.mine_apart and (not own or now.mine.example == start)
        begun = now.mine if same or now.here in now.mine_in else begun
    if settings() != begun:
        if untouched:  # nothing of the learner's goes, so it is no step of undo
            now.state = replace(now.state, core=begun)
            redraw()
        else:
            edit(lambda _: begun)
    plain = begun == edits.example_start(start) and now.state.of(Scores) == Scores()
    if plain and Scores in lesson_here().numbers:
        now.state = now.state.having(beginning(start).of(Scores))


def take_mine() -> None:
    """The lesson on the screen goes on with the learner's own numbers."""
    now = visit()
    if now.mine is not None:
        mine = now.mine
        now.mine_in.add(now.here)
        edit(lambda _: mine)


def is_untouched() -> bool:
    """The core settings are still the start of the lesson on the screen."""
    return settings() == edits.example_start(start_of(lesson_here()))


def is_first_visit(lesson: str) -> bool:
    """The lesson has not been left yet."""
    return lesson not in visit().lessons_left


def link_of(lesson: str, *, typed: bool = False) -> dict[str, str]:
    """The query of the link that brings back the present state in this lesson.

    typed: with what was pasted, where the learner wants that.
    """
    now = visit()
    return to_query(now.state, now.view, now.place(lesson), typed=typed and now.shares_typed)


def address_of(lesson: str) -> str:
    """The address of a lesson's page, as the browser has it."""
    url = urlsplit(st.context.url or "")
    folder, _, page = url.path.rpartition("/")
    if page and page not in visit().course.pages:
        folder = url.path  # the app's own address, without a stroke at its end
    return urlunsplit((url.scheme, url.netloc, f"{folder}/{lesson}", "", ""))


def link_to_fill(lesson: str) -> dict[str, str] | None:
    """The link that the browser fills into the address bar; None where one is there.

    A query that has no `lang` is not one of ours: the page was entered without a link. If Streamlit wrote
    one, it would make a second entry in the browser's history (see address).
    """
    present = query()
    if "lang" in present or visit().address.filled:
        return None
    link = link_of(lesson)
    visit().address.queries = (present, _of_streamlit(present) | link)
    return link


def note_filled() -> None:
    """The browser has filled in the link, over another one.

    Streamlit's frontend still has that one, and would give it to a server that was restarted. It learns the
    new link when the link is written, and that makes no second entry in the browser's history.
    """
    visit().address.filled = True


def write_link(lesson: str) -> None:
    """Makes the address bar say the present state, once the hand rests, unless the browser does."""
    if visit().inbox.rest is not None:
        return
    now, present = visit().address, query()
    link = _of_streamlit(present) | link_of(lesson)
    if now.queries == (present, link) and not now.filled:
        return  # the browser fills it in
    opened, now.filled, now.opened = now.opened, False, False
    # The query of a run is the browser's when it asked for the run; what was written since is not in it yet.
    if opened or present != link or now.queries != (link,):
        st.query_params.from_dict(link)
    now.queries = (link,)


def _of_streamlit(query: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in query.items() if key in OF_STREAMLIT}


def has_arrived() -> bool:
    """A link was opened, and its lesson is not entered yet."""
    return visit().arrived is not None


def is_plain_link(*keys: str) -> bool:
    """The address bar says nothing but these keys."""
    return set(query()) <= {*keys, *OF_STREAMLIT}


def leave_for(lesson: str, link: dict[str, str]) -> NoReturn:
    """Opens a link to another lesson, or to this one, in place of the page that is being drawn."""
    visit().address.queries = ()
    st.switch_page(f"pages/{lesson}.py", query_params=link)


def rerun() -> None:
    """Runs the whole page again.

    The run has the query of the run that asks for it. It may be older than the link, where a widget's new
    value and the link's new query have crossed on their way, and asks for nothing new.
    """
    address = visit().address
    address.queries = (*address.queries, query())
    st.rerun()
