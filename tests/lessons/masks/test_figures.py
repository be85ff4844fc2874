"""The figures of the lesson `Masks`: their numbers are the core's, or a named mistake's."""

import math
from dataclasses import replace
from decimal import Decimal

import pytest
import torch

from attention import causal_mask, padding_mask, scaled_dot_product_attention
from attention.lab.masks import libraries, masking
from attention.lab.mistakes import forms
from attention.lab.softmax import precision
from pages.ask.questions import only
from pages.draw.results import size
from pages.draw.texts import Texts
from pages.lessons.masks import (
    after_softmax,
    float_mask,
    fully_masked,
    gallery,
    left_padding,
    polarity,
    query_rows,
)
from pages.lessons.masks import precision as precision_part
from pages.lessons.masks.scene import MaskScene
from pages.model import edits
from pages.model.compute import mask_of, trace_of

from .conftest import CATS, START, page_of

T = Texts("en", "masks")
CAUSAL = causal_mask(5)


def values(matrices) -> dict[str, torch.Tensor]:
    return {one.id: torch.tensor(one.values, dtype=torch.float64) for one in matrices}


def same(a, b):
    a, b = (torch.as_tensor(x, dtype=torch.float64) for x in (a, b))
    torch.testing.assert_close(a, b, rtol=0, atol=1e-14, equal_nan=True)


def test_the_gallery_s_effect_is_the_core_s(scene):
    head, now = scene.head, scene.settings
    free = scaled_dot_product_attention(head.query, head.key, head.value, scale=head.scale)
    view = values(gallery.effect(scene.page, scene, mask_of(now))[0])
    same(view["mask"], mask_of(now))
    same(view["masked_scores"], head.masked_scores)
    same(view["weights"], head.weights)
    same(view["output"], head.output)
    same(view["free_weights"], free.weights)
    same(view["free_output"], free.output)
    same(view["weights_change"], head.weights - free.weights)
    same(view["output_change"], head.output - free.output)


@pytest.mark.parametrize("combine", ["and", "or"])
def test_two_masks_stand_beside_the_kinds(combine):
    now = edits.with_choice(START, mask="causal", mask_2="padding", combine=combine)
    view = {one.id: one.values for one in gallery.kinds(page_of(now))[0]}
    padding = padding_mask([3], 5).expand(5, 5)
    assert view["mask_1"] == CAUSAL.tolist()
    assert view["mask_2"] == padding.tolist()
    both = CAUSAL & padding if combine == "and" else CAUSAL | padding
    assert mask_of(now).tolist() == both.tolist()


def test_the_row_that_lost_most_is_named():
    page = page_of(START)
    lost = 1 - trace_of(edits.with_choice(START, mask="none")).head(0).weights[0, 0].item()
    text = gallery.changed_most(page, MaskScene(page))
    assert text == T("gallery.most", name="小 little", value=f"{lost:.2f}")
    free = page_of(CATS)
    assert gallery.changed_most(free, MaskScene(free)) == T("gallery.nothing")


def test_each_cause_of_fully_masked_rows_has_one_in_its_thumbnail():
    for name, mask in fully_masked.examples().items():
        assert (~mask.any(-1)).any() and mask.any(), name


@pytest.mark.parametrize("row", [0, 3])
def test_the_three_outcomes_of_a_fully_masked_row(scene, row):
    mask = masking.with_fully_masked_row(CAUSAL, row)
    view = values(fully_masked.outcomes(scene, mask))
    assert view["weights_nan"][row].isnan().all() and view["output_nan"][row].isnan().all()
    torch.testing.assert_close(view["weights_alike"][row], torch.full((5,), 0.2, dtype=torch.float64))
    torch.testing.assert_close(view["output_alike"][row], scene.head.value.mean(0))
    assert (view["weights_zero"][row] == 0).all() and (view["output_zero"][row] == 0).all()
    rest = [i for i in range(5) if i != row]
    same(view["weights_nan"][rest], view["weights_zero"][rest])
    torch.testing.assert_close(view["weights_alike"][rest], view["weights_zero"][rest])
    assert fully_masked.answer(scene, mask, row) == "alike"


def test_every_call_s_outcome_is_what_it_was_asked_for():
    result = fully_masked.calls(5, 2)
    assert set(result) == {"nan", "alike", "zero"}
    layer = {call.name: kind for call, kind in libraries.layer_outcomes(torch.eye(5).double(), ~CAUSAL, 4)}
    for kind, named in result.items():
        text = "\n".join(named)
        assert all((f"- `{name}`" in text) == (one == kind) for name, one in layer.items())


def test_float16_with_the_mask_written_in_four_ways(scene):
    mask = masking.with_fully_masked_row(CAUSAL, 0)
    view = values(precision_part.ways(scene, mask))
    infinity, lowest, silent, factor = view.values()
    assert infinity[0].isnan().all() and silent[0].isnan().all()
    torch.testing.assert_close(lowest[0], torch.full((5,), 0.2, dtype=torch.float64), atol=1e-3, rtol=0)
    same(infinity[1:], lowest[1:])
    same(infinity[1:], silent[1:])
    torch.testing.assert_close(infinity[1:], scene.head.weights[1:], atol=2e-3, rtol=0)
    assert factor.isnan().all()
    assert "overflow" in precision.half_precision_error()


def test_the_table_of_dtypes_says_what_torch_does():
    for name, fits, infinite, lowest in precision_part.facts():
        dtype = getattr(torch, name)
        if name != "float8_e4m3fn":
            assert (precision.half_precision_error(dtype) is None) == fits
        recipe = torch.tensor(-math.inf).to(dtype).float()
        assert bool(recipe.isneginf()) == infinite
        # As decimals, for the last one is rounded to a number beyond float64.
        exact = Decimal(torch.finfo(dtype).min)
        assert abs(Decimal(lowest.replace("−", "-")) / exact - 1) < Decimal("1e-4")
    assert [infinite for _, _, infinite, _ in precision_part.facts()] == [False, True, True, True, True]


def test_a_float_mask_means_the_same_and_ones_and_zeros_do_not(scene):
    view = values(float_mask.two_forms(scene, CAUSAL)[0])
    same(view["scaled_scores"] + view["float_mask"], view["masked_scores"])
    same(view["weights_both"], scene.head.weights)
    wrong = masking.ones_added(scene.head.scaled_scores, CAUSAL)
    assert (wrong > 0).all()
    # Compared with a masked key, a visible one weighs e times as much as without the mask.
    free = masking.attend(scene.head, None).weights
    ratio = (wrong[0, 0] / wrong[0, 1]) / (free[0, 0] / free[0, 1])
    assert ratio.item() == pytest.approx(math.e)
    assert size(libraries.forms_difference(scene.head, CAUSAL)) == "0"


@pytest.mark.parametrize("mask", [CAUSAL, ~CAUSAL], ids=["given", "exchanged"])
def test_one_mask_given_to_both_calls(scene, mask):
    theirs = libraries.layer_weights(scene.head, mask)
    torch.testing.assert_close(theirs.nan_to_num(), masking.attend(scene.head, ~mask).weights)
    assert theirs.isnan().any(-1).tolist() == mask.all(-1).tolist()
    assert libraries.polarity(scene.head, mask) == "turned"
    text = polarity.empty_rows_sentence(scene.page, mask)
    empty = [f"“{name}”" for name, row in zip(scene.names, mask, strict=True) if not row.any()]
    full = [f"“{name}”" for name, row in zip(scene.names, mask, strict=True) if row.all()]
    expected = {"sdpa": ", ".join(empty) or "none", "layer": ", ".join(full) or "none"}
    assert text == T("polarity_part.fully_masked", **expected)


def test_masked_too_late_stands_beside_the_right_weights_with_its_sums(scene):
    wrong = forms.after_softmax(scene.head.scaled_scores, CAUSAL)
    view = values(after_softmax.beside(scene, CAUSAL, wrong))
    same(view["weights_right"], scene.head.weights)
    same(view["sums_after"][:, 0], view["weights_after"].sum(-1))
    assert view["sums_after"][0, 0] < 1
    assert only(after_softmax.holds(scene, CAUSAL, wrong)) == "right"


def test_what_leaks_is_measured(scene):
    scores = scene.head.scaled_scores
    free = torch.softmax(scores, -1)
    leak, corrected = (after_softmax.influence(scene, CAUSAL, renormalise=on) for on in (False, True))
    # Over the visible keys of a row, Σ a·p for a masked key of weight p.
    expected = (free.masked_fill(~CAUSAL, 0).sum(-1, keepdim=True) * free).masked_fill(CAUSAL, 0)
    torch.testing.assert_close(leak, expected)
    assert leak.max() > 0.01 and leak.max() <= after_softmax.MOST
    assert corrected.abs().max() < 1e-15


def test_renormalising_gives_nan_where_the_visible_weights_underflow():
    now = edits.with_choice(CATS, mask="causal")
    now = edits.set_block(now, "x", 0, 0, [[100.0, 0, 0, 0], [1.0, 0, 0, 0], [1e4, 0, 0, 0]])
    scene = MaskScene(page_of(now))
    mask = causal_mask(3)
    wrong = forms.after_softmax(scene.head.scaled_scores, mask)
    assert only(after_softmax.holds(scene, mask, wrong)) == "nan"


def test_padding_on_columns_stands_above_padding_on_rows(scene):
    columns, rows = padding_mask([3], 5).expand(5, 5), forms.query_rows(3, 5)
    view = values(query_rows.beside(scene, columns, rows)[0])
    same(view["weights_columns"], masking.attend(scene.head, columns).weights)
    same(view["weights_rows"], masking.attend(scene.head, rows).weights)
    assert (view["weights_columns"][:, 3:] == 0).all() and (view["weights_rows"][:3, 3:] > 0).all()
    real = torch.ones(3, dtype=torch.float64)
    torch.testing.assert_close(view["sums_columns"][:3, 0], real)
    torch.testing.assert_close(view["sums_rows"][:3, 0], real)
    share = query_rows.weight_on_padding(scene, rows, 3)
    assert share == pytest.approx(view["weights_rows"][:3, 3:].sum(-1).max().item())


@pytest.mark.parametrize("real", [1, 3, 4])
def test_left_padding_empties_the_rows_of_the_padding_and_right_padding_none(scene, real):
    left = masking.left_padded_causal(real, 5)
    assert left_padding.answer(left, real) == "padded"
    assert (CAUSAL & padding_mask([real], 5)).any(-1).all()
    settings = edits.with_choice(scene.settings, padding=real)
    view = values(left_padding.ways(MaskScene(replace(scene.page, settings=settings)), left))
    padded = 5 - real
    assert view["weights_plain"][:padded].isnan().all()
    same(view["weights_plain"][padded:], view["weights_self"][padded:])
    torch.testing.assert_close(view["weights_self"].sum(-1), torch.ones(5, dtype=torch.float64))


def test_nan_has_spread_to_all_rows_after_two_layers():
    page = page_of(START, "left_padding")
    text = left_padding.spread(page, MaskScene(page), masking.left_padded_causal(3, 5))
    assert text == T("left_padding.spread", first=2, second=5, count=5)
