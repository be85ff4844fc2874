"""Each wrong run differs from the right one, first at its step; check and code say the same."""

import math
from dataclasses import replace

import pytest
import torch

from attention import causal_mask, multi_head_attention
from attention.checking.mistakes import CODED, MISTAKES
from attention.checking.programs import ONE_HEAD, SEVERAL_HEADS
from attention.checking.runs import Inputs, Run, right
from attention.checking.suspects import OF_LAYERS
from attention.lab.mistakes.by_hand import SLIPS
from attention.lab.mistakes.checks import CHECKS, check, divisor_of, first_difference

# One head of 4 tokens, d_model = 5; several with sizes that differ from one another.
SIZES = {1: {"d_model": 5, "d_k": 3, "d_v": 5}, 2: {"d_model": 6, "d_k": 3, "d_v": 3}}
MASKS = {
    "none": {},
    "causal": {"mask": causal_mask(4)},
    "padding": {"real": 3},
    "both": {"mask": causal_mask(4), "real": 3},
    "empty row": {"mask": causal_mask(4) & (torch.arange(4) > 0)},
}
VARIABLES = {
    "scaled_scores": "scores",
    "masked_scores": "scores",
    "head_output": "heads",
    "concatenated": "joined",
}


def given_of(heads, mask="none", *, seed=0, **changed):
    size = SIZES[heads] | changed
    shapes = {
        "x": (4, size["d_model"]),
        "w_q": (size["d_model"], heads * size["d_k"]),
        "w_k": (size["d_model"], heads * size["d_k"]),
        "w_v": (size["d_model"], heads * size["d_v"]),
    }
    if heads > 1:
        shapes["w_o"] = (heads * size["d_v"], size["d_model"])
    generator = torch.Generator().manual_seed(seed)
    drawn = {
        name: torch.randn(*shape, generator=generator, dtype=torch.float64) for name, shape in shapes.items()
    }
    return Inputs(**drawn, num_heads=heads, **MASKS[mask])


def cases():
    """Inputs of many kinds; the sizes fit every mistake in at least one of them."""
    for heads in (1, 2):
        for mask in MASKS:
            for d_v in (3, 5):
                yield given_of(heads, mask, d_v=d_v if heads == 1 else 3)
    second = causal_mask(4) & (torch.arange(4) < 2)
    yield replace(given_of(2, "both"), beside=second)


@pytest.mark.parametrize("heads", [1, 2])
def test_the_split_by_a_view_alone_has_the_numbers_of_each_projection_in_reading_order(heads):
    given = given_of(heads, "causal")
    names = {name: getattr(given, name) for name in ("x", "w_q", "w_k", "w_v", "w_o")}
    sizes = {"b": 1, "h": heads, "n": given.n, "d_k": given.d_k, "d_v": given.d_v, "mask": given.mask}
    values = MISTAKES["view_split"].values(("query", "key", "value"), names | sizes, heads)
    for name, weight in (("query", given.w_q), ("key", given.w_k), ("value", given.w_v)):
        assert values[name].reshape(-1).equal((given.x @ weight).reshape(-1)), name


def all_of(name):
    results = [inputs for inputs in cases() if MISTAKES[name].applies(inputs)]
    assert results
    return results


def program(start, changed):
    """The steps of the program for such an input, each with its code, in the order they are executed.

    changed: lines that are there in place of the right ones.
    """
    lines = (SEVERAL_HEADS if start.num_heads > 1 else ONE_HEAD) | dict(changed)
    needed = {"padding": start.real, "masked_scores": start.visible, "output": start.w_o}
    return {step: line for step, line in lines.items() if line and needed.get(step, True) is not None}


def executed(inputs, changed):
    """What the program computes for the first sentence, with these lines changed."""
    batch = 1 if inputs.beside is None else 2
    if inputs.beside is not None:
        mask = torch.stack((inputs.visible, inputs.beside))
        inputs = replace(inputs, mask=inputs.visible, real=None)
    else:
        mask = torch.ones(inputs.n, inputs.n, dtype=torch.bool) if inputs.mask is None else inputs.mask
    names = {
        name: getattr(inputs, name) for name in ("w_q", "w_k", "w_v", "w_o", "n", "d_k", "d_v", "d_model")
    }
    names |= {"b": batch, "h": inputs.num_heads, "x": torch.stack([inputs.x] * batch)}
    names |= {"mask": mask, "real": inputs.real, "torch": torch, "sqrt": math.sqrt, "inf": math.inf}
    lines, results = program(inputs, changed), {}
    for step in ("padding", *Run._fields):
        exec(lines.get(step, ""), names)
        results[step] = names.get(VARIABLES.get(step, step))
    results.pop("padding")
    one_head = inputs.num_heads == 1
    if one_head:  # nothing to join, and no W_O
        results["concatenated"] = results["output"] = results["head_output"]
    wide = ("concatenated", "output")
    return Run(
        *(value[0][None] if one_head and step not in wide else value[0] for step, value in results.items())
    )


def test_right_is_the_core():
    inputs = given_of(2, "both")
    trace = multi_head_attention(
        inputs.x,
        w_q=inputs.w_q,
        w_k=inputs.w_k,
        w_v=inputs.w_v,
        w_o=inputs.w_o,
        num_heads=2,
        mask=inputs.visible,
    )
    run = right(inputs)
    assert torch.equal(run.output, trace.output)
    assert torch.equal(run.weights, trace.heads.weights)
    assert [tuple(value.shape) for value in run] == [
        (2, 4, 3), (2, 4, 3), (2, 4, 3), (2, 4, 4), (2, 4, 4), (2, 4, 4), (2, 4, 4), (2, 4, 3), (4, 6), (4, 6)
    ]  # fmt: skip


def test_the_steps_are_those_of_the_core_in_its_order():
    inputs = given_of(2, "both")
    weights = {name: getattr(inputs, name) for name in ("w_q", "w_k", "w_v", "w_o")}
    trace = multi_head_attention(inputs.x, **weights, num_heads=2)
    steps = tuple(step.name for step in trace.steps())
    assert Run._fields == steps
    assert [steps.index(MISTAKES[name].step) for name in MISTAKES] == sorted(
        steps.index(MISTAKES[name].step) for name in MISTAKES
    )


def test_every_mistake_is_made_by_code_by_hand_or_in_a_function():
    by_hand = [name for table in SLIPS.values() for name in table]
    assert len(set(by_hand)) == len(by_hand)
    of_functions = {name for name, one in MISTAKES.items() if one.ways or one.random}
    assert {*by_hand, *CODED, *of_functions, *OF_LAYERS} == set(MISTAKES)
    inputs = given_of(2, "both")
    assert not any(MISTAKES[name].applies(inputs) for name in set(MISTAKES) - set(CODED))


@pytest.mark.parametrize("heads", [1, 2])
def test_projections_that_are_exchanged_are_only_names_until_weights_are_given(heads):
    """The scores come out transposed, as with the two matrices exchanged in a model that is right."""
    inputs = given_of(heads)
    run, good = MISTAKES["exchanged"].run(inputs), right(inputs)
    torch.testing.assert_close(run.scores, good.scores.mT)
    other = right(replace(inputs, w_q=inputs.w_k, w_k=inputs.w_q))
    torch.testing.assert_close(run, other)
    assert not torch.allclose(run.output, good.output, atol=0.01)


def test_the_mask_and_the_padding_together():
    assert given_of(1).visible is None
    assert given_of(1, "both").visible.tolist() == (causal_mask(4) & (torch.arange(4) < 3)).tolist()
    assert given_of(1, "padding").visible.tolist() == [[True, True, True, False]] * 4


@pytest.mark.parametrize("name", CODED)
def test_it_shows_first_at_its_step(name):
    for inputs in all_of(name):
        assert first_difference(MISTAKES[name].run(inputs), right(inputs)) == MISTAKES[name].step


@pytest.mark.parametrize("name", CODED)
def test_its_check_finds_it_and_lets_the_right_run_pass(name):
    for inputs in all_of(name):
        wrong = check(MISTAKES[name].check, inputs, MISTAKES[name].run(inputs))
        good = check(MISTAKES[name].check, inputs, right(inputs))
        assert good.holds and not wrong.holds
        assert math.isnan(good.expected) or good.value == pytest.approx(good.expected, abs=1e-9)


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_holds_on_right_runs_and_is_used(name):
    assert name in {MISTAKES[one].check for one in CODED}
    assert all(check(name, inputs, right(inputs)).holds for inputs in cases())


@pytest.mark.parametrize("name", CODED)
def test_the_wrong_lines_compute_the_wrong_run_and_the_right_ones_the_right_run(name):
    bug = MISTAKES[name]
    for inputs in all_of(name):
        heads = inputs.num_heads
        if inputs.beside is not None and name != "mask_on_heads":
            continue  # the other mistakes are written for one mask
        if name != "nan_rows" and MISTAKES["nan_rows"].applies(inputs):
            continue  # a plain softmax gives NaN where the core has 0
        assert bug.wrong_lines(heads) != bug.right_lines(heads)
        for changed, run in (
            (bug.wrong_lines(heads), bug.run(inputs)),
            (bug.right_lines(heads), right(inputs)),
        ):
            result = executed(inputs, changed)
            rows = slice(None) if name == "nan_rows" else _not_empty(run)
            for step, one, other in zip(Run._fields, result, run, strict=True):
                torch.testing.assert_close(one[..., rows, :], other[..., rows, :], equal_nan=True, msg=step)


def _not_empty(run):
    """The rows that may attend to something, in every head: a wrong mask may leave one nothing."""
    return (~run.masked_scores.isneginf().all(-1)).all(0)


def test_divisors():
    inputs = given_of(1)
    results = {
        name: divisor_of(MISTAKES[name].run(inputs))
        for name in CODED
        if MISTAKES[name].step == "scaled_scores"
    }
    assert results == pytest.approx(
        {"by_sqrt_d_model": math.sqrt(5), "by_d_k": 3, "by_sqrt_n": 2, "not_scaled": 1, "scaled_late": 1}
        | {"by_sqrt_d_v": math.sqrt(5)}
    )
    assert divisor_of(right(inputs)) == pytest.approx(math.sqrt(3))


def test_values_that_are_not_projected_are_x():
    inputs = given_of(1)
    run = MISTAKES["unprojected"].run(inputs)
    assert torch.equal(run.value[0], inputs.x)
    assert torch.allclose(run.head_output, run.weights @ inputs.x)


def test_first_difference():
    inputs = given_of(1)
    run = right(inputs)
    assert first_difference(run, run) is None
    changed = run.scaled_scores.clone()
    changed[0, 0, 0] += 1e-3
    assert first_difference(run._replace(scaled_scores=changed), run) == "scaled_scores"
    assert first_difference(run._replace(value=run.value[..., :1]), run) == "value"
