"""The lesson `Masks` without a browser: every part, both languages, before and after the answers."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.lessons.masks import LESSON
from pages.model import edits
from pages.model.settings import MASKS
from pages.model.view import Place, View
from pages.ui.texts import Texts
from tests.apps import LANGUAGES, matrix, open_page, pictures, said, visit
from tests.browser_support import ROOT
from tests.states import as_state

from .conftest import CASES, CATS, START

SHOWN = tuple(sorted((question, "shown") for question in LESSON.questions))
TOPICS = {"wrong": ("after_softmax", "times_zero", "query_rows")}
PLACES = [(part.name, topic) for part in LESSON.parts for topic in TOPICS.get(part.name, (None,))]
every_place = pytest.mark.parametrize(("part", "topic"), PLACES)
T = Texts("en", "masks")


def opened(settings, part, topic=None, answers=SHOWN, row=None, language="en"):
    place = Place(part=part, topic=topic, row=row)
    return open_page("masks", settings, View(language=language, answers=answers), place)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", [(), SHOWN], ids=["before", "after"])
@every_place
def test_the_start_runs_in_either_language(part, topic, answers, language):
    app = opened(START, part, topic, answers, language=language)
    assert not app.exception and not app.warning
    assert pictures(app) or (part == "precision" and not answers)


@pytest.mark.parametrize("case", CASES)
@every_place
def test_every_state_runs(part, topic, case):
    app = opened(CASES[case], part, topic)
    assert not app.exception and not app.warning
    assert visit(app).state == as_state(CASES[case])


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("part", ["gallery", "float_mask"])
def test_every_mask_runs(part, mask):
    app = opened(edits.with_choice(CATS, mask=mask, blocked=[(0, 1), (2, 0)]), part)
    assert not app.exception and not app.warning


@pytest.mark.parametrize(
    "answers",
    [
        (("causal", "0_0"), ("fully_masked", "alike"), ("half", "error"), ("ones", "lifted")),
        (("causal", "2_2"), ("fully_masked", "zero"), ("polarity", "same"), ("times_zero", "nan")),
        (("causal", "9_9"), ("fully_masked", "banana"), ("polarity", "1_1"), ("renormalise", "7")),
        (("causal", "banana"), ("nothing", "at_all")),
    ],
    ids=["right", "wrong", "garbage", "unknown"],
)
@every_place
def test_answers_in_the_link(part, topic, answers):
    app = opened(START, part, topic, answers)
    assert not app.exception and not app.warning


def test_a_right_answer_and_a_wrong_one_are_told_apart():
    right = T("question.right", said=T("option.fully_masked_alike"))
    wrong = T("question.wrong", said=T("option.fully_masked_zero"), answer=T("option.fully_masked_alike"))
    assert right in said(opened(START, "fully_masked", answers=(("fully_masked", "alike"),)))
    assert wrong in said(opened(START, "fully_masked", answers=(("fully_masked", "zero"),)))


def test_the_clicked_cell_is_judged():
    assert T("question.cell_right") in said(opened(START, "gallery", answers=(("causal", "0_0"),)))
    text = said(opened(START, "gallery", answers=(("causal", "0_2"),)))
    assert T("question.cell_wrong") in text
    assert T("causal.masked", query="小 little", key="爱 love") in text


def test_the_start_s_masks_are_all_distinct():
    shown = [m for m in pictures(opened(START, "gallery"))[0]["matrices"] if m["size"] == "thumbnail"]
    assert len(shown) == len(MASKS)
    assert len({str(one["values"]) for one in shown}) == len(MASKS)


def test_nobody_sees_the_answer_of_the_causal_question_before_it_is_given():
    app = opened(START, "gallery", answers=())
    shown = [m for picture in pictures(app) for m in picture["matrices"] if m["size"] != "thumbnail"]
    assert [one["id"] for one in shown] == ["scaled_scores"]
    # A mask that leaves every row several keys gives nothing away.
    app = opened(edits.with_choice(START, mask="padding"), "gallery", answers=())
    assert matrix(app, "weights")["masked"]


@pytest.mark.parametrize(("part", "topic"), [place for place in PLACES if place[0] != "gallery"])
def test_no_weights_are_shown_before_the_answer_but_those_that_are_asked_about(part, topic):
    app = opened(START, part, topic, answers=())
    ids = {m["id"] for picture in pictures(app) for m in picture["matrices"] if m["kind"] == "weights"}
    allowed = {
        "float_mask": {"weights_both"},
        "polarity": {"weights_sdpa"},
        "after_softmax": {"weights_right", "weights_after", "sums_after"},
    }
    assert ids == allowed.get(topic or part, set())


def test_without_a_mask_the_causal_one_stands_in_and_the_page_says_so():
    assert T("scene.stand_in") in said(opened(CATS, "float_mask"))
    assert T("scene.stand_in") not in said(opened(edits.with_choice(CATS, mask="window"), "float_mask"))


def test_the_fully_masked_row_belongs_to_this_lesson():
    app = opened(START, "fully_masked", row=2)
    assert visit(app).places["masks"].row == 2
    assert "one_head" not in visit(app).places
    assert [row[0] for row in matrix(app, "weights_nan")["values"]].index("nan") == 2
    # No row is dimmed, for the lesson compares them.
    assert all(picture["row"] is None for picture in pictures(app))


def test_the_calls_stand_under_what_they_give():
    columns = dict.fromkeys(("nan", "alike", "zero"), "")
    for markdown in opened(START, "fully_masked").markdown:
        for kind in columns:
            if markdown.value.startswith(f"**{T(f'outcome.{kind}')}**"):
                columns[kind] = markdown.value
    assert "`F.scaled_dot_product_attention`" in columns["zero"]
    assert "train(), need_weights=True" in columns["nan"]
    assert "JAX" in columns["alike"] and "onnxruntime" in columns["zero"]
    assert (
        "return_attention_scores=True" in columns["zero"] and "MultiHeadAttention(…)(…)`" in columns["alike"]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_measured_elsewhere_names_a_test_that_is_there(language):
    path = re.search(r"`(tests/\S+)`", Texts(language, "masks")("who.measured"))[1]
    assert (ROOT / path).exists()


def test_the_custom_mask_is_clicked_where_it_stands():
    now = edits.with_choice(START, mask="custom")
    assert matrix(opened(now, "gallery"), "mask")["editable"]
    assert not matrix(opened(START, "gallery"), "mask")["editable"]
    both = opened(edits.with_choice(now, mask_2="causal"), "gallery")
    assert matrix(both, "mask")["editable"] and not matrix(both, "both")["editable"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_invitation_to_click_stands_beside_the_mask_that_can_be_clicked(language):
    app = opened(edits.with_choice(START, mask="custom"), "gallery", language=language)
    click = {"en": "click", "zh": "点击"}[language]
    assert [one["id"] for one in pictures(app)[0]["matrices"] if click in one["subtitle"]] == ["mask"]


def test_a_mask_is_continued_as_a_custom_one():
    app = opened(START, "gallery")
    app.button("edit_mask").click().run()
    now = visit(app).settings
    assert now.mask == "custom" and now.blocked == {(r, c) for r in range(5) for c in range(5) if c > r}


def test_the_lesson_begins_with_its_own_example_and_undo_leads_back():
    assert visit(opened(CATS, "gallery")).settings == CATS  # a link is taken at its word
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/masks.py").run()
    assert visit(app).settings == START
    app.button("undo").click().run()
    assert visit(app).settings == CATS


def test_reset_leads_to_the_lesson_s_own_start():
    app = opened(edits.set_cell(START, "x", 0, 0, 9.0), "gallery")
    app.button("reset").click().run()
    assert visit(app).settings == START


def test_the_end_s_lines_have_the_learner_s_numbers():
    text = said(opened(START, "left_padding"))
    assert T("summary.one", mask=T("kind.causal"), masked=10, cells=25) in text
    assert T("summary.two", count=5, share="0.2000") in text
    assert T("word.fails") in text
