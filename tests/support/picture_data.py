"""What a browser makes of a picture's bytes: the pieces that it keeps, and the data made from them."""

import json
import math
import struct
from collections.abc import Sequence
from itertools import chain

from pages.draw import picture
from pages.draw.picture import Flow, Grid, Matrix

START = 8


class Pieces:
    """The pieces of one tab."""

    def __init__(self):
        self.kept: dict[str, object] = {}
        self.named: list[str] = []  # those of the newest data
        self.usual: dict = {}  # the look of a matrix that says nothing else

    def read(self, data: bytes) -> dict:
        """The data. LookupError where a piece is not there."""
        end = START + int.from_bytes(data[:START], "little")
        head = json.loads(data[START:end])
        self.kept |= head["pieces"]
        for name, rows, cols in head["blocks"]:
            numbers = struct.unpack_from(f"<{rows * cols}d", data, end)
            end += rows * cols * START
            self.kept[name] = [_plain(numbers[r * cols : (r + 1) * cols]) for r in range(rows)]
        if len(data) != end:
            raise ValueError(f"{len(data) - end} bytes more than the head says")
        named, specs = head["named"], {name: head[name] for name in ("matrices", "sources")}
        fields = {field: names if isinstance(names, list) else [names] for field, names in named.items()}
        triples = chain(*specs.values())
        names = (name for triple in triples for name in triple[:2] if name)
        self.named, self.usual = [*chain(*fields.values()), head["looks"], *names], self.kept[head["looks"]]
        return (
            head["frame"]
            | {field: self._part(names) for field, names in named.items()}
            | {name: [self._matrix(*triple) for triple in triples] for name, triples in specs.items()}
        )

    def _part(self, names: str | list[str]) -> object:
        return [self.kept[one] for one in names] if isinstance(names, list) else self.kept[names]

    def _matrix(self, look: str, values: str | None, bound: float) -> dict:
        return (
            self.usual
            | self.kept[look]
            | {"values": None if values is None else self.kept[values], "bound": bound}
        )


def _plain(numbers: tuple[float, ...]) -> list[float | str]:
    """As JSON has them, which knows no infinities and no NaN."""
    return [value if math.isfinite(value) else str(value) for value in numbers]


def plain_data(
    matrices: Sequence[Matrix], layout: Sequence[Grid | Flow], sources: Sequence[Matrix] = (), **options
) -> dict:
    """The component's data, which the browser makes of the pieces. `options`: see picture.frame_of."""
    parts = {"matrices": matrices, "sources": sources}
    specs = {name: [matrix.to_json() for matrix in part] for name, part in parts.items()}
    return picture.frame_of(matrices, layout, **options) | specs


def whole(data: bytes) -> dict:
    """The data of an answer that has all pieces."""
    return Pieces().read(data)
