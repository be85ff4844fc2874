"""The first four stops of the hour: their tasks, the sentences to keep, and what is on the screen when."""

import math  # noqa: F401  (in the lines that are evaluated)
from dataclasses import replace
from functools import partial
from importlib import import_module

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from attention import scaled_dot_product_attention
from pages.draw.numbers import number_of, short
from pages.draw.texts import Texts
from pages.lessons.one_head import arrows, library, row, sentence
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support import screen
from tests.support.hour import sentence_to_keep
from tests.support.screen import LANGUAGES, matrix, matrix_ids, pictures, said, visit
from tests.support.states import page_in, with_own

opened = partial(screen.opened, "one_head")
TIRED = edits.example_start("tired")
IT, STREET = sentence.IT, sentence.STREET


def page_of(part: str, now: Settings | State = TIRED, language: str = "en"):
    return page_in("one_head", part, now, View(language=language))


def with_request(*request: float) -> State:
    return with_own(TIRED, request=request)


def turned(degrees: float) -> Settings:
    return edits.set_direction(TIRED, "query", IT, 0, degrees)


DONE = {
    "library": [with_request(0.7, 0.0), with_request(0.76, 0.21), with_request(1.4, 0.71)],
    "row": [edits.set_cell(TIRED, "x", IT, col, 0.3) for col in range(4)],
    "hand": [
        edits.set_cell(TIRED, "x", *cell)
        for cell in ((IT, 3, -0.25), (STREET, 0, 1.6), (STREET, 3, 3.25), (STREET, 1, 7.0))
    ],
    "arrows": [turned(-90.0), turned(180.0), edits.set_cell(TIRED, "key", STREET, 1, 3.0)],
}
NOT_DONE = {
    "library": [with_request(0.0, 0.0), with_request(2.0, 0.0), with_request(1.0)],
    "row": [edits.set_cell(TIRED, "x", STREET, 0, 1.0), Settings()],
    "hand": [edits.set_cell(TIRED, "x", IT, 1, 2.5), edits.set_cell(TIRED, "x", STREET, 0, 1.59), Settings()],
    # A longer key that comes from X is no answer.
    "arrows": [
        turned(60.0),
        edits.set_cell(TIRED, "x", STREET, 1, 7.0),
        edits.set_cell(TIRED, "key", 1, 1, 2.5),
    ],
}
STOPS = [*DONE]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", STOPS)
def test_a_task_is_not_done_at_the_start_and_done_after_what_it_asks_for(part, language):
    module = import_module(f"pages.lessons.one_head.{part}")
    begun = edits.example_start("tired_zh" if language == "zh" else "tired")
    assert not module.task(page_of(part, begun, language))
    assert [module.task(page_of(part, now, language)) for now in DONE[part]] == [True] * len(DONE[part])
    assert not any(module.task(page_of(part, now, language)) for now in NOT_DONE[part])


numbers = st.floats(-5, 5).map(lambda value: round(value, 2))


@limits(max_examples=15, deadline=None)
@given(st.lists(numbers, min_size=16, max_size=16), st.tuples(numbers, numbers))
def test_the_sentence_to_keep_has_the_learner_s_numbers(x, request):
    now = replace(TIRED, x=tuple(tuple(x[i : i + 4]) for i in range(0, 16, 4)))
    state, head = with_own(now, request=request), trace_of(now).head(0)
    assert f"{head.weights[IT, STREET]:.2f}" in sentence_to_keep(page_of("hand", state))
    labels, contents = (
        torch.tensor(rows, dtype=torch.float64) for rows in (library.LABELS, library.CONTENTS)
    )
    asked = torch.tensor([request], dtype=torch.float64)
    trace = scaled_dot_product_attention(asked, labels, contents, scale=1.0)
    assert f"{trace.weights[0, 0]:.2f}" in sentence_to_keep(page_of("library", state))
    kept = sentence_to_keep(page_of("row", state)).rpartition(" = ")[2].rstrip(".")
    assert number_of(kept) == number_of(short(head.output[IT, 0].item()))
    scene = arrows._scene(page_of("arrows", state))
    score = trace_of(scene.settings).head(0).scores[arrows._row(scene)].max().item()
    assert f"{score:.2f}".replace("-", "−") in sentence_to_keep(page_of("arrows", state))


@limits(max_examples=15, deadline=None)
@given(st.lists(numbers, min_size=4, max_size=4))
def test_a_line_of_the_row_gives_its_result_on_a_calculator(x):
    told = sentence.told(page_of("row", edits.set_block(TIRED, "x", IT, 0, [x])))
    lines = row._Row(told)
    for name in (*row.STEPS, "key", "value"):
        for line in lines.line(name).split("; "):
            left, _, result = line.partition(" = ")
            for sign, code in (("−", "-"), ("·", "*"), ("√2", "2 ** 0.5"), ("exp", "math.exp")):
                left = left.replace(sign, code)
            assert eval(left) == pytest.approx(number_of(result), abs=0.005 + 1e-9, rel=1e-3), line


# ---- the library


def test_the_old_places_lead_to_the_stops():
    lesson = page_of("library").lesson
    assert lesson.resolved(Place("meaning", topic="library")).part == "library"
    assert lesson.resolved(Place("predict", topic="by_hand")).part == "row"
    assert lesson.part(None).name == "picture"


@pytest.mark.parametrize("request_", [(0.5, 1.5), (-2.0, 1.0), (3.0,)])
def test_the_library_mixes_the_contents_in_the_shares_of_the_labels(request_):
    app = opened("library", replace(with_request(*request_), core=Settings()), answers=())
    assert visit(app).settings == Settings()  # the learner's numbers are left alone
    (picture,) = pictures(app)
    labels, contents = (
        torch.tensor(rows, dtype=torch.float64) for rows in (library.LABELS, library.CONTENTS)
    )
    asked = torch.tensor([(*request_, 0.0)[:2]], dtype=torch.float64)
    shares = torch.softmax(asked @ labels.mT, -1)
    assert matrix(app, "shares")["values"][0] == pytest.approx(shares[0].tolist())
    _, mixture = picture["plots"]
    assert mixture["sets"][1]["values"][0] == pytest.approx((shares @ contents)[0].tolist())
    assert len(picture["matrices"]) <= 3 and matrix(app, "request")["editable"]


# ---- one row


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_step_stays_and_the_question_comes_before_the_weights(language):
    begun = edits.example_start("tired_zh" if language == "zh" else "tired")
    seen: set[str] = set()
    for name in row.STEPS:
        app = opened("row", begun, step=f"row_{name}", language=language)
        ids = matrix_ids(app)
        assert seen < ids
        seen = set(ids)
    first = opened("row", begun, language=language)
    assert matrix_ids(first) == {"x", "w_q", "query"} and matrix(first, "x")["editable"]
    early = opened("row", begun, step="row_output", answers=(), language=language)
    assert "value" not in matrix_ids(early) and "row_next" not in [button.key for button in early.button]
    early.button(key="row_back").click().run()
    assert "weights" not in matrix_ids(early)
    early.button(key="row_next").click().run()
    assert "weights" in matrix_ids(early)


@pytest.mark.parametrize("now", [TIRED, DONE["row"][1], DONE["hand"][2]])
def test_the_row_is_that_of_the_trace(now):
    app = opened("row", now, step="row_output")
    head = trace_of(now).head(0)
    for name in ("query", "scores", "scaled_scores", "weights", "output"):
        assert matrix(app, name)["values"][0] == pytest.approx(getattr(head, name)[IT].tolist())
    assert matrix(app, "x")["values"] == [list(now.x[IT])]
    edit = {"matrix": "x", "row": 0, "col": 1, "value": 2.5}
    assert row._take(edit)(State(core=now)).core == edits.set_cell(now, "x", IT, 1, 2.5)


@pytest.mark.parametrize(("step", "column"), [("scores", TIRED.w_k), ("output", TIRED.w_v)])
def test_a_step_is_told_with_the_numbers_that_are_in_no_matrix(step, column):
    """Of the word whose key or value is computed, and of W_K or W_V: in the text of the new step alone."""
    page = page_of("row")
    numbers = [
        "(" + ", ".join(f"{number:g}" for number in one) + ")"
        for one in (TIRED.x[0], next(zip(*column, strict=True)))
    ]
    told = row._Row(page).told(step)
    assert all(text in told[0] for text in numbers) and told[1:] == row._Row(page).sentences(step)
    new, last = (opened("row", TIRED, step=f"row_{name}") for name in ("scores", "output"))
    assert numbers[0] in said(new) and numbers[0] not in said(last)


def test_where_all_words_get_the_same_the_question_is_about_the_sentence():
    app = opened("row", replace(TIRED, x=((0.0,) * 4,) * 4), step="row_weights", answers=())
    assert app.button(key="guess-row_raised-equal") and "Your numbers make no good question here" in said(app)


@pytest.mark.parametrize("part", ["row", "hand"])
@pytest.mark.parametrize("now", [Settings(), edits.resize(TIRED, num_heads=2), edits.set_biases(TIRED, True)])
def test_other_numbers_are_left_alone_and_one_press_loads_the_sentence(part, now):
    step, wanted = ("row_output" if part == "row" else None), trace_of(TIRED).head(0).weights[IT].tolist()
    app = opened(part, now, step=step)
    assert matrix(app, "weights")["values"][0] == pytest.approx(wanted)
    assert not matrix(app, "x")["editable"]
    app.button(key="sentence").click().run()
    assert visit(app).settings == TIRED and matrix(app, "x")["editable"]
    app.button(key="undo").click().run()
    assert visit(app).settings == now


def test_a_mask_set_elsewhere_is_no_part_of_the_row():
    app = opened("row", edits.with_choice(TIRED, mask="causal", scaling="none"), step="row_output")
    assert matrix(app, "weights")["values"][0] == pytest.approx(trace_of(TIRED).head(0).weights[IT].tolist())


# ---- your hand


@pytest.mark.parametrize("language", LANGUAGES)
def test_after_three_tries_comes_a_hint_and_after_six_the_cell(language):
    t, begun = Texts(language, "one_head"), edits.example_start("tired_zh" if language == "zh" else "tired")
    words = {"query": begun.tokens[IT], "key": begun.tokens[STREET]}
    hint, cell, itself = (t(f"hand.{name}", **words) for name in ("hint", "cell", "itself"))
    app = opened("hand", begun, language=language)
    told = []
    for number in range(7):
        assert (itself in said(app)) == (number > 0)  # of the obvious try
        told.append([text for text in (hint, cell) if text in [one.value for one in app.markdown]])
        state = visit(app).state
        visit(app).state = replace(state, core=edits.set_cell(state.core, "x", IT, 1, 2.5 + number))
        app.run()
    assert told == [[], [], [], [hint], [hint], [hint], [cell]]
    state = visit(app).state
    visit(app).state = replace(state, core=edits.set_cell(begun, "x", STREET, 0, 1.75))
    app.run()
    assert not {hint, cell} & {one.value for one in app.markdown} and itself not in said(app)


# ---- arrows


def test_the_plane_has_one_query_and_never_one_of_zeros():
    for now, token in ((TIRED, "it"), (edits.set_block(TIRED, "x", IT, 0, [[0.0] * 4]), "animal")):
        picture = next(one for one in pictures(opened("arrows", now)) if one["plots"])
        _, query = picture["plots"][0]["sets"]
        assert query["rows"] == [token] and any(query["values"][0])
    zeros = edits.fill(TIRED, "w_q", "zeros")
    app = opened("arrows", zeros)
    assert matrix(app, "query")["values"] == trace_of(TIRED).head(0).query.tolist()
    assert not matrix(app, "query")["editable"] and visit(app).settings == zeros


def test_w_q_and_the_mixture_are_one_press_away():
    assert matrix_ids(opened("arrows", TIRED)) == {"query", "key", "weights", "direction"}
    deeper = screen.unfolded(opened("arrows", TIRED), "arrows_deeper")
    whole = pictures(deeper)[-1]
    assert {"x", "w_q", "w_k", "value", "output"} <= {one["id"] for one in whole["matrices"]}
    assert len(whole["plots"]) == 2


def test_the_answer_shows_two_keys_that_a_query_points_to_and_away_from():
    assert not [one for one in pictures(opened("arrows", TIRED, answers=())) if len(one["plots"]) == 2]
    towards, away = pictures(opened("arrows", TIRED))[-1]["plots"]
    for plot, more in ((towards, 1), (away, 0)):
        keys, query = plot["sets"]
        once, twice = (torch.tensor(key) for key in keys["values"])
        torch.testing.assert_close(twice, 2 * once)
        assert (torch.tensor(query["values"][0]) @ once > 0) == bool(more)
        assert keys["shares"][more] > keys["shares"][1 - more]
