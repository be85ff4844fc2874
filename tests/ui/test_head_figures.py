"""The figures of the lesson on many heads: the trace's own numbers, and the way that lights up."""

import json

import pytest
import torch

from pages.ui import edits
from pages.ui.compute import tensors_of, trace_of
from pages.ui.head_figures import COORDINATES, HeadFigures, origin_table, path_table
from pages.ui.heatmaps import path_spec, peek_spec
from pages.ui.settings import PROJECTIONS, WRITINGS, Settings
from pages.ui.steps import axis_labels
from pages.ui.texts import Texts

TWO = edits.resize(Settings(), num_heads=2)
SHARED = edits.resize(Settings(), num_heads=4, num_kv_heads=2, d_k=3, d_v=2)
CASES = {"one": Settings(), "two": TWO, "shared": SHARED}
every_case = pytest.mark.parametrize("settings", CASES.values(), ids=CASES)


def figures(settings) -> HeadFigures:
    labels = axis_labels(Texts("en", "many_heads"), settings)
    return HeadFigures(settings, trace_of(settings), labels)


def lit(table: dict, hovered: int) -> list[int]:
    """The cells whose coordinates agree with the hovered one's, as the chart decides it."""

    def agree(i: int) -> bool:
        pairs = [(table[name][hovered], table[name][i]) for name in COORDINATES]
        return all(a < 0 or b < 0 or a == b for a, b in pairs)

    return [i for i in range(len(table["p"])) if agree(i)]


def cell(table: dict, panel: int, row: int, col: int) -> int:
    spots = list(zip(table["p"], table["r"], table["c"], strict=True))
    return spots.index((panel, row, col))


def spots(table: dict, indices: list[int], panel: int) -> set[tuple[int, int]]:
    return {(table["r"][i], table["c"][i]) for i in indices if table["p"][i] == panel}


def path_of(settings, **choices):
    now = edits.with_choice(settings, **choices)
    rows, at = figures(now).path()
    return [panel.title for row in rows for panel in row], path_table(rows, at)


def test_a_cell_of_q_lights_its_own_way():
    titles, table = path_of(TWO, projection="query", writing="wide")
    assert titles == ["X", "W_Q", "Q", "Q1", "Q2", "A1", "A2", "O", "W_O", "Y"]
    way = lit(table, cell(table, 2, 1, 3))  # Q, second token, column 2.2
    assert spots(table, way, 0) == {(1, c) for c in range(4)}
    assert spots(table, way, 1) == {(r, 3) for r in range(4)}
    assert spots(table, way, 2) == {(1, 3)}
    assert spots(table, way, 3) == set()
    assert spots(table, way, 4) == {(1, 1)}
    assert spots(table, way, 5) == set()
    assert spots(table, way, 6) == {(1, c) for c in range(3)}
    assert spots(table, way, 7) == {(1, 2), (1, 3)}
    assert spots(table, way, 8) == {(r, c) for r in (2, 3) for c in range(4)}
    assert spots(table, way, 9) == {(1, c) for c in range(4)}


def test_a_cell_of_y_comes_from_every_head_and_one_column_of_w_o():
    _, table = path_of(TWO, projection="query", writing="wide")
    way = lit(table, cell(table, 9, 2, 0))
    assert spots(table, way, 8) == {(r, 0) for r in range(4)}
    assert spots(table, way, 7) == {(2, c) for c in range(4)}
    assert spots(table, way, 5) == spots(table, way, 6) == {(2, c) for c in range(3)}


def test_a_shared_value_serves_the_heads_of_its_group():
    titles, table = path_of(SHARED, projection="value", writing="small")
    assert titles == ["X", "W_V1", "W_V2", "V1", "V2", "A1", "A2", "A3", "A4", "O", "W_O", "Y"]
    way = lit(table, cell(table, 4, 0, 1))  # V2, first token, column 2.2
    assert spots(table, way, 1) == set() and spots(table, way, 2) == {(r, 1) for r in range(4)}
    assert spots(table, way, 5) == spots(table, way, 6) == set()
    assert spots(table, way, 7) == spots(table, way, 8) == {(r, 0) for r in range(3)}
    assert spots(table, way, 9) == {(r, c) for r in range(3) for c in (5, 7)}


@every_case
@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("writing", WRITINGS)
def test_the_way_through_shows_the_trace_s_numbers(settings, projection, writing):
    now = edits.with_choice(settings, projection=projection, writing=writing)
    trace = trace_of(now)
    rows, at = figures(now).path()
    side_by_side = torch.cat([torch.tensor(p.values, dtype=torch.float64) for p in rows[1]], dim=-1)
    assert torch.equal(side_by_side, getattr(trace, projection))
    assert [panel.values for panel in rows[2]] == trace.heads.weights.tolist()
    assert rows[3][0].values == trace.concatenated.tolist()
    assert rows[3][-1].values == trace.output.tolist()
    table = path_table(rows, at)
    assert {len(column) for column in table.values()} == {len(table["p"])}
    assert json.dumps(path_spec(rows, COORDINATES))


@every_case
def test_the_figures_are_the_trace_s_own_tensors(settings):
    trace, shown = trace_of(settings), figures(settings)
    heads = trace.heads.weights
    assert [panel.values for panel in shown.head_weights()] == heads.tolist()
    assert shown.summary("mean", "max").panels[0].values == heads.mean(0).tolist()
    assert shown.summary("mean", "max").result.values == heads.amax(0).tolist()
    assert shown.parts().result.values == trace.output.tolist()
    assert shown.wide_query().result.values == trace.query.tolist()
    assert peek_spec(shown.head_weights(), 0)


def test_compare_is_the_difference_and_says_so():
    now = edits.with_choice(TWO, head=1, other=0)
    view = figures(now).compare()
    heads = trace_of(now).heads.weights
    assert view.result.values == (heads[1] - heads[0]).tolist()
    left, right = view.arithmetic(0, 2).split(" = ")
    first, second = (float(x.replace("−", "-")) for x in left.split(" − "))
    assert first - second == pytest.approx(float(right.replace("−", "-")), abs=2e-4)


def test_heads_that_are_off_are_struck_out_and_missing():
    now = edits.with_choice(TWO, off={1})
    shown = figures(now)
    assert shown.output_rows().panels[0].masked == [[False] * 4] * 2 + [[True] * 4] * 2
    whole, kept, lost = (torch.tensor(p.values) for p in shown.ablation(("a", "b", "c")).panels)
    torch.testing.assert_close(whole - kept, lost)
    assert kept[:, 2:].abs().max() == 0  # the start's W_O is the identity


def test_the_wrong_split_is_off_by_what_it_says():
    right, wrong, difference = (torch.tensor(p.values) for p in figures(TWO).wrong_split(("", "", "")).panels)
    torch.testing.assert_close(right, trace_of(TWO).output.float())
    torch.testing.assert_close(right - wrong, difference)
    assert difference.abs().max() > 0.1


def test_origins_are_named_and_ringed_where_they_are_wrong():
    axes = ("row", "column")
    _, right = origin_table(("a", "b", "long token"), 2, 2, transpose=True, axes=axes)
    assert not any(right["s"]) and right["t"][:4] == ["a 1.1", "a 1.2", "b 1.1", "b 1.2"]
    _, wrong = origin_table(("a", "b", "long token"), 2, 2, transpose=False, axes=axes)
    assert wrong["t"][:6] == ["a 1.1", "a 1.2", "a 2.1", "a 2.2", "b 1.1", "b 1.2"]
    assert wrong["s"][:6] == [0, 0, 1, 1, 1, 1]
    assert wrong["t"][-1] == "lo… 2.2"


def test_tensors_of_one_head_have_no_w_o():
    assert "w_o" not in tensors_of(Settings()) and "w_o" in tensors_of(TWO)
