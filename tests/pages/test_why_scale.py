"""The lesson `Why √d_k` without a browser: every part, both languages, guesses, good and bad links."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import edits
from pages.ui.compute import trace_of
from pages.ui.link import to_query
from pages.ui.scale_facts import total_variation
from pages.ui.settings import COUNTS, NUMBERS, Settings
from pages.ui.texts import Texts
from tests.browser_support import ROOT

LANGUAGES = ["en", "zh"]
PARTS = ("experiment", "spread", "learning", "limits", "yours")
QUESTIONS = {
    "experiment": "factor",
    "spread": "flat",
    "learning": "fall",
    "limits": "note_start",
    "yours": "row",
}
GUESSED = [(question, "shown") for question in (*QUESTIONS.values(), "same")]
CHARTS = {"experiment": 2, "spread": 1, "learning": 2, "limits": 2, "yours": 1}
START = Settings()
OURS = [name for name in (*NUMBERS, *COUNTS) if name.startswith("sample_")]
ENDS = NUMBERS | COUNTS
MANY = edits.resize(START, d_model=16, num_heads=8)
for _ in range(9):
    MANY = edits.add_token(MANY)
SAMPLES = {
    "no variance": {"sample": "signs", "sample_case": "same", "sample_d_k": 1024},
    "against each other": {"sample": "uniform", "sample_case": "correlated", "sample_correlation": -1.0},
    "mean and variance": {"sample_mean": 2.0, "sample_variance": 3.0},
    "lowest": {name: ENDS[name][0] for name in OURS} | {"sample_case": "correlated"},
    "highest": {name: ENDS[name][1] for name in OURS} | {"sample_case": "correlated"},
}
OWN = {
    "one token": edits.remove_token(edits.remove_token(START, 0), 0),
    "no scaling": edits.with_choice(START, scaling="none"),
    "own divisor": edits.with_choice(START, scaling="own", own_divisor=-1e-6),
    "dead row": edits.with_choice(START, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)})),
    "dead row, −10⁹": edits.with_choice(
        START, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)}), masked_score="-1e9"
    ),
    "causal": edits.with_choice(START, mask="causal"),
    "shared keys": edits.with_choice(edits.resize(START, num_heads=4, num_kv_heads=2), head=3),
    "twelve tokens, eight heads": MANY,
    "huge": edits.set_block(edits.set_cell(START, "x", 0, 0, 1e6), "w_q", 0, 0, [[1e6] * 4] * 4),
}


def open_lesson(**query) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page("pages/why_scale.py")
    return app.run()


def opened(part: str, *, guessed: bool = True, now: Settings = START, **choices) -> AppTest:
    guesses = GUESSED if guessed else []
    return open_lesson(**to_query(edits.with_choice(now, part=part, guesses=guesses, **choices)))


def said(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def tables(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def check(app: AppTest, language: str = "en") -> None:
    assert not app.exception and not app.warning
    assert app.title[0].value == Texts(language, "why_scale")("page.title")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", PARTS)
def test_every_part_asks_before_it_shows(language, part):
    before = opened(part, guessed=False, language=language)
    after = opened(part, language=language)
    check(before, language)
    check(after, language)
    ask = Texts(language)("predict.ask")
    assert ask in said(before) and ask in said(after)
    assert len(before.get("vega_lite_chart")) == 0
    assert len(after.get("vega_lite_chart")) == CHARTS[part]
    assert len(after.get("download_button")) == CHARTS[part]  # each chart's numbers, one click away


@pytest.mark.parametrize("case", SAMPLES)
@pytest.mark.parametrize("part", PARTS[:-1])
def test_every_way_of_drawing(part, case):
    app = opened(part, **SAMPLES[case])
    check(app)
    assert len(app.get("vega_lite_chart")) == CHARTS[part]


@pytest.mark.parametrize("case", OWN)
def test_every_matrix_of_the_first_page(case):
    app = opened("yours", now=OWN[case])
    check(app)
    assert edits.with_choice(app.session_state["settings"], part=None, guesses=[]) == OWN[case]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("guess", ["nonsense", "999", "1_2"])
def test_no_guess_breaks_the_page(part, guess):
    app = open_lesson(**to_query(edits.with_choice(START, part=part, guesses=[(QUESTIONS[part], guess)])))
    check(app)
    assert "Right." not in said(app)


@pytest.mark.parametrize(
    "query",
    [
        {"sampledk": "0"},
        {"sampledk": "many"},
        {"pairs": "1000000"},
        {"seed": "-1"},
        {"correlation": "2"},
        {"variance": "nan"},
        {"sample": "cauchy"},
        {"case": "all"},
        {"part": "nowhere"},
    ],
)
def test_no_link_breaks_the_page(query):
    app = open_lesson(lang="en", **query)
    assert not app.exception and len(app.warning) == 1
    assert app.session_state["settings"] == Settings(language="en")


@pytest.mark.parametrize(
    ("part", "question", "wrong", "right"),
    [
        ("experiment", "factor", "16", "4"),
        ("spread", "flat", "none", "d_k"),
        ("learning", "fall", "two", "thousand"),
        ("yours", "row", "1", "3"),
    ],
)
def test_a_guess_is_committed_answered_and_taken_back(part, question, wrong, right):
    app = opened(part, guessed=False)
    app.button(f"guess-{question}-{wrong}").click().run()
    assert "Not so" in said(app) and len(app.get("vega_lite_chart")) == CHARTS[part]
    assert dict(app.session_state["settings"].guesses)[question] == wrong
    app.button(f"again-{question}").click().run()
    assert app.session_state["settings"].guesses == ()
    app.button(f"guess-{question}-{right}").click().run()
    assert "Right." in said(app)


def test_the_spread_of_note_002_is_guessed_as_a_number():
    app = opened("limits", guessed=False)
    app.number_input("guess-note_start").set_value(8).run()
    app.button("guess-note_start-commit").click().run()
    assert "Your guess: **8**. Right." in said(app)
    assert ">8." in tables(app) and ">5" in tables(app)  # measured at 8 and at 512


def test_assumptions_are_switched_off_one_by_one():
    app = opened("experiment")
    assert "the variance is 1" in said(app)
    app.toggle("set_fair_mean").set_value(False).run()
    assert app.session_state["settings"].sample_mean == 1.0
    assert r"\mathrm{Var}(q\cdot k)=3\,d_k" in said(app)
    app.toggle("set_fair_mean").set_value(True).run()
    app.toggle("set_fair_variance").set_value(False).run()
    assert r"\mathrm{Var}(q\cdot k)=4\,d_k" in said(app)
    app.toggle("set_fair_variance").set_value(True).run()
    app.toggle("set_fair_case").set_value(False).run()
    assert app.session_state["settings"].sample_case == "correlated"
    assert r"\mathrm{Var}(q\cdot k)=1.25\,d_k" in said(app) and r"$0.5\,d_k$" in said(app)


def test_k_equal_to_q_is_asked_first():
    app = open_lesson(**to_query(edits.with_choice(START, sample_case="same", guesses=[("factor", "4")])))
    assert len(app.get("vega_lite_chart")) == 0
    app.button("guess-same-width").click().run()
    assert "Your guess: **64**. Right." in said(app)
    assert r"\mathrm{Var}(q\cdot k)=2\,d_k" in said(app)


def test_entries_pairs_and_seed_are_set_by_hand():
    app = opened("experiment")
    before = tables(app)
    app.number_input("set_sample_seed_page").set_value(1).run()
    assert tables(app) != before
    app.number_input("set_sample_pairs_page").set_value(1000).run()
    assert "1000 pairs" in said(app)
    check(app)


def test_the_scaling_is_the_first_page_s_and_the_rows_follow_it():
    app = opened("yours")
    moved = total_variation(
        trace_of(START).heads.weights[0],
        trace_of(edits.with_choice(START, scaling="none")).heads.weights[0],
    )
    for share in moved.tolist():
        assert f">{share:.1%}<" in tables(app)
    app.segmented_control("set_scaling_page").set_value("d_k").run()
    assert app.session_state["settings"].scaling == "d_k"
    app.segmented_control("set_scaling_page").set_value("own").run()
    app.number_input("set_own_divisor_page").set_value(0.5).run()
    assert app.session_state["settings"].own_divisor == 0.5
    check(app)
