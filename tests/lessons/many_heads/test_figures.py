"""The figures of the lesson against the core and the lab."""

import pytest
import torch

from attention.lab.heads.parts import contributions, without_heads
from pages.draw import steps
from pages.lessons.many_heads import ablation, overview, path, scene, view
from pages.model import edits
from pages.model.compute import tensors_of, trace_of
from pages.picture import Matrix
from tests.support.recipe import Picture, faults_in
from tests.support.screen import opened, pictures
from tests.support.states import with_own

from .conftest import CASES, TWO, page_of


def by_id(matrices: list[Matrix]) -> dict[str, Matrix]:
    return {matrix.id: matrix for matrix in matrices}


# ---- split and join


@pytest.mark.parametrize("case", ["two jobs", "shared keys", "biases"])
def test_every_cell_follows_from_x_where_each_head_has_matrices_of_its_own(case):
    """The sweeps open the other way of writing."""
    app = opened("many_heads", "split", CASES[case], writing="small")
    [picture] = pictures(app)
    blocks = {one["id"] for one in picture["matrices"] if one["id"][:2] in ("w_", "b_")}
    assert "w_q_1" in blocks and [*Picture(picture).unexplained(blocks)] == []
    assert faults_in(picture, "many_heads", "split") == []


def test_both_ways_of_writing_show_the_same_numbers_grouped_differently():
    now = CASES["shared keys"]
    wide, small = (
        by_id(path.draw(page_of(now, "split", writing=writing), steps.of(page_of(now)))[0])
        for writing in ("wide", "small")
    )
    for name, letter in (("query", "q"), ("key", "k"), ("value", "v")):
        count = now.num_heads if letter == "q" else now.kv_heads
        for one in (name, f"w_{letter}"):
            blocks = [small[f"{one}_{head + 1}"].values for head in range(count)]
            joined = [[number for row in rows for number in row] for rows in zip(*blocks, strict=True)]
            assert joined == [list(row) for row in wide[one].values]


# ---- all heads


def test_a_head_is_never_compared_with_itself():
    for (head, other), expected in {(0, 1): 1, (1, 1): 0, (0, 7): 1, (1, 0): 0}.items():
        assert overview.other_head(page_of(TWO, head=head, other=other)) == expected


# ---- heads off


@pytest.mark.parametrize("off", [frozenset(), frozenset({1})])
def test_the_parts_sum_to_the_output_and_what_is_lost_is_what_is_off(several, off):
    now = several
    page, trace, w_o = page_of(with_own(now, off=off), "ablation"), trace_of(now), tensors_of(now)["w_o"]
    computation = steps.of(page)
    parts, outputs, joined = (
        ablation._parts(page, computation),
        ablation._outputs(page, computation),
        ablation._join(page, computation),
    )
    assert [part.values for part in parts[:-1]] == contributions(trace, w_o).tolist()
    bias = torch.tensor(now.b_o or [0.0] * now.d_model, dtype=torch.float64)
    total = sum(torch.tensor(part.values) for part in parts[:-1]) + bias
    torch.testing.assert_close(total, torch.tensor(parts[-1].values), check_dtype=False)
    assert outputs[0].values == without_heads(trace, w_o, off).tolist()
    grey = {row for row, _ in joined[1].masked or ()}
    assert grey == {row for row in range(len(joined[1].rows)) if row // now.value_dim in off}


def test_different_shares_read_differently():
    assert scene.percents([0.125, 0.5, 1.0]) == ["12.5%", "50.0%", "100.0%"]
    assert scene.percents([0.4001, 0.4002]) == ["40.01%", "40.02%"]
    assert scene.percents([0.4, 0.4]) == ["40.0%", "40.0%"]
    assert scene.percents([0.00001, 0.0]) == ["0.001%", "0.000%"]


# ---- the wrong split


@pytest.mark.parametrize("language", ["en", "zh"])
def test_origins_stay_readable_with_long_and_repeated_names(language):
    names = ("a very long token name", "a very long token name", "token", "x")
    page = page_of(edits.example_start("two_jobs"), "view", language)
    right, wrong = (view._cells_of_heads(page, way, names, 2, 4) for way in ("split", "view"))
    texts = [text for matrix in (*right, *wrong) for row in matrix.values for text in row]
    assert max(map(len, texts)) <= 5 and len(set(texts)) == 4 * 8
    assert all(not matrix.look.ringed for matrix in right)
    assert list(wrong[1].values[0]) == ["3, 1", "3, 2", "3, 3", "3, 4"]
    for matrix, head in zip(wrong, right, strict=True):
        elsewhere = {
            (r, c)
            for r, row in enumerate(matrix.values)
            for c, text in enumerate(row)
            if text != head.values[r][c]
        }
        assert set(matrix.look.ringed) == elsewhere != set()
