"""What a browser makes of a picture's bytes: the still pieces that it keeps, and the data."""

import json
import math
import struct
from collections.abc import Iterator, Sequence

from pages.picture import Flow, Grid, Matrix, Picture
from pages.picture.pieces import IN_NUMBERS, dumps

START = 8


class Pieces:
    """The still pieces of one tab."""

    def __init__(self):
        self.kept: dict[str, dict] = {}
        self.still = ""  # the name of the one of the newest data

    def read(self, message: bytes) -> dict:
        """The data. LookupError where the still piece is not there."""
        end = START + int.from_bytes(message[:START], "little")
        moving = json.loads(message[START:end])
        self.still = moving.pop("still")
        if "piece" in moving:
            self.kept[self.still] = moving.pop("piece")
        frame = dict(self.kept[self.still])
        usual, numbers = frame.pop("usual"), struct.iter_unpack("<d", message[end:])
        for part in ("matrices", "sources"):
            specs = [usual | look | moves for look, moves in zip(frame[part], moving[part], strict=True)]
            moving[part] = [_with_numbers(spec, numbers) for spec in specs]
        if (more := sum(1 for _ in numbers)) > 0:
            raise ValueError(f"{more} numbers more than the JSON says")
        return frame | moving


def _with_numbers(spec: dict, numbers: Iterator[tuple[float]]) -> dict:
    if spec["values"] != IN_NUMBERS:
        return spec
    return spec | {"values": [[_plain(next(numbers)[0]) for _ in spec["cols"]] for _ in spec["rows"]]}


def _plain(value: float) -> float | str:
    """As JSON has it, which knows no infinities and no NaN."""
    return value if math.isfinite(value) else str(value)


def plain_data(matrices: Sequence[Matrix], layout: Sequence[Grid | Flow], **options) -> dict:
    """The component's data, which the browser makes of the pieces. `options`: see Picture."""
    picture = Picture(matrices, layout, **options)
    frame = json.loads(dumps(picture.frame(moving=False) | picture.frame(moving=True)))
    parts = {"matrices": picture.matrices, "sources": picture.sources}
    return frame | {name: [matrix.to_json() for matrix in part] for name, part in parts.items()}


def whole(data: bytes) -> dict:
    """The data of an answer that has both pieces."""
    return Pieces().read(data)
