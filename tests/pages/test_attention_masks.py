"""The lesson `Masks` without a browser: every part, both languages, guesses, good and bad links."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import edits
from pages.ui.link import to_query
from pages.ui.settings import MASKS, Settings
from pages.ui.texts import Texts
from tests.browser_support import ROOT

LANGUAGES = ["en", "zh"]
PARTS = ["gallery", "dead", "half", "wrong", "cross"]
SHOWN = {"causal": "shown", "closed": "shown", "polarity": "shown", "times_zero": "shown"}
START = Settings()
ONE = edits.remove_token(edits.remove_token(START, 0), 0)
TWELVE = edits.resize(START, d_model=16, num_heads=8)
for _ in range(9):
    TWELVE = edits.add_token(TWELVE)
HUGE = edits.fill(START, "w_q", "zeros")
for i in range(4):
    HUGE = edits.set_cell(HUGE, "w_q", i, i, 1e6)
HUGE = edits.set_block(HUGE, "x", 0, 0, [[1e6] * 4, [-1e6] * 4, [0.0] * 4])
ALL_BLOCKED = frozenset((r, c) for r in range(3) for c in range(3))
CASES = {
    "one token": ONE,
    "one token, causal": edits.with_choice(ONE, mask="causal"),
    "twelve tokens, eight heads": edits.with_choice(TWELVE, mask="causal_window", head=7, row=11),
    "huge scores": edits.with_choice(HUGE, mask="causal"),
    "all rows dead": edits.with_choice(START, mask="custom", blocked=ALL_BLOCKED, row=2),
    "dead with a billion": edits.with_choice(START, mask="custom", blocked=ALL_BLOCKED, masked_score="-1e9"),
    "two masks": edits.with_choice(START, mask="padding", mask_2="window", combine="or", padding=1),
    "two masks and": edits.with_choice(START, mask="causal", mask_2="packed", reversed=True),
    "longer source": edits.set_source(
        edits.with_choice(START, cross_mask="padding"), "a b c d e f g h i j k l"
    ),
    "more queries than keys": edits.set_source(
        edits.with_choice(TWELVE, cross_mask="causal", alignment="lower_right"), "a b"
    ),
    "odd width": edits.set_biases(edits.resize(START, d_model=5, d_k=3, d_v=2), True),
    "shared keys": edits.resize(START, num_heads=4, num_kv_heads=2),
}


def open_lesson(**query) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page("pages/attention_masks.py")
    return app.run()


def opened(now: Settings, part: str, guesses: dict[str, str] | None = None) -> AppTest:
    guesses = list((guesses or {}).items())
    return open_lesson(**to_query(edits.with_choice(now, part=part, guesses=guesses)))


def said(app: AppTest) -> str:
    html = " ".join(element.proto.body for element in app.get("html"))
    return "\n".join(element.value for element in app.markdown) + html


def charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("guesses", [{}, SHOWN], ids=["before", "after"])
def test_the_start_runs_in_either_language(language, part, guesses):
    app = opened(edits.with_choice(START, language=language), part, guesses)
    t = Texts(language, "one_head", "attention_masks")
    assert not app.exception and not app.warning
    assert app.title[0].value == t("page.title")
    expected = {"gallery": 13, "dead": 3 if guesses else 1, "half": 4, "wrong": 3, "cross": 7}
    assert charts(app) == expected[part]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("part", PARTS)
def test_every_mask_runs(mask, part):
    now = edits.with_choice(START, mask=mask, language="zh", blocked=[(0, 1), (2, 0)])
    app = opened(now, part, SHOWN)
    assert not app.exception and not app.warning
    assert app.session_state["settings"].mask == mask


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("case", CASES)
def test_every_state_runs(part, case):
    app = opened(CASES[case], part, SHOWN)
    assert not app.exception and not app.warning
    shown = edits.with_choice(app.session_state["settings"], part=None, guesses=[])
    assert shown == CASES[case]
    if part != "dead":
        assert "nan" not in said(app).replace("NaN", "").lower().split()


@pytest.mark.parametrize(
    "guesses",
    [
        {"causal": "0_0", "closed": "alike", "polarity": "turned", "times_zero": "more"},
        {"causal": "2_2", "closed": "zero", "polarity": "same", "times_zero": "nan"},
        {"causal": "9_9", "closed": "banana", "polarity": "1_1", "times_zero": "7"},
        {"causal": "banana", "nothing": "at_all"},
    ],
    ids=["right", "wrong", "garbage", "unknown"],
)
@pytest.mark.parametrize("part", PARTS)
def test_guesses_in_the_link(part, guesses):
    app = opened(START, part, guesses)
    assert not app.exception and not app.warning


def test_a_right_guess_and_a_wrong_one_are_told_apart():
    t = Texts("en", "one_head", "attention_masks")
    right = t("predict.right", said=t("share.alike"))
    wrong = t("predict.wrong", said=t("share.zero"), answer=t("share.alike"))
    assert right in said(opened(START, "dead", {"closed": "alike"}))
    assert wrong in said(opened(START, "dead", {"closed": "zero"}))


def test_the_clicked_cell_is_judged():
    t = Texts("en", "one_head", "attention_masks")
    assert t("predict.cell_right") in said(opened(START, "gallery", {"causal": "0_0"}))
    text = said(opened(START, "gallery", {"causal": "0_2"}))
    assert t("predict.cell_wrong") in text
    assert t("causal.hidden", query="我 I", key="猫 cats") in text


def test_without_a_mask_the_causal_one_stands_in():
    t = Texts("en", "attention_masks")
    captions = [caption.value for caption in opened(START, "wrong").caption]
    assert t("page.stand_in") in captions
    masked = edits.with_choice(START, mask="window")
    assert t("page.stand_in") not in [caption.value for caption in opened(masked, "wrong").caption]


def test_the_table_says_what_was_measured():
    text = said(opened(START, "dead", SHOWN))
    assert "| `F.scaled_dot_product_attention` | 0 | torch 2" in text
    assert "| `nn.MultiheadAttention, need_weights=True` | NaN | torch 2" in text
    assert "JAX 0.10.2" in text and "Keras 3.15.1" in text and "onnxruntime 1.31.1" in text


def test_the_note_on_numbers_by_hand_is_only_said_of_them():
    t = Texts("en", "attention_masks")
    assert t("page.cross_by_hand") in said(opened(START, "cross"))
    assert t("page.cross_by_hand") not in said(opened(edits.set_cell(START, "y", 0, 0, 1.0), "cross"))
