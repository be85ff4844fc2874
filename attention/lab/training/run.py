"""A training: Adam on all of the run's training sequences at every step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch.optim.adam import adam

from attention.lab.training.model import Matrices, accuracy_of, fresh, loss_and_gradients, module_of
from attention.lab.training.options import Options

MOST_SNAPSHOTS = 50  # steps of a run, besides its start


@dataclass(frozen=True)
class Snapshot:
    """A run at one of its steps, before the update that follows."""

    step: int
    matrices: Matrices
    loss: float
    accuracy: float  # on test sequences
    gradient_norms: dict[str, float]  # of the loss, for each matrix: Frobenius norm


@dataclass(frozen=True)
class TrainingRun:
    """What is kept of a training, from its start to its last step."""

    options: Options
    snapshots: tuple[Snapshot, ...]

    @property
    def last(self) -> Snapshot:
        return self.snapshots[-1]


class Adam:
    """torch.optim's Adam (Kingma & Ba 2015) by its functional form, with torch.optim.Adam's defaults.

    The class torch.optim.Adam imports PyTorch's compiler when the first one is made, which takes 2 s that all
    users of the server would wait; the function does the same arithmetic and imports nothing.
    """

    def __init__(self, parameters: Mapping[str, torch.Tensor], learning_rates: dict[str, float]):
        self.parameters, self.learning_rates = parameters, learning_rates
        self.means = {name: torch.zeros_like(parameter) for name, parameter in parameters.items()}
        self.squares = {name: torch.zeros_like(parameter) for name, parameter in parameters.items()}
        self.steps = {name: torch.zeros(()) for name in parameters}

    @torch.no_grad()
    def step(self, gradients: Matrices) -> None:
        for name, gradient in gradients.items():
            adam(
                [self.parameters[name]],
                [gradient],
                [self.means[name]],
                [self.squares[name]],
                [],
                [self.steps[name]],
                foreach=False,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=self.learning_rates[name],
                weight_decay=0.0,
                eps=1e-8,
                maximize=False,
            )


def learning_rates(options: Options) -> dict[str, float]:
    """Of each matrix. Where W_V has much to learn, W_Q and W_K learn slower.

    With one rate for all, A grows sharp before there is anything to read from the values, and stays on the
    wrong tokens: “count_so_far” then ends at 0.75, as “both” does with some seeds.
    """
    slow = options.of.attention_rate
    shares = {"w_q": slow, "w_k": slow, "w_v": 1.0, "w_o": 1.0}
    return {name: share * options.learning_rate for name, share in shares.items()}


def kept_steps(steps: int) -> list[int]:
    """The steps that are kept: evenly spaced, with the first and the last."""
    count = min(MOST_SNAPSHOTS, steps)
    return [round(index * steps / count) for index in range(count + 1)]


def train(options: Options, on_step: Callable[[Snapshot], None] | None = None) -> TrainingRun:
    """A head, or several, trained on the task. The same options give the same run.

    on_step is called with each snapshot that is kept, as soon as there is one. What it raises ends the
    training and is passed on.
    """
    module = module_of(fresh(options), options)
    named = dict(module.named_parameters())
    optimiser = Adam(named, learning_rates(options))
    kept, snapshots = set(kept_steps(options.steps)), list[Snapshot]()
    for step in range(options.steps + 1):
        loss, gradients = loss_and_gradients(module, options)
        if step in kept:
            matrices = {name: parameter.detach().clone() for name, parameter in named.items()}
            norms = {name: gradient.norm().item() for name, gradient in gradients.items()}
            snapshots.append(Snapshot(step, matrices, loss, accuracy_of(matrices, options), norms))
            if on_step is not None:
                on_step(snapshots[-1])
        if step < options.steps:
            optimiser.step(gradients)
    return TrainingRun(options, tuple(snapshots))
