"""The stop on a real model: a head that does what was trained, and one word exchanged."""

import re

import pytest

from attention.lab.real_heads import causal_store, pronouns, store
from attention.lab.real_heads.texts import COMPARED, PAIRS, TRIALS
from pages.draw.texts import Texts
from pages.lessons.real_heads import a_model, anecdote, texts, which_head
from tests.support.hour import sentence_to_keep
from tests.support.screen import LANGUAGES, matrix, opened, said

from .conftest import page_of


def find(**looks):
    return opened("real_heads", "a_model", topic="find", answers=(), **looks)


def pairs_of(app) -> list[str]:
    """The rows of the table of pairs."""
    return [line for line in said(app).splitlines() if "✓" in line or "✗" in line]


def test_a_chosen_head_is_told_its_weight_on_the_token_before():
    best = which_head.best("previous")
    text, other = said(find(layer=best[0], head_of_layer=best[1])), said(find())
    assert "it does what you trained" in text and "look for another head" not in text
    assert "look for another head" in other and "Over 48 sentences of the course" in other
    weight = which_head.weight_on("previous")[5, 0].item()
    assert f"{weight:.2f}" in other
    assert f"layer 6, head 1: {weight:.2f} on the token before" == matrix(find(), "model_weights")["subtitle"]


def test_the_exchange_comes_after_the_question_and_shows_the_row_of_both_sentences():
    assert "✓" not in said(opened("real_heads", "a_model", topic="decide", answers=()))
    for name in ("tired", "wide"):
        app = opened("real_heads", "a_model", topic="decide", sentence=name)
        row = store.load(name).model_weights[anecdote.star()][store.load(name).tokens.index("it")]
        assert matrix(app, "model_weights")["values"] == [pytest.approx(row.tolist(), abs=1e-3)]
        for noun in ("animal", "street"):
            assert f"{anecdote.weights_on(name, noun, anecdote.star()):.2f}" in said(app)


def test_the_pairs_have_a_mark_for_each_right_sentence():
    rows = pairs_of(opened("real_heads", "a_model", topic="decide"))
    right = int(pronouns.verdicts().right[anecdote.star()])
    assert len(rows) == len(PAIRS) and str(rows).count("✓") == right
    assert str(rows).count("✗") == 2 * len(PAIRS) - right
    assert pronouns.verdicts().same_noun[anecdote.star()] == len(PAIRS)  # as the sentence says


def test_chinese_readers_have_the_meaning_of_every_english_sentence_and_word():
    t = Texts("zh", "real_heads")
    pairs = {word for trial in TRIALS for word in (trial.right, trial.wrong, trial.name)}
    for text in {*store.sentences().values(), *COMPARED.values(), causal_store.shipped().text, *pairs}:
        meant = texts.with_meaning(t, text)
        assert re.search("[\u4e00-\u9fff]", meant) and meant.startswith(text)
        assert texts.with_meaning(Texts("en", "real_heads"), text) == text
    rows = pairs_of(opened("real_heads", "a_model", topic="decide", language="zh"))
    assert all(row.count("（") == 3 for row in rows)
    asked = said(opened("real_heads", "a_model", topic="decide", answers=(), language="zh"))
    assert all(texts.shipped(t, name, "“”") in asked for name in ("tired", "wide"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_task_of_the_stop_is_the_exchange(language):
    assert [
        a_model.task(page_of("a_model", language, sentence=name)) for name in ("tired", "hungry", "wide")
    ] == [
        False,
        False,
        True,
    ]
    kept = sentence_to_keep(page_of("a_model", language))
    assert all(
        f"{anecdote.weights_on(name, 'animal', anecdote.star()):.2f}" in kept for name in ("tired", "wide")
    )
