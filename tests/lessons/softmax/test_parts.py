"""The lesson `Softmax` without a browser: its questions and its buttons."""

from functools import partial

import pytest

from pages.lessons.softmax.settings import Own
from pages.model.fields import specs
from pages.model.settings import Settings
from pages.ui.texts import Texts
from tests import apps, asked
from tests.apps import LANGUAGES, pictures, said, shown, visit
from tests.states import value_of, with_own
from tests.telling import TWELVE

START = Settings()
ASKED = [asked for asked in asked.ASKED if asked.lesson == "softmax" and asked.name != "softmax_end"]
opened = partial(apps.opened, "softmax")


def test_the_chosen_head_is_marked():
    app = opened("axes", TWELVE, head=7)
    assert [m["id"] for m in pictures(app)[0]["matrices"] if m["chosen"]] == ["head_weights_8"]


# ---- questions


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_numbers_to_think_with_stand_in_the_question_and_nothing_else_is_drawn(asked):
    (drawn,) = pictures(opened(asked.part, topic=asked.place.topic, answers=asked.view().answers))
    names = {m["id"] for m in drawn["matrices"]}
    assert names <= {"logits", "weights", "masked_scores"} and names
    assert not any(m["editable"] for m in drawn["matrices"])


def test_no_question_is_spoilt_by_what_stands_beside_it():
    """The Jacobian's formula and the line of code with the axis appear only after the answers."""
    jacobian = opened("jacobian", answers=shown("softmax", but="soft_raise"))
    assert r"\partial p_i" not in said(jacobian)
    axes = opened("axes", answers=shown("softmax", but="soft_axis"))
    assert not axes.code
    for language in LANGUAGES:
        asked = Texts(language, "softmax")("ask.soft_axis")
        assert not any(phrase in asked for phrase in ("each column", "down", "沿着每一列", "每一列"))


def test_with_one_key_there_is_nothing_to_ask():
    one = with_own(START, logits=(3.0,))
    for part in ("temperature", "jacobian"):
        app = opened(part, one, answers=())
        assert not [button for button in app.button if (button.key or "").startswith("guess-")]


# ---- buttons


def test_buttons_change_the_scores():
    app = opened("bars")
    app.button("scores-add").click().run()
    assert value_of(visit(app).state, "logits") == (2.0, 1.0, 0.1, 0.0)
    app.button("scores-remove").click().run()
    app.button("scores-tie").click().run()
    assert value_of(visit(app).state, "logits") == (2.0, 1.0, 2.0)
    app.button("scores-note").click().run()
    assert value_of(visit(app).state, "logits") == (2.0, 1.0, 0.1)
    assert app.button("scores-note").disabled


def test_drawing_again_takes_the_next_seed_and_the_first_after_the_last():
    _, last = specs(Own)["dropout_seed"].range(Own())
    app = opened("dropout", with_own(START, dropout_seed=last))
    app.button("redraw").click().run()
    assert value_of(visit(app).state, "dropout_seed") == 0
    app.button("redraw").click().run()
    assert value_of(visit(app).state, "dropout_seed") == 1
