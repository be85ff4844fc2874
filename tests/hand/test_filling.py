"""Hidden cells of a teacher's link that a learner fills in: what is right, and what nobody is told."""

import json

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.draw.filling import is_right
from pages.draw.texts import Texts
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.handout import FILLS, Plan, parts_of, stop_of
from pages.model.link import to_query
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.screen import matrix, open_link, pictures, said, visit

MASKED = edits.with_choice(edits.example_start("cats"), mask="causal")
SCORES = trace_of(MASKED).heads.scores[0]


def plan_with(fill: str, hidden: tuple[str, ...] = ("scores",), part: str = "picture") -> Plan:
    query = to_query(State(core=MASKED), View(), Place(part=part))
    return Plan((stop_of("one_head", query, hidden=hidden, fill=fill),))


def handed(fill: str, hidden: tuple[str, ...] = ("scores",), language: str = "en") -> AppTest:
    app = open_link("one_head", parts_of(plan_with(fill, hidden), 1, language))
    assert not app.exception, [error.message for error in app.exception]
    return app


class Hand:
    """Types into cells of the page's picture."""

    def __init__(self, app: AppTest):
        self.app, self.sent = app, 0

    def type(self, name: str, row: int, col: int, value: float) -> None:
        self.sent += 1
        change = {"matrix": name, "row": row, "col": col, "value": value}
        message = {"seq": self.sent, "gesture": self.sent, "held": False, "edits": [change]}
        [element] = [one.proto for one in self.app.get("bidi_component") if one.proto.bytes]
        states = self.app._tree.get_widget_states()
        states.widgets.append(WidgetState(id=element.id, json_value=json.dumps({"edit": message})))
        self.app._run(states)
        assert not self.app.exception, [error.message for error in self.app.exception]


def told(app: AppTest, count: int, *wrong: str) -> bool:
    """Whether the page says that so many of nine scores are right, and which are wrong."""
    t = Texts(visit(app).view.language)
    right = t("filling.right", matrix="S", right=count, count=9)
    says = t("filling.wrong", cells=wrong[0], count=len(wrong)) if wrong else ""
    return t.joined(filter(None, (right, says))) in said(app)


def test_a_right_number_is_marked_and_a_wrong_one_is_ringed_without_its_answer():
    app = handed("check", language="zh")
    hand, page_before = Hand(app), dict(app.query_params)
    assert matrix(app, "scores")["values"] == [[None] * 3] * 3 and told(app, 0)
    hand.type("scores", 0, 1, SCORES[0, 1].item() + 0.009)
    hand.type("scores", 1, 0, SCORES[1, 0].item() + 0.5)
    scores, names = matrix(app, "scores"), matrix(app, "scores")["rows"]
    assert (scores["right"], scores["ringed"]) == ([[0, 1]], [[1, 0]])
    assert told(app, 1, Texts("zh")("vote.cell", row=names[1], col=names[0]))
    assert len([number for row in scores["values"] for number in row if number is not None]) == 2
    sent = json.dumps([one for one in pictures(app)[0]["matrices"] if one["id"] == "scores"])
    assert str(round(SCORES[1, 0].item(), 3)) not in sent
    hand.type("scores", 1, 0, SCORES[1, 0].item())
    assert told(app, 2) and matrix(app, "scores")["ringed"] == []
    assert visit(app).state == State(core=MASKED) and dict(app.query_params) == page_before


def test_all_cells_but_masked_ones_are_filled_in():
    app = handed("check", ("masked_scores", "weights"))
    for name in ("masked_scores", "weights"):
        assert len(matrix(app, name)["open"]) == 6 and len(matrix(app, name)["masked"]) == 3
    hand = Hand(app)
    hand.type("weights", 0, 0, 1.0)
    hand.type("weights", 0, 1, 0.0)  # masked, and so no cell to fill in
    assert matrix(app, "weights")["right"] == [[0, 0]] and matrix(app, "weights")["ringed"] == []
    hand.type("x", 0, 0, 5.0)  # others are edited as always, and the check follows
    assert visit(app).settings.x[0][0] == 5.0


def test_a_hidden_input_can_be_found_and_not_changed():
    app = handed("check", ("w_q",))
    hand = Hand(app)
    hand.type("w_q", 0, 0, 77.0)
    assert visit(app).state == State(core=MASKED) and matrix(app, "w_q")["ringed"] == [[0, 0]]
    hand.type("w_q", 0, 0, MASKED.w_q[0][0])
    assert matrix(app, "w_q")["right"] == [[0, 0]] and matrix(app, "query")["recipe"] is None


@pytest.mark.parametrize("fill", ["", *FILLS])
def test_the_teacher_says_whether_hidden_cells_are_filled_in_and_shown(fill):
    app = handed(fill, ("scores", "mask"))
    assert (matrix(app, "scores")["open"] is not None) == bool(fill)
    buttons = [one for one in app.button if one.key == "handout_show_hidden"]
    assert len(buttons) == (fill == "show")
    if buttons:
        buttons[0].click().run()
        assert matrix(app, "scores")["values"] == [pytest.approx(row) for row in SCORES.tolist()]
        assert not matrix(app, "scores")["editable"] and matrix(app, "scores")["recipe"]
        assert not [one for one in app.selectbox if one.key == "set_mask"]
        assert not [one for one in app.button if one.key == "handout_show_hidden"]


def test_the_way_back_to_the_start_empties_the_cells():
    app, query = handed("show"), parts_of(plan_with("show"), 1, "en")
    Hand(app).type("scores", 0, 0, 1.0)
    app.button(key="handout_show_hidden").click().run()
    app.query_params.clear()
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert matrix(app, "scores")["values"] == [[None] * 3] * 3


@pytest.mark.parametrize(
    ("number", "computed", "right"),
    [
        (1.33, 4 / 3, True),
        (1.34, 4 / 3, True),
        (1.3, 4 / 3, False),
        (-0.67, -2 / 3, True),
        (0.67, -2 / 3, False),
        (250.1, 250.16, True),
        (250.0, 250.16, False),
        (1234.0, 1234.4, True),
        (0.0, 0.004, True),
        (123_000.0, 123_456.0, True),
        (99_000.0, 123_456.0, False),
    ],
)
def test_a_number_is_right_as_exactly_as_cells_show_it(number, computed, right):
    assert is_right(number, computed) is right
