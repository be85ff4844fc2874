"""A picture's data as bytes, in two pieces: what stays while a number is dragged, and what follows it.

The still piece is named after what is in it, so that the same name is the same piece in every process. With
each edit the browser says which one it holds (see pieces.js), and the answer leaves it out. The server keeps
nothing: where a message was lost or the server is another one, the answer has both pieces.
"""

import hashlib
from array import array
from base64 import b64encode
from itertools import chain
from typing import Any

import orjson

from .data import USUAL, Matrix, Picture, to_json

ALIGNED = 8  # bytes: where the browser can read a number in place
IN_NUMBERS = "numbers"  # in place of values that are among the numbers behind the JSON
# What follows the numbers of a matrix.
OF_A_MATRIX = {"values", "decimals", "masked", "ringed", "recipe"}


def packed(picture: Picture, held: str = "") -> bytes:
    """The length of the JSON in 8 bytes, the JSON, and the numbers of all matrices in double precision.

    In the JSON, `still` is the name of the still piece, and `piece` that piece, unless it is the one that is
    `held`. The rest follows the numbers.
    """
    still: dict[str, Any] = {"usual": USUAL} | picture.frame(moving=False)
    moving = picture.frame(moving=True)
    numbers: list[bytes] = []
    for name, part in (("matrices", picture.matrices), ("sources", picture.sources)):
        specs = [matrix.spec for matrix in part]
        still[name] = [{name: spec[name] for name in spec if name not in OF_A_MATRIX} for spec in specs]
        moving[name] = [
            {name: spec[name] for name in spec if name in OF_A_MATRIX} | _values(matrix, numbers)
            for matrix, spec in zip(part, specs, strict=True)
        ]
    piece = dumps(still)
    name = b64encode(hashlib.blake2b(piece, digest_size=9).digest()).decode()
    moving |= {"still": name} | ({} if name == held else {"piece": orjson.Fragment(piece)})
    text = dumps(moving)
    text += b" " * (-len(text) % ALIGNED)
    return b"".join([len(text).to_bytes(ALIGNED, "little"), text, *numbers])


def dumps(part: Any) -> bytes:
    """Parts of a picture as JSON."""
    return orjson.dumps(part, to_json, orjson.OPT_PASSTHROUGH_DATACLASS)


def still_of(data: bytes) -> str:
    """The name of the still piece of these data."""
    length = int.from_bytes(data[:ALIGNED], "little")
    name: str = orjson.loads(data[ALIGNED : ALIGNED + length])["still"]
    return name


def _values(matrix: Matrix, numbers: list[bytes]) -> dict[str, Any]:
    """A matrix's values and its decimals; values in double precision are added to the numbers."""
    flat = _flat(matrix)
    if flat is not None:
        numbers.append(flat.tobytes())
    return {"values": matrix.written if flat is None else IN_NUMBERS, "decimals": matrix.decimals}


def _flat(matrix: Matrix) -> array | None:
    """The values row by row; None where one of them is no number."""
    if matrix.values is None or matrix.kind in ("mask", "text"):
        return None
    try:
        flat = array("d", chain.from_iterable(matrix.values))
    except TypeError:
        return None
    return flat if len(flat) == len(matrix.rows) * len(matrix.cols) else None
