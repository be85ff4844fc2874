"""The link brings back exactly the state it was made from, and a broken one breaks nothing."""

import random
import time
from collections.abc import Collection
from dataclasses import replace
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.model import edits, handout
from pages.model import settings as s
from pages.model.entries import MAX_VALUE, WORD, SettingsError, parse_number, parse_token
from pages.model.examples import EXAMPLES
from pages.model.fields import specs, with_fields
from pages.model.link import LONGEST, fitting, to_query, whole
from pages.model.matrices import BIASES, MATRICES, MAX_HEADS, MAX_TOKENS, MAX_WIDTH, TABLE
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import COURSE, from_query
from tests.support.states import kind_with, many_numbers, with_own

NUMBERS = st.floats(-1e6, 1e6) | st.integers(-9, 9) | st.floats(-1e-9, 1e-9)
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8) | st.sampled_from(
    [",", "\\", "a,b\\", "&x=1", "#", "%2C", "+", "<b>x</b>", "$x$", "我 爱"]
)


WORDS = st.from_regex(WORD, fullmatch=True)
START = (State(), View(), Place())
KEYS = tuple(COURSE.keys)


def declared(record) -> st.SearchStrategy[dict]:
    """Values for all the fields that the table gives a range or options."""
    drawn = {}
    for name, spec in specs(type(record)).items():
        if spec.kind == "choice":
            drawn[name] = st.sampled_from(spec.options)
        elif spec.kind == "flag":
            drawn[name] = st.booleans()
        elif spec.kind == "count":
            drawn[name] = st.integers(*spec.range(record))
        elif spec.kind == "number":
            drawn[name] = st.floats(*spec.range(record))
    return st.fixed_dictionaries(drawn)


@st.composite
def views(draw) -> View:
    answers = draw(st.dictionaries(WORDS, WORDS, max_size=3))
    view = with_fields(View(answers=tuple(answers.items())), **draw(declared(View())))
    return draw(with_records(view, COURSE.looks))


@st.composite
def with_records(draw, owner, table):
    """A state or a view with any values in the lessons' records."""
    for kind in table:
        owner = owner.having(with_fields(kind(), **draw(declared(kind()))))
    if table is COURSE.numbers:
        order = draw(st.integers(0, 6).flatmap(lambda n: st.permutations(range(n))))
        owner = with_own(owner, order=tuple(order), off=draw(st.frozensets(st.integers(0, 7))))
        owner = with_own(owner, logits=draw(st.lists(NUMBERS, min_size=1, max_size=10)))
    return owner


@st.composite
def places(draw) -> Place:
    cell = st.tuples(WORDS, st.integers(0, 11), st.integers(0, 5))
    return Place(
        draw(st.none() | WORDS),
        draw(st.none() | st.integers(0, 11)),
        draw(st.none() | WORDS),
        draw(st.none() | cell),
    )


@st.composite
def states(draw) -> Settings:
    """Any valid settings, made by the functions that the page uses."""
    now = edits.example_start(draw(st.sampled_from([*EXAMPLES])))
    for _ in range(draw(st.integers(0, 4))):
        now = attempt(now, edits.add_token)
    if draw(st.booleans()):
        now = attempt(now, edits.remove_token, draw(st.integers(0, len(now.tokens) - 1)))
    now = attempt(now, edits.rename_token, 0, draw(NAMES))
    size = st.integers(1, 5)
    sizes = {"num_heads": draw(size), "d_k": draw(size | st.none()), "d_v": draw(size | st.none())}
    now = attempt(now, edits.set_source, " ".join(draw(st.lists(NAMES, min_size=1, max_size=5))))
    now = attempt(now, lambda n: edits.resize(n, d_model=draw(size), **sizes))
    now = attempt(now, lambda n: edits.resize(n, num_kv_heads=draw(size | st.none())))
    now = edits.set_biases(now, draw(st.booleans()))
    for name in draw(st.lists(st.sampled_from([*TABLE]), max_size=4)):
        now = attempt(now, edits.set_cell, name, 0, 0, draw(NUMBERS))
    if draw(st.booleans()):
        now = edits.fill(
            now,
            draw(st.sampled_from(MATRICES)),
            draw(st.sampled_from(s.FILLS)),
            draw(st.integers(0, 9)),
        )
    n = len(now.tokens)
    place = st.integers(0, n - 1)
    return edits.with_choice(
        now,
        **draw(declared(now)),
        own_divisor=draw(st.floats(1e-5, 1e6) | st.floats(-1e6, -1e-5)),
        packed=draw(st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple)),
        blocked=draw(st.frozensets(st.tuples(place, place))),
    )


@st.composite
def composed(draw) -> Settings:
    """Any valid settings, put together from their parts without the edits."""
    n, d_model, heads = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    size = st.integers(1, 3) | (st.none() if d_model % heads == 0 else st.nothing())
    now = Settings(
        tokens=tuple(draw(st.lists(NAMES.map(parse_token), min_size=n, max_size=n))),
        x=((0.0,) * d_model,) * n,
        y=((0.0,) * d_model,) * 3,
        num_heads=heads,
        d_k=draw(size),
        d_v=draw(size),
        padding=1,
        example=draw(st.sampled_from([*EXAMPLES])),
    )
    biases = draw(st.booleans())
    for name, (rows, cols) in s.shapes(now).items():
        if biases or name not in BIASES:
            row = st.lists(NUMBERS.map(parse_number), min_size=cols, max_size=cols)
            now = s.with_matrix(now, name, draw(st.lists(row, min_size=rows, max_size=rows)))
    return s.normalised(now)


def attempt(now, change, *args):
    try:
        return change(now, *args)
    except SettingsError:
        return now


def check_valid(now: Settings) -> None:
    """Every shape and range; it raises where something is off."""
    assert 1 <= len(now.tokens) <= MAX_TOKENS
    assert all(parse_token(token) == token for token in now.tokens)
    assert 1 <= now.d_model <= MAX_WIDTH and 1 <= now.num_heads <= MAX_HEADS
    assert 1 <= now.head_dim <= MAX_WIDTH and 1 <= now.value_dim <= MAX_WIDTH
    for name, (rows, cols) in s.shapes(now).items():
        matrix = s.as_matrix(now, name)
        if matrix is None:
            assert name in BIASES
            continue
        assert len(matrix) == rows and {len(row) for row in matrix} == {cols}
        assert all(isinstance(v, float) and abs(v) <= MAX_VALUE for row in matrix for v in row)
    assert s.normalised(now) == now
    assert len({getattr(now, name) is None for name in BIASES}) == 1
    assert edits.with_choice(now, **{name: getattr(now, name) for name in specs(Settings)}) == now
    assert s.MIN_DIVISOR <= abs(now.own_divisor) <= MAX_VALUE
    assert all(0 <= i < len(now.tokens) for pair in now.blocked for i in pair)
    assert now.example in EXAMPLES
    assert hash(now) == hash(replace(now))


def link_of(now: Settings) -> dict[str, str]:
    return to_query(State(core=now), View(), Place())


def opened(query) -> tuple[Settings, list[SettingsError]]:
    """The core settings of a link, and what of it could not be taken."""
    state, _, _, problems = from_query(query)
    return state.core, problems


def through_the_address_bar(query: dict[str, str]) -> dict[str, list[str]]:
    return parse_qs(urlencode(query), keep_blank_values=True)


@limits(max_examples=100, deadline=None)
@given(states() | composed(), with_records(State(), COURSE.numbers), views(), places())
def test_a_link_brings_back_exactly_its_state(now, numbers, view, place):
    check_valid(now)
    state = replace(numbers, core=now)
    query = through_the_address_bar(to_query(state, view, place))
    assert query.keys().isdisjoint(("guess", *COURSE.typed))
    query = through_the_address_bar(to_query(state, view, place, typed=True))
    assert from_query(query) == (state, replace(view, answers=()), place, [])


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_link_of_an_example_is_short(example, language):
    query = to_query(State(core=edits.example_start(example)), View(language=language), Place())
    assert query == {"lang": language, "example": example}


def test_one_changed_number_is_one_readable_part():
    assert link_of(edits.set_cell(Settings(), "x", 0, 0, 2))["x"] == "1-1_2"


def with_own_numbers(now: Settings, decimals: int) -> Settings:
    """All numbers of X and of the projections drawn again."""
    draw = random.Random(0)
    for name in ("x", "w_q", "w_k", "w_v"):
        rows, cols = s.shapes(now)[name]
        drawn = [[round(draw.uniform(-2, 2), decimals) + 0.0 for _ in range(cols)] for _ in range(rows)]
        now = s.with_matrix(now, name, drawn)
    return now


@pytest.mark.parametrize(("width", "decimals", "most"), [(4, 1, 300), (8, 1, 360), (8, 2, 420)])
def test_the_link_of_own_numbers_is_short(width, decimals, most):
    """As the browser writes it; with commas and all numbers in full these had 383, 1367 and 1606."""
    now = with_own_numbers(edits.resize(Settings(), d_model=width), decimals)
    assert opened(through_the_address_bar(link_of(now))) == (now, [])
    assert len(urlencode(link_of(now))) <= most


def test_rows_and_columns_count_from_one_in_the_link():
    now = edits.with_choice(Settings(), mask="custom", blocked=frozenset({(0, 2)}))
    query = to_query(State(core=now), View(head=1), Place(row=1, cell=("weights", 0, 2)))
    assert query["head"] == "2"
    assert (query["row"], query["cell"], query["blocked"]) == ("2", "weights,1,3", "1-3")


def test_the_largest_state_goes_through_a_link():
    now = edits.set_biases(edits.resize(Settings(), d_model=16, num_heads=8, d_k=16, d_v=16), True)
    while len(now.tokens) < MAX_TOKENS:
        now = edits.add_token(now)
    for name in TABLE:
        rows, cols = s.shapes(now)[name]
        now = s.with_matrix(now, name, [[-1.23456789012e-300] * cols] * rows)
    start = time.perf_counter()
    assert opened(through_the_address_bar(link_of(now))) == (now, [])
    assert time.perf_counter() - start < 60


def full_link() -> dict[str, str]:
    """A link with every key."""
    now = edits.example_start("two_heads")
    now = edits.resize(now, d_model=4, num_heads=4, d_k=2, d_v=1, num_kv_heads=2)
    now = edits.resize(edits.set_source(now, "a b\\, c"), d_model=3)
    now = edits.set_biases(edits.add_token(edits.rename_token(now, 0, "a,\\&<b>")), True)
    for i, name in enumerate(TABLE):
        now = edits.set_cell(now, name, 0, 0, -1.25e-7 - i)
    now = edits.with_choice(
        now, mask="custom", blocked=frozenset({(0, 2), (3, 1)}), scaling="own", own_divisor=-3
    )
    now = edits.with_choice(now, padding=3, window_left=4, window_right=2, masked_score="-1e9")
    now = edits.with_choice(now, packed=(1, 2), dimensions=("a,\\&<b>", "", "c"))
    state = State(core=at_far_ends(now, but={"scaling", "masked_score", "mask"}))
    plan = handout.Plan((handout.Stop("one_head", locked=("x",)), handout.Stop("softmax")), "A, b")
    view = at_far_ends(View(answers=(("cell", "1_2"), ("split", "a")), plan=plan, vote="KLMRST"))
    for kind in COURSE.numbers:
        state = state.having(at_far_ends(kind()))
    for kind in COURSE.looks:
        view = view.having(at_far_ends(kind()))
    state = with_own(state, off={0, 2}, logits=(1, 2, -3.5, 1e5), order=(1, 0, 2, 3, 4), request=(2, -1))
    state = with_own(state, words=(0, 7), changed=(0.5, -2, 1e5), norm_row=(1, -2, 0.5, 9))
    state = with_own(
        state,
        typed="It fell.",
        typed_other="It sat.",
        next_text="It is",
        barred={(1, 0), (3, 2)},
        hand=(0.5, -2, 1e5),
    )
    for field, text in (("search", "score"), ("document", "X = 1")):
        kind = kind_with(field, COURSE.looks)
        view = view.having(with_fields(view.of(kind), **{field: text}))
    tried = "split:weights,1,3,2,ge,0.8;scores,1,1,1,top:w_q,mask"
    place = Place("split", 1, "scores", ("scaled_scores", 3, 2), "bank", tried)
    return to_query(state, view, place, typed=True)


def at_far_ends(record, but: Collection[str] = ()):
    """The record with every field that has a range or options at a value that is not its default.

    One after the other: the range of a field may depend on the fields before it.
    """
    for name, spec in specs(type(record)).items():
        if spec.kind not in ("other", "row") and name not in but:
            record = with_fields(record, **{name: far_end(record, name)})
    return record


def far_end(record, name: str) -> object:
    """A value that differs from the default."""
    spec, default = specs(type(record))[name], getattr(type(record)(), name)
    if spec.kind == "choice":
        return next(option for option in reversed(spec.options) if option != default)
    return not default if spec.kind == "flag" else next(end for end in spec.range(record) if end != default)


def test_the_full_link_has_every_key():
    # `goto` is only in a link that opens a stop of a plan (see test_handout).
    assert set(full_link()) == set(KEYS) - {"goto"}


def test_every_prefix_of_every_part_gives_a_valid_state():
    whole = full_link()
    for key, text in whole.items():
        for end in range(len(text)):
            state, problems = opened(whole | {key: text[:end]})
            check_valid(state)
            assert len(problems) <= 5


@limits(max_examples=100, deadline=None)
@given(st.data())
def test_a_link_changed_somewhere_gives_a_valid_state(data):
    whole = urlencode(full_link())
    start = data.draw(st.integers(0, len(whole)))
    stop = data.draw(st.integers(start, min(start + 9, len(whole))))
    changed = whole[:start] + data.draw(st.text("0123456789-.,;&=%\\e+abx", max_size=6)) + whole[stop:]
    state, problems = opened(parse_qs(changed, keep_blank_values=True))
    check_valid(state)
    assert len(problems) <= 5


def test_sizes_that_do_not_fit_together_lose_the_heads_only():
    state, problems = opened({"dmodel": "6", "heads": "4", "dv": "5"})
    assert state == edits.resize(Settings(), d_model=6, d_v=5)
    assert [problem.code for problem in problems] == ["heads_do_not_divide"]
    state, problems = opened({"example": "two_heads", "dmodel": "5"})
    assert state == edits.example_start("two_heads")
    assert [problem.code for problem in problems] == ["heads_do_not_divide"]


def test_what_is_no_text_is_no_crash():
    assert from_query({"lang": ["en", "zh"]})[1].language == "zh"
    problems = from_query({"x": None, "row": [3], "wq": []})[3]
    assert [problem.code for problem in problems] == ["link_value"] * 3
    assert from_query({}, "fr") == (*START, [])


@limits(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(KEYS) | st.text(max_size=9), st.text(max_size=60) | st.lists(st.text(max_size=9))
    )
)
def test_nonsense_gives_a_valid_state(query):
    state, problems = opened(query)
    check_valid(state)
    assert len(problems) <= 5


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"x": "1,2"}, "link_value"),
        ({"x": "1_2_3_nan__1_2_3_4__1_2_3_4"}, "link_value"),
        ({"x": "1_2_3_1e9__1_2_3_4__1_2_3_4"}, "link_value"),
        ({"heads": "99"}, "link_value"),
        ({"heads": "1" * 5000}, "link_value"),
        ({"heads": "3"}, "heads_do_not_divide"),
        ({"mask": "banana"}, "link_value"),
        ({"row": "0"}, "link_value"),
        ({"row": "13"}, "link_value"),
        ({"cell": "weights,999,9"}, "link_value"),
        ({"cell": "<b>,1,1"}, "link_value"),
        ({"cell": "weights,0,1"}, "link_value"),
        ({"blocked": "0-1"}, "link_value"),
        ({"divisor": "0"}, "link_value"),
        ({"blocked": "9-9"}, "link_value"),
        ({"tokens": ","}, "link_value"),
        ({"tokens": "x" * 200}, "link_value"),
        ({"bq": "1,2,3,4"}, "link_value"),
        ({"what": "1"}, "link_unknown"),
        ({"x": "1" * 100_000}, "link_value"),
        ({"x": "4-1_2"}, "link_value"),
        ({"x": "1-1_nan"}, "link_value"),
        ({"x": "pAAAA.0.0.1"}, "link_value"),
        ({"x": "pAAA.0.0.1000000001"}, "link_value"),
        ({"x": "p" + "A" * 40_000 + ".15.0." + "9" * 22}, "link_value"),
        ({"a": "1" * 200_000}, "link_too_long"),
        ({"a" * 200_000: "1"}, "link_too_long"),
    ],
)
def test_each_kind_of_fault_is_said_and_the_rest_is_kept(query, code):
    start = time.perf_counter()
    state, problems = opened({"scaling": "none", **query})
    assert time.perf_counter() - start < 30
    assert problems[0].code == code
    check_valid(state)
    if code != "link_too_long":
        assert state == edits.with_choice(Settings(), scaling="none")


@pytest.mark.parametrize("digits", range(1, 13))
def test_every_link_that_is_made_is_short_and_has_all_numbers_or_none(digits):
    """What is too long is a file."""
    state = State(core=many_numbers(digits))
    query = to_query(state, View(), Place())
    kept, address = fitting(query, COURSE), whole("http://127.0.0.1/one_head", query)
    fits = len(urlencode(query)) <= LONGEST
    assert len(urlencode(kept)) <= LONGEST and bool(address) == fits == (kept == query)
    assert opened(query) == (state.core, [])  # as a file is read
    assert fits or kept == {"lang": "en"}
    assert fits or digits > 1, "some fit"
    assert not fits or digits < 12, "some do not"


def test_many_faults_are_few_messages():
    _, problems = opened(dict.fromkeys(KEYS, "\x00"))
    assert len(problems) == 5
    assert problems[-1].code == "link_more"


def test_streamlit_s_own_parameters_are_no_fault():
    assert from_query({"embed": "true", "embed_options": "x"}) == (*START, [])
