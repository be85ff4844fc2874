"""A link as a QR code. A press on it enlarges it to the whole window, to be read from the last row."""

import html
from pathlib import Path

import segno
import streamlit as st

# A code of more characters has more than 117 modules a side: phones read it badly from a screen.
MOST = 1_273
MODULE = 6  # px
READABLE = 80  # characters of a link that people can type
STYLE = (Path(__file__).parent / "qr_code.css").read_text("utf-8")

_escape = st.components.v2.component(
    "attention_code", js=(Path(__file__).parent / "qr_code.js").read_text("utf-8"), isolate_styles=False
)


def draw(link: str, alt: str, enlarge: str, *, name: str, line: str = "") -> None:
    """The code, of up to MOST characters: black on white in either theme, with its quiet zone.

    enlarge: text of the button, which opens a popover of the browser. name: of this code on the page. line:
    selector of a text on the page that the enlarged code repeats.
    """
    code = segno.make(link, error="l", micro=False)
    source = html.escape(code.svg_data_uri(scale=MODULE, border=4, light="white"))
    width, _ = code.symbol_size(scale=MODULE, border=4)
    inside = f'<img src="{source}" alt="{html.escape(alt)}"><small>{html.escape(enlarge)}</small>'
    if len(link) <= READABLE:
        inside += f"<span>{html.escape(link)}</span>"
    if line:
        inside += f'<output data-line="{html.escape(line)}"></output>'
    size = f"--code-width: {width}px; --letters: {len(link)}"
    button = f'<button popovertarget="code-{name}">{inside}</button>'
    st.html(f'<style>{STYLE}</style><div class="code" id="code-{name}" style="{size}" popover>{button}</div>')
    _escape(key=f"code_escape-{name}", height=1)
