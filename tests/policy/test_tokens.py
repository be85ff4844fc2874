"""Colours have names: they are in the tables of tokens, and everything else reads them there."""

import re

from tests.support.programs import ROOT

# The tables: of charts, of the picture's cells, of what is saved or printed on white paper.
TABLES = {
    *("pages/draw/palette.py", "pages/picture/colours.js", "pages/picture/svg.js"),
    *("pages/picture/printed_picture.js", "pages/picture/vectors.js"),
    "pages/hand/export/sheet/sheet.css",
}
# In a style sheet the tokens are the custom properties of the page, of the picture and of its plots.
PROPERTY = re.compile(r"^\s*--[\w-]+:.*;", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|^\s*(?://|#).*$", re.DOTALL | re.MULTILINE)
COLOUR = re.compile(r"(?<![\w&])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\brgba?\([^)]*\)|\bgold\b", re.I)
PLAIN = re.compile(r"#(?:000|fff|000000|ffffff)|rgb\(0 0 0 / .*\)", re.I)  # black, white, and shadows


def colours(text: str, ending: str) -> list[str]:
    """The colours of a file's text that are no token."""
    text = COMMENT.sub("", text)
    text = PROPERTY.sub("", text) if ending == ".css" else text
    return [colour for colour in COLOUR.findall(text) if not PLAIN.fullmatch(colour) and "${" not in colour]


def test_a_colour_that_is_no_token_is_found():
    assert colours("a { color: #5b6068; }\n  --second: #5b6068;", ".css") == ["#5b6068"]
    assert colours("const FAINT = '#c5c9d1'; // #fff", ".js") == ["#c5c9d1"]
    assert colours('"#d6006e" # comment', ".py") == ["#d6006e"]
    assert colours("a { box-shadow: 0 0 rgb(0 0 0 / 0.2); color: rgb(1 2 3); }", ".css") == ["rgb(1 2 3)"]


def test_every_colour_is_a_token():
    paths = [path for ending in ("css", "js", "py") for path in sorted((ROOT / "pages").rglob(f"*.{ending}"))]
    others = {name: path for path in paths if (name := path.relative_to(ROOT).as_posix()) not in TABLES}
    places = {name: colours(path.read_text("utf-8"), path.suffix) for name, path in others.items()}
    assert len(places) > 400 and {name: values for name, values in places.items() if values} == {}


def test_every_table_is_there_and_has_colours():
    for table in TABLES:
        assert COLOUR.search((ROOT / table).read_text("utf-8"))
