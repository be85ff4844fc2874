"""What stands in a question's card while there is a vote on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from pages.model.votes import Counts, Sight

from .. import say, session
from ..handout import code as picture
from ..page import Page
from . import seat

_component = st.components.v2.component(
    "attention_vote",
    css=(Path(__file__).parent / "vote.css").read_text("utf-8"),
    js=(Path(__file__).parent / "vote.js").read_text("utf-8"),
    isolate_styles=False,
)
LOOK_EVERY = {True: 1, False: 2}  # seconds; who has opened the vote looks more often than those who vote
RESTING = 5  # seconds, once the answer is revealed: only another vote is waited for

Word = Callable[[str], str]


def button(page: Page, question: str, options: tuple[str, ...] = ()) -> None:
    """Opens a vote on this question. options: the answers to choose from; none: a short word."""
    _button(page, "open", question, "how_to_vote", seat.open_vote, page, question, options, type="tertiary")


def draw(
    page: Page, sight: Sight, word: Word, right: str | None, shown: Mapping[str, str] | None = None
) -> None:
    """How the vote stands. word: an answer as it is read; right: the right one, once it may be seen.

    shown: the answers to choose from, for the class to read while it votes.
    """
    with st.container(key=f"vote-{sight.question}"):
        if sight.rounds:
            _bars(page, sight, word, right)
        if sight.mine:
            _of_owner(page, sight, shown or {})
        else:
            _of_voter(page, sight)
        _remember(sight)


def _remember(sight: Sight) -> None:
    """The browser keeps who this is, and brings what has come into sight: for voters once in each vote."""
    key = f"vote_memory-{sight.question}"
    serial = f"{sight.code} {sight.stage[0]}"
    data = {"person": seat.person(), "used": sight.mine or sight.choice is not None}
    data |= {
        "stage": str(sight.stage) if sight.mine else serial,
        "block": "nearest" if sight.mine else "start",
    }
    _component(key=key, data=data, on_known_change=lambda: seat.known_as(_sent(key)), height=1)


def _sent(key: str) -> object:
    return (session.widget_value(key) or {}).get("known")


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


def _of_owner(page: Page, sight: Sight, shown: Mapping[str, str]) -> None:
    code, question = sight.code, sight.question
    if sight.open:
        words, join = st.columns([3, 2])
        with words:
            st.markdown("\n".join(f"- {text}" for text in shown.values()))
            _watch(page, sight)
            _button(page, "close", question, "stop_circle", seat.close, code, type="primary")
        with join, st.container(key=f"vote_join-{question}"):
            _way_in(page, code)
        return
    with st.container(horizontal=True, gap="small"):
        _button(page, "again", question, "replay", seat.again, code, question)
        _button(page, "end", question, "close", seat.end, code, type="tertiary")


def _way_in(page: Page, code: str) -> None:
    """The QR code, the link, and the code by itself."""
    link = f"{session.address_of(page.lesson.name)}?vote={code}"
    picture.draw(link, page.t("vote.qr"))
    st.markdown(page.t("vote.code", code=code))
    st.code(link, language=None, wrap_lines=True)


# ---- of one who votes


def ballot(page: Page, sight: Sight, options: Mapping[str, str]) -> None:
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


def _of_voter(page: Page, sight: Sight) -> None:
    t = page.t
    name = "voted" if sight.choice is not None else "choose"
    if not sight.open:
        name = "over" if sight.revealed else "closed"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        say.sentence(t(f"vote.{name}", code=sight.code))
        _button(page, "leave", sight.question, "close", seat.leave, type="tertiary")
    _watch(page, sight)


# ---- both


def _watch(page: Page, sight: Sight) -> None:
    """Looks at the vote again and again, for as long as this stands on the page."""
    every = RESTING if sight.revealed and not sight.mine else LOOK_EVERY[sight.mine]
    st.fragment(_look, run_every=every)(page, sight)


def _look(page: Page, drawn: Sight) -> None:
    """Who has opened the vote sees how many have voted. What else changes is drawn on the whole page."""
    sight = seat.now(drawn.code)
    if sight is None or sight.stage != drawn.stage:
        session.rerun()
    if sight.mine:
        say.sentence(page.t("vote.count", count=sight.count))


def _bars(page: Page, sight: Sight, word: Word, right: str | None) -> None:
    """The distributions of the last rounds, side by side."""
    first = sight.round - len(sight.rounds) + 1
    for column, (number, counts) in zip(
        st.columns(len(sight.rounds)), enumerate(sight.rounds, start=first), strict=True
    ):
        with column:
            _round(page, number if sight.round > 1 else None, counts, word, right)


def _round(page: Page, number: int | None, counts: Counts, word: Word, right: str | None) -> None:
    total = sum(count for _, count in counts)
    title = page.t("vote.result", count=total)
    st.markdown(f"**{title if number is None else page.t('vote.round', number=number, count=total)}**")
    for answer, count in counts:
        text = f"**{count}** · {word(answer)}"
        if answer == right:
            text = f":material/check: **{page.t('vote.right')}** {text}"
        st.progress(count / total if total else 0.0, text)
