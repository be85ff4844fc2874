"""Trains every task with three seeds, and what theory forbids: `python -m tests.tools.training`.

One line for each run. The exit code is 1 where a run is not what theory and the lesson say of it.
"""

import sys
import time
from typing import Any

import torch

from attention.lab.training import LEARNED, TASKS, Options, accuracy_of_all, limit, train

SEEDS = (0, 1, 2)
FORBIDDEN: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *((name, "without positions", {"positions": False}) for name in TASKS if TASKS[name].positions),
    ("both", "with one head", {"num_heads": 1}),
)


def line_of(options: Options, how: str) -> tuple[str, bool]:
    """The result of one run, and whether it is what theory and the lesson say."""
    started = time.perf_counter()
    last = train(options).last
    took = time.perf_counter() - started
    line = f"{options.task}{how} seed {options.seed}: test accuracy {last.accuracy:.3f}"
    line += f" after {last.step} steps in {took:.2f} s"
    best = limit(options)
    if best.solvable:
        return line, last.accuracy >= LEARNED
    line += f" (theory: at most {best.accuracy:.3f}, chance {best.chance:.3f})"
    return line, accuracy_of_all(last.matrices, options) <= best.accuracy


def main() -> int:
    torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other
    runs: list[tuple[str, str, dict[str, Any]]] = [(name, "", {}) for name in TASKS]
    runs += [(name, f" {how}", changed) for name, how, changed in FORBIDDEN]
    as_said = True
    for name, how, changed in runs:
        for seed in SEEDS:
            line, good = line_of(Options(name, seed, **changed), how)
            print(line if good else f"{line} — NOT AS SAID", flush=True)
            as_said &= good
    return 0 if as_said else 1


if __name__ == "__main__":
    sys.exit(main())
