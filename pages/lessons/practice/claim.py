"""One claim about a picture of attention weights: does it follow?"""

import streamlit as st

from pages.draw import placing, say
from pages.draw.page import Page

from . import desk, read_exercise, read_it
from .read_exercise import ReadExercise


def work(page: Page) -> None:
    """The picture, the claim next to it, and the verdict."""
    t, attempt, task = page.t, desk.attempt(page), exercise(page)
    (statement,) = task.statements
    say.markdown(t("judge.known"))
    left, asked = st.columns((2, 3), gap="medium")
    with left:
        note = t("read.not_masked" if task.scene.mask is None else "read.masked")
        matrices = read_it.matrices(page, task, attempt.ended)
        placing.draw(page, str(page.look.exercise), matrices, note=note)
    with asked:
        say.markdown(t("judge.claim", claim=read_it.text_of(page, task, statement)))
        if attempt.ended:
            _say_verdict(page, task)
        else:
            _buttons(page, task)
            desk.help_bar(page, [t(f"read_rule.{statement.claim.about}")])


def exercise(page: Page) -> ReadExercise:
    """The exercise of the level and number, with the first of its statements alone."""
    drawn = read_exercise.exercise(page.look.level, page.look.exercise, page.t.language)
    return ReadExercise(drawn.scene, drawn.statements[:1])


def _buttons(page: Page, task: ReadExercise) -> None:
    with st.container(horizontal=True, gap="small"):
        for text, follows in (("judge.follows", True), ("judge.not", False)):
            st.button(page.t(text), key=f"judge_{follows}", on_click=_judge, args=(page, task, follows))


def _judge(page: Page, task: ReadExercise, follows: bool) -> None:
    """Of two answers the first counts: the second would be no answer."""

    def check(attempt: desk.Attempt) -> None:
        attempt.check(follows, task.right == (follows,))
        attempt.saw_solution = not attempt.solved

    desk.commit(page, check)


def _say_verdict(page: Page, task: ReadExercise) -> None:
    (statement,), attempt = task.statements, desk.attempt(page)
    why = read_it.why(page, task, statement)
    told = page.t("judge.yes" if statement.follows else "judge.no", why=why)
    if attempt.tries:
        desk.verdict(page, told, told)
    else:
        say.info(told)
    desk.read_more(page, read_it.place_of(page, statement))
