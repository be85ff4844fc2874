"""The figures of the lesson `Masks`: their numbers are the core's, or a named mistake's."""

import math

import pytest
import torch

from attention import causal_mask, padding_mask, scaled_dot_product_attention
from pages.ui import edits, masks_cross, masks_dead, masks_gallery, masks_half, masks_libraries, masks_wrong
from pages.ui.compute import cross_trace_of, mask_of, trace_of
from pages.ui.figures import numbers, places
from pages.ui.masks_scene import attend, closed, steps_of
from pages.ui.settings import Settings
from pages.ui.texts import Texts

T = Texts("en", "one_head", "attention_masks")
START = Settings()
CAUSAL = edits.with_choice(START, mask="causal")
GUESSED = edits.with_choice(
    CAUSAL, guesses=[(q, "shown") for q in ("causal", "closed", "polarity", "times_zero")]
)
TWO_HEADS = edits.with_choice(edits.resize(GUESSED, num_heads=2), head=1)
CASES = {"one head": GUESSED, "second of two heads": TWO_HEADS}
PARTS = (masks_gallery, masks_dead, masks_half, masks_wrong, masks_cross)


def panels(part, now, name):
    return [torch.tensor(p.values, dtype=torch.float64) for p in part.contents(T, now).views[name].panels]


def same(a, b):
    a, b = (torch.as_tensor(x, dtype=torch.float64) for x in (a, b))
    torch.testing.assert_close(a, b, rtol=0, atol=1e-14, equal_nan=True)


@pytest.mark.parametrize("now", CASES.values(), ids=CASES)
def test_the_gallery_s_figures_are_the_core_s(now):
    head = trace_of(now).head(now.head)
    free = scaled_dot_product_attention(head.query, head.key, head.value, scale=head.scale)
    mask, scaled, masked = panels(masks_gallery, now, "masked_scores")
    same(mask, mask_of(now))
    same(scaled, head.scaled_scores)
    same(masked, head.masked_scores)
    before, after, change = panels(masks_gallery, now, "weights_change")
    same(before, free.weights)
    same(after, head.weights)
    torch.testing.assert_close(change, head.weights - free.weights)
    before, after, change = panels(masks_gallery, now, "output_change")
    same(before, free.output)
    same(after, head.output)
    torch.testing.assert_close(change, head.output - free.output)


def test_fewer_queries_than_keys_are_counted_from_either_corner():
    view = masks_gallery.contents(T, START).views["aligned"]
    upper, lower = (torch.tensor(panel.masked) for panel in view.panels)
    same(~upper, causal_mask(2, 3))
    same(~lower, causal_mask(2, 3, alignment="lower_right"))
    # from the lower right the last queries have the weights they have in the whole
    same(view.panels[1].values, trace_of(CAUSAL).head(0).weights[1:])


@pytest.mark.parametrize("kind", ["none", "causal", "padding", "window", "prefix", "packed", "custom"])
def test_a_thumbnail_shows_its_mask(kind):
    now = edits.with_choice(START, blocked=[(0, 1)])
    view = masks_gallery.thumbnail(T, now, steps_of(T, now), kind)
    mask = mask_of(edits.with_choice(now, mask=kind))
    same(view.result.values, torch.ones(3, 3) if mask is None else mask)
    assert view.result.masked == [[not value for value in row] for row in view.result.values]


@pytest.mark.parametrize("combine", ["and", "or"])
def test_two_masks_and_the_two_together(combine):
    now = edits.with_choice(START, mask="causal", mask_2="padding", padding=2, combine=combine)
    first, second, both = (panel.values for panel in masks_gallery.two_masks(T, now, steps_of(T, now)).panels)
    expected = (
        causal_mask(3) & padding_mask([2], 3) if combine == "and" else causal_mask(3) | padding_mask([2], 3)
    )
    assert first == causal_mask(3).tolist()
    assert second == padding_mask([2], 3).expand(3, 3).tolist()
    assert both == expected.tolist()


def test_the_row_that_lost_most_is_named():
    shown = masks_gallery.contents(T, CAUSAL).texts["changed"]
    free = trace_of(START).head(0).weights
    lost = 1 - free[0, 0].item()  # the first row keeps its first key only
    assert shown == T("change.most", query="我 I", share=f"{lost:.2f}")
    assert masks_gallery.contents(T, START).texts["changed"] == T("change.nothing")


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("now", CASES.values(), ids=CASES)
def test_the_three_fates(now, row):
    now = edits.with_choice(now, row=row)
    broken, alike, zero = panels(masks_dead, now, "fates")
    assert broken[row].isnan().all()
    torch.testing.assert_close(alike[row], torch.full((3,), 1 / 3, dtype=torch.float64))
    assert (zero[row] == 0).all()
    rest = [i for i in range(3) if i != row]
    same(broken[rest], zero[rest])
    torch.testing.assert_close(alike[rest], zero[rest])
    head = trace_of(now).head(now.head)
    _, mean, nothing = panels(masks_dead, now, "fate_outputs")
    torch.testing.assert_close(mean[row], head.value.mean(0))
    assert (nothing[row] == 0).all()


def test_nan_reads_nan_and_has_no_colour():
    view = masks_dead.contents(T, GUESSED).views["fates"]
    table = numbers(view) | places(view, None)
    first = [i for i, (p, r) in enumerate(zip(table["p"], table["r"], strict=True)) if (p, r) == (0, 0)]
    assert [table["t"][i] for i in first] == ["NaN"] * 3
    assert all(math.isfinite(colour) for colour in table["u"])
    assert not any(table["k"][i] for i in first)


def test_what_torch_does_now_is_what_the_tests_measured():
    head, x = trace_of(START).head(0), trace_of(START).query_input
    mask = closed(START, torch.ones(3, 3, dtype=torch.bool))
    found = [kind for _, kind in masks_libraries.torch_fates(head, x, mask, 0)]
    assert found == ["zero", "nan", "alike", "nan", "zero", "nan", "zero"]
    assert masks_libraries.fate(torch.ones(2), torch.zeros(3, 2)) == "other"


def test_what_was_measured_elsewhere_is_in_the_test_that_measured_it():
    calls = [call for call, _, _ in masks_libraries.MEASURED]
    assert len(calls) == 5
    assert {kind for _, kind, _ in masks_libraries.MEASURED} == {"zero", "nan", "alike"}


@pytest.mark.parametrize("reversed", [False, True])
def test_one_mask_given_to_both_calls(reversed):
    now = edits.with_choice(GUESSED, reversed=reversed)
    mask = ~causal_mask(3) if reversed else causal_mask(3)
    head = trace_of(START).head(0)
    given, ours, theirs = panels(masks_half, now, "polarity")
    same(given, mask)
    same(ours, attend(head, mask).weights)
    torch.testing.assert_close(theirs.nan_to_num(), attend(head, ~mask).weights)
    assert theirs.isnan().any(-1).tolist() == mask.all(-1).tolist()


@pytest.mark.parametrize("now", CASES.values(), ids=CASES)
def test_passing_the_mask_on_turns_it_round(now):
    assert masks_half.answer(trace_of(now).head(now.head), causal_mask(3)) == "turned"


def test_before_the_guess_the_layer_is_not_shown():
    views = masks_half.contents(T, CAUSAL).views
    assert "polarity" not in views and len(views["before_polarity"].panels) == 2


def test_half_precision_with_both_ways_to_write_it():
    infinite, smallest = panels(masks_half, CAUSAL, "half_weights")
    assert infinite[0].isnan().all()
    torch.testing.assert_close(smallest[0], torch.full((3,), 1 / 3, dtype=torch.float64), atol=1e-3, rtol=0)
    same(infinite[1:], smallest[1:])
    torch.testing.assert_close(infinite[1:], trace_of(CAUSAL).head(0).weights[1:], atol=2e-3, rtol=0)


def test_a_float_mask_means_the_same_and_ones_and_zeros_do_not():
    head = trace_of(CAUSAL).head(0)
    boolean, added, weights = panels(masks_half, CAUSAL, "two_forms")
    same(boolean, causal_mask(3))
    same(head.scaled_scores + added, head.masked_scores)
    same(weights, head.weights)
    ones, right, wrong = panels(masks_half, CAUSAL, "trap")
    same(ones, causal_mask(3))
    same(right, head.weights)
    same(wrong, torch.softmax(head.scaled_scores + ones, -1))
    assert (wrong > 0).all()


@pytest.mark.parametrize("now", CASES.values(), ids=CASES)
def test_the_wrong_ways_stand_beside_the_right_one_with_their_sums(now):
    for name in ("mask_after", "times_zero", "padding_rows"):
        right, wrong, sums = panels(masks_wrong, now, name)
        same(sums, wrong.sum(-1, keepdim=True))
        torch.testing.assert_close(right.sum(-1), torch.ones(3, dtype=torch.float64))
    head = trace_of(now).head(now.head)
    same(panels(masks_wrong, now, "mask_after")[0], head.weights)
    assert panels(masks_wrong, now, "mask_after")[2][0].item() < 1
    assert (panels(masks_wrong, now, "times_zero")[1] > 0).all()
    assert panels(masks_wrong, now, "padding_rows")[2].flatten().tolist()[2] == 0


def test_the_answer_to_times_zero_follows_the_numbers():
    head = trace_of(START).head(0)
    assert masks_wrong.answer(head, causal_mask(3)) == "more"
    assert masks_wrong.answer(head, torch.ones(3, 3, dtype=torch.bool)) == "zero"


@pytest.mark.parametrize("mask", ["none", "padding", "causal"])
@pytest.mark.parametrize("source", ["I love", "I love cats and dogs"])
@pytest.mark.parametrize("heads", [1, 2])
def test_cross_attention_is_the_core_s(mask, source, heads):
    now = edits.with_choice(edits.set_source(START, source), cross_mask=mask, alignment="lower_right")
    now = edits.resize(now, num_heads=heads)
    views, head = masks_cross.contents(T, now).views, cross_trace_of(now).head(0)
    for step in ("query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "output"):
        same(views[f"cross_{step}"].result.values, getattr(head, step))
    result = views["cross_weights"].result
    assert result.rows.labels == ("我 I", "爱 love", "猫 cats")
    assert result.cols.labels == tuple(source.split())
    same(views["cross_key"].panels[0].values, torch.tensor(now.y, dtype=torch.float64))


def test_the_start_of_the_cross_attention_reads_as_a_translation():
    weights = torch.tensor(masks_cross.contents(T, START).views["cross_weights"].result.values)
    assert weights.argmax(-1).tolist() == [0, 1, 2]
    assert (weights.diagonal() > 0.7).all()


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("now", [START, GUESSED], ids=["before", "after"])
def test_every_arithmetic_can_be_written(part, now):
    for view in part.contents(T, now).views.values():
        for row in view.result.rows.indices:
            for col in view.result.cols.indices:
                assert isinstance(view.arithmetic(row, col), str)


def test_a_difference_is_written_out():
    view = masks_gallery.contents(T, CAUSAL).views["weights_change"]
    assert view.arithmetic(0, 0) == "1.0000 − 0.2234 = 0.7766"
