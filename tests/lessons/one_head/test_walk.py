"""The walk: what each stop shows, and that it says nothing but what the numbers are."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.draw import steps
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import FLAGS, POSITIONS
from tests.support import screen
from tests.support.screen import LANGUAGES, pictures
from tests.support.states import SWITCHED, page_in

START = edits.example_start("tired")
IT, STREET = 2, 1
EIGHT = ["ask", "compare", "scale", "share", "mix", "rows", "matrices", "hand"]
opened = partial(screen.opened, "one_head", "picture")


def walked(now=START, **options):
    """The picture, and its stops by their names."""
    (picture,) = pictures(opened(now, **options))
    steps = [step for step in picture["steps"] if step["shows"] is not None]
    return picture, {step["name"].split("_")[1]: step for step in steps}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_grows_from_one_query_to_the_whole(language):
    picture, stops = walked(language=language)
    assert list(stops) == EIGHT
    view = {name: stop["shows"] for name, stop in stops.items()}
    assert view["ask"] == {"x": None}
    assert view["compare"] == {"x": None, "query": IT, "key": None, "scores": IT}
    assert view["scale"].keys() - view["compare"].keys() == {"scaled_scores"}
    assert view["share"].keys() - view["scale"].keys() == {"weights"}
    assert view["mix"].keys() - view["share"].keys() == {"value", "output"} and view["mix"]["output"] == IT
    assert view["rows"] == dict.fromkeys(view["mix"])
    assert "masked_scores" in view["matrices"]
    assert view["hand"] == dict.fromkeys(one["id"] for one in picture["matrices"])


@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("example", ["cats", "masks", "two_heads", "tired_zh"])
def test_each_stop_shows_the_arithmetic_of_a_cell_that_is_there(example, heads):
    now = edits.example_start(example)
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
    link = "walk_hand_3_2"
    assert walked(step=link)[1]["hand"]["name"] == link and not walked()[1]["hand"]["done"]
    stop = walked(done, step=link)[1]["hand"]  # as after a reload
    assert stop["done"] and stop["title"] == "Done: “it” attends most to “street”"


@pytest.mark.parametrize(
    "step", ["walk_hand_3_3", "walk_hand_0_1", "walk_hand_3_9", "walk_hand_1", "walk_x_y_z"]
)
def test_a_link_to_no_query_and_key_is_ignored(step):
    assert walked(step=step)[1] == walked()[1]


def test_equal_weights_are_not_what_was_asked_for():
    even = replace(START, w_q=tuple((0.0, 0.0) for _ in range(4)))
    stop = walked(even, step="walk_hand_3_2")[1]["hand"]
    assert not stop["done"] and "“street” gets 0.25 so far, and “animal” gets 0.25" in stop["why"]
    w_q = ((0.0, 0.0), (0.0, 0.0), (1e-6, -1e-6), (-1e-6, 1e-6))
    near, (animal, street) = replace(START, w_q=w_q), (0, STREET)
    weights = trace_of(near).head(0).weights[IT].tolist()
    aim = street if weights[street] > weights[animal] else animal
    assert weights[aim] == max(weights) > min(weights) + 1e-9
    assert not walked(near, step=f"walk_hand_3_{aim + 1}")[1]["hand"]["done"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_say_what_is_so(language):
    """The thread's sentence, the scale and the mask are told where they are there."""
    thread = edits.example_start("tired_zh" if language == "zh" else "tired")
    sentence = {
        "en": "The animal didn’t cross the street because it was too tired",
        "zh": "动物没过马路，因为它太累",
    }
    mask, root = {"en": "mask", "zh": "掩码"}[language], "√d"

    def told(now, **options):
        return {name: stop["why"] for name, stop in walked(now, language=language, **options)[1].items()}

    plain = told(thread)
    assert sentence[language] in plain["ask"] and root in plain["scale"] and mask not in plain["share"]
    assert sentence[language] not in told(edits.set_cell(thread, "x", 0, 0, 1.0))["ask"]
    assert sentence[language] not in told(thread, row=0)["ask"]
    causal = edits.with_choice(thread, mask="causal")
    assert mask in told(causal, row=2)["share"] and mask not in told(causal, row=3)["share"]
    assert "scale" not in told(edits.with_choice(thread, scaling="none"))
    assert told(edits.with_choice(thread, scaling="d_k"))["scale"] != plain["scale"]
    assert "1.41" in told(edits.resize(thread, num_heads=2))["share"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("switch", SWITCHED)
@pytest.mark.parametrize("biases", [False, True])
def test_a_stop_names_the_matrices_that_its_numbers_are_made_from(switch, biases, language):
    """A score is the product of rows of Q and K as they are normalised or turned; P and biases are added."""
    now = edits.set_biases(edits.with_choice(START, **SWITCHED[switch]), biases)
    computation = steps.of(page_in("one_head", "picture", now))
    stops = walked(now, language=language)[1]
    of_query, of_key = (computation[name].title for name in computation.scored)
    told = stops["compare"]["why"]
    assert of_query in told and of_key in told and ("′" in told) == ("′" in of_query)
    product = ("(X + P)" if computation.added else "X") + " · W_Q" + (" + b_Q" if biases else "")
    assert f" {product}:" in stops["matrices"]["why"] or f" {product}，" in stops["matrices"]["why"]


@pytest.mark.parametrize("switch", SWITCHED)
@pytest.mark.parametrize("divisor", [-2.0, 0.001])
def test_the_largest_number_that_goes_into_the_softmax_gets_the_largest_weight(switch, divisor):
    """A larger score did not, where the divisor is below 0 or a bias is added; and a weight can be 0."""
    now = edits.with_choice(START, scaling="own", own_divisor=divisor, **SWITCHED[switch])
    head, why = trace_of(now).head(0), walked(now)[1]["share"]["why"]
    assert head.masked_scores.argmax(-1).tolist() == head.weights.argmax(-1).tolist()
    assert "the largest number gets the largest weight" in why and "positive" not in why
    if divisor < 0:
        assert head.scores.argmax(-1).tolist() != head.weights.argmax(-1).tolist()
    else:
        assert head.weights.min() == 0


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
@given(
    st.sampled_from(POSITIONS),
    st.sets(st.sampled_from(FLAGS)),
    st.booleans(),
)
def test_every_matrix_is_there_in_the_end(position, flags, biases):
    now = edits.set_biases(
        edits.with_choice(START, position=position, mask="causal", **dict.fromkeys(flags, True)), biases
    )
    picture, stops = walked(now)
    assert stops["hand"]["shows"].keys() == {one["id"] for one in picture["matrices"]}
