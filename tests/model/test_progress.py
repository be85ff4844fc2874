"""What a browser keeps of what was done: read from any text, joined, and due again."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.model.progress import (
    AGAIN,
    AT_ONCE,
    LARGEST,
    LONGEST,
    MOST_EXERCISES,
    MOST_OWNERS,
    SOLVED,
    TRIED,
    Answered,
    HourEvent,
    OfTab,
    Progress,
    Takeaway,
    read,
    read_tab,
)
from pages.model.view import Place
from tests.support.course import COURSE
from tests.support.hour import text_of

QUESTIONS = [question for lesson in COURSE.lessons for question in lesson.questions]
PARTS = [f"{page.name}/{part.name}" for page in COURSE.pages.values() for part in page.parts]
days = st.integers(0, 30_000)
answers = st.dictionaries(
    st.sampled_from(QUESTIONS),
    st.builds(Answered, st.booleans(), days, st.none() | st.integers(0, len(AGAIN))),
)
options = st.dictionaries(st.sampled_from(QUESTIONS), st.sampled_from(("shown", "0_2", "mean_so_far_7")))
parts = st.frozensets(st.sampled_from(PARTS))
shows = st.sampled_from((None, False, True))
lines = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)
facts = st.dictionaries(st.sampled_from(("query", "weight", "before")), lines | st.lists(lines).map(tuple))
takeaways = st.none() | st.builds(Takeaway, facts, st.sampled_from(("keep", "keep_same")))
stops = st.sampled_from([stop.name for stop in COURSE.stop_numbers])
events = st.dictionaries(stops, st.builds(HourEvent, days, takeaways))
kept = st.builds(Progress, parts, answers, options=options, events=events, shows=shows)


@given(kept)
def test_what_is_kept_comes_back(progress):
    assert read(text_of(progress), COURSE) == progress


@given(kept, kept)
def test_two_tabs_lose_nothing(one, other):
    both = one.joined(other)
    assert (both.parts, both.events) == (one.parts | other.parts, {**one.events, **other.events})
    assert both.answers.keys() == one.answers.keys() | other.answers.keys()
    for question, answered in both.answers.items():
        assert answered.day == max(p.answers[question].day for p in (one, other) if question in p.answers)
    assert both.joined(other).answers.keys() == both.answers.keys()
    assert both.shows == (other.shows if one.shows is None else one.shows)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)


@given(
    st.text()
    | json_values.map(json.dumps)
    | st.fixed_dictionaries(
        {"parts": json_values, "answers": st.dictionaries(st.sampled_from(QUESTIONS), json_values)},
        optional={
            "tasks": json_values,
            "events": st.dictionaries(stops, json_values | st.tuples(days, st.just("keep"), json_values)),
            "places": st.dictionaries(st.sampled_from(["softmax", "x"]), json_values),
            "last": json_values,
            "shows": json_values,
            "mine": st.dictionaries(st.sampled_from(["x", "example", "room"]), json_values),
            "here": st.dictionaries(st.sampled_from(["x", "example", "owner"]), json_values),
            "numbers": json_values | st.lists(st.sampled_from(["owner=&example=x&room=y", "owner=a", "%ff"])),
        },
    ).map(json.dumps)
)
def test_any_text_gives_a_progress_of_the_course(text):
    progress = read(text, COURSE)
    assert progress.parts | progress.events.keys() <= set(PARTS)
    assert progress.answers.keys() <= set(QUESTIONS)
    assert progress.places.keys() <= COURSE.pages.keys()
    assert progress.shows in (None, False, True)
    progress.due(20_000)
    progress.query("softmax")
    json.dumps(progress.to_json()).encode()
    tab = read_tab(text, COURSE)
    assert tab.answers.keys() | tab.revealed <= set(QUESTIONS) and tab.typed.keys() <= COURSE.typed.keys()
    assert all(parts.keys() <= COURSE.keys_of_numbers for parts in tab.numbers.values())
    json.dumps(tab.to_json()).encode()


def test_a_tab_has_no_more_owners_than_the_course():
    """Numbers of each are read by the server: anybody may have written thousands into a browser."""
    texts = [f"owner=o{number}&example=cats" for number in range(10_000)]
    numbers = read_tab(json.dumps({"numbers": texts}), COURSE).numbers
    places = [
        (lesson, Place(part=part.name, topic=topic))
        for lesson in COURSE.pages.values()
        for part in lesson.parts
        for topic in (None, *(topic.name for topic in part.topics))
    ]
    owners = {lesson.owner(place) for lesson, place in places} | {target.name for _, target in COURSE.targets}
    assert len(owners) < len(numbers) == MOST_OWNERS and [*numbers][-1] == "o9999"


@given(options, st.frozensets(st.sampled_from(QUESTIONS)))
def test_what_a_tab_keeps_comes_back(answers, revealed):
    typed, filled = {"search": "mask", "document": "X = 1"}, {"1.scores.0.12": -0.5, "20.w_q.3.0": 1e15}
    mine = {"": {"example": "cats", "x": "1_2"}, "tired:row": {"example": "cats"}}
    tab = OfTab({**answers, "own_0123abcd": "a"}, 7, revealed | {"own_0123abcd"}, typed, filled, mine)
    tab = replace(tab, entries={"fill_in.0.5001.scores.1": -0.5})
    assert read_tab(json.dumps(tab.to_json()), COURSE) == tab


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(
            (key, 1.0)
            for key in ("", "scores.0.0", "1.scores.0", "1.sc-res.0.0", "1.scores.-1.0", "1.s.0.0.0")
        ),
        *(("1.scores.0.0", value) for value in ("1", None, True, [1], 1e16, 10**400, float("nan"))),
    ],
)
def test_a_number_that_nobody_could_fill_in_is_left_out(key, value):
    assert not read_tab(json.dumps({"filled": {key: value}}), COURSE).filled
    entry = key.replace("1.scores.0.0", "fill_in.0.5001.scores.0")
    assert not read_tab(json.dumps({"entries": {entry: value}}), COURSE).entries


@pytest.mark.parametrize("option", ["", "a b", "x" * 25, "\ud800", 7, None, ["a"]])
def test_an_option_that_is_no_word_is_left_out(option):
    text = json.dumps({"options": {"swap": option}, "answers": {"swap": option}, "typed": {"search": option}})
    assert read(text, COURSE) == Progress() and not read_tab(text, COURSE).answers


def test_half_of_a_character_is_no_text():
    assert not read_tab(json.dumps({"typed": {"document": "X = \ud800"}}), COURSE).typed


@pytest.mark.parametrize("text", [None, 7, "[" * 50_000, "x" * (LARGEST + 1), '{"parts": [[]]}'])
def test_what_is_no_progress_is_nothing(text):
    assert read(text, COURSE) == Progress()


def test_a_place_of_too_long_an_address_is_left_out():
    text = json.dumps(
        {"places": {"softmax": "a" * (LONGEST + 1), "cost": "lang=en&part=own"}, "last": "softmax"}
    )
    progress = read(text, COURSE)
    assert progress.places == {"cost": "lang=en&part=own"} and progress.last == ""
    assert progress.query("cost") == {"lang": "en", "part": "own"}


@pytest.mark.parametrize(
    ("place", "parts"),
    [
        (
            "embed=true&lang=en&embed_options=dark_theme&part=own&x=1&y%00=2&plan=a&present=on",
            {"lang", "part", "x"},
        ),
        ("part=\ud800", set()),
        ("embed=true", set()),
        ("&&=&%ff=%ff", set()),
    ],
)
def test_of_a_place_only_the_parts_of_the_course_are_kept(place, parts):
    progress = read(json.dumps({"places": {"cost": place}, "last": "cost"}), COURSE)
    assert progress.query("cost").keys() == parts and bool(progress.last) == bool(parts)


def test_a_wrong_answer_comes_back_after_a_day_and_after_a_week():
    day, question = 100, QUESTIONS[0]
    progress = Progress().answering(question, False, day)
    assert progress.due(day) == [] and progress.due(day + 1) == [question]
    progress = progress.answering(question, True, day)  # at once: it is asked again all the same
    assert progress.due(day) == [] and progress.due(day + 1) == [question]
    progress = progress.answering(question, True, day + 1)
    assert progress.due(day + 7) == [] and progress.due(day + 8) == [question]
    again = progress.answering(question, False, day + 8)
    assert again.due(day + 9) == [question]
    assert progress.answering(question, True, day + 8).due(day + 1000) == []


def test_a_right_answer_does_not_come_back():
    assert Progress().answering(QUESTIONS[0], True, 5).due(1000) == []


def test_a_lesson_is_begun_with_a_part_and_done_with_all_questions():
    lesson = COURSE.taught[0]
    progress = Progress().seeing(lesson.name, lesson.parts[0].name)
    assert progress.begun(lesson) and not progress.done(lesson)
    for question in lesson.questions:
        progress = progress.answering(question, False, 1)
    assert progress.done(lesson)


def test_of_several_ends_of_an_exercise_the_best_counts():
    done = Progress().practising("bug_hunt.1.7", TRIED).practising("bug_hunt.1.7", AT_ONCE)
    done = (
        done.practising("bug_hunt.1.7", SOLVED)
        .practising("bug_hunt.2.1", TRIED)
        .practising("fill_in.1.1", SOLVED)
    )
    assert done.score("bug_hunt") == (2, 1, 1)
    assert done.score("fill_in") == (1, 1, 0)
    assert done.joined(Progress().practising("fill_in.1.1", AT_ONCE)).score("fill_in") == (1, 1, 1)
    assert read(json.dumps(done.to_json()), COURSE).exercises == done.exercises


def test_the_oldest_exercises_are_forgotten():
    done = Progress()
    for number in range(MOST_EXERCISES + 5):
        done = done.practising(f"shapes.1.{number}", SOLVED)
    assert len(done.exercises) == MOST_EXERCISES and "shapes.1.4" not in done.exercises
    written = {f"shapes.1.{number}": SOLVED for number in range(MOST_EXERCISES + 5)}
    assert read(json.dumps({"exercises": written}), COURSE).exercises == done.exercises


@pytest.mark.parametrize(
    "entry",
    [
        '{"a b.1.1": 1}',
        '{"shapes.1.1": 3}',
        '{"shapes.1.1": true}',
        '{"shapes.1.1": "1"}',
        "[]",
        '{"shapes.1": 1}',
    ],
)
def test_an_exercise_that_is_none_is_left_out(entry):
    assert read(f'{{"exercises": {entry}}}', COURSE) == Progress()
