"""The matrices of a head in training, the core's attention with them, and its loss on a task.

Matrices are a dict of float64 tensors, X @ W: w_q and w_k (embed_dim, num_heads · head_dim), w_v (embed_dim,
num_heads · value_dim) and, with several heads, w_o (num_heads · value_dim, answers). The output has a column
for each answer.
"""

import functools
import math
from dataclasses import dataclass

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
    if options.num_heads == 1:
        return SelfAttention.from_matrices(**matrices)
    return MultiHeadAttention.from_matrices(**matrices, num_heads=options.num_heads)


def fresh(options: Options) -> Matrices:
    """The matrices at the start: Xavier normal, drawn from the seed (Glorot & Bengio 2010), with two changes.

    W_Q and W_K are three tenths of that, so that a token at first attends to all tokens nearly alike. Where
    the answer is a token's letter or place, W_V and W_O begin with the identity added there: a value says what
    its token is, before anything is learned. Without it, a value may come to say what its token is not, and
    the head to attend to all tokens but the right one: so it went in “same” with three of five seeds.
    """
    heads, d_model, answers = options.num_heads, options.embed_dim, len(options.of.answers)
    shapes = {
        "w_q": (d_model, heads * options.head_dim),
        "w_k": (d_model, heads * options.head_dim),
        "w_v": (d_model, heads * options.value_dim),
    }
    if heads > 1:
        shapes["w_o"] = (heads * options.value_dim, answers)
    generator = torch.Generator().manual_seed(options.seed)
    return {
        name: torch.randn(shape, generator=generator, dtype=torch.float64)
        * math.sqrt(2 / sum(shape))
        * (NARROW if name in ("w_q", "w_k") else 1.0)
        + (copying(options, name, shape) if name in ("w_v", "w_o") else 0.0)
        for name, shape in shapes.items()
    }


def copying(options: Options, name: str, shape: tuple[int, int]) -> Tensor:
    """What W_V or W_O has added at the start: the identity for each head, 0 where no token is an answer."""
    added = torch.zeros(shape, dtype=torch.float64)
    letters, answers = len(options.of.letters), len(options.of.answers)
    if options.of.reports == "letter" or (options.of.reports == "place" and options.positions):
        first = 0 if options.of.reports == "letter" else letters
        rows = slice(first, first + answers)
        for start in range(0, options.num_heads * answers, answers):
            columns = slice(start, start + answers)
            added[(rows, columns) if name == "w_v" else columns] = torch.eye(answers, dtype=torch.float64)
    return added


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
    batch = sequences(options.task, options.seed, True)
    said = trace_of(matrices, batch.tokens, options).output.argmax(dim=-1)
    return (said == batch.answers)[batch.asked].double().mean().item()


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
