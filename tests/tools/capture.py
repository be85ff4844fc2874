"""Writes the files of attention.lab.real_heads with the model itself, rounded to float16.

pip install -r tests/tools/capture_requirements.txt
python -m tests.tools.capture
"""

from typing import Any

import torch
from torch import Tensor

from attention.lab import capture
from attention.lab.real_heads.store import DATA, EXPLAINED, ORDINARY, Explained
from attention.lab.real_heads.texts import COMPARED, ORDINARY_TEXTS, TEXTS


def explain(text: str, other: str) -> Explained:
    """What each token of the text counts for its similarity to the other text. Errors as in capture."""
    tokenizer, network = capture.model()

    def run(ids: Tensor) -> tuple[Any, Tensor]:
        """The model's result for token ids (n,), and the sentence's embedding."""
        result = network(input_ids=ids[None], output_hidden_states=True)
        return result, result.last_hidden_state[0].mean(0)

    ids, other_ids = capture.ids_of(text)[0], capture.ids_of(other)[0]
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


def halved(results: dict[str, Any]) -> dict[str, Any]:
    """The same with its tensors in float16."""
    return {name: one.half() if isinstance(one, Tensor) else one for name, one in results.items()}


def written() -> dict[str, object]:
    """What is written: the content of each file, by its name."""
    ordinary = [halved(capture.kept(text)) for text in ORDINARY_TEXTS]
    names = ("text", "tokens", "model_weights")
    return {
        **{name: halved(capture.kept(text)) for name, text in TEXTS.items()},
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
