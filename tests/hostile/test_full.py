"""A class at its limits: what is left out is said to its owner, and to the person who was refused.

Each case fills a room in one way. SAYS has the sentence that can be read then, and not before.
"""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.draw.messages import sentence
from pages.draw.texts import Texts
from pages.hand import class_results
from pages.model.ballots import NumberForm, OptionsForm
from pages.model.entries import SettingsError
from pages.model.view import View
from pages.room import Away, MemoryStore, attendance, rules, store
from pages.room.attendance import Presence, Reply, Success
from pages.room.rooms import ROOMS
from pages.room.rules import Scene
from tests.room.conftest import Clock
from tests.shell.test_overview import QUESTION, at, introduce, overview, teacher
from tests.support.screen import LANGUAGES, again, open_link, person_of, room_of, said
from tests.support.states import page_in

PLACE = f"one_head/predict/{QUESTION}"
MOST = 3  # people, voters


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small limits; no test leaves its rooms to another one."""
    monkeypatch.setattr(ROOMS, "store", MemoryStore(Clock()))
    monkeypatch.setattr(rules, "MAX_PEOPLE", MOST)
    for module in ("pages.room.rules", "pages.room.rooms", "pages.hand.class_results", "pages.ask.vote.card"):
        monkeypatch.setattr(f"{module}.MAX_VOTERS", MOST)
    monkeypatch.setattr(rules, "EARLIER", 2)


def note(code: str, name: str, plan: str = "", **facts: Any) -> None:
    attendance.note(ROOMS.store, code, name, Presence(PLACE, **facts), plan)


def a_full_list(host: AppTest, code: str) -> None:
    for name in ("ann", "ben"):  # the owner has one place
        note(code, name)


def a_full_vote(host: AppTest, code: str) -> None:
    for i in range(MOST):
        ROOMS.vote(code, f"voter {i}", (1, 1, QUESTION), "all")


def a_full_vote_that_is_closed(host: AppTest, code: str) -> None:
    a_full_vote(host, code)
    ROOMS.close(code, person_of(host))


def many_replies(host: AppTest, code: str) -> None:
    note(code, "ann", replies={f"question {i}": Reply("x" * 60, True, 1.0) for i in range(60)})
    note(code, "ann")  # the record remembers it


def many_votes(host: AppTest, code: str) -> None:
    for _ in range(3):
        ROOMS.ask(person_of(host), Scene("one_head", {}), QUESTION, OptionsForm(("all",)))


def many_answers(host: AppTest, code: str) -> None:
    rules.MAX_VOTERS = 99
    ROOMS.ask(person_of(host), Scene("one_head", {}), QUESTION, NumberForm(99))
    for i in range(12):
        ROOMS.vote(code, f"voter {i}", (2, 1, QUESTION), str(i))


def a_plan_without_space(host: AppTest, code: str) -> None:
    ROOMS.store.change(
        code, person_of(host), lambda room: room.having(other="x" * (store.MAX_RECORD - 2_000))
    )
    note(code, person_of(host), plan="p" * 2_000)


def a_long_solution(host: AppTest, code: str) -> None:
    at(host, "roles")
    for name, link in (("ann", ""), ("ben", "x" * attendance.MAX_LINK)):
        note(code, name, reached={"query_street": Success(f"one_head?part=roles{link}", 1.0)})


# case → where → what it says
SAYS: dict[Callable[[AppTest, str], None], dict[str, tuple[str, dict[str, object]]]] = {
    a_full_list: {
        "page": ("overview.full", {}),
        "overview": ("overview.full", {}),
        "results": ("results.full", {}),
        "guest": ("class.full", {}),
    },
    a_full_vote: {
        "results": ("results.full_vote", {"limit": MOST}),
        "guest": ("vote.full", {"code": "{code}", "limit": MOST}),
    },
    a_full_vote_that_is_closed: {"page": ("vote.full_owner", {"count": MOST})},
    many_replies: {"results": ("results.cut", {"count": 1})},
    many_votes: {"results": ("results.dropped", {"kept": 3, "count": 1})},
    many_answers: {"overview": ("vote.others", {}), "results": ("vote.others", {})},
    a_plan_without_space: {"overview": ("overview.plan_full", {})},
    a_long_solution: {"overview": ("overview.solutions_some", {"shown": 1, "count": 2})},
}


def results(host: AppTest, code: str, language: str) -> str:
    """Both files."""
    page = page_in("one_head", view=View(language=language, vote=code))
    mine = ROOMS.results(code, person_of(host)), attendance.of_room(ROOMS.store, code, person_of(host))
    hour = class_results.Hour(*mine)
    return class_results.sheet(page, hour) + class_results.table(page, hour).decode()


def screens(host: AppTest, code: str, language: str) -> dict[str, str]:
    """What the owner can read."""
    window = said(overview(host, language=language))
    read = window + "\n".join(bar.proto.text for bar in overview(host, language=language).get("progress"))
    return {"overview": read, "results": results(host, code, language), "page": said(again(host))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_of_a_room_that_cannot_be_read_says_so(language, monkeypatch):
    host = teacher(language, plan=None)
    page = page_in("one_head", view=View(language=language, vote=room_of(host)))

    def away(code):
        raise Away

    monkeypatch.setattr(class_results.vote, "of_class", lambda code: attendance.Attendance(0.0))
    monkeypatch.setattr(class_results.vote.seat, "person", lambda: person_of(host))
    monkeypatch.setattr(ROOMS.store, "room", away)
    hour = class_results._of(page)
    for file in (class_results.sheet(page, hour), class_results.table(page, hour).decode()):
        assert sentence(page.t, SettingsError("vote_away")) in file


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", SAYS, ids=lambda case: case.__name__)
def test_nothing_of_a_class_is_left_out_without_a_word(case, language):
    host = teacher(language, plan=None)
    code, t = room_of(host), Texts(language, "one_head")
    before = screens(host, code, language)
    case(host, code)
    after = screens(host, code, language)
    if "guest" in SAYS[case]:
        guest = open_link("one_head", {"lang": language, "room": code})
        after["guest"] = said(again(introduce(guest)))
    for where, (key, facts) in SAYS[case].items():
        text = t(key, **{name: code if fact == "{code}" else fact for name, fact in facts.items()})
        assert text in after[where], (where, text)
        assert text not in before.get(where, "")
