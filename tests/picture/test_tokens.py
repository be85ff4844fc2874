"""Tokens: colours are named in one place, and the states of an answer are read in both themes."""

import re
import tomllib

import pytest

from tests.support.colours import contrast, luminance
from tests.support.programs import ROOT

THEMES = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]
TOKENS = ROOT / "pages/picture/tokens.css"
ON_PAPER = ("sheet.css", "qr_code.css")  # black on white in every theme
STYLES = [
    file for file in sorted((ROOT / "pages").rglob("*.css")) if file.name not in ("tokens.css", *ON_PAPER)
]
COLOUR = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|light-dark)\(", re.IGNORECASE)


@pytest.mark.parametrize("colour", ["green", "yellow", "blue"])
@pytest.mark.parametrize("theme", THEMES)
def test_the_text_of_an_answer_is_read_on_its_ground(theme, colour):
    ink, ground = (THEMES[theme][f"{colour}{part}Color"] for part in ("Text", "Background"))
    assert contrast(luminance(bytes.fromhex(ink[1:])), luminance(bytes.fromhex(ground[1:]))) >= 4.5


@pytest.mark.parametrize("style", STYLES, ids=lambda file: file.name)
def test_every_colour_of_a_style_is_a_token(style):
    assert COLOUR.search(TOKENS.read_text())
    # The early picture is there before Streamlit's theme (tests/browser/test_early.py compares the two).
    own = re.sub(r"--st-[\w-]+:[^;]+;", "", style.read_text())
    assert COLOUR.findall(own) == []


def test_every_token_is_used():
    names = re.findall(r"^ +(--[a-z0-9-]+):", TOKENS.read_text(), re.MULTILINE)
    used = "\n".join(file.read_text() for file in (*STYLES, *(ROOT / "pages").rglob("*.js")))
    assert names and [name for name in names if f"var({name}" not in used] == []
