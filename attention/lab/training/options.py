"""What one training depends on."""

import math
from dataclasses import dataclass
from typing import Any

from attention.checks import check_choice, integer, positive
from attention.lab.training.tasks import TASKS, Task

MOST_HEADS = 4
MOST_STEPS = 2000
AS_THE_TASK: Any = None


@dataclass(frozen=True)
class Options:
    """One training; what is not given is as the task has it.

    Raises AttentionError for an unknown task, a seed below 0, num_heads outside 1 … 4, steps outside
    1 … 2000, head_dim outside 1 … 16 and a learning rate that is not above 0.
    """

    task: str = "previous"
    seed: int = 0
    num_heads: int = AS_THE_TASK
    positions: bool = AS_THE_TASK
    scaling: bool = True  # scores divided by √d_k
    causal: bool = AS_THE_TASK
    head_dim: int = AS_THE_TASK  # d_k of each head
    steps: int = AS_THE_TASK
    learning_rate: float = AS_THE_TASK  # of Adam

    def __post_init__(self) -> None:
        check_choice("task", self.task, tuple(TASKS))
        task = TASKS[self.task]
        own: dict[str, Any] = {"num_heads": task.heads, "positions": task.positions, "causal": task.causal}
        own |= {"head_dim": task.head_dim, "steps": task.steps, "learning_rate": task.learning_rate}
        for name, value in own.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        integer("seed", self.seed, 0)
        integer("num_heads", self.num_heads, 1, MOST_HEADS)
        integer("head_dim", self.head_dim, 1, 16)
        integer("steps", self.steps, 1, MOST_STEPS)
        positive("learning_rate", self.learning_rate)

    @property
    def of(self) -> Task:
        return TASKS[self.task]

    @property
    def value_dim(self) -> int:
        """d_v of each head: as many as answers, of which the output has a column each."""
        return len(self.of.answers)

    @property
    def embed_dim(self) -> int:
        return len(self.of.letters) + (self.of.length if self.positions else 0)

    @property
    def scale(self) -> float:
        return 1 / math.sqrt(self.head_dim) if self.scaling else 1.0
