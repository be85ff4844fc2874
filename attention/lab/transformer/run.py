"""A training of the model: Adam on all six sentences at every step."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attention.lab.training.run import Adam, kept_steps
from attention.lab.transformer.model import (
    ModelMatrices,
    ModelOptions,
    evaluate_model,
    fresh_model,
    loss_of_model,
)

STEPS, LEARNING_RATE = 400, 0.01


@dataclass(frozen=True)
class ModelSnapshot:
    """A run at one of its steps, before the update that follows."""

    step: int
    matrices: ModelMatrices
    loss: float
    right: float  # how often the third word gets the largest probability


def train_model(
    options: ModelOptions, on_step: Callable[[ModelSnapshot], None] | None = None, steps: int = STEPS
) -> tuple[ModelSnapshot, ...]:
    """What is kept of a training, from its start to its last step. The same options give the same run.

    on_step is called with each snapshot that is kept, as soon as there is one. What it raises ends the
    training and is passed on.
    """
    matrices = {name: matrix.requires_grad_() for name, matrix in fresh_model(options).items()}
    optimiser = Adam(matrices, dict.fromkeys(matrices, LEARNING_RATE))
    kept, snapshots = set(kept_steps(steps)), list[ModelSnapshot]()
    for step in range(steps + 1):
        if step in kept:
            copies = {name: matrix.detach().clone() for name, matrix in matrices.items()}
            snapshots.append(ModelSnapshot(step, copies, *evaluate_model(copies, options)))
            if on_step is not None:
                on_step(snapshots[-1])
        if step < steps:
            loss = loss_of_model(matrices, options)
            gradients = torch.autograd.grad(loss, list(matrices.values()), materialize_grads=True)
            optimiser.step(dict(zip(matrices, gradients, strict=True)))
    return tuple(snapshots)
