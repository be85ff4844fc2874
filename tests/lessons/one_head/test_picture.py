"""The first screen without a browser: its steps and numbers, every example, undo and reset, bad links."""

from functools import partial

import pytest

from pages.draw.texts import Texts
from pages.model import edits
from pages.model.settings import Settings
from pages.model.view import View
from tests.support import screen
from tests.support.example_states import TWELVE
from tests.support.screen import LANGUAGES, matrix, open_page, pictures, said, visit

STEPS = ["query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "output"]
START = Settings()
opened = partial(screen.opened, "one_head", "picture")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_opens_with_all_steps_in_either_language(language):
    app = opened(language=language)
    t = Texts(language, "one_head")
    assert not app.warning
    assert app.title[0].value == t("lesson.title")
    (picture,) = pictures(app)
    assert [step["name"] for step in picture["steps"]] == STEPS
    assert [step["title"] for step in picture["steps"]] == [t(f"title.{step}") for step in STEPS]
    assert {m["id"] for m in picture["matrices"]} == {"x", "w_q", "w_k", "w_v", *STEPS}


def test_twelve_tokens_and_eight_heads_show_one_head_s_columns():
    w_q = matrix(opened(edits.resize(TWELVE, d_k=16, d_v=16), head=2), "w_q")
    assert (w_q["offset"], len(w_q["values"][0])) == (32, 16)


def test_reset_keeps_answers_and_can_be_undone():
    app = open_page("one_head", edits.with_choice(START, mask="causal"), View(answers=(("swap", "rows"),)))
    app.button(key="reset").click().run()
    assert visit(app).settings == START
    assert visit(app).view.answers == (("swap", "rows"),)
    app.button(key="undo").click().run()
    assert visit(app).settings.mask == "causal"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_link_is_said_and_the_rest_is_shown(language):
    app = open_page("one_head", view=View(language=language), x="1,2", mask="causal")
    assert not app.exception
    assert len(app.warning) == 1 and "x" in app.warning[0].value
    assert visit(app).settings == edits.with_choice(START, mask="causal")


def test_a_bad_value_is_refused_with_its_reason_and_the_state_stays():
    app = opened()
    app.number_input(key="set_num_heads").set_value(3).run()
    assert visit(app).settings == START
    assert len(app.warning) == 1 and "1, 2, 4" in app.warning[0].value


def test_a_followed_query_is_the_only_one_that_is_read():
    t = Texts("en", "one_head")
    assert t("reading.most", query="爱 love", name="猫 cats", value="0.47") in said(opened(row=1))
    assert "我 I attends" not in said(opened(row=1))


def test_minus_a_billion_in_a_fully_masked_row_says_why_it_differs_from_pytorch():
    blocked = frozenset({(0, 0), (0, 1), (0, 2)})
    now = edits.with_choice(START, mask="custom", blocked=blocked, masked_score="-1e9")
    assert "In a fully masked row −10⁹" in said(opened(now))
