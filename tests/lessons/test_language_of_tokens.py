"""Plans, examples and exercises have tokens of the reader's language. For the places see checkers.py."""

import itertools

import pytest
import torch

from pages.ask.exercise import fill_exercise
from pages.ask.exercise.look import LEVELS
from pages.draw.texts import Texts
from pages.lessons.for_teachers.plans import NAMES, items_of, walked
from pages.lessons.practice import bug_exercise, read_exercise
from pages.model import languages
from pages.model.edits import example_start
from pages.model.examples import for_readers
from pages.model.handout import parts_of
from tests.lessons.sentences import FOREIGN, is_foreign, is_foreign_place
from tests.support.course import COURSE, from_query
from tests.support.screen import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_and_the_list_of_examples_have_tokens_of_their_language(language):
    examples = {name for name in for_readers(language) if name not in ("cats", "translation")}
    if language == "zh":
        examples -= {"bank_zh"}
    states = [example_start(name) for name in examples if "translation" not in name]
    for plan in NAMES:
        items = items_of(COURSE, plan)
        walk = walked(COURSE, items, "", Texts(language, "for_teachers"))
        for number, item in enumerate(items, start=1):
            now, *_ = from_query(parts_of(walk, number, language))
            if not is_foreign_place((item.lesson, item.place.part, item.place.topic), language):
                states.append(now.core)
    for now in states:
        assert [token for token in now.tokens if FOREIGN[language].search(token)] == []
        assert [one for one in now.dimensions if is_foreign(one, language)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_exercises_have_sentences_of_their_language_and_the_same_numbers(language):
    sentences = {tuple(one.split()) for one in languages.LANGUAGES[language].sentences}
    for level, number in itertools.product(LEVELS, range(1, 8)):
        fill, other = (fill_exercise.make(level, number, language=one) for one in (language, "en"))
        assert fill.tokens in sentences and torch.equal(fill.numbers.query, other.numbers.query)
        bug, other = (bug_exercise.make(level, number, language=one) for one in (language, "en"))
        assert bug.tokens in sentences and torch.equal(bug.inputs.x, other.inputs.x)
        read, other = (read_exercise.exercise(level, number, one) for one in (language, "en"))
        assert read.scene.tokens in sentences and read.scene.heads == other.scene.heads
    every = [FOREIGN[language].search(word) for one in sentences for word in one]
    assert not any(every)
