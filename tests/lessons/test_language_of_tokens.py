"""At its start a place of the course shows tokens of the reader's language, or says why it shows others."""

import itertools
import re

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
from tests.support.course import COURSE, PLACES, from_query, lesson
from tests.support.screen import LANGUAGES, opened, pictures

FOREIGN = {"en": re.compile("[\u4e00-\u9fff]"), "zh": re.compile("[A-Za-z]{2}")}
# A translation has both languages. A note's example has the note's own tokens, and an ambiguous English
# word, an English sentence and an English model are what their parts are about.
BOTH = {"cross_attention", "worked_examples-notes", "worked_examples-code"}
ENGLISH = {"one_head-meaning-it", "one_head-meaning-bank", "worked_examples-gallery", "real_heads"}
SIGNS = re.compile("AI|b?float[0-9]+|d_model")  # the same in both languages


def excepted(place: tuple, language: str) -> bool:
    name = "-".join(filter(None, place))
    return any(name.startswith(one) for one in BOTH | (ENGLISH if language == "zh" else set()))


def labels(app) -> set[str]:
    """The names of rows and columns in all pictures."""
    matrices = [one for picture in pictures(app) for one in picture["matrices"]]
    return {str(name) for one in matrices for name in (*one["rows"], *one["cols"], *(one["tokens"] or ()))}


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", PLACES, ids=["-".join(filter(None, place)) for place in PLACES])
def test_a_place_begins_with_tokens_of_its_language(place, language):
    if excepted(place, language):
        return
    name, part, topic = place
    now = example_start(lesson(name).begins(language))
    for answers in (None, ()):
        app = opened(name, part, now, topic, answers=answers, language=language)
        foreign = {one for one in labels(app) if FOREIGN[language].search(SIGNS.sub("", one))}
        assert foreign == set()


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
            if not excepted((item.lesson, item.place.part, item.place.topic), language):
                states.append(now.core)
    for now in states:
        assert [token for token in now.tokens if FOREIGN[language].search(token)] == []
        assert [one for one in now.dimensions if FOREIGN[language].search(SIGNS.sub("", one))] == []


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


def test_a_foreign_token_is_found():
    assert FOREIGN["en"].search("猫 cats") and FOREIGN["zh"].search("cats") and not FOREIGN["zh"].search("A")
