"""A teacher's own question and instruction: written in the panel, asked, voted on, and kept as text."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from streamlit.testing.v1 import AppTest

from pages.draw.texts import Texts, literal
from pages.model.handout import OwnQuestion, Plan, parts_of, read, stop_of, told
from pages.model.link import to_query
from pages.model.view import SHOWN, Place
from pages.room import MemoryStore
from pages.room.rooms import ROOMS
from tests.support.screen import open_link, opened, press, recalled, room_of, said, unfolded, visit

QUESTION = OwnQuestion(
    "Which row of A sums to 1?", ("The first.", "All.", "None"), (True, True, False), "Each."
)
HOSTILE = "<b>x</b> $x$ `c` **d** [e](http://f) :material/home: :red[g] # h W_Q ~i~"
ASKED = OwnQuestion(HOSTILE, (f"{HOSTILE} 1", f"{HOSTILE} 2."), (False, True), HOSTILE)


def plan_with(question: OwnQuestion, **marks: object) -> Plan:
    return Plan((stop_of("one_head", {"part": "picture"}, question=question, **marks),))


def handed(question: OwnQuestion = QUESTION, language: str = "en", **marks: object) -> AppTest:
    app = open_link("one_head", parts_of(plan_with(question, **marks), 1, language))
    assert not app.exception, [error.message for error in app.exception]
    return app


def verdict(app: AppTest) -> str:
    [text] = [one.value for one in (*app.success, *app.info, *app.warning)]
    return text


def test_a_learner_answers_and_sees_the_verdict_and_the_explanation():
    t, ask = Texts("zh"), f"guess-{QUESTION.name}"
    app = handed(language="zh", instruction="Drag *x*.")
    assert literal("Drag *x*.") in said(app) and literal(QUESTION.text) in said(app)
    assert literal(QUESTION.explanation) not in said(app)
    labels = [one.label for one in app.button if (one.key or "").startswith(f"{ask}-")]
    options = [f"{letter}. {literal(text)}" for letter, text in zip("ABC", QUESTION.options, strict=True)]
    assert labels == [*options, t("question.show")]
    right = t.all_of(["A. The first", "B. All"]).replace(".", "")
    for word, sentence in {
        "b": t("question.right", said="B. All"),
        "c": t("question.wrong", said="C. None", answer=right),
        SHOWN: t("question.answer", answer=right),
    }.items():
        press(app, f"{ask}-{word}")
        assert verdict(app).replace(".", "") == sentence.replace(".", "")
        assert literal(QUESTION.explanation) in said(app)
        press(app, f"again-{QUESTION.name}")


def test_text_stays_text():
    """In the question, the options, the verdict, the explanation and the instruction."""
    app = handed(ASKED, instruction=HOSTILE)
    press(app, f"guess-{ASKED.name}-a")
    texts = "\n".join([said(app), *(one.label for one in app.button)])
    for text in (HOSTILE, f"{HOSTILE} 1", f"{HOSTILE} 2"):
        assert literal(text) in texts and text not in texts
    assert "\\**" not in verdict(app)


def test_the_question_is_asked_at_its_place_and_stays_with_an_unlocked_plan():
    app = handed(instruction="Look.", locked=("w_q",))
    press(app, "handout_unlock")
    assert QUESTION.text[:-1] in said(app) and "Look" in said(app)
    for place in (Place("picture"), Place("row")):
        visit(app).places["one_head"] = place
        app.run()
        assert ("Look" in said(app)) == (place.part == "picture") == (QUESTION.text[:-1] in said(app))


def test_it_is_asked_openly_where_everything_is_shown():
    app = handed(shows=True)
    assert QUESTION.text[:-1] in said(app) and not app.success
    press(app, f"guess-{QUESTION.name}-a")
    assert len(app.success) == 1


def test_an_answer_stays_at_a_reload_and_goes_with_the_way_back_to_the_start():
    plan = plan_with(QUESTION)
    query, kept = parts_of(plan, 1, "en"), {QUESTION.name: "b", "own_x": "b"}
    before = recalled(query | {"stop": "1"}, kept, "/one_head")
    assert dict(before.view.answers) == {QUESTION.name: "b"}
    app = press(handed(), f"guess-{QUESTION.name}-b")
    app.query_params.clear()
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert visit(app).view.plan == plan and not visit(app).view.answers


def test_a_class_votes_on_it_and_no_phone_has_the_answer_before_it_is_revealed(monkeypatch):
    """Neither on its page nor in its address: in the room, after leaving it, and without its code."""
    monkeypatch.setattr(ROOMS, "store", MemoryStore())
    name = QUESTION.name
    host = press(handed(instruction="Look."), f"vote_open-{name}")
    phone, leaving = (
        open_link("one_head", {"vote": room_of(host)}),
        open_link("one_head", {"room": room_of(host)}),
    )
    assert QUESTION.text[:-1] in said(phone) and literal(QUESTION.explanation) not in said(phone)
    press(phone, f"ballot-{name}-b")

    def link() -> dict[str, str]:
        return to_query(visit(phone).state, visit(phone).view, Place())

    def asked() -> OwnQuestion:
        return read(link()["plan"]).stops[0].question

    for act in ("close", "bars"):
        press(host, f"vote_{act}-{name}")
        phone.run()
        assert asked() == QUESTION.sealed()
    without = {key: text for key, text in link().items() if key != "room"}
    assert "room" in link()
    for app in (press(leaving, f"vote_leave-{name}"), open_link("one_head", without)):
        assert QUESTION.text[:-1] not in said(app) and not visit(app).problems
    press(host, f"vote_reveal-{name}")
    phone.run()
    assert asked() == QUESTION and visit(host).view.plan.stops[0].question == QUESTION
    for app in (host, phone):
        bars = [one.proto.text for one in app.get("progress")]
        assert [text.startswith(":material/check:") for text in bars] == list(QUESTION.right)
        assert literal(QUESTION.explanation) in said(app)
    assert len(phone.success) == 1
    visit(phone).places["one_head"] = Place("row")
    press(host, f"vote_again-{name}")
    phone.run()
    assert asked() == QUESTION.sealed() and literal(QUESTION.explanation) not in said(phone)
    press(phone, f"ballot-{name}-b")


# ---- the form


def panel(app: AppTest) -> AppTest:
    app.button(key="handout").click().run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def typed(app: AppTest, **texts: str) -> AppTest:
    """AppTest runs the whole page, so the panel is opened again."""
    for name, text in texts.items():
        app.text_area(key=f"handout_{name}-one_head-picture").set_value(text)
        panel(app)
    return app


def stop_in(app: AppTest):
    text = next(one.value for one in app.code if "plan=" in one.value)
    return read(parse_qs(urlsplit(text).query)["plan"][0]).stops[0]


def test_a_question_is_written_with_an_instruction_and_a_preview():
    app = panel(unfolded(opened("one_head", "picture", language="zh"), "share"))
    typed(app, instruction="Look\nat *A*.  ", question=" Which? ", options="One\n\nTwo *b*\n")
    t = Texts("zh")
    lacks = t("handout.not_whole", least=2, most=6, limit=120)
    assert lacks in said(app) and stop_in(app).question is None
    assert stop_in(app).instruction == "Look at *A*."
    [right] = [one for one in app.get("button_group") if (one.key or "").startswith("handout_right")]
    assert right.options == ["A. One", f"B. {literal('Two *b*')}"]
    right.set_value([1])
    typed(panel(app), explanation="Since *c*.")
    assert stop_in(app).question == OwnQuestion("Which?", ("One", "Two *b*"), (False, True), "Since *c*.")
    assert lacks not in said(app) and literal("Since *c*.") in said(app)


def test_a_text_is_told_in_the_language_of_the_page_or_as_it_was_given():
    """With the same name, so that both languages answer, and vote on, one question."""
    both = {one: f"{one}\x1ezh 用*中文*{i}" for i, one in enumerate((QUESTION.text, *QUESTION.options[1:]))}
    texts = [both.get(one, one) for one in (QUESTION.text, *QUESTION.options)]
    question = replace(QUESTION, text=texts[0], options=tuple(texts[1:]))
    assert question.is_whole() and question.name == QUESTION.name
    marks = {"instruction": "Look.\x1ezh 看。", "note": "Mine.\x1ezh 我的。"}
    plan = Plan(plan_with(question, **marks).stops, "Class\x1ezh 班")
    expected = {"en": (*both, "Look", "Mine", "Class"), "zh": (*both.values(), "看", "我的", "班")}
    for language, seen in expected.items():
        app = open_link("one_head", parts_of(plan, 1, language))
        labels = [one.label for one in app.button]
        press(app, f"guess-{QUESTION.name}-b")
        page = "\n".join([said(app), *labels])
        for text in (*seen, QUESTION.options[0]):
            assert literal(told(text, language).rstrip(".")) in page
        assert "\x1e" not in page and "zh " not in page


def test_a_stop_of_an_opened_plan_is_edited_in_its_place():
    plan = plan_with(QUESTION, instruction="Look.")
    plan = Plan((*plan.stops, stop_of("masks", {"part": "gallery"})), "9b")
    app = open_link("one_head", parts_of(plan, 1, "en"))
    typed(panel(unfolded(app, "share")), instruction="Look again.")
    assert not [one for one in app.button if one.key == "handout_renew-1"]
    row = open_link("one_head", parts_of(plan, 1, "en") | {"part": "row", "stop": "1"})
    panel(unfolded(row, "share"))
    assert (
        row.text_area(key="handout_instruction-one_head-row").value == ""
    )  # another part, without these words
    app.button(key="handout_renew-0").click()
    stop = stop_in(panel(app))
    assert (stop.instruction, stop.question) == ("Look again.", QUESTION)
    text = next(one.value for one in app.code if "plan=" in one.value)
    assert len(read(parse_qs(urlsplit(text).query)["plan"][0]).stops) == 2
