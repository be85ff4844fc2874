"""What one lesson alone changes: kept where it differs, claimed once, named in its folder alone."""

import ast
import functools
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pytest

from pages import lessons
from pages.draw.texts import SHARED, table
from pages.lessons.cost import settings as cost
from pages.lessons.softmax import settings as softmax
from pages.model.course import Course, Lesson, Part, Question, Topic
from pages.model.fields import number, specs, with_entry
from pages.model.handout import Stop
from pages.model.link import to_query
from pages.model.scores import Scores
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import COURSE, LESSONS, REFERENCE, from_query, lesson
from tests.support.states import with_own

FOLDER = Path(lessons.__file__).parent
ROOMS = ("model", "session", "draw", "ask", "hand", "shell")
NAMES = (*LESSONS, *REFERENCE)
KINDS = [*COURSE.numbers, *COURSE.looks]


def with_lesson(lesson: Lesson) -> Course:
    """The course with one more lesson."""
    return replace(COURSE, taught=(*COURSE.taught, lesson))


def test_a_record_is_there_only_where_it_differs_from_its_start():
    state = with_own(State(), temperature=2.0)
    assert (
        state.own == (softmax.SoftmaxNumbers(temperature=2.0),)
        and state.of(cost.CostNumbers) == cost.CostNumbers()
    )
    assert with_own(state, temperature=1.0) == State()


def test_the_order_of_the_changes_leaves_no_trace():
    one = with_own(with_own(State(), cost_n=7), temperature=2.0)
    assert one == with_own(with_own(State(), temperature=2.0), cost_n=7) and hash(one) == hash(one)
    assert one.without((softmax.SoftmaxNumbers,)) == with_own(State(), cost_n=7)


def test_two_lessons_that_claim_one_key_fail_with_both_names():
    @dataclass(frozen=True)
    class Other:
        heat: float = number(1.0, "temperature", 0.0, 1.0)

    with pytest.raises(ValueError, match=r"softmax\.settings\.SoftmaxNumbers.*Other"):
        with_lesson(Lesson("other", (Part("only"),), own=Other))


def test_two_lessons_that_ask_a_question_of_one_name_fail_with_both_names():
    other = Lesson("other", (Part("only", asks=(Question("transposed"),)),))
    with pytest.raises(ValueError, match=r"transposed.*one_head.*other"):
        with_lesson(other)


@pytest.mark.parametrize("text", ["columns:block,transposed:shown", "x" * 100_000, "\ud800", ""])
def test_the_answers_of_an_older_link_are_asked_again(text):
    _, view, _, problems = from_query({"guess": text})
    assert view == View() and not problems


@pytest.mark.parametrize("moved", [{"only": "only/topic"}, {"former": "only/other"}, {"former": "former"}])
def test_a_place_moves_from_where_nothing_is_to_where_something_is(moved):
    with pytest.raises(ValueError, match="cannot move"):
        Lesson("other", (Part("only", (Topic("topic"),)),), moved=moved)


def test_two_places_that_treat_the_same_fail_with_both_names():
    other = Lesson("other", (Part("only", mistakes=("inverted",)),))
    with pytest.raises(ValueError, match=r"inverted.*polarity.*other"):
        with_lesson(other)


def test_the_right_option_is_one_of_the_options():
    with pytest.raises(ValueError, match="mean"):
        Question("mean_of", ("sum", "product"), "mean")


def test_a_lesson_cannot_claim_a_key_of_the_core_settings():
    @dataclass(frozen=True)
    class Mine:
        padding: float = number(1.0, "padding", 0.0, 1.0)

    with pytest.raises(ValueError, match=r"the link.*Mine"):
        with_lesson(Lesson("mine", (Part("only"),), own=Mine))


def test_a_lesson_has_each_field_once():
    for name in NAMES:
        kinds = (*lesson(name).numbers, *lesson(name).looks)
        names = [field for kind in (*kinds, Settings, View) for field in specs(kind)]
        assert len(names) == len(set(names)), name


@pytest.mark.parametrize(
    "start", [*(kind() for kind in KINDS), Settings(), View(), Place(), Stop("one_head")], ids=type
)
def test_a_start_keeps_its_own_checks_and_comes_back_from_its_text(start):
    for name, spec in specs(type(start)).items():
        value = getattr(start, name)
        assert spec.check(name, value, start) == value
        assert value is None or spec.check(name, spec.read(spec.write(value)), start) == value


def test_an_entry_in_a_row_and_a_number_of_its_own():
    assert with_entry(Scores(), "logits", 1, "7").logits == (2.0, 7.0, 0.1)
    assert with_entry(softmax.SoftmaxNumbers(), "temperature", 0, 500).temperature == 100.0
    assert with_entry(cost.CostNumbers(), "path_n", 0, 7.6).path_n == 8


def test_a_link_says_of_a_record_what_differs():
    state = with_own(State(), temperature=2.0, logits=(1.0, 2.0))
    query = to_query(state, View(), Place())
    assert query == {"lang": "en", "example": "cats", "logits": "1,2", "temperature": "2"}
    assert from_query(query) == (state, View(), Place(), [])


def test_a_value_that_a_record_cannot_hold_is_a_problem_and_the_rest_is_taken():
    state, _, _, problems = from_query({"temperature": "0", "shift": "3", "logits": "1,x"})
    assert state == with_own(State(), shift=3.0)
    assert sorted(problem.facts["name"] for problem in problems) == ["logits", "temperature"]


@pytest.mark.parametrize("name", NAMES)
def test_what_lessons_share_names_no_lesson_s_own_fields(name):
    """No setting, no view and no text below the lessons has them."""
    kinds = [kind for kind in (lesson(name).own, lesson(name).look) if kind is not None]
    own = {field.name for kind in kinds for field in fields(kind)}
    assert not own & {*specs(Settings), *specs(View)}
    texts = table("en", SHARED)
    assert not {f"{section}.{field}" for section in ("setting", "help") for field in own} & set(texts)
    for path, owner, attribute in attributes():
        assert owner not in ("own", "look", "settings", "view") or attribute not in own, path


@functools.cache
def attributes() -> list[tuple[Path, str, str]]:
    """What is read of which name below the lessons."""
    results = []
    for path in (path for folder in ROOMS for path in FOLDER.parent.joinpath(folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute | ast.Name):
                owner = node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id
                results.append((path, owner, node.attr))
    return results
