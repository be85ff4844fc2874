"""Two layers and one layer trained from twenty seeds: `python -m tests.tools.two_layers`.

How the heads of two layers solve the task depends on the seed.
"""

import time

import torch

from attention.lab.two_layers import TwoLayersOptions, train

SEEDS = range(20)
NAMES = {2: "two_layers", 1: "one_layer"}


def line(layers: int, seed: int) -> str:
    """The result of one training."""
    start = time.perf_counter()
    run = train(TwoLayersOptions(layers, seed))
    seconds = time.perf_counter() - start
    last = run.last
    scores = f"previous-token {last.previous:.2f}, induction {last.induction:.2f}"
    result = f"test accuracy {last.accuracy:.1%} after {last.step} steps in {seconds:.1f} s"
    return f"{NAMES[layers]} seed {seed}: {result}, {scores}"


if __name__ == "__main__":
    torch.set_num_threads(1)
    for layers in NAMES:
        for seed in SEEDS:
            print(line(layers, seed), flush=True)
