"""The lesson `Softmax` without a browser: every part, both languages, answers, good and bad links."""

import pytest

from pages.lessons.softmax import LESSON
from pages.lessons.softmax.settings import Own
from pages.lessons.softmax.temperature import TOPICS
from pages.model import edits
from pages.model.fields import specs
from pages.model.scores import MAX_LOGITS
from pages.model.settings import Settings
from pages.model.view import Place, View
from pages.ui.texts import Texts
from tests.apps import LANGUAGES, open_page, pictures, said, visit
from tests.states import value_of, with_own

START = Settings()
SHOWN = tuple((question, "shown") for question in LESSON.questions)
PLACES = [
    Place(part=part.name, topic=topic)
    for part in LESSON.parts
    for topic in (TOPICS if part.name == "temperature" else (None,))
]
IDS = [place.topic or place.part for place in PLACES]
NUMBERS = ("temperature", "shift", "nudge", "top_score", "dropout", "score", "dropout_seed")
RANGES = {name: specs(Own)[name].range(Own()) for name in NUMBERS}
FULLY_MASKED = frozenset({(1, 0), (1, 1), (1, 2)})
CASES = {
    "one score": {"logits": (3.0,)},
    "two scores": {"logits": (0.5, -2.0)},
    "ten scores": {"logits": tuple(0.3 * i for i in range(MAX_LOGITS)), "score": 9},
    "ties": {"logits": (1.0, 1.0, 1.0)},
    "far too large": {"logits": (1e6, -1e6, 1e6), "shift": 1000.0, "temperature": 0.01},
    "far below": {"logits": (-1e6, -1e6 + 1)},
    "lowest numbers": {name: low for name, (low, _) in RANGES.items()},
    "highest numbers": {name: high for name, (_, high) in RANGES.items()},
    "no change": {"nudge": 0.0, "shift": 0.0, "dropout": 0.0},
    "bfloat16": {"precision": "bfloat16", "top_score": 1000.0},
    "fully masked row": {"mask": "custom", "blocked": FULLY_MASKED, "axis": "queries"},
    "finite masked score": {"mask": "causal", "masked_score": "-1e9"},
    "padding": {"mask": "padding", "axis": "all"},
}


def opened(place: Place, settings: Settings = START, answers=SHOWN, language: str = "en"):
    app = open_page("softmax", settings, View(language=language, answers=answers), place)
    assert not app.exception and not app.warning and not app.error
    return app


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", [(), SHOWN], ids=["before", "after"])
@pytest.mark.parametrize("place", PLACES, ids=IDS)
def test_every_part_runs_in_either_language(place, answers, language):
    app = opened(place, answers=answers, language=language)
    assert app.title[0].value == Texts(language, "softmax")("lesson.title") and pictures(app)


@pytest.mark.parametrize("place", PLACES, ids=IDS)
@pytest.mark.parametrize("case", CASES)
def test_every_part_stands_what_learners_set(place, case):
    opened(place, with_own(START, **CASES[case]))


@pytest.mark.parametrize("part", ["axes", "dropout"])
def test_one_token_many_heads_and_biases(part):
    one = edits.remove_token(edits.remove_token(START, 0), 0)
    opened(Place(part=part), one)
    many = edits.set_biases(edits.resize(START, d_model=16, num_heads=8), True)
    for _ in range(9):
        many = edits.add_token(many)
    app = open_page("softmax", many, View(answers=SHOWN, head=7), Place(part=part))
    assert not app.exception
    chosen = [m for m in pictures(app)[0]["matrices"] if m["chosen"]]
    assert [m["id"] for m in chosen] == ["head_weights_8"]


# ---- questions

# Where each is asked, and the right answer.
ASKED = {
    "soft_double": (Place(part="temperature"), "grows"),
    "soft_shift": (Place(part="temperature", topic="constant"), "same_weights"),
    "soft_tiny": (Place(part="stable"), "zero"),
    "soft_axis": (Place(part="axes"), "columns"),
    "soft_raise": (Place(part="jacobian"), "fall"),
    "soft_drop": (Place(part="dropout"), "divided"),
    "softmax_end": (Place(part="dropout"), "shifted"),
}


def without(question: str):
    return tuple(pair for pair in SHOWN if pair[0] != question)


@pytest.mark.parametrize("question", ASKED)
def test_a_question_reveals_its_reasons_only_after_an_answer_and_knows_the_right_one(question):
    place, answer = ASKED[question]
    before = opened(place, answers=without(question))
    because = Texts("en", "softmax")(f"because.{question}_{answer}").partition("{")[0]
    assert because not in said(before)
    assert visit(before).view.answer(question) is None
    after = before.button(f"guess-{question}-{answer}").click().run()
    assert not after.exception
    assert because in said(after) and "Right." in said(after)


@pytest.mark.parametrize("question", [name for name in ASKED if name not in ("softmax_end",)])
def test_the_numbers_to_think_with_stand_in_the_question_and_nothing_else_is_drawn(question):
    place, _ = ASKED[question]
    (shown,) = pictures(opened(place, answers=without(question)))
    names = {m["id"] for m in shown["matrices"]}
    assert names <= {"logits", "weights", "masked_scores"} and names
    assert not any(m["editable"] for m in shown["matrices"])


def test_no_question_is_spoilt_by_what_stands_beside_it():
    """The Jacobian's formula and the line of code with the axis appear only after the answers."""
    jacobian = opened(Place(part="jacobian"), answers=without("soft_raise"))
    assert r"\partial p_i" not in said(jacobian)
    axes = opened(Place(part="axes"), answers=without("soft_axis"))
    assert not axes.code
    for language in LANGUAGES:
        asked = Texts(language, "softmax")("ask.soft_axis")
        assert not any(phrase in asked for phrase in ("each column", "down", "沿着每一列", "每一列"))


@pytest.mark.parametrize("place", PLACES, ids=IDS)
def test_an_answer_that_a_link_made_up_does_no_harm(place):
    answers = tuple((question, "9_x") for question in LESSON.questions)
    opened(place, answers=answers)


def test_with_one_key_there_is_nothing_to_ask():
    one = with_own(START, logits=(3.0,))
    for place in (Place(part="temperature"), Place(part="jacobian")):
        app = opened(place, one, answers=())
        assert not [button for button in app.button if (button.key or "").startswith("guess-")]


# ---- buttons


def test_buttons_change_the_scores():
    app = opened(Place(part="bars"))
    app.button("scores-add").click().run()
    assert value_of(visit(app).state, "logits") == (2.0, 1.0, 0.1, 0.0)
    app.button("scores-remove").click().run()
    app.button("scores-tie").click().run()
    assert value_of(visit(app).state, "logits") == (2.0, 1.0, 2.0)
    app.button("scores-note").click().run()
    assert value_of(visit(app).state, "logits") == (2.0, 1.0, 0.1)
    assert app.button("scores-note").disabled


def test_drawing_again_takes_the_next_seed_and_the_first_after_the_last():
    last = RANGES["dropout_seed"][1]
    app = opened(Place(part="dropout"), with_own(START, dropout_seed=last))
    app.button("redraw").click().run()
    assert value_of(visit(app).state, "dropout_seed") == 0
    app.button("redraw").click().run()
    assert value_of(visit(app).state, "dropout_seed") == 1


@pytest.mark.parametrize("part", [part.name for part in LESSON.parts])
def test_every_widget_of_the_lesson_has_a_help_text(part):
    app = opened(Place(part=part))
    ours = [b for b in app.button if (b.key or "").startswith(("scores-", "redraw"))]
    assert all(button.help for button in ours)
    groups = [w for w in app.get("button_group") if w.proto.label and w.proto.label_visibility.value == 0]
    assert all(group.proto.help for group in groups)


@pytest.mark.parametrize("place", PLACES, ids=IDS)
def test_charts_come_with_their_numbers_as_a_file(place):
    app = opened(place)
    assert bool(app.get("vega_lite_chart")) == bool(app.get("download_button"))
