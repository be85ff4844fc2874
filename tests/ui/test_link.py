"""The link brings back exactly the state it was made from, and a broken one breaks nothing."""

import time
from dataclasses import replace
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.ui import edits
from pages.ui import settings as s
from pages.ui.entries import MAX_VALUE, SettingsError, parse_number, parse_token
from pages.ui.examples import EXAMPLES
from pages.ui.link import KEYS, from_query, to_query
from pages.ui.settings import Settings

SWITCHES = (
    *s.CHOICES,
    *s.NUMBERS,
    *s.COUNTS,
    "logits",
    "own_divisor",
    "padding",
    "window_left",
    "window_right",
    "prefix",
    "packed",
    "blocked",
    "source_padding",
    "reversed",
    "other",
    "off",
    "part",
    "guesses",
    "head",
    "row",
    "cell",
)
NUMBERS = st.floats(-1e6, 1e6) | st.integers(-9, 9) | st.floats(-1e-9, 1e-9)
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8) | st.sampled_from(
    [",", "\\", "a,b\\", "&x=1", "#", "%2C", "+", "<b>x</b>", "$x$", "我 爱"]
)


WORDS = st.from_regex(edits.WORD, fullmatch=True)


@st.composite
def states(draw) -> Settings:
    """Any valid settings, made by the functions that the page uses."""
    now = edits.load_example(
        Settings(language=draw(st.sampled_from(s.LANGUAGES))), draw(st.sampled_from([*EXAMPLES]))
    )
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
    for name in draw(st.lists(st.sampled_from([*s.MATRICES, *s.BIASES]), max_size=4)):
        now = attempt(now, edits.set_cell, name, 0, 0, draw(NUMBERS))
    if draw(st.booleans()):
        now = edits.fill(
            now, draw(st.sampled_from(s.MATRICES)), draw(st.sampled_from(s.FILLS)), draw(st.integers(0, 9))
        )
    n = len(now.tokens)
    place = st.integers(0, n - 1)
    return edits.with_choice(
        now,
        scaling=draw(st.sampled_from(s.SCALINGS)),
        own_divisor=draw(st.floats(1e-5, 1e6) | st.floats(-1e6, -1e-5)),
        mask=draw(st.sampled_from(s.MASKS)),
        padding=draw(st.integers(1, n)),
        window_left=draw(st.integers(0, 11)),
        window_right=draw(st.integers(0, 11)),
        prefix=draw(st.integers(0, n)),
        packed=draw(st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple)),
        blocked=draw(st.frozensets(st.tuples(place, place))),
        mask_2=draw(st.sampled_from(s.MASKS)),
        combine=draw(st.sampled_from(s.COMBINATIONS)),
        cross_mask=draw(st.sampled_from(s.CROSS_MASKS)),
        source_padding=draw(st.integers(1, len(now.source))),
        alignment=draw(st.sampled_from(s.ALIGNMENTS)),
        reversed=draw(st.booleans()),
        sample=draw(st.sampled_from(s.CHOICES["sample"])),
        sample_case=draw(st.sampled_from(s.CHOICES["sample_case"])),
        precision=draw(st.sampled_from(s.CHOICES["precision"])),
        axis=draw(st.sampled_from(s.CHOICES["axis"])),
        logits=draw(st.lists(NUMBERS, min_size=1, max_size=10)),
        **{name: draw(st.floats(*limits)) for name, limits in s.NUMBERS.items()},
        **{name: draw(st.integers(*limits)) for name, limits in s.COUNTS.items()},
        other=draw(st.integers(0, 7)),
        off=draw(st.frozensets(st.integers(0, now.num_heads - 1))),
        projection=draw(st.sampled_from(s.PROJECTIONS)),
        writing=draw(st.sampled_from(s.WRITINGS)),
        part=draw(st.sampled_from(s.PARTS) | st.none()),
        guesses=draw(st.dictionaries(WORDS, WORDS, max_size=3).map(lambda d: tuple(sorted(d.items())))),
        masked_score=draw(st.sampled_from(s.MASKED_SCORES)),
        head=draw(st.integers(0, now.num_heads - 1)),
        row=draw(place | st.none()),
        cell=draw(st.tuples(st.sampled_from(s.STEP_NAMES), place, st.integers(0, 5)) | st.none()),
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
        head=draw(st.integers(0, heads - 1)),
        cell=("output", n - 1, 0),
    )
    biases = draw(st.booleans())
    for name, (rows, cols) in s.shapes(now).items():
        if biases or name not in s.BIASES:
            row = st.lists(NUMBERS.map(parse_number), min_size=cols, max_size=cols)
            now = s.with_matrix(now, name, draw(st.lists(row, min_size=rows, max_size=rows)))
    return now


def attempt(now, change, *args):
    try:
        return change(now, *args)
    except SettingsError:
        return now


def check_valid(now: Settings) -> None:
    """Every shape and range; it raises where something is off."""
    assert 1 <= len(now.tokens) <= s.MAX_TOKENS
    assert all(parse_token(token) == token for token in now.tokens)
    assert 1 <= now.d_model <= s.MAX_WIDTH and 1 <= now.num_heads <= s.MAX_HEADS
    assert 1 <= now.head_dim <= s.MAX_WIDTH and 1 <= now.value_dim <= s.MAX_WIDTH
    for name, (rows, cols) in s.shapes(now).items():
        matrix = s.as_matrix(now, name)
        if matrix is None:
            assert name in s.BIASES
            continue
        assert len(matrix) == rows and {len(row) for row in matrix} == {cols}
        assert all(isinstance(v, float) and abs(v) <= MAX_VALUE for row in matrix for v in row)
    assert s.normalised(now) == now
    assert len({getattr(now, name) is None for name in s.BIASES}) == 1
    assert edits.with_choice(now, **{name: getattr(now, name) for name in SWITCHES}) == now
    assert s.MIN_DIVISOR <= abs(now.own_divisor) <= MAX_VALUE
    assert now.cell is None or now.cell[0] in s.STEP_NAMES
    assert all(0 <= i < len(now.tokens) for pair in now.blocked for i in pair)
    assert now.example in EXAMPLES
    assert hash(now) == hash(replace(now))


def through_the_address_bar(query: dict[str, str]) -> dict[str, list[str]]:
    return parse_qs(urlencode(query), keep_blank_values=True)


@limits(max_examples=150, deadline=None)
@given(states() | composed())
def test_a_link_brings_back_exactly_its_state(now):
    check_valid(now)
    assert from_query(through_the_address_bar(to_query(now))) == (now, [])


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("language", s.LANGUAGES)
def test_the_link_of_an_example_is_short(example, language):
    query = to_query(edits.load_example(Settings(language=language), example))
    assert query == {"lang": language} | ({} if example == "cats" else {"example": example})


def test_one_changed_number_is_one_readable_part():
    assert (
        to_query(edits.set_cell(Settings(), "x", 0, 0, 2))["x"]
        == "2,0.5,0.2,0.1;0.3,1.2,0.8,0.4;0.6,0.1,1.5,0.9"
    )


def test_rows_and_columns_count_from_one_in_the_link():
    now = edits.with_choice(
        Settings(), row=1, cell=("weights", 0, 2), mask="custom", blocked=frozenset({(0, 2)})
    )
    query = to_query(now)
    assert (query["row"], query["cell"], query["blocked"]) == ("2", "weights,1,3", "1-3")


def test_the_largest_state_goes_through_a_link():
    now = edits.set_biases(edits.resize(Settings(), d_model=16, num_heads=8, d_k=16, d_v=16), True)
    while len(now.tokens) < s.MAX_TOKENS:
        now = edits.add_token(now)
    for name in (*s.MATRICES, *s.BIASES):
        rows, cols = s.shapes(now)[name]
        now = s.with_matrix(now, name, [[-1.23456789012e-300] * cols] * rows)
    start = time.perf_counter()
    assert from_query(through_the_address_bar(to_query(now))) == (now, [])
    assert time.perf_counter() - start < 5


def full_link() -> dict[str, str]:
    """A link with every key."""
    now = edits.load_example(Settings(), "two_heads")
    now = edits.resize(now, d_model=4, num_heads=4, d_k=2, d_v=1, num_kv_heads=2)
    now = edits.resize(edits.set_source(now, "a b\\, c"), d_model=3)
    now = edits.set_biases(edits.add_token(edits.rename_token(now, 0, "a,\\&<b>")), True)
    for i, name in enumerate((*s.MATRICES, *s.BIASES)):
        now = edits.set_cell(now, name, 0, 0, -1.25e-7 - i)
    now = edits.with_choice(
        now, mask="custom", blocked=frozenset({(0, 2), (3, 1)}), scaling="own", own_divisor=-3
    )
    now = edits.with_choice(now, padding=3, window_left=4, window_right=2, masked_score="-1e9")
    now = edits.with_choice(now, prefix=2, packed=(1, 2), mask_2="causal", combine="or", reversed=True)
    now = edits.with_choice(now, cross_mask="padding", source_padding=1, alignment="lower_right")
    now = edits.with_choice(now, sample="signs", sample_case="same", precision="float32", axis="all")
    now = edits.with_choice(
        now, logits=(1, 2, -3.5, 1e5), **{name: high for name, (_, high) in s.NUMBERS.items()}
    )
    now = edits.with_choice(now, **{name: high for name, (_, high) in s.COUNTS.items()})
    now = edits.with_choice(now, other=3, off={0, 2}, projection="key", writing="small", part="split")
    now = edits.with_choice(now, guesses=[("split", "a"), ("cell", "1_2")])
    return to_query(edits.with_choice(now, row=1, head=2, cell=("scaled_scores", 3, 2)))


def test_the_full_link_has_every_key():
    assert set(full_link()) == set(KEYS)


def test_every_prefix_of_every_part_gives_a_valid_state():
    whole = full_link()
    for key, text in whole.items():
        for end in range(len(text)):
            state, problems = from_query(whole | {key: text[:end]})
            check_valid(state)
            assert len(problems) <= 5


@limits(max_examples=150, deadline=None)
@given(st.data())
def test_a_link_changed_somewhere_gives_a_valid_state(data):
    whole = urlencode(full_link())
    start = data.draw(st.integers(0, len(whole)))
    stop = data.draw(st.integers(start, min(start + 9, len(whole))))
    changed = whole[:start] + data.draw(st.text("0123456789-.,;&=%\\e+abx", max_size=6)) + whole[stop:]
    state, problems = from_query(parse_qs(changed, keep_blank_values=True))
    check_valid(state)
    assert len(problems) <= 5


def test_sizes_that_do_not_fit_together_lose_the_heads_only():
    state, problems = from_query({"dmodel": "6", "heads": "4", "dv": "5"})
    assert state == edits.resize(Settings(), d_model=6, d_v=5)
    assert [problem.code for problem in problems] == ["heads_do_not_divide"]
    state, problems = from_query({"example": "two_heads", "dmodel": "5"})
    assert state == edits.load_example(Settings(), "two_heads")
    assert [problem.code for problem in problems] == ["heads_do_not_divide"]


def test_what_is_no_text_is_no_crash():
    assert from_query({"lang": ["en", "zh"]})[0].language == "zh"
    assert [problem.code for problem in from_query({"x": None, "row": [3], "wq": []})[1]] == [
        "link_value"
    ] * 2
    assert from_query({}, "fr") == (Settings(), [])


def test_a_link_cut_anywhere_gives_a_valid_state():
    now = edits.add_token(edits.set_cell(edits.resize(Settings(), num_heads=2), "w_q", 0, 0, 3.25))
    whole = urlencode(to_query(edits.with_choice(now, mask="custom", blocked=frozenset({(0, 2)}), row=1)))
    for end in range(len(whole)):
        state, problems = from_query(parse_qs(whole[:end], keep_blank_values=True))
        check_valid(state)
        assert len(problems) <= 5


@limits(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(KEYS) | st.text(max_size=9), st.text(max_size=60) | st.lists(st.text(max_size=9))
    )
)
def test_nonsense_gives_a_valid_state(query):
    state, problems = from_query(query)
    check_valid(state)
    assert len(problems) <= 5


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"x": "1,2"}, "link_value"),
        ({"x": "1,2,3,nan;1,2,3,4;1,2,3,4"}, "link_value"),
        ({"x": "1,2,3,1e9;1,2,3,4;1,2,3,4"}, "link_value"),
        ({"heads": "99"}, "link_value"),
        ({"heads": "1" * 5000}, "link_value"),
        ({"heads": "3"}, "heads_do_not_divide"),
        ({"mask": "banana"}, "link_value"),
        ({"row": "0"}, "link_value"),
        ({"row": "4"}, "link_value"),
        ({"cell": "weights,9,9"}, "link_value"),
        ({"cell": "banana,1,1"}, "link_value"),
        ({"cell": "weights,0,1"}, "link_value"),
        ({"blocked": "0-1"}, "link_value"),
        ({"divisor": "0"}, "link_value"),
        ({"blocked": "9-9"}, "link_value"),
        ({"tokens": ","}, "link_value"),
        ({"tokens": "x" * 200}, "link_value"),
        ({"bq": "1,2,3,4"}, "link_value"),
        ({"what": "1"}, "link_unknown"),
        ({"x": "1" * 100_000}, "link_value"),
        ({"a": "1" * 200_000}, "link_unknown"),
    ],
)
def test_each_kind_of_fault_is_said_and_the_rest_is_kept(query, code):
    start = time.perf_counter()
    state, problems = from_query({"scaling": "none", **query})
    assert time.perf_counter() - start < 1
    assert problems[0].code == code
    check_valid(state)
    if sum(map(len, query.values())) < 150_000:
        assert state == edits.with_choice(Settings(), scaling="none")


def test_many_faults_are_few_messages():
    _, problems = from_query(dict.fromkeys(KEYS, "\x00"))
    assert len(problems) == 5
    assert problems[-1].code == "link_more"


def test_streamlit_s_own_parameters_are_no_fault():
    assert from_query({"embed": "true", "embed_options": "x"}) == (Settings(), [])
