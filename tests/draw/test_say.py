"""What Markdown becomes on its way to the page."""

import pytest

from pages.draw import say
from pages.draw.texts import literal


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("W_Q and d_model", "$W_{Q}$ and $d_{model}$"),
        ("by √d_model?", "by √$d_{model}$?"),
        ("`W_Q` and $W_Q$ stay, b_O not", "`W_Q` and $W_Q$ stay, $b_{O}$ not"),
        ("`a$b` W_K", "`a$b` $W_{K}$"),
        ("`without an end W_V", "`without an end W_V"),
        ("no W_Queue", "no W_Queue"),
    ],
)
def test_a_symbol_becomes_a_formula_outside_of_code_and_formulas(text, written):
    assert say.with_formulas(text) == written


@pytest.mark.parametrize("typed", ["W_Q", "$W_Q", "`d_model`"])
def test_what_a_learner_typed_stays_as_it_is(typed):
    assert say.with_formulas(f"“{literal(typed)}”") == f"“{literal(typed)}”"


def test_numbers_are_at_the_right_of_their_column_and_so_is_a_question_mark(monkeypatch):
    texts: list[str] = []
    monkeypatch.setattr(say, "markdown", texts.append)
    say.table(["step", "numbers", "more"], [["scores", "32", "?"], ["softmax", "−1.5", "?"]])
    assert texts[0].split("\n")[1] == "| --- | ---: | ---: |"
