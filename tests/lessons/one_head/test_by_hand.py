"""One row of attention by hand: what is asked, what is said of an entry, and what stays."""

from dataclasses import replace
from functools import partial

import pytest

from pages.ask.exercise.fill_exercise import FillExercise
from pages.draw.texts import Texts
from pages.lessons.one_head import LESSON, by_hand
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from tests.support import screen
from tests.support.example_states import ONE, TWELVE
from tests.support.random_settings import drawn
from tests.support.screen import LANGUAGES, matrix, said, visit

CATS = Settings()
MASKED = edits.with_choice(CATS, mask="custom", blocked=frozenset({(2, 0)}))
NORMAL = edits.fill(CATS, "w_q", "normal", 0)
opened = partial(screen.opened, "one_head", "predict", topic="by_hand")
STEPS = ("scores", "scaled_scores", "weights", "output")


def right(exercise: FillExercise) -> list[float]:
    return [round(exercise.right(place), 2) for place in exercise.blank]


def enter(app, exercise: FillExercise, values):
    """Types the values into the blank cells, None leaves one blank; then has them checked."""
    taker = list(filter(None, (one.taker for one in visit(app).inbox.pictures.values())))[-1]
    for (step, col), value in zip(exercise.blank, values, strict=True):
        taker({"matrix": step, "row": 0, "col": col, "value": value})
    app.button(key="check-by_hand").click().run()
    assert not app.exception


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("now", [CATS, MASKED, edits.resize(CATS, num_heads=2)], ids=["one", "mask", "heads"])
def test_the_right_numbers_are_taken_and_then_traced(now, language):
    app, exercise = opened(now, answers=(), language=language), by_hand.exercise_of(now, 0)
    for step in STEPS:
        values = matrix(app, step)
        assert values["values"] == [[None] * len(values["cols"])] and values["recipe"] is None
    enter(app, exercise, right(exercise))
    assert visit(app).view.answer("by_hand") == by_hand.DONE
    assert app.success and not app.warning
    head = trace_of(now).head(0)
    for step in STEPS:
        assert matrix(app, step)["values"] == [pytest.approx(getattr(head, step)[exercise.row].tolist())]
        assert matrix(app, step)["recipe"]


@pytest.mark.parametrize("step", STEPS)
def test_a_wrong_number_is_told_by_its_step_and_nothing_is_lost(step):
    app, exercise = opened(answers=()), by_hand.exercise_of(CATS, 0)
    entered = right(exercise)
    wrong = next(i for i, place in enumerate(exercise.blank) if place[0] == step)
    entered[wrong] += 7
    enter(app, exercise, entered)
    (warning,) = [one.value.replace("\\", "") for one in app.warning]
    letter = {"scores": "S", "scaled_scores": "scaled", "weights": "A", "output": "O"}[step]
    key = "1" if step == "output" else exercise.tokens[0]
    assert f"Next, compute {letter}[猫, {key}] again." in warning
    assert visit(app).view.answer("by_hand") is None
    assert [value for name in STEPS for value in matrix(app, name)["values"][0]] == entered
    assert matrix(app, step)["ringed"] == [[0, 0]]
    app.button_group(key="set_topic").set_value("shift").run()
    app.button_group(key="set_topic").set_value("by_hand").run()
    assert [value for name in STEPS for value in matrix(app, name)["values"][0]] == entered
    enter(app, exercise, right(exercise))
    assert app.success


@pytest.mark.parametrize("language", LANGUAGES)
def test_blank_cells_are_named_and_the_answer_can_be_shown(language):
    app, exercise = opened(answers=(), language=language), by_hand.exercise_of(CATS, 0)
    enter(app, exercise, [*right(exercise)[:-1], None])
    (warning,) = [one.value.replace("\\", "") for one in app.warning]
    assert "O[猫, 4]" in warning
    app.button(key="guess-by_hand-shown").click().run()
    assert not app.success and matrix(app, "output")["values"][0][3] is not None


def test_an_answer_of_a_link_is_not_called_right():
    assert not opened(answers=(("by_hand", by_hand.DONE),)).success


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("now", [ONE, TWELVE, NORMAL], ids=["one", "twelve", "own"])
def test_numbers_that_do_not_suit_a_hand_are_replaced_by_those_of_the_start(now, language):
    app = opened(now, answers=(), language=language)
    begun = Texts(language, "one_head")("by_hand.begun", most=by_hand.MOST)
    own = by_hand.exercise_of(now, 0)
    assert (begun in said(app)) is (own is None)
    values = matrix(app, "query")["values"]
    begins = edits.example_start(LESSON.begins(language))
    head = trace_of(begins if own is None else now).head(0)
    assert values == [head.query[-1].tolist()]
    assert visit(app).settings == now


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_row_of_the_start_can_always_be_asked(language):
    for example in (LESSON.start, LESSON.begins(language)):
        assert by_hand.exercise_of(edits.example_start(example), 0) is not None


def test_a_row_without_anything_to_compute_is_not_asked():
    assert by_hand.exercise_of(edits.example_start("library"), 0).row == 0  # the other queries are 0
    for name in ("w_q", "w_k", "w_v", "x"):
        assert by_hand.exercise_of(edits.fill(CATS, name, "zeros"), 0) is None, name
    assert by_hand.exercise_of(edits.example_start("uniform"), 0) is None
    alike = replace(CATS, x=(CATS.x[0],) * 3)
    assert by_hand.exercise_of(alike, 0) is None


def test_a_row_that_is_asked_has_several_visible_keys_and_small_numbers():
    results = [by_hand.exercise_of(edits.with_choice(drawn(seed), position="none"), 0) for seed in range(150)]
    asked = [one for one in results if one is not None]
    assert len(asked) > 30
    for one in asked:
        assert one.numbers.visible[one.row].sum() > 1
        assert len(one.blank) <= 4 * by_hand.MOST
        for row in range(one.row, len(one.tokens)):  # it is the last row with something to compute
            seen = one.numbers.visible[row]
            columns = [one.numbers.scores[row][seen][:, None], one.numbers.value[seen]]
            spread = min(float((each.amax(0) - each.amin(0)).max()) if seen.any() else 0 for each in columns)
            assert (spread > by_hand.SPREAD) is (row == one.row)
