"""The figures of the lesson against the core and the lab."""

import pytest
import torch

from attention.lab.heads.parts import contributions, without_heads
from pages.draw import steps
from pages.draw.picture import Matrix
from pages.lessons.many_heads import ablation, overview, path, scene, view
from pages.model import edits
from pages.model.compute import tensors_of, trace_of
from tests.support.states import with_own

from .conftest import CASES, TWO, page_of


def by_id(matrices: list[Matrix]) -> dict[str, Matrix]:
    return {matrix.id: matrix for matrix in matrices}


def sources(matrices: list[Matrix], start: str) -> set[str]:
    """All matrices that one was made from, and those they were made from, and so on."""
    values, results, waiting = by_id(matrices), set(), [start]
    while waiting:
        how = values[waiting.pop()].recipe or {}
        direct = {how.get(key) for key in ("left", "right", "bias")} | {
            b["of"] for b in how.get("blocks", ())
        }
        of = how.get("of", ())
        direct |= {of} if isinstance(of, str) else set(of)
        new = {name for name in direct if name in values} - results
        results |= new
        waiting += new
    return results


# ---- split and join


@pytest.mark.parametrize("writing", ["wide", "small"])
@pytest.mark.parametrize("case", ["two jobs", "shared keys", "biases"])
def test_the_way_back_from_the_output_leads_through_k_and_v(case, writing):
    page = page_of(CASES[case], "split", writing=writing)
    matrices, _ = path.draw(page, steps.of(page))
    result = sources(matrices, "output")
    letters = {name[:3] for name in result}
    assert {"w_q", "w_k", "w_v", "w_o", "x", "que", "key", "val", "sco", "wei"} <= letters
    if case == "biases":
        assert {"b_q", "b_k", "b_v", "b_o"} <= letters


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


@pytest.mark.parametrize(("head", "other", "expected"), [(0, 1, 1), (1, 1, 0), (0, 7, 1), (1, 0, 0)])
def test_a_head_is_never_compared_with_itself(head, other, expected):
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


@pytest.mark.parametrize(
    ("shares", "texts"),
    [
        ([0.125, 0.5], ["12.5%", "50.0%"]),
        ([0.4001, 0.4002], ["40.01%", "40.02%"]),
        ([0.4, 0.4], ["40.0%", "40.0%"]),
        ([0.00001, 0.0], ["0.001%", "0.000%"]),
        ([1.0], ["100.0%"]),
    ],
)
def test_different_shares_read_differently(shares, texts):
    assert scene.percents(shares) == texts


# ---- the wrong split


def test_the_comparison_is_the_difference_of_right_and_wrong():
    page = page_of(TWO, "view")
    heads, output = view.wrong_split(page)
    weights = heads.weights
    outputs = view._outputs(page, steps.of(page), heads.output.reshape(3, -1), output)
    assert outputs[0].values == trace_of(TWO).output.tolist() and outputs[1].values == output.tolist()
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, dtype=torch.float64))
    assert (output - trace_of(TWO).output).abs().max() > 0.1


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
