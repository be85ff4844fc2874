"""The vote in the card of a question, and the way to the card from other pages."""

import functools
import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import session
from pages.ask import answers
from pages.draw import live, say
from pages.draw import qr_code as picture
from pages.draw.messages import show_problems
from pages.draw.page import Page
from pages.draw.texts import plain
from pages.model import turns
from pages.model.ballots import Form, cell_of, cell_word
from pages.picture.modules import joined
from pages.room.rules import MAX_VOTERS, OTHERS, Counts, VoteSight

from . import acts, seat

# Seconds between two looks where no events come (see room/channel.js): for the owner of the vote, for voters.
LOOK_EVERY = {True: 1, False: 2}
COUNT = "[class*='st-key-vote_count-'] .said"  # the number of votes, for the enlarged code
RESTING = 5  # once the answer is revealed, and for the owner of a closed vote
TRY_EVERY = 1  # seconds between two attempts to have a vote confirmed

Word = Callable[[str], str]  # answer → text
Judge = Callable[[str], bool]  # whether an answer is right
Names = tuple[Sequence[str], Sequence[str]]  # of the rows and the columns of a matrix

_component = st.components.v2.component(
    "attention_vote",
    css=(Path(__file__).parent / "vote.css").read_text("utf-8"),
    js=joined(Path(__file__).parent / "vote.js"),
    isolate_styles=False,
)
_channel = st.components.v2.component(
    "attention_room", js=joined(Path(__file__).parent / "watch.js"), isolate_styles=False
)


def button(page: Page, question: str, form: Form) -> None:
    """Opens a vote on this question. form: how it may be answered."""
    opening = page, question, form
    say.button(page.t, "vote.open", "how_to_vote", acts.open_vote, *opening, where=question)


def entry(page: Page) -> None:
    """A field for the code of a room, which leads to the present question of the room."""
    seat.go_in()
    label, key = page.t("vote.entry"), "room_code"
    st.text_input(
        label,
        key=key,
        placeholder=label,
        label_visibility="collapsed",
        width=140,
        max_chars=40,
        autocomplete="off",
        on_change=seat.type_code,
        args=(key,),
    )


def overview(page: Page) -> None:
    """A link to the overview of the room, in a new tab: only the browser of its owner may open it."""
    query = urlencode({"lang": page.view.language, session.OVERVIEW: page.view.vote})
    st.link_button(
        page.t("overview.open"),
        f"{session.address_of(page.lesson.name)}?{query}",
        icon=":material/groups:",
        help=page.t("overview.open_help"),
        type="tertiary",
    )


def ballot(sight: VoteSight, options: Mapping[str, str]) -> None:
    """The answers, as large buttons; the chosen one is marked. After the round nothing can be chosen."""
    with st.container(key=f"ballot-{sight.question}", gap="xsmall"):
        for option, text in options.items():
            chosen = option == sight.choice
            st.button(
                text,
                key=f"ballot-{sight.question}-{option}{suffix(sight)}",
                icon=":material/check:" if chosen else None,
                type="primary" if chosen else "secondary",
                width="stretch",
                on_click=acts.cast,
                disabled=not sight.asks,
                args=(sight, option),
            )


def suffix(sight: VoteSight | None) -> str:
    """The end of a key in a ballot: a late press of another round finds no widget."""
    return f"-{sight.serial}-{sight.round}" if sight is not None and sight.asks else ""


def draw(
    page: Page,
    sight: VoteSight,
    title: str,
    word: Word,
    is_right: Judge,
    names: Names | None = None,
    *,
    answered: bool,
) -> None:
    """Draws the state of the vote. answered: the answer may be seen.

    title: the whole question, for the results. names: of the matrix, if the vote is for one of its cells.

    The controls are drawn before the bars above them, so that no answer in the bars can keep the owner from
    ending the vote.
    """
    seat.mark(drawn=True)
    with st.container(key=f"vote-{sight.question}"):
        show_problems(page, st, of_votes=True)
        above = st.container() if sight.rounds else None
        if sight.mine:
            _of_owner(page, sight, title, word, is_right, names)
        else:
            _of_voter(page, sight, word)
        _remember(sight)
        if above is not None:
            with above:
                _bars(page, sight, word, is_right if answered else None, names)


@contextmanager
def around(page: Page) -> Iterator[None]:
    """The context for drawing the page's questions. Above them is the way to a vote on another question.

    Problems with such a vote are there too, in the page and not over it, where they would cover the way.
    """
    place = _above() if page.view.vote or session.has_problems_of_votes() else None
    seat.mark(drawn=False)
    yield
    if seat.is_drawn():
        return
    if place is None:
        session.take_problems(of_votes=True)  # the message of the last run has left the page
        return
    with place:
        _elsewhere(page)


def hold(page: Page) -> None:
    """Draws the page of a person who must not see numbers now (see `seat.holds`)."""
    with st.container(key="head"):
        st.title(page.t("lesson.title"), anchor=False)
    with _above():
        _elsewhere(page)


def _above() -> DeltaGenerator:
    return st.container(key="vote_above")


def _elsewhere(page: Page) -> None:
    sight = seat.vote_of()
    if sight is not None:
        _of_owner_elsewhere(page, sight) if sight.mine else _way(page, sight)
    if show_problems(page, st, of_votes=True):
        data = {"stage": session.visit().said, "block": "start"}
        _component(key="vote_memory-above", data=data, height=1)


def _way(page: Page, sight: VoteSight) -> None:
    """The way back to the class, where this page shows no numbers.

    Until the browser has sent the name there is none: after a reload this person may be the owner.
    """
    t = page.t
    if seat.holds() and seat.is_known():
        with st.container(key="vote_elsewhere", horizontal=True, vertical_alignment="center"):
            say.sentence(t("vote.held", code=sight.code))
            say.button(t, "vote.go", "how_to_vote", seat.follow, where="elsewhere", type="secondary")
            say.button(t, "vote.leave", "close", seat.leave, where="elsewhere")
    _watch(page, sight)
    _remember(sight, "way")


# ---- for the owner


def _of_owner(
    page: Page, sight: VoteSight, title: str, word: Word, is_right: Judge, names: Names | None
) -> None:
    t, code, question = page.t, sight.code, sight.question
    look: dict[str, Any] = {"where": question, "type": "secondary"}

    def tell(answer: str) -> str:
        if names is None:
            return word(answer)
        row, col = cell_of(answer)
        return f"{names[0][row]} → {names[1][col]}"

    if sight.open:
        words, join = st.columns([3, 2])
        with words:
            _options(sight, word)
            _watch(page, sight)
            with st.container(horizontal=True, gap="small"):
                kept = plain(title), tell, is_right
                say.button(
                    t, "vote.close", "stop_circle", acts.close, code, *kept, where=question, type="primary"
                )
                overview(page)
        with join, st.container(key=f"vote_join-{question}"):
            _way_in(page, code)
        return
    _watch(page, sight)
    if not sight.bars:
        _options(sight, word)
        say.sentence(t("vote.full_owner" if sight.full else "vote.result", count=sight.count))
    # Each button keeps its place, so that none gets under a resting pointer. The container says which of them
    # → presses in a presentation (see shell/present).
    first = "again" if sight.again else "bars"
    with st.container(key=f"vote_first_{first}-{question}", horizontal=True, gap="small"):
        say.button(t, "vote.bars", "bar_chart", acts.show_bars, done=sight.bars, **look)
        say.button(t, "vote.reveal", "visibility", acts.reveal, done=sight.revealed, **look)
        say.button(t, "vote.again", "replay", acts.again, page, question, **look)
        overview(page)


def _options(sight: VoteSight, word: Word) -> None:
    say.markdown("  \n".join(map(word, sight.form.options)))


def _of_owner_elsewhere(page: Page, sight: VoteSight) -> None:
    """Ends an open vote from any page, also if its question cannot be asked any more."""
    if not sight.open:
        _watch(page, sight)
        return
    t = page.t
    asked = answers.asked(page.course, t, sight.question, page.view.plan)
    close = sight.code, *(asked.kept if asked else ())
    with st.container(key="vote_elsewhere", horizontal=True, vertical_alignment="center"):
        say.sentence(t("vote.open_elsewhere", code=sight.code))
        _watch(page, sight)
        say.button(t, "vote.close", "stop_circle", acts.close, *close, where="elsewhere", type="secondary")


def _way_in(page: Page, code: str) -> None:
    """The QR code, the code by itself, and the link."""
    link = session.room_link(code)
    picture.draw(link, page.t("vote.qr"), page.t("handout.enlarge"), name="vote", line=COUNT)
    say.markdown(page.t("vote.code", code=code))
    st.code(link, language=None, wrap_lines=True)


# ---- for voters


def _of_voter(page: Page, sight: VoteSight, word: Word) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        texts = [_standing(page, sight)]
        if sight.choice is not None and (sight.revealed or not sight.form.options):
            texts = [page.t("vote.yours", choice=word(sight.choice)), *texts]
        say.sentence(page.t.joined(texts))
        say.button(page.t, "vote.leave", "close", seat.leave, where=sight.question)
    _watch(page, sight)


def _standing(page: Page, sight: VoteSight) -> str:
    """The voter's next step."""
    if acts.is_pending(sight):
        return page.t("vote.pending", code=sight.code)
    if not sight.open:
        return page.t("vote.over" if sight.revealed else "vote.closed", code=sight.code)
    if sight.choice is not None:
        return page.t("vote.voted", code=sight.code)
    if sight.full:
        return page.t("vote.full", code=sight.code, limit=sight.count)
    name = "choose" if sight.round == 1 else "choose_again"
    return page.t(f"vote.{name}", code=sight.code, number=sight.round)


# ---- for all


def _watch(page: Page, sight: VoteSight) -> None:
    """Listens to the room, and shows the number of votes to the owner."""
    live.fragment(_look)(page, sight)


def _look(page: Page, drawn: VoteSight) -> None:
    """The browser writes the number of votes; any other change has the whole page drawn again."""
    turns.forget()  # a change since the beginning of a long run is seen here
    counted = acts.try_again()
    room, sight = seat.look(), seat.vote_of()
    if not counted or room is None or sight is None or replace(sight, count=drawn.count) != drawn:
        session.rerun()
        return
    tries = acts.is_pending(sight)
    rests = sight.revealed or (sight.mine and not sight.open)
    counts = sight.mine and sight.open
    data = {
        "visit": session.visit().name,
        "stage": room.state["vote"],
        "mine": sight.mine,
        "choice": sight.choice,
        "every": 1000 * (TRY_EVERY if tries else RESTING if rests else LOOK_EVERY[sight.mine]),
        "tries": tries,
        "topic": sight.topic,
        "count": sight.count,
        "text": page.t("vote.count", count="{count}") if counts else "",
        "full": page.t("vote.full_owner", count="{count}") if counts else "",
        "most": MAX_VOTERS,
    }
    name = "count" if counts else "watch"
    height: int | Literal["content"] = "content" if counts else 1
    asked = functools.partial(_redraw, drawn)
    _channel(key=f"vote_{name}-{sight.question}", data=data, on_ask_change=asked, height=height)


def _redraw(drawn: VoteSight) -> None:
    """Draws the part again, and not the whole page, if the round was closed or its bars are shown."""
    sight = seat.vote_of()
    if sight is None or not seat.is_drawn():
        return
    kept = replace(sight, open=drawn.open, bars=drawn.bars, rounds=drawn.rounds)
    kept = replace(kept, count=drawn.count)
    if kept == drawn and (sight.open, sight.bars) != (drawn.open, drawn.bars):
        st.rerun(live.NUMBERS)


def _remember(sight: VoteSight, place: str = "card") -> None:
    """Has the browser keep this person's name, and scroll to the card: for voters once in each vote.

    A voter whose page is loaded again is on the way to the card first.
    """
    extra = {"stage": f"{sight.code} {sight.serial} {place}", "block": "start"}
    if sight.mine:
        extra = {"stage": str(sight.stage), "block": "nearest"}
    used = sight.mine or sight.choice is not None
    _keep_name(f"vote_memory-{sight.code}-{sight.question}", sight.code, used, extra)


def introduce(code: str, *, owns: bool) -> None:
    """Has the browser keep this person's name in a room without a vote, and send the name that it knows."""
    _keep_name(f"vote_memory-{code}", code, owns, {})


def _keep_name(key: str, code: str, used: bool, extra: Mapping[str, str]) -> None:
    asks = seat.asks_for_name(code)
    data = {"code": code, "person": seat.person(), "used": used, "asks": asks, **extra}

    def answered() -> None:
        seat.known_as(code, (session.widget_value(key) or {}).get("known"))

    def opened() -> None:
        seat.take_over(code, (session.widget_value(key) or {}).get("key"))

    _component(key=key, data=data, on_known_change=answered, on_key_change=opened, height=1)


def _bars(page: Page, sight: VoteSight, word: Word, is_right: Judge | None, names: Names | None) -> None:
    """The distributions of the last rounds, side by side."""
    rounds = enumerate(sight.rounds, start=sight.round - len(sight.rounds) + 1)
    with st.container(key=f"vote_rounds-{sight.question}"):
        for column, (number, counts) in zip(st.columns(len(sight.rounds)), rounds, strict=True):
            with column:
                _round(page, number if sight.round > 1 else None, counts, word, is_right, names)


def _round(
    page: Page,
    number: int | None,
    counts: Counts,
    word: Word,
    is_right: Judge | None,
    names: Names | None,
) -> None:
    t, total = page.t, sum(count for _, count in counts)
    title = t("vote.result", count=total) if number is None else t("vote.round", number=number, count=total)
    say.markdown(f"**{title}**")
    if names is not None:
        st.html(_matrix(t("vote.right"), dict(counts), total, is_right, names))
        return
    for answer, count in counts:
        share = count / total if total else 0.0
        text = f"**{share:.0%}** ({count}) · {t('vote.others') if answer == OTHERS else word(answer)}"
        if is_right is not None and answer != OTHERS and is_right(answer):
            text = f":material/check: **{t('vote.right')}** {text}"
        st.progress(share, text)


def _matrix(right: str, counts: Mapping[str, int], total: int, is_right: Judge | None, names: Names) -> str:
    """The votes for the cells of a matrix as HTML: rows are queries, columns are keys."""
    rows, cols = ([html.escape(plain(name)) for name in axis] for axis in names)
    lines = [f"<tr><th></th>{''.join(f'<th>{name}</th>' for name in cols)}</tr>"]
    for row, name in enumerate(rows):
        cells = []
        for col in range(len(cols)):
            word = cell_word(row, col)
            count = counts.get(word, 0)
            share = count / total if total else 0.0
            mark = is_right is not None and is_right(word)
            look = f'style="--share: {share:.3f}"' + (
                f' data-right title="{html.escape(right)}"' if mark else ""
            )
            text = f"{share:.0%} <small>({count})</small>" if count else ""
            cells.append(f"<td {look}>{'✓ ' * mark}{text}</td>")
        lines.append(f"<tr><th>{name}</th>{''.join(cells)}</tr>")
    return f'<div class="votes"><table>{"".join(lines)}</table></div>'
