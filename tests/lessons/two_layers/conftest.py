import functools

import torch

from attention.lab.two_layers import TwoLayersOptions, TwoLayersRun, train

torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other


@functools.cache
def short_run(layers: int, seed: int, steps: int) -> TwoLayersRun:
    return train(TwoLayersOptions(layers, seed, steps))
