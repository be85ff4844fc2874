"""What the lesson's figures show, against the lab and by hand."""

import json
import math
from functools import partial

import pytest
import torch
from torch.nn import functional as F

from attention.lab.softmax import lines as softmax_lines
from attention.lab.softmax import precision
from attention.lab.softmax import scores as softmax
from pages.draw.numbers import short
from pages.draw.texts import Texts
from pages.lessons.softmax import axes, dropout, stable, summary
from pages.lessons.softmax.settings import SoftmaxNumbers
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.scores import Scores
from pages.model.settings import Settings
from tests.support import screen
from tests.support.screen import chart_rows, matrix, pictures, said
from tests.support.states import with_own
from tests.support.tolerance import close

START = Settings()
SCORES = Scores().logits
opened = partial(screen.opened, "softmax")


def values(app, name: str) -> list:
    return matrix(app, name)["values"]


def columns(app, number: int) -> dict[str, list]:
    """The columns of a chart's table."""
    rows = chart_rows(app, number)
    return {name: [row[name] for row in rows] for name in rows[0]}


def dots(app, number: int) -> list[float]:
    """The heights of a chart's dots: the present state."""
    return [row["y"] for row in chart_rows(app, number) if row["kind"] == "dot"]


def spec(app, number: int) -> dict:
    return json.loads(app.get("vega_lite_chart")[number].proto.spec)


# ---- from scores to weights


def test_the_picture_shows_exponentials_their_sum_and_weights():
    app = opened("bars")
    close(values(app, "exps")[0], [math.exp(s) for s in SCORES])
    close(values(app, "total"), [[sum(math.exp(s) for s in SCORES)]])
    close(values(app, "weights")[0], softmax.softmax(SCORES))
    assert matrix(app, "weights")["recipe"]["texts"][0][0] == "p₁ = 7.3891 / 11.2125 = 0.6590"
    assert "7.389 + 2.718 + 1.105 = 11.213" in said(app) or "7.389 + 2.718 + 1.105 = 11.21" in said(app)


def test_the_arithmetic_subtracts_the_largest_score_where_exp_overflows():
    app = opened("bars", with_own(START, logits=(1000.0, 999.0)))
    assert values(app, "exps") == [["inf", "inf"]]
    text = matrix(app, "weights")["recipe"]["texts"][0][1]
    assert text.startswith("p₂ = exp(999 − 1000) / 1.3679 = 0.2689")


def test_the_study_notes_example_stands_beside_what_it_prints():
    app = opened("bars")
    assert values(app, "note_printed") == [[0.65, 0.24, 0.11]]
    close(values(app, "note_exact")[0], softmax.softmax((2.0, 1.0, 0.1)))
    assert matrix(app, "note_exact")["ringed"] == [[0, 0], [0, 2]]
    assert "0.6590, 0.2424 and 0.0986" in said(app) and "note 0" not in said(app).lower()


def test_a_bars_scale_has_round_ends_so_it_holds_still():
    first = opened("bars")
    second = opened("bars", with_own(START, logits=(1.9, 1.0, 0.1)))
    assert [spec(first, i) for i in range(3)] == [spec(second, i) for i in range(3)]
    assert columns(first, 2)["high"] != columns(second, 2)["high"]


# ---- temperature


@pytest.mark.parametrize("temperature", [0.5, 5.0])
def test_one_value_for_now_on_one_screen(temperature):
    """Every figure of the part follows T: weights, curves, the growing score, the margin, the constant."""
    now = with_own(START, temperature=temperature)
    expected = softmax.softmax(SCORES, temperature)
    for topic in ("cooling", "growth", "constant"):
        app = opened("temperature", now, topic)
        close(values(app, "weights")[0], expected)
    growth = opened("temperature", now, "growth")
    close(sorted(dots(growth, 0)), sorted(expected))
    close(dots(growth, 1), [max(expected)])
    cooling = opened("temperature", now, "cooling")
    close(sorted(dots(cooling, 0)), sorted(expected))
    largest = short(max(expected), 4)
    assert f"At T = {temperature:g} the largest weight is {largest}." in said(cooling)
    constant = opened("temperature", now, "constant")
    close(values(constant, "moved_weights")[0], expected)
    assert f"{softmax.exact_weights(SCORES, 0.0, temperature=temperature)[0]:.28f}" in said(constant)


def test_the_growing_scores_curve_is_half_at_the_half_way_point_for_that_temperature():
    now = with_own(START, temperature=4.0)
    middle = softmax.half_way(SCORES, 0, 4.0)
    close(softmax.along(SCORES, 0, [middle], 4.0)[0][0], 0.5, 1e-9)
    assert short(middle) in said(opened("temperature", now, "growth"))


def test_the_control_stands_in_the_picture_of_its_effect():
    for topic in ("cooling", "growth"):
        *_, view = pictures(opened("temperature", topic=topic))
        assert {"logits", "temperature", "weights"} <= {m["id"] for m in view["matrices"]}
    (view,) = pictures(opened("temperature", topic="constant"))
    assert {"shift", "moved", "moved_weights"} <= {m["id"] for m in view["matrices"]}


def test_which_weights_grow_when_scores_are_doubled_is_said_with_the_learners_numbers():
    """The second of (1, 0.9, 0, 0, 0) grows too: not all weights below the largest fall."""
    before_after = softmax.doubling((1.0, 0.9, 0.0, 0.0, 0.0))
    assert before_after.after[1] > before_after.before[1] > before_after.threshold
    app = opened("temperature", with_own(START, logits=(1.0, 0.9, 0.0, 0.0, 0.0)))
    assert f"p₂: {short(before_after.before[1], 3)} → {short(before_after.after[1], 3)}" in said(app)
    assert "All weights below" not in said(app)


# ---- stability


def test_the_steps_are_those_of_the_chosen_format_and_the_gaps_are_fixed():
    app = opened("stable", with_own(START, precision="float32", top_score=1000.0))
    assert values(app, "naive_scores") == [[1000.0, 999.0, 998.0, 997.0]]
    assert values(app, "naive_weights") == [["nan"] * 4]
    assert values(app, "shifted_scores") == [[0.0, -1.0, -2.0, -3.0]]
    close(values(app, "shifted_weights")[0], softmax.softmax((3.0, 2.0, 1.0, 0.0)), 1e-6)


@pytest.mark.parametrize(
    ("top", "fmt", "parts"),
    [
        (1000.0, "float32", ("overflows", "∞/∞ is NaN", "represents these scores")),
        (-1000.0, "float32", ("every exponential is 0", "0/0 is NaN", "represents these scores")),
        (5.0, "float16", ("neither ∞ nor 0", "correct, apart from rounding", "represents these scores")),
        (1000.0, "bfloat16", ("overflows", "∞/∞ is NaN", "cannot represent these scores")),
        (-100.0, "float32", ("neither ∞ nor 0", "no NaN, and yet wrong", "represents these scores")),
    ],
)
def test_overflow_underflow_and_rounding_are_told_apart(top, fmt, parts):
    text = said(opened("stable", with_own(START, precision=fmt, top_score=top)))
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize("fmt", ["float16", "bfloat16", "float32", "float64"])
def test_a_sum_that_overflows_alone_is_told_apart(fmt):
    """Each exponential is finite and their sum is not: every weight is 0, and the sentence says why."""
    top = math.floor(100 * precision.largest_exponent(fmt)) / 100 - 0.1
    form = precision.naive(precision.fixed_gaps(top, fmt))
    alone = form.exps.isfinite().all() and form.total.isinf()
    assert not alone or form.weights.tolist() == [0, 0, 0, 0]
    app = opened("stable", with_own(Settings(), top_score=top, precision=fmt))
    assert ("But their sum is beyond" in said(app)) == alone


def test_every_cell_of_the_overview_says_what_really_comes():
    app = opened("stable")
    words = {"right": "right", "broken": "NaN", "lost": "wrong", "rounded": "rounded scores"}
    for name, form in stable.FORMS.items():
        values = matrix(app, f"outcomes_{name}")
        for r, fmt in enumerate(stable.FORMATS):
            for c, top in enumerate(stable.TOPS):
                s = precision.fixed_gaps(top, fmt)
                exact = torch.softmax(precision.fixed_gaps(top, "float64"), dim=-1)
                weights = form(s).weights.double()
                good = bool(((weights - exact).abs() <= 8 * torch.finfo(s.dtype).eps).all())
                assert (values["values"][r][c] == words["right"]) == good
                assert ([r, c] in values["ringed"]) != good


def test_a_click_on_a_cell_of_the_overview_shows_its_steps(monkeypatch):
    changes = []
    monkeypatch.setattr(stable.session, "set_own", lambda **fields: changes.append(fields))
    stable._choose({"matrix": "outcomes_naive", "row": 1, "col": 5})
    assert changes == [{"precision": "float32", "top_score": 1000.0}]


# ---- axes


@pytest.mark.parametrize(("axis", "dims"), [("keys", -1), ("queries", -2)])
def test_the_sums_along_the_chosen_axis_are_ringed_and_are_one(axis, dims):
    app = opened("axes", with_own(START, axis=axis))
    scores = trace_of(START).head(0).masked_scores
    close(values(app, "weights"), torch.softmax(scores, dim=dims))
    sums = {"keys": "row_sums", "queries": "column_sums"}
    for name, expected in sums.items():
        numbers = matrix(app, expected)
        one = [
            [r, c] for r, row in enumerate(numbers["values"]) for c, v in enumerate(row) if abs(v - 1) < 1e-9
        ]
        assert numbers["ringed"] == one
        assert bool(one) == (name == axis)


@pytest.mark.parametrize("axis", axes.AXES)
def test_the_line_of_code_gives_the_weights_on_the_screen(axis):
    app = opened("axes", with_own(START, axis=axis))
    names = {"torch": torch, "scores": trace_of(START).head(0).masked_scores}
    exec(app.code[0].value, names)
    close(names["weights"], values(app, "weights"))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_the_check_on_the_screen_passes_right_rows_and_catches_the_other_axes(dtype):
    scores = torch.randn(50, 7, generator=torch.Generator().manual_seed(1)).to(dtype)
    for axis in axes.AXES:
        names = {"torch": torch, "weights": softmax.over(scores, axis)}
        passes = True
        try:
            exec(axes.CHECK, names)
        except AssertionError:
            passes = False
        assert passes == (axis == "keys") == softmax.rows_sum_to_one(names["weights"])
    text = "over keys (dim=-1) the check passes. With the softmax over queries (dim=-2) it fails."
    assert text in said(opened("axes"))


def test_the_share_of_false_alarms_on_the_screen_is_measured():
    text = said(opened("axes"))
    for name in ("bfloat16", "float16"):
        share = softmax.false_alarms(getattr(torch, name), keys=4)
        assert 0.005 < share < 0.03 and f"{share:.1%} " in text


def test_both_causes_of_nan_are_said_where_a_row_is_fully_masked():
    blocked = frozenset({(1, 0), (1, 1), (1, 2)})
    app = opened("axes", edits.with_choice(START, mask="custom", blocked=blocked))
    assert values(app, "weights")[1] == ["nan"] * 3
    assert "0/0" in said(app) and "−∞ − (−∞)" in said(app)
    row = torch.full((3,), -torch.inf, dtype=torch.float64)
    assert precision.nan_cause(precision.naive(row)) == "0 / 0"
    assert precision.nan_cause(precision.shifted(row)) == "inf - inf"
    assert "−∞ − (−∞)" not in said(opened("axes"))


# ---- Jacobian


def test_the_jacobians_rows_are_weights_and_its_columns_scores_as_in_its_formula():
    app = opened("jacobian", with_own(START, score=1))
    numbers = matrix(app, "jacobian")
    assert numbers["rows"] == ["p₁", "p₂", "p₃"] and numbers["cols"] == ["s₁", "s₂", "s₃"]
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=-1), softmax.tensor(SCORES))
    close(numbers["values"], expected)
    assert numbers["ringed"] == [[0, 1], [1, 1], [2, 1]]
    recipe = matrix(app, "predicted")["recipe"]
    assert (recipe["left"], recipe["left_start"], recipe["right"], recipe["length"]) == (
        "jacobian",
        1,
        "nudge",
        1,
    )
    close(values(app, "predicted"), expected[:, 1:2] * SoftmaxNumbers().nudge)


def test_the_error_is_drawn_as_large_as_it_is():
    """At Δs = 10 it is far above 1; its curve neither stops at the scale's end nor lies flat."""
    app = opened("jacobian", with_own(START, nudge=10.0))
    result = columns(app, 1)
    largest = max(result["y"])
    assert largest == pytest.approx(softmax.answer(SCORES, 0, 10.0).error) and largest > 1.9
    domains = [
        layer["encoding"]["y"]["scale"]["domain"]
        for layer in spec(app, 1)["layer"]
        if "y" in layer["encoding"]
    ]
    assert all(domain[1] > largest for domain in domains)
    assert "clamp" not in json.dumps(spec(app, 1)).replace('"clamp": false', "")


# ---- dropout


def test_one_draw_and_the_mean_of_many_are_the_labs():
    now = with_own(START, dropout=0.3, dropout_seed=7)
    app, head = opened("dropout", now), trace_of(now.core).head(0)
    close(values(app, "dropped_weights"), softmax.drop_weights(head, 0.3, 7).dropped_weights)
    many = softmax.many_draws(head, 0.3, 7, dropout.DRAWS)
    close(values(app, "mean"), many.mean)
    close(values(app, "off"), softmax.in_errors(head.weights, many))


def test_the_function_drops_in_eval_too_and_the_module_does_not():
    class Written(torch.nn.Module):
        def forward(self, q, k, v):
            return F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)

    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 1, 8, 4)
    model = Written().eval()
    assert not torch.equal(model(q, k, v), model(q, k, v))
    off = torch.nn.Dropout(0.5).eval()
    assert torch.equal(off(q), q) and torch.equal(F.dropout(q, 0.5, training=False), q)
    assert not torch.equal(F.dropout(q, 0.5), q)


# ---- the end


def test_each_line_of_the_last_question_is_what_the_lab_computes():
    scores = torch.tensor(summary.SCORES)
    for name, code in summary.CODE.items():
        with torch.random.fork_rng():
            torch.manual_seed(0)
            result = eval(code, {"torch": torch, "F": F, "S": scores})
        torch.testing.assert_close(result, softmax_lines.LINES[name](scores), equal_nan=True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_summary_has_the_learners_own_numbers(language):
    now = with_own(START, logits=(0.5, -2.0), temperature=2.0, top_score=30.0, dropout=0.25)
    text, listed = said(opened("dropout", now, language=language)), Texts(language).listed
    weights = listed(short(w) for w in softmax.softmax((0.5, -2.0), 2.0))
    for part in (weights, listed([30, 29, 28, 27]), listed(["NaN"] * 4), "0.25"):
        assert part in text
