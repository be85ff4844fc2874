"""Targets: each of the course can be reached, and a text of a link brings back just what was written."""

import string
import time
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.model import compute, targets
from pages.model.edits import example_start
from pages.model.entries import MAX_VALUE, WORD, SettingsError, parse_number
from pages.model.examples import in_language
from pages.model.fields import specs
from pages.model.handout import CONTROLS, Stop, keep
from pages.model.matrices import MATRICES, MAX_HEADS, MAX_TOKENS, MAX_WIDTH
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.targets import Condition, Target
from pages.model.view import Place
from tests.support.course import COURSE

OF_COURSE = pytest.mark.parametrize(
    ("place", "target"), COURSE.targets, ids=[target.name for _, target in COURSE.targets]
)
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


def start_of(target: Target, language: str) -> Settings:
    return target.begun(example_start(in_language(target.example, language)))


def trace_at(place: str, settings: Settings):
    crosses = COURSE.pages[place.partition("/")[0]].crosses
    return (compute.cross_trace_of if crosses else compute.trace_of)(settings)


def left(place: str, target: Target, settings: Settings) -> float:
    """The sum of what is left to the bounds."""
    return sum(measured.left for measured in target.measured(trace_at(place, settings)) if measured)


def test_there_are_twelve_targets_in_many_lessons():
    assert len(COURSE.targets) == 12
    assert len({place.partition("/")[0] for place, _ in COURSE.targets}) >= 6


@LANGUAGES
@OF_COURSE
def test_a_target_is_open_at_its_start_and_reached_by_its_solution(place, target, language):
    start = start_of(target, language)
    solved = target.solved(start)
    assert not target.is_reached(trace_at(place, start)) and left(place, target, start) > 0.05
    assert target.is_reached(trace_at(place, solved)) and left(place, target, solved) == 0


@LANGUAGES
@OF_COURSE
def test_a_solution_changes_only_what_may_be_changed_within_the_ranges_of_the_screen(place, target, language):
    start = start_of(target, language)
    before, after = State(core=start), State(core=target.solved(start))
    keep(Stop("", held=target.held), before, after)
    for entry in target.solution:
        if len(entry) == 2:
            spec = specs(Settings)[entry[0]]
            assert entry[1] in spec.options or spec.low is None or spec.low <= entry[1] <= spec.high


@OF_COURSE
def test_the_part_lets_people_change_what_its_target_needs(place, target):
    lesson, name = place.split("/")
    part = COURSE.pages[lesson].part(name)
    offered = {*part.edits, *part.switches, *(MATRICES if "inputs" in part.edits else ())}
    assert set(target.may) <= offered


@OF_COURSE
def test_each_edit_of_a_solution_is_needed_and_the_first_helps(place, target):
    """The second hint names the first edit, with its direction."""
    start = start_of(target, "en")
    for i in range(len(target.solution)):
        others = target.solved(start, without=i)
        assert not target.is_reached(trace_at(place, others))
        assert left(place, target, target.solved(start)) < left(place, target, others)
    first = targets.changed(start, target.solution[0])
    choice = len(target.solution[0]) == 2 and specs(Settings)[target.solution[0][0]].kind == "choice"
    assert choice or left(place, target, first) < left(place, target, start)


@OF_COURSE
def test_anything_else_is_held(place, target):
    held = Stop("", held=target.held)
    start = State(core=start_of(target, "en"))
    for name in ("x", "w_q", "w_k", "w_v", "w_o", "y", "p"):
        matrix = [list(row) for row in getattr(start.core, name)]
        matrix[0][0] += 1
        after = replace(start, core=replace(start.core, **{name: tuple(map(tuple, matrix))}))
        if name in target.may:
            keep(held, start, after)
            continue
        with pytest.raises(SettingsError) as refused:
            keep(held, start, after)
        assert refused.value.code == "held"
    with pytest.raises(SettingsError):
        keep(held, start, State(core=replace(start.core, tokens=("a", *start.core.tokens[1:]))))


def test_a_target_has_numbers_of_its_own():
    owners = Counter()
    for place, target in COURSE.targets:
        lesson, part = place.split("/")
        tried = Place(part=part, topic=target.topic, target=target.name)
        owners[COURSE.pages[lesson].owner(tried)] += 1
        assert COURSE.pages[lesson].target(tried) == target
        assert COURSE.pages[lesson].target(replace(tried, part="nowhere", target="nothing")) is None
    assert set(owners.values()) == {1} and "" not in owners


def row(start: Settings, name: str, token: int) -> list[float]:
    """A row of Q or K of the example's first head."""
    return getattr(compute.trace_of(start), name)[token].tolist()


def weights(settings: Settings, token: int) -> list[float]:
    return compute.trace_of(settings).heads.weights[0, token].tolist()


def spread(settings: Settings, divisor: float) -> float:
    scores = compute.trace_of(replace(settings, scaling="own", own_divisor=divisor)).heads.scaled_scores[0, 2]
    return (scores.max() - scores.min()).item()


# What the first hints say of the numbers that may not be changed, of the start (s), and of the solution (e).
HINTS = {
    "query_street": lambda s, e: row(s, "key", 1)[1] > abs(row(s, "key", 1)[0]),
    "key_it": lambda s, e: row(s, "query", 3)[0] > 0,
    "value_place": lambda s, e: weights(s, 2) == weights(e, 2) and weights(s, 2)[0] == max(weights(s, 2)),
    "half_each": lambda s, e: row(e, "key", 3) == row(e, "key", 0) and weights(e, 2)[3] == weights(e, 2)[0],
    "even_out": lambda s, e: spread(s, 1) > spread(s, 2) > spread(s, 8),
    "neighbours": lambda s, e: weights(e, 3)[0] == 0 and sum(weights(e, 3)) == pytest.approx(1),
    "back_to_it": lambda s, e: s.w_k[0][0] > 0 and row(s, "query", 4)[0] > 0,
    "both_heads": lambda s, e: s.head_dim == 2 and weights(s, 2) == weights(e, 2),
    "third_number": lambda s, e: s.value_dim == 2,
    "animal_it": lambda s, e: [v > 0 for v in compute.cross_trace_of(s).query[1]] == [True, *[False] * 3],
    "place_two": lambda s, e: s.tokens[1] in ("street", "马路") and row(s, "key", 1) != row(e, "key", 1),
    "near_keys": lambda s, e: s.position == "alibi",
}


@LANGUAGES
@OF_COURSE
def test_the_first_hint_is_true(place, target, language):
    start = start_of(target, language)
    assert HINTS[target.name](start, target.solved(start))


# ---- as a text in a link


@st.composite
def conditions(draw) -> Condition:
    relation = draw(st.sampled_from(targets.RELATIONS))
    bound = draw(st.floats(-MAX_VALUE, MAX_VALUE).map(parse_number)) if relation != "top" else 0.0
    size = st.integers(0, MAX_TOKENS - 1)
    col = draw(st.integers(0, MAX_WIDTH * MAX_HEADS - 1))
    head = draw(st.integers(0, MAX_HEADS - 1))
    return Condition(draw(st.sampled_from(targets.MEASURED)), draw(size), col, relation, bound, head)


NAMES = st.lists(
    st.sampled_from(sorted(targets.CHANGEABLE)), min_size=1, max_size=targets.MAX_NAMES, unique=True
)
ANY = st.builds(
    Target,
    st.lists(conditions(), min_size=1, max_size=targets.MAX_CONDITIONS).map(tuple),
    NAMES.map(tuple),
    part=st.from_regex(WORD, fullmatch=True),
)


@given(ANY)
@limits(max_examples=100, deadline=None)
def test_a_text_brings_back_what_was_written(target):
    if len(text := targets.write(target)) <= targets.MAX_WORDS:
        assert targets.read(text) == target and targets.check_word("target", text, None) == text


@given(st.text(max_size=60) | st.text(string.digits + "abceglqtw_,;:.-+ ", max_size=60))
@limits(max_examples=200, deadline=None)
def test_any_other_text_is_refused(text):
    try:
        assert targets.write(targets.read(text)).count(":") == 2
    except SettingsError as refused:
        assert len(str(refused.facts.get("got", ""))) <= 40


@pytest.mark.parametrize(
    "text",
    [
        "picture:weights,1,3,2,ge,0.8",
        "picture:weights,1,3,2,ge,0.8:",
        "picture:weights,1,3,2,ge,0.8:w_q,w_q",
        "picture:weights,1,3,2,ge,0.8:tokens",
        "picture:weights,1,3,2,ge,nan:w_q",
        "picture:weights,1,3,2,ge,1e9:w_q",
        "picture:weights,0,3,2,ge,1:w_q",
        "picture:weights,1,13,2,ge,1:w_q",
        "picture:loss,1,3,2,ge,1:w_q",
        "picture:weights,1,3,2,top,1:w_q",
        "a b:weights,1,3,2,top:w_q",
        "picture:" + "weights,1,3,2,top;" * 3 + ":w_q",
        "picture:weights,1,３,2,top:w_q",
        "",
        ":",
    ],
)
def test_what_is_wrong_with_a_text_is_refused(text):
    with pytest.raises(SettingsError):
        targets.read(text)


@pytest.mark.parametrize("part", ["p", ":", ",", ";", "1,", "weights,1,3,2,top;", "w_q,", "e", "ge,"])
def test_a_long_text_is_refused_at_once(part):
    text, start = part * (100_000 // len(part)), time.process_time()
    with pytest.raises(SettingsError):
        targets.read(f"picture:{text}")
    assert time.process_time() - start < 5  # minutes, if the time grew with the square of the length


@given(ANY)
@limits(max_examples=60, deadline=None)
def test_any_target_of_a_link_can_be_measured_or_says_that_it_cannot(target):
    trace = compute.trace_of(Settings())
    for condition, measured in zip(target.conditions, target.measured(trace), strict=True):
        of_a_head = condition.matrix in targets.OF_A_HEAD
        inside = condition.row < 3 and condition.col < (3 if of_a_head else 4)
        assert (measured is not None) == (inside and not (of_a_head and condition.head))


def test_a_number_that_reaches_its_bound_has_nothing_left():
    trace = compute.trace_of(Settings())
    value = trace.heads.weights[0, 0, 0].item()

    def measured(relation: str, bound: float = 0.0):
        return Condition("weights", 0, 0, relation, bound).measured(trace)

    assert measured("ge", value).reached and measured("le", value).reached
    assert measured("ge", value + 0.1).left == pytest.approx(0.1) and measured("ge", value - 0.1).left == 0
    assert measured("le", value - 0.1).left == pytest.approx(0.1) and measured("le", value + 0.1).left == 0
    uniform = replace(Settings(), w_q=((0.0,) * 4,) * 4)
    tied = Condition("weights", 0, 0, "top").measured(compute.trace_of(uniform))
    assert not tied.reached and tied.left == 0


def test_every_control_can_be_changed_but_the_choice_of_the_part():
    assert set(CONTROLS) - targets.CHANGEABLE == {"part"}
