"""The sentences of the first page are true of its numbers."""

import pytest

from pages.draw import own_sentence, placing
from pages.draw.texts import Texts
from pages.lessons.start import sentence
from pages.model import words
from pages.model.edits import add_token, example_start, fill, rename_token, set_blocked, set_cell, with_choice
from pages.model.matrices import MAX_TOKENS
from tests.support.picture_data import Pieces
from tests.support.screen import LANGUAGES, open_link, unfolded, visit
from tests.support.states import page_in

START = example_start("tired")


def said(now, row: int) -> str:
    page = page_in("start", settings=now)
    [data] = placing.data_for(page, sentence._picture).values()
    return Pieces().read(data)["arcs"]["sentences"][row]


def test_a_row_of_weights_is_said_in_percent_the_largest_first():
    assert said(START, 2) == "“it” is mixed from 79 % “animal”, 16 % “tired”, 3 % “street”, and 2 % “it”."
    assert said(set_cell(START, "x", 0, 0, 9.0), 2) == (
        "“it” is mixed from 100 % “animal”, and from less than 1 % of each of 3 other words (rounded)."
    )


def test_the_page_says_which_sentence_its_words_are_from():
    """Not where a word is another one."""
    told = Texts("en", "start")("sentence.course")
    assert told in sentence._made(page_in("start", settings=START))
    assert told not in sentence._made(page_in("start", settings=rename_token(START, 1, "river")))


def test_a_masked_word_gives_nothing_and_shares_that_do_not_sum_to_100_are_rounded():
    """A masked word gives exactly 0, not “less than 1 %”."""
    now = with_choice(set_cell(START, "x", 0, 0, 9.0), mask="custom")
    for key, text in ((1, "of each of 2 other words (rounded)."), (2, "of “tired” (rounded).")):
        now = set_blocked(now, 2, key, True)
        assert said(now, 2) == f"“it” is mixed from 100 % “animal”, and from less than 1 % {text}"
    assert said(set_blocked(now, 2, 3, True), 2) == "“it” is mixed from 100 % “animal”."
    thirds = with_choice(fill(START, "w_q", "zeros"), mask="causal")
    shares = "33 % “animal”, 33 % “street”, and 33 % “it” (rounded)."
    assert said(thirds, 2) == f"“it” is mixed from {shares}"
    assert said(thirds, 1) == "“street” is mixed from 50 % “animal” and 50 % “street”."


def test_a_fully_masked_row_is_mixed_from_nothing():
    now = with_choice(START, mask="custom")
    for key in range(4):
        now = set_blocked(now, 2, key, True)
    assert said(now, 2) == "“it” may attend to no word, so nothing is mixed."


@pytest.mark.parametrize(
    ("now", "parts"),
    [
        (START, []),
        (add_token(START), []),
        (rename_token(START, 0, "dog"), []),  # with the row of “animal”
        (words.with_sentence(START, "it tired", "en"), []),
        (words.with_sentence(START, "the cat", "en"), ["course: “the” and “cat”.", "Another name changes"]),
        (
            words.with_sentence(START, "a qubit", "en"),
            ["course: “a”.", "nothing: “qubit”.", "Another name changes"],
        ),
    ],
)
def test_it_says_where_the_vectors_of_new_words_are_from(now, parts):
    told = own_sentence.told(page_in("start", settings=now))
    assert bool(told) == bool(parts) and all(part in told for part in parts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_is_typed_in_the_hour_has_at_most_eight_words(language):
    """Elsewhere it may have more; a link with more opens as it is."""
    t, text = Texts(language, "start"), " ".join("abcdefghi")
    for lesson, most in (("start", words.HOUR_WORDS), ("one_head", MAX_TOKENS)):
        app = open_link(lesson, {"lang": language, "part": "sentence" if lesson == "start" else "picture"})
        app = unfolded(app, own_sentence.KEY) if lesson == "one_head" else app
        [entry] = [one for one in app.text_input if one.key == own_sentence.FIELD]
        assert entry.placeholder == t("own_sentence.label", most=most)
        entry.set_value(text)
        next(one for one in app.button if one.label == t("own_sentence.take")).click().run()
        problem = t("error.sentence_too_long", count=9, limit=most)
        assert (problem in [one.value for one in app.warning]) == (most == words.HOUR_WORDS)
        assert (len(visit(app).settings.tokens) == 9) == (most == MAX_TOKENS)
