"""What is in a question's card while there is a vote on it, and the way there from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import streamlit as st

from pages.model.votes import Counts, Sight

from .. import say, session
from ..handout import code as picture
from ..page import Page
from . import seat

LOOK_EVERY = {True: 1, False: 2}  # seconds; who has opened the vote looks more often than those who vote
RESTING = 5  # seconds, once the answer is revealed: only another vote is waited for

Word = Callable[[str], str]  # an answer, as it is read
Judge = Callable[[str], bool]  # whether an answer is right

_component = st.components.v2.component(
    "attention_vote",
    css=(Path(__file__).parent / "vote.css").read_text("utf-8"),
    js=(Path(__file__).parent / "vote.js").read_text("utf-8"),
    isolate_styles=False,
)


def button(page: Page, question: str, options: tuple[str, ...] = ()) -> None:
    """Opens a vote on this question. options: the answers to choose from; none: a short word."""
    _button(page, "open", question, "how_to_vote", seat.open_vote, page, question, options, type="tertiary")


def ballot(sight: Sight, options: Mapping[str, str]) -> None:
    """The answers, as large buttons; the chosen one is marked."""
    with st.container(key=f"ballot-{sight.question}", gap="xsmall"):
        for option, text in options.items():
            chosen = option == sight.choice
            st.button(
                text,
                key=f"ballot-{sight.question}-{option}",
                icon=":material/check:" if chosen else None,
                type="primary" if chosen else "secondary",
                width="stretch",
                on_click=seat.cast,
                args=(sight.code, option),
            )


def draw(page: Page, sight: Sight, word: Word, is_right: Judge | None) -> None:
    """The state of the vote. is_right: None as long as the answer must not be seen."""
    seat.mark(drawn=True)
    with st.container(key=f"vote-{sight.question}"):
        if sight.rounds:
            _bars(page, sight, word, is_right)
        if sight.mine:
            _of_owner(page, sight, word)
        else:
            _of_voter(page, sight, word)
        _remember(sight)


@contextmanager
def around(page: Page) -> Iterator[None]:
    """The page's questions are drawn in here. Above them is the way to a vote that is not among them."""
    place = st.container() if page.view.vote else None
    seat.mark(drawn=False)
    yield
    if place is not None and not seat.is_drawn():
        with place:
            _way(page)


def _way(page: Page) -> None:
    sight = seat.now(page.view.vote)
    if sight is None or sight.mine:
        return
    with st.container(key="vote_elsewhere", horizontal=True, vertical_alignment="center"):
        say.sentence(page.t("vote.elsewhere", code=sight.code))
        where = {"label": page.t("vote.go"), "icon": ":material/how_to_vote:"}
        # With the language it is another query than that of the link which was opened first.
        query = {"lang": page.t.language, "vote": sight.code}
        st.page_link(f"pages/{sight.lesson}.py", query_params=query, **where)
        _button(page, "leave", "elsewhere", "close", seat.leave, type="tertiary")


def _button(
    page: Page, name: str, question: str, icon: str, act: Callable, *args: object, **look: str
) -> None:
    st.button(
        page.t(f"vote.{name}"),
        key=f"vote_{name}-{question}",
        icon=f":material/{icon}:",
        on_click=act,
        args=args,
        help=page.t(f"vote.{name}_help"),
        **look,
    )


# ---- of the one who has opened it


def _of_owner(page: Page, sight: Sight, word: Word) -> None:
    code, question = sight.code, sight.question
    if sight.open:
        words, join = st.columns([3, 2])
        with words:
            st.markdown("\n".join(f"- {word(option)}" for option in sight.options))
            _watch(page, sight)
            _button(page, "close", question, "stop_circle", seat.close, code, type="primary")
        with join, st.container(key=f"vote_join-{question}"):
            _way_in(page, code)
        return
    with st.container(horizontal=True, gap="small"):
        _button(page, "again", question, "replay", seat.again, code, question)
        _button(page, "end", question, "close", seat.end, code, type="tertiary")


def _way_in(page: Page, code: str) -> None:
    """The QR code, the code by itself, and the link."""
    link = f"{session.address_of(page.lesson.name)}?vote={code}"
    picture.draw(link, page.t("vote.qr"))
    st.markdown(page.t("vote.code", code=code))
    st.code(link, language=None, wrap_lines=True)


# ---- of one who votes


def _of_voter(page: Page, sight: Sight, word: Word) -> None:
    t = page.t
    name = "voted" if sight.choice is not None else "choose"
    if not sight.open:
        name = "over" if sight.revealed else "closed"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = [t(f"vote.{name}", code=sight.code)]
        if sight.choice is not None and not sight.options:
            said = [t("vote.yours", choice=word(sight.choice)), *said]
        say.sentence(t.joined(said))
        _button(page, "leave", sight.question, "close", seat.leave, type="tertiary")
    _watch(page, sight)


# ---- of both


def _watch(page: Page, sight: Sight) -> None:
    """Looks at the vote again and again, for as long as this is on the page."""
    every = RESTING if sight.revealed else LOOK_EVERY[sight.mine]
    st.fragment(_look, run_every=every)(page, sight)


def _look(page: Page, drawn: Sight) -> None:
    """Who has opened the vote sees how many have voted. What else changes is drawn on the whole page."""
    sight = seat.now(drawn.code)
    if sight is None or replace(sight, count=drawn.count) != drawn:
        session.rerun()
    if sight.mine:
        say.sentence(page.t("vote.count", count=sight.count))


def _remember(sight: Sight) -> None:
    """The browser keeps who this is, and brings what has come into sight: for voters once in each vote."""
    key = f"vote_memory-{sight.question}"
    look = {"stage": f"{sight.code} {sight.serial}", "block": "start"}
    if sight.mine:
        look = {"stage": f"{sight.code} {sight.stage}", "block": "nearest"}
    data = {
        "code": sight.code,
        "person": seat.person(),
        "used": sight.mine or sight.choice is not None,
        **look,
    }
    _component(key=key, data=data, on_known_change=lambda: seat.known_as(_sent(key)), height=1)


def _sent(key: str) -> object:
    return (session.widget_value(key) or {}).get("known")


def _bars(page: Page, sight: Sight, word: Word, is_right: Judge | None) -> None:
    """The distributions of the last rounds, side by side."""
    rounds = enumerate(sight.rounds, start=sight.round - len(sight.rounds) + 1)
    for column, (number, counts) in zip(st.columns(len(sight.rounds)), rounds, strict=True):
        with column:
            _round(page, number if sight.round > 1 else None, counts, word, is_right)


def _round(page: Page, number: int | None, counts: Counts, word: Word, is_right: Judge | None) -> None:
    t, total = page.t, sum(count for _, count in counts)
    title = t("vote.result", count=total) if number is None else t("vote.round", number=number, count=total)
    st.markdown(f"**{title}**")
    for answer, count in counts:
        text = f"**{count}** · {word(answer)}"
        if is_right is not None and is_right(answer):
            text = f":material/check: **{t('vote.right')}** {text}"
        st.progress(count / total if total else 0.0, text)
