"""A teacher's link brings back just what was handed out, and a broken one breaks nothing."""

import zlib
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pages.model import edits, handout, packing
from pages.model.entries import WORD, SettingsError
from pages.model.handout import OwnQuestion, Plan, Stop, keep, parts_of, read, stop_of, told, write
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.model.test_link import places, states
from tests.support.course import LESSONS, REFERENCE, from_query
from tests.support.states import with_own

words = st.lists(st.from_regex(WORD, fullmatch=True), max_size=4).map(tuple)
titles = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)


def lines(most: int):
    """Texts that a teacher may type, once their line breaks are spaces."""
    return st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=most).map(str.strip)


def texts(most: int):
    """Such texts, some also in another language."""
    given = lines(most).filter(bool)
    return given | st.builds("{}\x1ezh {}".format, given, given)


@st.composite
def questions(draw):
    options = draw(st.lists(texts(9), min_size=2, max_size=6, unique=True).map(tuple))
    for language in ("", "en", "zh"):
        assume(len({told(option, language) for option in options}) == len(options))
    right = draw(st.lists(st.booleans(), min_size=len(options), max_size=len(options)).filter(any).map(tuple))
    return OwnQuestion(draw(texts(20)), options, right, draw(texts(20) | st.just("")))


@st.composite
def stops(draw):
    query = to_query(State(core=draw(states())), View(), draw(places()))
    marks = {name: draw(words) for name in ("locked", "hidden", "skipped", "withheld")}
    marks |= {"fill": draw(st.sampled_from(("", *handout.FILLS)))}
    marks |= {"instruction": draw(texts(20) | st.just("")), "question": draw(st.none() | questions())}
    return stop_of(draw(st.sampled_from((*LESSONS, *REFERENCE))), query, **marks, shows=draw(st.booleans()))


plans = st.builds(Plan, st.lists(stops(), min_size=1, max_size=3).map(tuple), titles, st.booleans())


@settings(max_examples=25)  # a plan holds several states
@given(plans)
def test_a_plan_goes_through_its_text(plan):
    assert handout.check_plan("plan", read(write(plan)), None) == plan


def test_links_from_before_are_written_and_read_as_they_were():
    """A stop without an instruction and a question has the text that it always had."""
    stop = Stop("one_head", "part=picture", ("x",), minutes=5, note="Ask twice.", shows=True)
    text = packed(b"9b\tfree\none_head\tpart=picture\tx\t\t\t\t5\tAsk twice.\tshows")
    assert write(Plan((stop,), "9b")) == text and read(text) == Plan((stop,), "9b")


@given(questions(), questions())
def test_another_question_has_another_name_which_can_be_an_answer_s(one, other):
    assert WORD.fullmatch(one.name) and handout.is_own(one.name)
    asked, others = ((question.text, question.options) for question in (one, other))
    asked, others = (
        (told(text, ""), tuple(told(o, "") for o in options)) for text, options in (asked, others)
    )
    assert (one.name == other.name) == (asked == others)
    assert one.sealed().name == one.name
    assert [word for word in one.words if one.is_right(word)] and not one.is_right("shown")


@given(states(), places(), st.sampled_from(["en", "zh"]))
def test_a_link_opens_the_state_that_was_handed_out(now, place, language):
    query = to_query(State(core=now), View(answers=(("swap", "same"),)), place)
    plan = Plan((Stop("softmax"), stop_of("one_head", query)))
    state, view, there, problems = from_query(parts_of(plan, 2, language))
    assert (state.core, there, problems) == (now, place, [])
    assert (view.plan, view.stop, view.language, view.answers) == (plan, 2, language, ())


def test_the_address_of_one_who_works_keeps_the_work_and_the_plan():
    plan = Plan((stop_of("one_head", to_query(State(), View(), Place()), locked=("w_q",)),))
    _, view, place, _ = from_query(parts_of(plan, 1, "en"))
    worked = State(core=edits.set_cell(Settings(), "x", 0, 0, 9.0))
    again = from_query(to_query(worked, view, place))
    assert again == (worked, view, place, [])


def test_a_stop_shows_everything_until_the_learner_unlocks_the_plan():
    view = View(plan=Plan((Stop("one_head"), Stop("masks", shows=True))), stop=2)
    assert view.shows and not View().shows
    assert not replace(view, stop=1).shows and not replace(view, free=True).shows


def test_a_plan_of_ten_stops_is_short():
    query = to_query(State(), View(), Place(part="picture", step="weights"))
    stop = stop_of("one_head", query, locked=("w_q", "w_k"), skipped=("swap",))
    assert len(write(Plan((stop,)))) < 70
    assert len(write(Plan((stop,) * 10))) < 120


def packed(text: bytes) -> str:
    packer = zlib.compressobj(9, wbits=-15, zdict=handout._WORDS)
    return packing.letters(packer.compress(text) + packer.flush())


HOSTILE = {
    "nothing": "_",
    "no text": packed(b"\xff\xfe\n"),
    "no stop": packed(b"\tfree"),
    "no lesson": packed(b"\t\nno_such_lesson"),
    "a way out of the folder": packed(b"\t\n../../app"),
    "a long name": packed(b"\t\none_head\t\t" + b"x" * 30),
    "many stops": packed(b"\t" + b"\none_head" * (handout.MAX_STOPS + 1)),
    "many names": packed(b"\t\none_head\t\t" + b"x," * (handout.MAX_MARKS + 1)),
    "many parts": packed(b"\t\none_head\t" + b"a=b&" * 300),
    "many fields": packed(b"\t\none_head" + b"\t" * 9),
    "an unknown field": packed(b"\t\none_head" + b"\t" * 9 + b"zText"),
    "an unknown way to fill in": packed(b"\t\none_head" + b"\t" * 9 + b"ftell"),
    "two instructions": packed(b"\t\none_head" + b"\t" * 9 + b"iOne\tiTwo"),
    "a long instruction": packed(b"\t\none_head" + b"\t" * 9 + b"i" + b"x" * 301),
    "an instruction of several lines": packed("\t\none_head\t\t\t\t\t\t\t\t\tiOne\u2028Two".encode()),
    "an instruction that turns the line": packed("\t\none_head\t\t\t\t\t\t\t\t\tiOne\u202eTwo".encode()),
    "a question without options": packed(b"\t\none_head" + b"\t" * 9 + b"qWhy?"),
    "options without a question": packed(b"\t\none_head" + b"\t" * 9 + b"rA\twB"),
    "an option twice": packed(b"\t\none_head" + b"\t" * 9 + b"qWhy?\trA\twA"),
    "an empty option": packed(b"\t\none_head" + b"\t" * 9 + b"qWhy?\trA\tw"),
    "seven options": packed(b"\t\none_head" + b"\t" * 9 + b"qWhy?\trA\twB\twC\twD\twE\twF\twG"),
    "a long option": packed(b"\t\none_head" + b"\t" * 9 + b"qWhy?\trA\tw" + b"x" * 121),
    "a long explanation": packed(b"\t\none_head" + b"\t" * 9 + b"qWhy?\trA\twB\te" + b"x" * 501),
    "an unknown language": packed(b"One\x1exx Two\t\none_head"),
    "a language twice": packed(b"One\x1ezh Two\x1ezh Two\t\none_head"),
    "an empty text in a language": packed(b"One\x1ezh \t\none_head"),
    "a long text in a language": packed(b"One\x1ezh " + b"x" * 61 + b"\t\none_head"),
    "an option twice in a language": packed(b"\t\none_head" + b"\t" * 9 + b"qWhy?\trA\x1ezh C\twB\x1ezh C"),
    "a line in the title": packed("\u2028\t\none_head".encode()),
    "a long title": packed(b"x" * 99 + b"\t\none_head"),
    "a bomb": packed(b"\t\none_head\t" + b"x" * 10_000_000),
    "cut off": write(Plan((Stop("one_head", "part=picture"),), "A title"))[:-4],
    "long": "A" * (handout.MAX_PACKED + 1),
    "other signs": "ü" * 8,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_plan_that_cannot_be_read_is_left_out_and_said(text):
    state, view, _, problems = from_query({"lang": "zh", "plan": text, "goto": "2"})
    assert (state, view) == (State(), View(language="zh"))
    assert [(one.code, one.facts) for one in problems] == [("link_value", {"name": "plan"})]


@given(st.binary(max_size=60).map(packed) | st.text(max_size=60), st.text(max_size=5))
def test_no_plan_raises(text, number):
    for query in ({"plan": text, "goto": number}, {"plan": text, "stop": number, "free": number}):
        from_query(query)


def test_what_a_stop_says_is_read_with_the_same_care_as_a_link():
    plan = Plan((Stop("one_head", "example=none&x=1&plan=abc&free=on&no_such=1"),))
    state, view, _, problems = from_query(parts_of(plan, 1, "en"))
    assert state == State() and view.plan == plan and not view.free
    assert {one.code for one in problems} == {"link_value", "link_unknown"}


@pytest.mark.parametrize("number", ["0", "-3", "9", "99999999999999999999", "x", ""])
def test_a_stop_that_is_not_there_is_the_nearest_one(number):
    plan = Plan((Stop("one_head"), Stop("softmax")))
    _, view, _, _ = from_query({"plan": write(plan), "goto": number})
    assert plan.stop(view.stop) in plan.stops


def locked(*names: str) -> Stop:
    return Stop("one_head", locked=names)


CHANGES = {
    "x": lambda now: edits.set_cell(now, "x", 0, 0, 5),
    "tokens": lambda now: edits.rename_token(now, 0, "A"),
    "w_q": lambda now: edits.set_cell(now, "w_q", 0, 0, 5),
    "heads": lambda now: edits.resize(now, num_heads=2),
    "d_k": lambda now: edits.resize(now, d_k=2),
    "example": lambda now: edits.example_start("two_heads"),
    "mask": lambda now: edits.with_choice(now, mask="causal"),
    "more": lambda now: edits.resize(now, d_model=5),
    "scaling": lambda now: edits.with_choice(now, scaling="none"),
    "position": lambda now: edits.with_choice(now, position="rotary"),
}
# The lock → the changes that it refuses.
REFUSED = {
    "x": {"x", "tokens", "example", "more"},
    "w_q": {"w_q", "d_k", "more", "example"},
    "heads": {"heads", "example"},
    "d_k": {"d_k", "heads", "more", "example"},
    "example": {"example"},
    "mask": {"mask"},
    "scaling": {"scaling"},
    "position": {"position"},
}


@pytest.mark.parametrize("lock", REFUSED)
def test_a_lock_refuses_whatever_would_change_what_it_holds(lock):
    refused = set()
    for name, change in CHANGES.items():
        try:
            keep(locked(lock), State(), State(core=change(Settings())))
        except SettingsError as problem:
            assert problem.code == "locked"
            refused.add(name)
    assert refused == REFUSED[lock]


def test_a_lock_holds_a_lesson_s_own_number():
    with pytest.raises(SettingsError):
        keep(locked("temperature"), State(), with_own(temperature=2.0))
    keep(locked("temperature"), State(), with_own(shift=2.0))
    keep(None, State(), with_own(temperature=2.0))


def test_the_rules_hold_in_the_stop_s_lesson_until_they_are_unlocked():
    plan = Plan((locked("x"), Stop("softmax", locked=("logits",))))
    assert View().standing("one_head") is None
    assert View(plan=plan, stop=1).standing("one_head") == plan.stops[0]
    assert View(plan=plan, stop=2).standing("softmax") == plan.stops[1]
    assert View(plan=plan, stop=2).standing("one_head") is None
    assert View(plan=plan, stop=1, free=True).standing("one_head") is None
