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

MANY = range(1, 121)  # every mistake of a level comes up
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


@LEVEL
def test_every_mistake_of_the_level_comes_up(level):
    assert {exercise.bug for exercise in all_of(level)} == set(exercises.LEVEL_BUGS[level])


@LEVEL
def test_the_rows_of_the_numbers_differ_and_are_not_zero(level):
    """So that no matrix is right or wrong for an accidental reason."""
    for exercise in all_of(level):
        for step in ("query", "key", "value", "scores"):
            for numbers in getattr(exercise.right, step):
                assert numbers.any(-1).all() and len(numbers.unique(dim=0)) == len(numbers), step


@LEVEL
def test_a_number_makes_the_same_exercise_again(level):
    again = exercises.make.__wrapped__(level, 7)
    assert again.bug == exercises.make(level, 7).bug
    assert torch.equal(again.inputs.x, exercises.make(level, 7).inputs.x)
    assert len({str(exercise.inputs.x.tolist()) for exercise in all_of(level)}) > 60


@LEVEL
def test_options_stand_in_the_order_of_the_level(level):
    for exercise in all_of(level):
        places = [exercises.LEVEL_BUGS[level].index(name) for name in exercise.options]
        assert places == sorted(places)


def test_steps_and_options_do_not_depend_on_the_mistake():
    """All that apply are offered, so what is left out says nothing."""
    for level in LEVELS:
        for exercise in all_of(level):
            applying = {
                name for name in exercises.LEVEL_BUGS[level] if MISTAKES[name].applies(exercise.inputs)
            }
            assert set(exercise.options) == applying


# ---- the learner's own numbers


def test_own_numbers_are_those_of_the_lessons():
    settings = edits.resize(edits.with_choice(Settings(), mask="causal"), num_heads=2)
    exercise = exercises.make("3", 1, settings)
    assert torch.equal(exercise.right.output, trace_of(settings).output)
    assert torch.equal(exercise.right.weights, trace_of(settings).heads.weights)


def test_of_several_heads_the_easier_levels_take_the_first():
    settings = edits.resize(Settings(), num_heads=2)
    exercise = exercises.make("2", 1, settings)
    assert exercise.inputs.num_heads == 1
    assert torch.equal(exercise.right.weights[0], trace_of(settings).heads.weights[0])


def test_own_shared_key_value_heads():
    settings = edits.resize(Settings(), num_heads=4, d_k=2, d_v=1, num_kv_heads=2)
    inputs = exercises.own_inputs(settings, heads=True)
    assert torch.equal(right(inputs).output, trace_of(settings).output)


def test_own_padding():
    settings = edits.with_choice(Settings(), mask="padding", padding=2)
    inputs = exercises.own_inputs(settings, heads=False)
    assert inputs.real == 2
    assert inputs.mask is None
    assert torch.equal(right(inputs).output, trace_of(settings).output)


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
        assert len(app.code) == 2
        assert len(pictures(app)) == 2
        assert matrix(app, "wrong")["ringed"]
        assert matrix(app, "right")["ringed"] == []
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
    for number in range(1, 8):
        app = open_hunt("2", number)
        (picture,) = pictures(app)
        for one in picture["matrices"]:
            assert one["ringed"] == []
            assert one["asked"] or one["recipe"] is None
        assert not app.code
        assert not app.success


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
