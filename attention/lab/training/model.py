"""The matrices of a head in training, the core's attention with them, and its loss on a task.

Matrices are a dict of float64 tensors, X @ W: w_q and w_k (embed_dim, num_heads · head_dim), w_v (embed_dim,
num_heads · value_dim) and, with several heads, w_o (num_heads · value_dim, answers). The output has a column
for each answer.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attention import MultiHeadAttention, MultiHeadTrace, SelfAttention, causal_mask
from attention.lab.training.options import Options
from attention.lab.training.tasks import Batch

Matrices = dict[str, Tensor]
TRAINED_ON = 256  # sequences, all of them at every step
TESTED_ON = 256  # sequences, drawn where there are more than
ALL_OF = 1000  # of them; else all
NARROW = 0.3


@dataclass(frozen=True)
class Evaluation:
    """A loss, an accuracy, and the loss's gradients."""

    loss: float  # mean cross-entropy of the asked tokens, on the sequences that the run is trained on
    accuracy: float  # share of right answers, on the test sequences
    gradients: Matrices  # of the loss, shaped as the matrices


def module_of(matrices: Matrices, options: Options) -> SelfAttention | MultiHeadAttention:
    """The core's module with copies of these matrices."""
    arguments: dict[str, Any] = dict(matrices)
    if options.num_heads == 1:
        return SelfAttention.from_matrices(**arguments)
    return MultiHeadAttention.from_matrices(**arguments, num_heads=options.num_heads)


def fresh(options: Options) -> Matrices:
    """The matrices at the start: Xavier normal, drawn from the seed (Glorot & Bengio 2010), with two changes.

    W_Q and W_K are three tenths of that, so that before training a token attends to all tokens nearly alike.
    Where a token can be an answer by itself, W_V begins with that added (see `telling`), and W_O with the
    identity for each head. Without it, a value may come to say what its token is not, and the head to attend
    to all tokens but the right one: so it went in “same” with three of five seeds.
    """
    shapes = shapes_of(options)
    generator = torch.Generator().manual_seed(options.seed)
    drawn = {
        name: torch.randn(shape, generator=generator, dtype=torch.float64) * math.sqrt(2 / sum(shape))
        for name, shape in shapes.items()
    }
    for name in ("w_q", "w_k"):
        drawn[name] = NARROW * drawn[name]
    if options.of.reports != "number":
        drawn["w_v"] = drawn["w_v"] + telling(options).repeat(1, options.num_heads)
        if "w_o" in drawn:
            identity = torch.eye(options.value_dim, dtype=torch.float64)
            drawn["w_o"] = drawn["w_o"] + identity.repeat(options.num_heads, 1)
    return drawn


def shapes_of(options: Options) -> dict[str, tuple[int, int]]:
    """Rows and columns of each matrix."""
    heads, d_model = options.num_heads, options.embed_dim
    shapes = {
        "w_q": (d_model, heads * options.head_dim),
        "w_k": (d_model, heads * options.head_dim),
        "w_v": (d_model, heads * options.value_dim),
    }
    return shapes | ({"w_o": (heads * options.value_dim, len(options.of.answers))} if heads > 1 else {})


def telling(options: Options) -> Tensor:
    """The W_V of one head (embed_dim, answers) whose values say what their token is.

    That is its letter, its place, or “yes” for the two letters that are looked for.
    """
    letters, answers = len(options.of.letters), len(options.of.answers)
    told = torch.zeros(options.embed_dim, answers, dtype=torch.float64)
    if options.of.reports == "letter":
        told[:letters] = torch.eye(answers)
    elif options.of.reports == "place" and options.positions:
        told[letters:] = torch.eye(answers)
    elif options.of.reports == "found":
        told[:2, 1] = 1.0
    return told


def mask_of(options: Options) -> Tensor | None:
    return causal_mask(options.of.length) if options.causal else None


def attend(module: SelfAttention | MultiHeadAttention, tokens: Tensor, options: Options) -> MultiHeadTrace:
    """The module on sequences (..., n)."""
    x = options.of.inputs(tokens, options.positions)
    return module(x, mask=mask_of(options), scale=options.scale)


def trace_of(matrices: Matrices, tokens: Tensor, options: Options) -> MultiHeadTrace:
    """The core's whole trace for one sequence (n,) or several (count, n). Its output is the logits.

    Raises AttentionError where the matrices do not fit the options, as multi_head_attention does.
    """
    with torch.no_grad():
        return attend(module_of(matrices, options), tokens, options)


@functools.lru_cache(maxsize=32)
def sequences(task: str, seed: int, test: bool) -> Batch:
    """What a run with this seed is trained on, or tested on."""
    of = Options(task).of
    if not test:
        return of.batch(TRAINED_ON, seed)
    every = of.all_sequences(test=True)
    return of.labelled(every) if len(every) <= ALL_OF else of.batch(TESTED_ON, seed, test=True)


def loss_of(output: Tensor, batch: Batch) -> Tensor:
    """Mean cross-entropy of the asked tokens; output (count, n, answers)."""
    return F.cross_entropy(output[batch.asked], batch.answers[batch.asked])


def accuracy_of(matrices: Matrices, options: Options) -> float:
    """Share of right answers on the test sequences."""
    return share_right(matrices, options, sequences(options.task, options.seed, True))


@functools.lru_cache(maxsize=64)
def chance(options: Options) -> float:
    """The accuracy, on the run's test sequences, of the best answer that is always the same."""
    batch = sequences(options.task, options.seed, True)
    return batch.answers[batch.asked].bincount().max().item() / batch.asked.sum().item()


def accuracy_of_all(matrices: Matrices, options: Options) -> float:
    """Share of right answers on all sequences of the task: what a limit can be compared with."""
    return share_right(matrices, options, all_of(options.task))


@functools.lru_cache(maxsize=8)
def all_of(task: str) -> Batch:
    """All sequences of a task, for training and for the test."""
    of = Options(task).of
    return of.labelled(torch.tensor(of.every()))


def share_right(matrices: Matrices, options: Options, batch: Batch) -> float:
    answers = trace_of(matrices, batch.tokens, options).output.argmax(dim=-1)
    return (answers == batch.answers)[batch.asked].double().mean().item()


def loss_and_gradients(
    module: SelfAttention | MultiHeadAttention, options: Options
) -> tuple[float, Matrices]:
    """On the sequences that the run is trained on."""
    batch = sequences(options.task, options.seed, False)
    named = dict(module.named_parameters())
    loss = loss_of(attend(module, batch.tokens, options).output, batch)
    gradients = torch.autograd.grad(loss, list(named.values()))
    return loss.item(), dict(zip(named, gradients, strict=True))


def evaluate(matrices: Matrices, options: Options) -> Evaluation:
    """Loss and gradients on the run's training sequences, accuracy on its test sequences.

    Raises AttentionError where the matrices do not fit the options, as multi_head_attention does.
    """
    loss, gradients = loss_and_gradients(module_of(matrices, options), options)
    return Evaluation(loss, accuracy_of(matrices, options), gradients)
