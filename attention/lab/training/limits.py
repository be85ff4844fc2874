"""How far a head can get on a task in theory."""

from dataclasses import dataclass

from attention.lab.training.options import Options

LEARNED = 0.99


@dataclass(frozen=True)
class Limit:
    """The highest accuracy that any matrices can reach, and why.

    reason: "learnable" (accuracy 1), "no_positions" or "one_head".
    """

    accuracy: float
    reason: str

    @property
    def learnable(self) -> bool:
        return self.reason == "learnable"


def limit(options: Options) -> Limit:
    """What theory says of these options."""
    if options.task == "both" and options.num_heads == 1:
        return Limit(0.75, "one_head")
    return Limit(1.0, "learnable")
