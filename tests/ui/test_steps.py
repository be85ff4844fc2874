"""The steps on the screen: every number is the trace's, every arithmetic gives its number."""

import math
import re

import pytest

from pages.ui.compute import mask_of, trace_of
from pages.ui.edits import resize, with_choice
from pages.ui.figures import nice_bound, numbers, places, wrap
from pages.ui.settings import Settings
from pages.ui.steps import StepBuilder, axis_labels
from pages.ui.texts import Texts

CASES = {
    "start": Settings(),
    "causal": with_choice(Settings(), mask="causal"),
    "finite": with_choice(Settings(), mask="causal", masked_score="-1e9"),
    "no scaling": with_choice(Settings(), scaling="none"),
    "two heads": with_choice(resize(Settings(), num_heads=2), head=1),
    "wide": resize(Settings(), d_model=5, d_k=7, d_v=3),
    "one query": with_choice(Settings(), row=1),
}


def views(settings):
    trace = trace_of(settings)
    return trace, StepBuilder(settings, trace, axis_labels(Texts("en", "one_head"), settings)).views()


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_steps_have_the_names_of_the_trace_in_its_order(settings):
    trace, shown = views(settings)
    source = trace if settings.num_heads > 1 else trace.head(0)
    assert [view.name for view in shown] == [step.name for step in source.steps()]


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_every_result_is_the_trace_s_own_tensor(settings):
    trace, shown = views(settings)
    head = trace.head(settings.head)
    for view in shown:
        if view.name == "head_output":
            expected = head.output
        elif view.name in ("concatenated", "output") and settings.num_heads > 1:
            expected = getattr(trace, view.name)
        else:
            expected = getattr(head, view.name)
        assert view.result.values == expected.tolist()


def value_of(expression: str) -> float:
    """Evaluates a written-out arithmetic: sums of products, exp(a − b) / (sum), a / b."""
    text = expression.replace("·", "*").replace("−", "-").replace("∞", "math.inf")
    assert re.fullmatch(r"[\d\s.e*+\-/()a-z]*", text), text
    return eval(text, {"exp": math.exp, "math": math})


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_every_arithmetic_gives_its_cell(settings):
    for view in views(settings)[1]:
        if view.name in ("masked_scores", "concatenated"):
            continue
        rows, cols = view.result.rows.indices, view.result.cols.indices
        for r in rows:
            for c in cols:
                left, _, right = view.arithmetic(r, c).rpartition(" = ")
                assert number(right) == pytest.approx(view.result.values[r][c], abs=6e-5)
                terms = left.count("·") + 1
                # the terms are printed with two decimals, so the sum of the print is off by a little
                assert value_of(left) == pytest.approx(view.result.values[r][c], abs=0.03 * terms)


def test_the_note_s_example_by_hand():
    query = views(Settings())[1][0]
    # 1.0·1.0 + 0.5·0.1 + 0.2·0.2 + 0.1·0.0
    assert query.result.values[0][0] == pytest.approx(1.09, abs=1e-12)
    assert query.arithmetic(0, 0) == "1.00·1.00 + 0.50·0.10 + 0.20·0.20 + 0.10·0.00 = 1.0900"


def test_masked_cells_say_so_and_do_not_stretch_the_colours():
    _, shown = views(CASES["finite"])
    masked = next(view for view in shown if view.name == "masked_scores")
    table = places(masked, None) | numbers(masked)
    hidden = [i for i, k in enumerate(table["k"]) if k]
    assert [table["t"][i] for i in hidden] == ["−1.0e9"] * 3
    assert masked.result.bound < 10


def test_minus_infinity_is_written_out():
    _, shown = views(CASES["causal"])
    masked = next(view for view in shown if view.name == "masked_scores")
    table = places(masked, None) | numbers(masked)
    assert {table["t"][i] for i, k in enumerate(table["k"]) if k} == {"−∞"}


def test_a_followed_query_narrows_queries_and_keeps_keys():
    shown = {view.name: view for view in views(CASES["one query"])[1]}
    assert shown["scores"].result.rows.indices == (1,)
    assert shown["key"].result.rows.indices == (0, 1, 2)
    assert set(places(shown["scores"], None)["r"]) >= {1}


def test_the_chosen_cell_is_marked_once():
    view = views(Settings())[1][3]
    table = places(view, (2, 1))
    marked = [i for i, s in enumerate(table["s"]) if s]
    assert [(table["p"][i], table["r"][i], table["c"][i]) for i in marked] == [(2, 2, 1)]


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        ([[0.0]], 1.0),
        ([[0.7, -0.3]], 1.0),
        ([[1.0]], 1.0),
        ([[-1.01]], 2.0),
        ([[4.9]], 5.0),
        ([[51.0]], 100.0),
    ],
)
def test_colour_range_goes_in_round_steps(values, bound):
    assert nice_bound(values) == pytest.approx(bound)


def test_wrap_keeps_every_word():
    text = " + ".join(f"{i}.00·1.00" for i in range(16)) + " = 1.0000"
    assert wrap(text, 40).replace("\n", " ") == text
    assert max(map(len, wrap(text, 40).split("\n"))) <= 40


@pytest.mark.parametrize("kind", ["causal", "padding", "window", "custom"])
def test_masks_of_the_settings(kind):
    settings = with_choice(
        Settings(), mask=kind, padding=2, window_left=1, window_right=0, blocked=frozenset({(0, 2)})
    )
    n = range(3)
    allowed = {
        "causal": lambda i, j: j <= i,
        "padding": lambda i, j: j < 2,
        "window": lambda i, j: i - 1 <= j <= i,
        "custom": lambda i, j: (i, j) != (0, 2),
    }[kind]
    assert mask_of(settings).tolist() == [[allowed(i, j) for j in n] for i in n]
