"""How much each token counts for an output: by its weight, by gradient × input, and by leaving it out."""

import functools
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attention import MultiHeadTrace, checks, multi_head_attention
from attention.lab.real_heads.store import LAYERS, Explained, ModelSentence, explained, load
from attention.lab.real_heads.toggles import is_special

NEAR = ("weight", "norm", "gradient")  # what is compared with leaving a token out


@dataclass(frozen=True, eq=False)
class Attributions:
    """How much each token counts for one row of the output: each of them (n,)."""

    target: float  # a number of that row, or its norm
    weights: Tensor  # attention weights of the query, the mean over the heads
    norms: Tensor  # ‖Σ over the heads of weight × value × W_O‖ (Kobayashi et al. 2020)
    gradient_times_input: Tensor  # ∂target/∂x · x
    leave_one_out: Tensor  # target minus the target where the query may not attend to the token


def attributions(
    x: Tensor,  # (n, embed_dim)
    weights: dict[str, Any],
    *,
    row: int,
    column: int | None = None,
    mask: Tensor | None = None,
    **options: Any,
) -> Attributions:
    """What each token counts for output[row, column], or for the norm of output[row] without a column.

    weights holds w_q, w_k, w_v and, where there are any, w_o and the biases; options are other arguments for
    multi_head_attention. Where a token is left out, the query's other weights grow until they sum to 1.
    """
    row = checks.integer("row", row, 0, len(x) - 1)

    def run(inputs: Tensor, allowed: Tensor | None) -> tuple[MultiHeadTrace, Tensor]:
        trace = multi_head_attention(inputs, **weights, mask=allowed, **options)
        output = trace.output[row]
        if column is None:
            return trace, output.norm()
        return trace, output[checks.integer("column", column, 0, len(output) - 1)]

    leaf = x.detach().clone().requires_grad_()
    trace, target = run(leaf, mask)
    (gradient,) = torch.autograd.grad(target, leaf)
    whole = torch.ones(len(x), len(x), dtype=torch.bool) if mask is None else mask
    rest = []
    for token in range(len(x)):
        allowed = whole.expand(*whole.shape[:-2], len(x), len(x)).clone()
        allowed[..., row, token] = False
        rest.append(run(x, allowed)[1].detach())
    return Attributions(
        target.item(),
        trace.heads.weights[:, row].mean(0).detach(),
        weighted_values(trace, weights.get("w_o"))[row].norm(dim=-1).detach(),
        (gradient * x).sum(-1),
        target.detach() - torch.stack(rest),
    )


def weighted_values(trace: MultiHeadTrace, w_o: Tensor | None) -> Tensor:
    """What each key adds to each query's output, weight × value × W_O: (n queries, n keys, ·).

    Summed over the keys it is the output without b_o.
    """
    heads = trace.heads
    parts = heads.weights[..., None] * heads.value[:, None]  # (heads, queries, keys, value_dim)
    joined = parts.permute(1, 2, 0, 3).flatten(-2)  # (queries, keys, heads * value_dim)
    return joined if w_o is None else joined @ w_o


def received(weights: Tensor) -> Tensor:
    """How much each key gets from the queries on average: (…, n, n) -> (…, n)."""
    return weights.mean(-2)


def received_norms(sentence: ModelSentence) -> Tensor:
    """The same times the norm of the key's value (Kobayashi et al. 2020, without W_O): (layers, heads, n)."""
    return received(sentence.model_weights) * sentence.value.norm(dim=-1)


def ranks(values: Tensor) -> Tensor:
    """The ranks 1 … n of values (n,), the smallest first; equal values share the mean of their ranks."""
    below = (values[None, :] < values[:, None]).sum(-1)
    equal = (values[None, :] == values[:, None]).sum(-1)
    return below + (equal + 1).double() / 2


def rank_correlation(first: Tensor, second: Tensor) -> float | None:
    """Spearman's: the correlation of the ranks of two (n,); None where all values of either are equal."""
    a, b = (part - part.mean() for part in (ranks(first), ranks(second)))
    length = a.norm() * b.norm()
    return (a @ b / length).item() if length > 0 else None


@dataclass(frozen=True, eq=False)
class Nearness:
    """How well each measure agrees with leaving a token out, in every explained sentence and every layer.

    Rank correlations of absolute values. Gradient × input does not depend on the layer.
    """

    sentences: tuple[str, ...]
    tokens: tuple[int, ...]  # of each sentence
    correlations: dict[str, Tensor]  # by "weight", "norm", "gradient", each (sentences, layers)

    def nearest(self) -> dict[str, int]:
        """In how many sentences and layers each measure agrees best."""
        best = torch.stack(list(self.correlations.values())).argmax(0)
        return {name: int((best == i).sum()) for i, name in enumerate(self.correlations)}


@functools.lru_cache(maxsize=2)
def nearness(special: bool = True) -> Nearness:
    """Over all explained sentences. special: [CLS] and [SEP] are among the tokens that are ranked."""
    whole, counts = [], []
    for name, target in explained().items():
        sentence = load(name)
        kept = torch.ones(len(sentence.tokens), dtype=torch.bool) if special else ~is_special(sentence)
        whole.append([_of_layer(sentence, target, layer, kept) for layer in range(LAYERS)])
        counts.append(int(kept.sum()))
    correlations = {name: torch.tensor([[of[name] for of in row] for row in whole]).double() for name in NEAR}
    return Nearness(tuple(explained()), tuple(counts), correlations)


def _of_layer(
    sentence: ModelSentence, target: Explained, layer: int, kept: Tensor
) -> dict[str, float | None]:
    measures = layer_measures(sentence, target, layer)
    left_out = measures.pop("left_out").abs()[kept]
    return {name: rank_correlation(values.abs()[kept], left_out) for name, values in measures.items()}


def layer_measures(sentence: ModelSentence, target: Explained, layer: int) -> dict[str, Tensor]:
    """What each token counts for in a layer, by four measures, each (n,)."""
    return {
        "weight": received(sentence.model_weights[layer]).mean(0),
        "norm": received_norms(sentence)[layer].mean(0),
        "gradient": target.gradient_times_input,
        "left_out": target.leave_one_out,
    }
