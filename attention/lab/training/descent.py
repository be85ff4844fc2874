"""Steps by hand, other matrices that compute the same, and two runs side by side."""

from dataclasses import dataclass

import torch
from torch import Tensor

from attention.checks import check_size, integer, positive
from attention.lab.training.model import Matrices, evaluate, sequences, trace_of
from attention.lab.training.options import Options
from attention.lab.training.run import Run


def descend(matrices: Matrices, options: Options, rate: float) -> Matrices:
    """One step of plain gradient descent, W − rate · ∂loss/∂W for every matrix.

    Raises AttentionError for a rate that is not above 0, and where the matrices do not fit the options.
    """
    rate = positive("rate", rate)
    gradients = evaluate(matrices, options).gradients
    return {name: matrix - rate * gradients[name] for name, matrix in matrices.items()}


def well_conditioned(size: int, seed: int) -> Tensor:
    """A seeded M (size, size) with singular values from 1/2 to 2: U · diag · Vᵀ of two random rotations."""
    generator = torch.Generator().manual_seed(integer("seed", seed, 0))
    normal = torch.randn(2, integer("size", size, 1), size, generator=generator, dtype=torch.float64)
    (u, v), _ = torch.linalg.qr(normal)
    stretch = 2 ** torch.linspace(-1, 1, size, dtype=torch.float64)
    return u @ torch.diag(stretch) @ v.mT


def equivalent(matrices: Matrices, m: Tensor, head: int, options: Options) -> Matrices:
    """W_Q · M and W_K · M⁻ᵀ in the columns of one head, M (head_dim, head_dim): W_Q · W_Kᵀ stays as it is.

    (W_Q M)(W_K M⁻ᵀ)ᵀ = W_Q M M⁻¹ W_Kᵀ. Raises AttentionError for an M of another size and for a head that is
    not there.
    """
    size, head = options.head_dim, integer("head", head, 0, options.num_heads - 1)
    for dimension in range(2):
        check_size("m", tuple(m.shape), dimension, size, "head_dim", "M is (head_dim, head_dim).")
    columns = slice(head * size, (head + 1) * size)
    changed = {name: matrix.clone() for name, matrix in matrices.items()}
    changed["w_q"][:, columns] = matrices["w_q"][:, columns] @ m
    changed["w_k"][:, columns] = matrices["w_k"][:, columns] @ torch.linalg.inv(m).mT
    return changed


@dataclass(frozen=True)
class Agreement:
    """How near two matrices of numbers are: cosines of their entries, and the largest difference of A."""

    w_q: float  # cosine, −1 … 1
    w_k: float
    w_v: float
    product: float  # cosine of W_Q · W_Kᵀ
    weights: float  # mean over asked tokens of the total variation of their rows of A: 0 the same, 1 apart


def agreement(a: Run, b: Run) -> Agreement:
    """The ends of two runs of the same task, with as many heads, on the test sequences of the first."""
    first, second = a.last.matrices, b.last.matrices
    batch = sequences(a.options.task, a.options.seed, True)
    rows = [trace_of(run.last.matrices, batch.tokens, run.options).heads.weights for run in (a, b)]
    apart = (rows[0] - rows[1]).abs().sum(dim=-1) / 2  # (count, heads, n)
    return Agreement(
        *(cosine(first[name], second[name]) for name in ("w_q", "w_k", "w_v")),
        cosine(first["w_q"] @ first["w_k"].mT, second["w_q"] @ second["w_k"].mT),
        apart.mT[batch.asked].mean().item(),
    )


def cosine(a: Tensor, b: Tensor) -> float:
    return torch.cosine_similarity(a.flatten(), b.flatten(), dim=0).item()
