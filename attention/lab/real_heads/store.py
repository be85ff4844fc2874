"""Sentences as the model read them: loaded from files that tests/tools/capture.py wrote."""

import functools
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from attention import checks
from attention.lab.real_heads.texts import TEXTS

DATA = Path(__file__).with_name("data")
LAYERS, HEADS, HEAD_DIM = 6, 12, 32
ORDINARY = "ordinary"  # the file of the sentences over which heads are measured
EXPLAINED = "explained"  # the file of what each token of a sentence counts for
SWITCHED_OFF = "switched_off"  # the file of what each head counts for


@dataclass(frozen=True, eq=False)
class HeadPattern:
    """A sentence, and what every head of every layer attends to in it, as the model itself computed it."""

    text: str
    tokens: tuple[str, ...]  # n word pieces, [CLS] the first and [SEP] the last
    model_weights: Tensor  # (layers, heads, n, n)


@dataclass(frozen=True, eq=False)
class ModelSentence(HeadPattern):
    """A sentence with every head's queries, keys and values."""

    query: Tensor  # (layers, heads, n, head_dim)
    key: Tensor  # (layers, heads, n, head_dim)
    value: Tensor  # (layers, heads, n, head_dim)


@dataclass(frozen=True, eq=False)
class Explained:
    """How much each token of a sentence counts for its similarity to another sentence, in three ways.

    The similarity is the cosine of the two embeddings, which are the means of the last layer's vectors.
    """

    text: str
    tokens: tuple[str, ...]  # n word pieces
    other: str  # the text it is compared with
    similarity: float
    gradient_times_input: Tensor  # (n,), of each row of X that the first layer reads
    leave_one_out: Tensor  # (n,), the similarity minus that of the sentence without the token


def sentences() -> dict[str, str]:
    """The text of each sentence that can be loaded, by its name."""
    return dict(TEXTS)


@functools.lru_cache(maxsize=8)
def load(name: str) -> ModelSentence:
    """The sentence of that name in float64. Raises AttentionError for an unknown name."""
    checks.check_choice("name", name, tuple(TEXTS))
    return sentence_of(_read(name))


@functools.lru_cache(maxsize=1)
def ordinary() -> tuple[HeadPattern, ...]:
    """Ordinary sentences, without queries, keys and values."""
    return tuple(
        HeadPattern(entry["text"], tuple(entry["tokens"]), entry["model_weights"].double())
        for entry in _read(ORDINARY)
    )


@functools.lru_cache(maxsize=1)
def explained() -> dict[str, Explained]:
    """What each token counts for, of each sentence for which that was computed, by its name."""
    return {name: Explained(**entry) for name, entry in _read(EXPLAINED).items()}


@functools.lru_cache(maxsize=1)
def switched_off() -> dict[str, Tensor]:
    """How far the embedding of each sentence turns without each head, (layers, heads), by its name: 1 − the
    cosine similarity of the embeddings with and without the head."""
    return {name: turned.double() for name, turned in _read(SWITCHED_OFF).items()}


def sentence_of(kept: dict) -> ModelSentence:
    """A sentence in float64 from what is kept of it."""
    tensors = {name: kept[name].double() for name in ("model_weights", "query", "key", "value")}
    return ModelSentence(kept["text"], tuple(kept["tokens"]), **tensors)


def _read(name: str):
    return torch.load(DATA / f"{name}.pt", weights_only=True)
