"""What attention is for, the questions, the common mistakes and the end of the lesson, without a browser."""

import re
from functools import partial

import pytest
import torch

from attention.lab.heads.again import again
from attention.lab.mistakes import forms
from pages.draw.positions import set_aside
from pages.draw.texts import Texts
from pages.lessons.one_head import changes, predict
from pages.model.compute import trace_of
from pages.model.edits import example_start, fill, resize, set_biases, set_cell, with_choice
from pages.model.settings import Settings
from pages.model.stories import STORIES, start, story_in, with_word
from pages.model.view import View
from tests.support import screen
from tests.support.course import lesson
from tests.support.random_settings import drawn
from tests.support.screen import LANGUAGES, chart_rows, matrix, matrix_ids, pictures, said, visit
from tests.support.states import SWITCHED, page_in

opened = partial(screen.opened, "one_head")


# ---- what attention is for


@pytest.mark.parametrize("name", STORIES)
def test_a_story_shows_its_own_numbers_which_one_click_opens_in_the_picture_to_be_edited(name):
    app = opened("meaning", topic=name)
    head = trace_of(start(STORIES[name])).head(0)
    assert matrix(app, "weights")["values"] == head.weights.tolist()
    assert matrix(app, "output")["values"] == head.output.tolist()
    assert not matrix(app, "x")["editable"] and visit(app).settings == Settings()
    app.button(key="open_story").click().run()
    assert visit(app).settings == start(STORIES[name])
    assert visit(app).places["one_head"].part == "picture"
    assert matrix(app, "x")["editable"]
    app.button(key="undo").click().run()
    assert visit(app).settings == example_start("tired")


def test_a_story_is_loaded_to_be_edited_where_it_is():
    app = opened("meaning", topic="bank")
    app.button(key="load_story").click().run()
    assert visit(app).settings == start(STORIES["bank"])
    assert matrix(app, "x")["editable"] and "load_story" not in [one.key for one in app.button]


def test_an_edited_story_is_opened_with_its_edits():
    now = set_cell(start(STORIES["bank"]), "x", 1, 2, 9.0)
    app = opened("meaning", now, "bank")
    assert matrix(app, "x")["editable"]
    app.button(key="open_story").click().run()
    assert visit(app).settings == now


@pytest.mark.parametrize("name", STORIES)
def test_another_word_changes_the_row_of_the_weights_and_moves_the_output(name):
    story = STORIES[name]
    app = opened("meaning", topic=name)
    option = list(story.words)[-1]
    before = trace_of(start(story)).head(0)
    app.button_group(key="set_word").set_value(option).run()
    now = visit(app).settings
    assert now == with_word(start(story), story, option)
    after = trace_of(now).head(0)
    rows = {r for r in range(len(now.tokens)) if not torch.equal(before.weights[r], after.weights[r])}
    assert {r for r, _ in matrix(app, "weights")["ringed"]} == rows
    assert story.token in rows
    points = {0: set(), 1: set(), 2: set()}  # a row of V, the output at the beginning, and now
    for row in chart_rows(app, 0):
        if row["kind"] == "dot":
            points[row["series"]].add((row["x"], row["y"]))
    assert points[0] == set(map(tuple, after.value.tolist()))
    assert points[1] == {tuple(before.output[story.token].tolist())}
    assert points[2] == {tuple(after.output[story.token].tolist())}
    t = Texts("en", "one_head")
    assert t("meaning.changed", rows="")[:-1] in said(app)


def test_the_word_of_bank_is_offered_after_the_question_only():
    asked = opened("meaning", topic="bank", answers=())
    assert "open_story" not in {button.key for button in asked.button}
    assert len(asked.get("button_group")) + 1 == len(opened("meaning", topic="bank").get("button_group"))


def test_the_reasons_of_the_bank_question_say_the_storys_numbers():
    river, money = (
        trace_of(with_word(Settings(), STORIES["bank"], word)).head(0) for word in ("river", "money")
    )
    assert river.query[1].tolist() == [3, 5]
    assert river.key[4].tolist() == [1, 0] and money.key[4].tolist() == [0, 1]
    assert (river.scores[1, 4].item(), money.scores[1, 4].item()) == (3, 5)
    assert river.query[[0, 2, 3, 4]].abs().max() == 0


# ---- before you look


@pytest.mark.parametrize("question", lesson("one_head").part("predict").questions[:-1])
def test_a_question_has_its_matrices_and_no_answer_in_sight(question):
    app = opened("predict", topic=question, answers=())
    ids = matrix_ids(app)
    assert ids and not ids & {"x_after", "output_after", "weights_after", "v_output", "x_output", "shifted"}
    reasons = Texts("en", "one_head").section("because")
    assert not any(reason in said(app) for reason in reasons.values())
    assert not any(m["editable"] for picture in pictures(app) for m in picture["matrices"])
    if question == "symmetric":
        assert "scores" not in ids


EDITS = {
    "symmetric": changes.same_keys,
    "swap": changes.first_and_last_swapped,
    "value": lambda now: changes.last_input_raised(changes.unmasked(now)),
    "value_causal": lambda now: changes.last_input_raised(changes.causal(now)),
    "shift": changes.keys_shifted,
}


@pytest.mark.parametrize("question", lesson("one_head").part("predict").questions[:-1])
def test_the_edit_is_made_in_the_learners_numbers_and_undone(question):
    app = opened("predict", with_choice(Settings(), mask="causal"), question)
    before = visit(app).settings
    app.button(key=f"do_{question}").click().run()
    assert not app.exception
    assert visit(app).settings == EDITS[question](before) != before
    app.button(key="undo").click().run()
    assert visit(app).settings == before


@pytest.mark.parametrize(("question", "rows"), [("value", [0, 1, 2]), ("value_causal", [2])])
def test_which_rows_an_edited_value_reaches(question, rows):
    """What an edit of V changes and what an edit of X changes is ringed, next to the numbers before."""
    app = opened("predict", topic=question)
    before = {name: matrix(app, name)["values"] for name in ("value", "output", "weights")}
    of = {"value_after": "value", "output_after": "output", "weights_x": "weights", "output_x": "output"}
    for name, first in of.items():
        after = matrix(app, name)
        moved = [row for row in range(3) if after["values"][row] != pytest.approx(before[first][row])]
        assert {row for row, _ in after["ringed"]} == set(moved) == ({2} if first == "value" else {*rows})


def test_swapped_rows_and_symmetric_scores_are_drawn_as_they_are():
    app = opened("predict", topic="swap")
    before, after = matrix(app, "output"), matrix(app, "output_after")
    assert before["values"] == [pytest.approx(row) for row in after["values"][::-1]]
    assert after["rows"] == before["rows"][::-1]
    values = matrix(opened("predict", topic="symmetric"), "scores")["values"]
    assert values == [pytest.approx(column) for column in zip(*values, strict=True)]


# ---- common mistakes


def test_the_mistakes_on_the_screen_are_the_labs():
    app, head = opened("misconceptions", topic="transposed"), trace_of(Settings()).head(0)
    assert matrix(app, "right")["values"] == head.output.tolist()
    assert matrix(app, "wrong")["values"] == forms.transposed_weights(head.weights, head.value).tolist()
    app = opened("misconceptions", topic="one_projection")
    x, w_q = (torch.tensor(values, dtype=torch.float64) for values in (Settings().x, Settings().w_q))
    assert matrix(app, "one_weights")["values"] == forms.one_projection(x, w_q).weights.tolist()


def test_rows_and_columns_show_the_same_numbers():
    view = {}
    for form in ("rows", "columns"):
        app = opened("misconceptions", topic="columns", tokens_as=form)
        drawn = {one["id"]: one for one in pictures(app)[0]["matrices"]}  # the end's question has its own
        view[form] = {
            name: torch.tensor(drawn[name]["values"]) for name in ("scaled", "weights", "value", "output")
        }
        assert drawn["weights"]["recipe"]["over"] == {"rows": "row", "columns": "column"}[form]
    for name, rows in view["rows"].items():
        torch.testing.assert_close(view["columns"][name].mT, rows)
    torch.testing.assert_close(view["rows"]["weights"].sum(-1), torch.ones(3))


# ---- the end


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_end_says_the_learners_numbers(language):
    now = set_cell(Settings(), "x", 2, 2, 3.0)
    app = opened("misconceptions", now, "transposed", language=language)
    head = trace_of(now).head(0)
    key = head.weights[2].argmax().item()
    for number in (head.scores[2, key], head.scaled_scores[2, key], head.weights[2, key], head.output[2, 0]):
        assert f"{number.item():.2f}" in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_difference_of_zero_is_not_called_rounding(language):
    t = Texts(language, "one_head")
    zeros = predict.swap_sentence(t, fill(Settings(), "x", "zeros"))
    assert zeros == t("said.swap_alike", unmasked="0")
    assert not any(word in zeros for word in ("which is rounding", "只是舍入误差"))


def test_the_end_says_that_a_fully_masked_row_of_weights_is_0():
    last = frozenset((2, col) for col in range(3))
    for blocked in (last, frozenset()):
        masked = with_choice(Settings(), mask="custom", blocked=blocked)
        text = said(opened("misconceptions", masked))
        assert ("So this row of A is 0" in text) == ("no value goes into the output" in text) == bool(blocked)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", STORIES)
def test_a_query_without_a_key_has_no_mean_and_no_angle(name, language):
    """Its output of zeros was called a weighted mean, and all keys that it may attend to were called 0."""
    story, t = story_in(language, name), Texts(language, "one_head")
    cells = frozenset((story.token, key) for key in range(len(start(story).tokens)))
    now = with_choice(start(story), mask="custom", blocked=cells)
    token = page_in("one_head", settings=now, view=View(language=language)).tokens[story.token]
    nothing = t("reading.nothing", query=token)
    text = said(opened("meaning", now, topic=name, language=language))
    assert nothing in text and t("meaning.between") not in text
    text = said(opened("arrows", now, row=story.token, language=language))
    assert nothing in text and t("arrows.no_angle", query=token) not in text


# ---- in settings of every kind


def nothing_said(text: str) -> list[str]:
    """Where a difference is given as 0.00 or the like."""
    return re.findall(r"by (?:up to|at most) −?0\.0+(?![\d])|(?:相差|改变) 0\.0+(?!\d)", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_difference_that_is_said_is_there(language):
    t, alike = Texts(language, "one_head"), set()
    for now in map(drawn, range(80)):
        now = set_aside(now)
        head = trace_of(changes.same_keys(changes.unmasked(now))).head(0)
        text = predict.symmetry_sentence(t, head)
        off = (head.weights - head.weights.mT).abs().max().item()
        below = re.search("(?<!×)10⁻⁹", text)  # in the sentence about nothing but rounding
        assert bool(below) is (off < 1e-9) and not nothing_said(text)
        alike.add(off < 1e-9)
        if len(now.tokens) > 1:
            assert not nothing_said(predict.swap_sentence(t, now))
    assert alike == {True, False}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"num_heads": 2, "mask": "causal", "biases": True},
        {"scaling": "own", "own_divisor": -2.0},
        *SWITCHED.values(),
    ],
    ids=str,
)
def test_the_answer_of_the_last_question_shows_the_doubled_queries_and_what_follows(fields):
    own = {name: value for name, value in fields.items() if name not in ("num_heads", "biases")}
    now = set_biases(Settings(), fields.get("biases", False))
    now = with_choice(resize(now, num_heads=fields.get("num_heads", 1)), **own)
    both = pictures(opened("misconceptions", now, answers=(("one_head_end", "all"),)))[-2:]
    before, after = ({m["id"]: m for m in picture["matrices"]} for picture in both)
    assert list(before) == list(after)
    for name in ("query", "scores"):
        assert after[name]["values"] == [[2 * value for value in row] for row in before[name]["values"]]
    query, out = torch.tensor(after["query"]["values"], dtype=torch.float64), list(after)[-1]
    head = trace_of(set_aside(now)).head(0)
    doubled = again(head, query=query[:, : now.head_dim])
    torch.testing.assert_close(torch.tensor(after["weights"]["values"], dtype=torch.float64), doubled.weights)
    assert after[out]["values"] != before[out]["values"]
    assert both[0]["range"] == both[1]["range"]


def test_the_doubled_queries_are_not_shown_before_the_answer():
    first, *others = [
        picture["matrices"]
        for picture in pictures(opened("misconceptions", answers=()))
        if "query" in {m["id"] for m in picture["matrices"]}
    ]
    assert not others and first[0]["values"] == trace_of(Settings()).head(0).query.tolist()
