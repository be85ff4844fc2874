"""What is said of heads that are switched off, recomputed from the shipped numbers with plain loops."""

import pytest

from attention.lab.real_heads import store
from attention.lab.real_heads.texts import TEXTS
from pages.draw.numbers import short
from pages.lessons.real_heads import texts, without_a_head
from tests.support.screen import matrix, matrix_ids, opened, said

from .conftest import page_of
from .test_typed import TEXT

ANSWERED = (("real_without", "shown"),)


def open_off(**fields):
    return opened("real_heads", "explain", topic="without", **{"answers": ANSWERED} | fields)


def layer_mean(layer: int) -> float:
    cells = [cell for turned in store.switched_off().values() for cell in turned[layer].tolist()]
    return sum(cells) / len(cells)


def test_heads_of_the_last_layer_turn_the_embedding_most():
    means = [layer_mean(layer) for layer in range(6)]
    assert means[5] > 2 * max(means[:5])
    assert without_a_head.holds() == {"first": False, "middle": False, "last": True, "alike": False}
    facts = without_a_head.facts()
    wanted = {"first": means[0], "between": max(means[1:5]), "last": means[5]}
    wanted |= {"low": min(means[:5]), "high": max(means[:5])}
    assert {name: facts[name] for name in wanted} == {name: short(mean, 4) for name, mean in wanted.items()}
    assert facts["sentences"] == len(TEXTS)


@pytest.mark.parametrize(
    ("means", "option"),
    [
        ((5, 1, 1, 1, 1, 2), "first"),
        ((1, 1, 5, 1, 1, 1), "middle"),
        ((1, 1, 1, 1, 1, 1.9), "alike"),
        ((0, 0, 0, 0, 0, 1), "last"),
    ],
)
def test_one_option_holds_for_any_means(means, option, monkeypatch):
    monkeypatch.setattr(without_a_head, "by_layer", lambda: list(means))
    assert [name for name, does in without_a_head.holds().items() if does] == [option]


@pytest.mark.parametrize("name", ["tired", "rich"])
def test_the_picture_and_the_sentences_have_the_shipped_numbers(name):
    app = open_off(sentence=name, layer=2, head_of_layer=6)
    turned = store.switched_off()[name]
    assert matrix(app, "heads")["values"] == [
        [pytest.approx(100 * cell) for cell in row] for row in turned.tolist()
    ]
    cells = sorted(turned.flatten().tolist(), reverse=True)
    top = divmod(turned.flatten().tolist().index(cells[0]), 12)
    text, own = said(app), turned[2, 6].item()
    assert (
        f"without layer {top[0] + 1}, head {top[1] + 1}: 1 − cosine similarity is {short(cells[0], 4)}"
        in text
    )
    assert f"the value is {short(own, 4)}: number {cells.index(own) + 1} of 72" in text


def test_before_the_answer_no_number_is_shown():
    app = open_off(answers=())
    assert "cosine similarity is" not in said(app)
    assert "heads" not in matrix_ids(app) and "model_weights" in matrix_ids(app)


def test_a_typed_text_is_computed_once(loaded):
    app = open_off(typed=TEXT)
    wanted = 100 * loaded.get().switched_off(TEXT)
    assert matrix(app, "heads")["values"][5] == pytest.approx(wanted[5].tolist())
    assert len(texts._results) == 1
    without_a_head.of_sentence(page_of("explain", typed=TEXT), texts.name_of(TEXT))
    assert len(texts._results) == 1
