"""What moves between slow and fast memory, against loops that do what the algorithms say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention.lab.flash import traffic

lengths, widths, blocks = st.integers(1, 40), st.integers(1, 9), st.integers(1, 45)


def parts(length, size):
    return [min(size, length - first) for first in range(0, length, size)]


@given(lengths, lengths, widths, blocks, blocks)
def test_algorithm_1_move_by_move(n, m, d, block_q, block_k):
    read = written = 0
    for columns in parts(m, block_k):
        read += 2 * columns * d  # K_j, V_j
        for rows in parts(n, block_q):
            read += rows * d + rows * d + 2 * rows  # Q_i, O_i, l_i, m_i
            written += rows * d + 2 * rows  # O_i, l_i, m_i
    counts = traffic.tiled(n, d, block_q=block_q, block_k=block_k, kv_len=m)
    assert (counts.read, counts.written) == (read, written)


@given(lengths, lengths, widths, blocks, blocks)
def test_the_other_order_move_by_move(n, m, d, block_q, block_k):
    read = written = 0
    for rows in parts(n, block_q):
        read += rows * d  # Q_i
        for columns in parts(m, block_k):
            read += 2 * columns * d
        written += rows * d + rows  # O_i, logsumexp
    counts = traffic.tiled(n, d, block_q=block_q, block_k=block_k, kv_len=m, outer="queries")
    assert (counts.read, counts.written) == (read, written)


def test_plain_attention_by_hand():
    counts = traffic.plain(5, 2, 3)
    assert counts.read == (10 + 6) + 15 + (15 + 6)  # Q, K; S; P, V
    assert counts.written == 15 + 15 + 10  # S, P, O
    assert counts.total == counts.read + counts.written
    assert traffic.plain(5, 2) == traffic.plain(5, 2, 5)


@pytest.mark.parametrize("d", [32, 64, 128])
def test_theorem_2_within_constants(d):
    """Halving the fast memory about doubles what algorithm 1 moves; the theorem's growth, within a factor."""
    n, ratios = 4096, []
    for memory in (8 * d * d, 16 * d * d, 32 * d * d):
        block_q, block_k = traffic.blocks_for(memory, d)
        moved = traffic.tiled(n, d, block_q=block_q, block_k=block_k).total
        ratios.append(moved / traffic.theorem_2(n, d, memory)[1])
    assert max(ratios) / min(ratios) < 1.2
    assert traffic.plain(n, d).total / traffic.theorem_2(n, d, 1)[0] == pytest.approx(4)


def test_tiles_move_far_less_with_a_gpu_s_fast_memory():
    """100 KB in float16 and d = 64, the example below the paper's theorem."""
    block_q, block_k = traffic.blocks_for(50_000, 64)
    assert (block_q, block_k) == (64, 196)
    plain, tiled = traffic.plain(4096, 64), traffic.tiled(4096, 64, block_q=block_q, block_k=block_k)
    assert plain.total > 3 * tiled.total


def test_small_tiles_move_more():
    assert traffic.tiled(64, 16, block_q=2, block_k=2).total > traffic.plain(64, 16).total


def test_what_is_alive_by_hand():
    assert traffic.alive(6, 2, block_q=2, block_k=3) == (36, 6 + 8 + 12 + 4)
    assert traffic.alive(6, 2, block_q=100, block_k=100)[1] == 36 + 24 + 24 + 12
    assert traffic.alive(6, 2, block_q=2, block_k=3, kv_len=2) == (12, 4 + 8 + 8 + 4)


@given(lengths, lengths, widths, blocks)
def test_what_online_softmax_adds(n, m, d, block_k):
    counts = traffic.extra_multiplications(n, d, block_k=block_k, kv_len=m)
    assert counts == sum(d + 1 for _ in range(n) for _ in parts(m, block_k))
