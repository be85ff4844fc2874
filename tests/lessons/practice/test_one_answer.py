"""Each exercise has one right answer: of all that can be answered only what is marked holds.

Exercises of each kind and level are drawn, some from settings of every kind that the pages allow. What each
answer says is recomputed here: by the program with the mistake, by the core, by NumPy, by a counterexample.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attention import multi_head_attention, scaled_dot_product_attention
from attention.checking.mistakes import MISTAKES
from attention.checking.programs import ONE_HEAD
from attention.lab.mistakes import by_hand
from pages.ask.exercise import fill_exercise
from pages.ask.exercise.look import LEVELS
from pages.draw.numbers import short
from pages.lessons.practice import bug_exercise, shape_exercise
from pages.lessons.practice.read_exercise import BANK
from tests.attention.lab.mistakes.test_by_hand import by_hand_of
from tests.attention.lab.mistakes.test_catalogue import executed
from tests.lessons.practice import test_read_it as read
from tests.support.random_settings import drawn

NUMBERS = range(1001, 1021)  # of exercises that no other test looks at
STATES = [drawn(seed) for seed in range(100)]
LEVEL = pytest.mark.parametrize("level", LEVELS)
OWN = pytest.mark.parametrize("own", [False, True], ids=["seeded", "own"])


# ---- bug hunt


def hunts(level, own):
    if not own:
        return [bug_exercise.make(level, number) for number in NUMBERS]
    fit = [now for now in STATES if bug_exercise.own_problem(level, now) is None]
    results = [bug_exercise.make(level, number, now) for number, now in enumerate(fit)]
    return [one for one in results if one is not None]


def looks(run, step):
    """A step as it is read on the screen."""
    return [short(number) for number in getattr(run, step).flatten().tolist()]


def program(start, bug):
    """What the program computes with the mistake. A fully masked row has weights 0 but for `nan_rows`.

    The masks of a batch matter for `mask_on_heads` alone: the picture shows the first sentence.
    """
    lines = MISTAKES[bug].wrong_lines(start.num_heads)
    if bug != "nan_rows":
        lines["weights"] = lines.get("weights", ONE_HEAD["weights"]) + "; weights = weights.nan_to_num(0.0)"
    return executed(start if bug == "mask_on_heads" else replace(start, beside=None), lines)


@pytest.mark.exhaustive("own")
@OWN
@LEVEL
def test_of_the_mistakes_that_are_offered_one_gives_the_numbers_on_the_screen(level, own):
    recipe = hunts(level, own)
    assert len(recipe) > 10
    for one in recipe:
        steps = ("scores", *one.steps)
        runs = {bug: program(one.inputs, bug) for bug in one.options}
        gives = [
            bug
            for bug, run in runs.items()
            if all(looks(run, step) == looks(one.run, step) for step in steps)
        ]
        assert gives == [one.bug]


@OWN
@LEVEL
def test_of_the_steps_that_are_offered_the_marked_one_is_the_first_that_is_wrong(level, own):
    """The core computes them again from the inputs."""
    for one in hunts(level, own):
        numbers = one.inputs
        weights = {name: getattr(numbers, name) for name in ("w_q", "w_k", "w_v", "w_o")}
        trace = multi_head_attention(numbers.x, **weights, num_heads=numbers.num_heads, mask=numbers.visible)
        good = {step.name: step.value for step in trace.steps()}
        good |= {name: getattr(trace.heads, name) for name in ("query", "key", "value")}
        wrong = [step for step in one.steps if not _same(getattr(one.run, step), good[step])]
        assert wrong[0] == one.step
        assert looks(one.run, one.step) != list(map(short, good[one.step].flatten().tolist()))


def _same(one, other):
    return one.shape == other.shape and torch.allclose(one, other, atol=1e-9, equal_nan=True)


# ---- fill in


def fills(level, own):
    if not own:
        return [fill_exercise.make(level, number) for number in NUMBERS]
    results = [fill_exercise.make(level, number, now) for number, now in enumerate(STATES[::3])]
    return [one for one in results if not isinstance(one, str)]


def entered(one, off=0.0, at=None):
    """The core's numbers as they are typed, the one at a place wrong by `off`."""
    return tuple(round(one.right(place) + off * (place == at), by_hand.DECIMALS) for place in one.blank)


@pytest.mark.exhaustive
@OWN
@LEVEL
def test_the_number_that_is_asked_for_is_the_core_s_and_no_other(level, own):
    """A number that is further off than rounding can lead is wrong, wherever it is."""
    recipe = fills(level, own)
    assert len(recipe) > 10
    for one in recipe:
        numbers = one.numbers
        trace = scaled_dot_product_attention(numbers.query, numbers.key, numbers.value, mask=numbers.mask)
        for step, col in one.blank:
            right = getattr(trace, step)[one.row, col].item()
            assert one.right((step, col)) == pytest.approx(right, abs=1e-9)
        assert all(finding.right for finding in fill_exercise.judge(one, entered(one)))
        for place in one.blank:
            off = 2 * by_hand.tolerance(place[0], numbers)[one.row, place[1]].item() + 0.02
            for sign in (1, -1):
                result = fill_exercise.judge(one, entered(one, sign * off, place))
                assert not next(finding for finding in result if finding.step == place[0]).right


@pytest.mark.exhaustive("own")
@OWN
@LEVEL
def test_the_number_follows_from_what_the_picture_shows(level, own):
    """From the numbers as they are read, with two decimals, step by step as a hand computes them."""
    for one in fills(level, own):
        names = ("query", "key", "value", "scores", "scaled_scores", "weights")
        numbers = {}
        seen = {name: torch.round(getattr(one.numbers, name), decimals=by_hand.DECIMALS) for name in names}
        for step in one.steps:
            worked = by_hand.Worked(**seen, mask=one.numbers.mask)
            line = torch.round(by_hand_of(step, worked)[one.row], decimals=by_hand.DECIMALS)
            numbers |= {(step, col): line[col].item() for col in one.columns(step)}
            if one.own_rows and step != "output":
                seen[step] = seen[step].clone()
                seen[step][one.row] = line
        answer = tuple(numbers[place] for place in one.blank)
        assert all(finding.right for finding in fill_exercise.judge(one, answer))


# ---- shapes


def by_formula(s):
    """The shapes as a textbook writes them; b is the batch, where there is one."""
    b = (s.batch,) if s.batch else ()
    one, all_heads, kept = (b, (*b, s.h), (*b, s.h_kv))
    return {
        "x": (*b, s.n, s.d_model), "w_q": (s.d_model, s.h * s.d_k),
        "w_k": (s.d_model, s.h_kv * s.d_k), "w_v": (s.d_model, s.h_kv * s.d_v),
        "w_o": (s.h * s.d_v, s.d_model),
        "query": (*b, s.n, s.h * s.d_k), "key": (*b, s.m, s.h_kv * s.d_k),
        "value": (*b, s.m, s.h_kv * s.d_v),
        "scores": (*one, s.n, s.m), "weights": (*one, s.n, s.m),
        "head_query": (*one, s.n, s.d_k), "head_key": (*one, s.m, s.d_k), "head_value": (*one, s.m, s.d_v),
        "head_weights": (*one, s.n, s.m), "head_output": (*one, s.n, s.d_v),
        "key_cache": (*kept, s.m, s.d_k), "value_cache": (*kept, s.m, s.d_v),
        "all_queries": (*all_heads, s.n, s.d_k), "all_weights": (*all_heads, s.n, s.m),
        "all_outputs": (*all_heads, s.n, s.d_v),
        "concatenated": (*b, s.n, s.h * s.d_v),
        "output": (*b, s.n, s.d_model if s.h > 1 else s.d_v),
    }  # fmt: skip


def of_numpy(product):
    """What comes of the two shapes; None where NumPy refuses them."""
    try:
        if product.masks:
            both = np.broadcast_shapes(product.left, product.right)
            return both if both == product.left else None
        return (np.zeros(product.left, bool) @ np.zeros(product.right, bool)).shape
    except ValueError:
        return None


@LEVEL
def test_of_the_shapes_one_is_right_and_of_the_results_one_comes_out(level):
    for number in NUMBERS:
        now = shape_exercise.exercise(level, number)
        assert now.right == {name: by_formula(now.sizes)[name] for name in now.asked}
        for one in now.products:
            assert [option for option in one.options if option == of_numpy(one)] == [one.result]


# ---- read it: claims that never follow, each with numbers that fit the picture and refute it


def layer(scene, w_v, head=0, more=0.0):
    """A layer with the weights of the picture, the tokens one-hot in X; more: to all scores."""
    eye = torch.eye(len(scene.tokens), dtype=torch.float64)
    scores = torch.where(scene.weights[head] > 0, scene.weights[head], 1.0).log() + more
    root = len(eye) ** 0.5
    return multi_head_attention(eye, w_q=root * scores, w_k=eye, w_v=w_v, mask=scene.mask)


def other_inputs(scene, f):
    trace = layer(scene, torch.eye(4, dtype=torch.float64))
    x = trace.query_input
    return bool((x[f["q"]] != x[f["o"]]).any()), trace


def large_value(scene, f):
    value = torch.ones(4, 1, dtype=torch.float64)
    value[f["k"]] = 1e6
    trace = layer(scene, value)
    return trace.output[f["q"]].item() > 1000, trace


def shifted_scores(scene, f):
    value = torch.eye(4, dtype=torch.float64)
    one, other = layer(scene, value), layer(scene, value, more=1.0)
    moved = one.head(0).scaled_scores[f["q"]] - other.head(0).scaled_scores[f["q"]]
    return bool((moved.abs() > 0.9).all()) and torch.allclose(one.heads.weights, other.heads.weights), other


def turned_values(scene, f):
    """W_V turns every sign: the output lies further from the row of X than the other way round."""
    trace = layer(scene, -torch.eye(4, dtype=torch.float64))
    x = trace.query_input[f["k"]]
    return bool((trace.output[f["q"]] - x).norm() > x.norm()), trace


def only_first_head(scene, f):
    """Head 2 has the values 0, and W_O adds the halves: the value comes with the weight of head 1."""
    trace = layer(scene, torch.eye(4, dtype=torch.float64))
    return abs(trace.output[f["q"], f["k"]].item() - float(f["mean"])) > 0.1, trace


def head_of_zeros(scene, f):
    trace = layer(scene, torch.zeros(4, 2, dtype=torch.float64), head=f["h"] - 1)
    return not trace.output.any(), trace


REFUTED = {
    "equal_inputs": other_inputs,
    "small_weight": large_value,
    "scores_known": shifted_scores,
    "input_mix": turned_values,
    "heads_mean": only_first_head,
    "important_head": head_of_zeros,
}
# Of meaning, of what the model predicts, of the layers before: no number of one layer says it.
BEYOND = {"same_meaning", "reason", "importance", "certain", "only_token"}


@pytest.mark.parametrize("name", REFUTED)
def test_what_never_follows_is_refuted_by_numbers_that_fit_the_picture(name):
    results = list(read.asked(name))
    assert results
    for scene, one, facts in results:
        refuted, trace = REFUTED[name](scene, facts)
        head = facts["h"] - 1 if "h" in facts else 0
        torch.testing.assert_close(trace.head(0).weights, scene.weights[head])
        assert refuted and not one.follows


def test_every_claim_of_the_bank_is_judged():
    numbers = {
        "value_nudge",
        "output_cell",
        "ratio_unmasked",
        "same_unmasked",
        "input_change",
        "layer_change",
    }
    judged = {*read.ON_VALUES, *read.ON_SCORES, *read.TWO_HEADS, *numbers, "never_reaches", *REFUTED, *BEYOND}
    assert judged == set(BANK)
    assert all(BANK[name].never for name in BEYOND)
