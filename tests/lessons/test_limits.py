"""Numbers at the limits of what may be entered, with every answer."""

import re
from dataclasses import replace

import pytest

from pages.model import edits
from tests.support.example_states import LARGEST
from tests.support.questions import ASKED
from tests.support.screen import SHOWN, open_page, opened, refused, visit

# Question → what its button adds to.
RAISED = {"value": "x", "value_causal": "x", "shift": "b_k"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_numbers_at_the_limits_are_drawn_with_every_answer(asked):
    core = edits.resize(LARGEST, num_heads=2, d_k=1) if asked.lesson == "many_heads" else LARGEST
    now = replace(asked.settings, core=core)
    page = open_page(asked.lesson, now, asked.view(), asked.place)
    keys = [re.fullmatch(rf"guess-{asked.name}-(\w+)", button.key or "") for button in page.button]
    options = [key[1] for key in keys if key]
    assert SHOWN in options
    for option in [one for one in options if one != SHOWN]:
        app = open_page(asked.lesson, now, asked.view(option), asked.place)
        assert not app.exception and not app.error and not refused(app), option


@pytest.mark.parametrize("question", RAISED)
def test_an_edit_beyond_the_largest_number_is_refused_and_changes_nothing(question):
    app = opened("one_head", "predict", LARGEST, topic=question)
    app.button(key=f"do_{question}").click().run()
    assert not app.exception and len(app.warning) == 1
    assert visit(app).settings == LARGEST
