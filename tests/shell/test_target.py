"""A target on its page: offered, shown in the picture, reached, refused changes, and left."""

from dataclasses import replace

import pytest

from pages.model.edits import example_start, set_cell
from pages.model.examples import in_language
from pages.model.handout import Plan, parts_of, stop_of
from pages.model.link import to_query
from pages.model.matrices import MATRICES
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.targets import Condition, Target, write
from pages.model.view import Place, View
from tests.support.course import COURSE
from tests.support.screen import open_link, open_page, opened, pictures, press, said, shown, visit

OF_COURSE = pytest.mark.parametrize(
    ("where", "target"), COURSE.targets, ids=[target.name for _, target in COURSE.targets]
)
MINE = set_cell(Settings(), "x", 0, 0, 7.0)


def tried(where: str, target: Target, core: Settings, language: str = "en"):
    """The page with the target and these numbers, all questions answered."""
    lesson, part = where.split("/")
    view = View(language=language, answers=shown(lesson))
    place = Place(part, topic=target.topic, target=target.word)
    return open_page(lesson, State(core=core), view, place)


def lines(app) -> list[str]:
    return [line for picture in pictures(app) for line in picture["target"]]


def rings(app) -> set[tuple]:
    """The ringed cells of pictures with the line of a target."""
    return {
        (matrix["id"], *cell)
        for picture in pictures(app)
        if picture["target"]
        for matrix in picture["matrices"]
        for cell in matrix["ringed"]
    }


def editable(app) -> set[str]:
    return {m["id"] for picture in pictures(app) for m in picture["matrices"] if m["editable"]} & {*MATRICES}


@pytest.mark.exhaustive
@OF_COURSE
def test_a_target_is_in_the_picture_and_is_reached_by_its_solution(where, target):
    start = target.begun(example_start(in_language(target.example, "en")))
    app = tried(where, target, start)
    assert not app.exception and len(lines(app)) == len(target.conditions)
    assert any(line.startswith("○") for line in lines(app))
    assert {cell[1:] for cell in rings(app)} >= {(c.row, c.col) for c in target.conditions}
    assert editable(app) <= set(target.may)
    assert not visit(app).reached
    app = tried(where, target, target.solved(start))
    assert all(line.startswith("✓") for line in lines(app)) and visit(app).reached == {target.name}
    assert visit(app).record.progress.targets == {target.name}


def test_a_target_brings_its_numbers_and_leaves_the_learner_s_alone():
    app = press(opened("one_head", "picture", MINE, language="zh"), "target_try")
    start = example_start(in_language("tired", "zh"))
    assert visit(app).settings == start and visit(app).place("one_head").target == "query_street"
    [button] = [button for button in app.button if button.key == "reset"]
    visit(app).state = State(core=set_cell(start, "w_q", 0, 0, 4.0))
    button.click().run()
    assert visit(app).settings == start
    press(app, "target_leave")
    assert visit(app).settings == MINE and lines(app) == []
    assert visit(app).record.progress.targets == frozenset()


def test_hints_come_one_by_one():
    app = press(opened("one_head", "picture"), "target_try")
    for hint in ("The key of “street” is large", "row “pronoun”, column 2, a larger number", "column 2: 3."):
        assert hint not in said(app)
        assert hint in said(press(app, "target_hint"))
    assert [button for button in app.button if button.key == "target_hint"] == []


@pytest.mark.exhaustive
@OF_COURSE
def test_a_hint_names_its_cell_as_the_screen_does(where, target):
    app = tried(where, target, target.begun(example_start(in_language(target.example, "en"))))
    while [button for button in app.button if button.key == "target_hint"]:
        press(app, "target_hint")
    hints = said(app)
    matrices = {m["id"]: m for picture in pictures(app) for m in picture["matrices"]}
    for name, row, col, _ in (entry for entry in target.solution if len(entry) == 4):
        shown_row, shown_col = matrices[name]["rows"][row], matrices[name]["cols"][col]
        assert any(f"row {name}, column" in hints for name in (shown_row, f"“{shown_row}”"))
        assert any(f"column {name}: " in hints for name in (shown_col, f"“{shown_col}”"))


def test_the_next_target_is_offered_once_one_is_reached():
    app = opened("one_head", "picture")
    assert "gives at least 0.8 to “street”" in said(app)
    solved = COURSE.targets[0][1].solved(example_start("tired"))
    app = press(tried("one_head/picture", COURSE.targets[0][1], solved), "target_leave")
    assert "The row of “tired” gives most to “it”" in said(app)


def test_no_target_is_offered_before_the_question():
    assert not [
        button for button in opened("softmax", "axes", answers=()).button if button.key == "target_try"
    ]
    assert [button for button in opened("softmax", "axes").button if button.key == "target_try"]


# ---- a target of a link

OWN = Target((Condition("weights", 0, 2, "ge", 0.9),), ("w_k",), part="picture")


def handed(target: Target, **marks):
    """The page of a plan whose stop has the target."""
    query = to_query(State(core=MINE), View(), Place("picture", target=write(target)))
    plan = Plan((stop_of("one_head", query, **marks),))
    return open_link("one_head", parts_of(plan, 1, "en"))


def test_a_target_of_a_plan_is_about_the_numbers_of_the_plan():
    app = handed(OWN)
    assert visit(app).settings == MINE and rings(app) == {("weights", 0, 2)}
    assert editable(app) == {"w_k"} and not visit(app).reached
    assert "at least 0.9" in said(app)
    assert not [button for button in app.button if button.key in ("target_leave", "target_hint")]
    app = handed(replace(OWN, conditions=(Condition("weights", 0, 2, "le", 0.99),)))
    assert len(visit(app).reached) == 1 and not visit(app).record.progress.targets


def test_a_target_says_no_number_that_the_plan_hides():
    app = handed(OWN, hidden=("weights",))
    [line] = lines(app)
    weight = "gives at least 0.9"
    assert weight in line and "too little" not in line


def test_a_target_that_cannot_be_measured_says_so():
    app = handed(replace(OWN, conditions=(Condition("weights", 9, 2, "ge", 0.9, head=3), *OWN.conditions)))
    assert lines(app)[0] == "○ The present computation does not have this number."
    assert not visit(app).reached


def test_a_change_that_a_target_does_not_allow_is_refused_in_a_sentence():
    app = press(opened("one_head", "picture"), "target_try")
    before = visit(app).settings
    later = replace(visit(app).state, core=set_cell(before, "w_v", 0, 0, 9.0))
    visit(app).history.past.append(later)  # as if it were a step of undo
    [button] = [button for button in app.button if button.key == "undo"]
    button.click().run()
    assert visit(app).settings == before
    assert "The target does not allow this change" in " ".join(w.value for w in (*app.warning, *app.error))


def test_the_target_of_another_part_holds_nothing():
    place = Place("misconceptions", target="query_street")
    app = open_page("one_head", State(core=MINE), View(answers=shown("one_head")), place)
    assert visit(app).settings == MINE and lines(app) == []
