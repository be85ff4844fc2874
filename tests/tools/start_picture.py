"""The picture that a visit begins with, as pages/draw/start.py reads it, made with the core.

`python -m tests.tools.start_picture` writes it in every language.
"""

import json

from pages.draw import start
from pages.draw.picture.data import LOOKS
from pages.model import core
from tests.support.screen import LANGUAGES, open_link, pictures

LESSON = "one_head"
USUAL = json.loads(json.dumps(LOOKS))  # the fields of a matrix that says nothing else


def picture_now(language: str) -> dict:
    """What the core makes of it now."""
    core.load()  # or the page would read the old file first
    [picture] = pictures(open_link(LESSON, {"lang": language}))
    return {
        "name": picture["key"].rpartition("-")[2],
        "matrices": [_unusual(one) for one in picture["matrices"] if not one["editable"]],
        "layout": picture["layout"],
        "steps": picture["steps"],
    }


def _unusual(matrix: dict) -> dict:
    """The fields of a matrix that are not as usual. Its bound follows from its values."""
    fields = {name: value for name, value in matrix.items() if name != "bound"}
    return {name: value for name, value in fields.items() if name not in USUAL or value != USUAL[name]}


def file_text(picture: dict) -> str:
    """The file: a line for each matrix, band and step."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
    parts = [
        f'"{name}": ' + (plain(part) if name == "name" else "[\n" + ",\n".join(map(plain, part)) + "\n]")
        for name, part in picture.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    for one in LANGUAGES:
        start.path_of(LESSON, one).write_text(file_text(picture_now(one)), "utf-8")
