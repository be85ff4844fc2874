"""A typed sentence: its words, and the vector of each word."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.model import words
from pages.model.edits import example_start, rename_token, resize, set_cell
from pages.model.entries import SettingsError
from pages.model.examples import EXAMPLES
from pages.model.languages import LANGUAGES
from pages.model.matrices import MAX_TOKENS

COURSE = [row.example for row in LANGUAGES.values()]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("The animal didn’t cross the street.", "The animal didn’t cross the street"),
        ("  it—she, too-tired;\n(dog) ", "it she too-tired dog"),
        ("动物没有过马路，因为它太累了。", "动物 没有 过 马路 因为 它 太 累 了"),
        ("它们很困", "它们 很 困"),  # the longest word first
        ("小猫吃鱼", "小 猫 吃 鱼"),
        ("机器人 吃 鱼", "机器人 吃 鱼"),  # spaces win
        ("机器人， 猫", "机 器 人 猫"),  # a space next to a mark is none between words
        ("猫GPT4很累", "猫 GPT4 很 累"),
    ],
)
def test_a_sentence_is_cut_into_its_words(text, cut):
    assert words.cut(text) == tuple(cut.split())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "sentence_empty"),
        (" …！?\n\u200b", "sentence_empty"),
        ("a " * (MAX_TOKENS + 1), "sentence_too_long"),
        ("猫" * (MAX_TOKENS + 1), "sentence_too_long"),
        ("a" * 25, "token_too_long"),
        ("a" * (words.MAX_SENTENCE + 1), "text_too_long"),
    ],
)
def test_what_is_no_sentence_is_refused(text, code):
    with pytest.raises(SettingsError) as refused:
        words.with_sentence(example_start("tired"), text, "en")
    assert refused.value.code == code


@given(st.text(max_size=words.MAX_SENTENCE + 5), st.sampled_from(list(LANGUAGES)))
def test_any_text_becomes_settings_or_is_refused(text, language):
    try:
        now = words.with_sentence(example_start("cats"), text, language)
    except SettingsError:
        return
    assert now.x == tuple(map(words.vector_of, now.tokens))
    known, drawn = words.sources(now)
    assert sorted(known + drawn) == list(range(len(now.tokens)))
    assert 0 <= words.to_begin_with(now.tokens) < len(now.tokens)


def test_the_words_of_the_examples_have_the_vectors_that_they_have_there():
    examples = {name for name in EXAMPLES if re.fullmatch("tired(_masks|_heads)?(_zh)?", name)}
    pairs = {
        pair for name in examples for pair in zip(EXAMPLES[name]["tokens"], EXAMPLES[name]["x"], strict=True)
    }
    assert len(pairs) == 10 and all(words.vector_of(word) == row for word, row in pairs)
    twins = {word for name in COURSE for word in EXAMPLES[name]["tokens"]}
    assert twins <= words.VOCABULARY.keys()


def test_an_unknown_word_has_the_same_numbers_in_every_process():
    state = random.getstate()
    assert words.vector_of("quantum") == words.vector_of("quantum") == QUANTUM
    assert words.vector_of("quanta") != QUANTUM and random.getstate() == state


QUANTUM = (-1.0, -0.5, 0.5, -1.0)


def test_the_matrices_stay_where_they_read_the_columns_of_the_sentence():
    mine = set_cell(example_start("tired"), "w_q", 0, 0, 7.0)
    now = words.with_sentence(mine, "它累", "zh")
    assert now.w_q == mine.w_q and now.tokens == ("它", "累")
    assert now.dimensions == example_start("tired_zh").dimensions
    other = words.with_sentence(resize(example_start("cats"), num_heads=2), "it", "en")
    assert other.w_q == example_start("tired").w_q and other.num_heads == 1


def test_a_row_that_was_changed_is_neither_known_nor_drawn():
    now = words.with_sentence(example_start("tired"), "cat quantum it", "en")
    assert words.sources(now) == ([0, 2], [1])
    assert words.sources(set_cell(now, "x", 1, 0, 9.0)) == ([0, 2], [])
    assert words.sources(rename_token(now, 0, "dog")) == ([2], [1])
