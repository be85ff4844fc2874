"""The causal model against plain PyTorch, with a small one whose weights are random; its tokens by hand."""

import itertools
import time

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from attention import AttentionError
from attention.lab.real_heads.causal import MOST_TOKENS, CausalLayer, CausalModel, run, without_each
from attention.lab.real_heads.causal_store import Reader
from attention.lab.real_heads.causal_tokens import LETTERS, BytePairs, pieces

WORDS, WIDTH, HEADS, KV_HEADS, DIM, HIDDEN, LAYERS = 31, 10, 6, 2, 4, 13, 3
IDS = torch.tensor([3, 1, 4, 1, 5, 9, 2])


def small_model(interleaved: bool) -> CausalModel:
    chance = torch.Generator().manual_seed(5)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=chance, dtype=torch.float64) / shape[0] ** 0.5

    layers = tuple(
        CausalLayer(
            gain_1=1 + normal(WIDTH),
            w_q=3 * normal(WIDTH, HEADS * DIM),
            w_k=3 * normal(WIDTH, KV_HEADS * DIM),
            w_v=normal(WIDTH, KV_HEADS * DIM),
            w_o=normal(HEADS * DIM, WIDTH),
            gain_2=1 + normal(WIDTH),
            w_gate=normal(WIDTH, HIDDEN),
            w_up=normal(WIDTH, HIDDEN),
            w_down=normal(HIDDEN, WIDTH),
        )
        for _ in range(LAYERS)
    )
    return CausalModel(
        5 * normal(WORDS, WIDTH), layers, 1 + normal(WIDTH), HEADS, KV_HEADS, 50.0, interleaved, 1e-5
    )


def plain_logits(model: CausalModel, ids: Tensor, off: tuple[int, int] | None = None) -> Tensor:
    """As one would write it with PyTorch alone."""

    def norm(x: Tensor, gain: Tensor) -> Tensor:
        return x / (x.square().mean(-1, keepdim=True) + model.eps).sqrt() * gain

    def turned(x: Tensor) -> Tensor:  # (heads, n, DIM); pairs as complex numbers
        pairs = x.unflatten(-1, (-1, 2)) if model.interleaved else x.unflatten(-1, (2, -1)).transpose(-1, -2)
        powers = torch.arange(0, DIM, 2, dtype=torch.float64) / DIM
        angles = torch.arange(x.shape[1], dtype=torch.float64)[:, None] / model.base**powers
        both = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * torch.exp(1j * angles))
        return both.flatten(-2) if model.interleaved else both.transpose(-1, -2).flatten(-2)

    x = model.embedding[ids]
    for number, layer in enumerate(model.layers):
        y = norm(x, layer.gain_1)
        q = turned((y @ layer.w_q).view(len(ids), HEADS, DIM).transpose(0, 1))
        k = turned((y @ layer.w_k).view(len(ids), KV_HEADS, DIM).transpose(0, 1))
        v = (y @ layer.w_v).view(len(ids), KV_HEADS, DIM).transpose(0, 1)
        k, v = (part.repeat_interleave(HEADS // KV_HEADS, 0) for part in (k, v))
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        if off is not None and off[0] == number:
            heads[off[1]] = 0
        x = x + heads.transpose(0, 1).flatten(-2) @ layer.w_o
        y = norm(x, layer.gain_2)
        x = x + (F.silu(y @ layer.w_gate) * (y @ layer.w_up)) @ layer.w_down
    return norm(x[-1], model.gain) @ model.embedding.T


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("off", [None, (0, 0), (1, 5), (2, 3)])
def test_the_model_computes_what_plain_pytorch_computes(interleaved, off):
    model = small_model(interleaved)
    trace = run(model, IDS, off)
    torch.testing.assert_close(trace.logits, plain_logits(model, IDS, off))
    assert [layer.heads.weights.shape for layer in trace.heads] == [(HEADS, len(IDS), len(IDS))] * LAYERS


def test_all_heads_without_each_at_once_are_the_same_as_one_by_one():
    model = small_model(True)
    together = torch.stack([*without_each(model, IDS)])
    for off in itertools.product(range(LAYERS), range(HEADS)):
        torch.testing.assert_close(together[off], run(model, IDS, off).logits.softmax(-1))


@pytest.mark.parametrize("count", [0, MOST_TOKENS + 1])
def test_a_text_without_tokens_or_with_too_many_is_refused(count):
    model = small_model(True)
    with pytest.raises(AttentionError):
        run(model, torch.zeros(count, dtype=torch.long))


def test_a_reading_has_what_the_model_computes():
    letters = BytePairs([LETTERS[byte] for byte in range(WORDS)], {})
    reader = Reader(small_model(True), letters)
    text = "".join(map(chr, IDS.tolist()))
    reading = reader.read(text)
    trace = run(reader.model, reader.ids(text))
    assert reader.ids(text).tolist() == IDS.tolist() and reading.layers == tuple(range(LAYERS))
    assert {len(part) for layer in range(LAYERS) for part in (reading.key[layer], reading.value[layer])} == {
        2
    }
    for layer, head in itertools.product(range(LAYERS), range(HEADS)):
        output = trace.heads[layer].heads.output[head]
        torch.testing.assert_close(reading.trace(layer, head).output, output)
        weights = trace.heads[layer].heads.weights[head]
        torch.testing.assert_close(reading.weights[layer, head], weights)
        torch.testing.assert_close(reading.trace(layer, head).weights, weights)
    probabilities = trace.logits.softmax(-1)
    assert reading.probabilities.tolist() == sorted(probabilities.tolist(), reverse=True)[:10]
    each = [*reader.without_each(reading)]
    rest, first = reader.without(reading, (1, 2))
    torch.testing.assert_close(rest, each[1][0][2])
    assert first == each[1][1][2]


# ---- tokens


def test_a_text_is_cut_at_spaces_signs_and_digits():
    assert [*pieces("It's 25 °C_, don't: ½ x²  \n y")] == [
        *("It", "'s", " ", "2", "5", " °", "C", "_,", " don", "'t", ":", " ", "½", " x", "²", "  \n", " y")
    ]
    assert [*pieces("我 é́ ")] == ["我", " é", "\u0301", " "]


def merged(*merges: str) -> BytePairs:
    pairs = {tuple(merge.split()): rank for rank, merge in enumerate(merges)}
    return BytePairs([*LETTERS.values(), *(a + b for a, b in pairs)], pairs)


def test_the_earliest_merge_comes_first_and_from_left_to_right():
    pairs = merged("b c", "a b", "a bc", "a a", "aa a")
    tokens = {
        "abc": ["abc"],
        "ab": ["ab"],
        "aaa": ["aaa"],
        "aaaa": ["aa", "aa"],
        "aab": ["a", "ab"],
        "cab": ["c", "ab"],
    }
    assert {text: [pairs.tokens[number] for number in pairs.encode(text)] for text in tokens} == tokens


@pytest.mark.parametrize("text", ["ab 12 cd", "我喜欢猫", "é🙂\n", "\ud800"])
def test_every_text_can_be_written_and_read_again(text):
    pairs = merged("a b")
    assert pairs.decode(pairs.encode(text)) == text.encode(errors="replace").decode()


def test_a_long_word_is_read_in_nearly_linear_time():
    pairs = merged("a a", "aa aa", "aaaa aaaa")

    begun = time.process_time()
    assert len(pairs.encode("a" * 64_000)) == 8_000
    assert time.process_time() - begun < 20  # 0.2 s, and minutes in quadratic time
