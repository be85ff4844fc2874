"""The numbers of a trained model, rounded: what train_model gives for one block and SEED.

Rounded to two digits they can be read; the loss rises by less than a thousandth.
"""

import torch

from attention.lab.transformer.model import ModelMatrices, shapes_of

SEED = 1
NUMBERS = """
e      0.02 -0.12 -0.49 -0.09
e     -0.72 -0.83 -0.09  1.13
e      0.31 -0.52  0.86 -0.05
e     -0.12  0.00 -0.08  0.34
e      0.34  0.29  0.09  0.69
e      0.55 -1.38 -1.23 -1.22
e     -0.82  0.42  0.61  0.29
e     -0.94  1.56  0.85 -0.06
p      0.50  0.29 -0.88 -0.23
p     -1.28 -0.70  0.57 -0.24
p      1.09  1.30  0.77 -0.21
p      0.42  0.81 -0.36  0.39
w_q_1  0.27 -0.08  0.79  0.03
w_q_1 -0.36  1.27  0.77 -0.10
w_q_1 -0.20  0.16 -0.31 -0.05
w_q_1 -0.67 -0.39  0.38  0.82
w_k_1 -0.21 -0.84 -0.43  0.03
w_k_1 -0.68 -0.15  0.04  0.82
w_k_1  0.56  0.07  0.05 -0.86
w_k_1  0.16  0.62 -0.35 -0.95
w_v_1 -0.19  0.11  1.07 -0.91
w_v_1 -1.15 -1.07  0.62 -1.32
w_v_1  0.10  0.56  0.05 -0.13
w_v_1  0.92 -0.91 -0.43  1.61
w_o_1 -0.21 -1.00 -1.19 -1.07
w_o_1  1.60 -0.65  0.17  0.62
w_o_1 -0.06 -0.70  0.58  0.47
w_o_1 -0.61 -0.23 -0.42 -0.97
w_1_1 -0.35  0.11  1.13 -0.21 -0.74 -0.25 -0.72 -1.05
w_1_1 -1.30 -0.15 -0.22 -0.03  1.54  0.06  1.19  0.76
w_1_1  0.75 -0.44 -0.97  1.13  0.04 -0.24 -0.58 -0.99
w_1_1 -0.20  0.56 -0.87  0.83  1.34 -0.14 -1.36  0.22
w_2_1 -0.44 -0.21 -0.25 -0.04
w_2_1  0.23 -0.21 -0.03 -0.16
w_2_1  1.13 -0.46 -0.89  0.46
w_2_1 -0.04 -0.80 -0.28  1.32
w_2_1  0.15  0.49  0.81 -0.12
w_2_1  0.07  0.15  0.04 -0.11
w_2_1 -0.30  0.41 -0.26 -1.46
w_2_1  0.61  0.67  0.77 -0.07
w_u    0.11  1.07  1.09 -1.13 -1.49 -0.10  0.06  1.28
w_u    0.88  0.54  0.72 -0.81 -0.75 -0.72  0.26  0.08
w_u    0.39  0.65  0.39  0.66  0.60 -0.53 -0.69 -0.76
w_u   -1.00  0.44  0.65  0.19  0.06  1.52 -0.97  0.09
"""


def trained_model() -> ModelMatrices:
    """The matrices of the trained model."""
    rows: dict[str, list[list[float]]] = {name: [] for name in shapes_of(1)}
    for line in NUMBERS.split("\n")[1:-1]:
        name, *numbers = line.split()
        rows[name].append([float(number) for number in numbers])
    return {name: torch.tensor(matrix, dtype=torch.float64) for name, matrix in rows.items()}
