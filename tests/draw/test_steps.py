"""The lines of code on the screen: run one after the other, they give the core's numbers."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from attention import multi_head_attention
from attention.multi_head import BEFORE_SCORES
from pages.draw import steps
from pages.draw.page import Page
from pages.model import edits
from pages.model.compute import angles_of, mask_of, options_of, positions_of, tensors_of, trace_of
from pages.model.settings import FLAGS, MASKS, POSITIONS, SCALINGS, Settings
from pages.model.view import View
from pages.picture import Arrow
from tests.support.states import SWITCHED, page_in

START = Settings()
TWO = edits.resize(START, num_heads=2, d_k=3, d_v=5)
FOUR = edits.resize(START, num_heads=4, num_kv_heads=2, d_k=2, d_v=3)
DEAD = edits.with_choice(START, mask="custom", blocked=frozenset({(1, 0), (1, 1), (1, 2)}))
CASES = {
    "one head": START,
    "two heads": TWO,
    "grouped queries": FOUR,
    "biases": edits.fill(edits.fill(edits.set_biases(FOUR, True), "b_k", "normal", 1), "b_o", "normal", 2),
    "fully masked row": DEAD,
    "fully masked row, −10⁹": edits.with_choice(DEAD, masked_score="-1e9"),
    **{f"mask {name}": edits.with_choice(TWO, mask=name) for name in MASKS},
    **{f"position {name}": edits.with_choice(FOUR, position=name, mask="causal") for name in POSITIONS},
    "rotary, odd d_k": edits.with_choice(TWO, position="rotary", position_base=7, first_position=5),
    **{flag: edits.with_choice(TWO, **{flag: True}) for flag in FLAGS},
    **{f"{flag}, rotary": edits.with_choice(FOUR, **{flag: True}, position="rotary") for flag in FLAGS},
    "alibi, factor": edits.with_choice(FOUR, position="alibi", slope_factor=9.0),
    **{f"scaling {name}": edits.with_choice(START, scaling=name, own_divisor=-3) for name in SCALINGS},
}


def page_of(settings: Settings, head: int = 0) -> Page:
    return page_in("one_head", settings=settings, view=View(head=head))


def positions(settings: Settings) -> dict:
    """What the lines on positions are about, from the formulas in the papers."""
    n, d_k, heads = len(settings.tokens), settings.head_dim - settings.head_dim % 2, settings.num_heads
    places = [settings.first_position + i for i in range(n)]
    angles = [
        [place * settings.position_base ** (-2 * k / d_k) for k in range(d_k // 2)] * 2 for place in places
    ]
    angles = torch.tensor(angles, dtype=torch.float64)
    slopes = torch.tensor([2.0 ** (-8 * (head + 1) / heads) for head in range(heads)], dtype=torch.float64)
    return {
        "p": positions_of(settings),
        "cos": angles.cos(),
        "sin": angles.sin(),
        "rotate_half": lambda x: torch.cat((-x.chunk(2, -1)[1], x.chunk(2, -1)[0]), dim=-1),
        "slopes": settings.slope_factor * slopes[:, None, None],  # right for powers of two
        "distances": torch.tensor([[abs(i - j) for j in range(n)] for i in range(n)]),
    }


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_the_snippets_give_the_core_s_numbers(settings):
    computation, trace = steps.of(page_of(settings)), trace_of(settings)
    x = torch.tensor(settings.x, dtype=torch.float64)
    known = {"torch": torch, "math": math, "x": x, "mask": mask_of(settings)}
    known |= tensors_of(settings)
    known |= {"d_k": settings.head_dim, "d_v": settings.value_dim, "divisor": settings.own_divisor}
    known |= {"h": settings.num_heads, "kv_heads": settings.kv_heads}
    known |= positions(settings)
    for name in computation.rows:
        exec(computation.numbers[name].line("torch"), known)
    for name in list(computation.rows):
        expected = getattr(trace, name if name != "head_output" else "heads", None)
        if name == "head_output":
            expected = trace.heads.output
        elif name == "x_p":
            expected = trace.query_input
        elif name in BEFORE_SCORES:
            expected = getattr(trace, name)
            expected = expected.repeat_interleave(settings.num_heads // expected.shape[-3], dim=-3)
        elif name in ("query", "key") and computation.forms:
            expected = split(settings, getattr(trace, name), name)
        elif name not in ("concatenated", "output"):
            expected = getattr(trace.heads, name)
        got = known[name]
        torch.testing.assert_close(got, expected.reshape(got.shape), rtol=1e-12, atol=1e-12)


def split(settings: Settings, tensor: torch.Tensor, name: str) -> torch.Tensor:
    """A projection's heads, each key/value head as often as it serves a query head."""
    heads = settings.num_heads if name == "query" else settings.kv_heads
    matrix = tensor.unflatten(-1, (heads, settings.head_dim)).transpose(-3, -2)
    return matrix.repeat_interleave(settings.num_heads // heads, dim=-3)


def everything() -> steps.Steps:
    """Capped scores, ALiBi, a mask and dropout at once, of two heads."""
    now = edits.with_choice(TWO, position="alibi", mask="causal")
    trace = multi_head_attention(
        torch.tensor(now.x, dtype=torch.float64),
        **tensors_of(now),
        **options_of(now),
        mask=mask_of(now),
        softcap=1.5,
        dropout_p=0.4,
        generator=torch.Generator().manual_seed(1),
    )
    return steps.Steps(page_of(now), trace, softcap=1.5, dropout=0.4)


def test_every_step_of_the_core_is_drawn_in_the_core_s_order():
    computation = everything()
    of_core = [step.name for step in computation.trace.steps()]
    assert {"softcapped_scores", "dropped_weights"} < set(of_core)
    assert list(computation.rows) == of_core
    way = [item for line in computation.way() for item in line if isinstance(item, str) and item != "bias"]
    assert way == [
        name for name in of_core if name not in ("query", "key", "value", "concatenated", "output")
    ]
    for name, tensor in (
        (name, getattr(computation.head, name)) for name in steps.NAMES if hasattr(computation.head, name)
    ):
        if name not in ("query", "key", "value", "output"):
            assert computation[name].values == tensor.tolist()
    assert [step.name for step in computation.walk()] == of_core


@pytest.mark.parametrize("softcap", [None, 1.5])
@pytest.mark.parametrize("position", ["none", "alibi"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_scores_are_masked_or_go_into_the_softmax_from_the_step_before(position, softcap, mask):
    now = edits.with_choice(TWO, position=position, mask=mask)
    computation = steps.Steps(page_of(now), trace_of(now, softcap), softcap=softcap)
    *_, before = [name for name in computation.rows if name.endswith("scores") and name != "masked_scores"]
    masked, weights = computation["masked_scores"], computation.short_way()[-1]
    assert masked.recipe["of"] == before
    assert computation.numbers["masked_scores"].code("torch").startswith(before)
    assert weights.recipe["of"] == (before if mask == "none" else "masked_scores")


def test_a_custom_mask_is_there_to_click_where_it_masks_and_the_way_names_matrices_that_are_there():
    for mask in MASKS:
        for mask_2 in MASKS:
            settings = edits.with_choice(START, mask=mask, mask_2=mask_2)
            computation = steps.of(page_of(settings))
            ids = {one.id for one in computation.matrices()}
            way, onward, _ = computation.short_way()
            assert {one for one in (*way, *onward) if isinstance(one, str)} <= ids
            assert ("mask" in ids) == (mask != "none" and "custom" in (mask, mask_2))
            arrows = [one.text for one in way if isinstance(one, Arrow)]
            assert (computation.t("steps.mask") in arrows) == (mask != "none")


def test_the_lines_of_capped_scores_and_dropped_weights():
    computation = everything()
    heads = computation.trace.heads
    lines = {name: computation.numbers[name].line("torch") for name in computation.rows}
    dropout = SimpleNamespace(dropout=lambda weights, p: (weights / (1 - p), p))
    known = {"torch": torch, "F": dropout, "softcap": 1.5, "p": 0.4}
    known |= {name: getattr(heads, name) for name in ("scaled_scores", "weights", "value", "mask")}
    for name in ("softcapped_scores", "dropped_weights"):
        exec(lines[name], known)
    torch.testing.assert_close(known["softcapped_scores"], heads.softcapped_scores)
    kept, p = known["dropped_weights"]
    assert p == computation.dropout
    torch.testing.assert_close(heads.dropped_weights, kept.where(heads.dropped_weights != 0, 0.0))
    assert lines["head_output"] == "head_output = dropped_weights @ value"
    assert lines["biased_scores"].startswith("biased_scores = softcapped_scores")


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_each_step_is_what_its_operation_makes_of_the_steps_before(settings, alone):
    """The core's value, with which a step is drawn, is that of the operation whose lines it has."""
    for head in range(settings.num_heads):
        computation = steps.of(page_of(settings, head))
        computation = computation.of_head if alone else computation
        for name in computation.rows:
            number = computation.numbers[name]
            torch.testing.assert_close(
                replace(number, known=None).value, number.value, rtol=1e-12, atol=1e-12
            )


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_every_step_has_a_name_a_formula_a_reason_and_a_line(settings):
    computation = steps.of(page_of(settings))
    told = computation.walk()
    assert [step.name for step in told] == list(computation.rows)
    assert all(step.title and step.formula and step.why and step.code for step in told)
    assert not any("{" in step.formula.replace("_{", "").replace("^{", "") for step in told)


def test_without_positions_nothing_of_them_is_there():
    computation = steps.of(
        page_of(edits.with_choice(FOUR, position_base=3, first_position=7, slope_factor=9.0))
    )
    assert not {"x_p", "rotated_query", "rotated_key", "biased_scores"} & computation.rows.keys()
    assert trace_of(FOUR).output.equal(computation.trace.output)


def walked(settings: Settings) -> dict:
    page = page_of(settings)
    return {step.name: step for step in steps.of(page).walk()}


@pytest.mark.parametrize("d_k", range(2, 8))
def test_the_formula_of_rotary_positions_names_the_pairs_and_angles_of_the_core(d_k):
    now = edits.with_choice(edits.resize(START, d_k=d_k), position="rotary")
    formula, turned = walked(now)["rotated_query"].formula, d_k - d_k % 2
    assert f"2k/{turned}}}" in formula and f"k + 1 + {turned // 2}" in formula
    assert ("the last dimension is not rotated" in formula) == bool(d_k % 2)
    for k, angle in enumerate(angles_of(now)[1].tolist()):
        assert angle == pytest.approx(now.position_base ** (-2 * k / turned))
    head = trace_of(now)
    assert d_k % 2 == 0 or head.rotated_query[..., -1].equal(
        head.query[..., -1].expand_as(head.rotated_query[..., -1])
    )


@pytest.mark.parametrize("switch", SWITCHED)
def test_norms_are_said_to_count_where_they_do(switch):
    """A key that is doubled changes its scores, unless keys are normalised."""
    now = edits.with_choice(START, **SWITCHED[switch])
    longer = edits.set_block(now, "x", 2, 0, [[2 * value for value in now.x[2]]])
    before, after = (trace_of(one).head(0).scores[0, 2] for one in (now, longer))
    alike = torch.isclose(before, after, rtol=1e-3)
    assert ("the norms count as well" in walked(now)["scores"].why) != bool(alike)


@pytest.mark.parametrize("divisor", [-3.0, -0.5, 0.5, 3.0])
def test_a_divisor_below_0_is_said_to_reverse_the_order_of_the_scores(divisor):
    now = edits.with_choice(START, scaling="own", own_divisor=divisor)
    head, why = trace_of(now).head(0), walked(now)["scaled_scores"].why
    reversed_order = head.scores.flatten().argmax() == head.scaled_scores.flatten().argmin()
    assert ("the largest score becomes the smallest" in why) == bool(reversed_order)


@pytest.mark.parametrize("case", CASES)
def test_a_row_of_the_output_is_said_to_be_0_exactly_where_one_is_fully_masked(case):
    now = CASES[case]
    zero = not (trace_of(now).head(0).weights != 0).any(-1).all()
    name = "head_output" if now.num_heads > 1 else "output"
    assert ("A is 0, and so is this row" in walked(now)[name].why) == zero
