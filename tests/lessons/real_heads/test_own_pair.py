"""The statistics of a pair of sentences that the learner writes, recomputed from Q and K with plain loops."""

import math
from dataclasses import replace

import pytest

from pages.draw.numbers import short
from pages.lessons.real_heads import own_pair, texts
from pages.lessons.real_heads.settings import HEADS, LAYERS
from tests.support.screen import bound, matrix, matrix_ids, opened, said

from .conftest import page_of

FIRST = "The pilot called the nurse because she was late"
OTHER = "The pilot called the nurse because she was ill"
EVERY = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]
WORDS = ("she", "pilot", "nurse")


def open_pair(believed: int = 38, **own):
    return opened("real_heads", "anecdote", believed=believed, **{"typed": FIRST, "typed_other": OTHER} | own)


def weights(text: str, head) -> dict[str, float]:
    """From the pronoun to each word, the softmax of the head's scores; of equal words the first one's."""
    sentence = texts.read(text)
    query = sentence.query[head][sentence.tokens.index(WORDS[0])].tolist()
    scores = [
        sum(map(math.prod, zip(query, key, strict=True))) / 32**0.5 for key in sentence.key[head].tolist()
    ]
    exps = [math.exp(score - max(scores)) for score in scores]
    return {word: exps[sentence.tokens.index(word)] / sum(exps) for word in WORDS[1:]}


def test_a_pair_is_judged_in_every_head_and_compared_with_coins_and_the_other_tokens(loaded):
    app = open_pair()
    right = {}
    for head in EVERY:
        one, other = weights(FIRST, head), weights(OTHER, head)
        right[head] = (one["pilot"] > one["nurse"]) + (other["nurse"] > other["pilot"])
    shares = matrix(app, "own_pair")["values"]
    assert shares == [[right[layer, head] / 2 for head in range(HEADS)] for layer in range(LAYERS)]
    both, same, neither = ([*right.values()].count(count) for count in (2, 1, 0))
    text = said(app)
    assert f"{both} of 72 heads are right in both, {neither} in neither, and {same} give" in text
    assert (
        "18 on average are right in both" in text
        and f"Of the heads, layer 4, head 2 is right in {right[3, 1]}." in text
    )
    one, other = weights(FIRST, (3, 1)), weights(OTHER, (3, 1))
    grown = (one["pilot"] - other["pilot"] + other["nurse"] - one["nurse"]) / 2
    assert f"a noun gets {short(grown, 4)} more" in text
    assert "Do the other tokens attend to “pilot” too?" in text and f"“she” gives {one['pilot']:.2f}" in text
    assert f"| {FIRST} | pilot |" in text and f"| {OTHER} | nurse |" in text


def test_the_words_are_proposed_and_can_be_chosen(loaded):
    app = open_pair()
    assert [app.selectbox[number].value for number in range(3)] == [7, 2, 5]  # places in the first text
    bound(app, "selectbox", "noun").set_value(5).run()
    assert "three different words" in said(app) and "own_pair" not in matrix_ids(app)
    bound(app, "selectbox", "other_noun").set_value(2).run()
    assert "| nurse |" in said(app) and "own_pair" in matrix_ids(app)


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        ({"typed_other": ""}, "The other sentence of the pair is missing."),
        ({"typed": ""}, "The other sentence of the pair is missing."),
        ({"typed_other": "Dogs bark"}, "too few words in common"),
        ({"typed_other": "late she was"}, "own_pair"),
        ({"typed_other": "word " * 70}, "has 72 tokens"),
    ],
)
def test_what_is_missing_for_a_pair_is_said(own, sentence, loaded):
    app = open_pair(**own)
    assert sentence in said(app) or sentence in matrix_ids(app)


def test_a_place_in_a_link_that_is_no_common_word_is_replaced(loaded):
    page = page_of("anecdote", typed=FIRST, typed_other=OTHER, pronoun=60, noun=9, other_noun=5)
    assert own_pair.chosen(page, own_pair.common(FIRST, OTHER)) == (7, 2, 5)


def test_without_the_model_the_shipped_pairs_are_all(monkeypatch):
    monkeypatch.setattr(texts, "MINILM", replace(texts.MINILM, packages=("no_such_package",)))
    app = opened("real_heads", "anecdote", believed=38)
    assert not app.text_input and "A pair of your own" not in said(app)
