"""The three stories of what attention is for: whole numbers, and one word changed."""

import re

import pytest

from pages.model.compute import trace_of
from pages.model.edits import add_token, example_start, resize, set_cell
from pages.model.examples import EXAMPLES, for_readers
from pages.model.languages import LANGUAGES
from pages.model.link import to_query
from pages.model.matrices import MATRICES
from pages.model.settings import Settings, as_matrix
from pages.model.state import State
from pages.model.stories import STORIES, is_open, start, story_in, with_word, word_of
from pages.model.view import Place, View
from tests.support.course import from_query

CASES = [(name, option) for name, story in STORIES.items() for option in story.words]
WHOLE = [case for case in CASES if case[0] != "it"]  # the sentence of the course has halves


@pytest.mark.parametrize(("name", "option"), WHOLE)
def test_every_number_that_is_entered_is_whole(name, option):
    now = with_word(Settings(), STORIES[name], option)
    used = [matrix for matrix in MATRICES if matrix not in ("y", "w_o", "p")]
    assert all(value == int(value) for matrix in used for row in as_matrix(now, matrix) for value in row)
    head = trace_of(now).head(0)
    for step in (head.query, head.key, head.value, head.scores):
        assert bool((step == step.round()).all())


@pytest.mark.parametrize(("name", "option"), CASES)
def test_a_word_is_found_again_also_through_a_link(name, option):
    story = STORIES[name]
    now = with_word(Settings(), story, option)
    assert is_open(story, now) and word_of(now, story) == option
    read, _, _, problems = from_query(to_query(State(core=now), View(), Place()))
    assert (read.core, problems) == (now, [])


@pytest.mark.parametrize("name", STORIES)
def test_a_story_begins_with_its_first_word(name):
    story = STORIES[name]
    assert word_of(start(story), story) == next(iter(story.words))


@pytest.mark.parametrize("name", STORIES)
def test_the_words_differ_in_the_rows_they_name_only(name):
    story = STORIES[name]
    first = start(story)
    for option, (word, rows) in story.words.items():
        now = with_word(first, story, option)
        assert now.tokens[story.place] == (word or first.tokens[story.place])
        changed = {i for i, row in enumerate(now.x) if row != first.x[i]}
        assert changed <= set(rows)


def changed_rows(before, after):
    return (before.weights - after.weights).abs().amax(-1).gt(1e-12).nonzero().flatten().tolist()


def test_another_last_word_changes_only_the_row_of_bank():
    river, money = (
        trace_of(with_word(Settings(), STORIES["bank"], word)).head(0) for word in ("river", "money")
    )
    assert changed_rows(river, money) == [1]
    assert river.output[1, 0] > river.output[1, 1]
    assert money.output[1, 0] < money.output[1, 1]


def test_it_turns_from_the_animal_to_the_street():
    tired, wide = (trace_of(with_word(Settings(), STORIES["it"], word)).head(0) for word in ("tired", "wide"))
    assert tired.weights.equal(trace_of(example_start("tired")).head(0).weights)
    assert [round(weight, 2) for weight in tired.weights[2].tolist()] == [0.79, 0.03, 0.02, 0.16]
    assert wide.weights[2].argmax().item() == 1 and wide.weights[2, 1] > 0.8


def test_without_its_own_row_it_would_not_know_the_last_word():
    now = start(STORIES["it"])
    for col, value in enumerate(STORIES["it"].words["wide"][1][3]):  # “wide” in the last row only
        now = set_cell(now, "x", 3, col, value)
    before, after = trace_of(start(STORIES["it"])).head(0), trace_of(now).head(0)
    assert before.query[2].equal(after.query[2]) and after.weights[2].argmax().item() == 0


def test_learners_numbers_stay_with_another_word():
    story = STORIES["bank"]
    now = set_cell(start(story), "w_v", 0, 0, 7.0)
    assert with_word(now, story, "money").w_v[0][0] == 7.0


@pytest.mark.parametrize(
    "change",
    [add_token, lambda s: resize(s, d_v=3), lambda s: resize(s, d_model=5), lambda s: resize(s, num_heads=2)],
)
def test_a_story_of_another_size_is_not_open_and_begins_anew(change):
    story = STORIES["bank"]
    now = change(start(story))
    assert not is_open(story, now)
    assert with_word(now, story, "money") == with_word(start(story), story, "money")


def test_another_example_is_not_open():
    assert not is_open(STORIES["it"], example_start("bank"))


UNNAMED = ("cats", "masks", "masks_en")  # the columns of these numbers have no meaning


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in UNNAMED])
def test_the_columns_of_x_say_in_a_few_letters_what_they_mean(name):
    now = example_start(name)
    assert len(now.dimensions) == now.d_model
    assert all(0 < len(meaning) <= 10 for meaning in now.dimensions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_readers_are_offered_no_names_of_columns_in_another_language(language):
    """Tokens may be in another language, and then the columns that are named after them."""
    for name in for_readers(language):
        now = example_start(name)
        words = "".join(set(now.dimensions) - set(now.tokens) - set(now.source))
        assert not re.search("[\u4e00-\u9fff]", words) or language == "zh", name
        assert not re.search("[a-z]", words) or language == "en", name


@pytest.mark.parametrize("name", STORIES)
def test_a_story_in_another_language_is_the_same_with_its_own_example(name):
    story = story_in("zh", name)
    assert is_open(STORIES[name], start(story)) and start(story).x == start(STORIES[name]).x
    assert name != "it" or [word for word, _ in story.words.values()] == ["累", "宽"]
    assert all(word_of(with_word(start(story), story, option), story) == option for option in story.words)
