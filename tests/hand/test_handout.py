"""A teacher's link on the page: what it locks, hides and leaves out, and how it is made."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages import session
from pages.draw.texts import Texts, literal
from pages.lessons.for_teachers.plans import NAMES, items_of, note_of
from pages.model import edits
from pages.model.course import OF_SETTINGS
from pages.model.handout import MAX_NOTE, Plan, Stop, parts_of, read, stop_of
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.room import MemoryStore
from pages.room.rooms import ROOMS
from pages.shell import frame
from tests.support.course import COURSE, LESSONS, from_query, lesson
from tests.support.screen import (
    LANGUAGES,
    again,
    matrix,
    matrix_ids,
    offered_files,
    open_link,
    open_page,
    opened,
    press,
    room_of,
    said,
    unfolded,
    visit,
)

PICTURE = to_query(State(), View(), Place(part="picture", step="weights"))


def handed(*stops: Stop, number: int = 1, language: str = "en", **look: object) -> AppTest:
    plan = Plan(stops, **look)
    app = open_link(plan.stop(number).lesson, parts_of(plan, number, language))
    assert not app.exception, [error.message for error in app.exception]
    return app


def ways(app: AppTest) -> dict[str, dict[str, str]]:
    """The links with a plan by their label: the page, and the query that they open it with."""
    results = [one.proto for one in app.get("page_link")]
    return {
        one.label: {key: value[-1] for key, value in parse_qs(one.query_string).items()} | {"page": one.page}
        for one in results
        if "plan=" in one.query_string
    }


def buttons(app: AppTest) -> set[str]:
    return {one.key for one in app.button}


def test_what_is_locked_is_shown_and_cannot_be_changed():
    app = handed(stop_of("one_head", PICTURE, locked=("w_q", "mask", "part")), language="zh")
    assert app.selectbox(key="set_mask").disabled
    assert app.get("button_group")[0].proto.disabled
    assert not matrix(app, "w_q")["editable"] and matrix(app, "w_k")["editable"]
    assert not set(matrix(app, "w_q")["menu"]) & {"zeros", "normal"}


def test_what_would_change_a_locked_matrix_looks_locked():
    """Examples and sizes: what is refused cannot be pressed. What changes no locked number can be."""
    app = unfolded(handed(stop_of("one_head", PICTURE, locked=("w_q", "w_k", "w_v"))), "more")
    assert app.number_input(key="set_d_k").disabled and app.number_input(key="set_d_model").disabled
    assert app.number_input(key="set_d_v").disabled and not app.number_input(key="set_num_heads").disabled
    assert not app.toggle(key="set_biases").disabled and not app.selectbox(key="set_scaling").disabled
    t, grow = Texts("en"), matrix(app, "x")["grow"]
    same = [t(f"example.{name}") for name in ("cats", "masks_en")]  # all others have other matrices
    assert app.selectbox(key="set_example").options == same
    assert grow == {"rows": {"add": True, "remove": True}, "cols": {"add": False, "remove": False}}
    for name in ("masks_en", "cats"):
        app.selectbox(key="set_example").select(name).run()
        assert not app.warning and visit(app).settings.example == name
    every = handed(stop_of("one_head", PICTURE, locked=("x", "w_q")))
    assert every.selectbox(key="set_example").disabled


def test_a_story_s_word_and_its_button_look_locked():
    stop = stop_of("one_head", to_query(State(), View(), Place("meaning", topic="it")), locked=("x",))
    app = handed(stop)
    assert app.button(key="load_story").disabled
    assert not handed(replace(stop, locked=())).button(key="load_story").disabled


@pytest.mark.parametrize(
    ("stop", "disabled"),
    [
        ({}, [False]),
        ({"locked": ("sentence",)}, [True]),
        ({"locked": ("x",)}, [True]),
        ({"hidden": ("sentence",)}, []),
    ],
)
def test_the_entry_of_an_own_sentence_is_locked_with_its_words(stop, disabled):
    app = unfolded(handed(stop_of("one_head", PICTURE, **stop)), "own_sentence")
    assert [one.disabled for one in app.button if one.proto.is_form_submitter] == disabled


@pytest.mark.parametrize(
    "address", [{"part": "meaning"}, {"part": "predict", "topic": "swap"}, {"stop": "1"}]
)
def test_an_address_does_not_open_another_part_than_the_locked_one(address):
    stop = stop_of("one_head", PICTURE, locked=("part",))
    app = open_link("one_head", parts_of(Plan((stop,)), 1, "en") | {"stop": "1"} | address)
    assert matrix_ids(app) >= {"weights", "output"} and app.query_params["part"] == "picture"
    unlocked = open_link("one_head", parts_of(Plan((stop,)), 1, "en") | {"part": "meaning", "free": "on"})
    assert visit(unlocked).place("one_head").part == "meaning"


def test_a_topic_stays_with_its_locked_part():
    stop = stop_of("one_head", to_query(State(), View(), Place("predict", topic="value")), locked=("part",))
    query = parts_of(Plan((stop,)), 1, "en") | {"stop": "1", "topic": "swap"}
    assert visit(open_link("one_head", query)).place("one_head").topic == "value"


def test_an_address_unlocks_only_what_the_teacher_lets_the_learner_unlock():
    stop = stop_of("one_head", PICTURE, locked=("x",), hidden=("scores",))
    for unlocks in (True, False):
        app = open_link("one_head", parts_of(Plan((stop,), "", unlocks), 1, "zh") | {"free": "on"})
        assert matrix(app, "x")["editable"] == unlocks
        assert (matrix(app, "scores")["values"] is not None) == unlocks
        assert (Texts("zh")("handout.unlocked") in said(app)) == unlocks


@pytest.mark.parametrize("name", [name for name in LESSONS if lesson(name).own is None])
def test_a_link_has_no_results(name):
    """What a teacher has hidden and what was answered: the link has inputs and switches alone."""
    answers = tuple((question, "shown") for question in lesson(name).questions)
    app = opened(name, lesson(name).parts[0].name, answers=answers)
    visit(app).places[name] = Place(lesson(name).parts[0].name, cell=("weights", 0, 0), step="weights")
    hidden = ("scores", "weights")
    stop = stop_of(name, to_query(visit(app).state, visit(app).view, visit(app).place(name)), hidden=hidden)
    assert set(stop.parts) <= {*OF_SETTINGS, "head", "part", "topic", "row", "step"}


def test_what_is_hidden_is_not_there():
    app = handed(stop_of("one_head", PICTURE, hidden=("mask", "w_q", "scores")), language="zh")
    assert "set_mask" not in {one.key for one in app.selectbox}
    for name in ("w_q", "scores"):
        assert matrix(app, name)["values"] is None
    assert matrix(app, "w_q")["editable"] is False
    assert matrix(app, "query")["recipe"] is None and matrix(app, "weights")["values"]


@pytest.mark.parametrize(
    ("hidden", "offered"), [("mask", True), ("part", True), ("x", False), ("scores", False)]
)
def test_hidden_numbers_are_not_taken_out(hidden, offered):
    app = handed(stop_of("one_head", PICTURE, hidden=(hidden,)))
    app.session_state["share"] = True
    assert ("export_npz" in offered_files(app.run())) == offered


def test_a_question_that_is_left_out_is_not_asked():
    predict = to_query(State(), View(), Place(part="predict", topic="swap"))
    asked = handed(stop_of("one_head", predict), language="zh")
    skipped = handed(stop_of("one_head", predict, skipped=("swap",)), language="zh")
    withheld = handed(stop_of("one_head", predict, withheld=("swap",)), language="zh")
    question = Texts("zh", "one_head")("ask.swap", first="我", last="猫")[-12:]
    assert question in said(asked)
    assert question not in said(skipped) and question not in said(withheld)
    seen = opened("one_head", "predict", topic="swap", language="zh")
    assert len(skipped.get("bidi_component")) == len(seen.get("bidi_component"))
    assert len(withheld.get("bidi_component")) < len(seen.get("bidi_component"))


def test_who_unlocks_it_may_change_all_and_comes_back_by_one_link():
    app = handed(stop_of("one_head", PICTURE, locked=("w_q", "mask"), hidden=("scores",)), language="zh")
    app.button(key="handout_unlock").click().run()
    assert not app.selectbox(key="set_mask").disabled
    assert matrix(app, "w_q")["editable"] and matrix(app, "scores")["values"]
    assert "handout_unlock" not in buttons(app)
    app.selectbox(key="set_mask").select("causal").run()
    assert app.query_params["free"] == "on" and app.query_params["mask"] == "causal"
    back = ways(app)[Texts("zh")("handout.return")]
    state, view, place, problems = from_query({key: value for key, value in back.items() if key != "page"})
    assert state == State() and not view.free and not problems and place.step == "weights"


def test_a_teacher_may_keep_it_locked():
    app = handed(stop_of("one_head", PICTURE, locked=("w_q",)), unlocks=False)
    assert not {"handout_unlock", "handout_leave"} & buttons(app)
    assert {"handout_unlock", "handout_leave"} <= buttons(handed(stop_of("one_head", PICTURE, locked=("x",))))
    nothing = handed(stop_of("one_head", PICTURE))
    assert "handout_unlock" not in buttons(nothing)  # there is nothing to unlock


def test_reset_goes_to_the_teacher_s_numbers_and_undo_stops_at_a_lock():
    state = State(core=edits.set_cell(Settings(), "w_q", 0, 0, 7.0))
    app = handed(stop_of("one_head", to_query(state, View(), Place(part="picture")), locked=("w_q",)))
    app.selectbox(key="set_scaling").select("none").run()
    app.button(key="reset").click().run()
    assert visit(app).state == state
    app.session_state["visit"].history.past.append(State())  # what was there before the link
    app.button(key="undo").click().run()
    assert visit(app).state == state
    assert [one.value for one in app.warning] == [Texts("en")("error.locked")]
    assert "Unlock" not in Texts("en")("error.locked")  # not every page has that button


def test_a_reload_keeps_the_learner_s_numbers_and_the_teacher_s_locks():
    app = handed(stop_of("one_head", PICTURE, locked=("w_q",)))
    app.selectbox(key="set_scaling").select("none").run()
    again = open_link("one_head", dict(app.query_params))
    assert visit(again).settings.scaling == "none"
    assert not matrix(again, "w_q")["editable"]


def test_a_plan_is_walked_forth_and_back():
    stops = (stop_of("one_head", PICTURE), Stop("softmax", "example=cats"), Stop("masks", "example=masks"))
    t = Texts("zh")
    app = handed(*stops, number=2, language="zh", title="9b *x*")
    assert "9b \\*x\\*" in said(app) and t("handout.stop_of", i=2, n=3) in said(app)
    result = ways(app)
    assert [result[t(f"handout.{name}")]["page"] for name in ("back", "next")] == ["one_head", "masks"]
    assert (result[t("handout.next")]["goto"], "goto" in result[t("handout.back")]) == ("3", False)
    assert t("handout.next") not in ways(handed(*stops, number=3, language="zh"))
    assert t("handout.back") not in ways(handed(*stops, number=1, language="zh"))


def test_who_goes_on_keeps_the_answers_and_who_returns_is_asked_anew():
    app = handed(Stop("softmax", "example=cats"), Stop("masks", "example=masks"))
    app.session_state["visit"].view = View(
        plan=visit(app).view.plan, stop=1, answers=(("causal", "x"), ("soft_three", "shown"))
    )
    app.run()
    for way in ("Return to the start", "Next"):
        link = {key: text for key, text in ways(app)[way].items() if key != "page"}
        assert "guess" not in link
        app.query_params.clear()
        for key, text in link.items():
            app.query_params[key] = text
        app.run()
        assert dict(visit(app).view.answers).keys() == {"causal"}


def test_a_presentation_goes_on_from_stop_to_stop_and_is_not_handed_out():
    app = handed(Stop("softmax", "example=cats&present=on"), Stop("masks", "example=masks"))
    assert not visit(app).view.presenting
    app.button(key="present").click().run()
    assert [ways(app)[name]["present"] for name in ("Next", "Return to the start")] == ["on", "on"]


def test_the_bar_is_gone_in_another_lesson_where_nothing_is_locked_and_there_again_in_its_own():
    plan = Plan((stop_of("one_head", PICTURE, locked=("x", "mask")),))
    _, view, _, _ = from_query(parts_of(plan, 1, "en"))
    app = open_page("masks", edits.example_start("masks"), view, Place("gallery"))
    assert not ways(app) and "handout_leave" not in buttons(app)
    assert not app.selectbox(key="set_mask").disabled
    app = open_link("one_head", dict(app.query_params))
    assert ways(app)["Return to the start"]["page"] == "one_head"
    app.button(key="handout_leave").click().run()
    assert not ways(app) and "plan" not in app.query_params


# ---- the panel


def opened_panel(lesson: str = "one_head", part: str = "picture", language: str = "en", **look) -> AppTest:
    app = opened(lesson, part, language=language, answers=(), **look)
    unfolded(app, "share").button(key="handout").click().run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def tick(app: AppTest, name: str, *values: str) -> None:
    group = next(one for one in app.get("button_group") if one.key and one.key.startswith(f"handout_{name}"))
    on(app, group.set_value(list(values)))


def on(app: AppTest, used) -> None:
    """A run after something in the panel was used. AppTest runs the whole page, so it is opened again."""
    app.button(key="handout").click().run()
    assert used is not None and not app.exception, [error.message for error in app.exception]


def link(app: AppTest) -> dict[str, str]:
    """The parts of the link that the panel shows."""
    text = next(one.value for one in app.code if "plan=" in one.value)
    return {key: value[-1] for key, value in parse_qs(urlsplit(text).query).items()} | {
        "page": urlsplit(text).path
    }


SWITCHED = [(name, part) for name in LESSONS for part in lesson(name).parts if part.switches]


@pytest.mark.parametrize("switch", dict.fromkeys(switch for _, part in SWITCHED for switch in part.switches))
def test_every_switch_has_a_name_in_the_panel(switch):
    name, part = next((name, part) for name, part in SWITCHED if switch in part.switches)
    app = opened_panel(name, part.name)
    [locked] = [one for one in app.get("button_group") if (one.key or "").startswith("handout_locked")]
    assert len(set(locked.options)) == len(locked.options) > len(part.switches)


def test_a_link_is_made_by_ticking():
    app = opened_panel("flash_attention", "tiles", "zh")
    assert Texts("zh")("handout.guides") in said(app)  # who tries can read hidden inputs in the link
    tick(app, "locked", "x", "mask")
    tick(app, "asked", "flash_skip")
    on(app, app.toggle(key="handout_shows-flash_attention-tiles").set_value(True))
    on(app, app.text_input(key="handout_title-0").input("9b"))
    on(app, app.toggle(key="handout_unlocks-0").set_value(False))
    address = link(app)
    stop = read(address["plan"]).stops[0]
    assert (address["page"], address["lang"]) == ("/flash_attention", "zh")
    assert (stop.locked, stop.hidden) == (("mask", "x"), ())
    assert (stop.skipped, stop.withheld) == (("flash_same",), ())
    assert read(address["plan"]).title == "9b" and not read(address["plan"]).unlocks
    _, _, place, _ = from_query({"plan": address["plan"]})
    assert place.part == "tiles"
    assert any("<img" in one.proto.body and "svg" in one.proto.body for one in app.get("html"))


def test_a_link_can_show_everything_at_once():
    """The questions are folded, and the switch of the sidebar says whose choice that is."""
    app = opened_panel("order", "swap", "zh")
    on(app, app.checkbox(key="handout_show_me-order-swap").set_value(True))
    shown = open_link("order", link(app).copy() | {"page": ""})
    t = Texts("zh", "order")
    line = t("question.line", short=t("short.order_reversed"))
    assert line in [one.label for one in shown.expander]
    assert matrix_ids(shown) >= {"output_reversed"} and not visit(shown).view.answers
    switch = next(one for one in shown.sidebar.get("button_group") if one.key.startswith("set_asking"))
    assert switch.proto.disabled and switch.proto.help == t("frame.shown_by_teacher")


def test_the_questions_that_are_asked_are_one_list_with_short_names():
    """All are asked at first. Of the others the answers are not shown, unless the teacher says so."""
    app, t = opened_panel("one_head", "predict", "zh"), Texts("zh", "one_head")
    [asked] = [one for one in app.get("button_group") if one.key.startswith("handout_asked")]
    names = lesson("one_head").part("predict").questions
    assert asked.options == [t(f"short.{name}") for name in names] and asked.value == list(names)
    assert not [one for one in app.toggle if one.key.startswith("handout_shows")]
    tick(app, "asked", "swap")
    stop = read(link(app)["plan"]).stops[0]
    assert (stop.skipped, stop.withheld) == ((), tuple(name for name in names if name != "swap"))


@pytest.mark.parametrize("name", [name for name in LESSONS if lesson(name).questions])
def test_every_question_has_a_short_name(name):
    for language in LANGUAGES:
        names = [Texts(language, name)(f"short.{question}") for question in lesson(name).questions]
        assert len(set(names)) == len(names) and max(map(len, names)) <= 50


def test_a_stop_has_minutes_and_a_note_which_the_class_does_not_get():
    app = opened_panel("one_head", "predict")
    on(app, app.number_input(key="handout_minutes-one_head-predict").set_value(5))
    on(app, app.text_input(key="handout_note-one_head-predict").set_value("Ask *twice*."))
    for_class, own = [one.value for one in app.code if "plan=" in one.value]
    plans = [read(parse_qs(urlsplit(text).query)["plan"][0]) for text in (for_class, own)]
    assert [(plan.stops[0].minutes, plan.stops[0].note) for plan in plans] == [(0, ""), (5, "Ask *twice*.")]
    assert plans[0] == plans[1].without_notes()
    texts = [said(open_link("one_head", parts_of(plan, 1, "en"))) for plan in plans]
    view = literal("5 min. Ask *twice*.")
    assert [view in text for text in texts] == [False, True]


@pytest.mark.parametrize("note", ["\n", "x" * (MAX_NOTE + 1)])
def test_a_note_that_no_panel_writes_is_refused(note):
    app = open_link("one_head", parts_of(Plan((Stop("one_head", note=note),)), 1, "en"))
    assert visit(app).view.plan is None or visit(app).view.plan.stops[0].note == ""


def test_hidden_matrices_can_be_filled_in_where_the_panel_says_so():
    app = opened_panel()
    assert not [one for one in app.get("button_group") if (one.key or "").startswith("handout_fill")]
    tick(app, "hidden", "mask")
    assert not [one for one in app.get("button_group") if (one.key or "").startswith("handout_fill")]
    tick(app, "hidden", "scores", "mask")
    [fill] = [one for one in app.get("button_group") if (one.key or "").startswith("handout_fill")]
    assert fill.value == "" and read(link(app)["plan"]).stops[0].fill == ""
    on(app, fill.set_value("show"))
    assert read(link(app)["plan"]).stops[0].fill == "show"


def test_a_plan_is_put_together_and_changed():
    app = opened_panel(language="zh")
    on(app, app.button(key="handout_add").click())
    tick(app, "locked", "w_q")
    on(app, app.button(key="handout_add").click())
    assert [stop.locked for stop in read(link(app)["plan"]).stops] == [(), ("w_q",)]
    on(app, app.button(key="handout_earlier-1").click())
    assert [stop.locked for stop in read(link(app)["plan"]).stops] == [("w_q",), ()]
    on(app, app.button(key="handout_remove-0").click())
    assert [stop.locked for stop in read(link(app)["plan"]).stops] == [()]


def test_matrices_of_the_same_title_are_one_entry_and_are_hidden_together():
    """The library has two pictures of the same matrices, once its question is answered."""
    app = opened("one_head", "library")
    unfolded(app, "share", "answered-library_equal").button(key="handout").click().run()
    for kind in ("locked", "hidden"):
        [group] = [one for one in app.get("button_group") if (one.key or "").startswith(f"handout_{kind}")]
        assert len(set(group.options)) == len(group.options)
    tick(app, "hidden", "shares")
    stop = read(link(app)["plan"]).stops[0]
    assert stop.hidden == ("shares", "shares_equal")


def test_what_is_shared_of_a_plan_is_the_stop_on_the_screen_without_notes():
    """The link has its locks; the link of a page outside of the plan has no plan."""
    stops = (stop_of("masks", {}), replace(stop_of("one_head", PICTURE, locked=("w_q",)), note="Mine"))
    app = handed(*stops, number=2, title="9b")
    _, text = frame._to_share("one_head", visit(app), "http://class/one_head")
    _, view, place, problems = from_query({k: v[-1] for k, v in parse_qs(urlsplit(text).query).items()})
    assert (view.plan, view.stop, problems) == (Plan((replace(stops[1], note=""),), "9b"), 1, [])
    assert place.step == "weights"
    _, text = frame._to_share("softmax", visit(app), "http://class/softmax")
    assert "plan=" not in text and "stop=" not in text


def test_an_opened_plan_can_be_taken_over():
    """At once if there is no other plan in the window, or else by a press."""
    app = handed(stop_of("one_head", PICTURE, locked=("w_q",)), Stop("softmax", "example=cats"), title="9b")
    unfolded(app, "share").button(key="handout").click().run()
    assert read(link(app)["plan"]) == visit(app).view.plan
    assert "handout_edit" not in buttons(app)
    on(app, app.button(key="handout_remove-1").click())
    assert read(link(app)["plan"]) != visit(app).view.plan
    on(app, app.button(key="handout_edit").click())
    assert read(link(app)["plan"]) == visit(app).view.plan


def test_a_link_that_is_too_long_for_a_code_says_so():
    long = edits.resize(Settings(), d_model=16, num_heads=8, d_k=16, d_v=16)
    for seed, name in enumerate(("w_q", "w_k", "w_v")):
        long = edits.fill(long, name, "normal", seed)
    app = opened_panel(now=long)
    length = len(next(one.value for one in app.code if "plan=" in one.value))
    assert Texts("en")("handout.no_code", length=length, limit=1273) in said(app)
    assert not any("<img" in one.proto.body for one in app.get("html"))


def test_in_a_room_a_plan_has_the_room_s_link(monkeypatch):
    """Once the owner's page has it. The link leads to the class, or to the first stop without notes."""
    monkeypatch.setattr(ROOMS, "store", MemoryStore())
    stop = stop_of("one_head", PICTURE, locked=("w_q",))
    plan = Plan((replace(stop, note="Mine", minutes=5), stop_of("one_head", {"part": "row"})), "9b")

    def links(app: AppTest) -> list[str]:
        press(unfolded(app, "share"), "handout")
        return [one.value for one in app.code]

    host = press(unfolded(open_link("one_head", parts_of(plan, 1, "en")), "share"), "class_lead")
    visit(host).memory["vote"].introduced = room_of(host)  # as its browser says
    again(host)
    assert links(host)[-1].endswith(f"/?room={room_of(host)}")
    phone = open_link("one_head", {"room": room_of(host)})
    assert visit(phone).view.plan == Plan((stop,), "9b") and visit(phone).owner == session.CLASS
    press(host, "class_stop")
    phone = open_link("start", {"room": room_of(host), "lang": "zh"})
    view = visit(phone).view
    assert (view.plan, view.stop, view.vote) == (plan.without_notes(), 1, room_of(host))
    assert view.language == "zh" and visit(phone).owner != session.CLASS
    press(host, "handout_leave")
    assert "plan=" in links(host)[-1]
    phone = open_link("one_head", {"room": room_of(host)})
    assert visit(phone).view.plan is None and not visit(phone).problems


@pytest.mark.parametrize("name", NAMES)
def test_the_plans_for_teachers_are_walked(name):
    t = Texts("zh", "for_teachers")
    way = ways(opened("for_teachers", "plans", topic=name, language="zh"))[t("teachers.walk")]
    stops, items = read(way["plan"]).stops, items_of(COURSE, name)
    assert way["page"] == stops[0].lesson and [one.lesson for one in stops] == [i.lesson for i in items]
    for number, item in enumerate(items, 1):
        _, _, place, problems = from_query({"plan": way["plan"], "goto": str(number)})
        assert (place, problems) == (item.place, [])
        app = open_link(item.lesson, {"lang": "zh", "plan": way["plan"], "goto": str(number)})
        assert t("handout.takes", count=item.minutes) in said(app)
        assert literal(note_of(item, COURSE, t)) in said(app)


def test_the_own_switches_of_a_part_can_be_locked():
    app = opened_panel("cross_attention")
    tick(app, "locked", "cross_mask", "y")
    stop = read(link(app)["plan"]).stops[0]
    assert stop.locked == ("cross_mask", "y")
    again = handed(stop)
    assert again.selectbox(key="set_cross_mask").disabled and not matrix(again, "y")["editable"]
    assert again.selectbox(key="set_example").disabled  # every other one has another Y
