"""A vote of the class, without a browser: who sees what, from the opening to the answer."""

import json
import re
import time
from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from pages import session
from pages.ask import vote
from pages.ask.vote import acts, seat
from pages.draw.texts import Texts, plain
from pages.model import edits
from pages.model.ballots import OptionsForm
from pages.model.entries import SettingsError
from pages.model.handout import OwnQuestion, Plan, Stop, parts_of, stop_of
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import SHOWN, Place, View, with_answer
from pages.room import MemoryStore, rooms, rules
from pages.room.attendance import SILENT
from pages.room.guesses import PER_VISIT
from pages.shell import frame
from tests.session.test_session import begun
from tests.support.course import LESSONS, REFERENCE
from tests.support.course import lesson as declared
from tests.support.questions import ASKED, Asked
from tests.support.screen import (
    LANGUAGES,
    OF_A_ROUND,
    again,
    matrix,
    open_link,
    open_page,
    person_of,
    pictures,
    press,
    room_of,
    said,
    unfolded,
    visit,
)

QUESTION = "order_shift"
NO_LOOKING = Place(part="no_looking")
ORDER = declared("order").by_name[QUESTION].options


@pytest.fixture(autouse=True)
def room(monkeypatch):
    """No test leaves its votes to another one."""
    monkeypatch.setattr(rooms.ROOMS, "store", MemoryStore())


def keys(app: AppTest, name: str) -> list[str]:
    """What the keys of the buttons say that begin with this name."""
    results = [one.key.removeprefix(name) for one in app.button if (one.key or "").startswith(name)]
    return [re.sub(OF_A_ROUND, "", one) for one in results]


def teacher(language: str = "en", question: str = QUESTION, **view: object) -> AppTest:
    """A page with an open vote."""
    app = open_page("order", view=View(language=language, **view), place=Place(part="rotary"))
    return press(app, f"vote_open-{question}")


def close_room(app: AppTest) -> None:
    """A dialog asks first."""
    press(press(unfolded(app, "class_room"), "class_end"), "class_end_sure")


def joined(app: AppTest, lesson: str = "order") -> AppTest:
    """Another visit, by the link that this page shows."""
    (link,) = [one.value for one in app.code if "room=" in one.value]
    assert link.endswith(f"/?room={room_of(app)}")
    other = open_link(lesson, {"lang": visit(app).view.language, "room": room_of(app)})
    assert not other.exception and not other.warning
    return other


def tally(app: AppTest) -> str:
    """The number of votes, as the browser writes it."""
    [data] = [json.loads(one.proto.json) for one in app.get("bidi_component") if '"topic":' in one.proto.json]
    return data["text"].replace("{count}", str(data["count"]))


def bars(app: AppTest) -> list[tuple[str, int]]:
    return [(one.proto.text, one.proto.value) for one in app.get("progress")]


def word(t: Texts, name: str) -> str:
    """An option as it is read everywhere, with its letter."""
    return f"{'ABCD'[ORDER.index(name)]}. {t(f'option.{QUESTION}_{name}')}"


def verdicts(app: AppTest) -> list[str]:
    return [one.value for one in (*app.success, *app.info, *app.warning)]


def test_a_vote_of_two_rounds_from_its_opening_to_the_answer():
    """The walk in browsers has both languages (see browser/test_vote.py)."""
    t = Texts("zh", "order")
    host = teacher("zh")
    assert tally(host) == t("vote.count", count=0)
    assert visit(host).memory["vote"].bound  # no name that is sent later brings it another room
    assert not keys(host, f"guess-{QUESTION}-")  # a click there would give the answer away
    first, second = joined(host), joined(host)
    for app in (first, second):
        assert keys(app, f"ballot-{QUESTION}-") == [name for name, _ in COUNTED]
        ballots = [one.label for one in app.button if (one.key or "").startswith(f"ballot-{QUESTION}-")]
        assert ballots == [word(t, name) for name, _ in COUNTED]
        assert not keys(app, f"guess-{QUESTION}-") and not keys(app, "vote_close") and not bars(app)
    press(first, f"ballot-{QUESTION}-all")
    press(first, f"ballot-{QUESTION}-none")  # changed
    press(second, f"ballot-{QUESTION}-later")
    assert t("vote.voted", code=room_of(host)) in said(first)
    again(host)
    assert tally(host) == t("vote.count", count=2) and not bars(host)
    press(host, f"vote_close-{QUESTION}")
    [result] = rooms.ROOMS.results(room_of(host), person_of(host))
    assert result.vote.title == plain(t(f"ask.{QUESTION}")) and [*result.vote.right] == ["none"]
    late = open_link("order", {"room": room_of(host)})
    for app in (host, again(first), again(second), late):
        assert not bars(app) and not verdicts(app) and t(f"because.{QUESTION}_none") not in said(app)
        assert not keys(app, "guess-")
        assert app is host or all(one.disabled for one in app.button if one.key.startswith("ballot-"))
    assert t("vote.result", count=2) in said(host) and t("vote.closed", code=room_of(host)) in said(first)
    assert keys(first, f"ballot-{QUESTION}-") == [name for name, _ in COUNTED]  # to discuss
    press(host, f"vote_bars-{QUESTION}")
    again(first)
    counted = [f"**{n / 2:.0%}** ({n}) · {word(t, name)}" for name, n in COUNTED]
    for app in (host, first):
        assert [text for text, _ in bars(app)] == counted and not verdicts(app)
        assert t(f"because.{QUESTION}_none") not in said(app)
    assert t("vote.closed", code=room_of(host)) in said(first)
    press(host, f"vote_reveal-{QUESTION}")
    again(first), again(second)
    for app in (host, first, second):
        right = f":material/check: **{t('vote.right')}** {counted[-1]}"
        assert [text for text, _ in bars(app)] == [*counted[:-1], right]
        assert t(f"because.{QUESTION}_none") in said(app)
    answers = [dict(visit(app).view.answers)[QUESTION] for app in (host, first, second)]
    assert answers == ["shown", "none", "later"]
    assert len(first.success) == 1 and len(second.warning) == 1
    press(first, f"again-{QUESTION}")
    press(first, f"guess-{QUESTION}-all")  # now as always
    assert len(first.warning) == 1

    press(host, f"vote_again-{QUESTION}")  # the answer is hidden again
    for app in (host, again(first), again(second)):
        assert not verdicts(app) and not bars(app) and visit(app).view.answers == ()
    assert t("vote.choose_again", code=room_of(host), number=2) in said(first)
    press(first, f"ballot-{QUESTION}-none")
    press(host, f"vote_close-{QUESTION}")
    press(host, f"vote_reveal-{QUESTION}")  # without the bars, which are shown later
    for app in (host, again(first)):
        assert len(verdicts(app)) == 1 and not bars(app)
    press(host, f"vote_bars-{QUESTION}")
    for app in (host, again(first)):
        both = [50 * n for _, n in COUNTED] + [100 * (name == "none") for name in ORDER]
        assert [value for _, value in bars(app)] == both and len(verdicts(app)) == 1
        assert all(t("vote.round", number=number, count=3 - number) in said(app) for number in (1, 2))


COUNTED = tuple((name, int(name in ("none", "later"))) for name in ORDER)


@pytest.mark.parametrize("presenting", [False, True])
def test_no_answer_of_an_address_shows_the_verdict_of_an_open_vote(presenting):
    """Neither one that the visit brings with it, nor one that it gets later."""
    answers, more = {QUESTION: "none"}, {"present": "on"} if presenting else {}
    host = teacher()
    link = {"lang": "en", "room": room_of(host)}
    late = joined(host)
    for key, value in more.items():
        late.query_params[key] = value
    again(again(late))
    visit(late).view = replace(visit(late).view, answers=tuple(answers.items()))
    brought = open_link("order", link | more, answers)
    wandered = open_link("one_head", link | more, answers)  # another page first
    visit(wandered).places["order"] = Place(part="rotary")
    wandered.switch_page("pages/order.py")
    for app in (late, brought, again(wandered)):
        visit(app).revealed.add(QUESTION)  # what the key A did
        introduced(app)  # the room leads to its question
        if keys(app, "vote_go"):  # another link was opened on this phone
            assert not shows_numbers(app)
            press(app, "vote_go-elsewhere")
        assert keys(app, f"ballot-{QUESTION}-") and not verdicts(app)
        assert Texts("en", "order")(f"because.{QUESTION}_none") not in said(app)
    press(host, f"vote_close-{QUESTION}")
    for app in (late, brought, wandered):
        assert not verdicts(again(app)) and not bars(app)


def test_what_was_answered_before_is_not_shown_in_a_presentation_that_ends():
    app = open_page(
        "order", view=View(answers=((QUESTION, "all"),), presenting=True), place=Place(part="rotary")
    )
    press(app, f"vote_open-{QUESTION}")
    press(app, "present")
    assert not verdicts(app) and keys(app, "vote_close-") == [QUESTION]


def test_whoever_opens_the_link_gets_the_numbers_and_the_locks():
    now = edits.set_cell(Settings(), "x", 0, 0, 3.0)
    query = to_query(State(core=now), View(), Place(part="predict", topic="swap"))
    plan = Plan((stop_of("one_head", query, locked=("w_q",), hidden=("mask",)),), "9b")
    host = open_link("one_head", parts_of(plan, 1, "zh"))
    press(host, "vote_open-swap")
    student = joined(host, "one_head")
    assert visit(student).settings == now and visit(student).view.language == "zh"
    assert visit(student).places["one_head"].topic == "swap"
    assert matrix(student, "x")["values"][0][0] == 3.0
    assert student.query_params["room"] == room_of(host)
    picture = parts_of(Plan((stop_of("one_head", query | {"part": "picture"}, locked=("w_q",)),)), 1, "en")
    assert not matrix(open_link("one_head", picture), "w_q")["editable"]
    stop = visit(student).view.plan.stops[0]
    assert (stop.locked, stop.hidden, visit(student).view.plan.title) == (("w_q",), ("mask",), "9b")


def test_a_plan_is_walked_on_while_a_vote_goes_on():
    stops = (stop_of("order", {"example": "cats", "part": "rotary"}), stop_of("softmax", {}))
    host = press(open_link("order", parts_of(Plan(stops), 1, "en")), f"vote_open-{QUESTION}")
    links = [parse_qs(one.proto.query_string) for one in host.get("page_link")]
    rooms = [one["room"] for one in links if "plan" in one]
    assert rooms == [[room_of(host)]] * 4  # two of the line at the top, two of the sidebar
    assert visit(joined(host)).view.plan.stops == stops[:1]


def test_who_gets_the_address_of_the_one_who_opened_it_can_only_vote():
    host = teacher()
    other = open_link("order", {key: host.query_params[key] for key in host.query_params})
    assert not shows_numbers(other) and not keys(other, "vote_go")  # it may be the owner's
    introduced(other)
    assert keys(other, f"ballot-{QUESTION}-") and not keys(other, "vote_close")


def test_a_vote_that_is_not_there_is_said_and_the_page_goes_on():
    t = Texts("zh")
    for link in ("K7Q2MX", "k7q2m0"):
        app = open_link("order", {"lang": "zh", "part": "rotary", "room": link})
        gone = t("error.vote_gone", room=link.upper())
        assert [one.value for one in app.warning] == [gone]
        assert visit(app).view.vote == "" and keys(app, f"guess-{QUESTION}-")
        assert gone in said(again(app))  # a run that nobody has asked for takes nothing away
        press(app, f"guess-{QUESTION}-all")
        assert gone not in said(app)
    host = teacher("zh")
    student = joined(host)
    press(host, f"vote_close-{QUESTION}")
    close_room(host)
    assert keys(host, f"guess-{QUESTION}-") and not bars(host) and "room" not in host.query_params
    again(student)
    assert len(student.warning) == 1 and keys(student, f"guess-{QUESTION}-") and not bars(student)


def test_a_choice_for_the_former_question_is_refused_and_nothing_raises():
    """The former question has options, the next one asks for a cell: any word used to be taken for it."""
    t = Texts("en")
    host = teacher()
    student, room = joined(host), room_of(host)
    host.switch_page("pages/masks.py")
    visit(host).places["masks"] = NO_LOOKING
    press(again(host), "vote_open-causal")
    assert room_of(host) == room
    press(student, f"ballot-{QUESTION}-none")
    assert [one.value for one in student.warning] == [t("error.vote_late")]
    assert visit(student).here == "masks" and Texts("en", "masks")("ask.causal")[:20] in said(student)
    for name in ("close", "bars", "reveal"):
        press(host, f"vote_{name}-causal")
        again(student)
    assert not bars(host)
    close_room(host)
    assert [one.value for one in again(student).warning] == [t("error.vote_gone", room=room)]


def test_an_open_vote_can_be_ended_from_every_page():
    """Also where the numbers are no longer those of its question, so that the question is not there."""
    t, host = Texts("en", "order"), teacher()
    student = press(joined(host), f"ballot-{QUESTION}-none")
    visit(host).places["order"] = Place(part="alibi")
    again(host)
    assert t("vote.open_elsewhere", code=room_of(host)) in said(host)
    assert tally(again(host)) == t("vote.count", count=1)
    press(host, "vote_close-elsewhere")
    [result] = rooms.ROOMS.results(room_of(host), person_of(host))
    assert result.vote.title == plain(t(f"ask.{QUESTION}")) and [*result.vote.right] == ["none"]
    assert result.vote.told["none"].endswith(t(f"option.{QUESTION}_none"))
    assert not keys(host, "vote_close") and t("vote.closed", code=room_of(host)) in said(again(student))
    visit(host).places["order"] = Place(part="rotary")
    press(again(host), f"vote_again-{QUESTION}")
    visit(host).places["order"] = Place(part="alibi")
    close_room(again(host))
    assert visit(host).view.vote == "" and not host.warning


def test_what_leaves_the_app_has_no_vote():
    host = teacher()
    page, link = frame._to_share("order", visit(host), "http://class/order")
    assert page.view.vote == "" and "room=" not in link


def test_who_leaves_answers_as_always():
    student = press(joined(teacher()), f"ballot-{QUESTION}-all")
    press(student, f"vote_leave-{QUESTION}")
    assert keys(student, f"guess-{QUESTION}-") and visit(student).view.vote == ""
    press(student, f"guess-{QUESTION}-none")
    assert len(student.success) == 1


def introduced(app: AppTest, name: str = "") -> AppTest:
    """The browser has sent the name that it knows for this room, or the visit's own."""
    session.set_current_visit(visit(app))
    seat.known_as(visit(app).view.vote, name or seat.person())
    return again(app)


def shows_numbers(app: AppTest) -> bool:
    return any(one["values"] for picture in pictures(app) for one in picture["matrices"])


OWN = to_query(State(), View(language="en"), Place(part="picture"))
LINKS = (OWN | {"guess": "causal:0_0"}, OWN, {"mask": "none"}, {"part": "picture"}, {"lang": "en"}, {})
SCANNED = [("one_head", link) for link in LINKS]
SCANNED += [(name, {"part": declared(name).parts[-1].name}) for name in (*LESSONS, *REFERENCE)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(len(SCANNED)))
def test_every_link_of_the_room_leads_to_the_question_with_its_numbers(number):
    """The link that was scanned first: with answers, settings or a place, alone, and in every lesson."""
    language, (lesson, link) = LANGUAGES[number % 2], SCANNED[number]
    host = open_page("masks", edits.example_start("masks"), View(language=language), NO_LOOKING)
    press(host, "vote_open-causal")
    spoken = language if "lang" in link else "en"  # each phone has its own
    room, t = room_of(host), Texts(spoken, "masks")
    phone = open_link(lesson, link | {"room": room} | ({"lang": language} if "lang" in link else {}))
    assert not phone.exception
    if not link.keys() <= {"lang"}:  # the owner's, perhaps: the browser is asked
        assert not shows_numbers(phone)
        introduced(phone)
    assert visit(phone).here == "masks" and visit(phone).view.language == spoken
    assert t("question.click") in said(phone)
    assert visit(phone).settings == edits.example_start("masks") and not verdicts(phone)


@pytest.mark.parametrize("elsewhere", [("one_head", "picture"), ("masks", "")])
def test_a_voter_who_goes_elsewhere_sees_no_numbers_before_the_answer_is_revealed(elsewhere):
    host = open_page("masks", edits.example_start("masks"), place=NO_LOOKING)
    press(host, "vote_open-causal")
    phone, room, t = joined(host, "masks"), room_of(host), Texts("en")
    lesson, part = elsewhere
    part = part or declared(lesson).parts[-1].name

    def leave() -> None:
        session.set_current_visit(visit(phone))
        session.go(lesson, part=part)
        phone.switch_page(f"pages/{lesson}.py")

    def is_held() -> bool:
        again(phone)
        return t("vote.held", code=room) in said(phone) and not shows_numbers(phone)

    leave()
    assert is_held()
    for act in ("close", "bars"):
        press(host, f"vote_{act}-causal")
        assert is_held()
    press(phone, "vote_go-elsewhere")
    assert visit(phone).here == "masks" and not verdicts(phone)
    leave()
    assert is_held()
    press(host, "vote_reveal-causal")
    assert not is_held() and t("class.left") in said(phone)
    press(host, "vote_again-causal")  # a vote brings everybody
    assert visit(again(phone)).here == "masks" and t("question.click") in said(phone)
    leave()
    assert is_held()
    press(phone, "vote_leave-elsewhere")
    assert phone.title and visit(phone).view.vote == ""


def test_an_open_phone_follows_the_question_through_lessons_and_parts():
    """Also where it is asked in another part of the same lesson, and after the phone was led once."""
    host = teacher("zh")
    phone, room = joined(host), room_of(host)
    for lesson, part, question in (("order", "alibi", "order_slope"), ("masks", "no_looking", "causal")):
        host.switch_page(f"pages/{lesson}.py")
        visit(host).places[lesson] = Place(part=part)
        press(again(host), f"vote_open-{question}")
        again(phone)
        assert (visit(phone).here, visit(phone).places[lesson].part) == (lesson, part)
        assert (visit(phone).view.vote, visit(phone).view.language) == (room, "zh")
        assert Texts("zh", lesson)("vote.choose", code=room) in said(phone) and keys(phone, "vote_go") == []


def blocks(app: AppTest) -> str:
    """The keys of the components on the page."""
    return " ".join(one.proto.id.replace(f"{room_of(app)}-", "vote-") for one in app.get("bidi_component"))


def test_the_owner_s_own_address_is_the_owner_s_page_once_the_browser_has_said_so():
    host = teacher()
    room = room_of(host)
    visit(host).places["order"] = Place(part="alibi")
    again(host)
    reloaded = open_link("order", {key: host.query_params[key] for key in host.query_params})
    assert not shows_numbers(reloaded)
    introduced(reloaded, person_of(host))
    assert visit(reloaded).places["order"].part == "alibi" and shows_numbers(reloaded)
    assert Texts("en")("vote.open_elsewhere", code=room) in said(reloaded)


def scene_of(app: AppTest) -> rules.Scene:
    """Where the class of this owner is."""
    return rules.document(rooms.ROOMS.store.room(room_of(app))).scene


def overview(app: AppTest, key: object) -> AppTest:
    """Another browser with the leader's link of this owner's room, whose key its script has read."""
    other = open_link("order", {"lang": "zh", "teacher": room_of(app), "present": "on"})
    session.set_current_visit(visit(other))
    seat.take_over(room_of(app), key)
    return again(other)


def test_the_leader_s_link_brings_another_browser_to_the_vote_with_plan_and_answers():
    """Both lead from then on. A vote of one does not bring the class to the page of the other."""
    own = OwnQuestion("Which?", ("a", "b"), (False, True))
    states = [Stop("masks", "part=no_looking"), Stop("order", "part=rotary", note="notes", question=own)]
    host = open_link("order", parts_of(Plan(tuple(states)), 2, "en") | {"x": "r1"})
    visit(host).view = with_answer(visit(host).view, "order_reversed", SHOWN)
    introduced(press(host, f"vote_open-{QUESTION}"))
    for step in ("close", "reveal", "again"):
        press(host, f"vote_{step}-{QUESTION}")
    other = overview(host, person_of(host))
    assert person_of(other) == person_of(host) and visit(other).view.presenting
    assert visit(other).view.plan == visit(host).view.plan and visit(other).view.stop == 2
    assert visit(other).settings == visit(host).settings and visit(other).here == "order"
    assert Texts("zh", "order")("vote.close") in [one.label for one in other.button]
    assert scene_of(host).shown == ("order_reversed",)

    last = declared("order").parts[-1].name
    press(other, f"vote_close-{QUESTION}")
    visit(other).places["order"] = Place(part="alibi")
    press(again(other), "vote_open-order_slope")
    for step in ("close", "bars", "reveal"):
        press(other, f"vote_{step}-order_slope")
        again(host)
        assert scene_of(host).query["part"] == "alibi" and "order_reversed" in scene_of(host).shown
    visit(host).places["order"] = Place(part=last)
    again(host)
    assert scene_of(host).query["part"] == last


SECRETS = ("", "x" * 22, "x" * 1_000_000, None, 5, ["x" * 22], "x\n" * 11)


@pytest.mark.parametrize("key", SECRETS)
def test_with_another_key_the_leader_s_link_leads_to_the_room_as_any_link(key):
    host = teacher()
    stranger = overview(host, key)
    assert person_of(stranger) not in (person_of(host), key) and not visit(stranger).view.presenting
    assert keys(stranger, f"ballot-{QUESTION}-") and not keys(stranger, "vote_close")


def test_the_owner_s_name_is_in_the_leader_s_link_alone():
    host = unfolded(teacher(), "class_room")
    name = person_of(host)
    texts = [one.proto.json for one in host.get("bidi_component") if name in one.proto.json]
    assert sum(f"#{name}" in text for text in texts) == 1
    assert all(
        '"person":' in text for text in texts if f"#{name}" not in text
    )  # for the browser's own storage
    _, link = frame._to_share("order", visit(host), "http://class/order")
    assert name not in str((host.query_params, link, [one.value for one in host.code]))


def test_a_vote_on_a_number():
    t = Texts("en", "why_scale")
    host = open_page("why_scale", view=View(language="en"), place=Place(part="limits"))
    press(host, "vote_open-note_start")
    student = joined(host, "why_scale")
    [entry] = [one for one in student.text_input if one.key.startswith("guess-note_start")]
    entry.input("12")
    press(student, "guess-note_start-commit")
    assert t("vote.yours", choice=12) in said(student) and not verdicts(student)
    press(host, "vote_close-note_start")
    press(host, "vote_bars-note_start")
    assert bars(host) == [("**100%** (1) · 12", 100)]
    press(host, "vote_reveal-note_start")
    assert len(verdicts(again(student))) == 1


def test_a_vote_on_a_cell():
    t = Texts("zh", "masks")
    mine = edits.rename_token(edits.example_start("masks"), 0, "<b>*x*")
    host = open_page("masks", mine, View(language="zh"), NO_LOOKING)
    press(host, "vote_open-causal")
    student = joined(host, "masks")
    assert t("question.click") in said(student) and t("question.click") not in said(host)
    ticket = rooms.ROOMS.sight(room_of(host), "a").vote.ticket
    for voter, cell in (("a", "0_0"), ("b", "0_0"), ("c", "1_0")):
        rooms.ROOMS.vote(room_of(host), voter, ticket, cell)
    with pytest.raises(SettingsError):
        rooms.ROOMS.vote(room_of(host), "d", ticket, "9_9")
    for name in ("close", "bars"):
        press(host, f"vote_{name}-causal")
    assert "67% <small>(2)</small>" in voted(host) and "data-right" not in voted(host)
    press(host, "vote_reveal-causal")
    for app in (host, again(student)):
        cells = re.findall(r"<td .*?</td>", voted(app))
        tokens = ["&lt;b&gt;*x*", *visit(app).settings.tokens[1:]]  # names are text
        assert len(cells) == len(tokens) ** 2 and all(f"<th>{token}</th>" in voted(app) for token in tokens)
        assert [i for i, one in enumerate(cells) if "small" in one] == [0, len(tokens)]
        assert [i for i, one in enumerate(cells) if "data-right" in one] == [0] and "✓ 67%" in cells[0]


def voted(app: AppTest) -> str:
    """The matrix with the votes for its cells."""
    [table] = [one.proto.body for one in app.get("html") if 'class="votes"' in one.proto.body]
    return table


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(len(ASKED)), ids=[str(asked) for asked in ASKED])
def test_the_class_can_vote_on_every_question_with_options(number):
    """All but a table that is filled in by hand; both languages take turns."""
    asked: Asked = ASKED[number]
    host = open_page(asked.lesson, asked.settings, asked.view(language=LANGUAGES[number % 2]), asked.place)
    if asked.name == "by_hand":
        assert not keys(host, "vote_open-by_hand")
        return
    press(host, f"vote_open-{asked.name}")
    student = joined(host, asked.lesson)
    if asked.right is None:
        return
    ballot = f"ballot-{asked.name}-"
    assert asked.right in keys(student, ballot)
    press(student, ballot + asked.right)
    rooms.ROOMS.close(room_of(host), person_of(host))
    for act in (rules.shows_bars, rules.reveals):
        rooms.ROOMS.act(room_of(host), person_of(host), act)
    assert [value for _, value in bars(again(host)) if value] == [100]
    assert len(again(student).success) == 1


def test_whatever_a_browser_says_of_its_votes_is_read():
    host = teacher()
    name, room = person_of(host), room_of(host)
    for voices in (None, "x", {}, [7], [[room]], [[room, 1]], [[[], {}]], [["", ""]], [[room, "\ud800"]]):
        assert not vote.takes_part(voices)
    assert vote.takes_part([["x", "y"], [room, name]])
    assert not vote.takes_part([["x", "y"]] * 20 + [[room, name]])
    press(host, f"vote_close-{QUESTION}")
    assert not vote.takes_part([[room, name]])


def test_a_visit_has_one_voice_and_one_name_however_many_names_it_sends(monkeypatch):
    """Anybody can send names. Before it votes, a browser that knows this person may send one."""
    begun(monkeypatch, {})
    scene, form = rules.Scene("order", {"part": "rotary"}), OptionsForm(("all", "none"))
    room = rooms.ROOMS.ask("teacher", scene, QUESTION, form)
    session.set_view(vote=room)
    for number in range(5):
        acts.cast(seat.vote_of(), ("all", "none")[number % 2])
        seat.known_as(room, f"{number:022}")
    assert rooms.ROOMS.sight(room, "teacher").vote.count == 1
    begun(monkeypatch, {})
    for number in range(5):
        seat.known_as(room, f"{number:022}")
    assert seat.person() == f"{0:022}"


def test_a_code_is_typed_on_the_first_page():
    """Case and spaces do not matter; what is no code is refused where it was typed, and counts as a guess."""
    room, app = room_of(teacher()), open_link("start", {"lang": "en"})
    for wrong in ("X00000", "<b>a</b>", "x" * 40, "一二三"):
        app.text_input(key="room_code").input(wrong).run()
        [warning] = app.warning
        assert wrong.upper()[:5] in warning.value.upper() or "<" in wrong
        assert visit(app).view.vote == "" and visit(app).here == "start"
    app.text_input(key="room_code").input(f" {room[:3].lower()} {'-'.join(room[3:])} ").run()
    assert not app.exception and (visit(app).here, visit(app).view.vote) == ("order", room)
    assert keys(app, f"ballot-{QUESTION}-")


def test_an_old_link_of_a_vote_leads_to_its_room():
    host = teacher()
    phone = open_link("order", {"lang": "en", "vote": room_of(host).lower()})
    assert keys(phone, f"ballot-{QUESTION}-") and visit(phone).view.vote == room_of(host)
    again(phone)
    assert phone.query_params["room"] == room_of(host) and "vote" not in phone.query_params


def test_a_visit_cannot_guess_codes_quickly():
    t, room = Texts("en"), room_of(teacher())
    guesser = open_link("order", {"lang": "en", "part": "rotary"})
    for _ in range(PER_VISIT - 2):
        visit(guesser).guesses.note(rooms.ROOMS.store.clock())
    for name, guess in (("vote_gone", "X00001"), ("vote_gone", "X00002"), ("vote_wait", room)):
        guesser.query_params["room"] = guess
        [warning] = again(guesser).warning
        assert warning.value.startswith(t(f"error.{name}", room=guess, seconds=0)[:30])
    assert not keys(guesser, "ballot-") and visit(guesser).view.vote == ""


def test_the_overview_offers_to_remove_who_has_done_nothing_and_says_how_many():
    t, host = Texts("en"), introduced(teacher())
    introduced(joined(host))
    rooms.ROOMS.store.clock = lambda: time.time() + SILENT + 1
    window = introduced(open_link("order", {"lang": "en", "teacher": room_of(host)}), person_of(host))
    [offer] = [one for one in window.button if one.key == "overview_remove"]
    assert offer.label == t("overview.remove", count=1)
    press(window, "overview_remove")
    assert t("overview.removed", count=1) in said(window) and not keys(window, "overview_remove")
