"""The lesson's own numbers: what is done to the scores, and which experiment."""

from dataclasses import dataclass

from pages.model.fields import choice, count, number
from pages.model.scores import MAX_LOGITS


@dataclass(frozen=True)
class SoftmaxNumbers:
    """Experiments on softmax; the scores themselves are shared with other lessons."""

    temperature: float = number(1.0, "temperature", 0.01, 100.0, step=0.05, log=True)
    shift: float = number(100.0, "shift", -1000.0, 1000.0, step=1)
    # The score that is changed; where there are fewer, the last one.
    score: int = count(0, "score", 0, MAX_LOGITS - 1, from_one=True)
    nudge: float = number(0.1, "nudge", -10.0, 10.0, step=0.02)
    top_score: float = number(100.0, "topscore", -10_000.0, 10_000.0, step=10)  # of four that lie 1 apart
    precision: str = choice("float16", "precision", ("float64", "float32", "float16", "bfloat16"))
    axis: str = choice("keys", "axis", ("keys", "queries", "all"))
    dropout: float = number(0.1, "dropout", 0.0, 0.95, step=0.05)
    dropout_seed: int = count(0, "dropoutseed", 0, 9999)
