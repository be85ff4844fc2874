"""The model in plain PyTorch, as one would write it: the lesson shows this text, and a test runs it."""

import torch
from torch.nn import functional as F


def plain_model(m, tokens, heads=1):
    n, width = len(tokens), m["e"].shape[1]
    x = m["e"][tokens] + m["p"][:n]  # the residual stream, (n, width)
    blocks = sum(name.startswith("w_q_") for name in m)
    for i in range(1, blocks + 1):
        y = F.layer_norm(x, (width,))
        q, k, v = (
            (y @ m[f"{name}_{i}"]).view(n, heads, width // heads).transpose(0, 1)
            for name in ("w_q", "w_k", "w_v")
        )
        heads_output = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        concatenated = heads_output.transpose(0, 1).reshape(n, width)
        x = x + concatenated @ m[f"w_o_{i}"]
        y = F.layer_norm(x, (width,))
        x = x + F.relu(y @ m[f"w_1_{i}"]) @ m[f"w_2_{i}"]
    logits = x @ m["w_u"]  # (n, words)
    return torch.softmax(logits, dim=-1)
