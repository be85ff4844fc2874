"""The lesson `Why √d_k` without a browser: its questions, draws and links, and the learner's matrices."""

import itertools
import math
import re
from functools import partial

import pytest
import torch

from attention.lab.scaling.variance import Sample, theory_variance, total_variation
from pages import picture
from pages.draw.numbers import short
from pages.draw.texts import Texts
from pages.lessons.why_scale import assumptions, experiment, spread, summary, yours
from pages.lessons.why_scale.settings import ScaleNumbers as Sampling
from pages.lessons.why_scale.shared import sample_of
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from pages.model.state import State
from tests.support import screen
from tests.support.hour import sentence_to_keep
from tests.support.screen import chart_rows, matrix, matrix_ids, open_link, open_page, said, visit
from tests.support.states import SWITCHED, page_in, value_of, with_own

START = Settings()
FAILING = ("failing_scores", "failing_weights", "failing_rates")
DIVIDED = ("divided_scores", "divided_weights")
opened = partial(screen.opened, "why_scale")


def marks(app) -> list[dict]:
    """All that the page's charts show."""
    return [row for number in range(len(app.get("vega_lite_chart"))) for row in chart_rows(app, number)]


def test_assumptions_are_dropped_one_by_one():
    app = opened("assumptions")
    assert "the variance is 1 for every" in said(app)
    expected = {
        "sample_mean": r"\mathrm{Var}(q\cdot k)=3\,d_k",
        "sample_variance": r"\mathrm{Var}(q\cdot k)=4\,d_k",
        "sample_case": r"\mathrm{Var}(q\cdot k)=1.25\,d_k",
        "sample_inside": r"\mathrm{Var}(q\cdot k)=1\,d_k+0.25\,d_k(d_k-1)",
    }
    for field, result in expected.items():
        app.toggle(f"set_{field}_holds").set_value(False).run()
        assert result in said(app)
        number = "sample_correlation" if field == "sample_case" else field
        assert matrix(app, number)["slider"]
        app.toggle(f"set_{field}_holds").set_value(True).run()
        assert visit(app).state == State() or field == "sample_case"
        assert "the variance is 1 for every" in said(app)


def test_correlation_inside_q_and_k_is_what_the_derivation_needs():
    """The review's figures: at r = 0.5 the scaled variance still grows with d_k."""
    app = opened("assumptions", sample_inside=0.5, sample_d_k=256)
    assert "at dₖ = 256 it is 64.75" in said(app) and "dₖ = 256, 5000 pairs" in said(app)
    sample = sample_of(visit(app).state.of(Sampling))
    assert theory_variance(sample, 256) / 256 == 64.75


def test_k_equal_to_q_is_asked_first():
    app = opened("assumptions", answers=[("wide_row", "alike")], sample_case="same")
    assert marks(app) == []
    app.button("guess-same-width").click().run()
    assert "Your answer: **C. 64**. Correct." in said(app)
    assert r"\mathrm{Var}(q\cdot k)=2\,d_k" in said(app)


def test_entries_pairs_and_seed_are_set_by_hand():
    app = opened("assumptions")
    before = said(app)
    app.number_input("set_sample_seed_page").set_value(1).run()
    assert said(app) != before
    app.number_input("set_sample_pairs_page").set_value(1000).run()
    assert "1000 pairs" in said(app)
    app.segmented_control("set_sample_page").set_value("signs").run()
    assert value_of(visit(app).state, "sample") == "signs" and not app.exception


@pytest.mark.parametrize("seed", range(4))
def test_the_lesson_begins_with_the_failure_and_asks_of_the_cure(seed):
    """A link without a part opens it. One weight of the row is nearly 1, and no rate is far from 0."""
    app = open_page("why_scale", with_own(START, sample_seed=seed))
    assert "guess-divided-third" in [button.key for button in app.button]
    values = [matrix(app, name)["values"][0] for name in FAILING]
    scores, p, rates = torch.tensor(values, dtype=torch.float64)
    torch.testing.assert_close(p, scores.softmax(-1))
    moved = torch.autograd.functional.jacobian(lambda row: row.softmax(-1), scores)
    torch.testing.assert_close(rates, moved.diagonal())
    assert p.max() > 0.99 and moved.abs().max() <= rates.max() + 1e-12 < 0.01


@pytest.mark.parametrize("d_k", [4, 64, 512])
@pytest.mark.parametrize("seed", range(4))
def test_a_typical_query_has_the_median_of_the_largest_weights_with_and_without_the_division(d_k, seed):
    scores, _ = spread.typical_row(d_k, seed)
    for name, by in (("none", 1.0), ("sqrt_d_k", d_k**0.5)):
        median = spread.concentrations(d_k, seed)[name].largest.median
        assert (scores / by).softmax(-1).max().item() == pytest.approx(median, abs=0.02)


def test_the_row_that_failed_is_divided_once_it_is_answered():
    """Before the answer its weights are question marks; the scores have the colours of the row above."""
    asked, told = opened("spread", answers=()), opened("spread")
    scores, p = (torch.tensor(matrix(told, name)["values"]) for name in ("failing_scores", "divided_weights"))
    assert matrix(asked, "divided_weights")["values"] == [["?"] * 8]
    torch.testing.assert_close(p, (scores / 512**0.5).softmax(-1))
    (drawn,) = [p for p in screen.pictures(asked) if "divided_scores" in [one["id"] for one in p["matrices"]]]
    assert drawn["range"] == picture.nice_bound(scores.tolist())
    assert f"a largest weight of {short(p.max().item())}" in said(told)


def test_the_densities_are_named_with_their_standard_deviations():
    """Both are over one axis, and the drawn numbers are the deviations of what is drawn."""
    rows = chart_rows(opened("assumptions"), 0)
    before, after = (row["text"] for row in rows if row["kind"] == "name")
    deviation, divided = (float(re.findall(r"\d+\.\d+", text)[0]) for text in (before, after))
    assert before.startswith("q·k: deviation ") and deviation == pytest.approx(8, abs=0.1)
    assert after.startswith("q·k / √dₖ: ") and divided == pytest.approx(deviation / 8, abs=0.006)
    areas = [
        sum(row["y"] * (right["x"] - row["x"]) for row, right in itertools.pairwise(one))
        for series in (0, 1)
        for one in [[row for row in rows if row["kind"] == "steps" and row["series"] == series]]
    ]
    assert areas == pytest.approx([1, 1], abs=1e-3)


def raised(d_k: int) -> float:
    """The second largest weight of a typical row, if its score were larger by 1."""
    first, second, *rest = sorted(spread.typical_row(d_k, 0)[0].exp().tolist(), reverse=True)
    return math.e * second / (first + math.e * second + sum(rest))


@pytest.mark.parametrize("d_k", [4, 9, 64, 512])
def test_the_experiment_compares_two_widths(d_k):
    """The histograms hold what is drawn, and the weights are a softmax of the scores, divided or not."""
    app = opened("experiment", tried_d_k=d_k)
    both = [4] if d_k == 4 else [4, d_k]
    deviations = [assumptions.products(Sample(), one).std(correction=0).item() for one in both]
    for number, roots in enumerate(([1.0] * len(both), [one**0.5 for one in both])):
        names = [row["text"] for row in chart_rows(app, number) if row["kind"] == "name"]
        wanted = zip(both, deviations, roots, strict=True)
        assert names == [f"dₖ = {one}: ±{short(deviation / root)}" for one, deviation, root in wanted]
    for way, power in (("plain", 0.0), ("divided", 0.5)):
        weights = spread.typical_row(d_k, 0)[0].div(d_k**power).softmax(-1).tolist()
        assert matrix(app, f"row_{way}")["values"] == [pytest.approx(sorted(weights, reverse=True))]
    assert f"{raised(d_k):.2f}" in said(app)  # what one more for the second score would do
    page = page_in("why_scale", "experiment", with_own(START, tried_d_k=d_k))
    assert experiment.task(page) == (d_k >= 64)
    deviation = assumptions.products(Sample(), d_k).std(correction=0).item()
    told, at, root, scaled, one = map(float, re.findall(r"[0-9.]*[0-9]", sentence_to_keep(page)))
    assert (told, at, one) == (pytest.approx(deviation, abs=5e-3), d_k, 1)
    assert scaled == pytest.approx(told / root, abs=0.0101)  # of rounded numbers
    assert deviation == pytest.approx(d_k**0.5, rel=0.05)  # “about √dₖ”, “takes that back”


def test_a_link_from_before_the_new_order_opens_its_part():
    link = {"lang": "en", "part": "experiment", "guess": "factor:4,largest:all"}
    app = open_link("why_scale", link, {"wide_row": "alike"})
    assert "Your answer: **C." in said(app) and "Correct." in said(app) and "tried_d_k" in matrix_ids(app)
    assert not app.warning


def test_the_four_pictures_are_the_softmax_of_the_scores_beside_them():
    """The sweeps compute them from this recipe."""
    app = opened("spread", sample_d_k=16)
    for name, by in (("none", 1), ("sqrt_d_k", 4), ("d_k", 16), ("sqrt_d_model", 8)):
        assert matrix(app, f"weights_{name}")["recipe"] == picture.softmax("scores", by=by)


def test_the_rows_of_your_matrices_say_how_much_moves():
    app = opened("yours")
    without = trace_of(edits.with_choice(START, scaling="none")).heads.weights[0]
    moved = total_variation(trace_of(START).heads.weights[0], without).tolist()
    assert [row[0] for row in matrix(app, "moved")["values"]] == pytest.approx(moved, abs=1e-6)
    assert matrix(app, "margin")["values"] == [["0.66"], ["0.42"], ["1.85"]]
    assert matrix(app, "plain")["subtitle"] == Texts("en", "why_scale")("yours.plain")
    top = max(range(3), key=moved.__getitem__)
    assert f"{moved[top]:.1%}" in said(app)
    one_key = opened("yours", mask="causal")
    assert matrix(one_key, "margin")["values"][0] == ["–"] and "NaN" not in said(one_key)
    app.selectbox("set_scaling").set_value("d_k").run()
    assert visit(app).settings.scaling == "d_k"
    plain, chosen, difference = (matrix(app, name)["values"] for name in ("plain", "weights", "difference"))
    assert difference[1][2] == pytest.approx(chosen[1][2] - plain[1][2])


@pytest.mark.parametrize("switch", SWITCHED)
def test_the_summary_sets_a_switch_aside_as_the_part_does(switch):
    """Row and share were those with the switch on; the part and its question computed without."""
    now = edits.with_choice(edits.example_start("masks"), **SWITCHED[switch])
    with_it, without = (page_in("why_scale", "yours", one) for one in (now, edits.example_start("masks")))
    assert summary.lines(with_it)[-1] == summary.lines(without)[-1]


def test_where_the_division_moves_nothing_the_page_says_so():
    state = with_own(edits.resize(edits.fill(START, "w_q", "zeros"), d_k=2))
    assert "less than 0.05%" in said(screen.opened("why_scale", "yours", state))


def test_the_end_has_the_learner_s_numbers():
    app = opened("yours", sample_d_k=16, sample_variance=2.0)
    assert "at dₖ = 16 is 64.00" in said(app) and "it is 4.00" in said(app)
    app.button("again-why_scale_end").click().run()
    app.button("guess-why_scale_end-right").click().run()
    assert "Your answer: **C. 4**. Correct." in said(app)


@pytest.mark.parametrize("entry", ["8", "99999", "", "8.5", "eight", "-8", "100001", "9999999"])
def test_a_whole_number_is_taken_as_it_is_and_what_is_none_is_told_so_and_commits_nothing(entry):
    """8.5 was taken for 8, 99999 for the largest of the chart, and an empty field said nothing."""
    app, taken = opened("limits", answers=()), entry in ("8", "99999")
    app.text_input("guess-note_start").set_value(entry)
    app.button("guess-note_start-commit").click().run()
    assert visit(app).view.answer("note_start") == (entry if taken else None)
    assert taken or len(app.warning) == 1
    assert ("Your answer: **8**. Correct." in said(app)) == (entry == "8")


def test_the_gradients_are_drawn_with_their_spread():
    """Twelve draws was there without any."""
    bands = [row for row in chart_rows(opened("learning", topic="one_query"), 0) if row["kind"] == "band"]
    assert bands and all(row["low"] <= row["y"] <= row["high"] for row in bands)
    assert any(row["low"] < row["high"] for row in bands)


@pytest.mark.parametrize("example", ["uniform", "two_heads", "library", "cats"])
@pytest.mark.parametrize("d_k", [1, 2, 4])
def test_the_reading_names_one_row_only_where_no_other_moves_as_much(example, d_k):
    now = edits.resize(edits.example_start(example), d_k=d_k)
    page = page_in("why_scale", "yours", now)
    shares = yours.moved_shares(page, "sqrt_d_k")
    most = sum(yours.percent(share) == yours.percent(max(shares)) for share in shares)
    none, text = max(shares) < 5e-4, yours.reading(page)
    assert ("less than 0.05%" in text) == none
    assert ("equally in these decimals" in text) == (most > 1 and not none)
    assert " 0.0%" not in text


def test_each_column_of_the_moved_shares_has_its_own_divisor():
    now = edits.with_choice(edits.resize(START, d_model=9, d_k=3), mask="causal")
    head = trace_of(now).head(0)
    scores = head.scores.masked_fill(~head.mask, -torch.inf)
    plain, *scaled = (torch.softmax(scores / by, dim=-1) for by in (1.0, 3**0.5, 3.0, 9**0.5))
    wanted = torch.stack([(weights - plain).abs().sum(-1) / 2 for weights in scaled], dim=-1)
    shown = torch.tensor(matrix(opened("yours", now), "moved")["values"], dtype=torch.float64)
    torch.testing.assert_close(shown, wanted)


def test_a_share_above_0_is_not_written_as_0():
    texts = {0.0: "0.0%", 0.25: "25.0%", 4e-5: "0.004%", 3e-11: "3×10⁻⁹%"}
    assert [*map(yours.percent, texts)] == [*texts.values()]
