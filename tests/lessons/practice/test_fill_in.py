"""The page on which blank cells are filled in, before and after the answer."""

import functools
import re

import pytest

from attention.lab.mistakes.by_hand import SLIPS
from pages.ask.exercise import fill_exercise
from pages.ask.exercise.fill_exercise import FillExercise, judge
from pages.ask.exercise.look import LEVELS
from pages.ask.exercise.words import Words
from pages.draw.texts import Texts
from pages.model import edits
from pages.model.progress import AT_ONCE
from pages.model.view import Place
from tests.support.course import COURSE
from tests.support.screen import LANGUAGES, bound, open_page, pictures, visit
from tests.support.states import looking

make = functools.cache(fill_exercise.make)  # many numbers are looked through for a certain step
EACH = pytest.mark.parametrize(("level", "language"), [*zip(LEVELS, ("en", "zh", "en"), strict=True)])


def page(level="1", number=1, language="en", settings=None, numbers="seeded"):
    view = looking(language=language, level=level, exercise=number, numbers=numbers)
    app = open_page("practice", settings, view, Place(part="fill_in"))
    assert not app.exception
    return app


def enter(app, exercise: FillExercise, values):
    """Types the values into the blank cells; None leaves one blank."""
    (taker,) = filter(None, (one.taker for one in visit(app).inbox.pictures.values()))
    for (step, col), value in zip(exercise.blank, values, strict=True):
        taker({"matrix": step, "row": 0, "col": col, "value": value})
    app.run()


def check(app):
    app.button(key="check").click().run()
    assert not app.exception


def right(exercise):
    return [round(exercise.right(place), 2) for place in exercise.blank]


def texts(app, *kinds):
    return "\n".join(element.value for kind in kinds for element in app.get(kind))


def matrix(app, name):
    return next(one for one in pictures(app)[0]["matrices"] if one["id"] == name)


def number_with(level, step, masked=False):
    """The first exercise with that step and mask."""
    for number in range(1, 200):
        one = make(level, number)
        if step in one.steps and (one.numbers.mask is not None) == masked:
            return number, one
    raise AssertionError


@EACH
def test_an_exercise_is_solved(level, language):
    app, exercise = page(level, 2, language), make(level, 2, language=language)
    for step in exercise.steps:
        values = matrix(app, step)
        assert len(values["open"]) == len(exercise.columns(step)) and values["recipe"] is None
        for row, col in values["open"]:
            assert values["values"][row][col] is None
    enter(app, exercise, right(exercise))
    assert matrix(app, exercise.steps[0])["values"][0] is not None
    check(app)
    assert app.success and not app.warning
    for step in exercise.steps:
        assert matrix(app, step)["open"] is None and matrix(app, step)["recipe"]
    words = Words(Texts(language, "practice"), exercise, exercise.tokens, {})
    for place in exercise.blank:
        assert words.worked(place) in re.sub(r"\\(.)", r"\1", texts(app, "markdown"))


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_on_the_page_says_the_answer_before_it_is_given(level):
    for number in range(1, 4):
        app, exercise = page(level, number), make(level, number)
        text = re.sub(r"\\(.)", r"\1", texts(app, "markdown"))
        words = Words(Texts("en", "practice"), exercise, exercise.tokens, {})
        for place in exercise.blank:
            assert words.worked(place) not in text
            row, col = exercise.row, place[1]
            drawn = matrix(app, place[0])
            assert drawn["values"][0 if exercise.own_rows else row][col] is None
        names = {one["id"] for one in pictures(app)[0]["matrices"]}
        if not exercise.own_rows:
            later = {
                "scores": {"scaled_scores", "weights"},
                "scaled_scores": {"weights"},
                "weights": {"output"},
            }
            assert not names & later.get(exercise.steps[0], set())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_check_with_blank_cells_is_no_try_and_names_them(language):
    app, exercise = page("2", 1, language), make("2", 1)
    enter(app, exercise, [1.0, *[None] * (len(exercise.blank) - 1)])
    check(app)
    assert app.info and not app.warning and not app.success
    enter(app, exercise, right(exercise))
    assert not app.info
    check(app)
    assert app.success
    score = Texts(language, "practice")("desk.score", solved=1, tried=1, at_once=1)
    assert score in texts(app, "markdown")
    assert list(visit(app).record.progress.exercises.values()) == [AT_ONCE]


@EACH
def test_three_hints_and_the_solution(level, language):
    app, exercise = page(level, 4, language), make(level, 4)
    for count in range(1, 4):
        app.button(key="hint").click().run()
        assert len(app.info) == count and not app.exception
    ringed = [one["id"] for one in pictures(app)[0]["matrices"] if one["ringed"]]
    assert ringed and not set(ringed) & {exercise.steps[-1]}
    result = Words(Texts(language, "practice"), exercise, exercise.tokens, {}).worked(exercise.blank[0])
    assert result.rsplit(" ", 1)[0] not in texts(app, "info")
    assert "?" in app.info[2].value or "？" in app.info[2].value
    app.button(key="show_solution").click().run()
    assert not app.exception and not app.info
    assert matrix(app, exercise.steps[0])["open"] is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_hint_says_what_the_verdict_does_not_and_goes_with_the_right_answer(language):
    app, exercise = page("1", 1, language), make("1", 1)
    enter(app, exercise, [77.0])
    check(app)
    app.button(key="hint").click().run()
    where = re.sub(r"\W", "", app.info[0].value)[-20:]
    assert where not in re.sub(r"\W", "", app.warning[0].value)
    enter(app, exercise, right(exercise))
    check(app)
    assert app.success and not app.info


def test_the_largest_numbers_that_can_be_sent_are_judged():
    app, exercise = page("3", 1), make("3", 1)
    for value in (2.0**53, -(2.0**53)):
        enter(app, exercise, [value] * len(exercise.blank))
        check(app)
        assert app.warning and not app.exception


SLIP_CASES = [(step, name) for step in SLIPS for name in SLIPS[step] if name != "by_sqrt_d_model"]


@pytest.mark.parametrize(("step", "name"), SLIP_CASES)
def test_each_slip_is_said_with_its_numbers(step, name):
    """In turn in both languages."""
    t = Texts(LANGUAGES[SLIP_CASES.index((step, name)) % 2], "practice")
    for number in range(1, 400):
        one = make("2", number)
        if one.steps != (step,):
            continue
        wrong = SLIPS[step][name](one.numbers)[one.row, list(one.columns(step))]
        if wrong.isnan().any():
            continue
        answer = tuple(round(value, 2) for value in wrong.tolist())
        findings = judge(one, answer)
        words = Words(t, one, one.tokens, dict(zip(one.blank, answer, strict=True)))
        text = words.wrong(findings)
        assert name in findings[0].slips and "{" not in text
        place = step, findings[0].wrong[0]
        assert words.reason(findings[0]) in text
        assert COURSE.treating("mistakes", name) or COURSE.treating("steps", step)
        assert words.cell(place) in re.sub(r"\\(.)", r"\1", text)
        return
    assert name == "transposed_scores"  # a whole row has a cell on the diagonal, where it is no slip


def test_a_wrong_answer_is_told_the_slip_rings_its_cells_and_leads_to_the_lesson():
    number, exercise = number_with("2", "scaled_scores")
    app = page("2", number)
    scores = [round(value, 2) for value in exercise.numbers.scores[exercise.row].tolist()]
    enter(app, exercise, scores)
    check(app)
    assert "comes out if the score is left as it is" in texts(app, "warning")
    wrong = {tuple(place) for place in matrix(app, "scaled_scores")["ringed"]}
    assert wrong and wrong <= {(exercise.row, col) for col in exercise.columns("scaled_scores")}
    assert "Read about it: The experiment" in [link.proto.label for link in app.get("page_link")]
    enter(app, exercise, [*right(exercise)])
    assert matrix(app, "scaled_scores")["ringed"] == []  # what was changed is not ringed any more
    check(app)
    assert app.success


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_verdict_goes_when_an_entry_changes_and_is_that_of_the_entries_in_the_cells(language):
    app, exercise = page("2", 1, language), make("2", 1)
    wrong = [right(exercise)[0] + 50.5, *right(exercise)[1:]]
    enter(app, exercise, wrong)
    check(app)
    told, links = texts(app, "warning"), len(app.get("page_link"))
    assert told
    for changed in ([value + 1 for value in wrong], [None, *wrong[1:]]):
        enter(app, exercise, changed)
        assert not app.warning and len(app.get("page_link")) == links - 1
        enter(app, exercise, wrong)
        assert texts(app, "warning") == told
    enter(app, exercise, right(exercise))
    app.button(key="show_solution").click().run()
    assert not app.warning and not app.success  # no check was asked for


def test_an_answer_that_no_slip_gives_is_told_which_cells_are_off_and_how():
    number, exercise = number_with("2", "scores")
    app = page("2", number)
    values = right(exercise)
    enter(app, exercise, [values[0] + 50.5, values[1] - 60.5, *values[2:]])
    check(app)
    text = texts(app, "warning")
    assert "Too large: " in text and "Too small: " in text and "Correct: " in text and "Next, compute" in text


def test_in_several_steps_the_first_mistake_is_told_and_what_follows_from_it():
    exercise = make("3", 1)
    app = page("3", 1)
    row = exercise.row
    wrong = {place: round(exercise.right(place), 2) for place in exercise.blank}
    for col in exercise.columns("output"):
        wrong["output", col] = 70.0
    enter(app, exercise, list(wrong.values()))
    check(app)
    text = re.sub(r"\\(.)", r"\1", texts(app, "warning"))
    assert (
        f"Correct: S[{exercise.tokens[row]}, :]" in text
        and f"Too large: O[{exercise.tokens[row]}, :]" in text
    )
    wrong["scores", 0] += 40.5
    enter(app, exercise, list(wrong.values()))
    check(app)
    text = re.sub(r"\\(.)", r"\1", texts(app, "warning"))
    assert "Too large: S[" in text and "There are further mistakes in" in text


@pytest.mark.parametrize("example", ["cats", "uniform", "bank", "two_heads", "masks", "it"])
def test_own_numbers_make_an_exercise_or_the_page_says_why_not(example):
    """In turn in both languages."""
    own = edits.example_start(example)
    for level, language in zip(LEVELS, ("en", "zh", "en"), strict=True):
        app, exercise = page(level, 1, language, own, "own"), make(level, 1, own)
        assert bool(app.warning) == isinstance(exercise, str) <= (example != "cats")
        if example == "cats":
            enter(app, exercise, right(exercise))
            check(app)
            assert app.success
    for language in LANGUAGES:
        for reason in ("one_token", "too_large", "large_numbers", "same"):
            assert "{" not in Texts(language, "practice")(f"fill_none.{reason}", tokens=6, width=8)


def test_the_next_exercise_starts_anew_and_the_former_keeps_its_entries():
    app, exercise = page("1", 1), make("1", 1)
    enter(app, exercise, [0.25])
    app.button(key="next_exercise").click().run()
    following = make("1", 2)
    step, col = following.blank[0]
    assert matrix(app, step)["values"][following.row][col] is None
    bound(app, "number_input", "exercise").set_value(1).run()
    step, col = exercise.blank[0]
    assert matrix(app, step)["values"][exercise.row][col] == 0.25


@pytest.mark.parametrize("number", range(5000, 5040))
def test_the_row_of_the_hour_needs_no_calculator(number):
    """As a hand fills it in, with what is shown: √d_k is 2, and the weights of a row sum to 1."""
    exercise = make(fill_exercise.HOUR, number)
    numbers, row = exercise.numbers, exercise.row
    shown = [round(weight, 2) for weight in numbers.weights[row].tolist()]
    rest = round(1 - sum(shown[key] for key in exercise.given), 2)
    scores = (numbers.query[row] @ numbers.key.T).tolist()
    weights = [shown[0], rest, 0.0]
    output = [sum(w * v for w, v in zip(weights, column, strict=True)) for column in numbers.value.T.tolist()]
    steps = {"scores": scores, "scaled_scores": [s / 2 for s in scores], "weights": weights, "output": output}
    answer = tuple(round(steps[step][col], 2) for step, col in exercise.blank)
    blanks = {"scores": (1,), "scaled_scores": (1,), "weights": (1, 2), "output": (1,)}
    assert exercise.given == (0,) and {step: exercise.columns(step) for step in exercise.steps} == blanks
    assert all(finding.right for finding in judge(exercise, answer))
    scaled = tuple(
        99.0 if step == "scaled_scores" else value
        for (step, _), value in zip(exercise.blank, answer, strict=True)
    )
    assert [finding.step for finding in judge(exercise, scaled) if not finding.right] == ["scaled_scores"]
    words = Words(Texts("en", "practice"), exercise, exercise.tokens, {})
    assert words.worked(("weights", 1)).endswith(f"= 1 − {shown[0]:.2f} = {rest:.2f}")
