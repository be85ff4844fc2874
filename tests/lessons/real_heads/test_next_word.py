"""The next word: what is shipped, a head that is switched off, and the keys that heads share."""

from dataclasses import replace

import pytest
import torch

from attention.lab.real_heads import causal_store
from pages.lessons.real_heads import loading, next_text, next_word
from pages.lessons.real_heads.settings import CAUSAL_HEADS, CAUSAL_LAYERS
from tests.support.screen import LANGUAGES, matrix, matrix_ids, opened, said

from .conftest import page_of

READING, WITHOUT = causal_store.shipped(), causal_store.shipped_without()
COUNTS_MOST = (23, 4)


@pytest.fixture
def not_installed(monkeypatch):
    """As where the packages of the model are not installed, wherever the test runs."""
    monkeypatch.setattr(next_text, "SMOLLM", replace(next_text.SMOLLM, packages=("no_such_package",)))


def test_one_head_of_all_decides_the_first_place():
    first = [[name for name in layer if name != READING.words[0]] for layer in WITHOUT.first]
    assert [name for layer in first for name in layer] == ["Europe"]
    assert WITHOUT.first[COUNTS_MOST[0]][COUNTS_MOST[1]] == "Europe"
    assert next_word.others_first(READING, WITHOUT) == 1


def test_most_heads_change_the_first_probability_by_less_than_a_tenth():
    changes = (WITHOUT.probabilities[..., 0] - READING.probabilities[0]).abs()
    assert 0 < changes.median() < READING.probabilities[0] / 10


def test_what_is_shipped_agrees_with_itself():
    """The weights in the file are those of the queries and keys in the file, but for rounding."""
    assert READING.weights.shape[:2] == WITHOUT.probabilities.shape[:2] == (CAUSAL_LAYERS, CAUSAL_HEADS)
    assert READING.probabilities.tolist() == sorted(READING.probabilities.tolist(), reverse=True)
    assert COUNTS_MOST[0] in READING.layers
    for layer in READING.layers:
        for head in range(CAUSAL_HEADS):
            weights = READING.trace(layer, head).weights
            torch.testing.assert_close(weights, READING.weights[layer, head], atol=2e-3, rtol=0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_head_that_is_looked_at_is_switched_off(not_installed, language):
    decides = said(opened("real_heads", "next_word", topic="off", language=language))
    other = said(opened("real_heads", "next_word", topic="off", language=language, causal_layer=29))
    changed = "Now “Europe” comes first" if language == "en" else "现在排在第一的是“Europe”"
    assert changed in decides and changed not in other


def test_a_cell_and_a_thumbnail_look_at_a_head(not_installed, monkeypatch):
    app = opened("real_heads", "next_word", topic="off")
    looks: list[dict] = []
    monkeypatch.setattr(next_word.session, "set_view", lambda **fields: looks.append(fields))
    changes = matrix(app, "effects")["values"]
    before = READING.probabilities[0].item()
    assert changes[4][23] == pytest.approx(WITHOUT.probabilities[23, 4, 0].item() - before)
    for picked in ({"matrix": "effects", "row": 7, "col": 2}, {"choose": 5}, {"matrix": "model_weights"}):
        next_word.pick(picked)
    assert looks == [{"causal_layer": 2, "causal_head": 7}, {"causal_head": 5}]


def test_without_the_model_the_heads_of_the_shipped_layers_can_be_opened(not_installed):
    for chosen, shown in ((3, READING.layers[0]), (23, 23)):
        app = opened("real_heads", "next_word", topic="grouped", causal_layer=chosen)
        trace = READING.trace(shown, 4)
        assert matrix(app, "weights")["values"] == [pytest.approx(row) for row in trace.weights.tolist()]
        assert f"In layer {shown + 1}, the heads 4, 5, and 6 share" in said(app)
    assert loading.COMMAND in loading.about(page_of("next_word"), next_text.SMOLLM)


def test_heads_of_a_group_have_the_same_keys_and_values(not_installed):
    apps = [opened("real_heads", "next_word", topic="grouped", causal_head=head) for head in (3, 5, 6)]
    for name in ("key", "value"):
        first, same, other = (matrix(app, name)["values"] for app in apps)
        assert first == same != other
    queries = [matrix(app, "query")["values"] for app in apps]
    assert queries[0] != queries[1] != queries[2]


@pytest.mark.parametrize("text", ["", "I love"])
def test_the_loading_of_the_model_is_shown_once(monkeypatch, text):
    shown: list[str] = []
    monkeypatch.setattr(next_text, "SMOLLM", replace(next_text.SMOLLM, packages=("torch",), name="other"))
    monkeypatch.setattr(loading, "needed", lambda page, model: shown.append(model.name))
    app = opened("real_heads", "next_word", topic="grouped", causal_layer=5, next_text=text)
    assert shown == ["other"] and matrix(app, "value")["values"]


def test_a_text_of_a_link_is_named_where_it_cannot_be_read_and_of_a_long_one_the_beginning(not_installed):
    app = opened("real_heads", "next_word", topic="off", next_text="a *b*")
    assert "cannot be read here" in said(app) and "effects" in matrix_ids(app)
    text = said(opened("real_heads", "next_word", topic="off", next_text="word " * 70))
    assert "word …” cannot be read here" in text and "word " * 20 not in text


@pytest.mark.parametrize("topic", ["off", "grouped"])
def test_a_token_that_is_a_part_of_a_character_is_explained(not_installed, monkeypatch, topic):
    explained = "only a part of a character"
    assert explained not in said(opened("real_heads", "next_word", topic=topic))
    chinese = replace(READING, tokens=("\N{REPLACEMENT CHARACTER}", *READING.tokens[1:]))
    monkeypatch.setattr(causal_store, "shipped", lambda: chinese)
    assert explained in said(opened("real_heads", "next_word", topic=topic))
