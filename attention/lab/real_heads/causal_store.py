"""A text as the causal model read it: shipped in a file (tests/tools/capture_next_word.py), or read here."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attention import AttentionTrace, causal_mask, scaled_dot_product_attention
from attention.lab.real_heads.causal import CausalModel, Head, run, without_each
from attention.lab.real_heads.causal_tokens import BytePairs
from attention.lab.real_heads.store import DATA
from attention.multi_head import split

FILE = DATA / "next_word.pt"
SHIPPED = "Paris is in France. Rome is in"
TOP = 10  # the most probable next tokens that are kept
PARTS = ("query", "key", "value")
INVISIBLE = str.maketrans({" ": "␣", "\n": "↵", "\r": "↵", "\t": "⇥"})


@dataclass(frozen=True, eq=False)
class WithoutHeads:
    """The next word without one of the heads at a time."""

    probabilities: Tensor  # (layers, heads, TOP), of the tokens that are the most probable with all heads
    first: tuple[tuple[str, ...], ...]  # by layer and head, the most probable token without the head


@dataclass(frozen=True, eq=False)
class ModelReading:
    """A text, what every head attends to in it, and which tokens are the most probable after it."""

    text: str
    tokens: tuple[str, ...]  # n
    weights: Tensor  # (layers, heads, n, n)
    words: tuple[str, ...]  # TOP next tokens, the most probable first
    numbers: tuple[int, ...]  # of these tokens
    probabilities: Tensor  # (TOP,)
    # Of the layers that are kept:
    query: dict[int, Tensor]  # (heads, n, head_dim), rotated
    key: dict[int, Tensor]  # (kv_heads, n, head_dim), rotated
    value: dict[int, Tensor]  # (kv_heads, n, head_dim)

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers whose queries, keys and values are kept."""
        return tuple(self.query)

    def group(self, layer: int, head: int) -> int:
        """The key/value head of a head."""
        return head * len(self.key[layer]) // len(self.query[layer])

    def trace(self, layer: int, head: int) -> AttentionTrace:
        """The core's attention on the queries of a head, and on the keys and values of its group."""
        group = self.group(layer, head)
        query, key, value = self.query[layer][head], self.key[layer][group], self.value[layer][group]
        return scaled_dot_product_attention(query, key, value, mask=causal_mask(len(self.tokens)))


@functools.lru_cache(maxsize=1)
def shipped() -> ModelReading:
    """The shipped text, rounded to half precision."""
    kept = torch.load(FILE, weights_only=True)
    parts: dict[str, Any] = {name: tuple(kept[name]) for name in ("tokens", "words", "numbers")}
    parts |= {name: kept[name].double() for name in ("weights", "probabilities")}
    parts |= {name: {layer: part.double() for layer, part in kept[name].items()} for name in PARTS}
    return ModelReading(text=kept["text"], **parts)


@functools.lru_cache(maxsize=1)
def shipped_without() -> WithoutHeads:
    """The next word after the shipped text, without each of the heads."""
    kept = torch.load(FILE, weights_only=True)["without"]
    return WithoutHeads(kept["probabilities"].double(), tuple(map(tuple, kept["first"])))


def joined(layers: Iterable[tuple[Tensor, tuple[str, ...]]]) -> WithoutHeads:
    """What Reader.without_each has yielded."""
    probabilities, first = zip(*layers, strict=True)
    return WithoutHeads(torch.stack(probabilities), first)


@dataclass(frozen=True, eq=False)
class Reader:
    """The model with its tokens."""

    model: CausalModel
    pairs: BytePairs

    def ids(self, text: str) -> Tensor:
        """The numbers (n,) of the text's tokens."""
        return torch.tensor(self.pairs.encode(text), dtype=torch.long)

    def name(self, number: int) -> str:
        """A token to read, without the space that begins a word."""
        text = self.pairs.decode([number])
        return text.strip() or text.translate(INVISIBLE) or self.pairs.tokens[number]

    def read(self, text: str) -> ModelReading:
        """What the model computes for the text. Raises AttentionError as `run` does."""
        ids = self.ids(text)
        trace = run(self.model, ids)
        top = trace.logits.softmax(-1).topk(TOP)
        groups = self.model.kv_heads, self.model.head_dim
        keys = [self.model.rotate(split(layer.key, *groups)) for layer in trace.heads]
        return ModelReading(
            text=text,
            tokens=tuple(map(self.name, ids.tolist())),
            weights=torch.stack([layer.heads.weights for layer in trace.heads]).double(),
            words=tuple(map(self.name, top.indices.tolist())),
            numbers=tuple(top.indices.tolist()),
            probabilities=top.values.double(),
            query={number: layer.heads.query.double() for number, layer in enumerate(trace.heads)},
            key={number: key.double() for number, key in enumerate(keys)},
            value={number: split(layer.value, *groups).double() for number, layer in enumerate(trace.heads)},
        )

    def without(self, reading: ModelReading, head: Head) -> tuple[Tensor, str]:
        """Without the head: the probabilities (TOP,) of the reading's words, and the most probable token."""
        rest = run(self.model, self.ids(reading.text), head).logits.softmax(-1)
        return rest[list(reading.numbers)].double(), self.name(int(rest.argmax()))

    def without_each(self, reading: ModelReading) -> Iterator[tuple[Tensor, tuple[str, ...]]]:
        """The same layer by layer, for all heads of a layer: (heads, TOP), and a token for each head."""
        for rest in without_each(self.model, self.ids(reading.text)):
            first = tuple(map(self.name, rest.argmax(-1).tolist()))
            yield rest[:, list(reading.numbers)].double(), first
