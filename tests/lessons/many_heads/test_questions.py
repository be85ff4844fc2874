"""Questions, buttons and switches of the lesson, without a browser."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.draw.texts import Texts
from pages.model import edits
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.support import screen
from tests.support.example_states import TWELVE
from tests.support.programs import ROOT
from tests.support.questions import ASKED
from tests.support.screen import clicked, matrix, matrix_ids, open_page, pictures, said, visit
from tests.support.states import value_of

from .conftest import CASES, START, TWO

JOBS = CASES["two jobs"]
QUESTIONS = [asked for asked in ASKED if asked.lesson == "many_heads" and asked.name != "many_heads_end"]


def opened(now: Settings, part: str, topic: str | None = None, *, given: str = "", **looks) -> AppTest:
    return screen.opened("many_heads", part, now, topic, answers=[(given, "shown")] if given else (), **looks)


# ---- the start


def test_the_lesson_begins_with_the_sentence_in_two_heads_and_a_link_of_another_start_is_left_alone():
    app, sentence = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60), "Two things matter for “it”"
    app.switch_page("pages/many_heads.py").run()
    assert visit(app).settings == edits.example_start("tired_heads") and sentence in said(app)
    assert "There is only one head now" in said(open_page("many_heads", edits.example_start("tired")))
    app = open_page("many_heads", START)
    assert visit(app).settings == START and not app.exception


@pytest.mark.parametrize("part", ["overview", "split", "ablation", "view", "sharing"])
def test_one_head_is_offered_two_and_told_that_w_o_is_left_out(part):
    app = opened(START, part)
    assert "leaves out W_O" in said(app) and app.button("two_jobs")
    app.button("two_heads").click().run()
    assert visit(app).settings == TWO
    if part == "overview":
        app = opened(START, part)
        app.button("two_jobs").click().run()
        assert visit(app).settings == edits.example_start("two_jobs_en") and not app.exception


# ---- questions


@pytest.mark.parametrize("asked", QUESTIONS, ids=str)
def test_a_question_has_a_matrix_to_think_with_and_its_answer_shows_others(asked):
    app = opened(JOBS, asked.part, asked.place.topic)
    before = matrix_ids(app)
    app.button(f"guess-{asked.name}-shown").click().run()
    assert before and matrix_ids(app) - before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_wrong_answer_to_the_view_question_is_explained(language):
    """It said “Compare it with head” there, a control's label."""
    t = Texts(language, "many_heads")
    app = open_page("many_heads", TWO, View(language=language, answers=(("view", "1"),)), Place(part="view"))
    text = said(app)
    assert text.count(t("because.view_other")) == 2 and t("setting.other") not in text
    places = {"en": "head 1, row 3; head 2, row 1", "zh": "第 1 个头的第 3 行；第 2 个头的第 1 行"}[language]
    assert places in text  # of the second token


def test_repeated_names_are_told_apart_in_the_view_question():
    labels = [button.label for button in opened(JOBS, "view").button if button.key.startswith("guess-view-")]
    assert labels[:4] == ["A. 好₁ good", "B. 人₁ person", "C. 好₂ good", "D. 人₂ person"]


@pytest.mark.parametrize("case", CASES)
def test_the_view_question_is_asked_where_it_has_a_point(case):
    now = CASES[case]
    keys = {button.key for button in opened(now, "view").button}
    asked = {key for key in keys if key.startswith("guess-view-")}
    assert bool(asked) == (now.num_heads > 1 and len(now.tokens) > 1)
    assert len(asked) <= 6  # five tokens at most, and the wish to see


def shares(app: AppTest) -> list[str]:
    return re.findall(r"the change of Z is ([\d.]+%) of the norm", said(app))


def test_what_is_lost_without_a_head_is_not_rounded_into_another_number():
    """12.5 % was printed as 12 %, and 40 % was there twice, where only one of the two was right."""
    result = shares(opened(TWELVE, "ablation", given="ablation"))
    assert len(result) == len(set(result)) == 8
    now = edits.resize(START, num_heads=2)
    zeros, ones = ((0.0,) * 4,), ((1.0, 0.0, 0.0, 0.0),)
    now = edits.fill(edits.fill(now, "x", "zeros"), "w_v", "zeros")
    now = edits.set_biases(now, True)
    now = edits.set_block(now, "b_v", 0, 0, [[1.0, 0.0, 0.0, 0.0]])
    now = edits.set_block(now, "w_o", 0, 0, [*ones, *zeros, *zeros, *zeros])
    now = edits.set_block(now, "b_o", 0, 0, [[7.0, 0.0, 0.0, 0.0]])
    app = opened(now, "ablation", given="ablation")
    assert sorted(shares(app)) == ["0.0%", "12.5%"]


def test_equal_losses_are_a_tie():
    now = edits.example_start("two_heads")
    now = edits.fill(now, "w_q", "zeros")
    app = opened(now, "ablation")
    app.button("guess-ablation-several").click().run()
    assert "Correct." in said(app) and "whichever of the heads 1, 2 is switched off" in said(app)


# ---- switches


def test_a_head_is_switched_off():
    app = opened(TWO, "ablation", given="ablation")
    assert "all heads are still on" in said(app)
    app.pills("set_off").set_value([0]).run()
    assert value_of(visit(app).state, "off") == {1}
    assert "are off (2), Z loses a part whose norm is 81.5% of the norm of Z" in said(app)
    assert {row for row, _ in matrix(app, "w_o")["masked"]} == {2, 3}


def test_sharing_is_tried_out_without_touching_the_learner_s_matrices():
    app = opened(CASES["four heads"], "sharing", given="shared")
    assert "1 (multi-query)" in said(app)
    before = (
        matrix(app, "weights_shared_1") if "weights_shared_1" in matrix_ids(app) else matrix(app, "shared_1")
    )
    app.segmented_control("set_groups_page").set_value(2).run()
    assert value_of(visit(app).view, "groups") == 2 and visit(app).settings == CASES["four heads"]
    assert matrix(app, before["id"])["values"] != before["values"]
    app.segmented_control("set_groups_page").set_value(4).run()
    assert "so nothing changes" in said(app)


@pytest.mark.parametrize(("part", "question"), [("view", "view"), ("sharing", "shared")])
def test_heads_that_share_keys_can_get_their_own(part, question):
    app = opened(CASES["shared keys"], part, given=question)
    app.button("own_kv").click().run()
    assert visit(app).settings.kv_heads == 4 and not app.exception


def test_both_ways_out_of_a_count_that_does_not_divide():
    for key, heads, width in (("way_count", 2, 2), ("way_width", 3, 2)):
        app = opened(TWO, "view", "divide")
        assert any("AttentionError" in block.value for block in app.code)
        assert any("AssertionError" in block.value for block in app.code)
        app.button(key).click().run()
        now = visit(app).settings
        assert (now.num_heads, now.head_dim) == (heads, width) and not app.exception


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        (TWO, "equals nn.MultiheadAttention: yes"),
        (JOBS, "cannot hold these matrices"),
        (START, "has one even for num_heads=1"),
        (CASES["fully masked row"], "A row is fully masked here"),
        (CASES["shared keys"], "cannot hold these matrices"),
        (edits.with_choice(TWO, scaling="none"), "divides the scores by √dₖ. Choose that scaling"),
    ],
)
def test_the_module_is_compared_with_pytorch_s_where_it_can_be(now, sentence):
    assert sentence in said(opened(now, "view", "modules"))


def test_a_thumbnail_chooses_the_head():
    app = opened(CASES["four heads"], "overview", head=2, other=2)
    assert matrix(app, "first")["title"] == "A_3" and matrix(app, "second")["title"] == "A_4"
    chosen = [m["id"] for p in pictures(app) for m in p["matrices"] if m["chosen"]]
    assert chosen == ["head_weights_3"]
    assert {outcome for _, outcome in clicked(app)} == {"changed"}
