"""The walk: what each stop shows, and that it says nothing but what the numbers are."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from tests import apps
from tests.apps import LANGUAGES, pictures, visit

START = edits.load_example(Settings(), "tired")
IT, STREET = 2, 1
SEVEN = ["ask", "compare", "share", "mix", "rows", "matrices", "hand"]
opened = partial(apps.opened, "one_head", "picture")


def walked(now=START, **options):
    """The picture, and its stops by their names."""
    (picture,) = pictures(opened(now, **options))
    steps = [step for step in picture["steps"] if step["shows"] is not None]
    return picture, {step["name"].removeprefix("walk_"): step for step in steps}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_grows_from_one_query_to_the_whole(language):
    picture, stops = walked(language=language)
    assert list(stops) == SEVEN
    shown = {name: stop["shows"] for name, stop in stops.items()}
    assert shown["ask"] == {"x": None}
    assert shown["compare"] == {"x": None, "query": IT, "key": None, "scores": IT}
    assert shown["share"].keys() - shown["compare"].keys() == {"scaled_scores", "masked_scores", "weights"}
    assert shown["mix"].keys() - shown["share"].keys() == {"value", "output"} and shown["mix"]["output"] == IT
    assert shown["rows"] == dict.fromkeys(shown["mix"])
    assert shown["hand"] == dict.fromkeys(one["id"] for one in picture["matrices"])


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("example", ["cats", "masks", "two_heads", "tired_zh"])
def test_each_stop_shows_the_arithmetic_of_a_cell_that_is_there(example, heads):
    now = edits.load_example(Settings(), example)
    picture, stops = walked(edits.resize(now, num_heads=heads), head=heads - 1)
    assert ("heads" in stops) == (heads > 1)
    of = {one["id"]: one for one in picture["matrices"]}
    for stop in stops.values():
        matrix, row, col = stop["cell"]
        assert matrix in stop["shows"] and stop["shows"][matrix] in (None, row)
        assert 0 <= row < len(of[matrix]["rows"])
        assert 0 <= col - of[matrix]["offset"] < len(of[matrix]["cols"])


def test_the_last_stop_asks_for_the_smallest_weight_and_notices_it():
    weights = trace_of(START).head(0).weights
    assert int(weights[IT].argmin()) == IT  # so the smallest of another token is asked for
    title = walked()[1]["hand"]["title"]
    assert "“it”" in title and "“street”" in title
    done = edits.set_cell(START, "x", IT, 3, -1)
    assert int(trace_of(done).head(0).weights[IT].argmax()) == STREET
    app = opened(START, step="walk_hand")
    (picture,) = pictures(app)
    assert picture["steps"][len(SEVEN) - 1]["title"] == title
    visit(app).state = replace(visit(app).state, core=done)
    (picture,) = pictures(app.run())
    assert picture["steps"][len(SEVEN) - 1]["title"].startswith("Done")


def test_a_followed_query_is_the_one_of_the_walk():
    assert walked(row=0)[1]["compare"]["shows"]["scores"] == 0


def test_nothing_is_walked_where_no_key_may_be_attended_to():
    none = edits.with_choice(
        START, mask="custom", blocked=frozenset((i, j) for i in range(4) for j in range(4))
    )
    assert walked(none)[1] == {}


def test_a_single_token_has_nobody_to_attend_to():
    one = START
    while len(one.tokens) > 1:
        one = edits.remove_token(one, 0)
    assert "hand" not in walked(one)[1]


@limits(max_examples=10, deadline=None)
@given(st.sampled_from(["rotary", "alibi", "sinusoidal", "learned"]), st.booleans(), st.booleans())
def test_every_matrix_is_there_in_the_end(position, qk_norm, biases):
    now = edits.set_biases(
        edits.with_choice(START, position=position, qk_norm=qk_norm, mask="causal"), biases
    )
    picture, stops = walked(now)
    assert stops["hand"]["shows"].keys() == {one["id"] for one in picture["matrices"]}
