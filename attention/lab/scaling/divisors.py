"""What the scores are divided by: √d_k, and what that is confused with."""

import math

HEADS = 4  # d_model = 4·d_k where nothing else says what it is
SCALINGS = ("none", "sqrt_d_k", "d_k", "sqrt_d_model")


def divisors(d_k: int, n: int | None = None, d_model: int | None = None) -> dict[str, float]:
    """Each divisor by its name; √n only where the number n of keys is given."""
    results = {
        "none": 1.0,
        "sqrt_d_k": math.sqrt(d_k),
        "d_k": float(d_k),
        "sqrt_d_model": math.sqrt(d_model or HEADS * d_k),
    }
    return results if n is None else results | {"sqrt_n": math.sqrt(n)}


def score_deviation(d_k: int, divisor: float) -> float:
    """Standard deviation of q·k / divisor, for independent entries of mean 0 and variance 1: √d_k / divisor.

    It is 1 for every d_k with √d_k only. With √n it depends on how many keys there are.
    """
    return math.sqrt(d_k) / divisor
