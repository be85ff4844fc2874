"""The lesson `FlashAttention` without a browser: every part, both languages, answers, unusual settings."""

import pytest

from pages.lessons.flash_attention import LESSON
from pages.lessons.flash_attention.settings import Own
from pages.model import edits
from pages.model.fields import specs
from pages.model.settings import Settings
from pages.model.view import Place
from pages.ui.texts import Texts
from tests.apps import LANGUAGES, matrix, open_page, pictures, said, visit
from tests.states import looking, value_of, with_own

START = edits.load_example(Settings(), "previous")
SHOWN = tuple((question, "shown") for question in LESSON.questions)
PARTS = [part.name for part in LESSON.parts]
NUMBERS = ("block_q", "block_k", "flash_n", "flash_d", "flash_memory")
RANGES = {name: specs(Own)[name].range(Own()) for name in NUMBERS}
ALL_MASKED = frozenset((r, c) for r in range(4) for c in range(4))
CASES = {
    "one score": {"logits": (3.0,)},
    "far too large": {"logits": (1e6, -1e6, 1e6)},
    "lowest numbers": {name: low for name, (low, _) in RANGES.items()},
    "highest numbers": {name: high for name, (_, high) in RANGES.items()},
    "everything masked": {"mask": "custom", "blocked": ALL_MASKED},
    "fully masked row": {"mask": "custom", "blocked": frozenset((1, c) for c in range(4))},
    "finite masked score": {"mask": "causal", "masked_score": "-1e9"},
    "rotary": {"position": "rotary", "outer": "queries"},
    "alibi": {"position": "alibi"},
}


def opened(part: str, settings: Settings = START, answers=SHOWN, language: str = "en", **view):
    seen = looking(language=language, answers=answers, **view)
    app = open_page("flash_attention", settings, seen, Place(part=part))
    assert not app.exception and not app.warning and not app.error
    return app


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answers", [(), SHOWN], ids=["before", "after"])
@pytest.mark.parametrize("part", PARTS)
def test_every_part_runs_in_either_language(part, answers, language):
    app = opened(part, answers=answers, language=language)
    assert app.title[0].value == Texts(language, "flash_attention")("lesson.title")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("case", CASES)
def test_every_part_stands_what_learners_set(part, case):
    opened(part, with_own(START, **CASES[case]), tile=144)


@pytest.mark.parametrize("part", PARTS)
def test_one_token_and_many_heads(part):
    one = Settings()
    one = edits.remove_token(edits.remove_token(one, 0), 0)
    opened(part, one)
    many = edits.set_biases(edits.resize(START, d_model=16, num_heads=8, num_kv_heads=2, d_v=1), True)
    for _ in range(8):
        many = edits.add_token(many)
    opened(part, many, head=7, tile=20)


def test_a_block_is_at_most_as_large_as_the_tokens_are_many():
    app = opened("tiles", with_own(edits.remove_token(START, 0), block_q=4, block_k=4))
    assert [app.number_input(key=f"set_{name}").value for name in ("block_q", "block_k")] == [3, 3]


# ---- questions

ASKED = {
    "flash_mend": ("row", "factor"),
    "flash_same": ("tiles", "same"),
    "flash_skip": ("tiles", "3"),
    "flash_ops": ("moves", "more"),
    "flash_end": ("moves", "right"),
}


@pytest.mark.parametrize("question", ASKED)
def test_a_question_reveals_its_reasons_only_after_an_answer_and_knows_the_right_one(question):
    part, answer = ASKED[question]
    before = opened(part, answers=tuple(pair for pair in SHOWN if pair[0] != question))
    because = Texts("en", "flash_attention")(f"because.{question}_{answer}").partition("{")[0]
    assert because not in said(before)
    after = before.button(f"guess-{question}-{answer}").click().run()
    assert not after.exception and because in said(after) and "Right." in said(after)


@pytest.mark.parametrize("question", ["flash_mend", "flash_same"])
def test_before_the_answer_nothing_computed_is_shown(question):
    part, _ = ASKED[question]
    (shown,) = pictures(opened(part, answers=()))
    assert not any(one["editable"] for one in shown["matrices"])
    if question == "flash_same":
        assert shown["matrices"][0]["values"] == [["1", "1", "3", "3"]] * 2 + [["2", "2", "4", "4"]] * 2


# ---- from tile to tile


def test_the_buttons_go_through_the_tiles_and_the_state_is_in_the_view():
    app = opened("tiles")
    assert value_of(visit(app).view, "tile") == 1
    for key, tile in (("next", 2), ("end", 4), ("back", 3), ("start", 0)):
        app.button(f"tile-{key}").click().run()
        assert value_of(visit(app).view, "tile") == tile and not app.exception
    assert app.button("tile-back").disabled and app.button("tile-start").disabled
    assert "m = −∞" in said(app)


def test_play_begins_anew_after_the_last_tile_and_stops():
    app = opened("tiles", tile=4)
    app.button("tile-play").click().run()
    assert (value_of(visit(app).view, "tile"), value_of(visit(app).view, "playing")) == (0, True)
    assert not matrix(app, "x")["editable"] and app.button("tile-next").disabled
    app.button("tile-play").click().run()
    assert not value_of(visit(app).view, "playing") and matrix(app, "x")["editable"]


@pytest.mark.parametrize("part", PARTS)
def test_every_control_has_a_help_text(part):
    app = opened(part)
    ours = [b for b in app.button if (b.key or "").startswith(("row-", "tile-"))]
    assert all(button.help for button in ours)
    groups = [w for w in app.get("button_group") if w.proto.label and w.proto.label_visibility.value == 0]
    assert all(group.proto.help for group in groups)
