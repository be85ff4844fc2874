"""The lesson `Many heads` without a browser: every part, both languages, guesses, good and bad links."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import edits
from pages.ui.head_parts import PARTS
from pages.ui.link import to_query
from pages.ui.settings import Settings
from pages.ui.texts import Texts
from tests.browser_support import ROOT

LANGUAGES = ["en", "zh"]
GUESSED = [("columns", "block"), ("ablation", "1"), ("view", "1"), ("cache", "4")]
START = Settings()
BIG = edits.resize(START, d_model=16, num_heads=8)
for _ in range(9):
    BIG = edits.add_token(BIG)
CASES = {
    "one head": START,
    "two heads": edits.resize(START, num_heads=2),
    "two jobs": edits.load_example(START, "two_jobs"),
    "shared keys": edits.resize(START, num_heads=4, num_kv_heads=2),
    "one token": edits.resize(edits.remove_token(edits.remove_token(START, 0), 0), num_heads=2),
    "dead row": edits.with_choice(
        edits.resize(START, num_heads=2), mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)})
    ),
    "biases": edits.set_biases(edits.resize(START, num_heads=2, d_k=3, d_v=5), True),
    "twelve tokens, eight heads": BIG,
}


def open_lesson(**query) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page("pages/many_heads.py")
    return app.run()


def opened(now: Settings, part: str, *, guessed: bool) -> AppTest:
    return open_lesson(**to_query(edits.with_choice(now, part=part, guesses=GUESSED if guessed else [])))


def said(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def check_opened(app: AppTest, now: Settings) -> None:
    assert not app.exception and not app.warning
    assert app.title[0].value == Texts(now.language, "many_heads")("page.title")
    assert edits.with_choice(app.session_state["settings"], part=None, guesses=[]) == now


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("guessed", [False, True], ids=["before", "after"])
def test_every_part_runs_in_either_language(language, part, guessed):
    now = edits.with_choice(CASES["two heads"], language=language)
    check_opened(opened(now, part, guessed=guessed), now)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("case", CASES)
def test_every_part_runs_in_every_state(part, case):
    check_opened(opened(CASES[case], part, guessed=True), CASES[case])


@pytest.mark.parametrize(
    ("part", "question", "wrong", "right"),
    [("split", "columns", "rows", "block"), ("ablation", "ablation", "1", "2"), ("view", "view", "1", "2")],
)
def test_a_guess_is_committed_answered_and_taken_back(part, question, wrong, right):
    t = Texts("en", "many_heads")
    app = opened(CASES["two heads"], part, guessed=False)
    before = len(app.get("vega_lite_chart"))
    app.button(f"guess-{question}-{wrong}").click().run()
    assert "Not so" in said(app) and len(app.get("vega_lite_chart")) >= max(before, 1)
    assert dict(app.session_state["settings"].guesses)[question] == wrong
    app.button(f"again-{question}").click().run()
    assert app.session_state["settings"].guesses == ()
    app.button(f"guess-{question}-{right}").click().run()
    assert "Right." in said(app) and t("predict.ask") in said(app)


def test_a_number_is_guessed():
    app = opened(CASES["two heads"], "sharing", guessed=False)
    app.button("guess-cache-commit").click().run()
    assert app.session_state["settings"].guesses == ()  # nothing was entered
    app.number_input("guess-cache").set_value(4).run()
    app.button("guess-cache-commit").click().run()
    assert "Your guess: **4**. Right." in said(app)
    assert "| **2 (multi-head)** |" in said(app)


@pytest.mark.parametrize("part", ["split", "ablation", "view", "sharing"])
@pytest.mark.parametrize("guess", ["shown", "nonsense", "999", "1_2"])
def test_nobody_has_to_guess_and_no_guess_breaks_the_page(part, guess):
    questions = {"split": "columns", "ablation": "ablation", "view": "view", "sharing": "cache"}
    now = edits.with_choice(CASES["two heads"], part=part, guesses=[(questions[part], guess)])
    app = open_lesson(**to_query(now))
    assert not app.exception and not app.warning
    assert "Right." not in said(app)


def test_one_head_is_offered_two():
    app = open_lesson(lang="en")
    app.button("two_heads").click().run()
    assert app.session_state["settings"] == CASES["two heads"]
    app.button("two_jobs").click().run()
    assert app.session_state["settings"].example == "two_jobs"


def test_the_page_s_own_controls_are_those_of_the_sidebar():
    app = opened(CASES["two heads"], "overview", guessed=False)
    app.number_input("set_num_heads_page").set_value(4).run()
    assert app.sidebar.number_input("set_num_heads").value == 4
    app.selectbox("set_num_kv_heads_page").set_value(2).run()
    assert app.session_state["settings"].kv_heads == 2
    app.number_input("set_num_heads_page").set_value(3).run()
    assert app.session_state["settings"].num_heads == 4
    assert "do not divide" in app.warning[0].value


def test_a_head_is_switched_off():
    app = open_lesson(**to_query(edits.with_choice(CASES["two heads"], part="ablation", guesses=GUESSED)))
    app.pills("set_off").set_value([0]).run()
    assert app.session_state["settings"].off == {1}
    assert "81%" in said(app)


def test_both_ways_out_of_a_count_that_does_not_divide():
    for key, heads, width in (("way_count", 2, 2), ("way_width", 3, 2)):
        app = opened(CASES["two heads"], "code", guessed=False)
        assert any("AttentionError" in block.value for block in app.code)
        assert any("AssertionError" in block.value for block in app.code)
        app.button(key).click().run()
        now = app.session_state["settings"]
        assert (now.num_heads, now.head_dim) == (heads, width) and not app.exception


def test_the_module_equals_pytorch_s_on_the_learner_s_numbers():
    assert "equals nn.MultiheadAttention: yes" in said(opened(CASES["two heads"], "code", guessed=False))
    assert "cannot hold these matrices" in said(opened(CASES["two jobs"], "code", guessed=False))


def test_the_note_s_case_is_measured():
    text = said(opened(CASES["two heads"], "view", guessed=True))
    assert "(1, 2, 4, 8)" in text and "both are the same, difference 0" in text
