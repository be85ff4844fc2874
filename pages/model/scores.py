"""The row of scores that several lessons share on purpose: softmax at once, and in one pass."""

from dataclasses import dataclass

from .fields import row

MAX_LOGITS = 10
# The scaled scores of the third word in the sentence of the course (see examples.py), with two decimals: the
# thread from one head to its softmax.
OF_THE_SENTENCE = (4.77, 1.41, 1.06, 3.18)


@dataclass(frozen=True)
class Scores:
    """Scores that are alone, without queries and keys."""

    logits: tuple[float, ...] = row((2.0, 1.0, 0.1), "logits", MAX_LOGITS)
