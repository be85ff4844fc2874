"""The numbers of trained models, rounded: what train_model gives for 1, 2 and 3 blocks and SEED.

Rounded to two digits they can be read; the loss rises by less than a thousandth.
"""

from pathlib import Path

import torch

from attention.lab.transformer.model import ModelMatrices, shapes_of

SEED = 1
# A row of a matrix is a line: the blocks of its model, its name, its numbers.
FILE = Path(__file__).with_name("trained.txt")


def trained_model(blocks: int = 1) -> ModelMatrices:
    """The matrices of the trained model with as many blocks."""
    rows: dict[str, list[list[float]]] = {name: [] for name in shapes_of(blocks)}
    for line in FILE.read_text("utf-8").splitlines():
        count, name, *numbers = line.split()
        if int(count) == blocks:
            rows[name].append([float(number) for number in numbers])
    return {name: torch.tensor(matrix, dtype=torch.float64) for name, matrix in rows.items()}
