"""The card of a question: the text, the controls for an answer, and the verdict with its reasons."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import session
from pages.draw import say
from pages.draw.page import Page, line_of
from pages.draw.texts import nested
from pages.model.ballots import Form
from pages.model.view import SHOWN
from pages.room.rules import VoteSight

from . import vote


@dataclass(frozen=True)
class AnswerVerdict:
    """The verdict on an answer: a sentence, the reason, and the reasons of the other options."""

    sentence: str
    reason: str
    right: bool
    others: str = ""


@dataclass(frozen=True)
class Asking:
    """One kind of question.

    form      form of an answer in a vote; None: a vote is not possible
    offer     draws the controls for an answer, in a vote or without
    judge     the verdict on the learner's answer
    word      answer of a vote → text
    is_right  answer of a vote → whether it is right
    names     of the rows and columns of the matrix whose cells are the answers
    text      of a question that is not the course's; by default `ask.<question>`
    """

    form: Form | None
    offer: Callable[[VoteSight | None], None]
    judge: Callable[[], AnswerVerdict]
    word: Callable[[str], str] = str
    is_right: Callable[[str], bool] = bool
    names: vote.Names | None = None
    text: str | None = None


def draw(
    page: Page,
    question: str,
    asking: Asking,
    facts: Mapping[str, object],
    picture: Callable[[], object] | None = None,
    *,
    keep: bool = False,
) -> bool:
    """Draws the card of a question; True once it is answered or not asked, so that the part shows the answer.

    The controls give way to the verdict and the reason, in the same place below the text; below them is a
    picture to think with. keep: the picture stays after the answer, which reveals no other figure. A card
    with an earlier answer folds into the line of the verdict, and an offered one into the question's line.
    """
    option, offered = page.answer(question), page.is_offered(question)
    if not page.is_asked(question):
        return option is not None
    if asking.text is None and question not in (*page.part.questions, page.lesson.ending):
        raise LookupError(f"the part {page.part.name} does not declare its question {question}")
    sight = vote.sight_of(page, question) if asking.form is not None else None
    verdict = None if option is None or offered else asking.judge()
    if verdict is not None:
        session.note_verdict(question, verdict.right)
        vote.note_answer(page, question, option, verdict.right)
    folds = sight is None and not keep and session.is_folded(question)
    if offered and session.is_folded(question):
        frame = line(page, question)
    else:
        recalling = option is None and session.is_recalling()
        frame = _frame(question, verdict if folds else None, recalling=recalling)
    below = picture if keep or option is None else None
    if frame is not None:
        with frame:
            head = "end" if question == page.lesson.ending else "seen" if keep or offered else "ask"
            head = head if asking.text is None else "own"
            text = page.t(f"ask.{question}", **facts) if asking.text is None else asking.text
            say.markdown(f"**{page.t(f'question.{head}')}** {text}")
            if page.stands_in:
                say.caption(page.t("question.stands_in", example=nested(page.t(f"example.{page.stands_in}"))))
            if verdict is not None:
                _say(page, question, verdict)
            else:
                asking.offer(sight)
            if sight is not None:
                voted = asking.word, asking.is_right, asking.names
                vote.draw(page, sight, text, *voted, answered=option is not None)
            if below is not None and not offered:
                below()
    if below is not None and offered:
        below()
    return option is not None


def line(page: Page, question: str) -> DeltaGenerator | None:
    """The line of an offered question, which opens; None while it is closed."""
    text = say.with_formulas(page.t("question.line", short=page.t(f"short.{question}")))
    return session.expander(text, line_of(question), type="compact")


def button(text: str, question: str, option: str | None, **extra: Any) -> None:
    """Commits an option; None asks again."""
    key = f"again-{question}" if option is None else f"guess-{question}-{option}"
    st.button(say.with_formulas(text), key=key, on_click=session.answer, args=(question, option), **extra)


def other_ways(page: Page, question: str, sight: VoteSight | None, form: Form) -> None:
    """The other ways with a question, on one line: show the answer, or let the class vote."""
    with st.container(horizontal=True, gap="small", width="content"):
        if sight is None or not sight.asks:
            just_show(page, question)
        if sight is None and not session.is_following():  # a vote of one's own would leave the class
            vote.button(page, question, form)


def just_show(page: Page, question: str) -> None:
    button(page.t("question.show"), question, SHOWN, type="tertiary")


def _frame(question: str, folded: AnswerVerdict | None, *, recalling: bool) -> DeltaGenerator | None:
    """The card of a question. folded: only the verdict as one line, and None until the learner opens it.

    recalling: the browser may have an answer, and keeps the place empty until it has sent its record.
    """
    if folded is None:
        place = st.container(key=f"recalling-{question}") if recalling else st
        return place.container(border=True, key=f"ask-{question}")
    return session.expander(say.with_formulas(folded.sentence), f"answered-{question}", type="compact")


def _say(page: Page, question: str, verdict: AnswerVerdict) -> None:
    """Draws the verdict, the reasons, and a button to answer again.

    Streamlit gives the box of the verdict the role of a status or an alert, so screen readers announce it.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"verdict-{question}"):
        if verdict.right:
            say.success(verdict.sentence, ":material/check:")
        elif page.answer(question) == SHOWN:
            say.info(verdict.sentence, ":material/visibility:")
        else:
            say.warning(verdict.sentence, ":material/close:")
        if verdict.others:
            others = session.popover(page.t("question.others"), f"others-{question}", type="tertiary")
            if others is not None:
                say.markdown(verdict.others, others)
        button(page.t("question.again"), question, None, type="tertiary")
    if verdict.reason:
        say.markdown(verdict.reason)


def sentence_of(page: Page, sentence: str, right: bool, answer: str) -> str:
    """The sentence of a verdict. It has its own full stop, so the full stops of the options are removed."""
    sentence, answer = (text.rstrip(".。") for text in (sentence, answer))
    if not sentence:
        return page.t("question.answer", answer=answer)
    if right:
        return page.t("question.right", said=sentence)
    return page.t("question.wrong", said=sentence, answer=answer)
