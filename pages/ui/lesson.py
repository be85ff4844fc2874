"""What the lessons share: live sentences, tables, the choice of the part, questions before the answer."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import streamlit as st

from . import edits, state
from .settings import Settings
from .sidebar import bound
from .texts import Texts

SHOWN = "shown"  # the option of those who only want to see


def say(name: str, text: str) -> None:
    """A sentence that follows the numbers: the editor writes it anew where it finds its name."""
    st.html(f'<p data-live="{name}">{html.escape(text)}</p>')


def table(header: list[str], rows: list[tuple[str, ...]]) -> None:
    """A table whose cells are Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    st.markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))


def choose_part(t: Texts, now: Settings, parts: tuple[str, ...]) -> str:
    """Which part of the lesson is on the screen; it stands in the link."""
    part = now.part if now.part in parts else parts[0]
    st.segmented_control(
        t("page.part"),
        parts,
        required=True,
        label_visibility="collapsed",
        format_func=lambda name: t(f"part.{name}"),
        **bound("part", part),
    )
    return part


def guess_of(now: Settings, question: str) -> str | None:
    """The option the learner committed, None before that."""
    return dict(now.guesses).get(question)


def _commit(question: str, option: str | None) -> None:
    state.edit(lambda now: edits.with_guess(now, question, option))


def _card(t: Texts, question: str, facts: dict[str, object]):
    """The frame of a question, with its text."""
    card = st.container(border=True, key=f"ask-{question}")
    card.markdown(f"**{t('predict.ask')}** {t(f'ask.{question}', **facts)}")
    return card


def _button(text: str, question: str, option: str | None, **look: str) -> None:
    """Commits an option; None asks again."""
    key = f"again-{question}" if option is None else f"guess-{question}-{option}"
    st.button(text, key=key, on_click=_commit, args=(question, option), **look)


def _just_show(t: Texts, question: str) -> None:
    _button(t("predict.show"), question, SHOWN, type="tertiary")


def _answered(t: Texts, question: str, text: str) -> None:
    """What came of the guess, and the way back to the question."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if text:
            st.markdown(text)
        _button(t("predict.again"), question, None, type="tertiary")


def _verdict(t: Texts, said: str, right: bool, answer: str) -> str:
    if not said:
        return t("predict.answer", answer=answer)
    return t("predict.right", said=said) if right else t("predict.wrong", said=said, answer=answer)


def ask(
    t: Texts,
    now: Settings,
    question: str,
    options: dict[str, str],
    answer: str,
    reasons: dict[str, str] | None = None,
    **facts: object,
) -> bool:
    """Asks `ask.<question>` with a button an option; True once there is a guess, or the wish to see.

    options: option → what its button says. reasons: why it is right or wrong; without them the texts
    `because.<question>_<option>`.
    """
    guess = guess_of(now, question)
    with _card(t, question, facts):
        if guess is None:
            with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
                for option, text in options.items():
                    _button(text, question, option)
                _just_show(t, question)
            return False
        _answered(t, question, _verdict(t, options.get(guess, ""), guess == answer, options[answer]))
        for option, text in options.items():
            reason = reasons[option] if reasons else t(f"because.{question}_{option}", **facts)
            st.markdown(f"- **{text}** – {reason}")
    return True


def ask_number(t: Texts, now: Settings, question: str, answer: int, **facts: object) -> bool:
    """Asks `ask.<question>` for a whole number; `because.<question>` explains it."""
    guess = guess_of(now, question)
    with _card(t, question, facts):
        if guess is None:
            with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
                _number_field(t, question)
                _just_show(t, question)
            return False
        said = guess if guess.isdecimal() else ""
        _answered(t, question, _verdict(t, said, guess == str(answer), str(answer)))
        st.markdown(t(f"because.{question}", **facts))
    return True


def _number_field(t: Texts, question: str) -> None:
    key = f"guess-{question}"
    look = {"label_visibility": "collapsed", "width": 160}
    st.number_input(t("predict.number"), 0, 100_000, value=None, step=1, key=key, **look)
    st.button(t("predict.commit"), key=f"{key}-commit", on_click=_commit_number, args=(question,))


def _commit_number(question: str) -> None:
    value = st.session_state.get(f"guess-{question}")
    if value is not None:
        _commit(question, str(value))


def ask_cell(
    t: Texts,
    now: Settings,
    question: str,
    draw: Callable[[], None],
    verdict: Callable[[int, int], tuple[bool, str]],
    shape: tuple[int, int],
    **facts: object,
) -> bool:
    """Asks for a click on a cell of the figure that `draw` draws, named `guess_<question>`.

    verdict(row, col): whether that cell is right, and the sentence that says why. The figure, of `shape`, is
    drawn again by the page, with its answer, once this returns True.
    """
    guess = guess_of(now, question)
    with _card(t, question, facts):
        if guess is None:
            draw()
            _just_show(t, question)
            return False
        text = ""
        if cell := _cell_in(guess, shape):
            right, why = verdict(*cell)
            text = f"{t('predict.cell_right' if right else 'predict.cell_wrong')} {why}"
        _answered(t, question, text)
        st.markdown(t(f"because.{question}", **facts))
    return True


def _cell_in(guess: str, shape: tuple[int, int]) -> tuple[int, int] | None:
    """The cell a guess names, None for SHOWN, for a cell that is gone, or for what a link made up."""
    found = re.fullmatch(r"(\d{1,3})_(\d{1,3})", guess)
    row, col = map(int, found.groups()) if found else shape
    return (row, col) if row < shape[0] and col < shape[1] else None
