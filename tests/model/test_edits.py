"""The edits: each gives a valid state or refuses with a reason, and never half of one."""

import math
from dataclasses import FrozenInstanceError, replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pages.model import edits, fresh, matrices
from pages.model import settings as s
from pages.model.compute import divisor_of, trace_of
from pages.model.entries import SettingsError, parse_token
from pages.model.examples import EXAMPLES
from pages.model.settings import Settings
from tests.support.number_entries import ACCEPTED, REFUSED, TOO_LONG

START = Settings()


def refused(code: str, change, *args, **kwargs) -> dict:
    with pytest.raises(SettingsError) as caught:
        change(START, *args, **kwargs)
    assert caught.value.code == code
    return caught.value.facts


@pytest.mark.parametrize(("entry", "value"), [*ACCEPTED, (7, 7)])
def test_numbers_as_people_type_them(entry, value):
    assert edits.set_cell(START, "x", 1, 2, entry).x[1][2] == value


@pytest.mark.parametrize(
    "entry",
    [
        *REFUSED,
        *(math.nan, math.inf, None, True, [1], pytest.param(10**5000, id="huge")),
    ],
)
def test_what_is_no_number_is_refused(entry):
    refused("not_a_number", edits.set_cell, "x", 0, 0, entry)


@pytest.mark.parametrize("entry", TOO_LONG, ids=len)
def test_what_is_longer_than_any_number_is_refused_before_it_is_read(entry):
    facts = refused("entry_too_long", edits.set_cell, "x", 0, 0, f"  {entry} ")
    assert facts == {"entry": entry[:40], "length": len(entry), "limit": 40}


@pytest.mark.parametrize("entry", ["1000001", -2e6, "1e300", "1e999"])
def test_what_is_too_large_is_refused(entry):
    assert refused("too_large", edits.set_cell, "x", 0, 0, entry)["limit"] == 10**6


def test_there_is_no_negative_zero():
    assert math.copysign(1, edits.set_cell(START, "x", 0, 0, "-0").x[0][0]) == 1


def test_a_block_goes_in_whole_or_not_at_all():
    assert edits.set_block(START, "x", 1, 2, [[7, 8], [9, 10]]).x[1:] == ((0.3, 1.2, 7, 8), (0.6, 0.1, 9, 10))
    facts = refused("paste_shape", edits.set_block, "x", 2, 3, [[1, 2], [3, 4]])
    assert facts == {"rows": 2, "cols": 2, "room_rows": 1, "room_cols": 1}
    refused("not_a_number", edits.set_block, "x", 0, 0, [[1, "a"]])
    refused("paste_shape", edits.set_block, "x", 0, 0, [])
    refused("paste_shape", edits.set_block, "x", 0, 0, [[]])


@pytest.mark.parametrize(("row", "col"), [(-1, 0), (0, -1), (3, 0), (0, 4), (0.5, 0), ("0", 0), (True, 0)])
def test_a_cell_outside_the_matrix_is_refused(row, col):
    refused("out_of_range", edits.set_cell, "x", row, col, 1)


@pytest.mark.parametrize("name", ["tokens", "b_q", "nothing", None])
def test_only_matrices_that_are_there_can_be_edited(name):
    refused("unknown_choice", edits.set_cell, name, 0, 0, 1)
    refused("unknown_choice", edits.fill, name, "zeros")
    refused("unknown_choice", edits.rounded, name, 1)


def test_biases_are_all_there_or_not_at_all():
    on = edits.set_biases(edits.resize(START, num_heads=2, d_k=3), True)
    assert [len(getattr(on, name)) for name in matrices.BIASES] == [6, 6, 4, 4]
    changed = edits.set_cell(on, "b_k", 0, 5, "2.5")
    assert changed.b_k == (0, 0, 0, 0, 0, 2.5)
    assert edits.resize(changed, d_k=4).b_k == (0, 0, 0, 0, 0, 2.5, 0, 0)
    assert edits.fill(changed, "b_k", "identity").b_k == (0,) * 6
    assert {getattr(edits.set_biases(changed, False), name) for name in matrices.BIASES} == {None}


def test_sizes_keep_what_fits_and_fill_the_rest_by_a_rule():
    wide = edits.resize(START, d_model=6)
    assert [row[:4] for row in wide.x] == [*START.x]
    assert wide.x[0][4] == fresh.fresh_value("x", 0, 4)
    assert wide.head_dim == wide.value_dim == 6
    assert edits.resize(wide, d_model=4) == START
    assert edits.resize(edits.resize(START, d_k=9), d_k=None) == START


def test_fresh_values_do_not_depend_on_the_sizes_around_them():
    once = edits.resize(START, d_model=16).w_q
    steps = START
    for size in range(5, 17):
        steps = edits.resize(steps, d_model=size)
    assert steps.w_q == once


def test_several_heads_make_the_projections_wide():
    two = edits.resize(START, num_heads=2)
    assert (two.head_dim, len(two.w_q[0]), len(two.w_o)) == (2, 4, 4)
    own = edits.resize(START, num_heads=3, d_k=5, d_v=2)
    assert (len(own.w_q[0]), len(own.w_v[0]), len(own.w_o)) == (15, 6, 6)


def test_heads_must_divide_the_width_while_the_sizes_follow_it():
    facts = refused("heads_do_not_divide", edits.resize, num_heads=3)
    assert facts == {"num_heads": 3, "d_model": 4, "divisors": (1, 2, 4)}


@pytest.mark.parametrize(
    "sizes",
    [
        *({"d_model": 0}, {"d_model": 17}, {"d_k": 0}, {"d_v": 17}, {"num_heads": 9}, {"num_heads": None}),
        *({"num_heads": True}, {"d_k": 2.5}, {"d_model": "4"}, {"d_v": math.nan}),
    ],
)
def test_sizes_out_of_range_are_refused(sizes):
    refused("out_of_range", edits.resize, **sizes)


def test_tokens_are_added_up_to_the_limit_with_names_of_their_own():
    now = START
    for _ in range(9):
        now = edits.add_token(now)
    assert len(set(now.tokens)) == len(now.x) == 12
    with pytest.raises(SettingsError, match="too_many_tokens"):
        edits.add_token(now)


def test_a_removed_token_takes_its_row_and_its_mask_cells_along():
    now = edits.with_choice(START, mask="custom", blocked=frozenset({(0, 1), (2, 0)}), padding=3)
    less = edits.remove_token(now, 1)
    assert less.tokens == ("我", "猫")
    assert less.x == (START.x[0], START.x[2])
    assert (less.blocked, less.padding) == (frozenset({(1, 0)}), 2)


@pytest.mark.parametrize(
    ("counted", "removed", "left"), [(2, 0, 1), (2, 1, 1), (2, 2, 2), (3, 2, 2), (1, 0, 1), (1, 1, 1)]
)
def test_padding_goes_on_counting_the_same_tokens(counted, removed, left):
    assert edits.remove_token(edits.with_choice(START, padding=counted), removed).padding == left


@pytest.mark.parametrize("index", [-1, 3, 1.0, None])
def test_a_token_that_is_not_there_is_refused(index):
    refused("out_of_range", edits.remove_token, index)
    refused("out_of_range", edits.rename_token, index, "a")


def test_the_last_token_stays():
    one = edits.remove_token(edits.remove_token(START, 0), 0)
    with pytest.raises(SettingsError, match="too_few_tokens"):
        edits.remove_token(one, 0)


@pytest.mark.parametrize("name", ["", "  ", "\n\t", "\u200b", "\u200d \u200c", "\ud800"])
def test_an_empty_name_is_refused(name):
    refused("token_empty", edits.rename_token, 0, name)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (" a\n b ", "a b"),
        ("a\u202eb", "a b"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🔬", "👩\u200d🔬"),
    ],
)
def test_a_name_keeps_what_belongs_to_its_script(typed, kept):
    assert edits.rename_token(START, 0, typed).tokens[0] == kept


def test_a_long_name_is_refused():
    assert refused("token_too_long", edits.rename_token, 0, "x" * 200)["length"] == 200


@given(st.text(max_size=20))
def test_a_name_is_one_line(text):
    try:
        name = parse_token(text)
    except SettingsError as problem:
        assert problem.code == "token_empty"
    else:
        assert name.replace("\u200c", "").replace("\u200d", "").isprintable()
        assert name == name.strip() == parse_token(name)


def test_fills():
    assert edits.fill(START, "w_q", "zeros").w_q == ((0.0,) * 4,) * 4
    assert edits.fill(START, "w_o", "identity").w_o == START.w_o
    assert edits.fill(START, "w_q", "normal", 3) == edits.fill(START, "w_q", "normal", 3)
    assert edits.fill(START, "w_q", "normal", 3) != edits.fill(START, "w_q", "normal", 4)
    assert edits.rounded(edits.set_cell(START, "x", 0, 0, 1.26), "x", 1).x[0][0] == 1.3
    assert edits.fill(START, "w_q", "normal", 3).w_q != edits.fill(START, "w_k", "normal", 3).w_k
    refused("unknown_choice", edits.fill, "x", "randomly")
    refused("out_of_range", edits.fill, "x", "normal", -1)
    refused("out_of_range", edits.rounded, "x", "1")


def test_normal_weights_are_divided_by_the_root_of_their_rows():
    tall = edits.resize(START, d_model=16, num_heads=8, d_k=16)
    numbers = [v for row in edits.fill(tall, "w_q", "normal", 1).w_q for v in row]
    variance = sum(v * v for v in numbers) / len(numbers)
    assert variance * 16 == pytest.approx(1, abs=0.1)  # 2048 numbers: standard error 0.03


def test_divisors():
    start = [edits.with_choice(START, scaling=name, own_divisor=3) for name in s.SCALINGS]
    assert [divisor_of(now) for now in start] == [2, 1, 4, 3]


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("unknown_choice", {"mask": "banana"}),
        ("out_of_range", {"padding": 0}),
        ("out_of_range", {"padding": 4}),
        ("out_of_range", {"window_left": 12}),
        ("too_near_zero", {"own_divisor": 0}),
        ("out_of_range", {"position_base": 1}),
        ("out_of_range", {"first_position": 101}),
        ("out_of_range", {"packed": (0,)}),
        ("not_a_number", {"own_divisor": math.nan}),
        ("out_of_range", {"padding": None}),
        ("out_of_range", {"padding": 2.5}),
        ("out_of_range", {"blocked": frozenset({(-1, 0)})}),
        ("out_of_range", {"blocked": frozenset({(0, 3)})}),
        ("unknown_choice", {"mask": ["none"]}),
        ("unknown_choice", {"tokens": ()}),
    ],
)
def test_choices_out_of_range_are_refused(code, fields):
    refused(code, edits.with_choice, **fields)


def test_a_custom_mask_is_set_cell_by_cell():
    hidden = edits.set_blocked(START, 0, 2, True)
    assert hidden.blocked == {(0, 2)}
    assert edits.set_blocked(hidden, 0, 2, True) == hidden
    assert edits.set_blocked(hidden, 0, 2, False) == START
    refused("out_of_range", edits.set_blocked, 0, 3, True)
    refused("out_of_range", edits.set_blocked, -1, 0, True)


def test_what_is_outside_the_sizes_is_let_go():
    big = replace(START, blocked=frozenset({(0, 1), (2, 2)}), padding=3)
    small = s.normalised(replace(big, tokens=("a", "b")))
    assert (small.blocked, small.padding) == (frozenset({(0, 1)}), 2)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_whole(name):
    now = edits.example_start(name)
    assert s.normalised(now) == now
    assert now.example == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("copy", [[0, 1, 2]]),
        ("previous", [[0, 0, 1, 2]]),
        ("cats", [[2, 2, 2]]),
    ],
)
def test_the_tokens_of_an_example_attend_as_its_name_says(name, expected):
    heads = trace_of(edits.example_start(name)).heads
    assert heads.weights.argmax(-1).tolist() == expected
    assert name == "cats" or heads.weights.max(-1).values.min() > 0.7


def test_the_two_heads_have_two_habits():
    same_word, other_half = trace_of(edits.example_start("two_heads")).heads.weights
    word = torch.tensor([[1, 0, 1, 0], [0, 1, 0, 1]] * 2, dtype=torch.bool)
    half = torch.tensor([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]], dtype=torch.bool)
    assert same_word[word].min() > 0.4 and other_half[half].min() > 0.4


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("slope_factor", 5000, 1000.0),
        ("slope_factor", "0.5", 0.5),
        ("first_position", 7.6, 8),
        ("first_position", -3, 0),
    ],
)
def test_a_number_of_its_own_stops_at_the_ends_of_its_range(name, value, kept):
    assert getattr(edits.set_cell(START, name, 0, 0, value), name) == kept


def test_two_tokens_change_places_with_their_rows():
    swapped = edits.swap_tokens(START, 0, 2)
    assert swapped.tokens == ("猫", "爱", "我")
    assert swapped.x == (START.x[2], START.x[1], START.x[0])
    assert edits.swap_tokens(swapped, 2, 0) == START
    refused("out_of_range", edits.swap_tokens, 0, 3)


def test_a_cell_of_the_mask_is_set_like_any_other():
    assert edits.set_cell(START, "mask", 0, 2, False).blocked == {(0, 2)}
    assert edits.set_cell(edits.set_cell(START, "mask", 0, 2, False), "mask", 0, 2, True) == START


def test_an_edit_changes_a_copy_only():
    before = (hash(START), START)
    edits.set_cell(edits.resize(edits.add_token(START), num_heads=2), "x", 0, 0, 9)
    assert (hash(START), START) == before == (hash(Settings()), Settings())
    with pytest.raises(FrozenInstanceError):
        START.mask = "causal"


def test_an_error_has_the_facts_of_its_code():
    with pytest.raises(TypeError):
        SettingsError("too_large", entry="1")
