"""The overview of a room, without a browser: for the owner's name alone; what it counts and says."""

import json
import re
from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from pages.draw.texts import Texts, plain
from pages.model.handout import OwnQuestion, Plan, parts_of, stop_of
from pages.model.view import Place
from pages.room import MemoryStore, attendance, rooms
from pages.room.attendance import Presence, Reply
from pages.room.store import Away
from tests.room.conftest import Clock
from tests.support.course import lesson
from tests.support.screen import (
    again,
    offered_files,
    open_link,
    person_of,
    press,
    room_of,
    said,
    unfolded,
    visit,
)

QUESTION, STRANGER = "swap", "s" * 22
OWN = OwnQuestion("Is it *so*?", ("yes <b>", "no"), (True, False))
PREDICT = stop_of(
    "one_head", {"part": "predict", "topic": QUESTION}, minutes=5, note="Ask *first* <b>", question=OWN
)
AGAIN = replace(PREDICT, minutes=2, question=None)
ORDER = lesson("one_head").by_name[QUESTION].options
PLAN = Plan((AGAIN, PREDICT, stop_of("softmax", {"part": "bars"}, minutes=7), AGAIN))


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """No test leaves its rooms to another one."""
    clock = Clock()
    monkeypatch.setattr(rooms.ROOMS, "store", MemoryStore(clock))
    return clock


def introduce(app: AppTest, name: str | None = None) -> AppTest:
    """The page after the browser has sent the name that it keeps for the room, or the visit's own."""
    [element] = [
        one.proto
        for one in app.get("bidi_component")
        if one.proto.component_name.endswith("attention_vote") and '"asks": true' in one.proto.json
    ]
    states = app._tree.get_widget_states()
    known = json.dumps({"known": name or json.loads(element.json)["person"]})
    states.widgets.append(WidgetState(id=element.id, json_value=known))
    app._run(states)
    return again(app)


def teacher(language: str = "en", plan: Plan | None = PLAN) -> AppTest:
    """The owner's page, with an open vote."""
    link = parts_of(plan, 2, language) if plan else {"lang": language, "part": "predict", "topic": QUESTION}
    return introduce(press(open_link("one_head", link), f"vote_open-{QUESTION}"))


def person(host: AppTest) -> AppTest:
    return introduce(open_link("one_head", {"room": room_of(host)}))


def overview(host: AppTest, name: str | None = None, language: str = "en") -> AppTest:
    app = open_link("one_head", {"lang": language, "teacher": room_of(host)})
    assert not app.exception and not visit(app).problems
    return introduce(app, name or person_of(host))


def rows_of(app: AppTest) -> list[str]:
    """The rows of the table of stops, as HTML."""
    (table,) = [one.proto.body for one in app.get("html") if "<table class='stops'>" in one.proto.body]
    return table.split("<tr")[2:]


def bars(app: AppTest) -> list[str]:
    return [one.proto.text for one in app.get("progress")]


def test_it_has_the_plan_with_its_minutes_and_notes(clock):
    host, t = teacher(), Texts("en", "one_head")
    ann = person(host)
    app = overview(host)
    press(ann, f"ballot-{QUESTION}-all")
    text = f"· {'ABCD'[ORDER.index('all')]}. {plain(t(f'option.{QUESTION}_all'))}"
    assert [bar for bar in bars(again(app)) if bar.startswith("**100%**")] == [f"**100%** (1) {text}"]
    assert not bars(again(host)) and not bars(again(ann))  # they are shown to nobody else
    assert t("overview.vote_open", title=t(f"short.{QUESTION}")) in said(app)
    here = t("overview.here", here=1, all=1)
    assert here in said(app) and here in said(host) and here not in said(ann)
    assert "Ask \\*first\\* \\<b\\>" in said(app) and t("overview.gone", gone=0, minutes=5) in said(app)
    assert [row.count("<td>1</td>") for row in rows_of(app)] == [0, 1, 0, 0, 0]
    clock.seconds += 130
    assert t("overview.gone", gone=2, minutes=5) in said(again(app))
    assert t("overview.left", minutes=12) in said(app) and t("overview.here", here=0, all=1) in said(app)
    rows = rows_of(app)
    assert [row.count("<td>1</td>") for row in rows] == [0] * 5
    assert [row.count("aria-current") for row in rows] == [0, 1, 0, 0, 0]
    assert "<td>5</td>" in rows[1] and "<b>" not in said(app).replace("\\<b\\>", "")
    own, _ = PREDICT.question.words
    record = Presence(f"one_head/predict/{QUESTION}", replies={OWN.name: Reply(own, True, 1)})
    attendance.note(rooms.ROOMS.store, room_of(host), "ann", record)
    assert "Is it \\*so\\*?" in said(again(app)) and t("results.answered", count=1, right=1) in said(app)
    assert "**100%** (1) · A. yes \\<b\\>" in bars(app)


def test_without_a_plan_it_has_the_stops_of_the_hour():
    host = teacher(plan=None)
    app, t = overview(host), Texts("en", "one_head")
    assert plain(t("stop.library")) in "".join(rows_of(app)) and t("overview.off_plan") in said(app)
    at(host, "library")
    assert t("hour.left", minutes="")[:6] in said(again(app)) and t("overview.off_plan") not in said(app)
    linked = unfolded(host, "class_room").get("link_button")
    assert [one.proto.label for one in linked] == [t("overview.open")]


def at(app: AppTest, part: str, **place: str) -> AppTest:
    """The page after its person has gone to another part."""
    visit(app).places["one_head"] = Place(part=part, **place)
    return again(app)


def has_reached(app: AppTest, target: str) -> bool:
    return target in visit(app).reached


def test_answers_and_targets_are_counted_as_people_give_and_reach_them():
    host, t = teacher(plan=None), Texts("en", "one_head")
    first, second = person(host), person(host)
    for key in ("vote_close", "vote_reveal"):
        press(host, f"{key}-{QUESTION}")
    app = overview(host)
    at(host, "library")
    for student, option in ((first, "middle"), (second, "book")):
        press(at(student, "library"), f"guess-library_equal-{option}")
    assert f"**{t('short.library_equal')}** {t('results.answered', count=2, right=1)}" in said(again(app))
    assert len([bar for bar in bars(app) if bar.startswith("**50%** (1)")]) == 2

    [target] = [one for one in lesson("one_head").part("roles").targets if one.name == "query_street"]
    at(host, "roles"), at(second, "roles")
    press(first, "class_leave")
    at(first, "roles", target=target.name)
    assert t("results.reached", count=0) in said(again(app))
    state = visit(first).state
    visit(first).state = replace(state, core=target.solved(state.core))
    again(first)
    assert has_reached(first, target.name) and t("results.reached", count=1) in said(again(app))
    [link] = re.findall(r"\[1\]\((\S*)\)", said(app))
    path, _, query = link.partition("?")
    solved = open_link("one_head", {key: value for key, (value,) in parse_qs(query).items()})
    assert path.endswith("/one_head") and not room_of(solved)
    assert visit(solved).settings == visit(first).settings and has_reached(solved, target.name)


def test_nobody_else_opens_it():
    host = teacher()
    ann = person(host)
    code = room_of(host)
    hashed = rooms.ROOMS.store.room(code).owner
    for name in (STRANGER, person_of(ann), hashed[:22], hashed, code):  # the last two are no names
        app = overview(host, name)
        shown = [one.proto.component_name for one in app.get("bidi_component")]
        assert not any(name.endswith("presence") for name in shown) and not bars(app)
        assert visit(app).here == ("" if name in (hashed, code) else "one_head") and room_of(app) == code
    wrong = open_link("one_head", {"lang": "en", "teacher": "KLMRSX"})
    assert Texts("en")("error.vote_gone", room="KLMRSX") in said(wrong) and visit(wrong).guesses


def test_it_outlasts_a_store_that_is_away_and_says_that_the_room_has_ended(monkeypatch):
    host, t = teacher(), Texts("en")
    app = overview(host)

    def away(code):
        raise Away

    with monkeypatch.context() as patch:
        patch.setattr(rooms.ROOMS.store, "room", away)
        assert t("error.vote_away") in said(again(app))
    assert t("overview.nobody") in said(again(app))
    assert set(offered_files(app)) == {"results_sheet", "results_csv"}
    code = room_of(host)
    rooms.ROOMS.end(code, person_of(host))
    assert t("error.vote_gone", room=code) in said(again(app))
