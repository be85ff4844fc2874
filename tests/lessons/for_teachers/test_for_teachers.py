"""The page for teachers: the lessons' own goals, plans that add up, links that open just their state."""

import re
from functools import partial
from urllib.parse import parse_qs

import pytest

from attention.lab.cost.steps import MODELS
from pages.ask.exercise.look import LEVELS, ExerciseLook
from pages.draw import texts
from pages.draw.texts import Texts
from pages.lessons.for_teachers.answers import QUESTIONS
from pages.lessons.for_teachers.plans import NAMES, items_of, note_of
from pages.lessons.for_teachers.sources import SOURCES
from pages.model.edits import example_start, set_cell
from pages.model.handout import check_plan, parts_of
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import View
from tests.support import screen
from tests.support.course import COURSE, LESSONS, REFERENCE, from_query, lesson
from tests.support.screen import LANGUAGES, open_page, said

opened = partial(screen.opened, "for_teachers")
PLANS = {name: items_of(COURSE, name) for name in NAMES}


def links(app):
    """The state that each link of the page opens."""
    results = []
    for element in app.main.get("page_link"):
        query = {key: values[-1] for key, values in parse_qs(element.proto.query_string).items()}
        results.append(from_query(query))
    return results


@pytest.mark.parametrize("language", LANGUAGES)
def test_goals_and_minutes_are_the_lessons_own(language):
    app = opened("lessons", language=language)
    text, minutes = said(app), 0
    for name in LESSONS:
        own = Texts(language, name)
        assert own("lesson.goals") in text
        minutes += int(own("lesson.minutes"))
    total = Texts(language, "for_teachers")(
        "teachers.course", count=len(COURSE.taught + COURSE.inside), minutes=minutes
    )
    assert total in text
    in_class = Texts(language, "for_teachers")("teachers.suits").partition("{")[0]
    (suits,) = (line for line in said(app).splitlines() if line.startswith(in_class))
    assert all(Texts(language, name)("lesson.title") in suits for name in LESSONS)
    assert [now.core for now, *_ in links(app)] == [
        example_start(lesson(name).begins(language)) for name in LESSONS
    ]


@pytest.mark.parametrize(("plan", "minutes"), [("plan_45", 45), ("plan_90", 90)])
def test_a_plan_fits_into_its_minutes_and_has_stops_of_the_hour(plan, minutes):
    left = 7  # to join, and a vote with its discussion
    assert 0.75 * minutes < sum(item.minutes for item in PLANS[plan]) <= minutes - left
    notes = [
        note_of(item, COURSE, Texts(language, "for_teachers"))
        for language in LANGUAGES
        for item in PLANS[plan]
    ]
    assert all(notes) and not any(mark in note for note in notes for mark in ("{", "]("))
    assert all(COURSE.stop_at(item.lesson, item.place.part) for item in PLANS[plan]) and len(PLANS[plan]) >= 5


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("plan", PLANS)
def test_a_link_of_a_plan_opens_just_that_state(plan, language):
    mine = set_cell(Settings(), "x", 0, 0, 7.0)
    app = opened("plans", mine, plan, answers=(("swap", "same"),), language=language)
    (_, walk, *_), *opened_by_links = links(app)
    assert check_plan("plan", walk.plan, None) and len(walk.plan.stops) == len(PLANS[plan])
    for number, (item, (now, view, place, problems)) in enumerate(
        zip(PLANS[plan], opened_by_links, strict=True), start=1
    ):
        assert not problems and now.core == example_start(lesson(item.lesson).begins(language))
        assert (view, place) == (View(language=language), item.place)
        walked_to, _, there, problems = from_query(parts_of(walk.plan, number, language))
        assert (walked_to, there, problems) == (now, item.place, [])


def test_a_link_of_an_exercise_opens_it_unsolved():
    mine = set_cell(Settings(), "x", 0, 0, 7.0)
    address = links(opened("exercises", mine, answers=(("swap", "same"),)))
    practice = [part for part in lesson("practice").parts if not COURSE.stop_at("practice", part.name)]
    parts = [part for part in practice if part.name not in ("your_code", "again")]
    kinds = [(part.name, topic) for part in parts for topic in [one.name for one in part.topics] or (None,)]
    assert [(place.part, place.topic, view.of(ExerciseLook).level) for _, view, place, _ in address] == [
        (part, topic, level) for part, topic in kinds for level in LEVELS
    ]
    start = State(core=example_start(lesson("practice").begins("en")))
    assert all(now == start and not view.answers and not problems for now, view, _, problems in address)


@pytest.fixture(scope="module")
def answer_links():
    return dict(zip(QUESTIONS, links(opened("answers")), strict=True))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_wrong_answer_has_a_link_to_its_question(question, answer_links):
    name, part, _ = COURSE.asked_at(question)
    now, view, place, problems = answer_links[question]
    assert not problems and place.part == part
    app = open_page(name, now, view, place)
    assert not app.exception
    assert f"guess-{question}" in " ".join(str(button.key) for button in app.button)


# A work as texts cite it: its first author and its year, or a model whose paper says what is claimed of it.
CITED = re.compile(r"([A-Z][a-zé]+)(?: et al\.| 等人|(?: and | 与 | 和 )[A-Z][a-z]+)?[ ，（(]+(20\d\d)")
NAMED = re.compile(r"\b(?:BERT|GPT-[23]|PaLM|(?:Gemma|Llama) \d|Mistral 7B|Qwen\d|MiniLM)")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_work_that_a_text_cites_is_among_the_sources(language):
    sources = "\n".join(Texts(language, "for_teachers").section("source").values())
    lessons = (texts.LESSONS / name for name in (*LESSONS, *REFERENCE) if name != "for_teachers")
    folders = [texts.SHARED, texts.SHARED / "glossary", *lessons]
    all_texts = [text for folder in folders for text in texts.table(language, folder).values()]
    all_texts += [f"{model.name} {model.source}" for model in MODELS]
    cited = {match.groups() for text in all_texts for match in CITED.finditer(text)}
    named = {match[0] for text in all_texts for match in NAMED.finditer(text)}
    assert len(cited) > 20 and len(named) > 7
    lines = [line.partition("**.")[0] for line in sources.splitlines()]
    assert {one for one in cited if not any(all(part in line for part in one) for line in lines)} == set()
    assert {name for name in named if name.replace("Llama 3", "Llama 3 Herd") not in sources} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_source_has_a_year(language):
    t = Texts(language, "for_teachers")
    assert set(t.section("source")) == set(SOURCES)
    assert all("(20" in t(f"source.{name}") for name in SOURCES)
