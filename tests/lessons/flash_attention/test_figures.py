"""What the lesson's figures and sentences say, against the core, the counts and by hand."""

import math
import re
from functools import partial

import pytest
import torch

from attention import causal_mask, flash_attention
from attention.lab.flash import traffic
from pages.lessons.flash_attention import moves, row, run, tiles
from pages.model.compute import trace_of
from tests.support import screen
from tests.support.screen import matrix, said
from tests.support.states import start_of, with_own

START = start_of("flash_attention")
opened = partial(screen.opened, "flash_attention")


def evaluated(text: str) -> float:
    """What a formula on the screen gives."""
    plain = text.replace("−∞", "(-inf)").replace("−", "-").replace("·", "*")
    return eval(plain, {"exp": math.exp, "max": max, "inf": math.inf})


def check_arithmetic(numbers: dict, within: float) -> None:
    """The formulas of a matrix, and what they are said to give, are its cells."""
    for values, texts in zip(numbers["values"], numbers["recipe"]["texts"], strict=True):
        for value, text in zip(values, texts, strict=True):
            if re.search(r"[·/+]|exp|max", text):
                *_, formula, result = text.split(" = ")
                assert [evaluated(formula), evaluated(result)] == pytest.approx(
                    [float(value)] * 2, abs=within
                )


# ---- one row


def test_the_row_follows_the_scores_and_its_arithmetic_is_right():
    app = opened("row", with_own(START, logits=(1.0, 3.0, -2.0)))
    assert matrix(app, "running_maximum")["values"] == [[1.0, 3.0, 3.0]]
    assert matrix(app, "rescale_factor")["values"][0] == pytest.approx([0.0, math.exp(-2), 1.0])
    assert matrix(app, "running_sum")["values"][0][1] == pytest.approx(math.exp(-2) + 1)
    for name in row.LINES:
        check_arithmetic(matrix(app, name), 2e-3)
    assert "after the first score: 1" in said(app)


def test_where_the_largest_score_comes_first_nothing_is_corrected():
    assert "every factor is 1" in said(opened("row"))  # 2, 1, 0.1
    assert row.rises(row.one_pass((0.1, 1.0, 2.0))) == 2


def test_the_row_s_question_knows_the_softmax_of_its_scores():
    one_pass = row.one_pass(row.QUESTION_SCORES)
    assert one_pass.rescale_factor[1].item() == pytest.approx(math.exp(1 - 3))
    assert one_pass.running_sum[1].item() == pytest.approx(math.exp(1 - 3) + 1)


# ---- tiles


def test_only_the_present_tile_has_numbers():
    """Causal, outer loop over the keys: tiles (1,1), (2,1), (1,2) skipped, (2,2)."""
    values = matrix(opened("tiles", tile=2), "score_map")["values"]
    assert [row[:2] for row in values[:2]] == [["✓", "✓"]] * 2
    assert [row[2:] for row in values] == [["", ""]] * 4
    assert all(cell not in ("✓", "–", "") for row in values[2:] for cell in row[:2])
    third = matrix(opened("tiles", tile=3), "score_map")
    assert third["values"][0][2:] == ["–", "–"] and [0, 2] in third["masked"]
    assert third["ringed"] == [[0, 2], [0, 3], [1, 2], [1, 3]]


@pytest.mark.parametrize("outer", tiles.OUTER)
@pytest.mark.parametrize("blocks", [(1, 1), (2, 3), (4, 4)])
def test_after_the_last_tile_the_output_is_plain_attention_s(outer, blocks):
    now = with_own(START, block_q=blocks[0], block_k=blocks[1], outer=outer)
    app = opened("tiles", now, tile=144)
    values = torch.tensor(matrix(app, "partial_output")["values"], dtype=torch.float64)
    torch.testing.assert_close(values, trace_of(now.core).head(0).output)
    held = blocks[0] * blocks[1]
    scores = "1 score was" if held == 1 else f"{held} scores were"
    assert f"At most {scores} held at the same time; plain attention holds 16" in said(app)


@pytest.mark.parametrize("tile", range(1, 5))
def test_the_arithmetic_of_what_is_held_gives_the_number_it_stands_for(tile):
    app = opened("tiles", tile=tile)
    for name in ("running_maximum", "rescale_factor", "running_sum", "partial_output"):
        check_arithmetic(matrix(app, name), 6e-3)


def test_a_click_on_a_score_goes_to_its_tile(monkeypatch):
    seen = []
    monkeypatch.setattr(tiles.session, "set_view", lambda **fields: seen.append(fields))
    monkeypatch.setattr(tiles.run, "of", lambda page: run._ways(START, 0, 2, 2, "keys"))
    tiles._pick(None, {"matrix": "score_map", "row": 3, "col": 0})
    tiles._pick(None, {"matrix": "running_sum", "row": 3, "col": 0})
    assert seen == [{"tile": 2, "playing": False}]


def test_the_question_on_skipped_tiles_counts_them():
    mask, x = causal_mask(tiles.SKIP_TOKENS), torch.eye(tiles.SKIP_TOKENS)
    trace = flash_attention(x, x, x, block_q=tiles.SKIP_BLOCK, block_k=tiles.SKIP_BLOCK, mask=mask)
    assert (sum(tile.skipped for tile in trace.tiles), len(trace.tiles)) == (3, 9)


# ---- what moves


def test_the_counts_are_those_of_the_lab():
    now = with_own(START, flash_n=1000, flash_d=32, flash_memory=8192)
    view = matrix(opened("moves", now), "counts")["values"]
    rows, columns = traffic.blocks_for(8192, 32)
    plain, keys = traffic.plain(1000, 32), traffic.tiled(1000, 32, block_q=rows, block_k=columns)
    assert view[0] == [f"{n:,}" for n in (2 * 1000**2 * 32, plain.read, plain.written, plain.total, 1000**2)]
    assert view[1][1:4] == [f"{n:,}" for n in (keys.read, keys.written, keys.total)]


@pytest.mark.parametrize(("n", "d", "memory"), [(1000, 32, 8192), (16, 1, 4_194_304), (131_072, 256, 256)])
def test_every_count_s_arithmetic_gives_the_count(n, d, memory):
    counts = moves.counts(n, d, memory)
    for way, texts in zip(moves.WAYS, moves.arithmetic(n, d, memory, counts), strict=True):
        for name, text in zip(moves.HeadCounts._fields, texts, strict=True):
            formula, result = text.split(" = ")
            assert evaluated(formula) == int(result.replace(",", "")) == getattr(counts[way], name)


def test_tiles_never_multiply_less_and_move_less_where_the_fast_memory_is_large():
    counts = moves.counts(4096, 64, 49_152)
    assert counts["keys"].multiplications > counts["plain"].multiplications
    assert counts["queries"].moved < counts["keys"].moved < counts["plain"].moved
    assert moves.counts(4096, 256, 256)["keys"].moved > moves.counts(4096, 256, 256)["plain"].moved


@pytest.mark.parametrize("d", [16, 64, 128])
def test_tiles_move_less_from_the_fast_memory_on_that_the_sentence_names(d):
    """About 3d² numbers for the loop over keys and 2d² for that over queries, with a long sequence."""
    for way, factor in (("keys", 3), ("queries", 2)):
        below, above = (moves.counts(131_072, d, int(share * factor * d * d)) for share in (0.8, 1.2))
        assert above[way].moved < above["plain"].moved and below[way].moved > below["plain"].moved


@pytest.mark.parametrize("memory", [256, 49_152, 4_194_304])
@pytest.mark.parametrize("n", [16, 131_072])
def test_no_rounding_makes_the_reading_look_false(n, memory):
    for d in range(1, 257, 15):
        counts = moves.counts(n, d, memory)
        for way in ("keys", "queries"):
            ratio = counts[way].moved / counts["plain"].moved
            assert (moves._share(ratio) == "1") == (counts[way].moved == counts["plain"].moved)
            more = moves.extra_share(counts, way)
            assert float(more.removesuffix("%").replace(",", "")) > 0
            assert "e" not in more + moves._share(ratio)  # no exponent as a program writes it


@pytest.mark.parametrize("n", [16, 685, 131_072])
def test_no_block_has_more_rows_or_columns_than_the_sequence_has_tokens(n):
    text = said(opened("moves", with_own(START, flash_n=n)))
    (sizes,) = re.findall(r"blocks of ([\d,]+) quer\w+ and ([\d,]+) keys?", text)
    assert max(int(size.replace(",", "")) for size in sizes) <= n


def test_the_tiles_of_the_course_multiply_about_half_as_often_as_algorithm_1_itself():
    """Line 12 of algorithm 1, for each row and block: ℓ · exp, times O; exp times P·V; two for the new ℓ."""
    n, d, columns = 1024, 64, 192
    here = traffic.extra_multiplications(n, d, block_k=columns)
    assert here == n * 6 * (d + 1) and n * 6 * (1 + d + d + 2) / here == pytest.approx(2, rel=0.01)


def test_the_ratios_level_out():
    """The chart's claim: for long sequences the ratio depends on n no longer."""
    for memory in (4096, 49_152, 200_000):
        a, b = (moves.counts(n, 64, memory) for n in (65_536, 131_072))
        for way in moves.WAYS:
            first, second = (result[way].moved / result["plain"].moved for result in (a, b))
            assert first == pytest.approx(second, rel=0.02)


def test_the_theorem_is_quoted_only_where_it_holds():
    assert "Θ(n²d²/M)" in said(opened("moves"))
    small = with_own(START, flash_n=16, flash_d=1)
    assert "says nothing" in said(opened("moves", small))
