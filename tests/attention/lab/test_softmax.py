"""What the lesson on softmax measures: against PyTorch, autograd, decimals of many digits, and by hand."""

import csv
import io
import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.ui import downloads, softmax_axes, softmax_dropout, softmax_jacobian, softmax_stable
from pages.ui import softmax_facts as facts
from pages.ui import softmax_precision as precise
from pages.ui.compute import trace_of
from pages.ui.edits import with_choice
from pages.ui.settings import MAX_LOGITS, Settings
from pages.ui.texts import Texts

NUMBER = st.floats(-40, 40).map(lambda value: round(value, 3))
SCORES = st.lists(NUMBER, min_size=2, max_size=MAX_LOGITS).map(tuple)
START = Settings()
T = Texts("en", "one_head", "soft_max")


def close(a, b, tolerance=1e-12):
    a, b = (torch.as_tensor(value, dtype=torch.float64) for value in (a, b))
    torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


# ---- a few scores


def test_the_notes_example_by_hand():
    found = facts.written_out(facts.NOTE_SCORES)
    close(found.exps, [7.38905609893065, 2.718281828459045, 1.1051709180756477])
    close(found.total, 11.212508845465343)
    assert [round(weight, 2) for weight in found.weights] == [0.66, 0.24, 0.1] != list(facts.NOTE_WEIGHTS)


@given(SCORES)
def test_shares_are_positive_sum_to_one_and_are_the_exponentials_over_their_sum(scores):
    found = facts.written_out(scores)
    assert min(found.weights) > 0 and abs(sum(found.weights) - 1) < 1e-12
    close(found.weights, [value / found.total for value in found.exps])


def test_exponentials_overflow_and_weights_do_not():
    found = facts.written_out((1000.0, 0.0))
    assert found.total == math.inf and found.weights == [1.0, 0.0]


@given(SCORES, st.floats(-1000, 1000))
def test_a_constant_changes_nothing_but_the_last_digits(scores, constant):
    close(facts.softmax(scores, shift=constant), facts.softmax(scores), 1e-10)
    before, after = facts.exact_weights(scores, 0.0), facts.exact_weights(scores, constant)
    assert all(abs(a - b) <= a.scaleb(-28) for a, b in zip(before, after, strict=True))
    close([float(value) for value in before], facts.softmax(scores))


@given(SCORES, st.floats(0.05, 20))
def test_temperature_divides_the_scores_and_keeps_their_order(scores, temperature):
    close(facts.softmax(scores, temperature), facts.softmax(tuple(s / temperature for s in scores)), 1e-9)
    order = sorted(range(len(scores)), key=scores.__getitem__)
    weights = facts.softmax(scores, temperature)
    assert all(weights[a] <= weights[b] for a, b in pairwise(order))


@given(SCORES)
def test_entropy_only_grows_with_temperature(scores):
    entropies = [facts.spread(facts.softmax(scores, t)).entropy for t in (0.1, 0.5, 1, 2, 10)]
    assert all(a <= b + 1e-9 for a, b in pairwise(entropies))


@given(SCORES)
def test_low_temperatures_lead_to_the_hard_maximum(scores):
    scores = tuple(round(score, 1) for score in scores)
    close(facts.softmax(scores, 0.001), facts.hard_maximum(scores), 1e-9)


def test_ties_share_and_are_counted():
    assert facts.hard_maximum((1.0, 3.0, 3.0)) == [0.0, 0.5, 0.5]
    assert facts.ties((1.0, 3.0, 3.0)) == 2 and facts.gap((1.0, 3.0, 3.0)) == 0


@given(SCORES)
def test_the_largest_weight_lies_between_its_bounds(scores):
    low, high = facts.largest_bounds([facts.gap(scores)], len(scores), 1.0)
    assert low[0] - 1e-12 <= max(facts.softmax(scores)) <= high[0] + 1e-12


def test_both_bounds_are_reached():
    low, high = facts.largest_bounds([1.5], 4, 1.0)
    close(max(facts.softmax((1.5, 0.0, 0.0, 0.0))), low[0])
    close(max(facts.softmax((1.5, 0.0, -800.0, -800.0))), high[0])


@given(SCORES)
def test_doubling_moves_the_largest_weight_as_said(scores):
    before, after = (max(facts.softmax(tuple(f * s for s in scores))) for f in (1, 2))
    if facts.doubled(scores) == "stays":
        close(before, after)
    else:
        assert after >= before


def test_spread_of_equal_weights():
    close(facts.spread([0.25] * 4), (0.25, 2.0, 1.0, 4.0))
    assert facts.spread([1.0, 0.0]) == (1.0, 0.0, 0.0, 1.0)


@given(SCORES, st.integers(0, MAX_LOGITS - 1))
def test_a_score_has_half_the_weight_at_its_half_way_point_and_follows_the_logistic_curve(scores, index):
    index %= len(scores)
    middle = facts.half_way(scores, index)
    close(facts.along(scores, index, [middle])[0][index], 0.5, 1e-9)
    close(facts.along(scores, index, [middle + 1])[0][index], 1 / (1 + math.exp(-1)), 1e-9)


# ---- the Jacobian


@given(SCORES)
def test_the_jacobian_is_autograd_s(scores):
    s = facts.tensor(scores)
    by_autograd = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, dim=-1), s)
    close(facts.jacobian(torch.softmax(s, dim=-1)), by_autograd)


@given(SCORES, st.integers(0, MAX_LOGITS - 1))
def test_the_error_of_the_prediction_falls_with_the_square_of_the_change(scores, index):
    """|Δp − J·h| ≤ ½·h²·max|p″|, and p″ is nowhere above 1 in any weight."""
    index %= len(scores)
    for nudge in (0.1, -0.01, 0.001):
        assert facts.answer(scores, index, nudge).error <= 0.5 * nudge**2 + 1e-15


def test_a_change_by_hand():
    found = facts.answer((0.0, 0.0), 0, 1.0)
    close(found.real, [1 / (1 + math.exp(-1)) - 0.5, 0.5 - 1 / (1 + math.exp(-1))])
    close(found.predicted, [0.25, -0.25])


def test_the_page_s_jacobian_writes_out_what_it_shows():
    view = softmax_jacobian.contents(T, START).views[0]
    p = facts.softmax(START.logits)
    assert view.arithmetic(0, 1).endswith(f"{-p[0] * p[1]:.4f}".replace("-", "−"))
    assert view.arithmetic(1, 1).endswith(f"{p[1] * (1 - p[1]):.4f}")


# ---- precision


@pytest.mark.parametrize("name", precise.DTYPES)
def test_the_limits_are_where_exp_leaves_the_numbers(name):
    def exp(value):
        return torch.exp(torch.tensor(value, dtype=torch.float64)).to(precise.DTYPES[name])

    top, bottom = precise.largest_exponent(name), precise.smallest_exponent(name)
    assert torch.isfinite(exp(top - 0.01)) and (name == "float64" or not torch.isfinite(exp(top + 0.01)))
    assert exp(bottom + 0.01) > 0 and (name == "float64" or exp(bottom - 0.01) == 0)
    if name == "float64":
        assert math.isinf(torch.exp(torch.tensor(top + 0.01, dtype=torch.float64)))
        assert math.exp(bottom + 0.01) > 0 == math.exp(bottom - 0.01)


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("size", softmax_stable.SIZES)
@pytest.mark.parametrize("name", precise.DTYPES)
def test_the_shifted_form_is_right_in_every_precision(name, size, below):
    s = precise.scores(size, name, below=below)
    assert precise.fate(precise.shifted(s), precise.truth(s)) == "right"
    close(precise.truth(s), torch.softmax(s.double(), dim=-1))


@pytest.mark.parametrize(
    ("name", "size", "below", "fate"),
    [
        ("float64", 100.0, False, "right"),
        ("float64", 1000.0, False, "broken"),
        ("float32", 10.0, False, "right"),
        ("float32", 100.0, False, "broken"),
        ("float16", 10.0, False, "right"),
        ("float16", 100.0, False, "broken"),
        ("bfloat16", 100.0, False, "broken"),
        ("float32", 100.0, True, "lost"),
        ("float64", 1000.0, True, "broken"),
    ],
)
def test_the_naive_form_s_fate(name, size, below, fate):
    s = precise.scores(size, name, below=below)
    assert precise.fate(precise.naive(s), precise.truth(s)) == fate


@pytest.mark.parametrize("name", precise.DTYPES)
def test_every_step_is_done_in_its_precision(name):
    for form in (precise.naive, precise.shifted):
        assert {step.dtype for step in form(precise.scores(10.0, name))} == {precise.DTYPES[name]}


def test_logsumexp():
    s = precise.scores(1000.0, "float64")
    assert precise.naive(s).logsumexp == math.inf
    close(precise.shifted(s).logsumexp, torch.logsumexp(s, dim=-1))


def test_a_weight_far_below_is_zero_in_float32_as_the_answer_says():
    assert precise.far_below("float32") == 0
    assert round(-1000 / math.log(10), 2) == -434.29  # 10^-434.29 = 5·10^-435


# ---- the axis


def test_the_sums_of_each_axis():
    scores = trace_of(START).heads.masked_scores[0]
    ones = torch.ones(3, dtype=torch.float64)
    close(facts.over(scores, "keys").sum(1), ones)
    close(facts.over(scores, "queries").sum(0), ones)
    close(facts.over(scores, "all").sum(), 1.0)
    assert [facts.rows_sum_to_one(facts.over(scores, axis)) for axis in facts.AXES] == [True, False, False]


def test_the_check_misses_equal_scores_as_the_text_says():
    assert facts.rows_sum_to_one(facts.over(torch.zeros(3, 3), "queries"))


def test_the_shown_check_runs_and_catches():
    names = {"torch": torch, "weights": facts.over(torch.eye(3) * 4 + torch.arange(3.0), "keys")}
    exec(softmax_axes.CHECK, names)
    names["weights"] = facts.over(torch.eye(3) * 4 + torch.arange(3.0)[:, None], "queries")
    with pytest.raises(AssertionError):
        exec(softmax_axes.CHECK, names)


@pytest.mark.parametrize("axis", facts.AXES)
def test_the_shown_line_computes_what_the_page_shows(axis):
    scores = torch.randn(4, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    names = {"torch": torch, "scores": scores}
    exec(softmax_axes.LINES[axis], names)
    close(names["weights"], facts.over(scores, axis))


def test_sums_of_one_are_ringed_and_no_others():
    drawing = softmax_axes.contents(T, START).drawings[0]
    ringed = [text for text, ring in zip(drawing.data["t"], drawing.data["s"], strict=True) if ring]
    assert ringed == ["1.00"] * 7  # three rows, three columns, and the whole


# ---- dropout


def test_a_kept_weight_is_divided_and_a_dropped_one_is_zero():
    head = trace_of(START).heads.head(0)
    found = facts.dropped(head, 0.25, 3)
    kept = found != 0
    assert kept.any() and not kept.all()
    close(found[kept], head.weights[kept] / 0.75)
    close(facts.dropped(head, 0.25, 3), found)
    assert not torch.equal(facts.dropped(head, 0.25, 4), found)
    close(facts.dropped(head, 0.0, 3), head.weights)


@limits(max_examples=10, deadline=None)
@given(st.sampled_from([0.1, 0.3, 0.5, 0.9]), st.integers(0, 9999))
def test_the_mean_of_many_draws_is_within_its_standard_error(p, seed):
    """Five standard errors: chance leaves them about once in two million weights."""
    head = trace_of(START).heads.head(0)
    draws = facts.many_draws(head, p, seed, 1000)
    assert softmax_dropout.in_errors(head, draws).abs().max() < 5
    ratio = draws.measured_error / draws.expected_error
    assert bool(((ratio > 0.7) & (ratio < 1.4)).all())


def test_the_standard_error_by_hand():
    head = trace_of(START).heads.head(0)
    draws = facts.many_draws(head, 0.5, 0, 100)
    close(draws.expected_error, head.weights / 10)


def test_nothing_is_left_to_chance_without_dropout():
    head = trace_of(with_choice(START, mask="causal")).heads.head(0)
    assert not softmax_dropout.in_errors(head, facts.many_draws(head, 0.0, 0, 10)).any()


# ---- files


def test_a_file_holds_every_digit_and_both_languages_letters():
    text = downloads.as_csv({"词": ["我"], "p": [1 / 3]})
    rows = list(csv.reader(io.StringIO(text.removeprefix(downloads.MARK))))
    assert rows == [["词", "p"], ["我", repr(1 / 3)]]


def test_a_heatmap_s_file_names_each_cell():
    view = softmax_jacobian.contents(T, START).views[0]
    cells = downloads.cells_of(T, view)
    assert cells["matrix"] == [*["weights"] * 3, *["J"] * 9]
    close(cells["value"][3:], facts.jacobian(facts.tensor(facts.softmax(START.logits))).flatten())
