"""The files of the part with the learner's numbers have what it shows: without positions, or capped."""

from dataclasses import replace

import pytest

from pages.draw.numbers import short
from pages.hand.export import program, worksheet
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.model.view import Place
from tests.support.course import lesson
from tests.support.states import page_in, with_own
from tests.support.variants import check_variants, drawn_page
from tests.support.worksheets import Sheet

SHOWN = {
    "moved": {"scores": "scores", "scaled_scores": "scaled_scores", "weights": "weights"},
    "capped": {"softcapped_scores": "softcapped_scores", "weights": "weights"},
}


@pytest.mark.parametrize("topic", SHOWN)
def test_the_files_have_the_numbers_of_the_screen(topic):
    pages = (drawn_page("why_scale", "yours", topic, seed) for seed in range(8))
    for _, c in check_variants(pages, SHOWN[topic]):
        assert c.position == "none" and not c.forms and c.capped == (topic == "capped")


def test_another_part_has_the_computation_of_the_settings():
    for part in lesson("why_scale").parts:
        assert (program.of(drawn_page("why_scale", part.name, None, 3)) is None) == (part.name != "yours")


def test_the_questions_of_a_sheet_keep_the_cap():
    """Without the mask the cap stays. What is true without a cap alone is not on the key."""
    cap, plain = 0.125, edits.with_choice(Settings(), mask="none")
    state = with_own(edits.with_choice(plain, mask="causal"), softcap=cap)
    page = replace(page_in("why_scale", "yours", state), place=Place("yours", topic="capped"))
    key = Sheet(worksheet.make_key(page))
    weights = trace_of(plain, cap).heads.weights[0].tolist()
    assert key.key["other_weights"].rows == [[short(cell) for cell in row] for row in weights]
    sheet = Sheet(worksheet.of_choices(page, "", worksheet.Wanted()))
    assert page.t("setting.softcap") in sheet.words and any("0.125" in words for words in sheet.words)
    words = " ".join(key.words)
    assert page.t("sheet.ask_unmasked") in words and page.t("checks.title") not in words
    assert page.t("sheet.ask_scaling").partition("√")[0] not in words
