"""The thread of the course: Softmax begins with the row of scores of the sentence in One head."""

import pytest

from pages.model import edits
from pages.model.compute import trace_of
from pages.model.languages import LANGUAGES
from pages.model.scores import OF_THE_SENTENCE, Scores
from pages.session import beginning


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda one: one.code)
def test_it_is_what_the_core_computes(language):
    sentence = edits.example_start(language.example)
    row = trace_of(sentence).head(0).scaled_scores[2]
    assert tuple(round(score, 2) for score in row.tolist()) == OF_THE_SENTENCE
    assert beginning(language.example).of(Scores).logits == OF_THE_SENTENCE


def test_another_example_has_the_usual_row():
    assert beginning("cats").of(Scores) == Scores()
