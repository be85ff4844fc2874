"""The lesson `Masks` without a browser: its questions, its sentences and its start."""

import re
from dataclasses import replace

import pytest
import torch
from streamlit.testing.v1 import AppTest

from attention import causal_mask
from pages.draw.numbers import number_of
from pages.draw.texts import Texts
from pages.lessons.masks import LESSON, no_looking, summary
from pages.model import edits
from pages.model.compute import mask_of, trace_of
from pages.model.settings import MASKS, Settings
from pages.model.state import State
from pages.model.view import Place
from tests.support import screen
from tests.support.hour import sentence_to_keep
from tests.support.programs import ROOT
from tests.support.random_settings import drawn
from tests.support.screen import LANGUAGES, bound, matrix, matrix_ids, pictures, said, visit
from tests.support.states import with_own

from .conftest import CATS, START, page_of

T = Texts("en", "masks")
SENTENCE = edits.example_start("tired_masks")


def opened(part: str, now: Settings | State = SENTENCE, topic: str | None = None, **extra) -> AppTest:
    return screen.opened("masks", part, now, topic, **extra)


def test_the_clicked_cell_is_judged():
    assert T("question.cell_right") in said(opened("no_looking", answers=(("causal", "0_0"),)))
    text = said(opened("no_looking", answers=(("causal", "0_2"),)))
    assert T("question.cell_wrong") in text
    assert T("causal.masked", query="animal", key="because") in text


def test_the_answer_is_on_the_screen_once_it_is_given():
    asked = opened("no_looking", answers=(), causal=True)
    assert matrix_ids(asked) == {"masked_scores", "free_weights"}
    assert not asked.toggle and opened("no_looking").toggle  # the switch would give the answer away
    assert matrix(asked, "masked_scores")["values"][0][1] == "-inf"
    weights = matrix(opened("no_looking", causal=True), "weights_with")
    assert weights["ringed"] == [[0, 0]] and weights["values"][0][0] == 1


def test_a_click_masks_a_score_in_this_part_alone():
    """Without the causal mask, with it, and where a row has nothing left; the mask of all lessons stays."""
    now = edits.example_start("tired")
    (plain,), row = trace_of(now).heads.weights, 2
    for causal, barred in ((False, {(2, 0)}), (True, {(2, 0)}), (True, {(2, 0), (2, 1), (2, 2)})):
        app = opened("no_looking", now, causal=causal, barred=frozenset(barred))
        visible = [col for col in range(3 if causal else 4) if (row, col) not in barred]
        total = plain[row, visible].sum().item() or 1.0
        wanted = [plain[row, col].item() / total if col in visible else 0.0 for col in range(4)]
        assert matrix(app, "weights_with")["values"][row] == pytest.approx(wanted)
        assert ("may not attend to any token" in said(app)) == (not visible)
        assert visit(app).settings.mask == "none"


def test_the_task_is_done_once_it_may_not_attend_to_the_first_word_under_the_causal_mask():
    now, barred = edits.example_start("tired"), frozenset({(2, 0)})
    for causal, pairs, done in ((False, barred, False), (True, frozenset(), False), (True, barred, True)):
        page = page_of(with_own(now, causal=causal, barred=pairs), "no_looking")
        assert no_looking.task(page) == done
    assert sentence_to_keep(page).endswith("“it” attends to “street” with 0.59, without a mask with 0.03.")
    assert "With “animal” and “tired” masked" in sentence_to_keep(page)


@pytest.mark.parametrize(("language", "words"), [("en", "to the keys before it"), ("zh", "它之前的键")])
def test_a_causal_mask_is_defined_where_it_is_first_asked_about(language, words):
    assert words in said(opened("no_looking", answers=(), language=language))


def test_the_start_s_masks_are_all_distinct():
    thumbnails = [m for m in pictures(opened("gallery"))[0]["matrices"] if m["size"] == "thumbnail"]
    assert len(thumbnails) == len({str(one["values"]) for one in thumbnails}) == len(MASKS)


@pytest.mark.parametrize("name", ["float_mask", "polarity", "precision", "left_padding"])
def test_a_link_to_a_part_that_is_now_a_topic_opens_it(name):
    assert LESSON.resolved(Place(part=name)) == Place(part="libraries", topic=name)


def test_a_topic_is_chosen_above_its_part():
    app = opened("libraries", topic="float_mask")
    app.segmented_control("set_topic").set_value("polarity").run()
    assert app.segmented_control("set_topic").value == "polarity" and "weights_layer" in matrix_ids(app)


def test_the_lesson_ends_before_what_only_users_of_libraries_need():
    assert [part.name for part in LESSON.parts if part.aside] == ["libraries"]
    assert LESSON.parts[-1].aside and LESSON.last.name == "wrong"
    ending = T("question.end")
    assert ending in said(opened("wrong"))
    assert not any(ending in said(opened(part)) for part in ("gallery", "fully_masked", "libraries"))


def test_without_a_mask_the_causal_one_stands_in_and_the_page_says_so():
    assert T("scene.stand_in") in said(opened("libraries", CATS))
    assert T("scene.stand_in") not in said(opened("libraries", edits.with_choice(CATS, mask="window")))


def test_the_fully_masked_row_belongs_to_this_lesson():
    app = opened("fully_masked", row=2)
    assert visit(app).places["masks"].row == 2
    assert "one_head" not in visit(app).places
    assert [row[0] for row in matrix(app, "weights_nan")["values"]].index("nan") == 2
    # No row is dimmed, for the lesson compares them.
    assert all(picture["row"] is None for picture in pictures(app))


def test_the_calls_stand_under_what_they_give():
    columns = dict.fromkeys(("nan", "alike", "zero"), "")
    for markdown in opened("fully_masked").markdown:
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


@pytest.mark.parametrize("second", ["none", "custom"])
def test_a_cell_of_a_fixed_mask_says_how_it_can_be_changed(second):
    app = opened("gallery", edits.with_choice(START, mask="causal", mask_2=second))
    texts = matrix(app, "mask" if second == "none" else "both")["recipe"]["texts"]
    assert {T("gallery.edit") in text for line in texts for text in line} == {True}


def test_what_the_controls_of_the_wrong_masks_choose_is_shown():
    app = opened("fully_masked")
    start = visit(app).settings
    bound(app, "button_group", "row").set_value(2).run()
    assert set(matrix(app, "weights_nan")["values"][2]) == {"nan"}
    app, weights = opened("polarity"), trace_of(start).head(0).weights[-1].tolist()
    assert matrix(app, "weights_layer")["values"][-1][0] == "nan"
    bound(app, "toggle", "reversed").set_value(True).run()
    assert matrix(app, "weights_layer")["values"][-1] == pytest.approx(weights)
    app = opened("left_padding", START)
    bound(app, "number_input", "padding_here").set_value(4).run()
    assert visit(app).settings == edits.with_choice(START, padding=4)
    assert matrix(app, "weights_plain")["values"][1] == [0.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_invitation_to_click_stands_beside_the_mask_that_can_be_clicked(language):
    now = edits.with_choice(START, mask="custom")
    app = opened("gallery", now, language=language)
    click = {"en": "choose a cell", "zh": "选择单元格"}[language]
    assert [one["id"] for one in pictures(app)[0]["matrices"] if click in one["subtitle"]] == ["mask"]
    both = opened("gallery", edits.with_choice(now, mask_2="causal"))
    assert matrix(app, "mask")["editable"] and matrix(both, "mask")["editable"]
    assert not matrix(both, "both")["editable"]


def test_a_mask_is_continued_as_a_custom_one():
    app = opened("gallery")
    assert not matrix(app, "mask")["editable"]
    app.button("edit_mask").click().run()
    now = visit(app).settings
    assert now.mask == "custom" and now.blocked == {(r, c) for r in range(5) for c in range(5) if c > r}


def test_the_lesson_begins_with_the_sentence_of_the_course():
    assert visit(opened("gallery", CATS)).settings == CATS  # a link is taken at its word
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/masks.py").run()
    assert visit(app).settings == edits.example_start("tired")


def test_the_end_s_lines_have_the_learner_s_numbers_and_every_mask_that_is_set():
    text = said(opened("wrong"))
    assert T("summary.one", mask="“causal”", masked=10, cells=25) in text
    assert T("summary.two", count=5, share="0.2000") in text and T("word.fails") in text
    assert summary.lines(page_of(CATS))[0] == T("summary.one_none", masked=3, cells=9)
    both = replace(START, mask="causal", mask_2="window", window_left=1, window_right=0)
    named = T("summary.one", mask="“causal” and “sliding window”", masked=16, cells=25)
    assert summary.lines(page_of(both))[0] == named
    assert T("summary.three_none") in summary.lines(page_of(replace(START, mask="padding", padding=5)))
    for combine in ("and", "or"):
        now = edits.with_choice(START, mask="causal", mask_2="padding", combine=combine, padding=2)
        assert summary.lines(page_of(now))[0].startswith(f"Mask “causal” {combine} “padding”: ")


def test_a_weight_above_0_is_never_written_as_0():
    far = edits.with_choice(START, mask="causal", scaling="own", own_divisor=0.05)
    weight = re.search(r"keeps a weight of up to (\S+)\. This", said(opened("wrong", far)))[1]
    assert number_of(weight) > 0


def test_a_weight_on_the_padding_is_never_written_as_0():
    """query_rows.share: more digits where it is small, another sentence where it is rounded to 0."""
    for divisor, rounded in ((1.0, False), (0.1, False), (0.0001, True)):
        now = edits.with_choice(edits.with_choice(CATS, padding=2), scaling="own", own_divisor=divisor)
        now = edits.set_cell(now, "x", 2, 0, -6.0)
        text = said(opened("wrong", now, topic="query_rows"))
        share = re.search(r"up to (\S+) of its attention weight", text)
        assert ("rounded to 0" in text) == rounded == (share is None)
        assert rounded or share[1] != "0.00"


@pytest.mark.parametrize("seed", range(60))
def test_the_last_line_says_what_the_wrong_masks_do_to_these_scores(seed):
    now = drawn(seed)
    scores, mask = trace_of(now).head(0).unmasked_scores, mask_of(now)
    mask = causal_mask(len(scores)) if mask is None else mask
    line = summary.lines(page_of(now))[-1]
    plain = torch.softmax(scores, -1).masked_fill(~mask, 0)
    kept = torch.softmax(scores * mask, -1)[~mask]
    if mask.all():
        assert line == T("summary.three_none")
        return
    lost = 1 - plain.sum(-1).min().item()
    assert (T("summary.three_full") in line) == (lost < 5e-7)
    assert ("sums to only" in line) == (lost >= 5e-7)
    assert (T("summary.zeroed_far") in line) == bool((kept == 0).all())
    assert "only 1.00," not in line and "up to 0.00," not in line


def test_a_score_can_be_masked_while_the_question_is_open():
    """As the task asks for. Only a click on a weight is the answer."""
    page = page_of("no_looking")
    answers = []
    no_looking._picked(page, {"matrix": "free_weights", "row": 0, "col": 0}, answers.append)
    assert [answer["matrix"] for answer in answers] == ["free_weights"]
