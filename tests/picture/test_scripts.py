"""The JavaScript that needs no page: numbers and colours, by `node --test` (see the folder scripts)."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pages import picture
from pages.draw import palette
from pages.draw.numbers import entered, short
from pages.model.entries import MAX_VALUE
from pages.picture import recipes
from pages.picture.modules import DECLARED, joined
from tests.support.number_entries import ACCEPTED, ENTERED, LIMIT, REFUSED, SHORT, TOO_LARGE, TOO_LONG
from tests.support.programs import missing

SCRIPTS = Path(__file__).parent / "scripts"
# In place of the browser's canvas, which gives a colour in six hexadecimal digits.
CANVAS = """
const context = { set fillStyle(colour) { this.colour = colour; }, get fillStyle() {
  return this.colour.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
} };
globalThis.document = { createElement: () => ({ getContext: () => context }) };
"""
MANY_SHORT = [m / 8 * 10.0**e for m in range(-41, 42) for e in range(-3, 9)]
MANY_ENTERED = [m / 7 * 10.0**e for m in range(-41, 42) for e in range(-6, 6)]


def made() -> dict[str, dict]:
    """A recipe of every kind, by its operation."""
    all_kinds = [
        picture.product("a", "b", 2),
        picture.difference("a", "b"),
        picture.add("a", "b"),
        recipes.rotate("a", [[0.5]]),
        recipes.normalize("a", 0, 2, 1e-6),
        picture.total("a"),
        picture.softmax("b"),
        picture.copy(("b", 0, 1)),
        picture.divide("b", 0.5),
        picture.same("a"),
        picture.written([["x_1 = 2"]], of=["a"], lit="row"),
        picture.masked_from("a"),
        picture.softcap("a", 1.0),
    ]
    return {recipe["op"]: recipe for recipe in all_kinds}


def tables() -> dict:
    """What Python says the browser does."""
    plain = [(picture.data._plain_row([value])[0], decimals, text) for value, decimals, text in SHORT]
    return {
        "accepted": ACCEPTED,
        "refused": REFUSED + TOO_LONG,
        "tooLarge": TOO_LARGE,
        "limit": LIMIT,
        "short": plain + [(value, None, short(value)) for value in MANY_SHORT],
        "entered": ENTERED + [(value, entered(value)) for value in MANY_ENTERED],
        "operations": sorted(made()),
        "palette": [
            palette.DIVERGING,
            palette.DARK_DIVERGING,
            palette.SEQUENTIAL,
            palette.MASKED,
            palette.STRETCH,
        ],
    }


def module(entry: str) -> str:
    """A script and all that it imports as one module, which exports every name."""
    script = joined(picture.HERE / entry)
    names = [name for _, name in DECLARED.findall(script)]
    return f"{script}\nexport {{ {', '.join(names)} }};\n"


def test_numbers_and_colours_in_the_browser_are_those_of_python(tmp_path):
    if not (node := shutil.which("node")):
        missing("no node found (Debian: apt-get install nodejs)")
    for source in SCRIPTS.iterdir():
        shutil.copy(source, tmp_path)
    (tmp_path / "script.mjs").write_text(module("operations.js"), "utf-8")
    (tmp_path / "colours.mjs").write_text(CANVAS + module("colours.js"), "utf-8")
    (tmp_path / "tables.mjs").write_text(f"export default {json.dumps(tables())};\n", "utf-8")
    tested = subprocess.run([node, "--test", str(tmp_path)], capture_output=True, text=True, encoding="utf-8")
    assert tested.returncode == 0, tested.stdout
    assert "# pass 12" in tested.stdout or "ℹ pass 12" in tested.stdout, tested.stdout  # all of them ran


@pytest.mark.parametrize(("value", "text"), ENTERED)
def test_python_writes_an_entry_as_the_table_says(value, text):
    assert entered(value) == text


def test_python_writes_numbers_as_the_table_says():
    assert [short(value, decimals) for value, decimals, _ in SHORT] == [text for _, _, text in SHORT]
    assert MAX_VALUE == LIMIT


def test_the_followed_cell_has_the_palette_s_colour():
    assert palette.HIGHLIGHT in picture.style()
