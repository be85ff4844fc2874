"""What the lessons with several parts share: the choice of the part, and questions before the answer."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from . import edits, state
from .settings import Settings
from .sidebar import bound
from .texts import Texts

SHOWN = "shown"  # the option of those who only want to see


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
    with st.container(border=True, key=f"ask-{question}"):
        st.markdown(f"**{t('predict.ask')}** {t(f'ask.{question}', **facts)}")
        guess = guess_of(now, question)
        if guess is None:
            _buttons(t, question, options)
            return False
        said = options.get(guess, "")
        _verdict(t, question, said, guess == answer, options[answer])
        for option in options:
            reason = reasons[option] if reasons else t(f"because.{question}_{option}", **facts)
            st.markdown(f"- **{options[option]}** – {reason}")
    return True


def _buttons(t: Texts, question: str, options: dict[str, str]) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        for option, text in options.items():
            st.button(text, key=f"guess-{question}-{option}", on_click=_commit, args=(question, option))
        _just_show(t, question)


def _just_show(t: Texts, question: str) -> None:
    st.button(
        t("predict.show"),
        key=f"guess-{question}-{SHOWN}",
        type="tertiary",
        on_click=_commit,
        args=(question, SHOWN),
    )


def _verdict(t: Texts, question: str, said: str, right: bool, answer: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if not said:
            st.markdown(t("predict.answer", answer=answer))
        elif right:
            st.markdown(t("predict.right", said=said))
        else:
            st.markdown(t("predict.wrong", said=said, answer=answer))
        st.button(
            t("predict.again"),
            key=f"again-{question}",
            type="tertiary",
            on_click=_commit,
            args=(question, None),
        )


def ask_number(t: Texts, now: Settings, question: str, answer: int, **facts: object) -> bool:
    """Asks `ask.<question>` for a whole number; `because.<question>` explains it."""
    with st.container(border=True, key=f"ask-{question}"):
        st.markdown(f"**{t('predict.ask')}** {t(f'ask.{question}', **facts)}")
        guess = guess_of(now, question)
        if guess is None:
            with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
                key = f"guess-{question}"
                st.number_input(
                    t("predict.number"),
                    0,
                    100_000,
                    value=None,
                    step=1,
                    key=key,
                    width=160,
                    label_visibility="collapsed",
                )
                st.button(t("predict.commit"), key=f"{key}-commit", on_click=_commit_number, args=(question,))
                _just_show(t, question)
            return False
        said = guess if guess.isdecimal() else ""
        _verdict(t, question, said, guess == str(answer), str(answer))
        st.markdown(t(f"because.{question}", **facts))
    return True


def _cell_in(guess: str, shape: tuple[int, int]) -> tuple[int, int] | None:
    """The cell a guess names, None for SHOWN, for a cell that is gone, or for what a link made up."""
    found = re.fullmatch(r"(\d{1,3})_(\d{1,3})", guess)
    row, col = map(int, found.groups()) if found else shape
    return (row, col) if row < shape[0] and col < shape[1] else None


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
    with st.container(border=True, key=f"ask-{question}"):
        st.markdown(f"**{t('predict.ask')}** {t(f'ask.{question}', **facts)}")
        guess = guess_of(now, question)
        if guess is None:
            draw()
            _just_show(t, question)
            return False
        with st.container(horizontal=True, vertical_alignment="center"):
            if cell := _cell_in(guess, shape):
                right, why = verdict(*cell)
                st.markdown(t("predict.cell_right" if right else "predict.cell_wrong") + " " + why)
            st.button(
                t("predict.again"),
                key=f"again-{question}",
                type="tertiary",
                on_click=_commit,
                args=(question, None),
            )
        st.markdown(t(f"because.{question}", **facts))
    return True
