"""Bug hunt: exercises that have one right answer, and a page that says why the others are wrong."""

import functools
import itertools
import re
from dataclasses import replace

import pytest
import torch

from attention.checking.mistakes import CODED, MISTAKES
from attention.checking.runs import right
from pages.ask.exercise.look import LEVELS
from pages.lessons.practice import bug_exercise as exercises
from pages.lessons.practice import bug_words
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.model.view import Place
from tests.support.course import COURSE
from tests.support.screen import LANGUAGES, matrix, open_page, pictures, said
from tests.support.states import looking, page_in

MANY = range(1, 41)
# A formula has braces too, each after an underscore: W_{V}.
PLACEHOLDER = re.compile(r"(?<!_)\{")
LEVEL = pytest.mark.parametrize("level", LEVELS)


@functools.cache
def all_of(level):
    return [exercises.make(level, number) for number in MANY]


def open_hunt(level="1", number=1, settings=None, numbers="seeded", **view):
    view = looking(level=level, exercise=number, numbers=numbers, **view)
    app = open_page("practice", settings, view, Place(part="bug_hunt"))
    assert not app.exception
    return app


def answer(app, step, bug):
    app.segmented_control(key="set_hunt_step").set_value(step)
    app.selectbox(key="set_hunt_bug").set_value(bug).run()
    app.button(key="check").click().run()
    assert not app.exception
    return app


# ---- the exercises


@pytest.mark.slow
@LEVEL
def test_every_mistake_of_the_level_comes_up(level):
    every = {exercises.make(level, number).bug for number in range(1, 121)}
    assert every == set(exercises.LEVEL_BUGS[level])


@LEVEL
def test_no_matrix_is_right_or_wrong_for_an_accidental_reason_and_all_mistakes_that_apply_are_offered(level):
    """In the order of the level: so what is left out says nothing, nor does its place."""
    for exercise in all_of(level):
        for step in ("query", "key", "value", "scores"):
            for numbers in getattr(exercise.right, step):
                assert numbers.any(-1).all() and len(numbers.unique(dim=0)) == len(numbers), step
        bugs = exercises.LEVEL_BUGS[level]
        assert list(exercise.options) == [bug for bug in bugs if MISTAKES[bug].applies(exercise.inputs)]
    again = exercises.make.__wrapped__(level, 7)
    assert again.bug == all_of(level)[6].bug and torch.equal(again.inputs.x, all_of(level)[6].inputs.x)
    assert len({str(exercise.inputs.x.tolist()) for exercise in all_of(level)}) > len(MANY) / 2


# ---- the learner's own numbers


def test_own_numbers_are_those_of_the_lessons():
    two = edits.resize(edits.with_choice(Settings(), mask="causal"), num_heads=2)
    exercise = exercises.make("3", 1, two)
    assert torch.equal(exercise.right.output, trace_of(two).output)
    assert torch.equal(exercise.right.weights, trace_of(two).heads.weights)
    first = exercises.make("2", 1, two)  # the easier levels take the first head
    assert first.inputs.num_heads == 1
    assert torch.equal(first.right.weights[0], trace_of(two).heads.weights[0])
    shared = edits.resize(Settings(), num_heads=4, d_k=2, d_v=1, num_kv_heads=2)
    assert torch.equal(right(exercises.own_inputs(shared, heads=True)).output, trace_of(shared).output)
    padded = edits.with_choice(Settings(), mask="padding", padding=2)
    inputs = exercises.own_inputs(padded, heads=False)
    assert inputs.real == 2 and inputs.mask is None
    assert torch.equal(right(inputs).output, trace_of(padded).output)


@pytest.mark.parametrize(
    ("problem", "level", "change"),
    [
        ("one_head", "3", lambda s: s),
        ("one_token", "1", lambda s: edits.remove_token(edits.remove_token(s, 0), 0)),
        ("too_large", "2", lambda s: edits.resize(s, d_model=9)),
    ],
)
def test_own_sizes_that_are_refused(problem, level, change):
    settings = change(Settings())
    assert exercises.own_problem(level, settings) == problem
    app = open_hunt(level, settings=settings, numbers="own")
    assert app.info
    assert "set_hunt_bug" not in [one.key for one in app.selectbox]
    assert app.get("page_link")


def test_own_numbers_in_which_nothing_shows():
    settings = Settings()
    for name in ("x", "w_q", "w_k", "w_v"):
        settings = edits.fill(settings, name, "zeros")
    assert exercises.make("2", 1, settings) is None
    app = open_hunt("2", settings=settings, numbers="own")
    assert len(app.info) == 1


# ---- the page


@pytest.mark.exhaustive
@LEVEL
def test_every_mistake_before_and_after_its_answer(level):
    """In turn in both languages, and in the other one at the next level."""
    first = {exercise.bug: (number, exercise) for number, exercise in zip(MANY, all_of(level), strict=True)}
    for bug, (number, exercise) in first.items():
        language = LANGUAGES[([*MISTAKES].index(bug) + int(level)) % 2]
        app = open_hunt(level, number, language=language)
        assert app.button(key="check").disabled
        answer(app, exercise.step, exercise.bug)
        assert len(app.success) == 1
        assert not PLACEHOLDER.search(app.success[0].value)
        assert len(app.code) == len(pictures(app)) == 2
        assert matrix(app, "wrong")["ringed"] and not matrix(app, "right")["ringed"]
        assert all(one["asked"] or one["recipe"] is None for one in pictures(app)[1]["matrices"])


def test_every_wrong_answer_is_told_why():
    """In turn in both languages."""
    exercise, said_of = exercises.make("2", 3), set()
    hunts = itertools.cycle([open_hunt("2", 3, language=language) for language in LANGUAGES])
    for bug in set(exercise.options) - {exercise.bug}:
        app = answer(next(hunts), exercise.step, bug)
        said_of.add(app.warning[0].value)
        assert app.get("page_link")
    assert len(said_of) == len(exercise.options) - 1
    for step in set(exercise.steps) - {exercise.step}:
        app = answer(next(hunts), step, exercise.bug)
        assert not app.success
        assert not PLACEHOLDER.search(app.warning[0].value)


@LEVEL
def test_what_speaks_against_another_mistake_can_be_seen(level):
    """The number that would be in the named cell looks different from the one that does."""
    for exercise in all_of(level)[::3]:
        for other in set(exercise.options) - {exercise.bug}:
            place, would, seen = bug_words.against(_page(), exercise, other)
            assert "[" in place
            assert would != seen


@LEVEL
def test_the_first_hint_names_the_step_beside_another(level):
    for exercise in all_of(level):
        where, _, _ = bug_words.hints(_page(), exercise)
        name = bug_words.name_of(_page(), exercise, exercise.step)
        assert f"“{name}”" in where
        assert where.count("“") == 2


def _page():
    return page_in("practice", "bug_hunt")


def test_nothing_gives_the_answer_away_before_it():
    for number in range(1, 5):
        app = open_hunt("2", number)
        (picture,) = pictures(app)
        assert not any(one["ringed"] for one in picture["matrices"])
        assert all(one["asked"] or one["recipe"] is None for one in picture["matrices"])
        assert not app.code and not app.success


def test_hints_and_the_solution():
    app = open_hunt("2", 5)
    for count in (1, 2, 3):
        app.button(key="hint").click().run()
        assert len(app.info) == count
    app.button(key="show_solution").click().run()
    assert len(app.code) == 2
    assert not app.success


def test_a_head_is_chosen():
    app = open_hunt("3", 1)
    first = matrix(app, "query")["values"]
    app.segmented_control(key="set_head_hunt").set_value(1).run()
    assert matrix(app, "query")["values"] != first
    assert matrix(app, "query")["title"] == "Q_2"


def test_the_next_exercise_asks_anew():
    exercise = exercises.make("1", 1)
    app = answer(open_hunt("1", 1), exercise.step, exercise.bug)
    app.button(key="next_exercise").click().run()
    assert app.button(key="check").disabled
    assert "1" in said(app)


@pytest.mark.parametrize("level", LEVELS)
def test_own_numbers_on_the_page(level):
    settings = edits.resize(edits.with_choice(Settings(), mask="causal"), num_heads=2)
    settings = replace(settings, tokens=("*a*", "$b$", "c_d"))
    app = open_hunt(level, 2, settings, "own")
    exercise = exercises.make(level, 2, settings)
    answer(app, exercise.step, exercise.bug)
    assert app.success


def test_every_mistake_has_its_lesson():
    assert all(COURSE.treating("mistakes", name) for name in CODED)
