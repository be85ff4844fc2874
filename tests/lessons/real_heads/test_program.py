"""The files of the lesson have the head on the screen, under its switches."""

import random
from dataclasses import replace

import pytest

from pages.draw.page import Page
from pages.hand.export import program, script
from pages.lessons.real_heads import scene
from pages.lessons.real_heads.settings import SENTENCES, RealHeadsNumbers
from pages.model.languages import LANGUAGES
from pages.model.state import State
from pages.model.view import SHOWN, Place
from tests.support.course import lesson
from tests.support.exported import check_arrays, check_pages, run_scripts
from tests.support.states import looking, page_in

STEPS = ("scores", "scaled_scores", "masked_scores", "weights", "output")
TOPICS = {topic.name: topic.asks[0].name for topic in lesson("real_heads").part("one_real_head").topics}


def page_with(seed: int, language: str = "en", *, answered: bool = True) -> Page:
    draw = random.Random(seed)
    topic = draw.choice(list(TOPICS))
    own = RealHeadsNumbers(
        sentence=draw.choice(SENTENCES),
        real_scaling=("sqrt_d_k", "none", "d_k")[seed % 3],
        real_mask=("none", "causal", "window")[seed // 3 % 3],
        real_temperature=draw.choice((1.0, 0.05, 2.5)),
        no_special=draw.random() < 0.5,
        one_place=draw.choice((0, 3)),
        other_place=draw.choice((0, 5)),
    )
    answers = [(TOPICS[topic], SHOWN)] if answered else []
    view = looking(answers, language=language, layer=draw.randrange(6), head_of_layer=draw.randrange(12))
    page = page_in("real_heads", "one_real_head", State().having(own), view)
    return replace(page, place=Place("one_real_head", topic=topic))


@pytest.mark.parametrize("seed", range(9))
def test_the_programs_and_arrays_have_the_numbers_of_the_screen(seed):
    page = page_with(seed)
    trace = scene.trace_of(*scene.head(page), page.own)
    wanted = {name: getattr(trace, name) for name in STEPS if getattr(trace, name) is not None}
    if trace.mask is None:
        del wanted["masked_scores"]
    steps, _ = run_scripts(page, wanted)
    assert set(steps) == set(wanted) and program.of(page).tokens == scene.tokens(page)
    check_arrays(page, steps)
    for language in LANGUAGES:
        page = page_with(seed, language)
        cells, sheet = check_pages(page, steps)
        name = scene.head_name(page, *scene.head(page))
        assert name in cells[0].source and name in script.numpy(page, "") and name in sheet.words


def test_other_parts_and_open_questions_keep_the_computation_of_the_settings():
    for part in lesson("real_heads").parts:
        assert program.of(page_in("real_heads", part.name)) is None
    for seed in range(4):
        assert program.of(page_with(seed, answered=False)) is None
