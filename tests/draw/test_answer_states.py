"""The colours of an answer's states: text is read on its ground, in both themes."""

import tomllib

import pytest

from tests.browser_support import ROOT
from tests.colours import contrast, luminance

THEMES = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]


@pytest.mark.parametrize("colour", ["green", "yellow", "blue"])
@pytest.mark.parametrize("theme", THEMES)
def test_the_text_of_an_answer_is_read_on_its_ground(theme, colour):
    ink, ground = (THEMES[theme][f"{colour}{part}Color"] for part in ("Text", "Background"))
    assert contrast(luminance(bytes.fromhex(ink[1:])), luminance(bytes.fromhex(ground[1:]))) >= 4.5
