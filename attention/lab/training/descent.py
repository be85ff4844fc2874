"""Steps by hand, and other matrices that compute the same."""

import torch
from torch import Tensor

from attention import AttentionError
from attention.checks import check_size, integer, positive
from attention.lab.training.model import Matrices, evaluate
from attention.lab.training.options import Options


def descend(matrices: Matrices, options: Options, rate: float) -> Matrices:
    """One step of plain gradient descent, W − rate · ∂loss/∂W for every matrix.

    Raises AttentionError for a rate that is not above 0, for one at which the step leads to numbers that are
    not finite, and where the matrices do not fit the options.
    """
    rate = positive("rate", rate)
    gradients = evaluate(matrices, options).gradients
    after = {name: matrix - rate * gradients[name] for name, matrix in matrices.items()}
    if not all(matrix.isfinite().all() for matrix in after.values()):
        raise AttentionError("result_not_finite", "rate", value=rate)
    return after


def well_conditioned(size: int, seed: int) -> Tensor:
    """A seeded M (size, size) with singular values from 1/2 to 2: U · diag · Vᵀ of two random rotations."""
    generator = torch.Generator().manual_seed(integer("seed", seed, 0))
    normal = torch.randn(2, integer("size", size, 1), size, generator=generator, dtype=torch.float64)
    (u, v), _ = torch.linalg.qr(normal)
    stretch = 2 ** torch.linspace(-1, 1, size, dtype=torch.float64)
    return u @ torch.diag(stretch) @ v.mT


def equivalent(matrices: Matrices, m: Tensor, head: int, options: Options) -> Matrices:
    """W_Q · M and W_K · M⁻ᵀ in the columns of one head, M (head_dim, head_dim): W_Q · W_Kᵀ stays as it is.

    (W_Q M)(W_K M⁻ᵀ)ᵀ = W_Q M M⁻¹ W_Kᵀ. M must have an inverse. Raises AttentionError for an M of another size
    and for a head that is not there.
    """
    size, head = options.head_dim, integer("head", head, 0, options.num_heads - 1)
    for dimension in range(2):
        check_size("m", tuple(m.shape), dimension, size, "head_dim")
    columns = slice(head * size, (head + 1) * size)
    changed = {name: matrix.clone() for name, matrix in matrices.items()}
    changed["w_q"][:, columns] = matrices["w_q"][:, columns] @ m
    changed["w_k"][:, columns] = matrices["w_k"][:, columns] @ torch.linalg.inv(m).mT
    return changed
