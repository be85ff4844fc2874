"""A training: Adam, with new sequences at every step."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attention.lab.training.run import Adam
from attention.lab.two_layers import measures, model, task
from attention.lab.two_layers.model import Matrices, TwoLayersOptions

BATCH = 128  # new sequences at every step
MOST_KEPT = 50  # steps of a run that are kept, besides its start


@dataclass(frozen=True)
class TwoLayersSnapshot:
    """A run at one of its steps, before the update that follows. All but the loss: on the test sequences."""

    step: int
    matrices: Matrices
    loss: float  # on the new sequences of this step
    accuracy: float
    previous: float  # see previous_token_score, of layer 1
    induction: float  # see induction_score, of the last layer


@dataclass(frozen=True)
class TwoLayersRun:
    """What is kept of a training, from its start to its last step."""

    options: TwoLayersOptions
    snapshots: tuple[TwoLayersSnapshot, ...]

    @property
    def last(self) -> TwoLayersSnapshot:
        return self.snapshots[-1]


def kept_steps(steps: int) -> list[int]:
    """The steps that are kept: evenly spaced, with the first and the last."""
    count = min(MOST_KEPT, steps)
    return [round(index * steps / count) for index in range(count + 1)]


def snapshot_of(step: int, matrices: Matrices, loss: float) -> TwoLayersSnapshot:
    tokens = task.held_out()
    with torch.no_grad():
        trace = model.trace_of(matrices, tokens)
    right = model.asked_logits(trace).argmax(-1) == task.answers_of(tokens)
    previous = measures.previous_token_score(trace.layers[0].heads.weights[:, 0])
    induction = measures.induction_score(trace.layers[-1].heads.weights[:, 0], tokens)
    return TwoLayersSnapshot(step, matrices, loss, right.double().mean().item(), previous, induction)


def train(
    options: TwoLayersOptions, on_step: Callable[[TwoLayersSnapshot], None] | None = None
) -> TwoLayersRun:
    """The model trained on the task. The same options give the same run.

    on_step is called with each snapshot that is kept, as soon as there is one. What it raises ends the
    training and is passed on.
    """
    parameters = {name: matrix.requires_grad_() for name, matrix in model.fresh(options).items()}
    optimiser = Adam(parameters, dict.fromkeys(parameters, options.learning_rate))
    generator = torch.Generator().manual_seed(options.seed + 1)
    kept, snapshots = set(kept_steps(options.steps)), list[TwoLayersSnapshot]()
    for step in range(options.steps + 1):
        loss = model.loss_of(parameters, task.draw(BATCH, generator))
        if step in kept:
            matrices = {name: parameter.detach().clone() for name, parameter in parameters.items()}
            snapshots.append(snapshot_of(step, matrices, loss.item()))
            if on_step is not None:
                on_step(snapshots[-1])
        if step < options.steps:
            gradients = torch.autograd.grad(loss, list(parameters.values()))
            optimiser.step(dict(zip(parameters, gradients, strict=True)))
    return TwoLayersRun(options, tuple(snapshots))
