"""Bug hunt: a computation with one mistake in it. Which step is wrong first, and what is the mistake?"""

import functools

import streamlit as st

from attention.checking.mistakes import MISTAKES
from pages import session
from pages.ask import links
from pages.ask.exercise.fill_exercise import HOUR
from pages.draw import controls, placing, say
from pages.draw.page import Page
from pages.model.view import Place

from . import bug_exercise, bug_picture, bug_words, desk
from .bug_exercise import MOST_HEADS, MOST_TOKENS, MOST_WIDTH, BugExercise


def draw(page: Page) -> None:
    desk.draw(page)
    work(page)


def work(page: Page) -> None:
    """The exercise, without the choice of one."""
    exercise = _exercise(page)
    if exercise is None:
        return
    attempt = desk.attempt(page)
    head = _task(page, exercise)
    matrices, layout = bug_picture.whole(page, exercise, head, ended=attempt.ended)
    note = "" if attempt.ended else page.t("bug_hunt.point")
    pick = functools.partial(_take_pick, attempt, exercise)
    placing.draw(page, "hunt", matrices, layout, on_pick=pick, note=note)
    if attempt.ended:
        _say_solution(page, exercise)
        _solution(page, exercise)
    else:  # below the picture, which the list of mistakes would cover
        _ask(page, exercise, attempt)
    desk.help_bar(page, bug_words.hints(page, exercise))


# ---- the exercise


def _exercise(page: Page) -> BugExercise | None:
    """The exercise; where the learner's own numbers give none, says why."""
    t, level = page.t, page.look.level
    if page.look.numbers != "own":
        return bug_exercise.make(level, page.look.exercise, language=t.language)
    problem = bug_exercise.own_problem(level, page.settings)
    exercise = None if problem else bug_exercise.make(level, page.look.exercise, page.settings)
    if exercise is None:
        facts = {"tokens": MOST_TOKENS, "width": MOST_WIDTH, "heads": MOST_HEADS}
        say.info(t(f"bug_hunt.{problem or 'nothing_shows'}", **facts))
        links.to_lesson("one_head", t("bug_hunt.change"), Place(part="picture"))
    else:
        say.caption(t("bug_hunt.own" if level == "3" else "bug_hunt.own_first"))
    return exercise


def _task(page: Page, exercise: BugExercise) -> int:
    """Says what to find out, and returns which head is drawn; with several, the learner chooses."""
    task, count = bug_words.task(page, exercise), exercise.inputs.num_heads
    if count == 1:
        say.markdown(task)
        return 0
    left, right = st.columns([4, 1])
    say.markdown(task, left)
    with right:
        return controls.choose_head(page, count, "bug_hunt.head_help", "_hunt")


# ---- the question


def _ask(page: Page, exercise: BugExercise, attempt: desk.Attempt) -> None:
    """The two choices, and why the last ones were wrong."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="hunt"):
        _choices(page, exercise, attempt)
    if attempt.tries:
        step, bug = attempt.tries[-1]
        desk.verdict(page, "", bug_words.why_not(page, exercise, step, bug))
        _read_more(page, bug)


def _choices(page: Page, exercise: BugExercise, attempt: desk.Attempt) -> None:
    """The step and the mistake, and the button to have them checked."""
    t = page.t
    st.segmented_control(
        t("bug_hunt.which_step"),
        exercise.steps,
        format_func=lambda step: bug_words.name_of(page, exercise, step),
        help=t("bug_hunt.which_step_help"),
        **_entry(attempt, "step"),
    )
    st.selectbox(
        t("bug_hunt.which_bug"),
        exercise.options,
        format_func=lambda bug: t(f"bug.{bug}"),
        placeholder=t("bug_hunt.choose"),
        help=t("bug_hunt.which_bug_help"),
        width=310,
        **_entry(attempt, "bug"),
    )
    answer = {"step": exercise.step, "bug": exercise.bug}
    desk.check_button(
        page,
        lambda attempt: attempt.check(
            (attempt.entries["step"], attempt.entries["bug"]), attempt.entries == answer
        ),
        disabled=set(attempt.entries) != set(answer),
    )


def _entry(attempt: desk.Attempt, name: str) -> dict:
    """Binds a widget to what the learner has chosen and not had checked yet."""
    return session.bind(
        f"hunt_{name}", attempt.entries.get(name), lambda chosen: attempt.entries.update({name: chosen})
    )


def _take_pick(attempt: desk.Attempt, exercise: BugExercise, picked: dict) -> None:
    """A click on a matrix chooses its step."""
    if picked["matrix"] in exercise.steps:
        attempt.entries["step"] = picked["matrix"]


def _read_more(page: Page, bug: str) -> None:
    desk.read_more(page, page.course.place_of("mistakes", bug))


# ---- the solution


def _say_solution(page: Page, exercise: BugExercise) -> None:
    """What was wrong, in the place of the choices."""
    t, matrix = page.t, bug_words.name_of(page, exercise, exercise.step)
    named = t("bug_hunt.solution", matrix=matrix, bug=t(f"bug.{exercise.bug}"))
    told = t.joined([named, bug_words.reason(page, exercise)])
    if desk.attempt(page).solved:
        desk.verdict(page, told, "")
    else:
        say.info(told)


def _solution(page: Page, exercise: BugExercise) -> None:
    """Both matrices, the check that finds the mistake, and the lines of code; in the hour the matrices."""
    left, right = st.columns(2, gap="medium")
    with left:
        pair = bug_picture.beside(page, exercise)
        placing.draw(page, "beside", pair, note=page.t("bug_hunt.ringed"))
        if exercise.level != HOUR:
            say.markdown(bug_words.check_sentence(page, exercise))
        _read_more(page, exercise.bug)
    if exercise.level != HOUR:
        with right:
            _code(page, exercise)


def _code(page: Page, exercise: BugExercise) -> None:
    """The wrong lines and the right ones, as they are commonly written."""
    bug, heads = MISTAKES[exercise.bug], exercise.inputs.num_heads
    for name, lines in (("wrong_code", bug.wrong_lines(heads)), ("right_code", bug.right_lines(heads))):
        say.markdown(page.t(f"bug_hunt.{name}"))
        text = "\n".join(line for line in lines.values() if line)
        st.code(text or page.t("bug_hunt.no_line"), language="python", wrap_lines=True)
