"""Which entries are the learner's own, and which of them a change replaces."""

import pytest

from pages.model import edits
from pages.model.examples import EXAMPLES
from pages.model.own import own, replaced_entries
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.stories import STORIES, start, with_word
from tests.support.states import with_own

START = Settings()
FIVE = edits.set_cell(START, "w_q", 0, 0, 5.0)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_nothing_of_the_learner_s(name):
    example = edits.example_start(name)
    assert own(example) == {}
    assert replaced_entries(State(core=example), State(core=edits.example_start("copy"))) == ()


@pytest.mark.parametrize("name", STORIES)
def test_a_word_of_a_story_is_the_story_s(name):
    for word in STORIES[name].words:
        assert own(with_word(start(STORIES[name]), STORIES[name], word)) == {}


def test_sizes_and_switches_are_no_entries():
    for now in (
        edits.resize(START, num_heads=2),
        edits.resize(START, d_model=6),
        edits.add_token(START),
        edits.remove_token(START, 2),
        edits.resize(START, d_k=7, d_v=3),
        edits.set_biases(START, True),
        edits.with_choice(START, mask="causal"),
    ):
        assert own(now) == {}


def test_what_was_typed_is_the_learner_s():
    assert own(FIVE) == {("w_q", 0, 0): 5.0}
    assert own(edits.resize(FIVE, num_heads=2)) == {("w_q", 0, 0): 5.0}
    assert own(edits.rename_token(START, 1, "you")) == {("tokens", 0, 1): "you"}
    assert own(edits.set_blocked(START, 0, 2, True)) == {("blocked", 0, 2): True}
    assert own(edits.set_cell(edits.set_biases(START, True), "b_k", 0, 1, 2.0)) == {("b_k", 0, 1): 2.0}
    longer = edits.rename_token(edits.add_token(START), 3, "dogs")
    assert own(longer) == {("tokens", 0, 3): "dogs"}
    assert own(edits.set_source(START, "I love big cats")) == {
        ("source", 0, 2): "big",
        ("source", 0, 3): "cats",
    }


def test_only_what_is_not_there_any_more_was_replaced():
    bank = STORIES["bank"]
    now = edits.set_cell(edits.set_cell(start(bank), "w_q", 0, 0, 5.0), "x", 4, 0, 3.0)
    for before, after, names in (
        (now, with_word(now, bank, "money"), ("x",)),
        (now, start(bank), ("x", "w_q")),
        (FIVE, edits.set_cell(FIVE, "w_k", 0, 0, 2.0), ()),
    ):
        assert replaced_entries(State(core=before), State(core=after)) == names


def test_a_row_of_a_lesson_s_own_numbers_is_an_entry_and_its_single_numbers_are_none():
    before = with_own(START, logits=(1.0, 7.0), temperature=2.0)
    assert replaced_entries(before, State()) == ("logits",)
    assert replaced_entries(before, with_own(before, mask="causal")) == ()
