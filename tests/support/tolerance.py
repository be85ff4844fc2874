"""Numbers that are the same but for rounding."""

import torch
from torch import Tensor


def close(actual: object, expected: object, tolerance: float = 1e-12, *, absolute: float | None = None):
    """Tensors of one dtype and shape; numbers and lists of numbers are compared in float64.

    absolute: the tolerance of numbers near 0, where it is another one.
    """
    absolute = tolerance if absolute is None else absolute
    torch.testing.assert_close(_tensor(actual), _tensor(expected), rtol=tolerance, atol=absolute)


def _tensor(value: object) -> Tensor:
    return value if torch.is_tensor(value) else torch.tensor(value, dtype=torch.float64)
