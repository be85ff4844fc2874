"""The lesson `Softmax` without a browser: every part, both languages, guesses, good and bad links."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import edits
from pages.ui.link import to_query
from pages.ui.settings import COUNTS, MAX_LOGITS, NUMBERS, Settings
from pages.ui.texts import Texts
from tests.browser_support import ROOT

LANGUAGES = ["en", "zh"]
PARTS = ("bars", "temperature", "stable", "axes", "jacobian", "dropout")
GUESSED = {
    "soft_double": "grows",
    "soft_shift": "sharper",
    "soft_tiny": "tiny",
    "soft_axis": "columns",
    "soft_raise": "fall",
    "soft_drop": "same",
}
# Where each is asked, and the title of what it hides.
REVEALED = {
    "soft_double": ("temperature", "hard"),
    "soft_shift": ("temperature", "shift"),
    "soft_tiny": ("stable", "naive"),
    "soft_axis": ("axes", "sums"),
    "soft_raise": ("jacobian", "jacobian"),
    "soft_drop": ("dropout", "one_draw"),
}
START = Settings()
BLIND = frozenset({(1, 0), (1, 1), (1, 2)})
CASES = {
    "one score": {"logits": (3.0,)},
    "two scores": {"logits": (0.5, -2.0)},
    "ten scores": {"logits": tuple(0.3 * i for i in range(MAX_LOGITS)), "score": 9},
    "ties": {"logits": (1.0, 1.0, 1.0)},
    "far too large": {"logits": (1e6, -1e6, 1e6), "shift": 1000.0, "temperature": 0.01},
    "far below": {"logits": (-1e6, -1e6 + 1)},
    "lowest numbers": {name: low for name, (low, _) in NUMBERS.items()},
    "highest numbers": {name: high for name, (_, high) in NUMBERS.items()},
    "no change": {"nudge": 0.0, "shift": 0.0, "dropout": 0.0},
    "last seed": {"dropout_seed": COUNTS["dropout_seed"][1]},
    "float16": {"precision": "float16", "score_size": 100.0},
    "blind row": {"mask": "custom", "blocked": BLIND, "axis": "queries"},
    "padding": {"mask": "padding", "axis": "all"},
}


def open_lesson(**query) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page("pages/soft_max.py")
    return app.run()


def opened(part: str, *, guessed: bool = True, now: Settings = START, **choices) -> AppTest:
    """The part with its questions answered or not, as a link opens it; a second run draws all."""
    now = edits.with_choice(now, **choices)
    guesses = list(GUESSED.items()) if guessed else []
    return open_lesson(**to_query(edits.with_choice(now, part=part, guesses=guesses))).run()


def said(app: AppTest) -> str:
    texts = [element.value for element in app.markdown]
    return "\n".join(texts + [element.proto.body for element in app.get("html")])


def check(app: AppTest, language: str = "en") -> None:
    assert not app.exception and not app.warning and not app.error
    assert app.title[0].value == Texts(language, "soft_max")("page.title")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("guessed", [False, True], ids=["before", "after"])
def test_every_part_runs_in_either_language(language, part, guessed):
    check(opened(part, guessed=guessed, language=language), language)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("case", CASES)
def test_every_part_stands_what_learners_set(part, case):
    check(opened(part, **CASES[case]))


@pytest.mark.parametrize("part", ["axes", "dropout"])
def test_one_token_and_many_heads(part):
    one = edits.remove_token(edits.remove_token(START, 0), 0)
    check(opened(part, now=one))
    many = edits.resize(START, d_model=16, num_heads=8)
    for _ in range(9):
        many = edits.add_token(many)
    check(opened(part, now=edits.with_choice(many, head=7)))


@pytest.mark.parametrize("question", GUESSED)
def test_a_question_hides_its_answer_until_there_is_a_guess(question):
    part, title = REVEALED[question]
    revealed = f"#### {Texts('en', 'soft_max')(f'title.{title}')}"
    others = ",".join(f"{other}:shown" for other in GUESSED if other != question)
    before = open_lesson(part=part, guess=others).run()
    check(before)
    buttons = [button.key for button in before.button if button.key.startswith(f"guess-{question}-")]
    assert len(buttons) == 4  # three options, and just show me
    assert revealed not in said(before)
    after = before.button(f"guess-{question}-{GUESSED[question]}").click().run().run()
    check(after)
    assert "Your guess" in said(after) and revealed in said(after)


@pytest.mark.parametrize("part", PARTS)
def test_a_guess_that_a_link_made_up_does_no_harm(part):
    check(open_lesson(part=part, guess=",".join(f"{question}:9_x" for question in GUESSED)).run())


def test_the_start_is_the_notes_example_with_what_it_prints_and_what_comes():
    app = opened("bars")
    shown = said(app)
    assert "| 2 | 0.65 | 0.659001 | 0.66 | −0.0090 |" in shown
    assert "| 0.1 | 0.11 | 0.098566 | 0.10 | +0.0114 |" in shown
    assert "rounds to 0.66" in shown and "to 0.10" in shown


def test_buttons_change_the_scores():
    app = opened("bars")
    app.button("scores-add").click().run()
    assert app.session_state["settings"].logits == (2.0, 1.0, 0.1, 0.0)
    app.button("scores-remove").click().run()
    app.button("scores-tie").click().run()
    assert app.session_state["settings"].logits == (2.0, 1.0, 2.0)
    app.button("scores-note").click().run()
    assert app.session_state["settings"].logits == (2.0, 1.0, 0.1)
    assert app.button("scores-note").disabled


def test_drawing_again_takes_the_next_seed_and_the_first_after_the_last():
    app = opened("dropout", dropout_seed=COUNTS["dropout_seed"][1])
    app.button("redraw").click().run()
    assert app.session_state["settings"].dropout_seed == 0
    app.button("redraw").click().run()
    assert app.session_state["settings"].dropout_seed == 1


def test_the_naive_form_breaks_where_the_screen_says():
    assert "NaN" in said(opened("stable", precision="float32", score_size=1000.0))
    assert "Right, up to rounding" in said(opened("stable", precision="float64", score_size=100.0))
    assert "wrong by up to" not in said(opened("stable", precision="float32", score_size=10.0))


@pytest.mark.parametrize("part", PARTS)
def test_every_chart_has_its_numbers_as_a_file(part):
    app = opened(part)
    charts, files = app.get("vega_lite_chart"), app.get("download_button")
    assert len(charts) == len(files) > 0
    assert all(re.search(r"CSV", file.label) for file in files)
