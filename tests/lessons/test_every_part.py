"""What holds in every part of every page: no exception, no warning, no missing text, no lost state.

The parts and their topics come from the course, the states from tests/support/example_states.py.
"""

import json
import re
from collections import Counter

import altair as alt
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from pages.draw import say
from pages.draw.texts import Texts
from pages.model.view import Place
from tests.support.chart_axes import unfilled
from tests.support.course import COURSE, LESSONS, PLACES, REFERENCE, lesson
from tests.support.example_states import far_view, states_of
from tests.support.recipe import faults, unexplained
from tests.support.screen import (
    LANGUAGES,
    chart_rows,
    check_clicks,
    figure_menus,
    open_page,
    opened,
    pictures,
    refused,
    shown,
    visit,
)
from tests.support.states import looking

every_place = pytest.mark.parametrize(
    ("name", "part", "topic"), PLACES, ids=["-".join(filter(None, place)) for place in PLACES]
)
# Charts whose axes wait for what comes: before the training there is only its start.
WAITS = {("train_a_head", part, None) for part in ("train", "run", "optimiser")}
WAITS |= {("two_layers", part, None) for part in ("one_layer", "train")}
# In some states their cells are rounded as libraries do, or too large for the arithmetic of the check.
ROUNDED = {("masks", "libraries"), ("one_head", "arrows")}
UNEXPLAINED = """\
Give the matrices of these cells a recipe: {cells}.
If nothing computes a matrix (a learner enters it, a question gives it), name it in GIVEN of
tests/support/recipe.py, at {place}."""
# What a part may show where it shows no picture.
SHOWN = ("vega_lite_chart", "code", "table", "arrow_data_frame", "text_area", "page_link")


def check_frame(app: AppTest, place: tuple, language: str, *, answered: bool) -> None:
    """Title, choice of topics, links, help texts, and files with the numbers of charts."""
    name, part, _ = place
    t = Texts(language, name)
    titles = [title.value for title in app.title] or [data["front"]["title"] for data in pictures(app)]
    assert titles[0] == t(f"stop.{part}" if COURSE.stop_at(name, part) else "lesson.title")
    groups = {group.key: group for group in app.get("button_group")}
    topics = [
        say.with_formulas(t(f"topic.{topic}"))
        for topic in (one.name for one in lesson(name).part(part).topics)
    ]
    if answered or "set_topic" in groups:  # before the answer there may be nothing to choose from
        assert (groups["set_topic"].options if "set_topic" in groups else []) == topics
    assert {link.proto.page for link in app.get("page_link")} <= {"", *LESSONS, *REFERENCE}
    labelled = [one for one in groups.values() if one.proto.label and one.proto.label_visibility.value == 0]
    assert all(group.proto.help for group in labelled)
    assert all(button.help for button in app.button if not re.search(r"\w", button.label))
    texts = [
        one.value for kind in ("markdown", "caption", "info", "warning", "success") for one in app.get(kind)
    ]
    texts += [button.label for button in app.button]
    assert [text for text in texts if say.with_formulas(text) != text] == []  # no W_Q that is not a formula
    numbers = ["csv" in menu for menu in figure_menus(app).values()]
    assert any(numbers) or name == "one_head" or not answered or not app.get("vega_lite_chart")


def ambiguous(rows: list[dict]) -> set[str]:
    """The labels of a chart that are at several points."""
    labels = {(row["text"], row["x"], row["y"]) for row in rows if row.get("kind") == "label" and row["text"]}
    return {text for text, count in Counter(text for text, _, _ in labels).items() if count > 1}


def test_a_label_of_two_points_is_found():
    rows = [{"kind": "label", "text": text, "x": x, "y": 0} for text, x in (("it", 0), ("it", 1), ("a", 1))]
    assert ambiguous([*rows, rows[-1]]) == {"it"}


def test_an_axis_that_its_numbers_leave_empty_is_found():
    def chart(ends: list[float] | None, top: float, **scale: str) -> tuple[dict, list[dict]]:
        y = {"type": "quantitative", "scale": {"domain": ends} | scale}
        return {"layer": [{"encoding": {"y": y}}]}, [{"kind": "line", "y": y} for y in (1.0, top)]

    for ends, top in (([0.0, 2.0], 1.9), ([1.0, 2.0], 1.9), ([-9.0, 9.0], 1.0)):
        assert unfilled(*chart(ends, top)) == []
    for ends, top in (([0.0, 2.0], 1.7), ([-1.0, 2.0], 1.9), (None, 2.0)):
        assert unfilled(*chart(ends, top))
    assert unfilled(*chart([1.0, 1e4], 100.0, type="log"))
    assert not unfilled(*chart([1.0, 150.0], 100.0, type="log"))


def results(app: AppTest) -> list[str]:
    """The sentences in semibold that say what the numbers show."""
    bodies = (
        re.fullmatch(r'<p class="said result"[^>]*>(.*)</p>', one.proto.body) for one in app.get("html")
    )
    passages = (passage for picture in pictures(app) for passage in picture["passages"])
    return [one[1] for one in bodies if one] + [one["lines"][0] for one in passages if not one["title"]]


@pytest.mark.parametrize("name", [name for name in LESSONS if name != "practice"])
def test_every_lesson_says_a_result_with_its_number(name):
    assert any(
        re.search("[0-9]", text) for part in lesson(name).parts for text in results(opened(name, part.name))
    )


@pytest.mark.parametrize("language", LANGUAGES)
@every_place
def test_it_runs_before_and_after_the_answers(name, part, topic, language):
    place = (name, part, topic)
    before = opened(name, part, topic=topic, answers=(), language=language)
    after = opened(name, part, topic=topic, language=language)
    assert pictures(after) or any(map(after.get, SHOWN))
    assert faults(after, name, part) == []
    cells = sorted({*unexplained(before, *place), *unexplained(after, *place)})
    assert not cells, UNEXPLAINED.format(cells=", ".join(cells), place=(name, topic or part))
    assert len(results(before)) <= 1 and len(results(after)) <= 1
    check_frame(before, place, language, answered=False)
    check_frame(after, place, language, answered=True)
    for number, chart in enumerate(after.get("vega_lite_chart") if language == "en" else ()):
        assert ambiguous(chart_rows(after, number)) == set()
        spec = json.loads(chart.proto.spec) | {"data": {"name": "source"}}
        alt.Chart.from_dict(spec)  # raises where it is not valid
        assert place in WAITS or unfilled(spec, chart_rows(after, number)) == []
    for app in (before, after) if language == "en" else ():
        check_clicks(app)


def drawn_in(block: Block, key: str, inside: bool = False) -> bool:
    """Whether a picture, a chart or a table is in the container of that key."""
    inside = inside or getattr(block.proto, "id", "").endswith(key)
    return any(
        drawn_in(child, key, inside) if isinstance(child, Block) else inside and is_drawing(child)
        for child in block.children.values()
    )


def is_drawing(element: Element) -> bool:
    table = element.type == "markdown" and element.value.startswith("| ")
    return table or element.type in ("bidi_component", "vega_lite_chart")


@pytest.mark.parametrize("name", [name for name in LESSONS if lesson(name).ending])
def test_the_question_at_the_end_is_beside_what_it_is_about(name):
    end = lesson(name).ending
    app = opened(name, lesson(name).last.name, answers=shown(name, but=end))
    assert drawn_in(app.main, f"ask-{end}")


@pytest.mark.exhaustive
@every_place
def test_it_runs_in_every_state_and_keeps_it(name, part, topic):
    """In turn in both languages, as at the beginning and with all that can be chosen as far as it goes.

    Each computed cell follows from its sources.
    """
    shows = lesson(name).part(part)
    every = shows.switches or {"inputs", "x"} & {*shows.edits}
    for i, (case, state) in enumerate(states_of(name, every=bool(every))):
        looks = {"language": LANGUAGES[i % 2], "answers": shown(name)}
        view = far_view(name, **looks) if i % 4 < 2 else looking(**looks)
        app = open_page(name, state, view, Place(part, topic=topic))
        assert not app.exception and not refused(app) and not app.error, case
        assert visit(app).state == state, case
        assert (name, part) in ROUNDED or faults(app, name, part) == [], case


@pytest.mark.exhaustive
@pytest.mark.parametrize("answer", ["nonsense", "99_99"])
@every_place
def test_an_answer_that_a_link_made_up_does_no_harm(name, part, topic, answer):
    answers = dict.fromkeys(lesson(name).questions, answer) | {"nothing": "at_all"}
    app = opened(name, part, topic=topic, answers=tuple(answers.items()))
    assert not app.success
