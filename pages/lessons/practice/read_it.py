"""Read it: a picture of attention weights and four statements. Which of them follow?"""

from typing import Any

import streamlit as st

from pages import session
from pages.draw import matrix, placing, say, steps
from pages.draw.numbers import counted
from pages.draw.page import Page, named
from pages.model.course import Location
from pages.picture import Matrix, product

from . import desk
from . import read_exercise as exercises
from .read_exercise import ReadExercise, Statement
from .scene import D_V

TOKENS = ("q", "k", "o", "top", "mid")  # the facts that are tokens


def draw(page: Page) -> None:
    """The picture, the statements next to it, and the result."""
    desk.draw(page)
    work(page)


def work(page: Page) -> None:
    """The exercise, without the choice of one."""
    t, attempt = page.t, desk.attempt(page)
    exercise = exercises.exercise(page.look.level, page.look.exercise, t.language)
    say.markdown(t.joined([t(f"read.known_{page.look.level}"), t("read.follows")]))
    left, asked = st.columns((2, 3), gap="medium")
    with left:
        note = t("read.not_masked" if exercise.scene.mask is None else "read.masked")
        placing.draw(page, "weights", matrices(page, exercise, attempt.ended), note=note)
    with asked:
        say.markdown(t("read.question"))
        for index in range(len(exercise.statements)):
            _statement(page, exercise, index)
        desk.check_button(
            page, lambda attempt: attempt.check(_ticks(attempt, exercise), _right(attempt, exercise))
        )
    _verdict(page, exercise)
    desk.help_bar(page, _hints(page, exercise))


# ---- the picture


def matrices(page: Page, exercise: ReadExercise, ended: bool) -> list[Matrix]:
    """A of each head, V where it is known, and after the end the output."""
    scene, t = exercise.scene, page.t
    tokens = list(named(t, scene.tokens))
    several = len(scene.heads) > 1
    names = [
        matrix.of(
            f"weights{head + 1}",
            f"A_{head + 1}" if several else "A",
            weights,
            tokens,
            tokens,
            kind="weights",
            subtitle=t("read.head", head=head + 1) if several else "",
            masked=steps.hidden(scene.mask),
            alt=t("title.weights"),
            query_rows=True,
            **page.axes,
        )
        for head, weights in enumerate(scene.weights)
    ]
    if scene.v is not None:
        columns = counted(D_V)
        names.append(matrix.of("value", "V", scene.v, tokens, columns, alt=t("title.value")))
        if ended:
            look = {"recipe": product("weights1", "value", len(tokens)), "alt": t("title.output")}
            names.append(matrix.of("output", "O", scene.output, tokens, columns, **look))
    return names


# ---- the statements


def text_of(page: Page, exercise: ReadExercise, statement: Statement) -> str:
    """The statement about the tokens of the picture."""
    return page.t(f"claim.{statement.claim.name}", **_facts(page, exercise, statement))


def _facts(page: Page, exercise: ReadExercise, statement: Statement) -> dict[str, Any]:
    """What the texts print: tokens by name, columns from 1."""
    facts: dict[str, Any] = dict(statement.facts)
    for name in TOKENS:
        if name in facts:
            facts[name] = page.t("read.token", token=named(page.t, exercise.scene.tokens)[facts[name]])
    if "c" in facts:
        facts["c"] += 1
    if "half" in facts:
        facts["half"] = page.t(f"read.half_{facts['half']}")
    return facts


def _statement(page: Page, exercise: ReadExercise, index: int) -> None:
    """A statement to tick; after the end as the learner left it."""
    attempt, statement = desk.attempt(page), exercise.statements[index]
    key = f"claim-{page.look.level}-{page.look.exercise}-{index}"

    def take() -> None:
        attempt.entries[index] = bool(session.widget_value(key))

    st.checkbox(
        f"{index + 1}. {text_of(page, exercise, statement)}",
        value=attempt.entries.get(index, False),
        key=key,
        disabled=attempt.ended,
        on_change=take,
    )


def _ticks(attempt: desk.Attempt, exercise: ReadExercise) -> tuple[bool, ...]:
    return tuple(attempt.entries.get(index, False) for index in range(len(exercise.statements)))


def _right(attempt: desk.Attempt, exercise: ReadExercise) -> bool:
    return _ticks(attempt, exercise) == exercise.right


# ---- the result


def _verdict(page: Page, exercise: ReadExercise) -> None:
    """Why the first misjudged statement follows or not; the others come later. At the end, all four."""
    t, attempt = page.t, desk.attempt(page)
    answer = attempt.tries[-1] if attempt.tries else exercise.right
    missed = [i for i, right in enumerate(exercise.right) if answer[i] != right]
    told = missed if attempt.ended else missed[:1]
    reasons = "\n".join(f"- {_reason(page, exercise, index)}" for index in told)
    if not attempt.ended:
        reasons += "\n\n" + t("read.others")
    desk.verdict(page, t("read.right"), reasons if attempt.tries else "")
    if attempt.ended:
        rest = [index for index in range(len(exercise.right)) if index not in missed]
        say.markdown("\n".join(f"- {_reason(page, exercise, index)}" for index in rest))
    with st.container(horizontal=True, key="read_more"):
        for place in dict.fromkeys(place_of(page, exercise.statements[index]) for index in told):
            desk.read_more(page, place)


def place_of(page: Page, statement: Statement) -> Location:
    """Where the claim is treated, or what it is about."""
    names = (statement.claim.name, statement.claim.about)
    return next(filter(None, (page.course.treating("claims", name) for name in names)))


def _reason(page: Page, exercise: ReadExercise, index: int) -> str:
    """Whether the statement follows, and why."""
    statement = exercise.statements[index]
    text = "read.yes" if statement.follows else "read.no"
    return page.t(text, number=index + 1, why=why(page, exercise, statement))


def why(page: Page, exercise: ReadExercise, statement: Statement) -> str:
    """Why the statement follows or does not."""
    name, facts = statement.claim.name, _facts(page, exercise, statement)
    return page.t(f"follows.{name}" if statement.follows else f"refuted.{name}", **facts)


def _hints(page: Page, exercise: ReadExercise) -> list[str]:
    """What each statement speaks of; what weights say of that; how many follow."""
    t = page.t
    abouts = [statement.claim.about for statement in exercise.statements]
    listed = t.joined(
        t("read.about", number=i + 1, about=t(f"read_about.{about}")) for i, about in enumerate(abouts)
    )
    rules = t.joined(t(f"read_rule.{about}") for about in dict.fromkeys(abouts))
    return [t("read.hint_about", listed=listed), rules, t("read.hint_count", count=sum(exercise.right))]
