"""Both models in plain PyTorch, as one would write them: the files of the lesson have these functions."""

import itertools

import torch
from torch.nn import functional as F


def layers_by_hand(x, *layers):
    for w_q, w_k, w_v in layers:
        x = x + F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, is_causal=True, scale=1.0)
    return x


def all_sequences():
    """Four of six letters, and the same letters again from each of the four places on."""
    firsts = itertools.permutations(range(6), 4)
    return torch.tensor([[*first, *first[i:], *first[:i]] for first in firsts for i in range(4)])


def model(m, tokens):
    x = m["embedding"][tokens] + m["positions"]  # the residual stream, (sequences, 8, 16)
    for i in range(1, sum(name.startswith("w_q_") for name in m) + 1):
        q, k, v = (x @ m[f"{name}_{i}"] for name in ("w_q", "w_k", "w_v"))
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True) @ m[f"w_o_{i}"]
    return x @ m["unembedding"]


def train_model(sizes, seed, steps):
    """sizes: of each matrix, and the standard deviation of its random numbers."""
    generator = torch.Generator().manual_seed(seed)
    m = {
        name: (torch.randn(rows, cols, generator=generator) * spread).requires_grad_()
        for name, (rows, cols, spread) in sizes.items()
    }
    optimiser = torch.optim.Adam(m.values(), lr=0.01)
    every = all_sequences()
    shuffled = every[torch.randperm(len(every), generator=torch.Generator().manual_seed(20210212))]
    training = shuffled[len(every) // 4 :]  # the others are for the test
    generator = torch.Generator().manual_seed(seed + 1)
    for _ in range(steps):
        tokens = training[torch.randint(len(training), (128,), generator=generator)]
        loss = F.cross_entropy(model(m, tokens)[:, 4:7].flatten(0, 1), tokens[:, 5:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return {name: matrix.detach() for name, matrix in m.items()}
