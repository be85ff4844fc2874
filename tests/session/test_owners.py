"""Numbers have one owner: what is changed, undone, linked, followed and reloaded at one place stays there."""

import json
from dataclasses import replace

import pytest

from pages import session
from pages.model import edits, progress
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.session.visit import CLASS
from tests.session.test_session import begun
from tests.support.course import COURSE
from tests.support.states import many_numbers

OWNERS = {
    "learner": ("one_head", {"part": "picture"}),
    "stop": ("one_head", {"part": "row"}),
    "stop of another lesson": ("masks", {"part": "no_looking"}),
    "story": ("one_head", {"part": "meaning", "topic": "bank"}),
    "target": ("one_head", {"part": "picture", "target": "query_street"}),
    "target of another lesson": ("many_heads", {"part": "split", "target": "both_heads"}),
    "example of a lesson": ("many_heads", {"part": "overview"}),
    "lesson": ("train_a_head", {"part": "train"}),
}
FREE = "w_q"
SCENE = {"example": "uniform", "part": "predict", "head": "2"}
PATHS = {kind: COURSE.pages[name].owner(Place(**there)) for kind, (name, there) in OWNERS.items()}


@pytest.fixture
def visit(monkeypatch):
    return begun(monkeypatch, {})


def at(kind: str) -> None:
    """Goes to a place whose numbers have this owner."""
    name, there = OWNERS[kind]
    session.enter(name)
    session.go(name, **({"topic": None, "target": None} | there))


def change(value: float) -> None:
    """Changes a number that a target leaves free as well."""
    session.edit(lambda core: changed(core, value))
    assert not session.take_problems()


def changed(core: Settings, value: float) -> Settings:
    return edits.set_cell(core, FREE, 0, 0, value)


def number() -> float:
    return getattr(session.settings(), FREE)[0][0]


def changed_everywhere() -> dict[str, Settings]:
    """Another number at each owner: kind → the settings."""
    settings = {}
    for value, kind in enumerate(OWNERS, start=5):
        at(kind)
        change(float(value))
        settings[kind] = session.settings()
    return settings


def everywhere() -> dict[str, Settings]:
    settings = {}
    for kind in OWNERS:
        at(kind)
        settings[kind] = session.settings()
    return settings


def table(visit: session.Visit) -> dict:
    """Whose numbers and steps of undo the visit has."""
    return {
        owner: (row.state.core, len(row.history.past), len(row.history.future))
        for owner, row in visit.numbers.items()
    }


def test_each_kind_of_owner_is_another_one():
    assert len(set(PATHS.values())) == len(OWNERS) and PATHS["learner"] == ""


@pytest.mark.parametrize("kind", OWNERS)
def test_undo_at_one_owner_undoes_nothing_elsewhere(visit, kind):
    before, after = everywhere(), changed_everywhere()
    assert everywhere() == after
    at(kind)
    session.undo()
    assert everywhere() == after | {kind: before[kind]}
    at(kind)
    session.redo()
    assert everywhere() == after


@pytest.mark.parametrize("kind", OWNERS)
def test_reset_can_be_undone_after_another_place(visit, kind):
    at(kind)
    change(7.0)
    session.reset()
    at("stop" if kind == "learner" else "learner")
    at(kind)
    session.undo()
    assert number() == 7.0


@pytest.mark.parametrize("kind", OWNERS)
def test_a_link_brings_numbers_to_one_owner_and_one_undo_restores_these(visit, kind):
    after = changed_everywhere()
    name, there = OWNERS[kind]
    linked = changed(edits.example_start(after[kind].example), 3.0)
    for start in OWNERS:
        at(start)
        session.write_link(visit.here)
        visit.context.url = f"http://127.0.0.1/{name}"
        visit.query.from_dict(to_parts(linked) | there)
        session.open_link()
        session.enter(name)
        assert session.settings() == linked and visit.owner == PATHS[kind]
        assert everywhere() == after | {kind: linked}
        at(kind)
        session.undo()
        assert everywhere() == after


def test_a_link_and_back_leave_what_was_done_in_other_lessons(visit):
    """Of its own lesson a link says everything, and one undo restores all of it."""
    session.enter("softmax")
    session.set_own(temperature=3.0)
    session.enter("train_a_head")
    session.set_own(ran=True, train_step=7)
    done, kinds = visit.state.own, COURSE.pages["train_a_head"].numbers
    session.write_link("train_a_head")
    for lesson, left in (("one_head", done), ("train_a_head", visit.state.without(kinds).own)):
        visit.context.url = f"http://127.0.0.1/{lesson}"
        visit.query.from_dict({"lang": "en", "example": "copy"})
        session.open_link()
        session.enter(lesson)
        assert visit.state.own == left
        session.write_link(lesson)
    session.undo()
    assert visit.state.own == done


def to_parts(core: Settings) -> dict[str, str]:
    return to_query(State(core=core), View(), Place())


@pytest.mark.parametrize("kind", OWNERS)
def test_a_class_that_is_left_leaves_all_as_before(visit, kind):
    after = changed_everywhere()
    at(kind)
    before, places, seen = table(visit), dict(visit.places), visit.view
    for lesson in ("many_heads", "one_head", visit.here):
        session.follow_class(lesson, SCENE)
        session.enter(lesson)
        assert visit.owner == CLASS and session.settings() == edits.example_start("uniform")
        assert visit.idle == "undo redo" and session.mine() is None and not session.is_of_place()
    session.leave_class(follows=True)
    assert table(visit).items() >= before.items() and visit.view == replace(seen, follows=True)
    assert {**visit.places, visit.here: None} == {**places, visit.here: None}
    assert everywhere() == after


@pytest.mark.parametrize("kind", OWNERS)
def test_a_change_of_the_class_s_numbers_makes_them_the_owner_s_of_the_place(visit, kind):
    after = changed_everywhere()
    name, there = OWNERS[kind]
    at("learner" if kind != "learner" else "stop")
    scene = edits.example_start(after[kind].example)
    session.follow_class(name, to_parts(scene) | there)
    session.enter(name)
    change(3.0)
    copied = changed(scene, 3.0)
    assert visit.owner == PATHS[kind] and everywhere() == after | {kind: copied}
    at(kind)
    session.undo()
    session.undo()
    assert everywhere() == after


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize("kind", OWNERS)
def test_a_reload_at_one_owner_brings_the_numbers_of_all_back(visit, monkeypatch, kind, follows):
    after = changed_everywhere()
    at(kind)
    name = visit.here
    if follows:
        name = "many_heads"
        session.follow_class(name, SCENE)
        session.enter(name)
    kept, link = json.dumps(session.of_tab().to_json()), session.link_of(name)
    visit = begun(monkeypatch, link)
    session.enter(name)
    if follows:
        session.follow_class(name, SCENE)
    session.recall({"record": "", "tab": kept})
    if follows:
        assert visit.owner == CLASS and session.settings() == edits.example_start("uniform")
        session.leave_class(follows=False)
    else:
        assert session.settings() == after[kind]
    assert everywhere() == after
    session.recall({"record": "", "tab": kept})
    at("story")
    change(1.5)
    session.recall({"record": "", "tab": kept})
    assert number() == 1.5  # what a hand has changed stays


def test_the_browser_s_data_of_former_versions_are_read():
    parts = {"example": "cats", "x": "1-1_7"}
    former = {"mine": parts | {"room": "x"}, "here": parts | {progress.OWNER: "tired:row", "x": "1-1_8"}}
    tab = progress.read_tab(json.dumps(former), COURSE)
    assert tab.numbers == {"": parts, "tired:row": parts | {"x": "1-1_8"}}


def test_of_too_many_numbers_those_go_that_were_used_first(visit):
    """What is left is within the limit, and the browser's other data stay."""
    kinds = ["example of a lesson", "lesson", "stop", "story", "learner"]
    for kind in (kinds[-1], *kinds):
        at(kind)
        session.edit(lambda _: many_numbers(16))
        change(2.0)
    at("target")
    tab = replace(session.of_tab(), typed={"search": "mask"})
    text = json.dumps(tab.to_json())
    assert [*tab.numbers] == [PATHS[kind] for kind in kinds]
    back = progress.read_tab(text, COURSE)
    left = [*back.numbers]
    assert len(text) <= progress.LARGEST_OF_TAB and back.typed == {"search": "mask"}
    assert 2 <= len(left) < len(kinds) and left == [*tab.numbers][-len(left) :]
