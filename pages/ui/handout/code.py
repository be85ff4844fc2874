"""A link as a QR code."""

import html

import segno
import streamlit as st

# A code of more characters has more than 117 modules a side: phones read it badly from a screen.
MOST = 1_273
MODULE = 6  # px


def draw(link: str, alt: str) -> None:
    """The code, of up to MOST characters: black on white in either theme, with its quiet zone."""
    code = segno.make(link, error="l", micro=False)
    source = code.svg_data_uri(scale=MODULE, border=4, light="white")
    width, _ = code.symbol_size(scale=MODULE, border=4)
    style = f"width: {width}px; max-width: 100%; height: auto; image-rendering: pixelated"
    st.html(f'<img src="{html.escape(source)}" alt="{html.escape(alt)}" style="{style}">')
